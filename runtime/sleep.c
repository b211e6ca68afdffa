#include "sleep.h"

#include "pace.h"
#include "packing.h"
#include "preparation.h"
#include "simulate.h"
#include "stages.h"

#include "bits.h"
#include "vec.h"

#include <string.h>

/* An effect that would wake again within so many steps does not fall asleep. */
#define LEAST_STEPS 8.0

/* A mover in motion reaches resting particles that are as near as gravity moves one in a step.
 * This is for steps up to so many seconds; longer ones wake all effects. */
#define LONGEST_STEP 0.1f

/* All places are settled once in so many new runs. */
#define SWEEPS (RICO__MOST_RUNS / 2)

/* A step that was so many times shorter than all of the last ones says nothing about steps to
 * come. */
#define MUCH_SHORTER 16.0f
#define LAST_STEPS 256u

#define NOWHERE                                                                                \
    ((rico_box){{RICO__NEVER, RICO__NEVER, RICO__NEVER},                                       \
                {-RICO__NEVER, -RICO__NEVER, -RICO__NEVER}})

static uint32_t place_of(uint32_t slot)
{
    return slot / RICO__EFFECT_GRAIN;
}

static uint16_t bit_of(uint32_t slot)
{
    return (uint16_t)(1u << slot % RICO__EFFECT_GRAIN);
}

static void nobody_sleeps(rico__sleep *sleep, uint32_t place)
{
    sleep->wake_at[place] = (double)RICO__NEVER;
    sleep->boxes[place] = NOWHERE;
}

void rico__sleep_enter(rico_world *world, uint32_t slot)
{
    rico__sleep *sleep = &world->sleep;
    rico__place_mask *mask = &sleep->masks[place_of(slot)];
    if (mask->asleep == 0)
        nobody_sleeps(sleep, place_of(slot));
    mask->alive |= bit_of(slot);
}

void rico__sleep_leave(rico_world *world, uint32_t slot)
{
    rico__sleep_wake(world, slot);
    world->sleep.masks[place_of(slot)].alive &= (uint16_t)~bit_of(slot);
}

/* --- Time that goes by -------------------------------------------------------------------- */

static uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define MANTISSA_BITS 23
#define MANTISSA_END ((uint64_t)1 << (MANTISSA_BITS + 1))

/* From `from` up to the next power of two, floats are whole multiples of one unit. Returns how
 * many units a step of b units adds there. Half a unit is rounded to even: from an even number
 * to an even one again. 0: only a single step can be told. */
static uint64_t units_of_step(uint64_t from, double b)
{
    uint64_t whole = (uint64_t)b;
    double rest = b - (double)whole;
    if (rest != 0.5)
        return whole + (rest > 0.5);
    return from % 2 == 0 ? whole + whole % 2 : 0;
}

float rico__sum_of_steps(float a, float b, uint32_t n)
{
    while (n > 0) {
        float next = a + b;
        if (next == a)
            return a;
        a = next;
        --n;
        uint32_t bits = bits_of_float(a), exponent = bits >> MANTISSA_BITS;
        if (n == 0 || exponent == 0 || exponent >= 254 || b > a)
            continue;
        uint64_t from = (bits & ((1u << MANTISSA_BITS) - 1)) | 1u << MANTISSA_BITS;
        double unit = (double)float_of_bits(exponent << MANTISSA_BITS) * 0x1p-23;
        uint64_t step = units_of_step(from, (double)b / unit);
        if (step == 0)
            continue;
        uint64_t steps = (MANTISSA_END - 1 - from) / step;
        steps = steps < n ? steps : n;
        a = (float)((double)(from + steps * step) * unit);
        n -= (uint32_t)steps;
    }
    return a;
}

static float age_now(const rico__sleep *sleep, const rico__sleeper *item, float time_scale,
                     float age)
{
    uint32_t done = item->steps;
    for (uint32_t r = item->run; r != sleep->run + 1; ++r, done = 0) {
        const rico__run *run = &sleep->runs[r % RICO__MOST_RUNS];
        age = rico__sum_of_steps(age, run->dt * time_scale, run->steps - done);
    }
    return age;
}

