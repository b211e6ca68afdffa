/* triangle.h - the triangles of a scene, one of them, and its exact overlap with a box. */
#ifndef RICO_TRIANGLE_H
#define RICO_TRIANGLE_H

#include <ricochet/scene_query.h>

#include <string.h>

/* A corner as placed, kept once for all triangles of a collider that have the same corner, bit
 * for bit. It has the number of the collider, so that no hit has to search for it. */
typedef struct rico__vertex {
    float at[3];       /* finite, at most 1e6 m */
    uint32_t collider; /* slot + 1 */
} rico__vertex;

/* A face. There are fewer than 3 x 2^27 vertices, so the top two bits of a corner are free. */
typedef struct rico__face {
    uint32_t corner[3]; /* a, b, c in vertices; the first has RICO_FACE_FLAT */
    uint32_t triangle;  /* index in its mesh; RICO_NO_TRIANGLE = a hole */
} rico__face;

/* The face of a triangle among those of its mesh, which are in the order of triangles. */
static inline uint32_t rico__face_find(const rico__face *faces, uint32_t count,
                                       uint32_t triangle)
{
    uint32_t first = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        bool beyond = faces[first + half].triangle <= triangle;
        first += beyond ? half : 0;
        count = beyond ? count - half : half;
    }
    return first;
}

_Static_assert(sizeof(rico__vertex) == 16, "a vertex is in one cache line");
_Static_assert(sizeof(rico__face) == 16, "a face is in one cache line");

#define RICO_FACE_FLAT 0x80000000u /* has no normal, see ray_triangle.h */
#define RICO_FACE_CORNER 0x3fffffffu

/* The two arrays of triangles. Faces are ordered by (collider slot, triangle in mesh). A
 * triangle's id is its face's index, so comparing ids is comparing (collider, triangle).
 * Vertices are in the order in which faces first use them; every vertex is used.
 * Owner: a part (part.h). Threads: immutable between edits. */
typedef struct rico__triangles {
    const rico__vertex *vertices;
    const rico__face *faces;
} rico__triangles;

/* One triangle with all its data. */
typedef struct rico__triangle {
    float v[9]; /* a, b, c as placed */
    uint32_t collider;
    uint32_t triangle;
    uint32_t flat; /* 1 = has no normal */
} rico__triangle;

/* Corner j of a face. */
static inline const rico__vertex *rico__face_vertex(const rico__triangles *triangles,
                                                    const rico__face *face, uint32_t j)
{
    return &triangles->vertices[face->corner[j] & RICO_FACE_CORNER];
}

static inline rico__triangle rico__triangle_at(const rico__triangles *triangles, uint32_t id)
{
    const rico__face *face = &triangles->faces[id];
    rico__triangle triangle = {.triangle = face->triangle, .flat = face->corner[0] >> 31};
    for (uint32_t j = 0; j < 3; ++j) {
        const rico__vertex *vertex = rico__face_vertex(triangles, face, j);
        memcpy(triangle.v + 3 * j, vertex->at, sizeof vertex->at);
        triangle.collider = vertex->collider;
    }
    return triangle;
}

/* True when the triangle and the closed box have a point in common, by the separating axis
 * theorem: 3 box faces, the triangle's plane and 9 edge pairs (Akenine-Moeller 2001), in
 * double. Rounding (under 1e-12 of the numbers that enter) counts as touching, so that a
 * triangle that touches exactly is never missed. The box is finite, lo <= hi. */
bool rico__corners_touch_box(const float *const corner[3], const rico_box *box);
bool rico__triangle_touches_box(const rico__triangle *triangle, const rico_box *box);

rico_box rico__triangle_bounds(const rico__triangle *triangle);

#endif
