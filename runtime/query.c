/* Stage query: what particles lack, within the budget.
 *
 * The choice is serial, cheap and in effect order; the answers are found by jobs and go into the
 * caches as deposits. No key is asked for twice in a frame, by whichever effects. */
#include "host_rays.h"
#include "record.h"
#include "stages.h"
#include "vec.h"

#include "bits.h"
#include "random.h"

#include <string.h>

#define USE_CLASSIC_PICK 100u
#define GATHER_UNIT 64u     /* triangles per query unit */
#define CLASSIC_REACH 10.0f /* seconds of flight that a classic ray looks ahead */

/* True when the key was not yet in the frame's set. */
static bool claim_key(rico_world *world, rico_cache_key key)
{
    uint32_t mask = world->query_key_capacity - 1;
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

static uint32_t request_count(const rico_world *world, const rico__effect *effect)
{
    uint32_t count = 0;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        count += world->blocks[b].request_count;
    return count;
}

/* Queries that the effect's particles of mode cached lack. */
static uint32_t lacking(const rico_world *world, const rico__effect *effect)
{
    return rico__has_caster(world) ? rico__host_waiting(world, effect)
                                   : request_count(world, effect);
}

/* Queries that the effect would use now. */
static uint32_t need(rico_world *world, rico__effect *effect)
{
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    bool cached = def->mode == RICO_COLLIDE_CACHED;
    if (!(effect->dt > 0.0f) || (!cached && def->mode != RICO_COLLIDE_CLASSIC))
        return 0;
    /* Unspent credit does not pile up: at most one unit beside this frame's. */
    effect->query_credit =
        float_min(effect->query_credit + def->queries_per_frame, def->queries_per_frame + 1.0f);
    if (effect->query_credit < 1.0f)
        return 0;
    uint32_t credit = (uint32_t)effect->query_credit;
    return uint_min(credit, cached ? lacking(world, effect) : effect->particle_count);
}

/* The request that most particles of the effect wait for; ties by key. */
static rico__request *most_wanted(rico_world *world, const rico__effect *effect)
{
    rico__request *best = NULL;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        rico__block *block = &world->blocks[b];
        for (uint32_t r = 0; r < block->request_count; ++r) {
            rico__request *request = &block->requests[r];
            if (request->wanted > 0 &&
                (best == NULL || request->wanted > best->wanted ||
                 (request->wanted == best->wanted && request->key < best->key)))
                best = request;
        }
    }
    return best;
}

static void choose_gathers(rico_world *world, uint32_t slot, uint32_t grant)
{
    rico__effect *effect = &world->effects[slot];
    while (grant > 0) {
        rico__request *request = most_wanted(world, effect);
        if (request == NULL)
            return;
        request->wanted = 0;
        if (!claim_key(world, request->key))
            continue;
        world->queries[world->query_count++] =
            (rico__query){.kind = QUERY_GATHER, .effect = slot, .key = request->key};
        --grant;
    }
}

/* The block and lane of the effect's n-th particle. */
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
        uint32_t n = rico__random_u32(effect->seed, world->frame, use) % alive;
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

/* Splits the world's budget by need: everyone's share is rounded by carrying the remainder from
 * effect to effect, starting at another place each frame, so that nobody starves for ever. */
static void choose_queries(rico_world *world)
{
    uint64_t total = 0, budget = world->def.queries_per_frame;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (world->effects[slot].alive) {
            world->effects[slot].wanted_queries = need(world, &world->effects[slot]);
            total += world->effects[slot].wanted_queries;
        }
    world->query_count = 0;
    if (total == 0 || budget == 0)
        return;
    for (uint32_t i = 0; i < world->query_key_capacity; ++i)
        world->query_keys[i] = RICO_NO_KEY;
    uint64_t carry = total > budget ? (uint64_t)world->frame * 7919u % total : 0;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        rico__effect *effect = &world->effects[slot];
        if (!effect->alive || effect->wanted_queries == 0)
            continue;
        uint32_t grant = effect->wanted_queries;
        if (total > budget) {
            carry += (uint64_t)grant * budget;
            grant = (uint32_t)(carry / total);
            carry %= total;
        }
        grant = uint_min(grant, (uint32_t)(budget - world->query_count));
        if (world->recipes[effect->recipe].def.mode != RICO_COLLIDE_CACHED)
            choose_rays(world, slot, grant);
        else if (rico__has_caster(world))
            rico__host_choose(world, slot, grant);
        else
            choose_gathers(world, slot, grant);
    }
}

