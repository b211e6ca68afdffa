#include "pace.h"

#include "forces.h"
#include "forecast.h"
#include "preparation.h"

/* The mean is over so much time, in seconds; over so many steps at first. */
#define MEAN_SECONDS 1.0f
#define MEAN_STEPS 8.0f

/* A step counts as so many of the mean at most: one that takes long for once says nothing of those to
 * come. */
#define MOST_COUNTED 2.0f

/* Lags, of the mean step. Of who lies on a floor a longer one would make a hop; a shorter one rounding. */
#define MOST_LAG 2.0f
#define LEAST_LAG (1.0f / 64.0f)

/* As even as makes no difference. */
#define EVEN_SHARE 1.0e-3f

static bool about_the_same(float a, float b)
{
    return a <= b * RICO__DT_TOLERANCE && b <= a * RICO__DT_TOLERANCE;
}

/* What bends the effect's paths at most, beside drag: that shifts a particle along its path, which does
 * not change what it meets. */
static float strength(const rico_world *world, const rico__effect *effect)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    float pull = vec3_length(rico__pull(recipe, effect->path_dt));
    return recipe->pushed ? pull + rico__forces_most_anywhere(world, recipe) : pull;
}

/* Paths last no longer than the horizon, so what went wrong before it is forgotten little by little. */
static void follow(rico__pace *pace, float dt)
{
    float counted = float_min(dt, pace->mean * MOST_COUNTED);
    float faded = float_max(1.0f - dt / RICO__HORIZON, 0.0f);
    pace->bias = pace->bias * faded + dt * (dt - pace->mean);
    pace->over = float_min(pace->over + counted, MEAN_SECONDS);
    pace->mean += (counted - pace->mean) * float_min(counted / pace->over, 1.0f);
}

/* Whether the step led off paths by more than these may be, which is a/2 times `most`: it was longer than its lag. */
static bool strays(const rico__pace *pace, float dt, float most)
{
    return dt * (dt - pace->lag) > 2.0f * most;
}

/* All paths anew, as steps of so many seconds go. */
static void forget(rico__effect *effect, float dt)
{
    effect->path_dt = dt;
    effect->pace.bias = 0.0f;
    effect->paths |= RICO__PATHS_FORGOTTEN;
}

static void begin(rico__effect *effect, float dt)
{
    const rico__pace *was = &effect->pace;
    effect->pace = (rico__pace){.mean = dt,
                                .last = dt,
                                .over = MEAN_STEPS * dt,
                                .lag = was->lag,
                                .lag_before = was->lag_before};
    forget(effect, dt);
}

/* Then a step like the others costs nothing. */
static void end_if_even(rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    float most = EVEN_SHARE * effect->path_dt;
    if (effect->dt == effect->path_dt && effect->dt == pace->lag_before &&
        __builtin_fabsf(pace->mean - effect->path_dt) < most &&
        __builtin_fabsf(pace->bias) < most * effect->path_dt)
        effect->paths = (uint8_t)(effect->paths & ~RICO__PATHS_UNEVEN);
}

void rico__pace_vary(const rico_world *world, rico__effect *effect)
{
    rico__pace *pace = &effect->pace;
    const float dt = effect->dt;
    bool even = (effect->paths & RICO__PATHS_UNEVEN) == 0;
    effect->paths = 0;
    if (!(effect->path_dt > 0.0f)) {
        begin(effect, dt);
        return;
    }
    if (even)
        *pace = (rico__pace){.mean = effect->path_dt,
                             .last = effect->path_dt,
                             .over = MEAN_STEPS * effect->path_dt,
                             .lag = effect->path_dt};
    effect->paths = RICO__PATHS_UNEVEN;
    if (dt > effect->path_dt * RICO__DT_TOLERANCE)
        effect->paths |= RICO__PATHS_OUTRUN;
    const float pull = float_max(strength(world, effect), 0.01f);
    const float least = rico__most_drift(world->recipes[effect->recipe].contact_radius) / pull;
    const bool strayed = strays(pace, pace->last, least);
    pace->lag_before = pace->lag;
    pace->lag = float_clamp(dt, pace->mean * LEAST_LAG, pace->mean * MOST_LAG);
    follow(pace, dt);
    const bool off = __builtin_fabsf(pace->bias) > RICO__MOST_DRIFT / pull;
    if (off && about_the_same(dt, pace->last))
        begin(effect, dt); /* another rate */
    else if (strayed || strays(pace, dt, least) || !about_the_same(pace->mean, effect->path_dt))
        forget(effect, pace->mean);
    else if (off)
        pace->bias = 0.0f;
    else
        end_if_even(effect);
    pace->last = dt;
}

