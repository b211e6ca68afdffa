/* types.h - vectors, rotations, transforms, boxes.
 *
 * The library is z-up, right-handed, in metres and seconds; front faces are
 * counter-clockwise. All of these are plain values.
 */
#ifndef RICOCHET_TYPES_H
#define RICOCHET_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point, direction or size. Metres unless said otherwise. */
typedef struct rico_vec3 {
    float x, y, z;
} rico_vec3;

/* A rotation: unit quaternion, w is the real part. Identity is {0, 0, 0, 1}. */
typedef struct rico_quat {
    float x, y, z, w;
} rico_quat;

/* Rotate, then scale uniformly, then translate. Whoever takes one asks for finite numbers
 * (RICO_NOT_FINITE), a rotation of length 1 within a thousandth and a scale above 0 and up to 1e6
 * (RICO_OUT_OF_RANGE). */
typedef struct rico_transform {
    rico_vec3 position;
    rico_quat rotation;
    float scale;
} rico_transform;

/* Axis-aligned box, lo <= hi per axis; both faces belong to it. */
typedef struct rico_box {
    rico_vec3 lo, hi;
} rico_box;

/* n . p = offset for points p on the plane; n is a unit vector. "No plane" is a plane far
 * below everything: n = (0, 0, 1), offset = RICO_NO_PLANE_OFFSET. */
typedef struct rico_plane {
    rico_vec3 normal;
    float offset;
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
