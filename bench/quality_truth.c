#include "quality_truth.h"

#include "quality_vec.h"
#include <stdlib.h>

#define EDGE_TOLERANCE 1.0e-9
#define LEAF 4u
#define DEPTH 64u /* halving 2^32 faces needs half of it */

/* Corners as given; they are floats, which doubles hold exactly. */
typedef struct face {
    float corner[3][3];
    uint32_t index;
} face;

/* A leaf has count > 0 and faces [first, first + count). Otherwise the children are `first` and
 * the node after this one. Boxes are exact: least and largest floats. */
typedef struct node {
    float lo[3], hi[3];
    uint32_t first, count;
} node;

/* Owner: the caller of quality_truth_create. Order: faces as the build sorted them. */
struct quality_truth {
    face *faces;
    node *nodes;
    uint32_t face_count, node_count;
};

/* --- Building ------------------------------------------------------------------------------ */

static void edges_of(const face *f, double e1[3], double e2[3])
{
    for (int a = 0; a < 3; ++a) {
        e1[a] = (double)f->corner[1][a] - (double)f->corner[0][a];
        e2[a] = (double)f->corner[2][a] - (double)f->corner[0][a];
    }
}

/* A normal whose length is twice the area. */
static void normal_of(const face *f, double n[3])
{
    double e1[3], e2[3];
    edges_of(f, e1, e2);
    qv_cross(e1, e2, n);
}

static bool read_face(const rico_mesh *mesh, uint32_t index, face *f)
{
    f->index = index;
    for (uint32_t c = 0; c < 3; ++c) {
        uint32_t v = mesh->indices[(size_t)index * 3 + c];
        if (v >= mesh->vertex_count)
            return false;
        memcpy(f->corner[c], mesh->positions + (size_t)v * 3, sizeof f->corner[c]);
        for (int a = 0; a < 3; ++a)
            if (!isfinite(f->corner[c][a]))
                return false;
    }
    double n[3];
    normal_of(f, n);
    return qv_dot(n, n) > 0.0;
}

static double middle_of(const face *f, int axis)
{
    return (double)f->corner[0][axis] + (double)f->corner[1][axis] + (double)f->corner[2][axis];
}

static void box_of(const face *faces, uint32_t count, node *n)
{
    for (int a = 0; a < 3; ++a) {
        n->lo[a] = n->hi[a] = faces[0].corner[0][a];
        for (uint32_t i = 0; i < count; ++i)
            for (int c = 0; c < 3; ++c) {
                float x = faces[i].corner[c][a];
                n->lo[a] = x < n->lo[a] ? x : n->lo[a];
                n->hi[a] = x > n->hi[a] ? x : n->hi[a];
            }
    }
}

static void swap_faces(face *a, face *b)
{
    face f = *a;
    *a = *b;
    *b = f;
}

/* Hoare's selection: faces with smaller middles come before `half`. */
static void select_half(face *faces, uint32_t count, uint32_t half, int axis)
{
    uint32_t lo = 0, hi = count - 1;
    while (lo < hi) {
        double pivot = middle_of(&faces[lo + (hi - lo) / 2], axis);
        uint32_t i = lo, j = hi;
        for (;;) {
            while (middle_of(&faces[i], axis) < pivot)
                ++i;
            while (middle_of(&faces[j], axis) > pivot)
                --j;
            if (i >= j)
                break;
            swap_faces(&faces[i++], &faces[j--]);
        }
        if (half <= j)
            hi = j;
        else
            lo = j + 1;
    }
}

static uint32_t grow(quality_truth *truth, uint32_t begin, uint32_t count)
{
    uint32_t at = truth->node_count++;
    node *n = &truth->nodes[at];
    box_of(truth->faces + begin, count, n);
    n->first = begin;
    n->count = count;
    if (count <= LEAF)
        return at;
    int axis = 0;
    for (int a = 1; a < 3; ++a)
        if (n->hi[a] - n->lo[a] > n->hi[axis] - n->lo[axis])
            axis = a;
    uint32_t half = count / 2;
    select_half(truth->faces + begin, count, half, axis);
    grow(truth, begin, half);
    uint32_t second = grow(truth, begin + half, count - half);
    truth->nodes[at].first = second;
    truth->nodes[at].count = 0;
    return at;
}

quality_truth *quality_truth_create(const rico_mesh *mesh)
{
    quality_truth *truth = calloc(1, sizeof *truth);
    if (!truth)
        return NULL;
    truth->faces = malloc(((size_t)mesh->triangle_count + 1) * sizeof *truth->faces);
    truth->nodes = malloc(((size_t)mesh->triangle_count + 1) * 2 * sizeof *truth->nodes);
    if (truth->faces && truth->nodes)
        for (uint32_t i = 0; i < mesh->triangle_count; ++i)
            truth->face_count += read_face(mesh, i, &truth->faces[truth->face_count]) ? 1u : 0u;
    if (truth->face_count == 0) {
        quality_truth_destroy(truth);
        return NULL;
    }
    grow(truth, 0, truth->face_count);
    return truth;
}

void quality_truth_destroy(quality_truth *truth)
{
    if (!truth)
        return;
    free(truth->faces);
    free(truth->nodes);
    free(truth);
}

/* --- Segments ------------------------------------------------------------------------------ */

typedef struct segment {
    double from[3], along[3];
    double limit; /* t of the best hit so far */
} segment;

/* Separating axes: the box's three axes, and its edges with the segment's direction. There is no
 * division, so directions with zeros need no special case. The pad covers all rounding. */
