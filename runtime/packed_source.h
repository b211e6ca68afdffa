/* packed_source.h - a block's particles as outputs pack them (packing.h). */
#ifndef RICO_PACKED_SOURCE_H
#define RICO_PACKED_SOURCE_H

#include "state.h"

#define RICO__NO_TINT 0xffffffffu /* white */

/* The block's streams. Colours are multiplied with the effect's tint: of who has one they are then in `tinted`, if
 * they are not constant. */
rico__packed_from rico__packed_source(const rico_world *world, const rico__block *block,
                                      uint32_t tinted[RICO__MAX_BLOCK]);

/* Which particle is which; NULL when the recipe does not say. */
const uint32_t *rico__particle_ids(const rico_world *world, const rico__block *block);

#endif
