/* volume_body.h - keys of boxes and triangles, written once.
 *
 * Included by volume_<isa>.c, which defines RICO_LANES, KERNEL(name) and KERNEL_ISA before.
 *
 * Rounding: a number's place relative to the centre is off by a few 2^-24 of the distance and
 * size of the node or bundle that it is in. Boxes and corners are given room of 2^-20 of these.
 * That also covers the matrix in floats and the sums over axes, which err by a few 2^-24 of the
 * same terms. What is left are relative errors of a few 2^-24 in lengths, for which keys are
 * lowered by a share of 2^-18.
 */
#ifndef RICO_VOLUME_BODY_H
#define RICO_VOLUME_BODY_H

#include "simd.h"
#include "slab.h"
#include "vec.h"
#include "volume.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define PAD (1.0f / 1048576.0f)
#define LESS (1.0f - 1.0f / 262144.0f)
#define MORE (1.0f / 262144.0f)
#define NEVER 3.0e38f /* above every limit, also after LESS */

/* What each lane has, relative to the probe's centre: a box, and for triangles their
 * corners. */
typedef struct lanes {
    vf middle[3], half[3]; /* of boxes */
    vf corner[3][3];       /* by corner and axis */
    vf error[3];           /* of corners */
    /* Boxes in the grid's space, except that `rounding` is in the unit sphere's. */
    vf box_half[3], slab[3], rise, rounding[3];
} lanes;

/* Where numbers are: from + number * step, with room for rounding. */
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

/* --- bounds --- */

/* The square of the distance from a place to the boxes. outside: the vector from the place to
 * the box. */
ALWAYS_INLINE vf outside_of(const lanes *l, const vf place[3], vf outside[3])
{
    vf square = vf_set(0.0f);
    for (int i = 0; i < 3; ++i) {
        vf from = l->middle[i] - place[i];
        vf apart = vf_max(vf_abs(from) - l->half[i], vf_set(0.0f));
        outside[i] = vf_select(vf_lt(from, vf_set(0.0f)), -apart, apart);
        square = square + apart * apart;
    }
    return square;
}

/* The least of direction . p over the corners of each lane. */
ALWAYS_INLINE vf least_corner(const lanes *l, const vf direction[3])
{
    const vf *d = direction;
    vf slack = vf_set(0.0f), at[3];
    for (int i = 0; i < 3; ++i)
        slack = vf_mad_loose(vf_abs(d[i]), l->error[i], slack);
    for (int j = 0; j < 3; ++j) {
        const vf *p = l->corner[j];
        at[j] = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
    }
    return vf_min(vf_min(at[0], at[1]), at[2]) - slack;
}

/* The same over boxes, cut by their slabs. The part of the direction that is against a slab's
 * normal is bounded by the slab, the rest by the box. Any share from 0 on gives a bound, so the
 * rounding of the share does not matter. */
ALWAYS_INLINE vf least_in_box(const rico__probe *probe, const lanes *l, const vf direction[3])
{
    const vf *d = direction, zero = vf_set(0.0f);
    vf along[3], against = zero, box = zero, cut = zero, rounding = zero;
    for (int k = 0; k < 3; ++k) {
        along[k] = vf_set(probe->matrix[0][k]) * d[0] + vf_set(probe->matrix[1][k]) * d[1] +
                   vf_set(probe->matrix[2][k]) * d[2];
        against = against - along[k] * l->slab[k];
        box = vf_mad_loose(vf_abs(along[k]), l->box_half[k], box);
        rounding = vf_mad_loose(vf_abs(d[k]), l->rounding[k], rounding);
    }
    vf share = vf_max(against, zero) * vf_set(1.0f / (RICO_SLAB_UNIT * RICO_SLAB_UNIT));
    for (int k = 0; k < 3; ++k) {
        vf rest = vf_mad_loose(share, l->slab[k], along[k]);
        cut = vf_mad_loose(vf_abs(rest), l->box_half[k], cut);
    }
    cut = cut * vf_set(1.0f + 2.0f * PAD) + share * l->rise;
    return d[0] * l->middle[0] + d[1] * l->middle[1] + d[2] * l->middle[2] -
           (vf_min(box, cut) + rounding);
}

