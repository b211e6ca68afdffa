/* truth.c - double precision throughout; simple rather than fast. */
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_TOLERANCE 1.0e-9
#define END_TOLERANCE 1.0e-12

enum { LEAF = 8, DEPTH = 64 };

typedef struct face {
    double corner[3][3];
    double lo[3], hi[3];
    double key;
    uint32_t index;
} face;

/* Leaf: left == 0 and faces [begin, end). Otherwise children left and left's sibling right. */
typedef struct branch {
    double lo[3], hi[3];
    uint32_t begin, end, left, right;
} branch;

struct rio_truth {
    face *faces;
    uint32_t face_count;
    branch *branches;
    uint32_t branch_count;
};

/* fmin and fmax are calls into libm because of their promises about NaN; these are inlined. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static void cross_product(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Not normalised; its length is twice the area. */
static void face_normal(const face *f, double out[3])
{
    double e1[3], e2[3];
    subtract(f->corner[1], f->corner[0], e1);
    subtract(f->corner[2], f->corner[0], e2);
    cross_product(e1, e2, out);
}

static bool face_read(const float *positions, uint32_t vertex_count, const uint32_t *v, face *f)
{
    for (int c = 0; c < 3; c++) {
        if (v[c] >= vertex_count)
            return false;
        for (int k = 0; k < 3; k++) {
            double x = (double)positions[(size_t)v[c] * 3 + (size_t)k];
            if (!isfinite(x))
                return false;
            f->corner[c][k] = x;
            f->lo[k] = c == 0 || x < f->lo[k] ? x : f->lo[k];
            f->hi[k] = c == 0 || x > f->hi[k] ? x : f->hi[k];
        }
    }
    double n[3];
    face_normal(f, n);
    return dot_product(n, n) > 0.0;
}

static int by_key(const void *a, const void *b)
{
    const face *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static uint32_t grow_branch(rio_truth *truth, uint32_t begin, uint32_t end)
{
    uint32_t at = truth->branch_count++;
    branch *b = &truth->branches[at];
    memset(b, 0, sizeof *b);
    b->begin = begin;
    b->end = end;
    memcpy(b->lo, truth->faces[begin].lo, sizeof b->lo);
    memcpy(b->hi, truth->faces[begin].hi, sizeof b->hi);
    for (uint32_t i = begin + 1; i < end; i++)
        for (int k = 0; k < 3; k++) {
            b->lo[k] = lesser(b->lo[k], truth->faces[i].lo[k]);
            b->hi[k] = greater(b->hi[k], truth->faces[i].hi[k]);
        }
    if (end - begin <= LEAF)
        return at;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (b->hi[k] - b->lo[k] > b->hi[axis] - b->lo[axis])
            axis = k;
    for (uint32_t i = begin; i < end; i++)
        truth->faces[i].key = truth->faces[i].lo[axis] + truth->faces[i].hi[axis];
    qsort(truth->faces + begin, end - begin, sizeof(face), by_key);
    uint32_t middle = begin + (end - begin) / 2;
    uint32_t left = grow_branch(truth, begin, middle);
    uint32_t right = grow_branch(truth, middle, end);
    truth->branches[at].left = left;
    truth->branches[at].right = right;
    return at;
}

rico_result rio_truth_create(const float *positions, uint32_t vertex_count,
                             const uint32_t *indices, uint32_t triangle_count, rio_truth **out)
{
    *out = NULL;
    rio_truth *truth = calloc(1, sizeof *truth);
    if (truth == NULL)
        return RICO_OUT_OF_MEMORY;
    truth->faces = malloc(((size_t)triangle_count + 1) * sizeof(face));
    truth->branches = malloc(((size_t)triangle_count + 1) * 2 * sizeof(branch));
    if (truth->faces == NULL || truth->branches == NULL) {
        rio_truth_destroy(truth);
        return RICO_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < triangle_count; i++) {
        face *f = &truth->faces[truth->face_count];
        f->index = i;
        truth->face_count +=
            face_read(positions, vertex_count, indices + (size_t)i * 3, f) ? 1u : 0u;
    }
    if (truth->face_count == 0) {
        rio_truth_destroy(truth);
        return RICO_EMPTY_MESH;
    }
    grow_branch(truth, 0, truth->face_count);
    *out = truth;
    return RICO_OK;
}

void rio_truth_destroy(rio_truth *truth)
{
    if (truth == NULL)
        return;
    free(truth->faces);
    free(truth->branches);
    free(truth);
}

/* Where the segment crosses the face's plane, if that is inside the face. It is inside when the
 * volumes that the segment spans with the three edges have one sign. Neighbours compute the
 * volume of a shared edge from the same two corners, with opposite sign. So a segment can miss
 * both only by rounding, which EDGE_TOLERANCE covers. */
static bool face_crossing(const face *f, const double from[3], const double direction[3],
                          double *t)
{
    double r[3][3], volume[3], n[3], to_face[3], c[3];
    face_normal(f, n);
    double fall = dot_product(n, direction);
    if (fall == 0.0)
        return false;
    subtract(f->corner[0], from, to_face);
    double at = dot_product(n, to_face) / fall;
    if (!(at >= -END_TOLERANCE && at <= 1.0 + END_TOLERANCE))
        return false;
    for (int i = 0; i < 3; i++)
        subtract(f->corner[i], from, r[i]);
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        cross_product(r[(i + 1) % 3], r[(i + 2) % 3], c);
        volume[i] = dot_product(c, direction);
        sum += volume[i];
    }
    for (int i = 0; i < 3; i++)
        if (volume[i] / sum < -EDGE_TOLERANCE)
            return false;
    *t = lesser(greater(at, 0.0), 1.0);
    return sum != 0.0;
}