static void answer_gather(rico_world *world, rico__query *query, rico__scratch *scratch)
{
    rico_triangle triangles[RICO__RECORD_SURFACES];
    rico__cell cell = rico__record_cell(query->key, world->def.cell_size);
    rico_box box = rico__record_box(&cell);
    uint32_t count = rico_scene_gather(world->scene, rico__still_filter(world), &box, triangles,
                                       RICO__RECORD_SURFACES);
    uint32_t gathered = uint_min(count, RICO__RECORD_SURFACES);
    rico__record record;
    rico__record_build(&record, &cell, triangles, gathered, count);
    rico_cache_info info = {
        .frame = world->frame,
        .rank = 1,
        .collider = count > 0 ? triangles[0].collider : 0,
        .triangle = count > 0 ? triangles[0].triangle : RICO_NO_TRIANGLE,
        .version = rico_scene_version(world->scene), /* baking: not yet that of the step */
    };
    bool divided = record.crowded != 0 && cell.level + 1 < RICO__RECORD_LEVELS;
    rico_cache_key key =
        divided ? rico__record_divided_key(query->key, cell.level) : query->key;
    rico_cache_deposit_by(world->records, (uint32_t)(scratch - world->scratch), key, &info,
                          &record, divided ? 0 : rico__record_bytes(&record));
    query->divided = divided;
    query->empty = count == 0;
    query->units = uint_max(1, (count + GATHER_UNIT - 1) / GATHER_UNIT);
    scratch->tally.gathers += 1;
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
    rico__stream(recipe, data, FIELD_NX)[query->lane] = plane.normal.x;
    rico__stream(recipe, data, FIELD_NY)[query->lane] = plane.normal.y;
    rico__stream(recipe, data, FIELD_NZ)[query->lane] = plane.normal.z;
    rico__stream(recipe, data, FIELD_ND)[query->lane] = plane.offset;
    rico__plane_deposit(world, query->key, plane, hit->t, hit);
}

static void answer_ray(rico_world *world, rico__query *query, rico__scratch *scratch)
{
    rico_ray ray = rico__query_ray(query);
    rico_hit hit = rico_scene_raycast(world->scene, NULL, &ray);
    query->units = 1;
    query->divided = query->empty = false;
    scratch->tally.rays += 1;
    rico__query_take(world, query, &ray, &hit);
}

static void answer_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    rico__scratch *scratch = &world->scratch[rico_worker_index(worker)];
    for (uint32_t q = begin; q < end; ++q) {
        if (world->queries[q].kind == QUERY_GATHER)
            answer_gather(world, &world->queries[q], scratch);
        else
            answer_ray(world, &world->queries[q], scratch);
    }
}

static void note_empty_children(rico_world *world, const rico__cell *parent)
{
    for (int32_t c = 0; c < 8; ++c) {
        rico__cell child = rico__record_cell_at(
            2 * parent->at[0] + (c & 1), 2 * parent->at[1] + (c >> 1 & 1),
            2 * parent->at[2] + (c >> 2), parent->level + 1, world->def.cell_size);
        rico_box box = rico__record_box(&child);
        if (!rico__still_occupied(world, &box))
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
    if (empty) {
        rico__coverage_empty(&world->coverage, cell.at, cell.level);
        return;
    }
    rico__coverage_divide(&world->coverage, cell.at, cell.level);
    if (cell.level == 0)
        note_empty_children(world, &cell);
}

static void note_cell(rico_world *world, const rico__query *query)
{
    rico__query_note(world, query->key, query->divided, query->empty);
}

void rico__query_answer(rico_world *world)
{
    rico_jobs_for(world->jobs, 0, world->query_count, 8, answer_range, world);
    for (uint32_t q = 0; q < world->query_count; ++q)
        note_cell(world, &world->queries[q]);
}

void rico__query_charge(rico_world *world)
{
    uint32_t units = 0;
    for (uint32_t q = 0; q < world->query_count; ++q) {
        world->effects[world->queries[q].effect].query_credit -= (float)world->queries[q].units;
        units += world->queries[q].units;
        note_cell(world, &world->queries[q]);
    }
    world->stats.query_units = units;
}

void rico__stage_query(rico_world *world)
{
    choose_queries(world);
    if (rico__has_caster(world)) {
        rico__host_query(world);
        return;
    }
    rico_jobs_for(world->jobs, 0, world->query_count, 8, answer_range, world);
    rico__query_charge(world);
}
