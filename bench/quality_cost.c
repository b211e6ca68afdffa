#include "quality_cost.h"

#include "median.h"
#include <string.h>

#define STEADY (5u * QUALITY_RATE)

#define COLD_TURN (QUALITY_RATE / 2u) /* four turns in two seconds: each begins two of them */
_Static_assert(QUALITY_COLD_FRAMES % (2u * COLD_TURN) == 0, "each side goes first as often");

void quality_sum_step(quality_sum *sum, quality_world *w, bool *ok)
{
    sum->ns += quality_world_step(w, ok);
    sum->particles += (double)rico_world_get_stats(w->world).particles;
}

double quality_sum_ns(const quality_sum *sum)
{
    return sum->particles > 0.0 ? sum->ns / sum->particles : 0.0;
}

static void add_frames(quality_sum *sum, quality_world *w, uint32_t frames, bool *ok)
{
    for (uint32_t i = 0; i < frames && *ok; ++i)
        quality_sum_step(sum, w, ok);
}

/* Runs frames; returns nanoseconds per particle and frame. */
static double run_frames(quality_world *w, uint32_t frames, bool *ok)
{
    quality_sum sum = {0.0, 0.0};
    add_frames(&sum, w, frames, ok);
    return quality_sum_ns(&sum);
}

static double take_turn(quality_world *w, bool *ok)
{
    run_frames(w, QUALITY_TURN_LEAD, ok);
    return run_frames(w, QUALITY_TURN, ok);
}

bool quality_base_open(quality_base *base, const quality_setup *setup)
{
    double turns[QUALITY_TURNS];
    memset(base, 0, sizeof *base);
    base->setup = *setup;
    base->setup.mode = RICO_COLLIDE_FIXED;
    bool ok = quality_world_open(&base->world, &base->setup);
    if (!ok)
        return false;
    base->cost.cold = run_frames(&base->world, QUALITY_COLD_FRAMES, &ok);
    run_frames(&base->world, STEADY - QUALITY_COLD_FRAMES, &ok);
    for (uint32_t i = 0; i < QUALITY_TURNS; ++i)
        turns[i] = take_turn(&base->world, &ok);
    base->cost.warm = median(turns, QUALITY_TURNS);
    return ok;
}

void quality_base_close(quality_base *base)
{
    quality_world_close(&base->world);
}

void quality_cost_turns(quality_world *w, quality_base *base, quality_cost *cost, bool *ok)
{
    double more[QUALITY_TURNS], fixed[QUALITY_TURNS];
    for (uint32_t i = 0; i < QUALITY_TURNS; ++i) {
        if (i % 2 == 0)
            fixed[i] = take_turn(&base->world, ok);
        double ns = take_turn(w, ok);
        if (i % 2 != 0)
            fixed[i] = take_turn(&base->world, ok);
        more[i] = ns - fixed[i];
    }
    cost->warm = median(more, QUALITY_TURNS);
    cost->fixed = median(fixed, QUALITY_TURNS);
}

/* The first two seconds of a new world, in turns with those of a new one of mode fixed. All
 * frames count, the first ones of a turn, too: a cold start has no others to give. */
static double measure_cold(quality_world *w, const quality_base *base, bool *ok)
{
    quality_world fixed;
    quality_sum sums[2] = {{0.0, 0.0}, {0.0, 0.0}};
    *ok = quality_world_open(&fixed, &base->setup) && *ok;
    for (uint32_t i = 0; i < QUALITY_COLD_FRAMES / COLD_TURN && *ok; ++i)
        for (uint32_t k = 0; k < 2; ++k) {
            uint32_t which = (i + k) % 2;
            add_frames(&sums[which], which == 0 ? &fixed : w, COLD_TURN, ok);
        }
    quality_world_close(&fixed);
    return quality_sum_ns(&sums[1]) - quality_sum_ns(&sums[0]);
}

bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost)
{
    quality_world w;
    bool ok = quality_world_open(&w, setup);
    if (!ok)
        return false;
    cost->cold = measure_cold(&w, base, &ok);
    if (ok && warm_frame > 0) {
        run_frames(&w, warm_frame - QUALITY_COLD_FRAMES, &ok);
        quality_cost_turns(&w, base, cost, &ok);
    }
    quality_world_close(&w);
    return ok;
}