ALWAYS_INLINE vf least_along(const rico__probe *probe, const lanes *l, const vf direction[3],
                             bool corners)
{
    return corners ? least_corner(l, direction) : least_in_box(probe, l, direction);
}

/* Distances from the centre. A triangle, or what a slab leaves of a box, lies on the far side
 * of a plane at right angles to the line to its box. That is a tighter bound than the box's. */
ALWAYS_INLINE vf distance_bound(const rico__probe *probe, const lanes *l, bool corners)
{
    const vf zero = vf_set(0.0f), here[3] = {zero, zero, zero};
    vf outside[3], square = outside_of(l, here, outside), distance = vf_sqrt(square);
    if (corners || probe->sweeps) {
        vm apart = vf_gt(square, vf_set(1.0e-30f));
        vf plane =
            least_along(probe, l, outside, corners) / vf_select(apart, distance, vf_set(1.0f));
        distance = vf_select(apart, vf_max(distance, plane), distance);
    }
    return distance * vf_set(LESS);
}

/* When the cube around the unit sphere meets the boxes. */
ALWAYS_INLINE vf cube_bound(const rico__probe *probe, const lanes *l)
{
    vf enter = vf_set(0.0f), leave = vf_set(NEVER);
    for (int i = 0; i < 3; ++i) {
        vf ahead = l->middle[i] * vf_set(probe->way[i] < 0.0f ? -1.0f : 1.0f);
        vf reach = l->half[i] + vf_set(1.0f + MORE), inverse = vf_set(probe->inverse[i]);
        enter = vf_max((ahead - reach) * inverse, enter);
        leave = vf_min((ahead + reach) * inverse, leave);
    }
    return vf_select(vf_le(enter * vf_set(LESS), leave), enter, vf_set(NEVER));
}

/* Where on its way the unit sphere touches a point or, if it does not, is nearest to it. */
ALWAYS_INLINE vf contact_guess(const vf p[3], const vf way[3], vf limit)
{
    const vf zero = vf_set(0.0f);
    vf along = p[0] * way[0] + p[1] * way[1] + p[2] * way[2];
    vf cx = p[1] * way[2] - p[2] * way[1];
    vf cy = p[2] * way[0] - p[0] * way[2];
    vf cz = p[0] * way[1] - p[1] * way[0];
    vf under = vf_set(1.0f) - (cx * cx + cy * cy + cz * cz);
    return vf_max(vf_min(along - vf_sqrt(vf_max(under, zero)), limit), zero);
}

/* The corner that is first along a direction. */
ALWAYS_INLINE void first_corner(const lanes *l, const vf direction[3], vf out[3])
{
    const vf *d = direction, *p = l->corner[0];
    vf least = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
    for (int i = 0; i < 3; ++i)
        out[i] = p[i];
    for (int j = 1; j < 3; ++j) {
        p = l->corner[j];
        vf at = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
        vm less = vf_lt(at, least);
        least = vf_min(at, least);
        for (int i = 0; i < 3; ++i)
            out[i] = vf_select(less, p[i], out[i]);
    }
}

/* Where the sphere about touches what is in the lane, or passes it: the vector from its centre
 * to the point of contact; returns the square of that vector. For a box the point is the
 * nearest one, for a triangle the first corner, as seen from the sphere after it moved by
 * `from`. */
ALWAYS_INLINE vf contact_normal(const lanes *l, const vf way[3], vf from, vf limit,
                                bool corners, vf normal[3])
{
    vf point[3], center[3];
    for (int i = 0; i < 3; ++i)
        center[i] = vf_min(from, limit) * way[i];
    if (corners) {
        for (int i = 0; i < 3; ++i)
            normal[i] = l->middle[i] - center[i];
        first_corner(l, normal, point);
    } else {
        outside_of(l, center, normal);
        for (int i = 0; i < 3; ++i)
            point[i] = center[i] + normal[i];
    }
    vf when = contact_guess(point, way, limit);
    for (int i = 0; i < 3; ++i) {
        center[i] = when * way[i];
        normal[i] = point[i] - center[i];
    }
    if (!corners)
        return outside_of(l, center, normal);
    return normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
}

