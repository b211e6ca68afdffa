/* waiting.h - particles that wait for the record of the cell that they are in.
 *
 * Budget that records leave goes to them: a short ray along their next steps says what they
 * meet, and until when that is known.
 */
#ifndef RICO_WAITING_H
#define RICO_WAITING_H

#include "forecast.h"

/* How urgently a path wants the first cell that it lacks. here: the particle is in that cell.
 * Any job. */
uint32_t rico__waiting_urgency(const rico_world *world, const rico__flight *f, bool here);

/* A particle of the block lacks the cell's record: makes a request of the block, if there is
 * room, joined with others for the same cell. here: a particle is in the cell, else it is
 * ahead. By the job that has the block. */
void rico__request_cell(const rico_world *world, rico__block *block, const rico__lack *lack,
                        bool here, uint32_t weight);

/* Appends the paths of waiting particles to the world's queries: of `units` units at most. */
void rico__waiting_choose(rico_world *world, uint32_t units);

/* Answers one: sets the particle's plane, or none, and until when that is known. Any job. */
void rico__waiting_answer(rico_world *world, rico__query *query, rico__scratch *scratch);

#endif
