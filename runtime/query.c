/* Stage query: finds what particles lack, within the budget.
 *
 * Jobs count what effects want. The choice is serial, cheap and in effect order. Jobs find the
 * answers, which go into the caches as deposits. No key is asked for twice in a frame,
 * whichever effects want it. */
#include "gathers.h"
#include "host_rays.h"
#include "known_cells.h"
#include "record.h"
#include "shares.h"
#include "stages.h"
#include "vec.h"
#include "waiting.h"

#include "bits.h"
#include "random.h"

#include <string.h>

#define USE_CLASSIC_PICK 100u
#define CLASSIC_REACH 10.0f /* seconds of flight that a classic ray looks ahead */

static bool is_claimed(const rico_world *world, rico_cache_key key)
{
    uint32_t mask = world->query_key_mask;
    for (uint32_t i = (uint32_t)rico__mix64(key);; ++i)
        if (world->query_keys[i & mask] == key || world->query_keys[i & mask] == RICO_NO_KEY)
            return world->query_keys[i & mask] == key;
}

/* True when the key was not in the frame's set yet. */
static bool claim_key(rico_world *world, rico_cache_key key)
{
    uint32_t mask = world->query_key_mask;
    for (uint32_t i = (uint32_t)rico__mix64(key);; ++i) {
        rico_cache_key *entry = &world->query_keys[i & mask];
        if (*entry == key)
            return false;
        if (*entry == RICO_NO_KEY) {
            *entry = key;
            return true;
        }
    }
}

/* For an effect that takes time, by the step's list. Along the chain of blocks, each header
 * would wait for the one before, and the largest effect would be the frame's longest chain
 * here. */
static uint32_t request_count(const rico_world *world, const rico__effect *effect)
{
    const uint32_t *list = world->block_list + effect->list_begin;
    uint32_t count = 0;
    for (uint32_t i = 0; i < effect->block_count; ++i)
        count += world->blocks[list[i]].request_count;
    return count;
}

/* Queries that the effect's particles lack, in mode cached. */
static uint32_t lacking(const rico_world *world, const rico__effect *effect)
{
    return rico__has_caster(world) ? rico__host_waiting(world, effect)
                                   : request_count(world, effect);
}

/* Queries that the effect would use now. */
static uint32_t need(const rico_world *world, const rico__effect *effect)
{
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    if (!(effect->dt > 0.0f) || rico__is_blind(def, effect))
        return 0;
    if (def->mode == RICO_COLLIDE_CLASSIC)
        return effect->particle_count;
    return def->mode == RICO_COLLIDE_CACHED ? lacking(world, effect) : 0;
}

/* Whether particles want request a more than b: how many they are, and how soon they need the
 * cell (forecast.c). The key decides ties. */
static bool is_more_urgent(const rico__request *a, const rico__request *b)
{
    if (a->wanted != b->wanted)
        return a->wanted > b->wanted;
    return a->lack.key < b->lack.key;
}

static rico__request *most_urgent(rico_world *world, const rico__effect *effect)
{
    rico__request *best = NULL;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        const rico__block *block = &world->blocks[b];
        rico__request *requests = rico__block_requests(world, block);
        for (uint32_t r = 0; r < block->request_count; ++r) {
            rico__request *request = &requests[r];
            if (request->wanted > 0 && (best == NULL || is_more_urgent(request, best)))
                best = request;
        }
    }
    return best;
}

/* A key that stands for a whole group: a mark's, because no query asks for marks. The range of
 * keys ends at a border of groups. */
static rico_cache_key group_key(const rico_world *world, rico_cache_key key)
{
    return rico__record_divided_key(rico__gather_fellow(world, key, 0).key, 0);
}

/* Whether the cell's group was never asked for as a whole: otherwise some of its records would
 * be there. */
