/* Stage plan: births, blocks, event quotas and batches, in effect order and on one thread, so
 * that no race decides who gets the last of anything. Nothing here depends on the number of
 * workers. */
#include "host_rays.h"
#include "preparation.h"
#include "stages.h"

#include "vec.h"

#include <string.h>

/* A batch is about this much work, in units of 4 ns: 15 to 30 us, long against the cost of
 * handing it out, short against a frame. */
#define BATCH_COST 4096u
#define BLOCK_COST 32u

static rico__block *append_block(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    uint32_t unit;
    uint32_t index = rico__pool_acquire(&world->pool, recipe->block_units, &unit);
    if (index == RICO__NO_BLOCK)
        return NULL;
    rico__block *block = &world->blocks[index];
    *block = (rico__block){.next = RICO__NO_BLOCK,
                           .effect = slot,
                           .recipe = (uint16_t)effect->recipe,
                           .unit = unit};
    if (effect->last_block == RICO__NO_BLOCK)
        effect->first_block = index;
    else
        world->blocks[effect->last_block].next = index;
    effect->last_block = index;
    return block;
}

static uint32_t fill(rico__block *block, rico__effect *effect, uint32_t capacity,
                     uint32_t births)
{
    uint32_t room = uint_min(capacity - block->count, births);
    block->birth_count = (uint16_t)room;
    block->birth_serial = effect->next_serial;
    effect->next_serial += room;
    return room;
}

/* Gives the births to blocks with room, oldest first, then to new ones. */
static uint32_t place_births(rico_world *world, uint32_t slot, uint32_t births)
{
    rico__effect *effect = &world->effects[slot];
    uint32_t capacity = world->recipes[effect->recipe].block_capacity;
    uint32_t left = births;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK && left > 0;
         b = world->blocks[b].next)
        left -= fill(&world->blocks[b], effect, capacity, left);
    while (left > 0) {
        rico__block *block = append_block(world, slot);
        if (block == NULL)
            break;
        left -= fill(block, effect, capacity, left);
    }
    return births - left;
}

/* Paths are forecast with the length of a step, and stay good while that is about the same. */
static void update_path_dt(rico__effect *effect)
{
    effect->path_dt_changed = !(effect->dt <= effect->path_dt * RICO__DT_TOLERANCE &&
                                effect->path_dt <= effect->dt * RICO__DT_TOLERANCE);
    if (effect->path_dt_changed)
        effect->path_dt = effect->dt;
}

static float distance_moved(const rico__effect *effect)
{
    if (!effect->moved)
        return 0.0f;
    return vec3_length(vec3_sub(effect->transform.position, effect->before.position));
}

/* Births that the recipe wants in this step. */
static uint32_t births_due(rico__effect *effect, const rico__recipe *recipe)
{
    effect->emitter.first_serial = effect->next_serial;
    return rico__emitter_step(&effect->emitter, &recipe->emission, &recipe->def, effect->seed,
                              effect->dt, distance_moved(effect), &effect->emitting);
}

static void plan_effect(rico_world *world, uint32_t slot, uint32_t *particles)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    effect->dt = rico__takes_part(world, slot) ? world->dt * effect->time_scale : 0.0f;
    if (!(effect->dt > 0.0f)) {
        effect->missed_edits |=
            world->scene_changed || world->edits.count > 0 || world->movers.any_moved;
        return;
    }
    effect->forgets = world->scene_changed || effect->missed_edits;
    effect->missed_edits = false;
    update_path_dt(effect);
    if (recipe->pushes)
        effect->clock += (double)effect->dt;
    uint32_t wanted = births_due(effect, recipe);
    if (effect->fed)
        wanted = recipe->feed.births;
    uint32_t most = recipe->def.max_particles; /* fewer than are alive, if it was changed */
    uint32_t births = uint_min(wanted, most - uint_min(most, effect->particle_count));
    births = uint_min(births, world->def.max_particles - *particles);
    if (births > 0)
        births = place_births(world, slot, births);
    *particles += births;
    effect->particle_count += births;
    world->stats.births_starved += wanted - births;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        world->block_list[world->block_list_count++] = b;
}

