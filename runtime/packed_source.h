/* packed_source.h - a block's particles in the form that outputs pack (packing.h). */
#ifndef RICO_PACKED_SOURCE_H
#define RICO_PACKED_SOURCE_H

#include "state.h"

#define RICO__NO_TINT 0xffffffffu /* white */

/* The block's streams. Colours are multiplied with the effect's tint. If there is one, and
 * colours are not constant, the products are in `tinted`. */
rico__packed_from rico__packed_source(const rico_world *world, const rico__block *block,
                                      uint32_t tinted[RICO__MAX_BLOCK]);

/* The particles' ids; NULL when the recipe has none. */
const uint32_t *rico__particle_ids(const rico_world *world, const rico__block *block);

#endif
