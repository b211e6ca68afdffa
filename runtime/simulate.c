/* Stage simulate: each block passes through all its modules while it is in L1. */
#include "contact.h"
#include "curve.h"
#include "forces.h"
#include "forecast.h"
#include "host_rays.h"
#include "looks.h"
#include "pace.h"
#include "planes.h"
#include "preparation.h"
#include "response.h"
#include "rotation.h"
#include "stages.h"

#include "bits.h"
#include "prefetch.h"

#include <string.h>

/* In place, field by field: a struct that is returned is written in words and copied in
 * vectors, and the copy waits for the words. All recipes have the first fields, in this order. */
static void find_streams(rico__streams *s, const rico__recipe *recipe, float *data)
{
    const size_t stride = recipe->stream_floats;
    s->px = data + FIELD_PX * stride;
    s->py = data + FIELD_PY * stride;
    s->pz = data + FIELD_PZ * stride;
    s->vx = data + FIELD_VX * stride;
    s->vy = data + FIELD_VY * stride;
    s->vz = data + FIELD_VZ * stride;
    s->age = data + FIELD_AGE * stride;
    s->life = data + FIELD_LIFE * stride;
    s->nxy = rico__stream(recipe, data, FIELD_NXY);
    s->nz_known = s->nxy == NULL ? NULL : s->nxy + stride;
    s->nd = s->nxy == NULL ? NULL : s->nz_known + stride;
    s->until = rico__stream(recipe, data, FIELD_UNTIL);
    s->palette = &recipe->palette;
    s->ahead = NULL;
    s->ahead_floats = 0;
}

/* by_planes: some particles that bounce may have to go on from where they did. */
static rico__impacts wanted_impacts(const rico__block_context *c, bool by_planes)
{
    if ((c->recipe->event_bits & RICO_EVENT_BIT_COLLISION) == 0 && !by_planes)
        return (rico__impacts){NULL, NULL, NULL};
    return (rico__impacts){c->scratch->impact_time, c->scratch->impact_speed,
                           c->scratch->impact_into};
}

/* Word by word, as the pass has just written them: vectors would wait for the cache. */
static void keep_mask(rico__mask to, const rico__mask from)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        uint64_t word = from[w];
        __asm__("" : "+r"(word)); /* keeps the compiler from joining two */
        to[w] = word;
    }
}

static void move_by_planes(rico__block_context *c)
{
    const rico__kernels *kernels = c->world->kernels;
    const bool fixed = c->recipe->def.mode == RICO_COLLIDE_FIXED;
    const bool many = rico__planes_are_many(c->recipe), go_on = many || !fixed;
    c->masks.bounces = c->scratch->bounces;
    if (!c->recipe->plain_response) {
        rico__planes_step(c);
        return;
    }
    const rico__impacts impacts = wanted_impacts(c, go_on);
    if (many)
        kernels->planes(&c->streams, c->block->count, &c->step, &c->masks, &impacts);
    else if (fixed)
        kernels->fixed(&c->streams, c->block->count, &c->step, &c->masks, &impacts);
    else
        kernels->plane(&c->streams, c->block->count, &c->step, &c->masks, &impacts);
    c->scratch->bounces = c->masks.bounces;
    keep_mask(c->block->asleep, c->masks.asleep);
    rico__report_bounces(c);
    if (go_on)
        rico__planes_go_on(c);
}

/* On the host's rays none goes by chords. */
static bool goes_by_chords(const rico__block_context *c)
{
    const float most = rico__most_drift(c->step.radius);
    return rico__pace_leaves_paths(c->effect, &c->step, c->most_push, most) &&
           !rico__has_caster(c->world);
}

static void move_by_records(rico__block_context *c)
{
    c->step.chord = goes_by_chords(c);
    const rico__impacts impacts = wanted_impacts(c, false);
    c->world->kernels->guard(&c->streams, c->block->count, &c->step, &c->masks, &impacts);
    keep_mask(c->block->asleep, c->masks.asleep);
    if (c->pushed)
        rico__forces_rebound(c);
    rico__report_bounces(c);
    rico__cached_fetch(c, false);
}

/* Drag and friction must not make denormals, which cost 5x. So often, particles that have
 * almost stopped are stopped, and those that have left the world end. This goes by the age of
 * the first particle, which is the same however the block came to it. */
#define TIDIES_PER_SECOND 4.0f

