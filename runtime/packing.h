/* packing.h - records of an output: how particles are laid out in them. */
#ifndef RICO_PACKING_H
#define RICO_PACKING_H

#include <ricochet/output.h>
#include <stdbool.h>
#include <stddef.h>

/* Streams of one block. They may be read up to the next multiple of 16. */
typedef struct rico__packed_from {
    const float *px, *py, *pz, *vx, *vy, *vz, *age, *life;
    const float *size;              /* NULL = constant */
    const float *rotation;          /* NULL = none */
    const float *frame;             /* of sprites */
    const float *qx, *qy, *qz, *qw; /* of particles that roll; NULL = none */
    const uint32_t *color;
    float constant_size;
    uint32_t constant_color;
    /* Floats from here to the streams that are needed next, to be prefetched on the way; 0 =
     * none. Near: into the first cache, else into the second. */
    ptrdiff_t ahead;
    bool ahead_near;
} rico__packed_from;

/* Bounds of centres, and the largest size. */
typedef struct rico__extent {
    rico_box box;
    float size;
} rico__extent;

/* Packs the first `count` particles. `to` needs no more alignment than its members. Billboards:
 * kernel.h. */
void rico__pack_sprites(const rico__packed_from *from, uint32_t count, void *to);
void rico__pack_streaks(const rico__packed_from *from, uint32_t count, void *to);
void rico__pack_instances(const rico__packed_from *from, uint32_t count, void *to);

/* The extent of the first `count` particles, to be joined with others; count may be 0. */
rico__extent rico__extent_of(const rico__packed_from *from, uint32_t count);
void rico__extent_join(rico__extent *a, const rico__extent *b);
/* The box around the particles' whole quads. */
rico_box rico__extent_box(const rico__extent *e);

/* Depths along `forward`, from a place near the particles. Depths from the eye, which may be
 * far away, would be rounded more. */
void rico__pack_depths(const rico__packed_from *from, uint32_t count, rico_vec3 near,
                       rico_vec3 forward, float *depth);

/* Copies whole records of 24, 32 or 64 bytes, in the order of their numbers. */
void rico__pack_ordered(const void *from, const uint32_t *order, uint32_t count, size_t bytes,
                        void *to);

#endif
