/* crowding.h - warns, once, that a cache of records is far too small for what particles see.
 *
 * Then most of what is found out finds no room, because everything in the cache was used in the
 * same frame. Particles never learn of the rest, and pass through it.
 *
 * Owner: the world. Threads: that of the host's step. Order: none; nothing depends on it.
 */
#ifndef RICO_CROWDING_H
#define RICO_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rico__crowding {
    uint64_t deposits, dropped; /* the cache's counts, when they were last looked at */
    uint64_t most;              /* records that a step would have had, given room */
    uint32_t steps;             /* in a row, in which most deposits found no room */
    bool told;
} rico__crowding;

struct rico_world;

/* Called after a step. */
void rico__crowding_look(struct rico_world *world);

#endif
