/* fields.h - force fields in the world.
 *
 * Owner: the world; the memory is reserved when it is created. Threads: written by edits, on the
 * host's thread, and in plan; read-only in simulate. Order: by slot, in which forces are added up.
 */
#ifndef RICO_FIELDS_H
#define RICO_FIELDS_H

#include "force_list.h"

#include <ricochet/world_fields.h>

typedef struct rico__zone {
    rico_field_def def;
    rico__force force;
    rico_box box;
    uint32_t generation;
    bool alive;
    bool edited; /* since the last step */
} rico__zone;

typedef struct rico__fields {
    rico__zone *items;
    uint32_t high_water, count; /* slots ever used; alive */
    uint32_t layers;            /* of those that are alive, ored together */
    float most;                 /* what all of them may push by, m/s^2 */
    bool edited;                /* since the last step */
    bool scrolls;               /* one of them changes by itself with the clock */
    double clock;               /* the world's, seconds */
    double shifted[3];          /* where the origin has been moved to in all */
} rico__fields;

struct rico_world;
typedef struct rico__block rico__block;

/* Seconds that fields have scrolled for; they are placed by it. */
void rico__fields_set_clock(struct rico_world *world, double clock);

/* In plan: the clock goes on. After the step. */
void rico__fields_begin(struct rico_world *world);
void rico__fields_end(struct rico_world *world);

/* Everything is moved by -origin. */
void rico__fields_shift(struct rico_world *world, rico_vec3 origin);

/* Before anything of the block is moved: sleepers wake that an edited field would move. */
void rico__fields_wake(struct rico_world *world, rico__block *block);

#endif