static bool meets_box(const segment *s, const node *n)
{
    double c[3], e[3], h[3];
    for (int a = 0; a < 3; ++a) {
        double lo = (double)n->lo[a], hi = (double)n->hi[a];
        double half = 0.5 * s->limit * s->along[a];
        h[a] = fabs(half);
        c[a] = s->from[a] + half - 0.5 * (lo + hi);
        e[a] = 0.5 * (hi - lo) + 1.0e-9 * (1.0 + fabs(lo) + fabs(hi) + fabs(s->from[a]));
        if (fabs(c[a]) > e[a] + h[a])
            return false;
    }
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double way = fabs(c[b] * s->along[d] - c[d] * s->along[b]);
        if (way > e[b] * fabs(s->along[d]) + e[d] * fabs(s->along[b]))
            return false;
    }
    return true;
}

/* The crossing is inside when the volumes that the segment spans with the three edges have one
 * sign. Neighbours compute the volume of a shared edge from the same corners, with opposite
 * signs. So a segment can miss both only by rounding, which the tolerance covers. */
static bool crosses_face(const segment *s, const face *f, double *t)
{
    double n[3], r[3][3], volume[3], c[3];
    normal_of(f, n);
    double fall = qv_dot(n, s->along);
    if (fall == 0.0)
        return false;
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            r[i][a] = (double)f->corner[i][a] - s->from[a];
    *t = qv_dot(n, r[0]) / fall;
    if (!(*t >= 0.0 && *t <= 1.0))
        return false;
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        qv_cross(r[(i + 1) % 3], r[(i + 2) % 3], c);
        volume[i] = qv_dot(c, s->along);
        sum += volume[i];
    }
    for (int i = 0; i < 3; ++i)
        if (!(volume[i] / sum >= -EDGE_TOLERANCE))
            return false;
    return true;
}

static const face *first_in_leaf(const quality_truth *truth, const node *n, segment *s,
                                 const face *best)
{
    for (uint32_t i = n->first; i < n->first + n->count; ++i) {
        const face *f = &truth->faces[i];
        double t;
        if (crosses_face(s, f, &t) &&
            (best == NULL || t < s->limit || (t == s->limit && f->index < best->index))) {
            s->limit = t;
            best = f;
        }
    }
    return best;
}

bool quality_truth_segment(const quality_truth *truth, const double from[3], const double to[3],
                           quality_hit *hit)
{
    segment s = {.limit = 1.0};
    qv_copy(s.from, from);
    qv_sub(to, from, s.along);
    const face *best = NULL;
    uint32_t stack[DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const node *n = &truth->nodes[at];
        if (!meets_box(&s, n))
            continue;
        if (n->count > 0) {
            best = first_in_leaf(truth, n, &s, best);
        } else {
            stack[depth++] = n->first;
            stack[depth++] = at + 1;
        }
    }
    if (!best)
        return false;
    normal_of(best, hit->normal);
    hit->back_face = qv_dot(hit->normal, s.along) > 0.0;
    double length = hit->back_face ? -qv_length(hit->normal) : qv_length(hit->normal);
    for (int a = 0; a < 3; ++a)
        hit->normal[a] /= length;
    hit->t = s.limit;
    hit->triangle = best->index;
    return true;
}

/* --- Distances ----------------------------------------------------------------------------- */

static double edge_distance2(const double a[3], const double b[3], const double p[3])
{
    double e[3], d[3];
    qv_sub(b, a, e);
    qv_sub(p, a, d);
    double length2 = qv_dot(e, e);
    double s = length2 > 0.0 ? qv_min(qv_max(qv_dot(d, e) / length2, 0.0), 1.0) : 0.0;
    qv_mad(d, -s, e, d);
    return qv_dot(d, d);
}

/* If the point is over the face, the distance to its plane; else that to its nearest edge. */
static double face_distance2(const face *f, const double p[3])
{
    double n[3], corner[3][3], best = INFINITY;
    bool over = true;
    normal_of(f, n);
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            corner[i][a] = (double)f->corner[i][a];
    for (int i = 0; i < 3; ++i) {
        double e[3], d[3], c[3];
        qv_sub(corner[(i + 1) % 3], corner[i], e);
        qv_sub(p, corner[i], d);
        qv_cross(e, d, c);
        over = over && qv_dot(c, n) >= 0.0;
        best = qv_min(best, edge_distance2(corner[i], corner[(i + 1) % 3], p));
    }
    if (over) {
        double d[3];
        qv_sub(p, corner[0], d);
        double height = qv_dot(d, n);
        best = qv_min(best, height * height / qv_dot(n, n));
    }
    return best;
}

static double box_distance2(const node *n, const double p[3])
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) {
        double out = qv_max(qv_max((double)n->lo[a] - p[a], p[a] - (double)n->hi[a]), 0.0);
        sum += out * out;
    }
    return sum;
}

double quality_truth_distance(const quality_truth *truth, const double point[3], double limit)
{
    double best = limit * limit;
    uint32_t stack[DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const node *n = &truth->nodes[at];
        if (!(box_distance2(n, point) < best))
            continue;
        if (n->count == 0) {
            uint32_t near = at + 1, far = n->first;
            if (box_distance2(&truth->nodes[far], point) <
                box_distance2(&truth->nodes[near], point)) {
                near = n->first;
                far = at + 1;
            }
            stack[depth++] = far;
            stack[depth++] = near;
            continue;
        }
        for (uint32_t i = n->first; i < n->first + n->count; ++i)
            best = qv_min(best, face_distance2(&truth->faces[i], point));
    }
    return sqrt(best);
}