static bool is_time_to_tidy(const rico__block_context *c)
{
    if (c->block->count == 0)
        return false;
    float before = c->streams.age[0] * TIDIES_PER_SECOND;
    float after = before + c->step.dt * TIDIES_PER_SECOND;
    return (int64_t)after != (int64_t)before; /* no age is near 2^61 s */
}

/* A recipe's planes change only with the recipe. */
static bool unsticks(const rico__recipe *recipe)
{
    return recipe->def.on_collision == RICO_ON_COLLISION_STICK &&
           recipe->def.mode != RICO_COLLIDE_FIXED;
}

/* Mode cached moves no particle of unknown path: something may be as near as a step's fall. */
static bool looks_when_unstuck(const rico_world *world, const rico__recipe *recipe)
{
    return recipe->def.mode == RICO_COLLIDE_CACHED && !rico__has_caster(world);
}

static void move_block(rico__block_context *c)
{
    const rico__kernels *kernels = c->world->kernels;
    if (c->recipe->def.interpolate && c->effect->ways == RICO__MOVED)
        rico__keep_places(c, 0, c->block->count);
    if (is_time_to_tidy(c))
        kernels->tidy(&c->streams, c->block->count);
    if (c->recipe->pushed)
        rico__forces_push(c);
    if (unsticks(c->recipe) && !looks_when_unstuck(c->world, c->recipe))
        rico__unstick(c);
    rico__pace_start(c->world, c->effect, c->block);
    bool near_bodies = c->world->movers.count > 0 && rico__movers_hold(c);
    switch (c->recipe->def.mode) {
    case RICO_COLLIDE_FIXED:
    case RICO_COLLIDE_CLASSIC:
        move_by_planes(c);
        break;
    case RICO_COLLIDE_CACHED:
        move_by_records(c);
        break;
    case RICO_COLLIDE_EXACT:
        kernels->exact(&c->streams, c->block->count, &c->step, &c->world->extents, &c->masks);
        rico__exact_move(c);
        break;
    default:
        kernels->move(&c->streams, c->block->count, &c->step, &c->masks);
        break;
    }
    if (near_bodies)
        rico__movers_move(c);
}

static void move(rico__block_context *c)
{
    const bool reports = c->recipe->event_bits != 0;
    if (reports)
        rico__events_begin(c, EVENTS_OF_MOVE);
    move_block(c);
    if (reports)
        rico__events_end(c, EVENTS_OF_MOVE);
}

/* Multiplies by what was drawn at birth. */
static void scale_curves(const rico__recipe *recipe, float *data, uint32_t count, float *size,
                         uint32_t *color)
{
    const float *scale = rico__stream(recipe, data, FIELD_SCALE);
    const uint32_t *tint =
        (const uint32_t *)(const void *)rico__stream(recipe, data, FIELD_TINT);
    for (uint32_t i = 0; scale != NULL && i < count; ++i)
        size[i] *= scale[i];
    for (uint32_t i = 0; tint != NULL && i < count; ++i)
        color[i] = rico__tinted(color[i], tint[i]);
}

void rico__evaluate_curves(const rico_world *world, const rico__recipe *recipe, float *data,
                           uint32_t count)
{
    const rico_recipe *def = &recipe->def;
    float *size = NULL;
    uint32_t *color = NULL;
    if (def->particle_size.key_count > 1)
        size = rico__stream(recipe, data, FIELD_SIZE);
    if (rico__color_varies(def))
        color = (uint32_t *)(void *)rico__stream(recipe, data, FIELD_COLOR);
    if (size == NULL && color == NULL)
        return;
    world->kernels->curves(rico__stream(recipe, data, FIELD_AGE),
                           rico__stream(recipe, data, FIELD_LIFE), count, &recipe->tables, size,
                           color);
    scale_curves(recipe, data, count, size, color);
}

static void count_sleepers(rico__block_context *c)
{
    c->scratch->tally.sleeping += rico__bit_count(c->block->asleep, c->block->count);
}

/* Below this, blocks stay in the second cache, and fetching them ahead costs 3 %. */
#define LOOK_AHEAD_UNITS ((1u << 20) / RICO__UNIT_BYTES)

/* The first cache of any machine has room for several blocks that are no longer than this. */
#define SHORT_BLOCK 64u

/* Blocks lie anywhere, and the hardware's prefetcher starts anew at each stream. So kernels
 * fetch a block that comes soon while they work on this one: the second to come, where it is to
 * wait in the second cache. */
