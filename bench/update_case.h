/* update_case.h - a world in a steady state, to be measured: what bench_update's cases are. */
#ifndef RICO_BENCH_UPDATE_CASE_H
#define RICO_BENCH_UPDATE_CASE_H

#include <ricochet/world.h>
#include <ricochet/world_fields.h>

typedef enum update_kind {
    UPDATE_NONE,       /* gravity, drag, age, respawn */
    UPDATE_PLANE,      /* and a ground plane, which every particle names as its own */
    UPDATE_TILTED,     /* the same, 5 degrees off level, so that no part of its normal is 0 */
    UPDATE_CURVES,     /* no plane, but size and colour over life */
    UPDATE_TURBULENCE, /* NONE, in turbulence of the recipe's own */
    UPDATE_VORTEX      /* NONE, all in a vortex field of the world's */
} update_kind;

/* Of the plane, which goes through the origin; NULL: there is none. */
const float *update_case_normal(update_kind kind);

typedef struct update_case {
    rico_world *world;
    rico_effect_id first; /* of the effects */
    update_kind kind;
    uint32_t particles, effects; /* wanted */
    /* Of the frames measured so far. */
    uint64_t frames, particle_steps, births, deaths, bounces, starved;
} update_case;

/* `particles` in total over `effects` equal fountains, 1.5 m above the ground, living 2..4 s;
 * warmed up beyond the longest life. NULL: the world could not be made (its log said why). */
update_case *update_case_create(update_kind kind, uint32_t particles, uint32_t effects,
                                uint32_t threads);
void update_case_destroy(update_case *c);

/* Nanoseconds of `frames` steps. *particle_steps: particles alive, summed over them. */
double update_case_run(update_case *c, uint32_t frames, uint64_t *particle_steps);

/* Births, deaths and (with planes) bounces went on, and the number alive is the one wanted,
 * within 3 %. On false, *why says what is wrong. */
bool update_case_is_steady(const update_case *c, const char **why);

#endif
