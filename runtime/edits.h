/* edits.h - what an edit of the colliders makes untrue: records, coverage, paths and sleep near
 * it.
 *
 * An edit names a box.
 * - In the call, the cells of coverage that the box touches are looked at again.
 * - Before anything next reads records or paths (rico__edits_settle; a step calls it first of
 *   all), records of the cells that edits touch are forgotten, all at once, and coverage's
 *   distances are worked out.
 * - When the next step begins, what was known of those cells is found out again
 *   (rico__bake_again). If the cells are few, or if a collider there has moved until now, they
 *   are found out whether any was known or not. Without that, particles that fly there would
 *   have to ask, and would pass through meanwhile.
 * - Particles learn of it in the next step, before anything moves. Those asleep in a box wake
 *   up, and those whose known path may lead through a box look ahead again.
 *
 * Owner: the world. Threads: written by edits, on the host's thread, and by the stepping thread
 * in plan and after report; read-only in simulate. Order: boxes do not depend on each other.
 */
#ifndef RICO_EDITS_H
#define RICO_EDITS_H

#include "edit_boxes.h"

typedef struct rico__edits {
    rico__edit_boxes list; /* since the last step */
    bool forgets;          /* some of them have records still to be forgotten */
    /* Boxes whose cells are still to be asked for, in the order of edits. */
    rico__edit_box *asking;
    uint32_t asking_count, asking_capacity;
    /* world->cell_bits marks coverage's cells that these boxes touch: rico__edits_await. */
    bool waits;
    uint32_t version; /* edits of static geometry, since creation */
    /* Edits that were noted for particles, since creation. In long sessions these are more than
     * 32 bits hold. */
    uint64_t notes;
    /* Steps left in which no particle waits for a record, because records are missing that only
     * particles ask for: rico__edits_lose. */
    uint32_t lost;
    bool all;         /* everything known of paths is untrue, and all sleepers wake */
    bool loading;     /* coverage is still to be made */
} rico__edits;

struct rico_world;
typedef struct rico__block rico__block;

#define RICO__FEW_CELLS 128 /* cells of level 0, as in 6 m by 6 m by 1 m */

/* Static geometry has changed within the box: records and coverage follow. wakes: particles
 * that rest there wake. settles: a body that moved stands still from now on. This happens in a
 * step, so nothing may be allocated, not even for coverage that must grow. */
void rico__edit_cells(struct rico_world *world, const rico_box *box, bool wakes, bool settles);

/* For particles only: something that moves came or went there. */
void rico__edit_wake(struct rico_world *world, const rico_box *box);

/* The same, only for particles that ignore some of the layers that a collider there had or has. */
void rico__edit_layers(struct rico_world *world, const rico_box *box, uint32_t before,
                       uint32_t after);

/* For known paths only: what acts on particles there has changed. */
void rico__edit_paths(struct rico_world *world, const rico_box *box);

rico_result rico__edits_init(struct rico_world *world);
void rico__edits_free(struct rico_world *world);

/* Forgets the records that edits have made untrue. Called before anything reads records. */
void rico__edits_forget(struct rico_world *world);

/* The same, and brings coverage up to date: all of it, if edits before the first step have left
 * it to be made. Gives extents their room, if a step had no memory for it. Called before
 * anything reads coverage or extents. memory: for more room, NULL = none. */
void rico__edits_settle(struct rico_world *world, rico__memory *memory);

/* The same with the world's memory, for mode exact, which wants some. Used in calls that add
 * particles, because a step has no memory to give. */
void rico__edits_settle_exact(struct rico_world *world);

/* Makes coverage anew: the same surfaces are stored differently. memory: for more room, NULL =
 * none. */
void rico__edit_coverage(struct rico_world *world, rico__memory *memory);

/* Balls of this radius are added. If records do not reach that far around their cells, they and
 * coverage are made anew, with a wider margin. What particles know of their paths stays true. */
void rico__edit_radius(struct rico_world *world, float radius);

/* Everything has changed. */
void rico__edit_all(struct rico_world *world);

/* Edits that ask for their cells join those that still do. Once per step of the whole world. */
void rico__edits_ask(rico__edits *edits);

/* Marks the cells that are still asked for, until the next call or until coverage has other
 * cells. Particles there wait for no record: they look by rays, as in crowded cells. */
void rico__edits_await(struct rico_world *world);

/* Forgets all records. Only particles ask for them again; the same holds for what a large edit
 * brings. Particles that come to a cell without a record then look by rays, too, until the
 * budget gives what is wanted. This lasts RICO__LOST_STEPS at most, not counting steps in which
 * edits still ask. */
#define RICO__LOST_STEPS 512u
#define RICO__LOST_IF_CALM 16u /* this many times faster while no effect lacks units */
void rico__edits_lose(struct rico_world *world);

/* Whether particles look by rays in the cell of level 0, for either reason. In simulate. */
bool rico__edits_by_rays(const struct rico_world *world, const int32_t cell[3]);

/* edit_paths.c. In simulate, before anything of the block is moved: tells its particles of the
 * edits that matter to them. */
void rico__edits_reach(struct rico_world *world, rico__block *block);

/* What the host's ray caster sees has changed. */
void rico__edit_seen(struct rico_world *world);

/* After the step: drops the edits. A step in which the world does not go on leaves them to the
 * next. */
void rico__edits_end(struct rico_world *world);

#endif