static bool is_new_group(rico_world *world, rico_cache_key key)
{
    if (rico__record_cell(key, world->def.cell_size).level > 0)
        return false;
    for (uint32_t i = 0; i < 8; ++i) {
        bool divided;
        rico__cell fellow = rico__gather_fellow(world, key, i);
        if (rico_cache_find_either(world->records, fellow.key, RICO__KEY_OF_DIVIDED(0), 0,
                                   &divided) != NULL)
            return false;
    }
    return true;
}

/* False: it was asked for already in this frame. */
static bool add_gather(rico_world *world, uint32_t slot, rico__request *request)
{
    request->wanted = 0;
    const bool is_new = is_new_group(world, request->lack.key);
    const rico_cache_key whole = is_new ? group_key(world, request->lack.key) : RICO_NO_KEY;
    if ((is_new && is_claimed(world, whole)) || !claim_key(world, request->lack.key))
        return false;
    /* Beyond this many groups each request asks for its own cell, because no other gather will
     * include it. */
    const bool group = is_new && world->group_count < RICO__GROUPS_PER_STEP;
    if (group)
        claim_key(world, whole);
    world->group_count += group;
    world->queries[world->query_count++] = (rico__query){.kind = QUERY_GATHER,
                                                         .effect = slot,
                                                         .key = request->lack.key,
                                                         .finest = request->lack.finest,
                                                         .cells = 1,
                                                         .group = group};
    return true;
}

/* Adds gathers in the order of particles; returns what is left of the grant. */
static uint32_t choose_in_order(rico_world *world, uint32_t slot, bool here, uint32_t grant)
{
    uint32_t b = world->effects[slot].first_block;
    for (; b != RICO__NO_BLOCK && grant > 0; b = world->blocks[b].next) {
        const rico__block *block = &world->blocks[b];
        rico__request *requests = rico__block_requests(world, block);
        for (uint32_t r = 0; r < block->request_count && grant > 0; ++r)
            if (requests[r].wanted > 0 && requests[r].here == here)
                grant -= add_gather(world, slot, &requests[r]);
    }
    return grant;
}

/* A grant of up to this many gathers, if it is not all that is wanted, goes by urgency.
 * Otherwise cells with particles in them come first. */
#define MOST_SORTED 64u

static void choose_gathers(rico_world *world, uint32_t slot)
{
    const rico__effect *effect = &world->effects[slot];
    uint32_t grant = world->accounts[slot].granted;
    if (grant == world->accounts[slot].wanted || grant > MOST_SORTED) {
        choose_in_order(world, slot, false, choose_in_order(world, slot, true, grant));
        return;
    }
    for (rico__request *r = most_urgent(world, effect); r != NULL && grant > 0;
         r = most_urgent(world, effect))
        grant -= add_gather(world, slot, r);
}

/* The block of the effect's n-th particle; n becomes its lane there. */
static rico__block *find_particle(rico_world *world, const rico__effect *effect, uint32_t *n)
{
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        if (*n < world->blocks[b].count)
            return &world->blocks[b];
        *n -= world->blocks[b].count;
    }
    return NULL;
}

static bool already_chosen(const rico_world *world, uint32_t first, uint32_t block,
                           uint32_t lane)
{
    for (uint32_t q = first; q < world->query_count; ++q)
        if (world->queries[q].block == block && world->queries[q].lane == lane)
            return true;
    return false;
}

static void choose_rays(rico_world *world, uint32_t slot, uint32_t grant)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    uint32_t alive = 0, first = world->query_count;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        alive += world->blocks[b].count;
    for (uint32_t i = 0; i < grant && alive > 0; ++i) {
        uint32_t use = USE_CLASSIC_PICK + i;
        uint32_t n = rico__random_u32(effect->seed, world->lived, use) % alive;
        rico__block *block = find_particle(world, effect, &n);
        uint32_t index = (uint32_t)(block - world->blocks);
        if (already_chosen(world, first, index, n))
            continue;
        float *data = rico__block_data(world, block);
        rico_vec3 p = vec3(rico__stream(recipe, data, FIELD_PX)[n],
                           rico__stream(recipe, data, FIELD_PY)[n],
                           rico__stream(recipe, data, FIELD_PZ)[n]);
        rico_vec3 v = vec3(rico__stream(recipe, data, FIELD_VX)[n],
                           rico__stream(recipe, data, FIELD_VY)[n],
                           rico__stream(recipe, data, FIELD_VZ)[n]);
        world->queries[world->query_count++] = (rico__query){
            .kind = QUERY_RAY,
            .effect = slot,
            .key = rico_cache_key_at(world->planes, p, rico_cache_direction(v)),
            .origin = p,
            .direction = v,
            .block = index,
            .lane = n,
        };
    }
}

