/* float_bvh.c - a tree split at the mean of the centres, stack traversal, Möller-Trumbore. */
#include "float_bvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_TRIANGLES = 4, STACK_NODES = 64 };

typedef struct corner3 {
    float a[3], e1[3], e2[3];
    uint32_t index;
} corner3;

/* count > 0: triangles first..first+count; 0: children are this + 1 and first. */
typedef struct node {
    float lo[3], hi[3];
    uint32_t first, count;
} node;

struct rio_bvh {
    corner3 *triangles;
    node *nodes;
    uint32_t node_count;
};

static float center(const corner3 *t, int axis)
{
    return t->a[axis] + (t->e1[axis] + t->e2[axis]) * (1.0f / 3.0f);
}

/* fminf and fmaxf are calls into libm because of their promises about NaN; these are inlined. */
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

/* Moves the triangles whose centres are below the middle of all centres to the front and returns
 * their number. If that would put all on one side, it returns half of them. */
static uint32_t split(corner3 *t, uint32_t count)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < count; i++) {
            lo[k] = lesser(lo[k], center(&t[i], k));
            hi[k] = greater(hi[k], center(&t[i], k));
        }
        if (hi[k] - lo[k] > hi[axis] - lo[axis])
            axis = k;
    }
    float middle = lo[axis] + (hi[axis] - lo[axis]) * 0.5f;
    uint32_t front = 0;
    for (uint32_t i = 0; i < count; i++)
        if (center(&t[i], axis) < middle) {
            corner3 swap = t[i];
            t[i] = t[front];
            t[front++] = swap;
        }
    return front > 0 && front < count ? front : count / 2;
}

static void bound(const corner3 *t, uint32_t count, float lo[3], float hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            float p[3] = {t[i].a[k], t[i].a[k] + t[i].e1[k], t[i].a[k] + t[i].e2[k]};
            for (int c = 0; c < 3; c++) {
                lo[k] = lesser(lo[k], p[c]);
                hi[k] = greater(hi[k], p[c]);
            }
        }
    for (int k = 0; k < 3; k++) {
        /* Rounding of a + e and of the slab test. */
        float pad = 1.0e-6f * (fabsf(lo[k]) + fabsf(hi[k])) + 1.0e-6f;
        lo[k] -= pad;
        hi[k] += pad;
    }
}

/* Splits can be uneven. At the depth of the stack the rest becomes one leaf, so the stack never
 * overflows. */
static uint32_t build(rio_bvh *bvh, uint32_t first, uint32_t count, uint32_t depth)
{
    uint32_t at = bvh->node_count++;
    node *n = &bvh->nodes[at];
    bound(bvh->triangles + first, count, n->lo, n->hi);
    n->first = first;
    n->count = count;
    if (count <= LEAF_TRIANGLES || depth + 1 >= STACK_NODES)
        return at;
    uint32_t front = split(bvh->triangles + first, count);
    build(bvh, first, front, depth + 1);
    uint32_t right = build(bvh, first + front, count - front, depth + 1);
    bvh->nodes[at].first = right;
    bvh->nodes[at].count = 0;
    return at;
}

static uint32_t collect(const rico_mesh *mesh, corner3 *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *v = mesh->indices + (size_t)i * 3;
        if (v[0] >= mesh->vertex_count || v[1] >= mesh->vertex_count ||
            v[2] >= mesh->vertex_count)
            continue;
        corner3 *t = &out[count];
        float sum = 0.0f;
        for (int k = 0; k < 3; k++) {
            t->a[k] = mesh->positions[(size_t)v[0] * 3 + (size_t)k];
            t->e1[k] = mesh->positions[(size_t)v[1] * 3 + (size_t)k] - t->a[k];
            t->e2[k] = mesh->positions[(size_t)v[2] * 3 + (size_t)k] - t->a[k];
            sum += fabsf(t->a[k]) + fabsf(t->e1[k]) + fabsf(t->e2[k]);
        }
        t->index = i;
        count += isfinite(sum) ? 1u : 0u;
    }
    return count;
}

