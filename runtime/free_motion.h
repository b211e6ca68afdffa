/* free_motion.h - how far a particle that is born within a step gets in the rest of it, if it
 * meets nothing. */
#ifndef RICO_FREE_MOTION_H
#define RICO_FREE_MOTION_H

#include "state.h"
#include "trig.h"
#include "vec.h"

/* A free motion: its mean velocity, and its velocity at the end. */
typedef struct rico__motion {
    rico_vec3 mean, after;
} rico__motion;

/* e^-x. For most steps the series is enough: off by 1e-8 at most, in a quarter of the time. */
static inline float rico__fade(float x)
{
    if (!(x < 0.0625f))
        return rico__exp(-x);
    return 1.0f - x * (1.0f - x * (0.5f - x * (0.16666667f - x * 0.041666668f)));
}

/* The path that steps would make if one of them had begun with the birth. Velocities of whole
 * steps are those of their ends, so a part of a step gets forces for half a step more. */
static inline rico__motion rico__free_motion(const rico__recipe *recipe, float dt,
                                             rico_vec3 v, const rico_vec3 *kick, float seconds)
{
    const rico_recipe *def = &recipe->def;
    const float drag = recipe->drag;
    float middle = 0.5f * (seconds + dt);
    rico_vec3 pull = def->gravity;
    if (kick != NULL)
        pull = vec3_mad(pull, *kick, 1.0f / dt);
    rico__motion m = {vec3_mad(v, pull, middle), vec3_mad(v, pull, seconds)};
    if (!(drag > 0.0f))
        return m;
    float of_mean = rico__fade(drag * middle), of_after = rico__fade(drag * seconds);
    m.mean = vec3_scale(m.mean, of_mean);
    m.after = vec3_scale(m.after, of_after);
    if (recipe->windy) {
        m.mean = vec3_mad(m.mean, def->wind, 1.0f - of_mean);
        m.after = vec3_mad(m.after, def->wind, 1.0f - of_after);
    }
    return m;
}

#endif