/* When the unit sphere meets a plane before what is in the lane. The plane is at right angles
 * to the vector from the sphere to its contact. Any plane gives a bound; that one is off to
 * second order only. From a plane that it moves along or away from, the sphere is either apart
 * for all time or not known to be. */
ALWAYS_INLINE vf plane_bound(const rico__probe *probe, const lanes *l, const vf way[3], vf from,
                             vf limit, bool corners)
{
    const vf zero = vf_set(0.0f);
    vf normal[3], length = vf_sqrt(contact_normal(l, way, from, limit, corners, normal));
    vf closing = normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2];
    /* An error of closing moves the plane by its product with the way, up to the limit. */
    vf wide = vf_set(1.0f + MORE) + limit * vf_set(PAD);
    vf clear = least_along(probe, l, normal, corners) - length * wide;
    vm closes = vf_gt(closing, zero);
    vf bound = clear / vf_select(closes, closing, vf_set(1.0f));
    vf apart = vf_select(vf_gt(clear, zero), vf_set(NEVER), zero);
    return vf_max(vf_select(closes, bound, apart), zero);
}

/* The larger of two bounds: one for far boxes, one for boxes at the contact. What the sphere
 * touches at the start has the key of its distance. With a limit below 0 only that key is
 * wanted. */
ALWAYS_INLINE vf sweep_keys(const rico__probe *probe, const lanes *l, float from, bool corners)
{
    const vf way[3] = {vf_set(probe->way[0]), vf_set(probe->way[1]), vf_set(probe->way[2])};
    const vf touch = vf_set(1.0f + MORE), limit = vf_set(float_max(probe->limit, 0.0f));
    if (probe->limit < 0.0f)
        return distance_bound(probe, l, corners) - touch;
    vf enter = cube_bound(probe, l);
    vf seen = corners ? vf_set(float_max(from, 0.0f)) : enter;
    vf keys = vf_max(enter, plane_bound(probe, l, way, seen, limit, corners)) * vf_set(LESS);
    vf touching = distance_bound(probe, l, corners) - touch;
    return vf_select(vf_le(touching, vf_set(0.0f)), touching, keys);
}

ALWAYS_INLINE uint32_t store_keys(const rico__probe *probe, const lanes *l, float from,
                                  bool corners, float *key)
{
    vf keys =
        probe->sweeps ? sweep_keys(probe, l, from, corners) : distance_bound(probe, l, corners);
    vf_store(key, keys);
    return vm_bits(vf_le(keys, vf_set(probe->limit))) & ((1u << RICO_LANES) - 1u);
}

/* --- boxes --- */

/* Transforms boxes to the space of the unit sphere. */
ALWAYS_INLINE void transform_boxes(lanes *l, const rico__probe *probe, const number_frame *f,
                                   const vf middle[3], const vf half[3])
{
    for (int i = 0; i < 3; ++i) {
        const float *m = probe->matrix[i];
        float rounding = 0.0f;
        l->middle[i] =
            vf_set(m[0]) * middle[0] + vf_set(m[1]) * middle[1] + vf_set(m[2]) * middle[2];
        l->half[i] = vf_set(__builtin_fabsf(m[0])) * half[0] +
                     vf_set(__builtin_fabsf(m[1])) * half[1] +
                     vf_set(__builtin_fabsf(m[2])) * half[2];
        for (int k = 0; k < 3; ++k)
            rounding += __builtin_fabsf(m[k]) * f->pad[k];
        l->rounding[i] = vf_set(rounding);
    }
}

ALWAYS_INLINE vf bytes_of(const uint8_t *from)
{
    return vi_to_float(vi_load_u8(from));
}

