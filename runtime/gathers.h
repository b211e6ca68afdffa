/* gathers.h - what a gather of the scene says about a cell, its parts and its neighbours.
 *
 * Cells of level 0 come in groups of eight: cubes of two by two by two. The first query for a
 * cell of a group gathers all of it, and makes the records of all eight cells where it can. A
 * cell with more surfaces than a record holds is divided. What was gathered for it is all that
 * its parts have, too. So the same query makes the records of its parts, and of their parts.
 */
#ifndef RICO_GATHERS_H
#define RICO_GATHERS_H

#include "state.h"

/* Deposits of one query. With fewer than the first, it goes only down to where a path comes in.
 * With more than the second, dense places would crowd the merge. */
#define RICO__GATHER_DEPOSITS (8u * RICO__RECORD_LEVELS)
#define RICO__MOST_DEPOSITS 96u

/* Most groups that are gathered in one step: each may make a hundred records, in a fifth of a
 * millisecond. */
#define RICO__GROUPS_PER_STEP 24u

/* Deposits of all queries of a step: four for each query that the world may ask. */
static inline uint32_t rico__deposits_per_step(const rico_world_def *def)
{
    return 4 * (def->queries_per_frame > 0 ? def->queries_per_frame : 1);
}

/* The key of the cell of this level around the finest cell. */
rico_cache_key rico__gather_key(rico_cache_key finest, uint32_t level);

/* Part i, 0..7, of the cell with the key. */
rico__cell rico__gather_part(const rico_world *world, rico_cache_key key, uint32_t i);

/* Cell i, 0..7, of the group of the cell of level 0 with the key. */
rico__cell rico__gather_fellow(const rico_world *world, rico_cache_key key, uint32_t i);

/* Answers the query with at most query->cells deposits, but at least one. With
 * RICO__GATHER_DEPOSITS or more, it answers for the cell's group, if the query asks for that,
 * and for all parts. With fewer, it goes only down to where the query is wanted. Threads: any
 * job. */
void rico__gather_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