static void look_ahead(rico__block_context *c, const rico_world *world, uint32_t i,
                       uint32_t end, uint32_t own_count)
{
    rico__streams *streams = &c->streams;
    const uint32_t next = i + (world->fetches_near ? 1 : 2);
    if (next >= world->block_list_count || world->pool.used_units < LOOK_AHEAD_UNITS)
        return;
    const rico__block *block = &world->blocks[world->block_list[next]];
    const rico__recipe *recipe = &world->recipes[block->recipe];
    c->next_recipe = recipe;
    streams->ahead = rico__block_data(world, block);
    /* Past the batch, another worker may change the block's count: it is taken to be as long as
     * this block. */
    streams->ahead_floats = next < end ? block->count : own_count;
    streams->ahead_count = recipe->pass_streams;
    streams->ahead_stride = recipe->stream_floats;
    streams->ahead_near = world->fetches_near || streams->ahead_floats <= SHORT_BLOCK;
}

/* Headers and effects lead to data, so they are fetched some blocks ahead. */
static void fetch_header(const rico_world *world, uint32_t i)
{
    if (i >= world->block_list_count)
        return;
    const char *header = (const char *)&world->blocks[world->block_list[i]];
    for (size_t offset = 0; offset < sizeof(rico__block); offset += RICO_CACHE_LINE)
        prefetch_line(header + offset);
}

static void fetch_effect(const rico_world *world, uint32_t i)
{
    if (i < world->block_list_count)
        prefetch_line(&world->effects[world->blocks[world->block_list[i]].effect]);
}

/* What births read when the block is finished. */
static void fetch_emitter(const rico__effect *effect)
{
    for (size_t at = offsetof(rico__effect, emitter); at < sizeof *effect;
         at += RICO_CACHE_LINE)
        prefetch_line((const char *)effect + at);
}

/* Field by field: the rest is written before it is read, and clearing it takes longer than a
 * block's pass through a kernel. */
static inline void begin_context(rico_world *world, rico__block *block, uint32_t worker,
                                 rico__block_context *c)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[block->recipe];
    c->world = world;
    c->recipe = recipe;
    c->effect = effect;
    c->block = block;
    c->scratch = &world->scratch[worker];
    rico__pace_block_step(&c->step, world, effect);
    c->data = rico__block_data(world, block);
    c->pushed = false;
    c->most_push = 0.0f;
    c->body_count = RICO__ANY_BODY;
    c->cells.world = world;
    c->cells.scratch = c->scratch;
    c->cells.worker = worker;
    c->cells.rate = c->step.cell_rate;
    c->cells.found.state = CELL_UNKNOWN;
    find_streams(&c->streams, recipe, c->data);
    memcpy(c->masks.asleep, block->asleep, sizeof block->asleep);
    memcpy(c->masks.rebound, block->rebound, sizeof block->rebound);
}

/* What the pass needs, written one block before it is read. The pass reads in vectors what was
 * written in words, and would wait for the words to reach the cache. */
static void prepare_block(rico_world *world, uint32_t i, uint32_t end, uint32_t worker,
                          rico__block_context *c)
{
    fetch_header(world, i + 8);
    fetch_effect(world, i + 3);
    rico__block *block = &world->blocks[world->block_list[i]];
    if (block->birth_count > 0)
        fetch_emitter(&world->effects[block->effect]);
    begin_context(world, block, worker, c);
    c->place = i;
    look_ahead(c, world, i, end, block->count);
}

static bool asks_records(const rico__block_context *c)
{
    return c->recipe->def.mode == RICO_COLLIDE_CACHED;
}

/* The guard pass fetches nothing: all at once, its lines would wait for each other, and it for
 * them. The works that follow leave memory idle: they fetch some lines now and then. */
static void fetch_begin(const rico__block_context *c)
{
    c->scratch->fetching = (rico__fetching){
        .streams = asks_records(c) && c->streams.ahead != NULL ? &c->streams : NULL};
}

/* A line of each stream. In fours: in short blocks, counting takes longer than fetching. By the
 * builtin, whose addresses need no registers of their own. */
static void fetch_row(const float *line, size_t stride, uint32_t count, bool near)
{
    uint32_t k = 0;
    for (; near && k + 4 <= count; k += 4, line += 4 * stride) {
        __builtin_prefetch(line);
        __builtin_prefetch(line + stride);
        __builtin_prefetch(line + 2 * stride);
        __builtin_prefetch(line + 3 * stride);
    }
    for (; k + 4 <= count; k += 4, line += 4 * stride) {
        __builtin_prefetch(line, 0, 2);
        __builtin_prefetch(line + stride, 0, 2);
        __builtin_prefetch(line + 2 * stride, 0, 2);
        __builtin_prefetch(line + 3 * stride, 0, 2);
    }
    for (; k < count; ++k, line += stride)
        prefetch_line(line);
}

