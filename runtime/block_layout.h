/* block_layout.h - how large a recipe's blocks are, and where their streams lie. */
#ifndef RICO_BLOCK_LAYOUT_H
#define RICO_BLOCK_LAYOUT_H

#include "state.h"

#define RICO__LEAST_BLOCK 32u /* particles */

/* All recipes have the streams up to FIELD_LIFE. */
#define RICO__LEAST_BLOCK_BYTES                                                                \
    ((uint32_t)sizeof(rico__block) + (FIELD_LIFE + 1) * RICO__LEAST_BLOCK * 4u)
/* The largest block: all streams, padding between them, requests. */
#define RICO__MOST_BLOCK_BYTES                                                                 \
    ((uint32_t)sizeof(rico__block) + FIELD_COUNT * (RICO__MAX_BLOCK + 16u) * 4u +              \
     RICO__MAX_BLOCK / RICO__PARTICLES_PER_REQUEST * (uint32_t)sizeof(rico__request))

/* Particles per block for an effect that has at most `particles`, at least 1. A multiple of 16
 * from 32 to RICO__MAX_BLOCK. One block if they fit, else blocks of one size with little room
 * to spare. */
uint32_t rico__block_capacity(uint32_t particles);

/* The same for the number of particles that an effect of the recipe is expected to have alive.
 * The recipe's emission is prepared. */
uint32_t rico__block_capacity_expected(const rico__recipe *recipe);

/* Lays out blocks for `capacity` particles each, while no effect of the recipe has a block. The
 * recipe's streams have been counted. */
void rico__block_lay_out(rico__recipe *recipe, uint32_t capacity);

#endif
