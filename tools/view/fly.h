/* fly.h - a camera that is flown by hand. */
#ifndef RICOCHET_FLY_H
#define RICOCHET_FLY_H

#include "camera.h"

typedef struct fly {
    rico_vec3 eye;
    float yaw, pitch; /* radians: 0 looks along +x; up is positive */
    float fov_degrees;
    float speed; /* m/s */
} fly;

/* Unit vectors. */
typedef struct fly_axes {
    rico_vec3 forward, right, up;
} fly_axes;

/* Begins at the place of that camera. */
fly fly_from(const rio_camera *camera);
fly_axes fly_axes_of(const fly *f);
rio_camera fly_camera(const fly *f);

/* ahead, aside, upwards: -1..1; turn, tilt: radians. */
typedef struct fly_input {
    float ahead, aside, upwards, turn, tilt;
} fly_input;

void fly_move(fly *f, const fly_input *input, float seconds);

#endif