static void fetch_some(rico__scratch *scratch, uint32_t floats)
{
    const rico__streams *s = scratch->fetching.streams;
    if (s == NULL)
        return;
    const uint32_t end = uint_min(scratch->fetching.floats + floats, s->ahead_floats);
    for (uint32_t i = scratch->fetching.floats; i < end; i += RICO_CACHE_LINE / sizeof(float))
        fetch_row(s->ahead + i, s->ahead_stride, s->ahead_count, s->ahead_near);
    scratch->fetching.floats = end;
}

/* Floats of each stream that are fetched at a time, between works; the rest comes last. */
#define FETCHED_AT_ONCE 32u

/* The rest of the block's events come from here. */
static void change_particles(rico__block_context *c)
{
    const bool reports = c->recipe->event_bits != 0;
    if (reports)
        rico__events_begin(c, EVENTS_OF_END);
    if (asks_records(c))
        rico__cached_contacts(c);
    fetch_some(c->scratch, FETCHED_AT_ONCE);
    if (c->world->kill_volumes.used != 0)
        rico__kill_in_volumes(c);
    if (rico__any_bit(c->masks.dead))
        rico__compact(c);
    fetch_some(c->scratch, FETCHED_AT_ONCE);
    rico__emit(c);
    fetch_some(c->scratch, FETCHED_AT_ONCE);
    if (reports)
        rico__events_end(c, EVENTS_OF_END);
}

/* Fetches what the next block's end needs while this block's end works. All at once, with what
 * passes need, the lines would wait for each other. */
static void fetch_late(const rico__block_context *c)
{
    if (c->streams.ahead == NULL)
        return;
    const rico__recipe *next = c->next_recipe;
    for (uint32_t k = 0; k < next->late_streams; ++k) {
        const float *stream =
            c->streams.ahead + (size_t)(next->late_first + k) * next->stream_floats;
        for (uint32_t i = 0; i < c->streams.ahead_floats; i += RICO_CACHE_LINE / sizeof *stream)
            prefetch_line(stream + i);
    }
}

static void end_block(rico__block_context *c)
{
    change_particles(c);
    if (c->recipe->def.rolls)
        rico__rotation_roll(c);
    fetch_late(c);
    if (c->recipe->changes_looks)
        rico__evaluate_curves(c->world, c->recipe, c->data, c->block->count);
    fetch_some(c->scratch, FETCHED_AT_ONCE);
    keep_mask(c->block->rebound, c->masks.rebound);
    count_sleepers(c);
    c->world->block_counts[c->place] = c->block->count;
    if (!asks_records(c))
        return;
    if (rico__has_caster(c->world))
        rico__host_look_ahead(c);
    else
        rico__look_ahead(c);
}

/* Resetting a block takes a few ns: so many at a time. */
#define RESET_BLOCKS 96u

/* Before anything is moved. The colliders changed, so particles that rest on one wake up.
 * Particles that stick are tested later: rico__unstick. */
static void reset_block(rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico_recipe *def = &world->recipes[block->recipe].def;
    block->request_count = 0;
    if (effect->forgets && def->mode != RICO_COLLIDE_FIXED && !rico__response_stays(def))
        memset(block->asleep, 0, sizeof block->asleep);
}

/* Particles that have lost their hold then look ahead with those that wait. */
static void unstick_block(rico_world *world, uint32_t worker, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const bool may = world->edits.list.count > 0 || world->effects[block->effect].forgets;
    if (!may || !unsticks(recipe) || !looks_when_unstuck(world, recipe))
        return;
    rico__block_context c;
    begin_context(world, block, worker, &c);
    rico__unstick(&c);
}

/* Particles that wait for records see what was merged last. */
static void reset_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    uint32_t index = rico_worker_index(worker);
    for (uint32_t i = begin; i < end; ++i) {
        fetch_header(world, i + 4);
        rico__block *block = &world->blocks[world->block_list[i]];
        reset_block(world, block);
        if (world->edits.list.count > 0 &&
            !rico__knows_edits(world, &world->effects[block->effect]))
            rico__edits_reach(world, block);
        if (world->fields.count > 0)
            rico__fields_wake(world, block);
        unstick_block(world, index, block);
        rico__pace_start(world, &world->effects[block->effect], block);
        if (rico__has_caster(world))
            rico__host_reset_block(world, block);
        else
            rico__look_again(world, index, block);
    }
}

