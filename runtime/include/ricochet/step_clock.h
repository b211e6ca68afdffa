/* step_clock.h - steps of one length from frames of any.
 *
 * For hosts that step their world at a fixed rate and draw at another:
 *     rico_clock clock = {.step = 1.0f / 60.0f};
 *     each frame:
 *         for (uint32_t n = rico_clock_advance(&clock, seconds_since_last_frame, 5); n > 0; --n)
 *             rico_world_step(world, clock.step);
 *         rico_output_write_interpolated(output, ..., clock.interpolation, &frame);
 * What is drawn is up to a step older than the time that has passed: between the last two steps.
 * Knows no world, and reads no time: the same frames give the same steps. Threads: a clock is used by one at a time.
 */
#ifndef RICOCHET_STEP_CLOCK_H
#define RICOCHET_STEP_CLOCK_H

#include <ricochet/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_clock {
    float
        step; /* seconds, 0.0001..1: the host's to set; changed, the new one holds from the next call on */
    float interpolation; /* share of a step that has passed since the last one, 0..1 */
    uint32_t dropped;    /* steps that the last call left out */
    uint64_t left;       /* private: what that share is, in 2^-52 s; 0 to begin with */
} rico_clock;

/* So many seconds have passed since the last call: returns how many steps are due, most_steps at most. Those
 * that are due beyond that are dropped for good, and counted in clock->dropped; the interpolation goes on
 * without them. Time does not drift: sums are exact, so that over any frames the steps that were returned
 * and dropped, and the rest, are the seconds that were given.
 * elapsed_seconds: 0..1000; what is less, or NaN, counts as 0, what is more as 1000. Of a frame, what is beyond
 * whole 2^-52 s is left out: nothing, from 2 ns on. most_steps: any; with 0, time stands still but for the
 * interpolation. A step out of its range is misuse: it asserts, and returns 0 if the handler
 * returns. */
RICO_API uint32_t rico_clock_advance(rico_clock *clock, float elapsed_seconds,
                                     uint32_t most_steps);

#ifdef __cplusplus
}
#endif
#endif
