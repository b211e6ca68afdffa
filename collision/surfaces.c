/* Puts triangles of one plane together.
 *
 * A group's plane is that of its first triangle whose plane is certain over the box. Triangles
 * that are too small or thin for that join a group that they fit. Otherwise they begin one when
 * all others are placed. Nothing is allocated and the number of groups is bounded, so each
 * triangle looks at no more than RICO_SURFACES_MAX planes.
 *
 * While the call works, the `collider` of a placed triangle holds where it goes; its group
 * knows the collider. Triangles without a group are moved to the end first, and keep theirs. */
#include "check.h"
#include "float_mode.h"
#include "vec.h"

#include <ricochet/scene_query.h>
#include <string.h>

#define PLACED 0x80000000u /* colliders' slots are below */

enum { CLIP_MAX = 9 }; /* a triangle cut by six planes */

typedef struct clipped {
    double p[CLIP_MAX + 1][3];
    uint32_t count;
} clipped;

typedef struct plane64 {
    double normal[3], offset;
    bool certain; /* to within a quarter of the flatness, over the box */
} plane64;

typedef struct plane_group {
    double normal[3], offset;
    uint32_t collider;
    uint32_t first; /* its first triangle, by the given index */
    uint32_t count;
    uint16_t surface;
    uint16_t at; /* place in the answer */
    bool flat;   /* its triangles have no area and so no plane */
} plane_group;

typedef struct grouping {
    const rico_box *box;
    double flatness;
    rico_triangle *triangles;
    uint32_t count, group_count;
    bool full; /* more than RICO_SURFACES_MAX */
    plane_group groups[RICO_SURFACES_MAX];
} grouping;

static const float *corner_of(const rico_triangle *t, uint32_t j)
{
    return j == 0 ? &t->a.x : j == 1 ? &t->b.x : &t->c.x;
}

/* --- planes --- */

/* Rounding moves corners by 2^-24 of their coordinates. Over the box it moves the plane by that
 * times the ratio of the box's reach to the triangle's height. */
static plane64 plane_of(const grouping *g, const rico_triangle *t)
{
    double u[3], v[3], n[3], size = 0.0, reach = 0.0, longest = 0.0;
    plane64 plane = {{0.0, 0.0, 0.0}, 0.0, true};
    for (int k = 0; k < 3; ++k) {
        double a = (double)(&t->a.x)[k];
        u[k] = (double)(&t->b.x)[k] - a;
        v[k] = (double)(&t->c.x)[k] - a;
        double lo = (double)(&g->box->lo.x)[k], hi = (double)(&g->box->hi.x)[k];
        double across = u[k] - v[k];
        size += __builtin_fabs(a) + __builtin_fabs(u[k]) + __builtin_fabs(v[k]);
        reach += hi - lo;
        longest += u[k] * u[k] + v[k] * v[k] + across * across;
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    double length = __builtin_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0))
        return plane;
    for (int k = 0; k < 3; ++k) {
        plane.normal[k] = n[k] / length;
        plane.offset += plane.normal[k] * (double)(&t->a.x)[k];
    }
    double height = length / __builtin_sqrt(longest);
    plane.certain = size * 0x1p-24 * (reach + height) <= 0.25 * g->flatness * height;
    return plane;
}

static double height_over(const double normal[3], double offset, const double p[3])
{
    return normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2] - offset;
}

/* --- the part in the box --- */

/* Keeps the part on the inner side of one face of the box: sign * p[axis] <= bound. */
static void cut(clipped *polygon, int axis, double sign, double bound)
{
    double out[CLIP_MAX + 1][3];
    uint32_t count = 0;
    /* A convex polygon gets one corner more at most, but this one is rounded. */
    for (uint32_t i = 0; i < polygon->count && count < CLIP_MAX; ++i) {
        const double *p = polygon->p[i], *q = polygon->p[(i + 1) % polygon->count];
        double at = sign * p[axis] - bound, next = sign * q[axis] - bound;
        if (at <= 0.0)
            memcpy(out[count++], p, sizeof out[0]);
        if ((at < 0.0 && next > 0.0) || (at > 0.0 && next < 0.0)) {
            double s = at / (at - next);
            for (int k = 0; k < 3; ++k)
                out[count][k] = p[k] + (q[k] - p[k]) * s;
            out[count++][axis] = sign * bound;
        }
    }
    memcpy(polygon->p, out, count * sizeof out[0]);
    polygon->count = count;
}

/* The triangle's part in the box. Where rounding leaves none: its corners, moved into the
 * box. */
