/* kernel.h - the inner loops, one implementation per ISA, all with the same bits.
 *
 * kernel_body.h holds the one source; kernel_<isa>.c compile it with another lane count.
 * Streams hold RICO__MAX_BLOCK floats at most and may be read and written up to the next
 * multiple of 16 past `count`; masks come back with no bit at or past `count`.
 */
#ifndef RICO_KERNEL_H
#define RICO_KERNEL_H

#include "cpu.h"

#include <stdint.h>

#define RICO__MAX_BLOCK 256u
#define RICO__MASK_WORDS (RICO__MAX_BLOCK / 64)

/* What one step is for all particles of a block. */
typedef struct rico__step {
    float dt;
    float gx, gy, gz;  /* gravity * dt */
    float drag_factor; /* exp(-drag * dt) */
    float radius;      /* of contact, > 0 */
    float restitution;
    float slip;                   /* 1 - friction */
    float rest_speed2;            /* squared */
    float hold_x, hold_y, hold_z; /* unit vector against gravity; zero without gravity */
    float depth;      /* behind the plane by more than this: no longer its business */
    float cell_rate;  /* cells of level 0 per metre */
    float fast_step2; /* squared length of a step that needs a ray */
} rico__step;

typedef struct rico__streams {
    float *px, *py, *pz, *vx, *vy, *vz, *age, *life;
    float *nx, *ny, *nz, *nd; /* own plane; NULL in passes without planes */
    float *clearance;         /* guard pass: metres to go with nothing but the own plane near */
    const float *ahead; /* memory that is needed next, to be fetched on the way: so many */
    uint32_t ahead_count, ahead_stride; /* streams, so many floats apart; NULL = none */
} rico__streams;

/* One bit per particle. What a pass does not name is left alone. */
typedef uint64_t rico__mask[RICO__MASK_WORDS];

typedef struct rico__masks {
    /* All passes. In and out: at rest. Out: of age, or out of the world. */
    rico__mask asleep, dead;
    /* Plane and guard pass, out: bounced off its plane. */
    rico__mask bounced;
    /* Guard pass, in: low and high bit of its cell's level. */
    rico__mask level[2];
    /* Guard pass, in and out: has bounced in clearance since its plane was chosen. */
    rico__mask rebound;
    /* Guard pass, out. hit: may touch something, and was not moved. moved: entered another cell
     * in free flight. choose: rebound, and its clearance or cell has ended. */
    rico__mask hit, moved, choose;
} rico__masks;

/* Planes with outlines, as structure of arrays. outline: nine arrays, `stride` apart: for each of
 * three edges its outward normal u, v and its reach, in 1 / RICO__OUTLINE_UNIT (record.h says
 * what u and v are). */
typedef struct rico__surfaces {
    const float *nx, *ny, *nz, *offset;
    const int16_t *outline;
    uint32_t stride, count;
} rico__surfaces;

#define RICO__OUTLINE_UNIT 16384.0f

typedef struct rico__path {
    float p[3], v[3], gravity[3];
    float radius;
} rico__path;

typedef struct rico__kernels {
    rico__isa isa;
    /* Ages, kills, moves freely. Mode none. */
    void (*move)(const rico__streams *streams, uint32_t count, const rico__step *step,
                 rico__masks *masks);
    /* The same with the plane test and the response at the time of impact. Writes time (fraction
     * of the step) and speed of impact for lanes that bounced. Modes fixed and classic. */
    void (*plane)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, float *impact_time, float *impact_speed);
    /* The same, but a lane that would cross its plane bounces only while it has clearance.
     * Otherwise, or when it moves farther than a cell, it keeps position and velocity and is
     * reported as hit. Mode cached. */
    void (*guard)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, float *impact_time, float *impact_speed);
    /* Ages and kills only. Mode exact. */
    void (*age)(const rico__streams *streams, uint32_t count, const rico__step *step,
                rico__masks *masks);
    /* When paths meet surfaces: bit i set = the path reaches the contact distance of plane i, at
     * time[i], and is then within its outline, give or take margin metres. Surfaces are
     * two-sided; count <= 32; arrays are read, and time written, up to the next multiple of 16.
     * The point must be within `half` of the origin per axis.
     * ballistic: p + v t + gravity t^2 / 2 for t in 0..horizon, in seconds.
     * straight: p + v dt t, for t in 0..1. */
    uint32_t (*ballistic)(const rico__surfaces *surfaces, const rico__path *path, float horizon,
                          float half, float margin, float *time);
    uint32_t (*straight)(const rico__surfaces *surfaces, const rico__path *path, float dt,
                         float half, float margin, float *time);
    /* index[i] = entry of a table of `entries` for age over life. */
    void (*curve_index)(const float *age, const float *life, uint32_t count, uint32_t entries,
                        int32_t *index);
} rico__kernels;

/* The kernels of rico__cpu_isa(), or the best that were built below it. */
const rico__kernels *rico__kernels_for_cpu(void);
/* NULL when that ISA was not built or the CPU lacks it. */
const rico__kernels *rico__kernels_for_isa(rico__isa isa);

#endif
