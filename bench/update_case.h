/* update_case.h - a world in a steady state to be measured: the cases of bench_update. */
#ifndef RICO_BENCH_UPDATE_CASE_H
#define RICO_BENCH_UPDATE_CASE_H

#include <ricochet/world.h>
#include <ricochet/world_fields.h>

typedef enum update_kind {
    UPDATE_NONE,       /* gravity, drag, age, respawn */
    UPDATE_PLANE,      /* and a ground plane, which every particle names as its own */
    UPDATE_TILTED,     /* the same, 5 degrees off level, so that no part of its normal is 0 */
    UPDATE_CURVES,     /* no plane, but size and colour over life */
    UPDATE_TURBULENCE, /* UPDATE_NONE with turbulence in the recipe */
    UPDATE_VORTEX      /* UPDATE_NONE with all particles in a vortex field of the world */
} update_kind;

/* The normal of the plane, which goes through the origin. NULL: there is none. */
const float *update_case_normal(update_kind kind);

typedef struct update_case {
    rico_world *world;
    rico_effect_id first; /* of the case's effects */
    update_kind kind;
    uint32_t particles, effects; /* wanted */
    /* Sums over the frames measured so far. */
    uint64_t frames, particle_steps, births, deaths, bounces, starved;
} update_case;

/* `particles` in total over `effects` equal fountains, 1.5 m above the ground, living 2..4 s.
 * Warmed up beyond the longest life. NULL: the world could not be made (its log gives the
 * reason). */
update_case *update_case_create(update_kind kind, uint32_t particles, uint32_t effects,
                                uint32_t threads);
void update_case_destroy(update_case *c);

/* Returns the nanoseconds of `frames` steps. *particle_steps: particles alive, summed over the
 * steps. */
double update_case_run(update_case *c, uint32_t frames, uint64_t *particle_steps);

/* Whether births, deaths and (with planes) bounces happened, and the number alive was the wanted
 * one, within 3 %. On false, *why gives the reason. */
bool update_case_is_steady(const update_case *c, const char **why);

#endif
