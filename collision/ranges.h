/* ranges.h - the passes of a build, cut into ranges that the host may run in parallel.
 *
 * What a range writes belongs to it alone, and it allocates nothing. It stops where its room
 * does not suffice, and is run again from there after the caller made more. What it makes does
 * not depend on where ranges begin and end, nor on their order. So neither does what they are
 * joined to.
 */
#ifndef RICO_RANGES_H
#define RICO_RANGES_H

#include <ricochet/scene.h>

/* Enough for the largest number of workers that is worth having in a build. Memory, and what
 * ranges have in common (bricks at their borders), grow with the number of ranges. */
#define RICO_RANGES_MAX 64u

/* The number of ranges for `things` things, of which `grain` are worth a range; 1 without a
 * runner. At least 1. */
uint32_t rico__ranges_count(const rico_scene_runner *runner, uint32_t things, uint32_t grain);

/* Where range i of count begins. For i = count: where the last one ends. */
static inline uint32_t rico__range_begin(uint32_t things, uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)things * i / count);
}

/* Runs range(context, i) once for each i below count (at most RICO_RANGES_MAX). */
void rico__ranges_run(const rico_scene_runner *runner, uint32_t count,
                      rico_scene_range_fn *range, void *context);

#endif
