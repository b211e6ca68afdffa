/* Effects that are run by themselves, while all others stand still: prewarm and seek. */
#include "check.h"
#include "log.h"
#include "space.h"
#include "stages.h"

#include "vec.h"

#define MOST_SECONDS 3600.0f
#define LEAST_STEP 0.001f
#define ALMOST 1.0e-4 /* of a step: less is none */

/* So many seconds of the world's time, by steps; the last one is shorter. As if all others were
 * paused. What the host sees of the world's last step stays. */
static void run_alone(rico_world *world, uint32_t slot, float seconds, float step)
{
    const rico_world_stats stats = world->stats;
    const rico__effect *effect = &world->effects[slot];
    const uint32_t generation = effect->generation;
    double steps = (double)seconds / (double)step;
    uint64_t whole = (uint64_t)(steps + ALMOST);
    world->alone = slot + 1;
    for (uint64_t n = 0; n < whole && effect->alive && effect->generation == generation; ++n)
        rico__world_run(world, step);
    double rest = steps - (double)whole;
    if (rest > ALMOST && effect->alive && effect->generation == generation)
        rico__world_run(world, (float)(rest * (double)step));
    world->alone = 0;
    if (effect->alive && effect->generation == generation)
        rico__space_stand(&world->effects[slot]);
    rico__queries_forget(world);
    uint32_t frame = world->stats.frame;
    world->stats = stats;
    world->stats.frame = frame;
}

void rico__effect_prewarm(rico_world *world, uint32_t slot)
{
    float seconds = world->recipes[world->effects[slot].recipe].def.prewarm;
    if (seconds > 0.0f)
        run_alone(world, slot, seconds, RICO_PREWARM_STEP);
}

rico_result rico_effect_seek(rico_world *world, rico_effect_id id, float seconds, float step)
{
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_effect_seek";
    if (world->stepping)
        return rico__refuse(world, RICO_BUSY, call, "not while a step runs");
    if (rico__effect_find(world, id) == NULL)
        return rico__refuse(world, RICO_STALE_ID, call, "the effect id is null or stale");
    if (rico__effect_find(world, id)->fed)
        return rico__refuse(world, RICO_IN_USE, call, "sub-emitters feed the effect");
    rico_result result =
        rico__check_number(world, seconds, 0.0f, MOST_SECONDS, call, "seconds");
    if (result == RICO_OK)
        result = rico__check_number(world, step, LEAST_STEP, 1.0f, call, "step");
    if (result != RICO_OK)
        return result;
    rico__effect_restart(world, id.index1 - 1);
    run_alone(world, id.index1 - 1, seconds, step);
    return RICO_OK;
}
