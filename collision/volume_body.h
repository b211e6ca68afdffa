/* volume_body.h - keys of boxes, written once.
 *
 * Included by volume_<isa>.c, which defines RICO_LANES, KERNEL(name) and KERNEL_ISA before.
 *
 * Rounding. A box's middle, relative to the centre, is off by a few 2^-24 of the distance and
 * size of the node that it is in: half sizes grow by 2^-20 of them. That also covers the matrix
 * in floats and the sums over axes, which err by a few 2^-24 of the same terms. What is left are
 * relative errors of a few 2^-24 in lengths, for which keys are lowered by a share of 2^-18.
 */
#ifndef RICO_VOLUME_BODY_H
#define RICO_VOLUME_BODY_H

#include "simd.h"
#include "volume.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define PAD (1.0f / 1048576.0f)
#define LESS (1.0f - 1.0f / 262144.0f)
#define MORE (1.0f / 262144.0f)

/* Boxes relative to the probe's centre, in the grid's space. */
typedef struct box_lanes {
    vf middle[3], half[3];
} box_lanes;

/* A frame of numbers: value = from + number * step. */
typedef struct number_frame {
    float from[3], step[3], pad[3];
} number_frame;

static number_frame frame_of(const rico__probe *probe, const float base[3],
                             const float scale[3], float numbers)
{
    number_frame f;
    for (int k = 0; k < 3; ++k) {
        f.from[k] = (float)((double)base[k] - probe->center[k]);
        f.step[k] = scale[k];
        f.pad[k] = (__builtin_fabsf(f.from[k]) + numbers * scale[k]) * PAD;
    }
    return f;
}

/* Half the sum and half the difference of the numbers lo and hi. */
ALWAYS_INLINE void take_axis(box_lanes *b, const number_frame *f, int k, vf lo, vf hi)
{
    vf half_step = vf_set(0.5f * f->step[k]);
    b->middle[k] = vf_mad_loose(lo + hi, half_step, vf_set(f->from[k]));
    b->half[k] = vf_mad_loose(hi - lo, half_step, vf_set(f->pad[k]));
}

ALWAYS_INLINE vf square_outside(vf middle, vf half)
{
    vf outside = vf_max(vf_abs(middle) - half, vf_set(0.0f));
    return outside * outside;
}

ALWAYS_INLINE vf ball_keys(const box_lanes *b)
{
    vf square = square_outside(b->middle[0], b->half[0]) +
                square_outside(b->middle[1], b->half[1]) +
                square_outside(b->middle[2], b->half[2]);
    return vf_sqrt(square) * vf_set(LESS);
}

/* Two bounds of the way: the unit cube's against the box, and the unit sphere's against the
 * sphere around the box; the box is the better one for large flat ones, the sphere for all that
 * is small. Never is a key above every limit. */