/* What each step would have done: nothing else about resting particles changes. */
static void settle_block(rico_world *world, const rico__effect *effect,
                         const rico__sleeper *item, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    float *age = rico__stream(recipe, data, FIELD_AGE);
    for (uint32_t i = 0; i < block->count; ++i)
        age[i] = age_now(&world->sleep, item, effect->time_scale, age[i]);
    rico__evaluate_curves(world, recipe, data, block->count);
    for (int k = 0; recipe->def.interpolate && k < 3; ++k)
        memcpy(rico__stream(recipe, data, (rico__field)(FIELD_LAST_PX + k)),
               rico__stream(recipe, data, (rico__field)(FIELD_PX + k)),
               block->count * sizeof(float));
}

static void settle_pace(const rico_world *world, rico__effect *effect,
                        const rico__sleeper *item)
{
    const rico__sleep *sleep = &world->sleep;
    uint32_t done = item->steps;
    for (uint32_t r = item->run; r != sleep->run + 1; ++r, done = 0) {
        const rico__run *run = &sleep->runs[r % RICO__MOST_RUNS];
        const float dt = run->dt * effect->time_scale;
        if (dt > 0.0f)
            rico__pace_rest(world, effect, dt, run->steps - done);
    }
}

/* As open_account would have it after so many steps in which the effect wanted nothing and no
 * effect owed. */
static void save_units(rico__account *account, float units, uint64_t steps)
{
    for (; steps > 0; --steps) {
        float credit = float_min(account->credit + units, units + 1.0f);
        if (credit == account->credit)
            return;
        account->credit = credit;
    }
}

static uint64_t steps_since(const rico__sleep *sleep, const rico__sleeper *item,
                            float time_scale)
{
    uint64_t steps = 0;
    uint32_t done = item->steps;
    for (uint32_t r = item->run; r != sleep->run + 1; ++r, done = 0) {
        const rico__run *run = &sleep->runs[r % RICO__MOST_RUNS];
        steps += run->dt * time_scale > 0.0f ? run->steps - done : 0;
    }
    return steps;
}

static bool is_asleep(const rico_world *world, uint32_t slot)
{
    return (world->sleep.masks[place_of(slot)].asleep & bit_of(slot)) != 0;
}

static void settle(rico_world *world, uint32_t slot)
{
    rico__sleep *sleep = &world->sleep;
    rico__effect *effect = &world->effects[slot];
    rico__sleeper *item = &sleep->items[slot];
    if (!effect->dozes)
        return;
    const uint64_t steps = steps_since(sleep, item, effect->time_scale);
    if (steps > 0) {
        save_units(&world->accounts[slot], world->recipes[effect->recipe].def.queries_per_frame,
                   steps);
        settle_pace(world, effect, item);
        for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
            settle_block(world, effect, item, &world->blocks[b]);
        effect->ways = RICO__MOVED; /* by a distance of zero */
        effect->lived = sleep->runs[sleep->run % RICO__MOST_RUNS].dt * effect->time_scale;
    }
    item->run = sleep->run;
    item->steps = sleep->runs[sleep->run % RICO__MOST_RUNS].steps;
    effect->dozes = is_asleep(world, slot);
    if (!effect->dozes && !item->rests)
        effect->missed_edits |= item->unrest != sleep->unrest;
}

void rico__sleep_settle(const rico_world *world, uint32_t slot)
{
    settle((rico_world *)(uintptr_t)world, slot);
}

void rico__sleep_settle_all(const rico_world *world)
{
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (world->effects[slot].alive)
            rico__sleep_settle(world, slot);
}

static void settle_place(rico_world *world, uint32_t place)
{
    for (uint32_t left = world->sleep.masks[place].asleep; left != 0; left &= left - 1)
        rico__sleep_settle(world, rico__first_slot(place) + bits_lowest64(left));
}

/* Settles some places before the first of their runs could be forgotten. */
static void settle_some(rico_world *world)
{
    rico__sleep *sleep = &world->sleep;
    uint32_t count = world->sums_count / SWEEPS + 1;
    for (uint32_t n = 0; n < count && world->sums_count > 0; ++n) {
        sleep->sweep = (sleep->sweep + 1) % world->sums_count;
        settle_place(world, sleep->sweep);
    }
}

void rico__sleep_pass(rico_world *world)
{
    rico__sleep *sleep = &world->sleep;
    rico__run *last = &sleep->runs[sleep->run % RICO__MOST_RUNS];
    if (!rico__goes_on(world))
        return;
    sleep->clock += (double)world->dt;
    if (last->dt == world->dt && last->steps < UINT32_MAX) {
        last->steps += 1;
        return;
    }
    if (sleep->effects > 0)
        settle_some(world);
    sleep->run += 1;
    sleep->runs[sleep->run % RICO__MOST_RUNS] = (rico__run){world->dt, 1};
}

