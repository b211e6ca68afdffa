/* detail.h - which effects are hidden, and how much they matter: world_detail.h. */
#ifndef RICO_DETAIL_H
#define RICO_DETAIL_H

#include "hash.h"
#include "memory.h"

#include <ricochet/world_detail.h>

/* Owner: the world. Threads: written by edits, and by the stepping thread in plan; read by all there. */
typedef struct rico__detail {
    rico_vec3 viewers[RICO_MAX_VIEWERS];
    uint32_t viewer_count;
    rico_detail_hook hook;
    rico_detail *items; /* max_effects of them; NULL until there was a hook */
    bool any;           /* some recipe takes part */
} rico__detail;

/* Owner: its effect, if its recipe takes part. Threads: written in plan, by the job that has the
 * effect; read in simulate and query. */
typedef struct rico__regard {
    float owed;     /* the world's seconds that it has not lived through yet */
    float owed_own; /* its own, by the time scales that it had meanwhile */
    float seconds; /* of the world, that this step of it is */
    float significance;
    uint32_t keep;      /* thins: share of births that are kept, in 2^-32 */
    uint32_t due;       /* thins: births of this step, with those left out */
    bool far;           /* beyond its cull_distance */
    bool hidden, thins; /* in this step */
} rico__regard;

struct rico_world;
struct rico__effect;

bool rico__detail_wanted(const rico_recipe *recipe);
rico_result rico__detail_check(const rico_recipe *recipe, const rico_log *log);

/* In plan, before effects begin their step: the hook's answers. */
void rico__detail_ask(struct rico_world *world);

/* Of an effect that takes part. Its own time of this step; which of its births there are; and when they
 * have their places, the serials that are used up. */
void rico__detail_time(struct rico_world *world, uint32_t slot);
void rico__detail_thin(struct rico_world *world, uint32_t slot);
void rico__detail_count(struct rico__effect *effect);

/* Of births that were given out: how many births of this step came before number n that is left. */
uint32_t rico__detail_number(const struct rico__effect *effect, uint32_t n);

/* Of any effect: whether it is between slow steps; the world's seconds that its last step was; the weight
 * that it has in the sharing of queries. */
bool rico__detail_owes(const struct rico_world *world, const struct rico__effect *effect);
float rico__detail_seconds(const struct rico_world *world, const struct rico__effect *effect);

void rico__detail_hash(rico__hash *hash, const rico__regard *regard);
void rico__detail_free(struct rico_world *world);

#endif
