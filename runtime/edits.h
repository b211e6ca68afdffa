/* edits.h - what an edit of the colliders makes untrue: records, coverage, paths and sleep near it.
 *
 * An edit names a box. In the call, the cells of coverage that it touches are looked at again. Before anything looks
 * next (rico__edits_settle; a step does so first of all), records of the cells that edits touch are forgotten, all of
 * them at once, and distances of coverage worked out. When the next step begins, what was known of those cells is found
 * out again (rico__bake_again), and what there is in few of them, or has moved until now, whether any was known or not:
 * who flies there would have to ask, and pass through meanwhile; particles learn of it in the next step, before anything
 * is moved: those asleep in a box wake up, and those whose known path may lead through one look ahead again.
 *
 * Owner: the world. Threads: written by edits, on the host's thread, and by the stepping thread in
 * report; read-only in simulate. Order: boxes do not depend on each other.
 */
#ifndef RICO_EDITS_H
#define RICO_EDITS_H

#include "edit_boxes.h"

typedef struct rico__edits {
    rico__edit_boxes list; /* since the last step */
    bool forgets;          /* some of them have records to be forgotten */
    /* Boxes whose cells are still to be asked for, in the order of edits. */
    rico__edit_box *asking;
    uint32_t asking_count, asking_capacity;
    bool waits; /* world->cell_bits are those of coverage's cells that they touch: rico__edits_await */
    uint32_t version; /* edits of what stands still, since creation */
    uint64_t notes; /* all that was noted for particles, since creation; by many an hour more than 32 bits hold */
    /* Records are missing that only particles ask for, and for so many steps nobody waits for one: rico__edits_lose. */
    uint32_t lost;
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

/* The same for those alone who ignore some of the layers that a collider there had or has. */
void rico__edit_layers(struct rico_world *world, const rico_box *box, uint32_t before,
                       uint32_t after);

/* For known paths alone: what acts on particles there has changed. */
void rico__edit_paths(struct rico_world *world, const rico_box *box);

rico_result rico__edits_init(struct rico_world *world);
void rico__edits_free(struct rico_world *world);

/* Forgets the records that edits have made untrue. Before anything looks at records. */
void rico__edits_forget(struct rico_world *world);

/* The same, and makes coverage what it is, whole if edits before the first step
 * have left it to be made, and extents their room, if a step had no memory for it. Before anything looks at them;
 * memory as below. */
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

/* Those that ask for their cells join those that still do; once per step of the whole world. */
void rico__edits_ask(rico__edits *edits);

/* Marks the cells that are still asked for, until they are next, or coverage has other cells. Particles there wait for no
 * record: they look by rays, as in crowded cells. */
void rico__edits_await(struct rico_world *world);

/* All records are forgotten now, and nobody asks for them but particles; the same is true of what a large edit brings. Who
 * comes to a cell without a record looks by rays, too, until what is wanted of the budget is there: RICO__LOST_STEPS
 * at most, and while edits ask. */
#define RICO__LOST_STEPS 512u
#define RICO__LOST_IF_CALM 16u /* so many times faster while no effect lacks more than it gets */
void rico__edits_lose(struct rico_world *world);

/* Whether either holds for the cell of level 0. In simulate. */
bool rico__edits_by_rays(const struct rico_world *world, const int32_t cell[3]);

/* edit_paths.c. In simulate, before anything of the block is moved. */
void rico__edits_reach(struct rico_world *world, rico__block *block);

/* What the host's ray caster sees has changed. */
void rico__edit_seen(struct rico_world *world);

/* After the step. One in which the world does not go on leaves them to the next. */
void rico__edits_end(struct rico_world *world);

#endif
