/* The state hash: effects by slot, their blocks in list order, the caches, the events. Block
 * and unit indices are left out, because they are addresses, not state. */
#include "check.h"
#include "float_mode.h"
#include "pace.h"

#include "hash.h"

#include <string.h>

static void hash_block(rico__hash *hash, const rico_world *world, const rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const float *data = rico__block_data(world, block);
    rico__hash_u32(hash, block->count);
    for (uint32_t w = 0; w < 4; ++w) {
        rico__hash_u64(hash, block->asleep[w]);
        rico__hash_u64(hash, block->waits[w]);
        rico__hash_u64(hash, block->rebound[w]);
    }
    for (uint32_t s = 0; s < recipe->stream_count; ++s)
        rico__hash_floats(hash, data + (size_t)s * recipe->stream_floats, block->count);
}

static void hash_clock(rico__hash *hash, double clock)
{
    uint64_t bits;
    memcpy(&bits, &clock, sizeof bits);
    rico__hash_u64(hash, bits);
}

static void hash_emitter(rico__hash *hash, const rico__emitter *e, const rico__recipe *recipe)
{
    const uint32_t bursts = recipe->emission.burst_count;
    const float numbers[] = {(float)e->delay_left, (float)e->time_left, (float)e->rate_credit,
                             (float)e->distance_credit};
    float waits[RICO__BURSTS];
    for (uint32_t b = 0; b < bursts; ++b)
        waits[b] = (float)e->burst_wait[b];
    rico__hash_floats(hash, numbers, 4);
    rico__hash_floats(hash, waits, bursts);
    for (uint32_t b = 0; b < bursts; ++b) {
        rico__hash_u32(hash, e->burst_fired[b]);
        rico__hash_u32(hash, e->burst_draws[b]);
    }
    rico__hash_u32(hash, e->loops_left);
    rico__hash_u32(hash, e->manual);
    if (e->rate_scale != 1.0f)
        rico__hash_floats(hash, &e->rate_scale, 1);
    if (!(recipe->def.duration > 0.0f))
        return;
    rico__hash_u64(hash, e->run_births);
    hash_clock(hash, e->due_base);
    rico__hash_floats(hash, &e->due_rate, 1);
}

static void hash_field(rico__hash *hash, const rico__zone *zone)
{
    const rico_force *f = &zone->def.force;
    const rico_transform *t = &zone->def.transform;
    const float numbers[] = {
        f->strength,       f->speed,      f->scale,         f->position.x,    f->position.y,
        f->position.z,     f->axis.x,     f->axis.y,        f->axis.z,        f->scroll.x,
        f->scroll.y,       f->scroll.z,   zone->def.size.x, zone->def.size.y, zone->def.size.z,
        zone->def.falloff, t->position.x, t->position.y,    t->position.z,    t->rotation.x,
        t->rotation.y,     t->rotation.z, t->rotation.w,    t->scale};
    rico__hash_u32(hash, zone->generation);
    rico__hash_u32(hash, (uint32_t)f->kind);
    rico__hash_u32(hash, (uint32_t)zone->def.shape);
    rico__hash_u32(hash, zone->def.layers);
    rico__hash_floats(hash, numbers, sizeof numbers / sizeof numbers[0]);
}

/* A world without fields adds nothing to the hash, except how far its origin was moved. */
static void hash_fields(rico__hash *hash, const rico__fields *fields)
{
    for (int k = 0; k < 3; ++k)
        if (fields->shifted[k] != 0.0)
            hash_clock(hash, fields->shifted[k]);
    if (fields->count == 0)
        return;
    hash_clock(hash, fields->clock);
    for (uint32_t z = 0; z < fields->high_water; ++z)
        if (fields->items[z].alive) {
            rico__hash_u32(hash, z);
            hash_field(hash, &fields->items[z]);
        }
}

