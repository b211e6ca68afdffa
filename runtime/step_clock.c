#include "check.h"
#include "float_mode.h"

#include <ricochet/step_clock.h>

/* Floats from 2 ns up are whole numbers of these units, and 1000 s of them fit in 64 bits. */
#define UNITS_PER_SECOND 4503599627370496.0 /* 2^52 */

#define LEAST_STEP 0.0001f
#define MOST_STEP 1.0f
#define MOST_SECONDS 1000.0f

static uint64_t units_of(float seconds)
{
    if (!(seconds > 0.0f))
        return 0;
    return (uint64_t)((double)(seconds < MOST_SECONDS ? seconds : MOST_SECONDS) *
                      UNITS_PER_SECOND);
}

uint32_t rico_clock_advance(rico_clock *clock, float elapsed_seconds, uint32_t most_steps)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(clock != NULL && clock->step >= LEAST_STEP && clock->step <= MOST_STEP))
        return 0;
    const uint64_t step = units_of(clock->step);
    const uint64_t passed = clock->left + units_of(elapsed_seconds);
    const uint64_t due = passed / step; /* 10^7 at most */
    const uint64_t steps = due < most_steps ? due : most_steps;
    clock->left = passed % step;
    clock->dropped = (uint32_t)(due - steps);
    clock->interpolation = (float)((double)clock->left / (double)step);
    return (uint32_t)steps;
}
