/* stages.h - the stages of a frame, in the order in which rico_world_step runs them. Each is
 * called by the stepping thread and returns when it is done. */
#ifndef RICO_STAGES_H
#define RICO_STAGES_H

#include "check.h"
#include "prefetch.h"
#include "state.h"

/* Effects per job, a microsecond or two: a place in world->sums. */
#define RICO__EFFECT_GRAIN 16u

/* The effects of one place in world->sums: from the first slot up to the end. */
static inline uint32_t rico__first_slot(uint32_t place)
{
    return place * RICO__EFFECT_GRAIN;
}

static inline uint32_t rico__end_slot(const rico_world *world, uint32_t place)
{
    return uint_min(rico__first_slot(place + 1), world->effect_high_water);
}

/* Walks over effects read a line of each, in order; where births are planned, the next one, too; and one of its
 * first block, which lies anywhere: by who has births, or asks records. Fetched so many effects ahead; the lines of
 * effects that say where blocks are, twice as many. */
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

/* bake.c: before a step of the whole world. What edits have made it forget of cells is found out again, at no
 * effect's cost: edit by edit, in their order, so many gathers in each step, and what the last few cells take. What is left is
 * looked at by rays meanwhile (rico__edits_await). Of each edit up to so many cells; of those that are found out
 * together, up to so many of a level. */
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

/* query.c: what is left of each effect, and how many queries it wants. Ends stage simulate: a run of its own
 * would cost small worlds more. */
void rico__query_needs(rico_worker *worker, rico_world *world);

/* query.c: the ray of a query of mode classic, and what its answer means; the same for a scene's
 * answer and a host's. */
rico_ray rico__query_ray(const rico__query *query);
void rico__query_take(rico_world *world, const rico__query *query, const rico_ray *ray,
                      const rico_hit *hit);

/* query.c: leaves a plane that is met after so many seconds to mode classic's look-ups. */
void rico__plane_deposit(rico_world *world, rico_cache_key key, rico_plane plane, float seconds,
                         const rico_hit *hit);

/* query.c: keeps in the query where its ray led, for query_list.c. */
void rico__query_note_ray(rico__query *query, const rico_ray *ray, const rico_hit *hit);

/* query_list.c: the host sees none until the next step. Rays that a caster of its own has stay. */
void rico__queries_forget(rico_world *world);

/* query.c: charges effects for the answers, and counts units. Reads no cache: it may run beside merges. */
void rico__query_charge(rico_world *world);

/* query.c: answers the gathers in the list of queries, charging nobody; answers are deposited, and
 * coverage notes what they tell. */
void rico__query_answer(rico_world *world);

/* query.c: what a gather, or a record that was loaded, tells coverage: the cell with the key is
 * divided, or there is nothing in it. */
void rico__query_note(rico_world *world, rico_cache_key key, bool divided, bool empty);

/* report.c: folds deposits in, on the world's workers. */
void rico__merge_cache(rico_world *world, rico_cache *cache);

/* effect.c: a new effect, in a slot that is known to be free; its slot. */
uint32_t rico__effect_begin(rico_world *world, uint32_t recipe, const rico_effect_def *def);

/* effect.c: gives back the effect's blocks and its slot. */
void rico__effect_remove(rico_world *world, uint32_t slot);

/* effect.c: as it was when it was spawned, where it is now. */
void rico__effect_restart(rico_world *world, uint32_t slot);

/* seek.c: what its recipe says. */
void rico__effect_prewarm(rico_world *world, uint32_t slot);

/* step.c: the stages, one after the other, while the world is busy. */
void rico__world_run(rico_world *world, float dt);

/* What stages run on workers. */
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

/* False for those that stand still while another one is run by itself. */
static inline bool rico__takes_part(const rico_world *world, uint32_t slot)
{
    return world->alone == 0 || world->alone == slot + 1 || world->effects[slot].along;
}

/* effect.c: what an edit returns that is refused; the text, on the log, says why. */
rico_result rico__refuse(rico_world *world, rico_result result, const char *call,
                         const char *text);

/* RICO_OUT_OF_RANGE, with the log's word, for more than `most`. */
rico_result rico__check_count(rico_world *world, uint32_t value, uint32_t most,
                              const char *call, const char *name);

/* Whether a call is in progress that runs on workers, or calls the host: then RICO_BUSY is the world's last result, and the
 * log says so. */
bool rico__is_busy(rico_world *world, const char *call);
/* For calls that run on workers: the same, and it is misuse from inside a job of the world's pool. */
bool rico__cannot_run(rico_world *world, const char *call);

/* Around what runs on workers, where the world is not busy already: a host's pool may run its own jobs meanwhile, and these
 * may call the world. Returns what it was, for the end. */
static inline bool rico__begin_work(rico_world *world)
{
    bool was = world->busy;
    if (!was) /* else, between the halves of a step, the host's thread may read it */
        world->busy = true;
    return was;
}

static inline void rico__end_work(rico_world *world, bool was)
{
    if (!was)
        world->busy = false;
}

/* RICO_REQUIRE for calls that edit a world: it is not NULL and the expression holds, else that is misuse, and its
 * last result when the assert handler returns. */
#define RICO_REQUIRE_OF(world, expression)                                                     \
    ((world) != NULL && (expression)                                                           \
         ? true                                                                                \
         : rico__misused(world, #world " != NULL && " #expression, __FILE__, __LINE__))
bool rico__misused(rico_world *world, const char *expression, const char *file, int line);

/* effect.c: of effects, fields and volumes, by the rules of limit.h, places within RICO__MOST_COORDINATE; what
 * is refused is the world's last result. name: what the call's caller calls it. */
rico_result rico__check_transform(rico_world *world, const rico_transform *transform,
                                  const char *call, const char *name);
rico_result rico__check_number(rico_world *world, float value, float lo, float hi,
                               const char *call, const char *name);

/* recipe_edits.c: mode fixed: its planes or its particles' places may be others, and nothing else tells them to
 * look. wakes: who rests wakes up. */
void rico__choose_planes(rico_world *world, const rico__recipe *recipe, rico__block *block,
                         bool wakes);

/* effect.c, recipe_edits.c: NULL when the id is null or stale. */
rico__effect *rico__effect_find(const rico_world *world, rico_effect_id id);
rico__recipe *rico__recipe_find(const rico_world *world, rico_recipe_id id);

/* effect.c: of an id for which there is no effect. RICO_STALE_ID; effects end by themselves, so of one that was there
 * nothing is said on the log. */
rico_result rico__effect_is_gone(rico_world *world, rico_effect_id id, const char *call);

#endif
