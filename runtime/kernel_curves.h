/* kernel_curves.h - values that follow curves over life: sizes and colours in steps, angles and
 * pictures in outputs. Included by kernel_body.h. */
#ifndef RICO_KERNEL_CURVES_H
#define RICO_KERNEL_CURVES_H

#include "kernel_lanes.h"

#include "quads.h"

_Static_assert(RICO__TABLE_SIZE == 128, "simd.h: vi_table");

typedef struct look {
    vf size, size_change;
    vi color;
} look;

#if RICO_TABLES_IN_REGISTERS
/* Three tables fill 24 of 32 registers. Changes have a table of their own: to take entry i + 1
 * instead would cost as many permutes, and would need a 129th entry in the end. */
typedef struct looks {
    vi_table size, size_change, color;
} looks;

ALWAYS_INLINE looks looks_of(const rico__tables *tables)
{
    return (looks){vi_table_of(tables->size), vi_table_of(tables->size_change),
                   vi_table_of(tables->color)};
}

ALWAYS_INLINE look look_at(const looks *l, vi index)
{
    return (look){(vf)vi_table_get(&l->size, index), (vf)vi_table_get(&l->size_change, index),
                  vi_table_get(&l->color, index)};
}
#else
typedef struct looks {
    const float (*rows)[4];
} looks;

ALWAYS_INLINE looks looks_of(const rico__tables *tables)
{
    return (looks){tables->rows};
}

ALWAYS_INLINE look look_at(const looks *l, vi index)
{
    vf column[4];
    vf_get_quads(l->rows, index, column);
    return (look){column[0], column[1], (vi)column[2]};
}
#endif

static void curves(const float *age, const float *life, uint32_t count,
                   const rico__tables *tables, float *size, uint32_t *color)
{
    const looks all = looks_of(tables);
    vf scale = vf_set((float)RICO__TABLE_SIZE), top = vf_set((float)(RICO__TABLE_SIZE - 1));
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf entry = vf_load(age + i) / vf_load(life + i) * scale;
        entry = vf_max(entry, vf_set(0.0f));
        vi index = vf_to_int(vf_min(entry, top));
        const look one = look_at(&all, index);
        if (size != NULL) {
            vf part = vf_min(entry, scale) - vi_to_float(index);
            vf_store(size + i, one.size + one.size_change * part);
        }
        if (color != NULL)
            vi_store((int32_t *)(void *)(color + i), one.color);
    }
}

ALWAYS_INLINE vf curve_at(const rico__keys *keys, vf x)
{
    const vf zero = vf_set(0.0f);
    vi key = vi_set(0);
    for (uint32_t k = 1; k < keys->count; ++k)
        key = vi_select(vf_ge(x, vf_set(keys->from[k])), vi_set((int32_t)k), key);
    vf s = vf_max(x - vf_pick8(keys->from, key), zero) * vf_pick8(keys->rate, key);
    vf y = vf_pick8(keys->b[1], key) + s * vf_pick8(keys->b[2], key);
    y = vf_pick8(keys->b[0], key) + s * y;
    y = vf_pick8(keys->a, key) + s * y;
    return vf_max(vf_min(y, vf_pick8(keys->hi, key)), vf_pick8(keys->lo, key));
}

ALWAYS_INLINE vf less_whole_turns(vf angle)
{
    const vf whole_turn = vf_set(RICO__WHOLE_TURN), most = vf_set(1.0e9f);
    vf turns = angle * vf_set(1.0f / RICO__WHOLE_TURN);
    vf whole = vi_to_float(vf_to_int(vf_max(vf_min(turns, most), -most)));
    whole = vf_select(vf_lt(turns, whole), whole - vf_set(1.0f), whole);
    angle = angle - whole * whole_turn;
    return vf_max(vf_min(angle, whole_turn), vf_set(0.0f));
}

ALWAYS_INLINE void fetch_next(const rico__packed_from *from, const float *stream, uint32_t i)
{
    fetch_line(stream + from->ahead + i, from->ahead_near);
}

ALWAYS_INLINE bool begins_line_ahead(const rico__packed_from *from, uint32_t i)
{
    return from->ahead != 0 && i % 16 < RICO_LANES;
}

static void turn(const rico__packed_from *from, uint32_t count, const rico__turning *t,
                 float *angle)
{
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        if (begins_line_ahead(from, i)) {
            fetch_next(from, from->age, i);
            fetch_next(from, from->life, i);
        }
        vf now = vf_load(from->age + i);
        vf a = t->begun ? vf_load(angle + i) : vf_set(t->start) + vf_set(t->spin) * now;
        if (t->over_life.count > 0)
            a = a + curve_at(&t->over_life, now / vf_load(from->life + i));
        vf_store(angle + i, t->wraps ? less_whole_turns(a) : a);
    }
}

static void follow(const rico__packed_from *from, uint32_t count, const rico__keys *keys,
                   float *values)
{
    for (uint32_t i = 0; i < count; i += RICO_LANES)
        vf_store(values + i, vf_load(values + i) + curve_at(keys, vf_load(from->age + i) /
                                                                      vf_load(from->life + i)));
}

#endif