/* How often a query may gather again until it has come down to where a path comes in; and once
 * more for its group, before that. */
#define MORE_GATHERS (RICO__RECORD_LEVELS - 1)
#define MORE_WITH_GROUP (MORE_GATHERS + 1)

/* While the world's budget and the room for deposits last, queries may make the records of
 * whole groups and of all parts of divided cells. With less, they make only those where a path
 * comes in. */
static void allow_parts(rico_world *world)
{
    uint32_t more = world->def.queries_per_frame - world->query_count;
    uint32_t left = rico__deposits_per_step(&world->def) - world->query_count;
    for (uint32_t q = 0; q < world->query_count; ++q) {
        rico__query *query = &world->queries[q];
        if (query->kind != QUERY_GATHER)
            continue;
        uint32_t share = left / (world->query_count - q);
        uint32_t all = uint_min(uint_max(share, RICO__GATHER_DEPOSITS), RICO__MOST_DEPOSITS);
        bool goes_on = query->finest != RICO_NO_KEY && more >= MORE_GATHERS;
        if (goes_on && more >= MORE_WITH_GROUP && left >= all - 1)
            query->cells = all;
        else if (goes_on && left >= RICO__RECORD_LEVELS - 1)
            query->cells = RICO__RECORD_LEVELS;
        query->group = query->group && query->cells >= RICO__GATHER_DEPOSITS;
        left -= query->cells - 1;
        more -= query->cells == 1 ? 0 : query->group ? MORE_WITH_GROUP : MORE_GATHERS;
    }
}

/* Counts the particles that simulate left in the effect's blocks; nothing changes them before
 * report. Returns whether any block is empty. */
static bool count_particles(const rico_world *world, rico__effect *effect)
{
    if (!(effect->dt > 0.0f))
        return false;
    const uint16_t *counts = world->block_counts + effect->list_begin;
    uint32_t particles = 0;
    bool any_empty = false;
    for (uint32_t i = 0; i < effect->block_count; ++i) {
        particles += counts[i];
        any_empty |= counts[i] == 0;
    }
    effect->particle_count = particles + rico__aside(world, effect);
    return any_empty;
}

static rico__outcome outcome_of(const rico_world *world, rico__effect *effect)
{
    bool any_empty = count_particles(world, effect);
    return (rico__outcome){
        .particles = effect->particle_count,
        .any_empty = any_empty,
        .untidy = any_empty || effect->moved || effect->particle_count == 0,
    };
}

static void need_place(rico_world *world, uint32_t place)
{
    rico__sums *sums = &world->sums[place];
    sums->particles = 0;
    uint32_t left = rico__sleep_walkers(&world->sleep, place);
    for (; left != 0; left &= left - 1) {
        const uint32_t slot = rico__first_slot(place) + bits_lowest64(left);
        rico__walk_ahead(world, slot);
        if (world->any_records)
            rico__walk_blocks_ahead(world, slot);
        rico__effect *effect = &world->effects[slot];
        rico__outcome *outcome = &world->outcomes[slot];
        uint32_t wanted = need(world, effect);
        *outcome = outcome_of(world, effect);
        outcome->sleeps = wanted == 0 && rico__sleep_wanted(world, slot);
        outcome->untidy |= outcome->sleeps;
        sums->particles += outcome->particles;
        sums->untidy |= outcome->untidy;
        rico__shares_begin(world, slot, wanted, sums);
    }
}