/* --- Falling asleep ----------------------------------------------------------------------- */

static bool bears_nobody(const rico__effect *effect, const rico__recipe *recipe)
{
    const rico_recipe *def = &recipe->def;
    if (effect->bears)
        return false;
    if (effect->emitter.manual != 0 || (effect->fed && rico__owes_births(recipe)))
        return false;
    return !effect->emitting ||
           (def->rate * effect->emitter.rate_scale == 0.0f && def->duration == 0.0f &&
            rico__emitter_is_spent(&effect->emitter, &recipe->emission) &&
            !(effect->emitter.delay_left > 0.0));
}

static bool all_rest(const rico__block *block)
{
    uint64_t waits = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        waits |= block->waits[w];
    return waits == 0 && block->request_count == 0 &&
           rico__bit_count(block->asleep, block->count) == block->count;
}

/* Whether the particles stood still for the whole step. A host that draws between steps must
 * not see them come to rest again while no time goes by. */
static bool all_stood(const rico__recipe *recipe, float *data, uint32_t count)
{
    bool stood = true;
    for (int k = 0; recipe->def.interpolate && k < 3; ++k)
        stood &= memcmp(rico__stream(recipe, data, (rico__field)(FIELD_LAST_PX + k)),
                        rico__stream(recipe, data, (rico__field)(FIELD_PX + k)),
                        count * sizeof *data) == 0;
    return stood;
}

/* How long until the first of the particles dies. */
static float shortest_rest(const rico__recipe *recipe, float *data, uint32_t count)
{
    const float *age = rico__stream(recipe, data, FIELD_AGE);
    const float *life = rico__stream(recipe, data, FIELD_LIFE);
    float least = RICO__NEVER;
    for (uint32_t i = 0; i < count; ++i)
        least = float_min(least, life[i] - age[i]);
    return least;
}

/* On the world's clock. Ages are sums that are rounded in each step, and there may be twice as
 * many steps as the length of this one suggests. */
static double time_of_death(const rico_world *world, const rico__effect *effect, float rest)
{
    const double scale = (double)effect->time_scale, left = (double)rest;
    const double longest = (double)world->recipes[effect->recipe].def.lifetime.hi + 1.0;
    const double steps = left / (0.5 * (double)world->sleep.least_dt * scale);
    const double rounded = steps * longest * 0x1p-24;
    return world->sleep.clock + (left - rounded) / scale - 2.0 * (double)world->dt;
}

static bool may_rest(rico_world *world, const rico__effect *effect, rico__sleeper *item)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    float least = RICO__NEVER;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        if (!all_rest(&world->blocks[b]))
            return false;
    const rico__packed_from none = {0};
    rico__extent all = rico__extent_of(&none, 0);
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        float *data = rico__block_data(world, &world->blocks[b]);
        const uint32_t count = world->blocks[b].count;
        if (!all_stood(recipe, data, count))
            return false;
        least = float_min(least, shortest_rest(recipe, data, count));
        const rico__packed_from from = {.px = rico__stream(recipe, data, FIELD_PX),
                                        .py = rico__stream(recipe, data, FIELD_PY),
                                        .pz = rico__stream(recipe, data, FIELD_PZ)};
        const rico__extent one = rico__extent_of(&from, count);
        rico__extent_join(&all, &one);
    }
    const float step = LONGEST_STEP * float_max(1.0f, effect->time_scale);
    const float reach = 2.0f * recipe->contact_radius + recipe->step.fall * step * step;
    const rico_vec3 grow = {reach, reach, reach};
    item->rests = true;
    item->box = rico__extent_box(&all);
    item->box = effect->particle_count == 0
                    ? NOWHERE
                    : (rico_box){vec3_sub(item->box.lo, grow), vec3_add(item->box.hi, grow)};
    item->wake_at =
        least < RICO__NEVER ? time_of_death(world, effect, least) : (double)RICO__NEVER;
    return item->wake_at > world->sleep.clock + LEAST_STEPS * (double)world->dt;
}

/* Short steps are saved up. So an effect whose steps are that short, or may become so, does not
 * sleep. */
static bool may_lie_down(const rico_world *world, const rico__effect *effect,
                         const rico__recipe *recipe)
{
    return bears_nobody(effect, recipe) && effect->dt > 0.0f && !recipe->pushed &&
           !(0.5f * world->sleep.least_dt * effect->time_scale < RICO__SHORT_STEP);
}

