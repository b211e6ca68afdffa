#include "quality_cost.h"

#include "median.h"
#include <string.h>

#define STEADY (5u * QUALITY_RATE)

/* Runs frames; returns nanoseconds per particle and frame. */
static double run_frames(quality_world *w, uint32_t frames, bool *ok)
{
    double ns = 0.0, particles = 0.0;
    for (uint32_t i = 0; i < frames && *ok; ++i) {
        ns += quality_world_step(w, ok);
        particles += (double)rico_world_get_stats(w->world).particles;
    }
    return particles > 0.0 ? ns / particles : 0.0;
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
        fixed[i] = take_turn(&base->world, ok);
        more[i] = take_turn(w, ok) - fixed[i];
    }
    cost->warm = median(more, QUALITY_TURNS);
    cost->fixed = median(fixed, QUALITY_TURNS);
}

bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost)
{
    quality_world w;
    bool ok = quality_world_open(&w, setup);
    if (!ok)
        return false;
    cost->cold = run_frames(&w, QUALITY_COLD_FRAMES, &ok) - base->cost.cold;
    if (warm_frame > 0) {
        run_frames(&w, warm_frame - QUALITY_COLD_FRAMES, &ok);
        quality_cost_turns(&w, base, cost, &ok);
    }
    quality_world_close(&w);
    return ok;
}
