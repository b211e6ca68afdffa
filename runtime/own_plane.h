/* own_plane.h - the plane that a particle watches, and what is known around it, in 12 bytes.
 *
 * Three streams: the normal's x and y, 16 bits each (in 1 / RICO__NORMAL_UNIT, as in records);
 * its z and, in the upper 16 bits, what is known of the surroundings; the offset, a float. The
 * offset belongs to the rounded normal, which is up to 3e-5 longer or shorter than 1. Code that
 * bounces a particle off the plane makes it a unit vector first.
 *
 * What is known, the upper 16 bits:
 *   0             nothing
 *   0x0001..7f7f  the upper half of a float, rounded down: clearance in metres, or after a bounce
 *                 in m/s (kernel.h); good to 1 in 128
 *   0x8000..fffe  the particle waits for the record of its cell; since when: age in 1/256 s,
 *                 modulo 128 s
 *   0xffff        RICO__SURE: it will touch the surface, and nothing more is known
 * Kernels that read the last two as a clearance get a negative number, or NaN.
 */
#ifndef RICO_OWN_PLANE_H
#define RICO_OWN_PLANE_H

#include "state.h"
#include "vec.h"

#include <string.h>

#define RICO__SURE 0xffffu

#define RICO__WAIT_CODES 0x7fffu
#define RICO__WAIT_RATE 256.0f /* per second */

/* A plane with a rounded normal. */
typedef struct rico__own_plane {
    uint32_t xy, z;
    float offset;
} rico__own_plane;

static inline uint32_t rico__rounded_component(float x)
{
    float scaled = float_clamp(x, -1.0f, 1.0f) * RICO__NORMAL_UNIT; /* NaN becomes -1 */
    return (uint16_t)(int16_t)(scaled + __builtin_copysignf(0.5f, scaled));
}

static inline rico_vec3 rico__own_normal(uint32_t xy, uint32_t z)
{
    rico_vec3 n = {(float)(int16_t)(xy & 0xffffu), (float)(int16_t)(xy >> 16),
                   (float)(int16_t)(z & 0xffffu)};
    return vec3_scale(n, 1.0f / RICO__NORMAL_UNIT);
}

/* Rounds the plane's normal. That turns the plane about its point nearest to `near`. A plane
 * that is rounded already stays as it is. */
static inline rico__own_plane rico__own_plane_of(rico_plane plane, rico_vec3 near)
{
    rico_vec3 n = plane.normal;
    rico__own_plane own = {rico__rounded_component(n.x) | rico__rounded_component(n.y) << 16,
                           rico__rounded_component(n.z), plane.offset};
    rico_vec3 turned = vec3_sub(rico__own_normal(own.xy, own.z), n);
    rico_vec3 on = vec3_mad(near, n, plane.offset - vec3_dot(n, near));
    if (plane.offset != RICO_NO_PLANE_OFFSET)
        own.offset += vec3_dot(turned, on);
    return own;
}