ALWAYS_INLINE void take_boxes(lanes *l, const rico__probe *probe, const number_frame *f,
                              const rico__node *node, uint32_t c)
{
    vf middle[3], half[3], radius = vf_set(0.0f);
    for (uint32_t k = 0; k < 3; ++k) {
        vf lo = bytes_of(&node->box[k][c]), hi = bytes_of(&node->box[k + 3][c]);
        vf half_step = vf_set(0.5f * f->step[k]), size = (hi - lo) * half_step;
        middle[k] = vf_mad_loose(lo + hi, half_step, vf_set(f->from[k]));
        half[k] = size + vf_set(f->pad[k]);
        l->slab[k] = bytes_of(rico__slab_row(node, k) + c) - vf_set((float)RICO_SLAB_ZERO);
        radius = vf_mad_loose(vf_abs(l->slab[k]), size, radius);
        l->box_half[k] = half[k];
        l->middle[k] = middle[k];
        l->half[k] = half[k];
    }
    l->rise =
        radius * (bytes_of(rico__slab_row(node, 3) + c) * vf_set(1.0f / 127.5f) - vf_set(1.0f));
    if (probe->sweeps)
        transform_boxes(l, probe, f, middle, half);
}

static uint32_t boxes(const rico__probe *probe, const rico__node *node, float key[RICO_FAN])
{
    number_frame f = frame_of(probe, node->base, node->scale, 255.0f);
    uint32_t met = 0;
    for (uint32_t c = 0; c < RICO_FAN; c += RICO_LANES) {
        lanes l;
        take_boxes(&l, probe, &f, node, c);
        met |= store_keys(probe, &l, 0.0f, false, key + c) << c;
    }
    return met & ((2u << (node->count - 1)) - 1u);
}

/* --- triangles --- */

/* The triangles, and the boxes around them where the keys are made. Numbers are rounded:
 * corners are within a step of them. */
