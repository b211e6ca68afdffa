/* types.h - vectors, rotations, transforms, boxes, planes.
 *
 * The library's space is right-handed with z up. Lengths are metres, times are seconds. Front
 * faces are counter-clockwise. All types here are plain values.
 */
#ifndef RICOCHET_TYPES_H
#define RICOCHET_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point, a direction or a size. Metres unless stated otherwise. */
typedef struct rico_vec3 {
    float x, y, z;
} rico_vec3;

/* A rotation: a unit quaternion with the real part w. The identity is {0, 0, 0, 1}. */
typedef struct rico_quat {
    float x, y, z, w;
} rico_quat;

/* A place: rotates, then scales uniformly, then translates.
 *
 * Every function that takes a transform checks it: RICO_NOT_FINITE for a NaN or an infinity,
 * RICO_OUT_OF_RANGE for the ranges below. */
typedef struct rico_transform {
    rico_vec3 position; /* metres */
    rico_quat rotation; /* of length 1, within 0.001 */
    float scale;        /* above 0, up to 1e6 */
} rico_transform;

/* An axis-aligned box. lo <= hi on each axis; its faces belong to it. */
typedef struct rico_box {
    rico_vec3 lo, hi;
} rico_box;

/* A plane. Points p on it satisfy normal . p = offset.
 *
 * "No plane" is a plane far below everything: normal (0, 0, 1), offset RICO_NO_PLANE_OFFSET. */
typedef struct rico_plane {
    rico_vec3 normal; /* of length 1 */
    float offset;     /* metres */
} rico_plane;

#define RICO_NO_PLANE_OFFSET (-1.0e30f)

#ifdef __cplusplus
#define RICO_TRANSFORM_IDENTITY                                                                \
    rico_transform                                                                             \
    {                                                                                          \
        {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f                                     \
    }
#else
#define RICO_TRANSFORM_IDENTITY                                                                \
    ((rico_transform){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f})
#endif

#endif
