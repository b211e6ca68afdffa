/* edits.h - what an edit of the colliders makes untrue: records, coverage, paths and sleep near it.
 *
 * An edit names a box. In the call, records of the cells that it touches are forgotten, and coverage is put right.
 * When the next step begins, what was known of those cells is found out again (rico__bake_again), and what there is
 * in few of them, or has moved until now, whether any was known or not: who flies there
 * would have to ask, and pass through meanwhile; particles learn of it in the next step, before anything is moved: those asleep in a box wake up,
 * and those whose known path may lead through one look ahead again.
 *
 * Owner: the world. Threads: written by edits, on the host's thread, and by the stepping thread in
 * report; read-only in simulate. Order: boxes do not depend on each other.
 */
#ifndef RICO_EDITS_H
#define RICO_EDITS_H

#include "memory.h"

#include <ricochet/types.h>

#include <stdbool.h>
#include <stdint.h>

#define RICO__EDIT_BOXES 64u /* of one step; with more, boxes that are near are joined */

typedef struct rico__edits {
    rico_box boxes[RICO__EDIT_BOXES];
    bool wakes[RICO__EDIT_BOXES];  /* else only paths are looked at again */
    bool asks[RICO__EDIT_BOXES];   /* the next step asks for the records of its cells: bake.c */
    uint32_t count;
    uint32_t version; /* edits of what stands still, since creation */
    uint32_t notes;   /* all that was noted for particles, since creation */
    bool all;         /* all that is known of paths is untrue, and all sleepers wake */
    bool loading;     /* coverage is still to be made */
} rico__edits;

struct rico_world;
typedef struct rico__block rico__block;

#define RICO__FEW_CELLS 128 /* of the largest: where 6 m by 6 m by 1 m are */

/* What stands still has changed within the box: records and coverage follow. wakes: whoever rests
 * there. settles: a body that moved stands still from now on; in a step, so that nothing is allocated, for which
 * coverage that grows has a use. */
void rico__edit_cells(struct rico_world *world, const rico_box *box, bool wakes, bool settles);

/* For particles alone: something that moves came or went there. */
void rico__edit_wake(struct rico_world *world, const rico_box *box);

/* For known paths alone: what acts on particles there has changed. */
void rico__edit_paths(struct rico_world *world, const rico_box *box);

/* Makes coverage, if edits before the first step have left it to be made, and extents their room, if a step had no
 * memory for it. Before anything looks at them; memory as below. */
void rico__edits_settle(struct rico_world *world, rico__memory *memory);

/* The same with the world's memory, for mode exact, which wants some: in calls that add particles, as a step has none
 * to give. */
void rico__edits_settle_exact(struct rico_world *world);

/* Coverage anew: the same surfaces are stored otherwise. memory: for more room, NULL = none. */
void rico__edit_coverage(struct rico_world *world, rico__memory *memory);

/* Balls of this radius come: where records do not reach so far around their cells, they and coverage are
 * made anew, with a wider margin. What particles know of their paths stays true. */
void rico__edit_radius(struct rico_world *world, float radius);

/* Everything. */
void rico__edit_all(struct rico_world *world);

/* In simulate, before anything of the block is moved. */
void rico__edits_reach(struct rico_world *world, rico__block *block);

/* What the host's ray caster sees has changed. */
void rico__edit_seen(struct rico_world *world);

/* After the step. One in which the world does not go on leaves them to the next. */
void rico__edits_end(struct rico_world *world);

/* Whether who sleeps in the box is woken by one. */
bool rico__edits_wake(const rico__edits *edits, const rico_box *box);

#endif
