#include "hull.h"
#include "check.h"

#include <string.h>

#define NONE UINT32_MAX
#define GRID_BITS 29

__extension__ typedef __int128 int128;

/* A point on the grid. Coordinates have 30 bits with the sign. So differences have 31, a
 * normal's components 62, and its products with differences 94. */
typedef struct grid_point {
    int32_t at[3];
} grid_point;

typedef struct hull_face {
    uint32_t corner[3], beyond[3]; /* beyond[i]: the face across corner i to corner i + 1 */
    int64_t normal[3];             /* outwards, its length is twice the area */
    int128 height;                 /* of the highest point, times the normal's length */
    uint32_t highest, points;      /* above this face: a list through hull.next */
    bool alive, seen, queued;
} hull_face;

/* Owner: rico__hull_make. Order: a new face gets the slot that was freed last. Among points
 * that are equally high, the one that was placed first is taken. So all follows from the
 * points' order. */
typedef struct hull {
    rico__memory *memory;
    uint32_t count, face_capacity, face_count, free_count, stack_count;
    grid_point *points;
    uint32_t *next;  /* per point: the next above the same face */
    uint32_t *start; /* per point: the new face whose edge starts there; later its new number */
    hull_face *faces;
    uint32_t *freed, *stack, *seen, *added; /* slots; stack: with points to look at */
} hull;

/* Live faces are at most 2 n - 4. A point adds at most n faces before others are removed. */
static uint32_t capacity_for(uint32_t count)
{
    return 3 * count + 8;
}

static void *array_of(hull *h, uint32_t count, size_t size)
{
    return rico__memory_allocate(h->memory, count, size, RICO_CACHE_LINE);
}

static bool hull_reserve(hull *h, rico__memory *memory, uint32_t count)
{
    uint32_t most = capacity_for(count);
    *h = (hull){.memory = memory, .count = count, .face_capacity = most};
    h->points = array_of(h, count, sizeof *h->points);
    h->next = array_of(h, count, sizeof *h->next);
    h->start = array_of(h, count, sizeof *h->start);
    h->faces = array_of(h, most, sizeof *h->faces);
    h->freed = array_of(h, most, sizeof *h->freed);
    h->stack = array_of(h, most, sizeof *h->stack);
    h->seen = array_of(h, most, sizeof *h->seen);
    h->added = array_of(h, most, sizeof *h->added);
    return h->points != NULL && h->next != NULL && h->start != NULL && h->faces != NULL &&
           h->freed != NULL && h->stack != NULL && h->seen != NULL && h->added != NULL;
}

static void release_array(hull *h, void *block, uint32_t count, size_t size)
{
    rico__memory_release(h->memory, block, count, size, RICO_CACHE_LINE);
}

static void hull_release(hull *h)
{
    release_array(h, h->points, h->count, sizeof *h->points);
    release_array(h, h->next, h->count, sizeof *h->next);
    release_array(h, h->start, h->count, sizeof *h->start);
    release_array(h, h->faces, h->face_capacity, sizeof *h->faces);
    release_array(h, h->freed, h->face_capacity, sizeof *h->freed);
    release_array(h, h->stack, h->face_capacity, sizeof *h->stack);
    release_array(h, h->seen, h->face_capacity, sizeof *h->seen);
    release_array(h, h->added, h->face_capacity, sizeof *h->added);
}

/* --- exact arithmetic --- */

static void difference(const grid_point *a, const grid_point *b, int64_t out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (int64_t)b->at[k] - a->at[k];
}

static void normal_of(const hull *h, uint32_t a, uint32_t b, uint32_t c, int64_t out[3])
{
    int64_t u[3], v[3];
    difference(&h->points[a], &h->points[b], u);
    difference(&h->points[a], &h->points[c], v);
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

/* The height of p over the plane through a, times the normal's length. */
static int128 height_over(const hull *h, const int64_t normal[3], uint32_t a, uint32_t p)
{
    int64_t d[3];
    difference(&h->points[a], &h->points[p], d);
    return (int128)normal[0] * d[0] + (int128)normal[1] * d[1] + (int128)normal[2] * d[2];
}

/* --- rounding to the grid --- */

/* 2^exponent, for normal numbers. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The step of the grid. Returns 0 when the points are so near the origin that floats cannot
 * express an area. */
static double grid_step(const float *points, uint32_t count)
{
    double most = 0.0;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        double size = __builtin_fabs((double)points[i]);
        most = size > most ? size : most;
    }
    if (!(most >= 1.0e-18))
        return 0.0;
    uint64_t bits;
    memcpy(&bits, &most, sizeof bits);
    int above = (int)(bits >> 52) - 1022; /* most < 2^above */
    return power_of_two(above - GRID_BITS);
}

