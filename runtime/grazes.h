/* grazes.h - particles that are pushed by forces and may miss the surface that their path
 * meets. Part of forecast.c. */
#ifndef RICO_GRAZES_H
#define RICO_GRAZES_H

#include "forecast.h"

/* How much later or sooner along the plane a path meets it, for each metre that the path is
 * off. */
static inline float rico__grazes_by(const rico__path *path, const rico__choice *choice)
{
    const float t = choice->time;
    const rico_vec3 v = {path->v[0] + path->accel[0] * t, path->v[1] + path->accel[1] * t,
                         path->v[2] + path->accel[2] * t};
    const float into = __builtin_fabsf(vec3_dot(choice->plane.normal, v));
    return vec3_length(v) / float_max(into, RICO__LEAST_RATE);
}

/* How far along its plane it may meet the plane elsewhere: forces change on the way, and a step
 * is a chord of the path. */
static inline float rico__graze_drift(const rico__flight *f, float time)
{
    const float part = float_min(time / f->aim.trust, 1.0f);
    const float push = part * part * part * RICO__MOST_DRIFT;
    return f->grazes * (push + 0.125f * f->fall * f->dt * f->dt);
}

/* A plane in the particle's way that the guard pass sees touched in its next step, whichever
 * way it goes; so that step is searched. v: its velocity. */
static inline rico_plane rico__graze_plane(const rico__flight *f, rico_vec3 p, rico_vec3 v)
{
    const rico_vec3 next = vec3_sub(vec3_scale(f->middle, 2.0f), v);
    const float speed = float_max(vec3_length(next), RICO__LEAST_RATE);
    const rico_vec3 normal = vec3_scale(next, -1.0f / speed);
    return (rico_plane){normal, vec3_dot(normal, p) - 0.5f * f->radius};
}

#endif
