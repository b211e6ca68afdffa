/* waiting.h - particles that wait for the record of the cell that they are in.
 *
 * What budget the records leave goes to those: a short ray along the next steps says what they meet,
 * and until when that is known.
 */
#ifndef RICO_WAITING_H
#define RICO_WAITING_H

#include "forecast.h"

/* How much a path wants the first cell that it lacks; here: it is in it. Any job. */
uint32_t rico__waiting_urgency(const rico_world *world, const rico__flight *f, bool here);

/* A particle of the block lacks the cell's record: a request of the block's, if there is room, joined with that of others
 * for the same cell. here: one is in it, else ahead. The job that has the block. */
void rico__request_cell(const rico_world *world, rico__block *block, const rico__lack *lack,
                        bool here, uint32_t weight);

/* Appends the ways of waiting particles to the world's queries: `units` at most. */
void rico__waiting_choose(rico_world *world, uint32_t units);

/* Answers one: the particle's plane, or none, and until when that is so. Any job. */
void rico__waiting_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