ALWAYS_INLINE void take_triangles(lanes *l, const rico__probe *probe, const number_frame *f,
                                  const rico__bundle *b, uint32_t count, uint32_t c)
{
    for (uint32_t j = 0; j < 3; ++j) {
        vf p[3];
        for (uint32_t k = 0; k < 3; ++k)
            p[k] = vf_mad_loose(vf_load_u16(rico__bundle_row(b, count, 3 * j + k) + c),
                                vf_set(f->step[k]), vf_set(f->from[k]));
        for (int i = 0; i < 3; ++i) {
            const float *m = probe->matrix[i];
            l->corner[j][i] =
                probe->sweeps ? vf_set(m[0]) * p[0] + vf_set(m[1]) * p[1] + vf_set(m[2]) * p[2]
                              : p[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        float error = f->step[i] + f->pad[i];
        if (probe->sweeps) {
            error = 0.0f;
            for (int k = 0; k < 3; ++k)
                error += __builtin_fabsf(probe->matrix[i][k]) * (f->step[k] + f->pad[k]);
        }
        l->error[i] = vf_set(error);
        vf lo = vf_min(vf_min(l->corner[0][i], l->corner[1][i]), l->corner[2][i]);
        vf hi = vf_max(vf_max(l->corner[0][i], l->corner[1][i]), l->corner[2][i]);
        l->middle[i] = (lo + hi) * vf_set(0.5f);
        l->half[i] = (hi - lo) * vf_set(0.5f) + l->error[i];
    }
}

/* A plane before a whole bundle, in the grid's space. A triangle that has all corners beyond
 * it, by their numbers, is met too late. */
typedef struct bundle_plane {
    float rate[3]; /* of normal . corner, by number */
    float beyond;
} bundle_plane;

/* Where the sphere touches a point on its way up to `end` or, if it does not, is nearest to it.
 * ahead: of the point along the way. square: of its distance from the start. */
static inline double place_at(double ahead, double square, double end)
{
    double under = 1.0 - (square - ahead * ahead);
    double place = ahead - __builtin_sqrt(under > 0.0 ? under : 0.0);
    place = place < end ? place : end;
    return place > 0.0 ? place : 0.0;
}

/* Makes the plane at right angles to the vector from the sphere to the bundle's middle, at the
 * place where the sphere meets that, passes it, or ends. For patches that are small beside the
 * sphere this is nearly as good as a plane for each triangle. The plane holds the sphere up if
 * it does at both ends of the way. In double, because a metric squares what an ellipsoid's axes
 * differ by. */
static inline bundle_plane plane_before(const rico__probe *probe, const rico__bundle *b)
{
    double end = probe->limit > 0.0f ? (double)probe->limit : 0.0;
    double corner[3], middle[3], along[3], ahead = 0.0, square = 0.0;
    double closing = 0.0, from = 0.0, slack = 0.0;
    bundle_plane plane;
    for (int k = 0; k < 3; ++k) {
        corner[k] = (double)b->base[k] - probe->center[k];
        middle[k] = corner[k] + 32767.0 * (double)b->scale[k];
        ahead += middle[k] * probe->lift[k];
    }
    for (int k = 0; k < 3; ++k) {
        const double *m = probe->metric[k];
        along[k] = m[0] * middle[0] + m[1] * middle[1] + m[2] * middle[2];
        square += along[k] * middle[k];
    }
    double place = place_at(ahead, square, end);
    square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double numbers = 65536.0 * (double)b->scale[k];
        along[k] -= place * probe->lift[k];
        square += along[k] * (middle[k] - place * probe->advance[k]);
        closing += along[k] * probe->advance[k];
        from += along[k] * corner[k];
        slack += probe->stretch[k] *
                 ((double)b->scale[k] + (__builtin_fabs(corner[k]) + numbers) * (double)PAD);
        plane.rate[k] = (float)(along[k] * (double)b->scale[k]);
    }
    double radius = 1.0 + (double)MORE + end * (double)PAD;
    radius += probe->limit < 0.0f ? (double)probe->limit : 0.0;
    double apart = __builtin_sqrt(square) * (radius + slack);
    plane.beyond = (float)(apart - from + (closing > 0.0 ? closing * end : 0.0));
    return plane;
}

/* The triangles that are not beyond the plane. */
ALWAYS_INLINE uint32_t not_beyond(const bundle_plane *plane, const rico__bundle *b,
                                  uint32_t count, uint32_t c)
{
    vf least = vf_set(NEVER);
    for (uint32_t j = 0; j < 3; ++j) {
        vf at = vf_set(0.0f);
        for (uint32_t k = 0; k < 3; ++k)
            at = vf_mad_loose(vf_load_u16(rico__bundle_row(b, count, 3 * j + k) + c),
                              vf_set(plane->rate[k]), at);
        least = vf_min(at, least);
    }
    return ~vm_bits(vf_gt(least, vf_set(plane->beyond))) & ((1u << RICO_LANES) - 1u);
}

static uint32_t triangles(const rico__probe *probe, const rico__bundle *bundle, uint32_t count,
                          float from, float key[RICO_FAN])
{
    uint32_t met = 0, left = (2u << (count - 1)) - 1u;
    if (probe->sweeps) {
        bundle_plane plane = plane_before(probe, bundle);
        uint32_t near = 0;
        for (uint32_t c = 0; c < count; c += RICO_LANES)
            near |= not_beyond(&plane, bundle, count, c) << c;
        left &= near;
        if (left == 0)
            return 0;
    }
    number_frame f = frame_of(probe, bundle->base, bundle->scale, 65536.0f);
    for (uint32_t c = 0; c < count; c += RICO_LANES) {
        lanes l;
        if ((left >> c & ((1u << RICO_LANES) - 1u)) == 0)
            continue;
        take_triangles(&l, probe, &f, bundle, count, c);
        met |= store_keys(probe, &l, from, true, key + c) << c;
    }
    return met & left;
}

const rico__volume_kernel KERNEL(rico__volume) = {KERNEL_ISA, boxes, triangles};

#endif
