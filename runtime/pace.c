#include "pace.h"

#include "contact.h"
#include "forces.h"
#include "forecast.h"
#include "preparation.h"

/* The mean is over this many seconds; at first over this many steps. */
#define MEAN_SECONDS 1.0f
#define MEAN_STEPS 8.0f

/* A step counts for at most this many of these seconds. Otherwise two long steps would decide
 * about all that follow. */
#define MOST_SECONDS (MEAN_SECONDS / 16.0f)

/* A step counts as at most this many mean ones: a single long step says nothing about those to
 * come. */
#define MOST_COUNTED 2.0f

/* Mean steps. No step up to this long leads off paths. */
#define LONG_STEP 2.0f

/* Steps that differ by less than this share count as even. */
#define EVEN_SHARE 1.0e-3f

/* m/s; the speed of the fastest particles that drag slows down. */
#define SWIFT 10.0f

/* Seconds per second by which path_dt changes at most, with a drag of 1/s or more, or where
 * forces push; with less drag, faster by as much. In two seconds that shifts no particle by more
 * than a centimetre. */
#define GLIDE 1.0e-3f

/* Drag times the difference of two steps: below this, falls are equally fast to a quarter of a
 * thousandth. */
#define SAME_FALL 5.0e-4f

/* Kick over step. Above this (after a long step) an impact counts as half of the kick late
 * (step.middle). */
#define LONG_KICK 1.5f

static bool about_the_same(float a, float b)
{
    return a <= b * RICO__DT_TOLERANCE && b <= a * RICO__DT_TOLERANCE;
}

/* Whether steps up to so long lead along the path, to within what it may be off. Forces that stay
 * the same lead along a parabola, whatever the steps. Drag leads off it by (drag dt)^2 / 24 of a
 * step's way. Forces that vary lead off it by no more than they can move a particle within the
 * step. */
static bool keeps_to_paths(const rico_world *world, const rico__recipe *recipe, float dt)
{
    const float slow = recipe->drag * dt;
    if (!(slow * slow * SWIFT * dt <= 24.0f * RICO__MOST_DRIFT))
        return false;
    return !recipe->pushed ||
           rico__forces_most_anywhere(world, recipe) * dt * dt <= 2.0f * RICO__MOST_DRIFT;
}

/* The most that bends the effect's paths. Drag does not count: it shifts a particle along its
 * path, which does not change what it meets. */
static float strength(const rico_world *world, const rico__effect *effect)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    float pull = vec3_length(rico__pull(recipe, effect->path_dt));
    return recipe->pushed ? pull + rico__forces_most_anywhere(world, recipe) : pull;
}

static void follow(rico__pace *pace, float dt)
{
    const float longer = float_min(dt, pace->last), shorter = float_max(dt, pace->last);
    if (longer > MOST_COUNTED * pace->mean) /* twice in a row: all steps are that long now */
        pace->mean = longer;
    if (shorter * MOST_COUNTED < pace->mean)
        pace->mean = shorter;
    float counted = float_min(dt, pace->mean * MOST_COUNTED);
    pace->over = float_min(pace->over + float_min(counted, MOST_SECONDS), MEAN_SECONDS);
    pace->mean += (counted - pace->mean) * float_min(counted / pace->over, 1.0f);
}

/* Whether a step longer than LONG_STEP leads off paths: by more than `most` times the
 * acceleration. */
static bool strays(const rico__pace *pace, float dt, float most)
{
    const float usual = float_min(dt, pace->mean * LONG_STEP);
    return dt * (dt - usual) > 2.0f * most;
}

/* Sets the step's lag. Returns whether this step or the last one leads off paths. */
static bool leave_paths(const rico_world *world, rico__effect *effect)
{
    rico__pace *pace = &effect->pace;
    const float dt = effect->dt;
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    pace->lag_before = pace->lag;
    pace->lag = dt;
    if (keeps_to_paths(world, recipe, float_max(dt, pace->last))) {
        follow(pace, dt);
        return false;
    }
    const float pull = float_max(strength(world, effect), 0.01f);
    const float least = rico__most_drift(recipe->contact_radius) / pull;
    const bool strayed = strays(pace, pace->last, least);
    follow(pace, dt);
    return strayed || strays(pace, dt, least);
}

/* Has all paths made anew, from steps of this length. */
static void forget(rico__effect *effect, float dt)
{
    effect->path_dt = dt;
    effect->paths |= RICO__PATHS_FORGOTTEN;
}

static void begin(rico__effect *effect, float dt)
{
    effect->pace = (rico__pace){.mean = dt,
                                .last = dt,
                                .over = float_min(MEAN_STEPS * dt, 0.5f * MEAN_SECONDS),
                                .lag = dt,
                                .lag_before = dt};
    forget(effect, dt);
    effect->paths |= RICO__PATHS_BEGUN;
}

/* Lets path_dt follow the length of most steps. A path made from other steps is no worse, except
 * for the speed at which falls against drag end, and for what forces push. */
static void turn_to_others(rico__effect *effect, const rico__recipe *recipe)
{
    rico__pace *pace = &effect->pace;
    const float dt = effect->dt, slow = recipe->pushed ? 1.0f : float_min(recipe->drag, 1.0f);
    const float most = GLIDE * dt / slow;
    const bool strong = slow >= RICO__STRONG_DRAG;
    const bool same = about_the_same(pace->mean, effect->path_dt);
    const bool settled =
        strong ? __builtin_fabsf(pace->mean - dt) < EVEN_SHARE * dt : dt == pace->last;
    if (settled)
        pace->mean = dt;
    const bool far = effect->path_dt > LONG_STEP * pace->mean; /* the effect began in a stall */
    if ((strong || far) && !same && pace->over < MEAN_SECONDS)
        forget(effect, pace->mean);
    else if (settled || !same)
        effect->path_dt += float_clamp(pace->mean - effect->path_dt, -most, most);
}

