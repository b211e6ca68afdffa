/* vec.h - arithmetic on rico_vec3, rico_quat, rico_transform.
 *
 * The source of each function states its order of operations. With contraction off, that order
 * determines the result on every compiler and ISA.
 */
#ifndef RICO_VEC_H
#define RICO_VEC_H

#include <ricochet/types.h>

static inline rico_vec3 vec3(float x, float y, float z)
{
    rico_vec3 v = {x, y, z};
    return v;
}

static inline rico_vec3 vec3_add(rico_vec3 a, rico_vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline rico_vec3 vec3_sub(rico_vec3 a, rico_vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline rico_vec3 vec3_scale(rico_vec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

/* a + b * s */
static inline rico_vec3 vec3_mad(rico_vec3 a, rico_vec3 b, float s)
{
    return vec3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline rico_vec3 vec3_neg(rico_vec3 a)
{
    return vec3(-a.x, -a.y, -a.z);
}

static inline float vec3_dot(rico_vec3 a, rico_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rico_vec3 vec3_cross(rico_vec3 a, rico_vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float vec3_length(rico_vec3 a)
{
    return __builtin_sqrtf(vec3_dot(a, a));
}

/* (0, 0, 1) for a vector too short to have a direction. */
static inline rico_vec3 vec3_normalize(rico_vec3 a)
{
    float length = vec3_length(a);
    return length > 1.0e-20f ? vec3_scale(a, 1.0f / length) : vec3(0.0f, 0.0f, 1.0f);
}

static inline float float_min(float a, float b)
{
    return a < b ? a : b;
}

static inline float float_max(float a, float b)
{
    return a > b ? a : b;
}

/* NaN gives lo. */
static inline float float_clamp(float x, float lo, float hi)
{
    return float_min(float_max(x, lo), hi);
}

static inline rico_vec3 vec3_min(rico_vec3 a, rico_vec3 b)
{
    return vec3(float_min(a.x, b.x), float_min(a.y, b.y), float_min(a.z, b.z));
}

static inline rico_vec3 vec3_max(rico_vec3 a, rico_vec3 b)
{
    return vec3(float_max(a.x, b.x), float_max(a.y, b.y), float_max(a.z, b.z));
}

/* False for NaN and infinities. */
static inline bool float_is_finite(float x)
{
    return x - x == 0.0f;
}

static inline bool vec3_is_finite(rico_vec3 a)
{
    return float_is_finite(a.x) && float_is_finite(a.y) && float_is_finite(a.z);
}

/* The axes x and y that go with the unit vector z. Source: Duff and others, Building an
 * Orthonormal Basis, Revisited, JCGT 2017. */
static inline void vec3_axes(rico_vec3 z, rico_vec3 *x, rico_vec3 *y)
{
    float sign = z.z < 0.0f ? -1.0f : 1.0f;
    float a = -1.0f / (sign + z.z), b = z.x * z.y * a;
    *x = vec3(1.0f + sign * z.x * z.x * a, sign * b, -sign * z.x);
    *y = vec3(b, sign + z.y * z.y * a, -z.y);
}

/* q is a unit quaternion. */
static inline rico_vec3 quat_rotate(rico_quat q, rico_vec3 v)
{
    rico_vec3 u = vec3(q.x, q.y, q.z);
    rico_vec3 t = vec3_scale(vec3_cross(u, v), 2.0f);
    return vec3_add(vec3_mad(v, t, q.w), vec3_cross(u, t));
}

static inline rico_vec3 transform_point(const rico_transform *t, rico_vec3 p)
{
    return vec3_add(vec3_scale(quat_rotate(t->rotation, p), t->scale), t->position);
}

/* Directions are rotated, not scaled. */
static inline rico_vec3 transform_direction(const rico_transform *t, rico_vec3 v)
{
    return quat_rotate(t->rotation, v);
}

static inline float float_mix(float a, float b, float f)
{
    return a + (b - a) * f;
}

/* Mixes two rotations by the shorter way round. Its speed is not even, so it is for small
 * turns. */
static inline rico_quat quat_mix(rico_quat a, rico_quat b, float f)
{
    float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
    rico_quat q = {float_mix(a.x, b.x * sign, f), float_mix(a.y, b.y * sign, f),
                   float_mix(a.z, b.z * sign, f), float_mix(a.w, b.w * sign, f)};
    float scale = 1.0f / __builtin_sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (rico_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

/* The transform at the fraction f of the way from a to b. */
static inline rico_transform transform_mix(const rico_transform *a, const rico_transform *b,
                                           float f)
{
    return (rico_transform){vec3_mad(a->position, vec3_sub(b->position, a->position), f),
                            quat_mix(a->rotation, b->rotation, f),
                            float_mix(a->scale, b->scale, f)};
}

static inline bool boxes_meet(const rico_box *a, const rico_box *b)
{
    return a->lo.x <= b->hi.x && a->hi.x >= b->lo.x && a->lo.y <= b->hi.y &&
           a->hi.y >= b->lo.y && a->lo.z <= b->hi.z && a->hi.z >= b->lo.z;
}

/* The smallest box around both. */
static inline rico_box boxes_join(const rico_box *a, const rico_box *b)
{
    return (rico_box){vec3_min(a->lo, b->lo), vec3_max(a->hi, b->hi)};
}

/* A box that reaches `by` from a point, or from the path between two points, along each
 * axis. */
static inline rico_box box_around(rico_vec3 p, float by)
{
    const rico_vec3 around = {by, by, by};
    return (rico_box){vec3_sub(p, around), vec3_add(p, around)};
}

static inline rico_box box_along(rico_vec3 from, rico_vec3 to, float by)
{
    const rico_vec3 around = {by, by, by};
    return (rico_box){vec3_sub(vec3_min(from, to), around),
                      vec3_add(vec3_max(from, to), around)};
}

static inline bool box_contains(const rico_box *box, rico_vec3 p)
{
    return p.x >= box->lo.x && p.x <= box->hi.x && p.y >= box->lo.y && p.y <= box->hi.y &&
           p.z >= box->lo.z && p.z <= box->hi.z;
}

/* True when the length is 1 within 1e-3. False for NaN. */
static inline bool quat_is_unit(rico_quat q)
{
    float length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return (length2 > 0.998f) & (length2 < 1.002f);
}

/* True when the position is finite, the rotation a unit quaternion, and 0 < scale <= 1e6.
 * limit.h says what is wrong with an invalid one. */
static inline bool transform_is_valid(const rico_transform *t)
{
    return vec3_is_finite(t->position) && quat_is_unit(t->rotation) && t->scale > 0.0f &&
           t->scale <= 1.0e6f;
}

#endif