/* The same plane with a unit normal. */
static inline rico_plane rico__unit_plane(rico_plane rounded)
{
    rico_vec3 n = rounded.normal;
    float unit = 1.5f - 0.5f * vec3_dot(n, n); /* as good as 1 / length so near to 1 */
    if (rounded.offset == RICO_NO_PLANE_OFFSET)
        return (rico_plane){{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    return (rico_plane){vec3_scale(n, unit), rounded.offset * unit};
}

/* --- What is known around it --- */

/* The code of a clearance in metres or m/s, > 0. Below the smallest normal float it is 0:
 * nothing. */
static inline uint32_t rico__known_clearance(float clearance)
{
    uint32_t bits;
    memcpy(&bits, &clearance, sizeof bits);
    return clearance >= 1.2e-38f ? bits >> 16 : 0;
}

/* The clearance of a code; 0 = not known. */
static inline float rico__clearance(uint32_t known)
{
    uint32_t bits = known < 0x8000u ? known << 16 : 0;
    float clearance;
    memcpy(&clearance, &bits, sizeof clearance);
    return clearance;
}

static inline uint32_t rico__wait_ticks(float age)
{
    return (uint32_t)((uint64_t)(age * RICO__WAIT_RATE) % RICO__WAIT_CODES);
}

static inline uint32_t rico__known_wait(float age)
{
    return 0x8000u | rico__wait_ticks(age);
}

static inline bool rico__waits(uint32_t known)
{
    return known >= 0x8000u && known != RICO__SURE;
}

/* Seconds that a particle of that age has waited, up to 128. */
static inline float rico__waited(uint32_t known, float age)
{
    uint32_t since = known & 0x7fffu;
    uint32_t ticks = (rico__wait_ticks(age) + RICO__WAIT_CODES - since) % RICO__WAIT_CODES;
    return (float)ticks * (1.0f / RICO__WAIT_RATE);
}

/* About how many metres it has come while it waited; 0 if it does not wait. */
static inline float rico__waited_way(uint32_t known, float age, rico_vec3 v)
{
    return rico__waits(known) ? rico__waited(known, age) * vec3_length(v) : 0.0f;
}

/* The code of a particle that waits from now on. One that waits already keeps its code. */
static inline uint32_t rico__known_wait_on(uint32_t known, float age)
{
    return rico__waits(known) ? known : rico__known_wait(age);
}

/* --- Of a particle: `first` is its number in the first stream, the next are `stride` apart --- */

static inline uint32_t rico__own_word(const float *first, size_t stride, rico__field field)
{
    uint32_t word;
    memcpy(&word, first + field * stride, sizeof word);
    return word;
}

static inline void rico__set_own_word(float *first, size_t stride, rico__field field,
                                      uint32_t word)
{
    memcpy(first + field * stride, &word, sizeof word);
}

static inline uint32_t rico__known(const float *first, size_t stride)
{
    return rico__own_word(first, stride, FIELD_NZ_KNOWN) >> 16;
}

static inline void rico__set_known(float *first, size_t stride, uint32_t known)
{
    uint32_t z = rico__own_word(first, stride, FIELD_NZ_KNOWN) & 0xffffu;
    rico__set_own_word(first, stride, FIELD_NZ_KNOWN, z | known << 16);
}

static inline rico_plane rico__watched_plane(const float *first, size_t stride)
{
    uint32_t xy = rico__own_word(first, stride, FIELD_NXY);
    uint32_t z = rico__own_word(first, stride, FIELD_NZ_KNOWN);
    return rico__unit_plane((rico_plane){rico__own_normal(xy, z), first[FIELD_ND * stride]});
}

/* Whether the recipe names the colliders of collisions: in mode cached, if the host hears of
 * them. */
static inline bool rico__names_owners(const rico__recipe *recipe)
{
    return recipe->stream[FIELD_COLLIDER] != RICO__NO_STREAM;
}

/* Whose the plane is. True where the particle bounces. It is not asked of a plane that is only
 * assumed because no record says anything. */
static inline rico__owner rico__plane_owner(const float *first, size_t stride)
{
    return (rico__owner){rico__own_word(first, stride, FIELD_COLLIDER),
                         rico__own_word(first, stride, FIELD_TRIANGLE)};
}

static inline void rico__set_plane_owner(float *first, size_t stride, rico__owner owner)
{
    rico__set_own_word(first, stride, FIELD_COLLIDER, owner.collider);
    rico__set_own_word(first, stride, FIELD_TRIANGLE, owner.triangle);
}

/* Sets the plane and what is known around it. */
static inline void rico__watch(float *first, size_t stride, rico_plane plane, uint32_t known)
{
    rico_vec3 at = {first[FIELD_PX * stride], first[FIELD_PY * stride],
                    first[FIELD_PZ * stride]};
    rico__own_plane own = rico__own_plane_of(plane, at);
    rico__set_own_word(first, stride, FIELD_NXY, own.xy);
    rico__set_own_word(first, stride, FIELD_NZ_KNOWN, own.z | known << 16);
    first[FIELD_ND * stride] = own.offset;
}

#endif