static void need_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        need_place(world, world->sleep.active[i]);
}

void rico__query_needs(rico_worker *worker, rico_world *world)
{
    rico_worker_for(worker, 0, world->sleep.active_count, 1, need_range, world);
}

/* Makes an empty set for so many units: a gather claims two keys at most. */
static void clear_keys(rico_world *world, uint64_t units)
{
    uint64_t most = world->def.queries_per_frame;
    world->query_key_mask = bits_ceil_power2(4 * (uint32_t)(units < most ? units : most)) - 1;
    for (uint32_t i = 0; i <= world->query_key_mask; ++i)
        world->query_keys[i] = RICO_NO_KEY;
}

static void choose_for(rico_world *world, uint32_t slot)
{
    const rico__account *account = &world->accounts[slot];
    world->stats.queries_wanted += account->wanted;
    world->stats.queries_granted += account->granted;
    world->stats.effects_starved += account->granted < account->wanted;
    if (account->granted == 0)
        return;
    if (!account->shares)
        choose_rays(world, slot, account->granted);
    else if (rico__has_caster(world))
        rico__host_choose(world, slot, account->granted);
    else
        choose_gathers(world, slot);
}

static void choose_queries(rico_world *world)
{
    uint64_t wanted = 0;
    world->query_count = world->group_count = 0;
    world->stats.queries_wanted = world->stats.queries_granted = 0;
    world->stats.effects_starved = 0;
    for (uint32_t i = 0; i < world->sleep.active_count; ++i)
        wanted += world->sums[world->sleep.active[i]].wanted;
    if (wanted == 0)
        return;
    uint32_t spare = rico__shares_grant(world);
    clear_keys(world, wanted);
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        if (world->sums[place].wanted == 0)
            continue;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot)
            choose_for(world, slot);
    }
    if (rico__has_caster(world))
        return;
    allow_parts(world);
    rico__waiting_choose(world, spare);
}

rico_ray rico__query_ray(const rico__query *query)
{
    return (rico_ray){
        .origin = query->origin, .t_max = CLASSIC_REACH, .direction = query->direction};
}

void rico__plane_deposit(rico_world *world, rico_cache_key key, rico_plane plane, float seconds,
                         const rico_hit *hit)
{
    rico_cache_info info = {
        .frame = world->frame,
        .rank = 0,
        .impact = (uint32_t)(float_clamp(seconds, 0.0f, CLASSIC_REACH) * 65536.0f),
        .collider = hit->collider,
        .triangle = hit->triangle,
        .version = world->scene_version,
    };
    if (key != RICO_NO_KEY)
        rico_cache_deposit(world->planes, key, &info, &plane);
}

void rico__query_take(rico_world *world, const rico__query *query, const rico_ray *ray,
                      const rico_hit *hit)
{
    if (hit->collider == 0)
        return;
    rico_vec3 point = vec3_mad(ray->origin, ray->direction, hit->t);
    rico_plane plane = {hit->normal, vec3_dot(hit->normal, point)};
    rico__block *block = &world->blocks[query->block];
    const rico__recipe *recipe = &world->recipes[world->effects[query->effect].recipe];
    float *data = rico__block_data(world, block);
    rico__watch(data + query->lane, recipe->stream_floats, plane, 0);
    rico__plane_deposit(world, query->key, plane, hit->t, hit);
}

void rico__query_note_ray(rico__query *query, const rico_ray *ray, const rico_hit *hit)
{
    query->origin = ray->origin;
    query->end = vec3_mad(ray->origin, ray->direction, hit->t);
    query->met = hit->collider != 0;
}

static void answer_ray(rico_world *world, rico__query *query, rico__scratch *scratch)
{
    rico_ray ray = rico__query_ray(query);
    rico_hit hit = rico_scene_raycast(world->scene, NULL, &ray);
    query->units = 1;
    query->divided = 0;
    query->empty = false;
    rico__query_note_ray(query, &ray, &hit);
    scratch->tally.rays += 1;
    rico__query_take(world, query, &ray, &hit);
}