/* The item of an effect that stays awake is not used, so most effects write none. */
bool rico__sleep_wanted(rico_world *world, uint32_t slot)
{
    const rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__sleeper *item = &world->sleep.items[slot];
    const bool stopped = effect->time_scale == 0.0f;
    if (world->sleep.off || !rico__goes_on(world) || recipe->detail || effect->moved ||
        (!stopped && !may_lie_down(world, effect, recipe)))
        return false;
    item->unrest = world->sleep.unrest;
    item->rests = false;
    item->wake_at = (double)RICO__NEVER;
    item->box = NOWHERE;
    if (stopped)
        return !(recipe->pushed && world->fields.scrolls);
    return may_rest(world, effect, item);
}

static uint64_t units_of(const rico_world *world, const rico__effect *effect,
                         const rico__sleeper *item)
{
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    bool shares = item->rests && def->mode == RICO_COLLIDE_CACHED;
    return shares ? (uint64_t)((double)def->queries_per_frame * 65536.0) : 0;
}

void rico__sleep_fall(rico_world *world, uint32_t slot)
{
    rico__sleep *sleep = &world->sleep;
    const uint32_t place = place_of(slot);
    rico__effect *effect = &world->effects[slot];
    rico__sleeper *item = &sleep->items[slot];
    rico__account *account = &world->accounts[slot];
    if (effect->fed && rico__owes_births(&world->recipes[effect->recipe]))
        return; /* births have come since it was asked */
    sleep->masks[place].asleep |= bit_of(slot);
    sleep->wake_at[place] =
        item->wake_at < sleep->wake_at[place] ? item->wake_at : sleep->wake_at[place];
    sleep->boxes[place] = boxes_join(&sleep->boxes[place], &item->box);
    sleep->effects += 1;
    sleep->particles += effect->particle_count;
    sleep->resting += item->rests ? effect->particle_count : 0;
    sleep->units += units_of(world, effect, item);
    item->run = sleep->run;
    item->steps = sleep->runs[sleep->run % RICO__MOST_RUNS].steps;
    effect->dozes = true;
    effect->dt = 0.0f;
    account->wanted = account->granted = 0;
    account->shares = false;
    world->demands[slot] = (rico__demand){0};
    world->outcomes[slot] = (rico__outcome){0};
}

/* --- Waking ------------------------------------------------------------------------------- */

void rico__sleep_wake(rico_world *world, uint32_t slot)
{
    rico__sleep *sleep = &world->sleep;
    const uint32_t place = place_of(slot);
    const rico__effect *effect = &world->effects[slot];
    const rico__sleeper *item = &sleep->items[slot];
    if (!is_asleep(world, slot))
        return;
    sleep->masks[place].asleep &= (uint16_t)~bit_of(slot);
    if (sleep->masks[place].asleep == 0)
        nobody_sleeps(sleep, place);
    sleep->effects -= 1;
    sleep->particles -= effect->particle_count;
    sleep->resting -= item->rests ? effect->particle_count : 0;
    sleep->units -= units_of(world, effect, item);
}

static void wake_place(rico_world *world, uint32_t place)
{
    for (uint32_t left = world->sleep.masks[place].asleep; left != 0; left &= left - 1)
        rico__sleep_wake(world, rico__first_slot(place) + bits_lowest64(left));
}

void rico__sleep_wake_all(rico_world *world)
{
    if (world->sleep.effects == 0)
        return;
    uint32_t places = place_of(world->effect_high_water + RICO__EFFECT_GRAIN - 1);
    for (uint32_t place = 0; place < places; ++place)
        wake_place(world, place);
}

/* Wakes the effects whose first death may come in this step, and notes when the next one after
 * that may. */
static void wake_due(rico_world *world, uint32_t place, double now)
{
    rico__sleep *sleep = &world->sleep;
    double next = (double)RICO__NEVER;
    for (uint32_t left = sleep->masks[place].asleep; left != 0; left &= left - 1) {
        uint32_t slot = rico__first_slot(place) + bits_lowest64(left);
        const double at = sleep->items[slot].wake_at;
        if (at <= now)
            rico__sleep_wake(world, slot);
        else
            next = at < next ? at : next;
    }
    sleep->wake_at[place] = next;
}

static bool stop(void *user, uint32_t body)
{
    (void)user;
    (void)body;
    return true;
}

