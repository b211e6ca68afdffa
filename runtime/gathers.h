/* gathers.h - what a gather of the scene tells of a cell, and of its parts.
 *
 * A cell with more surfaces than a record holds is divided. What was gathered of it is all that its
 * parts have, too, so that one query makes the records of all eight, and of the parts of the one in
 * which a path comes in.
 */
#ifndef RICO_GATHERS_H
#define RICO_GATHERS_H

#include "state.h"

/* Of one query with all parts, at most: a cell, and three times eight parts. */
#define RICO__GATHER_DEPOSITS (1u + 8u * (RICO__RECORD_LEVELS - 1u))

/* The key of the cell of that level around the finest one. */
rico_cache_key rico__gather_key(rico_cache_key finest, uint32_t level);

/* Part i, of eight, of the cell with the key. */
rico__cell rico__gather_part(const rico_world *world, rico_cache_key key, uint32_t i);

/* Answers the query: query->cells deposits at most, but one at least. With RICO__GATHER_DEPOSITS,
 * those of all parts; with fewer, only down to where it is wanted. Any job. */
void rico__gather_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