static void hash_effect(rico__hash *hash, const rico_world *world, uint32_t slot)
{
    const rico__effect *e = &world->effects[slot];
    const float numbers[] = {world->accounts[slot].credit, e->path_dt};
    rico__hash_u32(hash, slot);
    rico__hash_u32(hash, e->generation);
    rico__hash_u32(hash, e->recipe);
    rico__hash_u32(hash, e->emitting);
    rico__hash_u64(hash, e->seed);
    rico__hash_floats(hash, numbers, 2);
    rico__pace_hash(hash, e);
    hash_emitter(hash, &e->emitter, &world->recipes[e->recipe]);
    if (e->saved != 0.0)
        hash_clock(hash, e->saved);
    if (world->recipes[e->recipe].pushes)
        hash_clock(hash, e->clock);
    if (e->saved > 0.0)
        hash_clock(hash, e->saved);
    if (world->recipes[e->recipe].detail)
        rico__detail_hash(hash, &e->regard);
    if (world->recipes[e->recipe].def.interpolate)
        rico__hash_u32(hash, e->ways);
    rico__hash_u32(hash, e->next_serial);
    rico__hash_u32(hash, e->particle_count);
    for (uint32_t b = e->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        hash_block(hash, world, &world->blocks[b]);
}

static void hash_event(rico__hash *hash, const rico_event *e)
{
    const float numbers[] = {e->position.x, e->position.y, e->position.z, e->normal.x,
                             e->normal.y,   e->normal.z,   e->speed,      e->time,
                             e->velocity.x, e->velocity.y, e->velocity.z};
    rico__hash_u32(hash, (uint32_t)e->type);
    rico__hash_u32(hash, e->particle);
    rico__hash_u32(hash, e->effect.index1);
    rico__hash_u32(hash, e->effect.generation);
    rico__hash_floats(hash, numbers, 11);
    rico__hash_u32(hash, e->collider);
    rico__hash_u32(hash, e->triangle);
    rico__hash_u32(hash, e->surface);
}

static void hash_seed(rico__hash *hash, const rico__seed *seed)
{
    const rico_transform *where = &seed->where;
    const float numbers[] = {where->position.x, where->position.y, where->position.z,
                             where->rotation.x, where->rotation.y, where->rotation.z,
                             where->rotation.w, where->scale,      seed->velocity.x,
                             seed->velocity.y,  seed->velocity.z,  seed->late};
    rico__hash_floats(hash, numbers, 12);
    rico__hash_u32(hash, seed->end);
}

/* Births that are due in the next step. */
static void hash_feed(rico__hash *hash, const rico_world *world, const rico__recipe *recipe)
{
    const rico__feed *feed = &recipe->feed;
    rico__hash_u32(hash, feed->births);
    for (uint32_t s = feed->first; s < feed->first + feed->count; ++s) {
        hash_seed(hash, &world->seeds[s]);
        if (recipe->inherits == 0)
            continue;
        rico__hash_floats(hash, &world->seed_looks[s].size, 1);
        rico__hash_u32(hash, world->seed_looks[s].color);
    }
}

uint64_t rico_world_hash(const rico_world *world)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return 0;
    rico__hash hash;
    rico__sleep_settle_all(world);
    rico__hash_init(&hash, 1);
    rico__hash_u32(&hash, world->frame);
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (world->effects[slot].alive)
            hash_effect(&hash, world, slot);
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        if (world->recipes[r].sub_effect1 != 0)
            hash_feed(&hash, world, &world->recipes[r]);
    for (uint32_t i = 0; i < world->emitted_count; ++i) {
        rico__hash_u32(&hash, world->emitted[i].recipe);
        hash_seed(&hash, &world->emitted[i].seed);
    }
    rico__hash_u64(&hash, rico_cache_hash(world->records));
    rico__hash_u64(&hash, rico_cache_hash(world->planes));
    if (world->coverage.margin > RICO__LEAST_MARGIN)
        rico__hash_floats(&hash, &world->coverage.margin, 1);
    hash_fields(&hash, &world->fields);
    for (uint32_t e = 0; e < world->event_count; ++e)
        hash_event(&hash, &world->events[e]);
    return rico__hash_value(&hash);
}