/* From then on a step like the others costs nothing. */
static void end_if_even(rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    if (effect->dt == effect->path_dt && effect->dt == pace->lag_before &&
        effect->dt == pace->mean)
        effect->paths = (uint8_t)(effect->paths & ~RICO__PATHS_UNEVEN);
}

void rico__pace_vary(const rico_world *world, rico__effect *effect)
{
    rico__pace *pace = &effect->pace;
    const float dt = effect->dt;
    bool even = (effect->paths & (RICO__PATHS_UNEVEN | RICO__PATHS_BEGUN)) == 0;
    effect->paths = 0;
    if (!(effect->path_dt > 0.0f)) {
        begin(effect, dt);
        return;
    }
    const bool stalled =
        effect->path_dt > MOST_SECONDS; /* hosts cap longer steps, so all are alike */
    if (even)
        *pace = (rico__pace){.mean = effect->path_dt,
                             .last = effect->path_dt,
                             .over = stalled ? 0.5f * MEAN_SECONDS : MEAN_SECONDS,
                             .lag = effect->path_dt};
    effect->paths = RICO__PATHS_UNEVEN;
    if (dt > effect->path_dt * RICO__DT_TOLERANCE)
        effect->paths |= RICO__PATHS_OUTRUN;
    if (leave_paths(world, effect)) /* by a stall, which says nothing about path_dt */
        effect->paths |= RICO__PATHS_FORGOTTEN;
    turn_to_others(effect, &world->recipes[effect->recipe]);
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

/* The speed at which a fall ends, over g / drag: x / (e^x - 1) for steps of x = drag dt, whose
 * factor is e^-x. */
static float end_of_fall(float drag, float dt, float factor)
{
    return factor == 1.0f ? 1.0f : drag * dt * factor / (1.0f - factor);
}

/* Scales gravity so that a fall against drag ends as fast as in the even steps from which paths
 * are made. Otherwise a particle that falls for long would be ahead of its path, and below the
 * ground before it looks again. */
static void fall_as_even_steps(rico__step *step, const rico__recipe *recipe,
                               const rico__effect *effect)
{
    const float drag = recipe->drag, even_dt = effect->path_dt, dt = step->kick;
    if (drag * __builtin_fabsf(dt - even_dt) < SAME_FALL)
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

rico_vec3 rico__pace_late_birth(const rico__recipe *recipe, const rico__effect *effect)
{
    const float late = effect->pace.lag - effect->path_dt;
    if (late < 0.5f * effect->path_dt || effect->pace.lag != effect->dt)
        return vec3(0.0f, 0.0f, 0.0f);
    return vec3_scale(recipe->def.gravity, -0.5f * late);
}

/* From half of the last lag before the step's beginning to half of its own lag before its end. */
static float kick_of(const rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    return effect->dt + 0.5f * (pace->lag_before - pace->lag);
}

void rico__pace_kick(rico__step *step, const rico_world *world, const rico__effect *effect)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const float kick = kick_of(effect);
    rico__step_kick(step, recipe, kick);
    if (kick > LONG_KICK * step->dt)
        step->middle = 0.5f * kick;
    fall_as_even_steps(step, recipe, effect);
}

typedef struct velocities {
    float *x, *y, *z;
} velocities;

static velocities velocities_of(const rico_world *world, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    return (velocities){rico__stream(recipe, data, FIELD_VX),
                        rico__stream(recipe, data, FIELD_VY),
                        rico__stream(recipe, data, FIELD_VZ)};
}

void rico__pace_shift(const rico_world *world, rico__block *block, float later)
{
    const rico_vec3 g = vec3_scale(world->recipes[block->recipe].def.gravity, later);
    const velocities v = velocities_of(world, block);
    for (uint32_t i = 0; i < block->count; ++i) {
        if (rico__bit(block->asleep, i))
            continue;
        v.x[i] += g.x;
        v.y[i] += g.y;
        v.z[i] += g.z;
    }
}

void rico__pace_late_start(const rico_world *world, const rico__effect *effect,
                           rico__block *block)
{
    rico__step step;
    if (!(kick_of(effect) > LONG_KICK * effect->dt))
        return;
    rico__pace_block_step(&step, world, effect);
    const rico_vec3 start = rico__late_start(&step);
    const velocities v = velocities_of(world, block);
    for (uint32_t i = 0; i < block->count; ++i) {
        if (v.x[i] != 0.0f || v.y[i] != 0.0f || v.z[i] != 0.0f || rico__bit(block->asleep, i))
            continue;
        v.x[i] = start.x;
        v.y[i] = start.y;
        v.z[i] = start.z;
    }
}

bool rico__pace_path_step(rico__step *step, const rico_world *world, const rico__effect *effect,
                          bool again)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) == 0)
        return false;
    /* An even step of this length leads to where the step will. */
    const rico__pace *pace = &effect->pace;
    const float before =
        float_max(2.0f * kick_of(effect) - effect->dt, 0.5f * pace->lag_before);
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const float ahead = step->ahead;
    *step = rico__recipe_step(recipe, again ? before : pace->lag, world->def.cell_size);
    step->ahead = ahead;
    fall_as_even_steps(step, recipe, effect);
    return (recipe->pushed || recipe->drag > 0.0f) && step->dt > LONG_STEP * effect->path_dt;
}

void rico__pace_hash(rico__hash *hash, const rico__effect *effect)
{
    const rico__pace *pace = &effect->pace;
    const float numbers[] = {pace->mean, pace->last, pace->over, pace->lag};
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__hash_floats(hash, numbers, 4);
}