static void round_points(hull *h, const float *points, double step)
{
    for (uint32_t i = 0; i < h->count; ++i)
        for (int k = 0; k < 3; ++k) {
            double x = (double)points[3 * (size_t)i + (size_t)k] / step;
            h->points[i].at[k] = (int32_t)(x < 0.0 ? x - 0.5 : x + 0.5);
        }
}

/* --- the first four --- */

/* Finds the two points that are farthest apart along one axis, whichever axis gives the largest
 * distance. */
static void find_longest(const hull *h, uint32_t pair[2])
{
    int64_t longest = -1;
    for (int k = 0; k < 3; ++k) {
        uint32_t lo = 0, hi = 0;
        for (uint32_t i = 1; i < h->count; ++i) {
            lo = h->points[i].at[k] < h->points[lo].at[k] ? i : lo;
            hi = h->points[i].at[k] > h->points[hi].at[k] ? i : hi;
        }
        int64_t length = (int64_t)h->points[hi].at[k] - h->points[lo].at[k];
        if (length > longest) {
            longest = length;
            pair[0] = lo;
            pair[1] = hi;
        }
    }
}

static uint32_t farthest_from_line(const hull *h, uint32_t a, uint32_t b)
{
    uint32_t farthest = a;
    int128 most = 0;
    for (uint32_t i = 0; i < h->count; ++i) {
        int64_t n[3];
        normal_of(h, a, b, i, n);
        int128 square = (int128)n[0] * n[0] + (int128)n[1] * n[1] + (int128)n[2] * n[2];
        if (square > most) {
            most = square;
            farthest = i;
        }
    }
    return farthest;
}

/* Finds the first four. The fourth is the farthest from the plane of the first three. Returns
 * false when its distance is too small to tell with floats of the points' size. */
static bool find_first_four(const hull *h, uint32_t corner[4])
{
    find_longest(h, corner);
    corner[2] = farthest_from_line(h, corner[0], corner[1]);
    int64_t n[3];
    normal_of(h, corner[0], corner[1], corner[2], n);
    double length = 0.0;
    int128 most = 0;
    bool above = false;
    for (uint32_t i = 0; i < h->count; ++i) {
        int128 height = height_over(h, n, corner[0], i);
        int128 size = height < 0 ? -height : height;
        if (size > most) {
            most = size;
            corner[3] = i;
            above = height > 0;
        }
    }
    for (int k = 0; k < 3; ++k)
        length += (double)n[k] * (double)n[k];
    length = __builtin_sqrt(length);
    if (!((double)most > power_of_two(GRID_BITS - 22) * length))
        return false;
    if (above) {
        uint32_t swapped = corner[1];
        corner[1] = corner[2];
        corner[2] = swapped;
    }
    return true;
}

/* --- faces --- */

static uint32_t add_face(hull *h, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t slot = h->free_count > 0 ? h->freed[--h->free_count] : h->face_count++;
    RICO_ASSERT(slot < h->face_capacity);
    hull_face *face = &h->faces[slot];
    bool queued = face->queued;
    *face = (hull_face){.corner = {a, b, c},
                        .beyond = {NONE, NONE, NONE},
                        .highest = NONE,
                        .points = NONE,
                        .alive = true,
                        .queued = queued};
    normal_of(h, a, b, c, face->normal);
    return slot;
}

/* Puts the point above the first of the new faces that it is above. A point above none is
 * inside: where it sees an old face over the horizon, it also sees the new face there, whose
 * normal is between those of the two old ones. */
static void place_point(hull *h, uint32_t first, uint32_t count, uint32_t point)
{
    for (uint32_t i = first; i < first + count; ++i) {
        hull_face *face = &h->faces[h->added[i]];
        int128 height = height_over(h, face->normal, face->corner[0], point);
        if (height <= 0)
            continue;
        h->next[point] = face->points;
        face->points = point;
        if (height > face->height) {
            face->height = height;
            face->highest = point;
        }
        if (!face->queued) {
            face->queued = true;
            h->stack[h->stack_count++] = h->added[i];
        }
        return;
    }
}

