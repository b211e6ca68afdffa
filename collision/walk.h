/* walk.h - a ray on its way through the grid. */
#ifndef RICO_WALK_H
#define RICO_WALK_H

#include "grid.h"
#include "ray_triangle.h"

/* The closest hit of a valid ray; *steps counts the bricks and cells visited. The grid is not
 * empty. The answer is that of rico__ray_test over all triangles, in any order. */
rico__ray_best rico__walk_closest(const rico__grid *grid, const rico__ray_frame *frame,
                                  uint32_t *steps);

/* The same for rays whose origin is so far away that rounding exceeds the padding of the cells:
 * every brick near the ray, in memory order. Slow; never for rays that start in the scene. */
rico__ray_best rico__walk_far(const rico__grid *grid, const rico__ray_frame *frame,
                              uint32_t *steps);

#endif
