/* runtime_lanes.h - blocks of particles as kernels see them, filled with ordinary or with
 * hostile numbers. */
#ifndef RUNTIME_LANES_H
#define RUNTIME_LANES_H

#include "curve.h"
#include "own_plane.h"
#include "runtime_numbers.h"

#define CAPACITY RICO__MAX_BLOCK
#define STRIDE (CAPACITY + 16)
#define FIELDS (FIELD_UNTIL + 1)

typedef struct lanes {
    float field[FIELDS][STRIDE]; /* as in a block */
    rico__palette palette;
    rico__masks masks;
    float time[CAPACITY + 16], speed[CAPACITY + 16], into[CAPACITY + 16];
    rico__tables tables;
    float size[CAPACITY + 16];
    uint32_t color[CAPACITY + 16];
} lanes;

/* Hostile velocities are finite, or NaN. */
static inline float hostile_number(uint32_t field, uint32_t i, uint32_t use)
{
    float number = hostile(i, use);
    bool infinite = number == INFINITY || number == -INFINITY;
    return infinite && field >= FIELD_VX && field <= FIELD_VZ ? 3.4e38f : number;
}

static inline void fill(lanes *l, uint32_t round, bool nasty)
{
    memset(l, 0, sizeof *l);
    for (uint32_t f = 0; f < FIELDS; ++f)
        for (uint32_t i = 0; i < CAPACITY + 16; ++i) {
            uint32_t use = round * 32 + f;
            l->field[f][i] =
                nasty ? hostile_number(f, i, use) : rico__random_range(5, i, use, -3.0f, 3.0f);
        }
    for (uint32_t i = 0; i < CAPACITY + 16 && !nasty; ++i) {
        l->field[6][i] = rico__random_unit(5, i, 900 + round);        /* age */
        l->field[7][i] = 0.5f + rico__random_unit(5, i, 950 + round); /* life */
        rico_plane near = {{0.0f, 0.6f, 0.8f}, rico__random_range(5, i, 970, -1.0f, 1.0f)};
        float clearance = rico__random_range(5, i, 1030 + round, -0.2f, 0.6f);
        rico__watch(&l->field[0][i], STRIDE, near,
                    clearance < -0.1f ? RICO__SURE : rico__known_clearance(clearance));
        l->field[FIELD_UNTIL][i] = rico__random_range(5, i, 980 + round, 0.0f, 1.5f);
    }
    for (uint32_t i = 0; i < RICO__PALETTE_SIZE; ++i) { /* unit normals, mostly up */
        float tilt = rico__random_range(5, i, 1080 + round, -1.0f, 1.0f);
        l->palette.x[i] = 0.6f * tilt;
        l->palette.z[i] = sqrtf(1.0f - 0.36f * tilt * tilt);
        l->palette.level = RICO__NOT_LEVEL;
        l->palette.offset[i] = rico__random_range(5, i, 1090 + round, -1.0f, 1.0f);
    }
    l->palette.single = false;
    l->palette.count = 1 + round % RICO_MAX_PLANES;
    for (uint32_t i = 0; i < RICO__TABLE_SIZE; ++i) {
        l->tables.size[i] = rico__random_unit(5, i, 1100 + round);
        l->tables.size_change[i] = rico__random_range(5, i, 1120 + round, -1.0f, 1.0f);
        l->tables.color[i] = rico__random_u32(5, i, 1150 + round);
    }
    rico__lay_rows(&l->tables);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        if ((round / 8 + w) % 2 == 0)
            l->masks.asleep[w] = rico__mix64(round * 8 + w) & rico__mix64(round + w);
        l->masks.rebound[w] = rico__mix64(round * 8 + w + 4);
    }
}

static inline rico__streams streams_of(lanes *l)
{
    return (rico__streams){.px = l->field[0],
                           .py = l->field[1],
                           .pz = l->field[2],
                           .vx = l->field[3],
                           .vy = l->field[4],
                           .vz = l->field[5],
                           .age = l->field[6],
                           .life = l->field[7],
                           .nxy = l->field[FIELD_NXY],
                           .nz_known = l->field[FIELD_NZ_KNOWN],
                           .nd = l->field[FIELD_ND],
                           .until = l->field[FIELD_UNTIL],
                           .palette = &l->palette,
                           .ahead = l->field[0],
                           .ahead_floats = CAPACITY,
                           .ahead_near = l->palette.single,
                           .ahead_count = FIELDS,
                           .ahead_stride = STRIDE};
}

#endif