static void start_with(hull *h, const uint32_t c[4])
{
    static const uint8_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint8_t beyond[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (uint32_t i = 0; i < 4; ++i) {
        h->added[i] = add_face(h, c[corners[i][0]], c[corners[i][1]], c[corners[i][2]]);
        for (uint32_t k = 0; k < 3; ++k)
            h->faces[i].beyond[k] = beyond[i][k];
    }
    for (uint32_t i = 0; i < h->count; ++i)
        place_point(h, 0, 4, i);
}

/* Lists the faces that the point is above in h->seen. They are connected. */
static uint32_t find_seen(hull *h, uint32_t first, uint32_t point)
{
    uint32_t count = 1;
    h->seen[0] = first;
    h->faces[first].seen = true;
    for (uint32_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            uint32_t slot = h->faces[h->seen[i]].beyond[k];
            hull_face *face = &h->faces[slot];
            if (face->seen || height_over(h, face->normal, face->corner[0], point) <= 0)
                continue;
            face->seen = true;
            h->seen[count++] = slot;
        }
    return count;
}

static void join(hull *h, uint32_t slot, uint32_t from, uint32_t new_slot)
{
    for (int k = 0; k < 3; ++k)
        if (h->faces[slot].beyond[k] == from)
            h->faces[slot].beyond[k] = new_slot;
}

/* Adds a new face for each edge between a seen face and one that is not seen. These edges are a
 * ring, in which each corner starts one. */
static uint32_t add_cone(hull *h, uint32_t seen_count, uint32_t point)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t old = h->seen[i], outer = h->faces[old].beyond[k];
            if (h->faces[outer].seen)
                continue;
            uint32_t a = h->faces[old].corner[k], b = h->faces[old].corner[(k + 1) % 3];
            uint32_t slot = add_face(h, a, b, point);
            h->faces[slot].beyond[0] = outer;
            join(h, outer, old, slot);
            h->start[a] = slot;
            h->added[count++] = slot;
        }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t slot = h->added[i], next = h->start[h->faces[slot].corner[1]];
        h->faces[slot].beyond[1] = next;
        h->faces[next].beyond[2] = slot;
    }
    return count;
}

static void add_point(hull *h, uint32_t face, uint32_t point)
{
    uint32_t seen_count = find_seen(h, face, point);
    uint32_t added_count = add_cone(h, seen_count, point);
    for (uint32_t i = 0; i < seen_count; ++i) {
        hull_face *old = &h->faces[h->seen[i]];
        for (uint32_t p = old->points, next; p != NONE; p = next) {
            next = h->next[p];
            place_point(h, 0, added_count, p);
        }
        old->alive = old->seen = false;
        old->points = NONE;
        h->freed[h->free_count++] = h->seen[i];
    }
}

/* --- the result --- */

static bool write_mesh(hull *h, rico__shape_mesh *mesh, double step)
{
    uint32_t face_count = 0, vertex_count = 0;
    memset(h->start, 0, h->count * sizeof *h->start);
    for (uint32_t i = 0; i < h->face_count; ++i)
        for (int k = 0; k < 3 && h->faces[i].alive; ++k) {
            face_count += k == 0;
            h->start[h->faces[i].corner[k]] = 1;
        }
    for (uint32_t i = 0; i < h->count; ++i)
        vertex_count += h->start[i];
    if (!rico__shape_mesh_reserve(mesh, h->memory, vertex_count, face_count))
        return false;
    float *position = mesh->positions;
    vertex_count = 0;
    for (uint32_t i = 0; i < h->count; ++i) {
        if (h->start[i] == 0)
            continue;
        h->start[i] = vertex_count++;
        for (int k = 0; k < 3; ++k)
            *position++ = (float)(h->points[i].at[k] * step);
    }
    uint32_t *index = mesh->indices;
    for (uint32_t i = 0; i < h->face_count; ++i)
        for (int k = 0; k < 3 && h->faces[i].alive; ++k)
            *index++ = h->start[h->faces[i].corner[k]];
    return true;
}

rico_result rico__hull_make(rico__shape_mesh *mesh, rico__memory *memory, const float *points,
                            uint32_t count)
{
    hull h;
    uint32_t corner[4] = {0, 0, 0, 0};
    *mesh = (rico__shape_mesh){.triangle_count = 0};
    double step = grid_step(points, count);
    if (step == 0.0)
        return RICO_EMPTY_MESH;
    rico_result result = RICO_OUT_OF_MEMORY;
    if (hull_reserve(&h, memory, count)) {
        round_points(&h, points, step);
        result = RICO_EMPTY_MESH;
        if (find_first_four(&h, corner)) {
            start_with(&h, corner);
            while (h.stack_count > 0) {
                uint32_t face = h.stack[--h.stack_count];
                h.faces[face].queued = false;
                if (h.faces[face].alive && h.faces[face].highest != NONE)
                    add_point(&h, face, h.faces[face].highest);
            }
            result = write_mesh(&h, mesh, step) ? RICO_OK : RICO_OUT_OF_MEMORY;
        }
    }
    hull_release(&h);
    return result;
}
