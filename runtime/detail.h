/* detail.h - which effects are hidden, and how much they matter (world_detail.h). */
#ifndef RICO_DETAIL_H
#define RICO_DETAIL_H

#include "hash.h"
#include "memory.h"

#include <ricochet/world_detail.h>

/* Owner: the world. Threads: written by edits, and by the stepping thread in plan (bounds of
 * items: by jobs); read by all jobs there. */
typedef struct rico__detail {
    rico_vec3 viewers[RICO_MAX_VIEWERS];
    uint32_t viewer_count;
    rico_detail_hook hook;
    rico_detail *items; /* max_effects of them; NULL until there was a hook */
    bool any;           /* some recipe takes part */
} rico__detail;

/* Owner: its effect, if its recipe takes part. Threads: written in plan, by the job that has
 * the effect; read in simulate and query. */
typedef struct rico__regard {
    float owed;     /* the world's seconds that it has not lived through yet */
    float owed_own; /* its own seconds, by the time scales that it had meanwhile */
    float seconds; /* of the world, that this step of the effect covers */
    float significance;
    uint32_t keep;      /* thins: share of births that are kept, in 2^-32 */
    uint32_t due;       /* thins: births of this step, left-out ones included */
    bool far;           /* beyond its cull_distance */
    bool hidden, thins; /* in this step */
} rico__regard;

struct rico_world;
struct rico__effect;

bool rico__detail_wanted(const rico_recipe *recipe);
rico_result rico__detail_check(const rico_recipe *recipe, const rico_log *log);

/* In plan, before effects begin their step: asks the hook, and takes its answers. */
void rico__detail_ask(struct rico_world *world);

/* For an effect that takes part. rico__detail_time: its own time for this step.
 * rico__detail_thin: which of its births happen. rico__detail_count: uses up the serials, when
 * births have their places. */
void rico__detail_time(struct rico_world *world, uint32_t slot);
void rico__detail_thin(struct rico_world *world, uint32_t slot);
void rico__detail_count(struct rico__effect *effect);

/* For births that were given out: how many births of this step, left-out ones included, came
 * before birth number n of those that are left. */
uint32_t rico__detail_number(const struct rico__effect *effect, uint32_t n);

/* For any effect. rico__detail_owes: whether it is between slow steps. rico__detail_seconds:
 * the world's seconds that its last step covered. */
bool rico__detail_owes(const struct rico_world *world, const struct rico__effect *effect);
float rico__detail_seconds(const struct rico_world *world, const struct rico__effect *effect);

void rico__detail_hash(rico__hash *hash, const rico__regard *regard);
void rico__detail_free(struct rico_world *world);

#endif