static bool branch_touched(const branch *b, const double from[3], const double direction[3],
                           double t_max)
{
    double enter = -END_TOLERANCE, leave = t_max + END_TOLERANCE;
    for (int k = 0; k < 3; k++) {
        double pad = 1.0e-9 * (1.0 + fabs(b->lo[k]) + fabs(b->hi[k]));
        double lo = b->lo[k] - pad - from[k], hi = b->hi[k] + pad - from[k];
        if (direction[k] == 0.0) {
            if (lo > 0.0 || hi < 0.0)
                return false;
            continue;
        }
        double t0 = lo / direction[k], t1 = hi / direction[k];
        enter = greater(enter, lesser(t0, t1));
        leave = lesser(leave, greater(t0, t1));
    }
    return enter <= leave;
}

bool rio_truth_segment(const rio_truth *truth, const double from[3], const double to[3],
                       rio_truth_hit *hit)
{
    double direction[3], best_t = 1.0;
    const face *best = NULL;
    uint32_t stack[DEPTH], depth = 0;
    subtract(to, from, direction);
    stack[depth++] = 0;
    while (depth > 0) {
        const branch *b = &truth->branches[stack[--depth]];
        if (!branch_touched(b, from, direction, best_t))
            continue;
        if (b->left != 0) {
            stack[depth++] = b->left;
            stack[depth++] = b->right;
            continue;
        }
        for (uint32_t i = b->begin; i < b->end; i++) {
            const face *f = &truth->faces[i];
            double t;
            if (face_crossing(f, from, direction, &t) &&
                (best == NULL || t < best_t || (t == best_t && f->index < best->index))) {
                best_t = t;
                best = f;
            }
        }
    }
    if (best != NULL && hit != NULL) {
        double n[3];
        face_normal(best, n);
        double length = sqrt(dot_product(n, n));
        for (int k = 0; k < 3; k++)
            hit->normal[k] = n[k] / length;
        hit->t = best_t;
        hit->triangle = best->index;
        hit->back_face = dot_product(n, direction) > 0.0;
    }
    return best != NULL;
}

static double edge_distance2(const double a[3], const double b[3], const double p[3])
{
    double e[3], d[3];
    subtract(b, a, e);
    subtract(p, a, d);
    double length2 = dot_product(e, e);
    double s = length2 > 0.0 ? lesser(greater(dot_product(d, e) / length2, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; k++)
        d[k] -= e[k] * s;
    return dot_product(d, d);
}

/* If the point is over the face, the distance to its plane; else that to its nearest edge. */
static double face_distance2(const face *f, const double p[3])
{
    double n[3], best = INFINITY;
    bool over = true;
    face_normal(f, n);
    for (int i = 0; i < 3; i++) {
        const double *a = f->corner[i], *b = f->corner[(i + 1) % 3];
        double e[3], d[3], c[3];
        subtract(b, a, e);
        subtract(p, a, d);
        cross_product(e, d, c);
        over = over && dot_product(c, n) >= 0.0;
        best = lesser(best, edge_distance2(a, b, p));
    }
    if (over) {
        double d[3];
        subtract(p, f->corner[0], d);
        double height = dot_product(d, n);
        best = lesser(best, height * height / dot_product(n, n));
    }
    return best;
}

double rio_truth_distance(const rio_truth *truth, const double point[3], double limit,
                          uint32_t *triangle)
{
    double best = limit * limit;
    uint32_t stack[DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const branch *b = &truth->branches[stack[--depth]];
        double box2 = 0.0;
        for (int k = 0; k < 3; k++) {
            double out = greater(greater(b->lo[k] - point[k], point[k] - b->hi[k]), 0.0);
            box2 += out * out;
        }
        if (!(box2 < best))
            continue;
        if (b->left != 0) {
            stack[depth++] = b->left;
            stack[depth++] = b->right;
            continue;
        }
        for (uint32_t i = b->begin; i < b->end; i++) {
            double d2 = face_distance2(&truth->faces[i], point);
            if (d2 < best) {
                best = d2;
                if (triangle != NULL)
                    *triangle = truth->faces[i].index;
            }
        }
    }
    return sqrt(best);
}
