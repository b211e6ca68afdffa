/* step_clock.h - turns frames of any length into steps of one length.
 *
 * For hosts that step their world at a fixed rate and draw at another:
 *     rico_clock clock = {.step = 1.0f / 60.0f};
 *     each frame:
 *         uint32_t steps = rico_clock_advance(&clock, seconds_since_last_frame, 5);
 *         for (; steps > 0; --steps)
 *             rico_world_step(world, clock.step);
 *         rico_output_write_interpolated(output, ..., clock.interpolation, &frame);
 * The picture lies between the last two steps. So it is up to one step older than the time that
 * has passed.
 *
 * A clock knows no world and reads no time.
 *
 * Threads: one thread at a time uses a clock.
 * Determinism: the same frames give the same steps.
 */
#ifndef RICOCHET_STEP_CLOCK_H
#define RICOCHET_STEP_CLOCK_H

#include <ricochet/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_clock {
    /* Length of a step; seconds, 0.0001..1. The host sets it. A change counts from the next
     * call on. */
    float step;
    float interpolation; /* share of a step that has passed since the last step, 0..1 */
    uint32_t dropped;    /* steps that the last call left out */
    uint64_t left;       /* private: time since the last step in 2^-52 s; 0 to begin with */
} rico_clock;

/* Advances the clock by the seconds since the last call, and returns how many steps are due.
 *
 * It returns most_steps at most. Steps beyond that are dropped for good and counted in
 * clock->dropped; interpolation goes on without them. With most_steps 0, time stands still
 * except for the interpolation.
 *
 * Time does not drift, because sums are exact. Over any frames, the steps returned, the steps
 * dropped and the rest add up to the seconds given. Only the part of a frame beyond a whole
 * number of 2^-52 s is lost. Frames of 2 ns or more have nothing beyond it.
 *
 * Range: elapsed_seconds 0..1000: less, or NaN, counts as 0; more counts as 1000. most_steps
 *   may be any number.
 * Errors: a clock->step out of its range is misuse: it asserts, and returns 0 if the assert
 *   handler returns. */
RICO_API uint32_t rico_clock_advance(rico_clock *clock, float elapsed_seconds,
                                     uint32_t most_steps);

#ifdef __cplusplus
}
#endif
#endif