static void part_of(const rico_box *box, const rico_triangle *t, clipped *part)
{
    part->count = 3;
    for (uint32_t j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            part->p[j][k] = (double)corner_of(t, j)[k];
    for (int k = 0; k < 3; ++k) {
        cut(part, k, -1.0, -(double)(&box->lo.x)[k]);
        cut(part, k, 1.0, (double)(&box->hi.x)[k]);
    }
    if (part->count > 0)
        return;
    part->count = 3;
    for (uint32_t j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            part->p[j][k] =
                (double)float_clamp(corner_of(t, j)[k], (&box->lo.x)[k], (&box->hi.x)[k]);
}

/* --- groups --- */

/* How far rounding may move the coordinates of a triangle's part. */
static double rounding_of(const clipped *part)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < part->count; ++i)
        for (int k = 0; k < 3; ++k) {
            double size = __builtin_fabs(part->p[i][k]);
            largest = size > largest ? size : largest;
        }
    return largest * 0x1p-22;
}

static bool fits(const grouping *g, const plane_group *group, const plane64 *plane,
                 const clipped *part)
{
    const double *n = group->normal, *m = plane->normal;
    if (!(n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > 0.0))
        return false;
    double slack = g->flatness + rounding_of(part);
    for (uint32_t i = 0; i < part->count; ++i)
        if (!(__builtin_fabs(height_over(n, group->offset, part->p[i])) <= slack))
            return false;
    return true;
}

/* The first group that a triangle fits; RICO_SURFACES_MAX = none. */
static uint32_t find_group(const grouping *g, uint32_t collider, uint16_t surface, bool flat,
                           const plane64 *plane, const clipped *part)
{
    for (uint32_t i = 0; i < g->group_count; ++i) {
        const plane_group *group = &g->groups[i];
        if (group->collider != collider || group->surface != surface || group->flat != flat)
            continue;
        if (flat || fits(g, group, plane, part))
            return i;
    }
    return RICO_SURFACES_MAX;
}

static uint32_t begin_group(grouping *g, uint32_t collider, uint16_t surface, bool flat,
                            const plane64 *plane)
{
    if (g->group_count == RICO_SURFACES_MAX) {
        g->full = true;
        return RICO_SURFACES_MAX;
    }
    plane_group *group = &g->groups[g->group_count];
    *group = (plane_group){.offset = plane->offset,
                           .collider = collider,
                           .first = UINT32_MAX,
                           .surface = surface,
                           .flat = flat};
    memcpy(group->normal, plane->normal, sizeof group->normal);
    return g->group_count++;
}

/* Places the triangles whose plane is certain, or all that are left. */
static void place_all(grouping *g, const rico_scene *scene, bool certain)
{
    for (uint32_t i = 0; i < g->count; ++i) {
        rico_triangle *t = &g->triangles[i];
        if ((t->collider & PLACED) != 0)
            continue;
        plane64 plane = plane_of(g, t);
        if (certain && !plane.certain)
            continue;
        clipped part;
        uint16_t surface = rico_scene_surface_number(scene, t->collider, t->triangle);
        const double *n = plane.normal;
        bool flat = n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0;
        part_of(g->box, t, &part);
        uint32_t at = find_group(g, t->collider, surface, flat, &plane, &part);
        if (at == RICO_SURFACES_MAX)
            at = begin_group(g, t->collider, surface, flat, &plane);
        if (at == RICO_SURFACES_MAX)
            continue;
        plane_group *group = &g->groups[at];
        group->first = i < group->first ? i : group->first;
        group->count += 1;
        t->collider = PLACED | at;
    }
}

/* --- the answer --- */

/* Orders groups by their first triangles: order[n] is the n-th. A heap would not pay for so
 * few. */
static void order_groups(const grouping *g, uint16_t order[RICO_SURFACES_MAX])
{
    for (uint32_t i = 0; i < g->group_count; ++i) {
        uint32_t at = i;
        for (; at > 0 && g->groups[order[at - 1]].first > g->groups[i].first; --at)
            order[at] = order[at - 1];
        order[at] = (uint16_t)i;
    }
}

static void reverse(rico_triangle *t, uint32_t first, uint32_t end)
{
    while (first + 1 < end) {
        rico_triangle swapped = t[first];
        t[first++] = t[--end];
        t[end] = swapped;
    }
}

/* Moves placed triangles to the front, stably and in place. It does so in each half, then swaps
 * the two middle parts by rotation. Returns how many are placed. Depth: the logarithm of
 * count. */
