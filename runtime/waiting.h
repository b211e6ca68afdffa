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

/* Appends the ways of waiting particles to the world's queries: `units` at most. */
void rico__waiting_choose(rico_world *world, uint32_t units);

/* Answers one: the particle's plane, or none, and until when that is so. Any job. */
void rico__waiting_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