static void answer_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    rico__scratch *scratch = &world->scratch[rico_worker_index(worker)];
    for (uint32_t q = begin; q < end; ++q) {
        rico__query *query = &world->queries[q];
        query->generation = world->effects[query->effect].generation;
        if (query->kind == QUERY_GATHER)
            rico__gather_answer(world, query, scratch);
        else if (query->kind == QUERY_CHORD)
            rico__waiting_answer(world, query, scratch);
        else
            answer_ray(world, query, scratch);
    }
}

static void note_empty_children(rico_world *world, rico_cache_key parent)
{
    for (uint32_t i = 0; i < 8; ++i) {
        rico__cell child = rico__gather_part(world, parent, i);
        rico_box box = rico__record_box(&child, world->coverage.margin);
        if (!rico__may_be_recorded(world, &box))
            rico__coverage_empty(&world->coverage, child.at, child.level);
    }
}

void rico__query_note(rico_world *world, rico_cache_key key, bool divided, bool empty)
{
    if (!divided && !empty)
        return;
    rico__cell cell = rico__record_cell(key, world->def.cell_size);
    if (cell.level > 1)
        return;
    if (empty)
        rico__coverage_empty(&world->coverage, cell.at, cell.level);
    if (!divided)
        return;
    rico__coverage_divide(&world->coverage, cell.at, cell.level);
    if (cell.level == 0)
        note_empty_children(world, key);
}

/* Tells coverage of cells of the first two levels, which are all that it notes. */
static void note_cells(rico_world *world, const rico__query *query)
{
    uint32_t first = rico__record_cell(query->key, world->def.cell_size).level;
    for (uint32_t level = first; level <= uint_min(query->last_level, 1); ++level)
        rico__query_note(
            world, level == first ? query->key : rico__gather_key(query->finest, level),
            (query->divided >> level & 1) != 0, query->empty && level == query->last_level);
    for (uint32_t left = query->group_divided | query->group_empty; left != 0;
         left &= left - 1) {
        uint32_t i = bits_lowest64(left);
        rico__query_note(world, rico__gather_fellow(world, query->key, i).key,
                         (query->group_divided >> i & 1) != 0,
                         (query->group_empty >> i & 1) != 0);
    }
    for (uint64_t left = query->parts_divided; left != 0; left &= left - 1) {
        uint32_t number = bits_lowest64(left);
        rico__cell fellow = rico__gather_fellow(world, query->key, number / 8);
        rico__cell part = rico__gather_part(world, fellow.key, number % 8);
        rico__coverage_divide(&world->coverage, part.at, part.level);
    }
}

static void charge(rico_world *world, const rico__query *query)
{
    float *credit = &world->accounts[query->effect].credit;
    *credit -= (float)query->units + (float)query->rays * (1.0f / RICO__RAYS_PER_UNIT);
    if (query->kind == QUERY_CHORD)
        rico__bit_set(world->blocks[query->block].waits, query->lane, false);
    if (query->kind == QUERY_GATHER)
        note_cells(world, query);
}

void rico__query_answer(rico_world *world)
{
    const bool was = rico__begin_work(world);
    rico__work_for(world, 0, world->query_count, 1, answer_range, world);
    rico__end_work(world, was);
    for (uint32_t q = 0; q < world->query_count; ++q)
        note_cells(world, &world->queries[q]);
}

void rico__query_charge(rico_world *world)
{
    uint32_t units = 0;
    for (uint32_t q = 0; q < world->query_count; ++q) {
        units += world->queries[q].units;
        charge(world, &world->queries[q]);
    }
    world->stats.query_units = units;
    rico__shares_balance(world);
}

void rico__stage_query(rico_world *world)
{
    rico__extents_answer(world);
    choose_queries(world);
    if (rico__has_caster(world)) {
        rico__host_query(world);
        return;
    }
    rico__work_for(world, 0, world->query_count, 1, answer_range, world);
}