static uint32_t part_placed(rico_triangle *t, uint32_t count)
{
    if (count <= 1)
        return count == 1 && (t[0].collider & PLACED) != 0;
    uint32_t half = count / 2;
    uint32_t left = part_placed(t, half), right = part_placed(t + half, count - half);
    if (left < half && right > 0) {
        reverse(t, left, half);
        reverse(t, half, half + right);
        reverse(t, left, half + right);
    }
    return left + right;
}

/* Moves each triangle to the place that its collider holds, in cycles. */
static void permute(rico_triangle *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t to = t[i].collider & ~PLACED; to != i; to = t[i].collider & ~PLACED) {
            rico_triangle moved = t[to];
            t[to] = t[i];
            t[i] = moved;
        }
}

/* Replaces the group in each triangle of a surface by the triangle's place: groups in order,
 * triangles in each as they are. Triangles of groups beyond `kept` become free again. */
static uint32_t give_places(grouping *g, const uint16_t order[RICO_SURFACES_MAX], uint32_t kept,
                            rico_surface *surfaces)
{
    uint32_t sum = 0;
    for (uint32_t n = 0; n < g->group_count; ++n) {
        plane_group *group = &g->groups[order[n]];
        group->at = (uint16_t)n;
        if (n >= kept)
            continue;
        rico_surface *s = &surfaces[n];
        *s = (rico_surface){
            .plane = {.normal = vec3((float)group->normal[0], (float)group->normal[1],
                                     (float)group->normal[2]),
                      .offset = (float)group->offset},
            .first = sum,
            .collider = group->collider,
            .surface = group->surface};
        sum += group->count;
    }
    for (uint32_t i = 0; i < g->count; ++i) {
        rico_triangle *t = &g->triangles[i];
        if ((t->collider & PLACED) == 0)
            continue;
        const plane_group *group = &g->groups[t->collider & ~PLACED];
        t->collider = group->at < kept ? PLACED | group->at : group->collider;
    }
    uint32_t placed = part_placed(g->triangles, g->count);
    for (uint32_t i = 0; i < placed; ++i) {
        rico_surface *s = &surfaces[g->triangles[i].collider & ~PLACED];
        g->triangles[i].collider = PLACED | (s->first + s->count++);
    }
    return placed;
}

/* Restores the colliders of a surface's triangles, and sets the box around their parts in the
 * box. */
static void finish_surface(const grouping *g, rico_surface *s)
{
    double lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = __builtin_inf();
        hi[k] = -__builtin_inf();
    }
    for (uint32_t i = s->first; i < s->first + s->count; ++i) {
        clipped part;
        g->triangles[i].collider = s->collider;
        part_of(g->box, &g->triangles[i], &part);
        for (uint32_t n = 0; n < part.count; ++n)
            for (int k = 0; k < 3; ++k) {
                lo[k] = part.p[n][k] < lo[k] ? part.p[n][k] : lo[k];
                hi[k] = part.p[n][k] > hi[k] ? part.p[n][k] : hi[k];
            }
    }
    s->box.lo = vec3((float)lo[0], (float)lo[1], (float)lo[2]);
    s->box.hi = vec3((float)hi[0], (float)hi[1], (float)hi[2]);
}

static bool box_is_valid(const rico_box *b)
{
    return vec3_is_finite(b->lo) && vec3_is_finite(b->hi) && b->lo.x <= b->hi.x &&
           b->lo.y <= b->hi.y && b->lo.z <= b->hi.z;
}

uint32_t rico_scene_surfaces(const rico_scene *scene, const rico_box *box, float flatness,
                             rico_triangle *triangles, uint32_t count, rico_surface *surfaces,
                             uint32_t capacity)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && box != NULL && (count == 0 || triangles != NULL) &&
                      (capacity == 0 || surfaces != NULL)))
        return 0;
    if (!box_is_valid(box) || !(flatness >= 0.0f && flatness <= 0.1f) || count >= PLACED)
        return 0;
    grouping g;
    uint16_t order[RICO_SURFACES_MAX];
    g.box = box;
    g.flatness = (double)flatness;
    g.triangles = triangles;
    g.count = count;
    g.group_count = 0;
    g.full = false;
    place_all(&g, scene, true);
    place_all(&g, scene, false);
    order_groups(&g, order);
    uint32_t kept = g.group_count < capacity ? g.group_count : capacity;
    uint32_t placed = give_places(&g, order, kept, surfaces);
    permute(triangles, placed);
    for (uint32_t n = 0; n < kept; ++n)
        finish_surface(&g, &surfaces[n]);
    return g.group_count + g.full;
}