static uint32_t block_cost(const rico_world *world, const rico__block *block)
{
    static const uint32_t per_particle[RICO_COLLISION_MODE_COUNT] = {
        [RICO_COLLIDE_NONE] = 1,    [RICO_COLLIDE_FIXED] = 1,  [RICO_COLLIDE_CACHED] = 4,
        [RICO_COLLIDE_CLASSIC] = 2, [RICO_COLLIDE_EXACT] = 16,
    };
    const rico__recipe *recipe = &world->recipes[block->recipe];
    return BLOCK_COST + block->count * per_particle[recipe->def.mode] + block->birth_count * 8;
}

static void cut_batches(rico_world *world)
{
    uint32_t begin = 0, cost = 0;
    world->batch_count = 0;
    for (uint32_t i = 0; i < world->block_list_count; ++i) {
        cost += block_cost(world, &world->blocks[world->block_list[i]]);
        if (cost < BATCH_COST && i + 1 < world->block_list_count)
            continue;
        world->batches[world->batch_count++] = (rico__batch){begin, i + 1};
        begin = i + 1;
        cost = 0;
    }
}

/* Of the particles that will be simulated in the block, two each, and one per birth. */
static uint32_t wanted_events(const rico_world *world, const rico__block *block)
{
    const uint32_t bits = world->recipes[block->recipe].event_bits, births = block->birth_count;
    if (bits == 0)
        return 0;
    return 2 * (block->count + births) + ((bits & RICO_EVENT_BIT_BIRTH) != 0 ? births : 0);
}

/* Each block gets what it wants, or its share when that is more than there is. */
static void share_event_memory(rico_world *world)
{
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < world->block_list_count; ++i)
        wanted += wanted_events(world, &world->blocks[world->block_list[i]]);
    uint32_t first = 0;
    for (uint32_t i = 0; i < world->block_list_count; ++i) {
        rico__block *block = &world->blocks[world->block_list[i]];
        uint64_t quota = wanted_events(world, block);
        if (wanted > world->raw_event_capacity)
            quota = quota * world->raw_event_capacity / wanted;
        block->event_first = first;
        block->event_quota = (uint16_t)quota;
        first += (uint32_t)quota;
    }
}

static void update_recipes(rico_world *world)
{
    for (uint32_t i = 0; i < world->recipe_count; ++i) {
        rico__recipe *recipe = &world->recipes[i];
        recipe->pushed =
            recipe->pushes || (world->fields.layers & recipe->def.field_layers) != 0;
        if (recipe->step.dt != world->dt)
            recipe->step = rico__recipe_step(recipe, world->dt, world->def.cell_size);
    }
}

static void reset_scratch(const rico_world *world, rico__scratch *scratch)
{
    scratch->tally = (rico__tally){0};
    if (scratch->empty_version == world->scene_version)
        return;
    scratch->empty_version = world->scene_version;
    for (uint32_t i = 0; i < 1u << RICO__EMPTY_CELL_BITS; ++i)
        scratch->empty[i] = RICO_NO_KEY;
}

void rico__stage_plan(rico_world *world)
{
    world->frame += 1;
    uint32_t version = world->edits.version + world->host.changes;
    world->scene_changed = world->edits.all || world->host.changes != world->host.seen_changes;
    world->scene_version = version;
    world->host.seen_changes = world->host.changes;
    rico__movers_begin(world);
    world->stats.births_starved = 0;
    world->block_list_count = 0;
    for (uint32_t w = 0; w < world->worker_count; ++w)
        reset_scratch(world, &world->scratch[w]);
    rico__host_take(world);
    rico__fields_begin(world);
    update_recipes(world);
    uint32_t particles = world->particle_count;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (world->effects[slot].alive)
            plan_effect(world, slot, &particles);
    cut_batches(world);
    share_event_memory(world);
}