rico_result rio_bvh_create(const rico_mesh *mesh, rio_bvh **out)
{
    *out = NULL;
    size_t capacity = (size_t)mesh->triangle_count + 1;
    rio_bvh *bvh = calloc(1, sizeof *bvh);
    if (bvh == NULL)
        return RICO_OUT_OF_MEMORY;
    bvh->triangles = malloc(capacity * sizeof(corner3));
    bvh->nodes = malloc(capacity * 2 * sizeof(node));
    if (bvh->triangles == NULL || bvh->nodes == NULL) {
        rio_bvh_destroy(bvh);
        return RICO_OUT_OF_MEMORY;
    }
    uint32_t count = collect(mesh, bvh->triangles);
    if (count == 0) {
        rio_bvh_destroy(bvh);
        return RICO_EMPTY_MESH;
    }
    build(bvh, 0, count, 0);
    *out = bvh;
    return RICO_OK;
}

void rio_bvh_destroy(rio_bvh *bvh)
{
    if (bvh == NULL)
        return;
    free(bvh->triangles);
    free(bvh->nodes);
    free(bvh);
}

/* Entry distance, or infinity when the ray misses the box or enters beyond t_max. */
static inline float enter(const node *n, const float o[3], const float inverse[3], float t_max)
{
    float near = 0.0f, far = t_max;
    for (int k = 0; k < 3; k++) {
        float t0 = (n->lo[k] - o[k]) * inverse[k], t1 = (n->hi[k] - o[k]) * inverse[k];
        near = greater(near, lesser(t0, t1));
        far = lesser(far, greater(t0, t1));
    }
    return near <= far ? near : INFINITY;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool meet(const corner3 *t, const float o[3], const float d[3], float *t_hit)
{
    float p[3], q[3], s[3];
    cross(d, t->e2, p);
    float det = dot(t->e1, p);
    if (det == 0.0f)
        return false;
    float inverse = 1.0f / det;
    for (int k = 0; k < 3; k++)
        s[k] = o[k] - t->a[k];
    float u = dot(s, p) * inverse;
    cross(s, t->e1, q);
    float v = dot(d, q) * inverse;
    float distance = dot(t->e2, q) * inverse;
    if (!(u >= -1.0e-6f && v >= -1.0e-6f && u + v <= 1.000002f && distance >= 0.0f))
        return false;
    *t_hit = distance;
    return true;
}

static void finish(const corner3 *t, const float d[3], rico_hit *hit)
{
    float n[3];
    cross(t->e1, t->e2, n);
    float facing = dot(n, d), length = sqrtf(dot(n, n));
    float k = (facing > 0.0f ? -1.0f : 1.0f) / (length > 0.0f ? length : 1.0f);
    hit->normal = (rico_vec3){n[0] * k, n[1] * k, n[2] * k};
    hit->back_face = facing > 0.0f;
    hit->triangle = t->index;
    hit->collider = 1;
}

static void trace(const rio_bvh *bvh, const rico_ray *ray, rico_hit *hit)
{
    const float o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const float d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    /* A tiny number replaces zero: the slabs then give huge values, never NaN. */
    float inverse[3];
    for (int k = 0; k < 3; k++)
        inverse[k] = 1.0f / (fabsf(d[k]) > 1.0e-18f ? d[k] : 1.0e-18f);
    const corner3 *best = NULL;
    uint32_t stack[STACK_NODES], depth = 0, at = 0;
    memset(hit, 0, sizeof *hit);
    hit->t = ray->t_max;
    hit->triangle = RICO_NO_TRIANGLE;
    if (enter(&bvh->nodes[0], o, inverse, hit->t) == INFINITY)
        return;
    for (;;) {
        const node *n = &bvh->nodes[at];
        hit->steps++;
        if (n->count != 0) {
            for (uint32_t i = n->first; i < n->first + n->count; i++) {
                const corner3 *t = &bvh->triangles[i];
                float distance;
                if (meet(t, o, d, &distance) &&
                    (distance < hit->t ||
                     (distance == hit->t && best != NULL && t->index < best->index))) {
                    hit->t = distance;
                    best = t;
                }
            }
        } else {
            float left = enter(&bvh->nodes[at + 1], o, inverse, hit->t);
            float right = enter(&bvh->nodes[n->first], o, inverse, hit->t);
            uint32_t nearer = left <= right ? at + 1 : n->first;
            uint32_t farther = left <= right ? n->first : at + 1;
            if (greater(left, right) != INFINITY)
                stack[depth++] = farther;
            if (lesser(left, right) != INFINITY) {
                at = nearer;
                continue;
            }
        }
        if (depth == 0)
            break;
        at = stack[--depth];
    }
    if (best != NULL)
        finish(best, d, hit);
}

void rio_bvh_cast(void *user, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        trace(user, &rays[i], &hits[i]);
}
