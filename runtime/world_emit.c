/* Births where the host says: seeds as those of sub-emitters, behind them. */
#include "limit.h"
#include "log.h"
#include "stages.h"
#include "sub_emitters.h"

#include <stdio.h>
#include <string.h>

#define MOST_OF_ONE 1000u
#define MOST_BIRTH_SPEED 1.0e4f

static const char call[] = "rico_world_emit";

static rico_result check_one(rico_world *world, const rico_birth *birth, uint32_t i)
{
    char name[48];
    if (rico__is_placed(&birth->transform) &&
        rico__is_within(birth->velocity, MOST_BIRTH_SPEED) && birth->count - 1 < MOST_OF_ONE)
        return RICO_OK;
    snprintf(name, sizeof name, "births[%u].transform", i);
    rico_result result = rico__check_transform(world, &birth->transform, call, name);
    if (result != RICO_OK)
        return result;
    snprintf(name, sizeof name, "births[%u].velocity", i);
    result = rico__limit_vec3(&world->def.log, call, name, birth->velocity, MOST_BIRTH_SPEED);
    if (result == RICO_OK)
        result = rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                            "births[%u].count is %u, expected 1 to %u", i, birth->count,
                            MOST_OF_ONE);
    return result;
}

static uint32_t seeds_that_wait(const rico_world *world)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        count += world->recipes[r].feed.count;
    return count;
}

/* Whether there will be memory for all of them, and an effect. */
static rico_result make_room(rico_world *world, const rico__recipe *recipe,
                             const rico_birth *births, uint32_t count)
{
    const rico_log *log = &world->def.log;
    if (recipe->sub_effect1 == 0 && world->effect_count == world->def.max_effects)
        return rico__fail(log, RICO_FULL, call,
                          "the recipe's births need an effect, and world_def.max_effects (%u) "
                          "are alive",
                          world->def.max_effects);
    rico_result result = rico__seeds_reserve(world);
    if (result != RICO_OK)
        return result;
    const uint32_t room = world->seed_capacity - seeds_that_wait(world);
    if (count > room)
        return rico__fail(
            log, RICO_FULL, call,
            "count is %u, expected up to %u: twice world_def.max_events (%u), less "
            "what waits for the next step",
            count, room, world->def.max_events);
    uint64_t particles = recipe->feed.births;
    for (uint32_t i = 0; i < count; ++i)
        particles += births[i].count;
    return particles <= UINT32_MAX ? RICO_OK
                                   : rico__fail(log, RICO_FULL, call,
                                                "more than 2^32 - 1 particles are to be born");
}

/* The recipe's feed grows by so many seeds, and those behind it move up. */
static rico__seed *add_seeds(rico_world *world, rico__feed *feed, uint32_t count)
{
    const uint32_t all = seeds_that_wait(world);
    if (feed->count == 0)
        feed->first = all;
    const uint32_t end = feed->first + feed->count;
    rico__seed *gap = world->seeds + end;
    memmove(gap + count, gap, (all - end) * sizeof *gap);
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__feed *other = &world->recipes[r].feed;
        if (other != feed && other->first >= end)
            other->first += count;
    }
    feed->count += count;
    return gap;
}

static void plant(rico_world *world, rico__recipe *recipe, const rico_birth *births,
                  uint32_t count)
{
    rico__feed *feed = &recipe->feed;
    rico__seed *seeds = add_seeds(world, feed, count);
    for (uint32_t i = 0; i < count; ++i) {
        feed->births += births[i].count;
        seeds[i] = (rico__seed){
            .where = births[i].transform, .velocity = births[i].velocity, .end = feed->births};
    }
    recipe->host_feeds = true;
    rico__sleep_wake(world, recipe->sub_effect1 - 1);
}

static rico_result check_all(rico_world *world, const rico_birth *births, uint32_t count)
{
    rico_result result = RICO_OK;
    for (uint32_t i = 0; i < count && result == RICO_OK; ++i)
        result = check_one(world, &births[i], i);
    return result;
}

rico_result rico_world_emit(rico_world *world, rico_recipe_id id, const rico_birth *births,
                            uint32_t count)
{
    if (!RICO_REQUIRE_OF(world, count == 0 || births != NULL))
        return RICO_OUT_OF_RANGE;
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    rico__recipe *recipe = rico__recipe_find(world, id);
    if (recipe == NULL)
        return rico__refuse(world, RICO_STALE_ID, call,
                            "the recipe id is null, stale or not of this world");
    rico_result result = check_all(world, births, count);
    if (result == RICO_OK)
        result = make_room(world, recipe, births, count);
    if (result != RICO_OK)
        return world->last_result = result;
    rico__fed_begin(world, id.index1 - 1);
    if (count > 0)
        plant(world, recipe, births, count);
    return RICO_OK;
}
