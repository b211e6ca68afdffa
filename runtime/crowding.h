/* crowding.h - a cache of records that is far too small for what particles see says so, once.
 *
 * Then most of what is found out finds no room, as all that is there was used in the same frame; particles never learn of
 * the rest, and pass through it.
 *
 * Owner: the world. Threads: that of the host's step. Order: none; nothing depends on it.
 */
#ifndef RICO_CROWDING_H
#define RICO_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rico__crowding {
    uint64_t deposits, dropped; /* by the cache's count, when it was last looked at */
    uint64_t most;              /* records that a step would have had, had there been room */
    uint32_t steps;             /* in a row in which most deposits found none */
    bool told;
} rico__crowding;

struct rico_world;

/* After a step. */
void rico__crowding_look(struct rico_world *world);

#endif