void rico__pace_rest(const rico_world *world, rico__effect *effect, float dt, uint64_t steps)
{
    const float kept = effect->dt;
    effect->dt = dt;
    for (bool uneven = true; steps > 0 && uneven; --steps) {
        rico__pace_step(world, effect);
        uneven = effect->paths != 0;
    }
    effect->dt = kept;
}

static void doubt_all(rico__block *block, float *until, bool sleepers)
{
    for (uint32_t i = 0; i < block->count; ++i) {
        if (!sleepers && rico__bit(block->asleep, i))
            continue;
        until[i] = 0.0f;
        rico__bit_set(block->waits, i, true);
    }
}

static void doubt_outrun(rico__block *block, const float *age, const float *until, float dt)
{
    for (uint32_t i = 0; i < block->count; ++i)
        if (until[i] < age[i] + dt && !rico__bit(block->asleep, i))
            rico__bit_set(block->waits, i, true);
}

void rico__pace_doubt(const rico_world *world, const rico__effect *effect, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    bool all = effect->forgets || (effect->paths & RICO__PATHS_FORGOTTEN) != 0;
    float *data = rico__block_data(world, block);
    float *until = rico__stream(recipe, data, FIELD_UNTIL);
    if (all)
        doubt_all(block, until, effect->forgets);
    else
        doubt_outrun(block, rico__stream(recipe, data, FIELD_AGE), until, effect->dt);
}

/* Where a fall ends, over g / drag: x / (e^x - 1) for steps of x = drag dt, whose factor is e^-x. */
static float end_of_fall(float drag, float dt, float factor)
{
    return factor == 1.0f ? 1.0f : drag * dt * factor / (1.0f - factor);
}

/* A fall against drag ends as fast as in even steps, of which paths are made: else who falls for long would be ahead of its
 * path, and below ground before it looks again. */
static void fall_as_even_steps(rico__step *step, const rico__recipe *recipe,
                               const rico__effect *effect)
{
    const float drag = recipe->drag, even_dt = effect->path_dt, dt = step->kick;
    if (drag < RICO__STRONG_DRAG)
        return;
    const float least =
        end_of_fall(drag, even_dt, rico__drag_factor(recipe, even_dt)) / RICO__MOST_GRAVITY;
    const float own = float_max(end_of_fall(drag, dt, step->drag_factor), least);
    const float more = own > 0.0f ? RICO__MOST_GRAVITY * least / own - 1.0f : 0.0f;
    const rico_vec3 g = vec3_scale(recipe->def.gravity, more * dt);
    step->gx += g.x;
    step->gy += g.y;
    step->gz += g.z;
    if (dt > 0.0f)
        step->fall = vec3_length(vec3(step->gx, step->gy, step->gz)) / dt;
}

/* From half of the last step's lag before it to half of its own before its end. */
static float kick_of(const rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    return effect->dt + 0.5f * (pace->lag_before - pace->lag);
}

void rico__pace_kick(rico__step *step, const rico_world *world, const rico__effect *effect)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__step_kick(step, recipe, kick_of(effect));
    fall_as_even_steps(step, recipe, effect);
}

void rico__pace_path_step(rico__step *step, const rico_world *world, const rico__effect *effect,
                          bool again)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) == 0)
        return;
    /* That leads to where the step will. */
    const rico__pace *pace = &effect->pace;
    const float before =
        float_max(2.0f * kick_of(effect) - effect->dt, 0.5f * pace->lag_before);
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const float ahead = step->ahead;
    *step = rico__recipe_step(recipe, again ? before : pace->lag, world->def.cell_size);
    step->ahead = ahead;
    fall_as_even_steps(step, recipe, effect);
}

void rico__pace_hash(rico__hash *hash, const rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    const float numbers[] = {pace->mean, pace->last, pace->over, pace->bias, pace->lag};
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__hash_floats(hash, numbers, 5);
}
