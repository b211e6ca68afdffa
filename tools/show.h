/* show.h - the show: five recipes, and thousands of effects of them placed in a world.
 *
 * `ricochet run`, benches and tests run it. The recipes are those of examples/effects. Sparks,
 * rain and gravel collide through the cache, casings exactly, smoke not at all. Their rates are
 * changed so that the wanted number of particles is alive once the effects have been running for
 * SHOW_WARM_UP. A show can also consist of any other effect files, at their own rates.
 * Deterministic: the same definition, files and world give the same effects.
 */
#ifndef RICOCHET_SHOW_H
#define RICOCHET_SHOW_H

#include "camera.h"
#include <ricochet/effects/effect_group.h>
#include <ricochet/world.h>

typedef enum show_kind {
    SHOW_SPARKS,
    SHOW_RAIN,
    SHOW_GRAVEL,
    SHOW_SMOKE,
    SHOW_CASINGS,
    SHOW_KIND_COUNT
} show_kind;

const char *show_kind_name(show_kind kind); /* "sparks"; also its file's name */

/* A show has effects of these kinds: the five of show_kind, or files. */
#define SHOW_MAX_KINDS 16u

/* Owner: the caller; show_cast_free. */
typedef struct show_cast {
    uint32_t count;
    bool given;                     /* files, whose effects are run unchanged */
    char names[SHOW_MAX_KINDS][48]; /* "sparks", ... */
    rio_effect effects[SHOW_MAX_KINDS];
    uint64_t with_particles[SHOW_MAX_KINDS]; /* max_particles of all that is spawned with one
                                              * effect */
} show_cast;

/* Loads the five, from where rio_effect_path finds them, or the given files. There can be
 * 1..SHOW_MAX_KINDS files, each a path or a name, as in rio_effect_find. Errors:
 * rio_effect_load's; *out is then zeroed. */
rico_result show_cast_load(show_cast *out, char *error, size_t error_bytes);
rico_result show_cast_load_files(const char *const *files, uint32_t count, show_cast *out,
                                 char *error, size_t error_bytes);
void show_cast_free(show_cast *cast);

/* After this many frames of 1/60 s, births and deaths are in balance. */
#define SHOW_WARM_UP 240u

#define SHOW_MAX_EFFECTS 1000000u
#define SHOW_MAX_PARTICLES 40000000u

typedef struct show_def {
    uint32_t effects; /* 1..SHOW_MAX_EFFECTS */
    uint32_t
        particles; /* alive in the steady state, 1..SHOW_MAX_PARTICLES; files have their own */
    uint64_t seed;
    bool courtyard;  /* the world is rio_courtyard_create(seed); its own spots are used */
    rico_box bounds; /* of the world's triangles */
    const show_cast *cast;
} show_def;

/* The recipes before their rain box is known, the number of effects of each, and the limits of a
 * world that holds them all. */
typedef struct show_plan {
    uint32_t kind_count;
    uint32_t effects[SHOW_MAX_KINDS];
    rico_recipe recipes[SHOW_MAX_KINDS];
    uint32_t max_particles, max_effects; /* for rico_world_def */
} show_plan;

show_plan show_plan_make(const show_def *def);

/* An effect of the show, with all effects that its file names in `with`. */
typedef struct show_effect {
    uint32_t kind; /* of the cast */
    uint32_t start_frame;
    rico_transform transform;
} show_effect;

/* Particles of files that are named by sub-emitters of a kind, or by what is spawned with it.
 * Each has one effect. */
#define SHOW_MAX_SUBS 64u
typedef struct show_sub {
    uint32_t kind; /* the kind whose sub-emitters gave birth to them */
    rico_effect_id id;
} show_sub;

typedef struct show {
    show_plan plan;
    show_sub subs[SHOW_MAX_SUBS];
    uint32_t sub_count;
    rio_group groups[SHOW_MAX_KINDS]; /* empty for kinds without effects */
    show_effect *effects;
    uint32_t effect_count;
    rico_effect_id *ids; /* ids_per_effect each, its own first; null before its start and
                          * beyond its group */
    uint32_t ids_per_effect;
    bool begins_anew; /* restarts effects that have ended: those of files; the five never end */
    uint32_t refused; /* number of effects that the world would not start */
} show;

/* Adds the recipes to the world and finds a place for every effect. In worlds other than the
 * courtyard it casts rays with caster. Errors: RICO_OUT_OF_MEMORY, rio_effect_link's, or the
 * world's error for a recipe; error is then one line, *out zeroed. On success, error is the
 * first rio_effect.idle of the named files, or empty. Owner: the caller; show_free. */
rico_result show_create(const show_def *def, rico_world *world, const rio_caster *caster,
                        show *out, char *error, size_t error_bytes);
void show_free(show *s);

/* The ids of effect i: out->ids_per_effect of them. */
static inline rico_effect_id *show_ids(const show *s, uint32_t i)
{
    return s->ids + (size_t)i * s->ids_per_effect;
}

/* Spawns effect i, all of its group or nothing. A failure is counted. */
void show_start(show *s, rico_world *world, uint32_t i);

/* Starts effects whose time has come, and restarts effects of files that have ended. Call before
 * each step. Starts are spread over the first second, so that equal effects do not always give
 * birth in the same frame. */
void show_start_effects(show *s, rico_world *world, uint32_t frame);

#endif
