/* stages.h - the stages of a frame, in the order in which rico_world_step runs them. Each is
 * called by the stepping thread and returns when it is done. */
#ifndef RICO_STAGES_H
#define RICO_STAGES_H

#include "check.h"
#include "prefetch.h"
#include "state.h"

/* Effects per job, a microsecond or two: a place in world->sums. */
#define RICO__EFFECT_GRAIN 16u

/* The effects of one place in world->sums: the first slot, and the one after the last. */
static inline uint32_t rico__first_slot(uint32_t place)
{
    return place * RICO__EFFECT_GRAIN;
}

static inline uint32_t rico__end_slot(const rico_world *world, uint32_t place)
{
    return uint_min(rico__first_slot(place + 1), world->effect_high_water);
}

/* Walks over effects read a line of each effect, in order. Where births are planned, they also
 * read its next line. Of effects that have births, or ask for records, they also read a line of
 * the first block, which lies anywhere. These lines are prefetched this many effects ahead, and
 * the lines of effects that say where blocks are twice as many. */
#define RICO__WALK_AHEAD 8u

static inline void rico__walk_ahead(const rico_world *world, uint32_t slot)
{
    if (slot + 2 * RICO__WALK_AHEAD < world->effect_high_water)
        prefetch_line(&world->effects[slot + 2 * RICO__WALK_AHEAD]);
}

static inline void rico__walk_births_ahead(const rico_world *world, uint32_t slot)
{
    if (slot + RICO__WALK_AHEAD >= world->effect_high_water)
        return;
    prefetch_line(&world->effects[slot + RICO__WALK_AHEAD]);
    prefetch_line(&world->effects[slot + RICO__WALK_AHEAD].seed);
}

static inline void rico__walk_blocks_ahead(const rico_world *world, uint32_t slot)
{
    slot += RICO__WALK_AHEAD;
    if (slot < world->effect_high_water &&
        (world->any_records || world->demands[slot].births > 0) &&
        world->effects[slot].first_block != RICO__NO_BLOCK)
        prefetch_line(&world->blocks[world->effects[slot].first_block]);
}

/* bake.c: before a step of the whole world. What edits made the world forget of cells is
 * gathered again, at no effect's cost. It goes edit by edit, in their order:
 * RICO__GATHERS_AGAIN gathers in each step, and what the last few cells take. Meanwhile rays
 * look at what is left (rico__edits_await). Of each edit it asks for up to RICO__CELLS_AGAIN
 * cells; of cells that are gathered together, for up to as many of each level. */
void rico__bake_again(rico_world *world);
#define RICO__CELLS_AGAIN 1024u
#define RICO__GATHERS_AGAIN 256u

void rico__stage_plan(rico_world *world);

/* plan.c: cuts the list of blocks into batches. */
void rico__cut_batches(rico_world *world);

void rico__stage_simulate(rico_world *world);
void rico__stage_query(rico_world *world);
void rico__stage_merge(rico_world *world);
void rico__stage_report(rico_world *world);

/* query.c: what is left of each effect, and how many queries it wants. Ends stage simulate,
 * because a run of its own would cost small worlds more. */
void rico__query_needs(rico_worker *worker, rico_world *world);

/* query.c: the ray of a query of mode classic, and what its answer means: the same for the
 * scene's answer and for a host's. */
rico_ray rico__query_ray(const rico__query *query);
void rico__query_take(rico_world *world, const rico__query *query, const rico_ray *ray,
                      const rico_hit *hit);

/* query.c: leaves a plane, which is met after so many seconds, to mode classic's look-ups. */
void rico__plane_deposit(rico_world *world, rico_cache_key key, rico_plane plane, float seconds,
                         const rico_hit *hit);

/* query.c: notes in the query where its ray led, for query_list.c. */
void rico__query_note_ray(rico__query *query, const rico_ray *ray, const rico_hit *hit);

/* query_list.c: the host sees no queries until the next step. On a ray caster of the host's,
 * they stay. */
void rico__queries_forget(rico_world *world);

/* query.c: charges effects for the answers, and counts units. It reads no cache, so it may run
 * beside merges. */
void rico__query_charge(rico_world *world);

/* query.c: answers the gathers in the list of queries, and charges no effect. Answers are
 * deposited, and coverage notes what they tell. */
void rico__query_answer(rico_world *world);

/* query.c: what a gather, or a record that was loaded, tells coverage: the key's cell is
 * divided, or nothing is in it. */
void rico__query_note(rico_world *world, rico_cache_key key, bool divided, bool empty);

