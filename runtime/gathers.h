/* gathers.h - what a gather of the scene tells of a cell, of its parts, and of its neighbours.
 *
 * Cells of level 0 come in groups of eight: cubes of two by two by two. The first query for a cell of a
 * group gathers all of it, and makes the records of all eight where it can. A cell with more surfaces than
 * a record holds is divided. What was gathered of it is all that its parts have, too, so that the same
 * query makes the records of those, and of their parts.
 */
#ifndef RICO_GATHERS_H
#define RICO_GATHERS_H

#include "state.h"

/* Deposits of one query: with fewer, it goes only down to where a path comes in; with more than the
 * second, dense places would crowd the merge. */
#define RICO__GATHER_DEPOSITS (8u * RICO__RECORD_LEVELS)
#define RICO__MOST_DEPOSITS 96u

/* Groups that are gathered in one step: each may make a hundred records, in a fifth of a millisecond. */
#define RICO__GROUPS_PER_STEP 24u

/* Of all queries of a step: four for each that the world may ask. */
static inline uint32_t rico__deposits_per_step(const rico_world_def *def)
{
    return 4 * (def->queries_per_frame > 0 ? def->queries_per_frame : 1);
}

/* The key of the cell of that level around the finest one. */
rico_cache_key rico__gather_key(rico_cache_key finest, uint32_t level);

/* Part i, of eight, of the cell with the key. */
rico__cell rico__gather_part(const rico_world *world, rico_cache_key key, uint32_t i);

/* Cell i, of eight, of the group of the cell of level 0 with the key. */
rico__cell rico__gather_fellow(const rico_world *world, rico_cache_key key, uint32_t i);

/* Answers the query: query->cells deposits at most, but one at least. With RICO__GATHER_DEPOSITS or more,
 * of its group, if it asks for that, and of all parts; with fewer, only down to where it is wanted. Any
 * job. */
void rico__gather_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
