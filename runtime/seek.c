/* Effects that are run by themselves, while all others stand still: prewarm and seek. */
#include "along.h"
#include "check.h"
#include "float_mode.h"
#include "log.h"
#include "space.h"
#include "stages.h"

#include "vec.h"

#define MOST_SECONDS 3600.0f
#define LEAST_STEP 0.001f
#define ALMOST 1.0e-4 /* of a step: less counts as none */

/* What the world's next step must find as the last step and the host have left it. */
typedef struct kept {
    rico_world_stats stats;
    rico__edits edits;
    double fields_clock;
    bool fields_edited;
} kept;

/* Edits are no news to an effect that begins now. Fields scroll up to where they are. */
static void stop_others(rico_world *world, uint32_t slot, float seconds, kept *out)
{
    *out = (kept){world->stats, world->edits, world->fields.clock, world->fields.edited};
    world->alone = slot + 1;
    rico__edit_boxes_clear(&world->edits.list);
    world->edits.all = false;
    world->fields.edited = false;
    rico__fields_set_clock(world, world->fields.clock - (double)seconds);
    rico__movers_halt(world);
    for (uint32_t other = 0; other < world->effect_high_water; ++other)
        world->accounts[other].wanted = world->accounts[other].granted = 0;
}

static void let_go_on(rico_world *world, const kept *before)
{
    world->alone = 0;
    world->edits = before->edits;
    world->fields.edited = before->fields_edited;
    rico__fields_set_clock(world, before->fields_clock);
    rico__movers_go_on(world);
    rico__queries_forget(world);
    uint32_t frame = world->stats.frame;
    world->stats = before->stats;
    world->stats.frame = frame;
}

/* Until the effect has come to its end. Effects that run along may live longer. No other effect
 * takes its slot meanwhile. */
static bool goes_on(const rico_world *world, uint32_t slot)
{
    return world->effects[slot].alive || world->along_count > 0;
}

/* Runs the effect for so many seconds of the world's time, in steps; the last one is shorter.
 * It is as if all others were paused. What the host sees of the world's last step stays. */
static void run_alone(rico_world *world, uint32_t slot, float seconds, float step, bool anew)
{
    rico__effect *effect = &world->effects[slot];
    double steps = (double)seconds / (double)step;
    uint64_t whole = (uint64_t)(steps + ALMOST);
    kept before;
    rico__edits_settle(world, &world->memory);
    stop_others(world, slot, seconds, &before);
    rico__along_begin(world, slot, seconds, anew);
    const bool was = rico__begin_work(world);
    for (uint64_t n = 0; n < whole && goes_on(world, slot); ++n)
        rico__world_run(world, step);
    double rest = steps - (double)whole;
    if (rest > ALMOST && goes_on(world, slot))
        rico__world_run(world, (float)(rest * (double)step));
    rico__end_work(world, was);
    let_go_on(world, &before);
    rico__along_end(world);
    effect->known_edits = world->edits.notes;
    if (effect->alive)
        rico__space_stand(effect);
}

void rico__effect_prewarm(rico_world *world, uint32_t slot)
{
    float seconds = world->recipes[world->effects[slot].recipe].def.prewarm;
    if (seconds > 0.0f)
        run_alone(world, slot, seconds, RICO_PREWARM_STEP, false);
}

rico_result rico_effect_seek(rico_world *world, rico_effect_id id, float seconds, float step)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_effect_seek";
    if (rico__cannot_run(world, call))
        return RICO_BUSY;
    if (rico__effect_find(world, id) == NULL)
        return rico__effect_is_gone(world, id, call);
    if (rico__effect_find(world, id)->fed)
        return rico__refuse(world, RICO_IN_USE, call,
                            "the effect has births of sub-emitters or of rico_world_emit, "
                            "expected another effect");
    rico_result result =
        rico__check_number(world, seconds, 0.0f, MOST_SECONDS, call, "seconds");
    if (result == RICO_OK)
        result = rico__check_number(world, step, LEAST_STEP, 1.0f, call, "step");
    if (result != RICO_OK)
        return result;
    rico__effect_restart(world, id.index1 - 1);
    run_alone(world, id.index1 - 1, seconds, step, true);
    return RICO_OK;
}
