/* Births where the host says. They wait for the next step, and are then seeds, as births of
 * sub-emitters are. */
#include "edits.h"
#include "float_mode.h"
#include "limit.h"
#include "log.h"
#include "stages.h"
#include "sub_emitters.h"

#include <stdio.h>

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

/* Whether there will be memory for all of the births, and an effect for them. */
static rico_result make_room(rico_world *world, const rico__recipe *recipe,
                             const rico_birth *births, uint32_t count)
{
    const rico_log *log = &world->def.log;
    if (recipe->sub_effect1 == 0 && world->effect_count == world->def.max_effects)
        return rico__fail(log, RICO_FULL, call,
                          "the recipe's births need an effect of their own, and "
                          "world_def.max_effects (%u) effects are alive already",
                          world->def.max_effects);
    rico_result result = rico__seeds_reserve(world, call);
    if (result != RICO_OK)
        return result;
    const uint32_t room = world->seed_capacity - world->seed_count - world->emitted_count;
    if (count > room)
        return rico__fail(log, RICO_FULL, call,
                          "count is %u, expected at most %u: twice world_def.max_events (%u), "
                          "minus the births that already wait for the next step",
                          count, room, world->def.max_events);
    uint64_t particles = (uint64_t)recipe->feed.births + recipe->emitted_births;
    for (uint32_t i = 0; i < count; ++i)
        particles += births[i].count;
    return particles <= UINT32_MAX
               ? RICO_OK
               : rico__fail(log, RICO_FULL, call,
                            "more than 2^32 - 1 particles would be born in the next step");
}

static void plant(rico_world *world, uint32_t number, const rico_birth *births, uint32_t count)
{
    rico__recipe *recipe = &world->recipes[number];
    rico__emitted *to = world->emitted + world->emitted_count;
    for (uint32_t i = 0; i < count; ++i) {
        const rico_birth *from = &births[i];
        to[i] = (rico__emitted){{from->transform, from->velocity, 0.0f, from->count}, number};
        recipe->emitted_births += from->count;
    }
    world->emitted_count += count;
    recipe->emitted += count;
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
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, (count == 0 || births != NULL)))
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
    rico__edits_settle_exact(world);
    rico__fed_begin(world, id.index1 - 1);
    if (count > 0)
        plant(world, id.index1 - 1, births, count);
    return RICO_OK;
}
