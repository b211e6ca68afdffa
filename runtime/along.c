#include "along.h"

#include "pace.h"
#include "space.h"
#include "stages.h"
#include "sub_emitters.h"

static rico__effect *fed_effect(const rico_world *world, uint32_t recipe)
{
    const uint32_t slot1 = world->recipes[recipe].sub_effect1;
    return slot1 != 0 ? &world->effects[slot1 - 1] : NULL;
}

/* --- Which effects run along -------------------------------------------------------------- */

/* Marks the effects of all births that the recipe's births lead to. */
static void mark(rico_world *world, uint32_t recipe)
{
    const rico_recipe *def = &world->recipes[recipe].def;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        if (def->sub_emitters[k].on == 0)
            continue;
        const uint32_t fed = def->sub_emitters[k].recipe.index1 - 1;
        fed_effect(world, fed)->along = true;
        mark(world, fed);
    }
}

static bool names(const rico_recipe *def, uint32_t recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        if (def->sub_emitters[k].on != 0 && def->sub_emitters[k].recipe.index1 == recipe + 1)
            return true;
    return false;
}

static bool others_feed(const rico_world *world, uint32_t recipe, uint32_t slot)
{
    if (world->recipes[recipe].host_feeds)
        return true;
    for (uint32_t s = 0; s < world->effect_high_water; ++s) {
        const rico__effect *other = &world->effects[s];
        if (other->alive && !other->along && s != slot &&
            names(&world->recipes[other->recipe].def, recipe))
            return true;
    }
    return false;
}

/* An effect that is left out feeds others, so these are then left out, too. */
static void leave_out_shared(rico_world *world, uint32_t slot)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < world->recipe_count; ++r) {
            rico__effect *effect = fed_effect(world, r);
            if (effect != NULL && effect->along && others_feed(world, r, slot)) {
                effect->along = false;
                changed = true;
            }
        }
    }
}

/* --- Around the run ----------------------------------------------------------------------- */

static void restart(rico_world *world, uint32_t slot)
{
    rico__effect_restart(world, slot);
    world->effects[slot].emitting = false;
    world->effects[slot].fed = true;
    world->effects[slot].along = true;
}

/* New particles begin where those that stand aside are. A move goes on with the world's next
 * step. */
static void stand_aside(rico_world *world, uint32_t recipe, float seconds)
{
    rico__effect *effect = fed_effect(world, recipe);
    rico__sleep_settle(world, (uint32_t)(effect - world->effects));
    world->kept[recipe].effect = *effect;
    effect->aside = effect->particle_count;
    RICO_ASSERT((effect->aside > 0) == (effect->first_block != RICO__NO_BLOCK));
    effect->first_block = effect->last_block = RICO__NO_BLOCK;
    effect->block_count = 0;
    effect->listed = 0;
    effect->moved = false;
    if (world->recipes[recipe].def.space == RICO_SPACE_LOCAL)
        effect->transform = effect->place;
    if (effect->aside > 0)
        effect->clock -= (double)seconds * (double)effect->time_scale;
}

void rico__along_begin(rico_world *world, uint32_t slot, float seconds, bool anew)
{
    if (world->seeds == NULL)
        return;
    mark(world, world->effects[slot].recipe);
    if (anew)
        leave_out_shared(world, slot);
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__effect *effect = fed_effect(world, r);
        if (effect == NULL || !effect->along)
            continue;
        world->along_count += 1;
        rico__sleep_along(world, world->recipes[r].sub_effect1 - 1, true);
        if (anew) {
            restart(world, world->recipes[r].sub_effect1 - 1);
            world->recipes[r].feed = (rico__feed){0};
        }
        stand_aside(world, r, seconds);
    }
    if (world->along_count > 0)
        rico__seeds_put_aside(world);
}

/* Puts the run's blocks behind those that stood aside. */
static void join_blocks(rico_world *world, rico__effect *effect, const rico__effect *run)
{
    if (run->first_block == RICO__NO_BLOCK)
        return;
    world->blocks[effect->last_block].next = run->first_block;
    effect->last_block = run->last_block;
    effect->block_count += run->block_count;
}

static void go_back(rico_world *world, rico__effect *effect, const rico__effect *kept)
{
    const rico__effect run = *effect;
    const float late = 0.5f * (rico__pace_lag(&run) - rico__pace_lag(kept));
    for (uint32_t b = run.first_block; b != RICO__NO_BLOCK && late != 0.0f;
         b = world->blocks[b].next)
        rico__pace_shift(world, &world->blocks[b], late);
    *effect = *kept;
    effect->next_serial = run.next_serial;
    effect->particle_count = run.particle_count;
    join_blocks(world, effect, &run);
    effect->missed_edits |=
        run.path_dt != kept->path_dt || /* the new particles' paths have that step length */
        late != 0.0f;
}

static void stay(const rico_world *world, rico__effect *effect, const rico__effect *kept)
{
    effect->transform = kept->transform;
    effect->before = kept->before;
    effect->moved = kept->moved;
    effect->known_edits = world->edits.notes;
    rico__space_stand(effect);
}

void rico__along_end(rico_world *world)
{
    if (world->along_count == 0)
        return;
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__effect *effect = fed_effect(world, r);
        if (effect == NULL || !effect->along)
            continue;
        if (effect->aside > 0)
            go_back(world, effect, &world->kept[r].effect);
        else
            stay(world, effect, &world->kept[r].effect);
        effect->along = false;
        rico__sleep_along(world, world->recipes[r].sub_effect1 - 1, false);
        effect->aside = 0;
        effect->listed = 0;
    }
    world->along_count = 0;
    world->stats.births_starved += rico__seeds_join(world);
}
