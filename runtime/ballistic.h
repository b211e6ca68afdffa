/* ballistic.h - when a falling particle meets a plane. */
#ifndef RICO_BALLISTIC_H
#define RICO_BALLISTIC_H

#include <stdbool.h>

/* Finds the first time t >= 0 at which distance + speed t + accel t^2 / 2 falls through zero:
 * the root with a negative derivative. `distance` is to the contact surface (centre distance
 * minus radius). At or inside it, a particle that approaches meets it at time 0. False: it
 * never does. The form of the root avoids cancellation on both branches. */
static inline bool ballistic_time(float distance, float speed, float accel, float *time)
{
    if (distance <= 0.0f && speed <= 0.0f) {
        *time = 0.0f;
        return true;
    }
    float discriminant = speed * speed - 2.0f * accel * distance;
    if (!(discriminant >= 0.0f))
        return false;
    float root = __builtin_sqrtf(discriminant);
    if (speed <= 0.0f) {
        float denominator = root - speed;
        if (!(denominator > 0.0f))
            return false;
        *time = 2.0f * distance / denominator;
    } else {
        if (!(accel < 0.0f))
            return false;
        *time = (-speed - root) / accel;
    }
    return *time >= 0.0f;
}

#endif
