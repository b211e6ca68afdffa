/* known_cells.h - finding the cell at a place, and what is known of it.
 *
 * The table of records is too large to be asked without waiting for memory. Whoever needs many
 * cells asks in three steps, each for all of them before the next, so that the waits overlap:
 * fetch, locate, open. find does all three for one.
 */
#ifndef RICO_KNOWN_CELLS_H
#define RICO_KNOWN_CELLS_H

#include "state.h"

/* Of the box of a record: whether it would hold anything, as far as can be told without gathering it. Large triangles
 * make the scene's cells coarse, and these say so of much air: then by what is near. So near that who comes by
 * there asks, as in scenes of small cells, a step or two before it would have met what is in the next cell. */
static inline bool rico__may_be_recorded(const rico_world *world, const rico_box *box)
{
    const uint32_t layers = world->movers.count > 0 ? RICO__STILL_LAYERS : UINT32_MAX;
    return rico_scene_occupied_closely(world->scene, layers, box, RICO__NEAR_ROOM);
}

/* Who asks: a worker in a stage of the step. */
typedef struct rico__cells {
    rico_world *world;
    rico__scratch *scratch;
    uint32_t worker;
    float rate;       /* cells of level 0 per metre */
    rico__cell found; /* by the last find: neighbours in a block share cells */
} rico__cells;

/* The cell of level 0, when coverage knows it to be empty; as large as what is empty around it.
 * Places are coordinates of finest cells. False: not known so; only the cell's level is set, to
 * where locate has to begin. */
bool rico__cell_find_empty(const rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* The cell there, of the level that find_empty left, gets its key; the memory that locate will read is
 * on its way. */
void rico__cell_fetch(rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* The cell there, as fetch left it: from then on the first level on the way down that is not
 * divided. Its state is CELL_UNKNOWN while there is a record that was not looked at; that is
 * on its way. */
void rico__cell_locate(rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* Gives a located cell its final state; the rest of its record is on its way. Counts look-ups. */
void rico__cell_open(rico__cells *c, rico__cell *cell);

/* The cell at p, with its state. Valid until the next find. */
const rico__cell *rico__cell_find(rico__cells *c, rico_vec3 p);

#endif
