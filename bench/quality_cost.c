#include "quality_cost.h"

#include "median.h"
#include <string.h>

#define ROUNDS 9u
#define FRAMES 15u    /* of each world in a round */
#define UNMEASURED 3u /* at the start of each turn: the caches hold the other world */
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
    run_frames(w, UNMEASURED, ok);
    return run_frames(w, FRAMES, ok);
}

bool quality_base_open(quality_base *base, const quality_setup *setup)
{
    memset(base, 0, sizeof *base);
    base->setup = *setup;
    base->setup.mode = RICO_COLLIDE_FIXED;
    base->setup.watched = false;
    bool ok = quality_world_open(&base->world, &base->setup);
    if (ok)
        base->cost.ns[QUALITY_COLD] = run_frames(&base->world, QUALITY_COLD_FRAMES, &ok);
    if (ok)
        run_frames(&base->world, STEADY - QUALITY_COLD_FRAMES, &ok);
    double turns[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS && ok; ++i)
        turns[i] = take_turn(&base->world, &ok);
    base->cost.ns[QUALITY_WARM] = ok ? median(turns, ROUNDS) : 0.0;
    return ok;
}

void quality_base_close(quality_base *base)
{
    quality_world_close(&base->world);
}

bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost)
{
    quality_setup plain = *setup;
    quality_world world;
    plain.watched = false;
    bool ok = quality_world_open(&world, &plain);
    double more[ROUNDS];
    if (ok)
        cost->ns[QUALITY_COLD] =
            run_frames(&world, QUALITY_COLD_FRAMES, &ok) - base->cost.ns[QUALITY_COLD];
    if (ok)
        run_frames(&world, warm_frame - QUALITY_COLD_FRAMES, &ok);
    for (uint32_t i = 0; i < ROUNDS && ok; ++i) {
        double fixed = take_turn(&base->world, &ok);
        more[i] = take_turn(&world, &ok) - fixed;
    }
    if (ok)
        cost->ns[QUALITY_WARM] = median(more, ROUNDS);
    quality_world_close(&world);
    return ok;
}