static bool is_touched(const rico_world *world, const rico_box *box)
{
    const rico__movers *bodies = &world->movers;
    return bodies->any_moved && boxes_meet(box, &bodies->reach) &&
           rico__movers_each(bodies, box, true, stop, NULL);
}

static bool is_edited(const rico_world *world, const rico__effect *effect, const rico_box *box)
{
    return rico__edit_boxes_meet(&world->edits.list, box, true,
                                 world->recipes[effect->recipe].def.ignored_layers);
}

static void wake_touched(rico_world *world, uint32_t place)
{
    rico__sleep *sleep = &world->sleep;
    if (!is_touched(world, &sleep->boxes[place]) &&
        !rico__edit_boxes_any(&world->edits.list, &sleep->boxes[place], true))
        return;
    for (uint32_t left = sleep->masks[place].asleep; left != 0; left &= left - 1) {
        uint32_t slot = rico__first_slot(place) + bits_lowest64(left);
        const rico_box *box = &sleep->items[slot].box;
        if (sleep->items[slot].rests &&
            (is_touched(world, box) || is_edited(world, &world->effects[slot], box)))
            rico__sleep_wake(world, slot);
    }
}

/* What boxes cannot tell. Steps much shorter than before are rounded more often. */
static bool wakes_all(rico_world *world)
{
    rico__sleep *sleep = &world->sleep;
    if (world->scene_changed || world->fields.edited ||
        (world->movers.any_moved && world->dt > LONGEST_STEP))
        return true;
    if (sleep->least_dt > 0.0f && world->dt >= 0.5f * sleep->least_dt)
        return false;
    sleep->least_dt = world->dt;
    return true;
}

/* While an effect is run by itself, steps walk its place, and places of effects that run along.
 * The others stand still: a host that prewarms thousands would look at each of them in each
 * step of each. */
static bool takes_part(const rico_world *world, uint32_t place)
{
    return world->alone == 0 || place == place_of(world->alone - 1) ||
           world->sleep.masks[place].along;
}

void rico__sleep_along(rico_world *world, uint32_t slot, bool along)
{
    world->sleep.masks[place_of(slot)].along = along;
}

/* Counted before any effect has births. */
static uint64_t particles_left_out(const rico_world *world)
{
    const rico__sleep *sleep = &world->sleep;
    uint64_t others = world->particle_count - sleep->particles;
    if (world->alone == 0)
        return 0;
    for (uint32_t i = 0; i < sleep->active_count; ++i) {
        const uint32_t place = sleep->active[i];
        for (uint32_t left = rico__sleep_walkers(sleep, place); left != 0; left &= left - 1)
            others -=
                world->effects[rico__first_slot(place) + bits_lowest64(left)].particle_count;
    }
    return others;
}

/* What short steps forbid lasts for a while after them, but not for ever. Effects that sleep
 * already have taken shorter steps into account, which stays true. */
static void forget_short_steps(rico__sleep *sleep, float dt)
{
    sleep->recent_dt = sleep->recent_steps == 0 ? dt : float_min(sleep->recent_dt, dt);
    sleep->recent_steps += 1;
    if (sleep->recent_steps < LAST_STEPS)
        return;
    sleep->recent_steps = 0;
    if (sleep->least_dt * MUCH_SHORTER < sleep->recent_dt)
        sleep->least_dt = sleep->recent_dt;
}

void rico__sleep_begin(rico_world *world)
{
    rico__sleep *sleep = &world->sleep;
    const bool goes_on = rico__goes_on(world);
    const double now = sleep->clock + (goes_on ? (double)world->dt : 0.0);
    const bool touches = goes_on && (world->edits.list.count > 0 || world->movers.any_moved);
    sleep->unrest += world->scene_changed || touches;
    if (goes_on && wakes_all(world))
        rico__sleep_wake_all(world);
    if (goes_on)
        forget_short_steps(sleep, world->dt);
    sleep->active_count = 0;
    for (uint32_t place = 0; place < world->sums_count; ++place) {
        if (sleep->wake_at[place] <= now)
            wake_due(world, place, now);
        if (touches && sleep->masks[place].asleep != 0)
            wake_touched(world, place);
        bool active = (sleep->masks[place].alive & ~sleep->masks[place].asleep) != 0 &&
                      takes_part(world, place);
        if (active)
            sleep->active[sleep->active_count++] = place;
        else if (sleep->masks[place].walked)
            world->sums[place] = (rico__sums){0};
        sleep->masks[place].walked = active;
    }
    sleep->left_out = particles_left_out(world);
}
