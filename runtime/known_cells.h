/* known_cells.h - finding the cell at a place, and what is known of it.
 *
 * The table of records is too large to be asked without waiting for memory. Code that needs
 * many cells asks in three steps, each for all of them before the next, so that the waits
 * overlap: fetch, locate, open. rico__cell_find does all three for one cell.
 */
#ifndef RICO_KNOWN_CELLS_H
#define RICO_KNOWN_CELLS_H

#include "state.h"

/* Whether the record with this box would hold anything, as far as can be told without gathering
 * it. Large triangles make the scene's cells coarse, and coarse cells report this of much air.
 * Then geometry near the box decides. The distance for that is so small that particles that
 * come by ask a step or two before they would meet what is in the next cell, as in scenes of
 * small cells. */
static inline bool rico__may_be_recorded(const rico_world *world, const rico_box *box)
{
    const uint32_t layers = world->movers.count > 0 ? RICO__STILL_LAYERS : UINT32_MAX;
    return rico_scene_occupied_closely(world->scene, layers, box, RICO__NEAR_ROOM);
}

/* The side that asks: a worker in a stage of the step. */
typedef struct rico__cells {
    rico_world *world;
    rico__scratch *scratch;
    uint32_t worker;
    float rate;       /* cells of level 0 per metre */
    rico__cell found; /* by the last find: neighbours in a block share cells */
} rico__cells;

/* Finds the cell there, of level 0 or 1, when coverage knows it to be empty; of level 0, it is
 * as large as the empty space around it. Places are coordinates of finest cells. False: not
 * known so. Only the cell's level is set then, to where locate has to begin. */
bool rico__cell_find_empty(const rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* Gives the cell there, of the level that find_empty left, its key. The memory that locate will
 * read is then on its way. */
void rico__cell_fetch(rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* Locates the cell there, as fetch left it: from then on it is the first on the way down that
 * is not divided. Its state is CELL_UNKNOWN if there is a record that was not read yet. */
void rico__cell_locate(rico__cells *c, const int32_t finest[3], rico__cell *cell);

/* Gives a located cell its final state; reads the beginning of its record for that. Counts
 * look-ups. */
void rico__cell_open(rico__cells *c, rico__cell *cell);

/* The cell at p, with its state. Valid until the next find. */
const rico__cell *rico__cell_find(rico__cells *c, rico_vec3 p);

#endif
