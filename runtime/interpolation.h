/* interpolation.h - particles as they were on the way of the last step
 * (rico_recipe.interpolate). */
#ifndef RICO_INTERPOLATION_H
#define RICO_INTERPOLATION_H

#include "packing.h"
#include "state.h"

/* Room for the streams of one block: 4 KB. */
typedef struct rico__seen {
    _Alignas(RICO_CACHE_LINE) float x[RICO__MAX_BLOCK];
    _Alignas(RICO_CACHE_LINE) float y[RICO__MAX_BLOCK];
    _Alignas(RICO_CACHE_LINE) float z[RICO__MAX_BLOCK];
    _Alignas(RICO_CACHE_LINE) float size[RICO__MAX_BLOCK];
} rico__seen;

/* Places and sizes after a share `f` of the last step, for a block whose particles did not
 * stand still in it. Until its birth, a particle that was born in the step is at its place of
 * birth and has size 0; from then on it is where it went. */
void rico__interpolate(const rico_world *world, const rico__block *block, float f,
                       rico__packed_from *from, rico__seen *seen);

/* Whether there is anything to interpolate at that share. */
static inline bool rico__is_interpolated(const rico_world *world, const rico__block *block,
                                         float f)
{
    return f < 1.0f && world->recipes[block->recipe].def.interpolate &&
           world->effects[block->effect].ways != RICO__STOOD;
}

#endif
