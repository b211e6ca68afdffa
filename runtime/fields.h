/* fields.h - force fields in the world.
 *
 * Owner: the world; the memory is reserved when it is created. Threads: written by edits, on
 * the host's thread, and by the stepping thread in plan and after report; read-only in simulate.
 * Order: by slot; forces are added up in that order.
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
    uint32_t layers;            /* of live fields, ored together */
    float most;                 /* most that all of them together may push by, m/s^2 */
    bool edited;                /* since the last step */
    bool scrolls;               /* one of them changes by itself with the clock */
    double clock;               /* the world's, seconds */
    double shifted[3];          /* how far the origin has been moved, in all */
} rico__fields;

struct rico_world;
typedef struct rico__block rico__block;

/* Sets the seconds that fields have scrolled for, and places them by it. */
void rico__fields_set_clock(struct rico_world *world, double clock);

/* rico__fields_begin: in plan, lets the clock go on. rico__fields_end: after the step. */
void rico__fields_begin(struct rico_world *world);
void rico__fields_end(struct rico_world *world);

/* Moves everything by -origin. */
void rico__fields_shift(struct rico_world *world, rico_vec3 origin);

/* Before anything of the block is moved: wakes sleepers that an edited field would move. */
void rico__fields_wake(struct rico_world *world, rico__block *block);

#endif