static void move_or_finish(rico__block_context *c)
{
    fetch_begin(c);
    move(c);
    if (!asks_records(c))
        end_block(c);
}

/* Four blocks are in the works at a time. For the first, what the pass needs is put together.
 * The second is moved. It is also finished if it asks for no records, because four would be
 * more than the first cache holds. For the third, cells of contacts are looked up. For the
 * fourth, what was looked up has come from memory, and the block is finished. */
static void simulate_fours(rico_world *world, uint32_t worker, uint32_t begin, uint32_t end)
{
    rico__scratch *scratch = &world->scratch[worker];
    rico__block_context works[4];
    uint32_t count = end - begin;
    for (uint32_t i = 0; i < count + 3; ++i) {
        if (i < count)
            prepare_block(world, begin + i, end, worker, &works[i % 4]);
        if (i >= 1 && i - 1 < count)
            move_or_finish(&works[(i - 1) % 4]);
        fetch_some(scratch, FETCHED_AT_ONCE);
        if (i >= 2 && i - 2 < count && asks_records(&works[(i - 2) % 4]))
            rico__cached_fetch(&works[(i - 2) % 4], true);
        fetch_some(scratch, FETCHED_AT_ONCE);
        if (i >= 3 && asks_records(&works[(i - 3) % 4]))
            end_block(&works[(i - 3) % 4]);
        fetch_some(scratch, RICO__MAX_BLOCK);
        scratch->fetching.streams = NULL;
    }
}

/* Without mode cached the last two stages do nothing: felt with thousands of small blocks. */
static void simulate_pairs(rico_world *world, uint32_t worker, uint32_t begin, uint32_t end)
{
    rico__block_context works[2];
    prepare_block(world, begin, end, worker, &works[begin % 2]);
    for (uint32_t i = begin; i < end; ++i) {
        if (i + 1 < end)
            prepare_block(world, i + 1, end, worker, &works[(i + 1) % 2]);
        move(&works[i % 2]);
        end_block(&works[i % 2]);
    }
}

/* The blocks of several batches are in the works together. */
static void simulate_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const rico_world *world = context;
    const uint32_t first = world->batches[begin].begin, last = world->batches[end - 1].end;
    if (world->any_records)
        simulate_fours(context, rico_worker_index(worker), first, last);
    else
        simulate_pairs(context, rico_worker_index(worker), first, last);
}

/* Paths still followed when all blocks are through: the waves of workers. */
static void land_range(rico_worker *worker, void *world, uint32_t begin, uint32_t end)
{
    (void)worker; /* whichever worker filled the wave has ended */
    for (uint32_t w = begin; w < end; ++w)
        rico__land_all(world, w);
}

static void land_waves(rico_worker *worker, rico_world *world)
{
    uint32_t flights = 0;
    for (uint32_t w = 0; w < world->worker_count; ++w)
        flights += world->waves[w].count;
    if (flights > 0)
        rico_worker_for(worker, 0, world->worker_count, 1, land_range, world);
}

static void cut(rico_worker *worker, void *world)
{
    (void)worker;
    rico__cut_batches(world);
}

/* Batches are cut meanwhile. */
static void reset_all(rico_worker *worker, rico_world *world)
{
    rico_job job;
    rico_job_fork(worker, &job, cut, world);
    rico_worker_for(worker, 0, world->block_list_count, RESET_BLOCKS, reset_range, world);
    rico_job_join(worker, &job);
}

/* A recipe's planes, and fields that do not exist, wake no particles. */
static bool may_reset(const rico_world *world)
{
    return world->any_scene || world->fields.count > 0;
}

/* In one run, because the cost of a run counts in small worlds. */
static void simulate_all(rico_worker *worker, void *context)
{
    rico_world *world = context;
    if (may_reset(world))
        reset_all(worker, world);
    else
        rico__cut_batches(world);
    land_waves(worker, world);
    rico_worker_for(worker, 0, world->batch_count, 0, simulate_range, world);
    land_waves(worker, world);
    rico__query_needs(worker, world);
}

void rico__stage_simulate(rico_world *world)
{
    rico__work(world, simulate_all, world);
}