/* report.c: folds deposits into the cache, on the world's workers. */
void rico__merge_cache(rico_world *world, rico_cache *cache);

/* effect.c: begins an effect in a free slot, which there must be; returns the slot. */
uint32_t rico__effect_begin(rico_world *world, uint32_t recipe, const rico_effect_def *def);

/* effect.c: gives back the effect's blocks and its slot. */
void rico__effect_remove(rico_world *world, uint32_t slot);

/* effect.c: makes the effect what it was when it was spawned, where it is now. */
void rico__effect_restart(rico_world *world, uint32_t slot);

/* seek.c: prewarms the effect, as its recipe says. */
void rico__effect_prewarm(rico_world *world, uint32_t slot);

/* step.c: the stages, one after the other, while the world is busy. */
void rico__world_run(rico_world *world, float dt);

/* Run a function of a stage on workers. */
static inline void rico__work(rico_world *world, rico_job_fn *fn, void *context)
{
    if (world->ahead.worker != NULL)
        fn(world->ahead.worker, context);
    else
        rico_jobs_run(world->jobs, fn, context);
}

static inline void rico__work_for(rico_world *world, uint32_t begin, uint32_t end, uint32_t grain,
                             rico_range_fn *fn, void *context)
{
    if (world->ahead.worker != NULL)
        rico_worker_for(world->ahead.worker, begin, end, grain, fn, context);
    else
        rico_jobs_for(world->jobs, begin, end, grain, fn, context);
}

/* False for effects that stand still while another one is run by itself. */
static inline bool rico__takes_part(const rico_world *world, uint32_t slot)
{
    return world->alone == 0 || world->alone == slot + 1 || world->effects[slot].along;
}

/* effect.c: refuses an edit: `result` is the world's last result, and is returned; the text, on
 * the log, says why. */
rico_result rico__refuse(rico_world *world, rico_result result, const char *call,
                         const char *text);

/* RICO_OUT_OF_RANGE for more than `most`; the log says so. */
rico_result rico__check_count(rico_world *world, uint32_t value, uint32_t most,
                              const char *call, const char *name);

/* Whether a call is in progress that runs on workers, or calls the host. If so, RICO_BUSY is
 * the world's last result, and the log says so. */
bool rico__is_busy(rico_world *world, const char *call);
/* The same for calls that run on workers. From inside a job of the world's pool it is also
 * misuse. */
bool rico__cannot_run(rico_world *world, const char *call);

/* Around work on workers, where the world is not busy already. A host's pool may run its own
 * jobs meanwhile, and these may call the world. Returns whether the world was busy, for
 * rico__end_work. */
static inline bool rico__begin_work(rico_world *world)
{
    bool was = world->busy;
    /* Not written again: between the halves of a step, the host's thread may read it. */
    if (!was)
        world->busy = true;
    return was;
}

static inline void rico__end_work(rico_world *world, bool was)
{
    if (!was)
        world->busy = false;
}

/* RICO_REQUIRE for calls that edit a world: it is not NULL and the expression holds. Otherwise
 * that is misuse, and the world's last result is RICO_OUT_OF_RANGE when the assert handler
 * returns. */
#define RICO_REQUIRE_OF(world, expression)                                                     \
    ((world) != NULL && (expression)                                                           \
         ? true                                                                                \
         : rico__misused(world, #world " != NULL && " #expression, __FILE__, __LINE__))
bool rico__misused(rico_world *world, const char *expression, const char *file, int line);

/* effect.c: check transforms and numbers of effects, fields and volumes, by the rules of
 * limit.h; positions are within RICO__MOST_COORDINATE. A refusal is the world's last result.
 * name: what the call's caller calls the value. */
rico_result rico__check_transform(rico_world *world, const rico_transform *transform,
                                  const char *call, const char *name);
rico_result rico__check_number(rico_world *world, float value, float lo, float hi,
                               const char *call, const char *name);

/* recipe_edits.c: mode fixed: the recipe's planes or its particles' positions may have changed,
 * and nothing else tells the particles to look. wakes: wakes particles at rest. */
void rico__choose_planes(rico_world *world, const rico__recipe *recipe, rico__block *block,
                         bool wakes);

/* effect.c, recipe_edits.c: NULL when the id is null or stale. */
rico__effect *rico__effect_find(const rico_world *world, rico_effect_id id);
rico__recipe *rico__recipe_find(const rico_world *world, rico_recipe_id id);

/* effect.c: for an id without an effect: RICO_STALE_ID. Effects end by themselves, so the log
 * says nothing of one that existed. */
rico_result rico__effect_is_gone(rico_world *world, rico_effect_id id, const char *call);

#endif
