/* mesh_builder.h - closed bodies for generated meshes: scene_io's own, and the scenes of
 * bench_quality.
 *
 * Owner: a builder lives on its creator's stack; rio_builder_take moves the arrays out. After an
 * allocation has failed, every call does nothing and take reports the failure. Every body is
 * closed and counter-clockwise seen from outside. Numbers come from +, -, *, /, sqrt and hashes
 * only, so that the bits are the same on every machine.
 */
#ifndef RIO_MESH_BUILDER_H
#define RIO_MESH_BUILDER_H

#include "mesh_file.h"

#include <stdbool.h>

typedef struct rio_builder {
    float *positions, *colors;
    uint32_t *indices;
    uint32_t vertex_count, triangle_count;
    uint32_t vertex_capacity, triangle_capacity;
    bool failed;
    float color[3];   /* of the triangles that follow */
    rico_vec3 origin; /* of the bodies that follow, with their turn about z */
    float turn_cos, turn_sin;
} rio_builder;

typedef struct rio_point2 {
    float x, z;
} rio_point2;

/* 24 random bits as [0, 1), a pure function of its arguments. */
static inline float rio_random(uint64_t seed, uint32_t a, uint32_t b)
{
    uint64_t h = seed + 0x9e3779b97f4a7c15ULL * (((uint64_t)a << 32 | b) + 1u);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    return (float)((h ^ (h >> 31)) >> 40) * 0x1p-24f;
}

static inline float rio_random_range(uint64_t seed, uint32_t a, uint32_t b, float lo, float hi)
{
    return lo + (hi - lo) * rio_random(seed, a, b);
}

/* Cosine and sine of an angle given in turns. */
void rio_turn(float turns, float *cosine, float *sine);

/* Smooth noise in -1..1, one feature per unit. */
float rio_noise(uint64_t seed, float x, float y, float z);

rio_builder rio_builder_begin(void);
rico_result rio_builder_take(rio_builder *b, rio_mesh *out);

void rio_builder_color(rio_builder *b, float red, float green, float blue);
/* Sets the colour, made brighter or darker by up to `amount` (0.1 = 10 %). */
void rio_builder_tint(rio_builder *b, const float color[3], uint64_t seed, uint32_t index,
                      float amount);
void rio_builder_place(rio_builder *b, float x, float y, float z, float turns);

uint32_t rio_builder_vertex(rio_builder *b, float x, float y, float z);
void rio_builder_triangle(rio_builder *b, uint32_t i, uint32_t j, uint32_t k);
void rio_builder_quad(rio_builder *b, uint32_t i, uint32_t j, uint32_t k, uint32_t l);

void rio_builder_box(rio_builder *b, float x0, float y0, float z0, float x1, float y1,
                     float z1);

/* Body of revolution about z. The profile's x is the radius, and z rises. The profile starts and
 * ends on the axis (x = 0), which closes the body. */
void rio_builder_lathe(rio_builder *b, const rio_point2 *profile, uint32_t count,
                       uint32_t segments);

/* Fills the space between two polylines of count points in the x-z plane, lower and upper, both
 * with growing x, from y0 to y1. For arches, stairs and gables. */
void rio_builder_strip(rio_builder *b, const rio_point2 *lower, const rio_point2 *upper,
                       uint32_t count, float y0, float y1);

/* A ball of 20 * 4^level triangles with bumps of `rough` times its radii. */
void rio_builder_blob(rio_builder *b, rico_vec3 center, rico_vec3 radii, uint32_t level,
                      float rough, uint64_t seed);

/* A bent sheet with a thickness along z. point gives the upper side for u, v in 0..1. It must be
 * right-handed: u x v points up. */
typedef rico_vec3 rio_sheet_fn(const void *context, float u, float v);
void rio_builder_sheet(rio_builder *b, rio_sheet_fn *point, const void *context,
                       uint32_t columns, uint32_t rows, float thickness);

#endif
