/* own_plane.h - the plane that a particle watches, and how much is known around it, in 12 bytes.
 *
 * Three streams: the normal's x and y, 16 bits each (in 1 / RICO__NORMAL_UNIT, as records have them); its z
 * and, above it, what is known of the surroundings; the offset, a float, for the rounded normal as it
 * is. That is up to 3e-5 longer or shorter than 1: whoever bounces off it makes it a unit vector.
 *
 * What is known, the upper 16 bits:
 *   0             nothing
 *   0x0001..7f7f  the upper half of a float, rounded down: clearance in metres, or after a bounce in m/s
 *                 (kernel.h); good to 1 in 128
 *   0x8000..fffe  since when it waits for the record of its cell: age in 1/256 s, modulo 128 s
 *   0xffff        RICO__SURE: it will touch the surface, and nothing more is known
 * In kernels the last two are negative, or NaN, where clearance is asked for.
 */
#ifndef RICO_OWN_PLANE_H
#define RICO_OWN_PLANE_H

#include "state.h"
#include "vec.h"

#include <string.h>

#define RICO__SURE 0xffffu

#define RICO__WAIT_CODES 0x7fffu
#define RICO__WAIT_RATE 256.0f /* per second */

/* Of a plane with its normal rounded. */
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

/* Rounding the normal turns the plane about its point nearest to `near`. One that is rounded already stays
 * as it is. */
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

/* The same plane, by a unit normal. */
static inline rico_plane rico__unit_plane(rico_plane rounded)
{
    rico_vec3 n = rounded.normal;
    float unit = 1.5f - 0.5f * vec3_dot(n, n); /* as good as 1 / length so near to 1 */
    if (rounded.offset == RICO_NO_PLANE_OFFSET)
        return (rico_plane){{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    return (rico_plane){vec3_scale(n, unit), rounded.offset * unit};
}

/* --- What is known around it --- */

/* Metres or m/s, > 0; less than the smallest normal number is nothing. */
static inline uint32_t rico__known_clearance(float clearance)
{
    uint32_t bits;
    memcpy(&bits, &clearance, sizeof bits);
    return clearance >= 1.2e-38f ? bits >> 16 : 0;
}

/* 0 where it is not known. */
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

/* Seconds that it has waited at that age, up to 128. */
static inline float rico__waited(uint32_t known, float age)
{
    uint32_t since = known & 0x7fffu;
    uint32_t ticks = (rico__wait_ticks(age) + RICO__WAIT_CODES - since) % RICO__WAIT_CODES;
    return (float)ticks * (1.0f / RICO__WAIT_RATE);
}

/* Metres that it has come while it waited, about; 0 for who does not wait. */
static inline float rico__waited_way(uint32_t known, float age, rico_vec3 v)
{
    return rico__waits(known) ? rico__waited(known, age) * vec3_length(v) : 0.0f;
}

/* Of who waits from now on, unless it has waited before. */
static inline uint32_t rico__known_wait_on(uint32_t known, float age)
{
    return rico__waits(known) ? known : rico__known_wait(age);
}

/* --- Of a particle: `first` is its number in the first stream, the next ones are `stride` further --- */

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

/* Of recipes that name the colliders of collisions: mode cached, where the host hears of those. */
static inline bool rico__names_owners(const rico__recipe *recipe)
{
    return recipe->stream[FIELD_COLLIDER] != RICO__NO_STREAM;
}

/* Whose the plane is. True of where the particle bounces: of one that is only believed, as no record says
 * anything, it is not asked. */
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

/* The plane and what is known around it. */
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