ALWAYS_INLINE vf sweep_keys(const rico__probe *probe, const box_lanes *b)
{
    const vf zero = vf_set(0.0f), never = vf_set(3.0e38f);
    vf y[3], e[3], way[3], enter = zero, leave = never;
    vf outside = zero, y2 = zero, e2 = zero, along = zero;
    for (int i = 0; i < 3; ++i) {
        y[i] = e[i] = zero;
        for (int j = 0; j < 3; ++j) {
            float m = probe->matrix[i][j];
            y[i] = vf_mad_loose(vf_set(m), b->middle[j], y[i]);
            e[i] = vf_mad_loose(vf_set(__builtin_fabsf(m)), b->half[j], e[i]);
        }
        float sign = probe->way[i] < 0.0f ? -1.0f : 1.0f;
        vf ahead = y[i] * vf_set(sign), reach = e[i] + vf_set(1.0f + MORE);
        vf inverse = vf_set(probe->inverse[i]);
        enter = vf_max((ahead - reach) * inverse, enter);
        leave = vf_min((ahead + reach) * inverse, leave);
        outside = outside + square_outside(y[i], e[i]);
        way[i] = vf_set(probe->way[i]);
        y2 = vf_mad_loose(y[i], y[i], y2);
        e2 = vf_mad_loose(e[i], e[i], e2);
        along = vf_mad_loose(y[i], way[i], along);
    }
    vf cx = y[1] * way[2] - y[2] * way[1];
    vf cy = y[2] * way[0] - y[0] * way[2];
    vf cz = y[0] * way[1] - y[1] * way[0];
    vf radius = vf_sqrt(e2) * vf_set(1.0f + MORE) + vf_set(1.0f + MORE);
    vf under = radius * radius - (cx * cx + cy * cy + cz * cz);
    vf root = vf_sqrt(vf_max(under, zero));
    vf ahead = y2 - radius * radius, sum = along + root;
    vf sphere = ahead / vf_select(vf_gt(sum, zero), sum, vf_set(1.0f));
    vm starts = vf_le(ahead, zero);
    vm meets = vm_or(starts, vm_and(vf_ge(under, zero), vf_gt(sum, zero)));
    meets = vm_and(meets, vf_le(enter * vf_set(LESS), leave));
    vf moved = vf_max(vf_select(starts, zero, sphere), enter) * vf_set(LESS);
    vf distance = vf_sqrt(outside) * vf_set(LESS);
    vf touching = distance - vf_set(1.0f + MORE);
    return vf_select(vf_le(touching, zero), touching, vf_select(meets, moved, never));
}

ALWAYS_INLINE uint32_t keys_of(const rico__probe *probe, const box_lanes *b, float *key)
{
    vf keys = probe->sweeps ? sweep_keys(probe, b) : ball_keys(b);
    vf_store(key, keys);
    return vm_bits(vf_le(keys, vf_set(probe->limit))) & ((1u << RICO_LANES) - 1u);
}

static uint32_t boxes(const rico__probe *probe, const rico__node *node, float key[RICO_FAN])
{
    number_frame f = frame_of(probe, node->base, node->scale, 255.0f);
    uint32_t met = 0;
    for (uint32_t c = 0; c < RICO_FAN; c += RICO_LANES) {
        box_lanes b;
        for (int k = 0; k < 3; ++k)
            take_axis(&b, &f, k, vi_to_float(vi_load_u8(&node->box[k][c])),
                      vi_to_float(vi_load_u8(&node->box[k + 3][c])));
        met |= keys_of(probe, &b, key + c) << c;
    }
    return met & ((2u << (node->count - 1)) - 1u);
}

/* Numbers of axis k of corner j of a bundle, lanes from c on. */
ALWAYS_INLINE vf corner_numbers(const rico__bundle *b, uint32_t count, uint32_t c, uint32_t j,
                                int k)
{
    uint32_t row = 2 * j + (k == 2);
    vi words = vi_load((const int32_t *)(b->rows + row * count + c));
    return vi_to_float(k == 1 ? (vi)((vu)words >> 16) : words & vi_set(0xffff));
}

/* Boxes around triangles, a step larger than their numbers: those are rounded. */
static uint32_t triangles(const rico__probe *probe, const rico__bundle *bundle, uint32_t count,
                          float key[RICO_FAN])
{
    number_frame f = frame_of(probe, bundle->base, bundle->scale, 65536.0f);
    uint32_t met = 0;
    for (uint32_t c = 0; c < count; c += RICO_LANES) {
        box_lanes b;
        for (int k = 0; k < 3; ++k) {
            vf p = corner_numbers(bundle, count, c, 0, k);
            vf q = corner_numbers(bundle, count, c, 1, k);
            vf r = corner_numbers(bundle, count, c, 2, k), one = vf_set(1.0f);
            take_axis(&b, &f, k, vf_min(vf_min(p, q), r) - one, vf_max(vf_max(p, q), r) + one);
        }
        met |= keys_of(probe, &b, key + c) << c;
    }
    return met & ((2u << (count - 1)) - 1u);
}

const rico__volume_kernel KERNEL(rico__volume) = {KERNEL_ISA, boxes, triangles};

#endif
