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

/* In a long step a fast particle may be through what is in the next cell before a query is
 * answered: a step has units for only so many, and there are few steps. So where such a particle
 * comes to a cell without a record, it asks the scene by a ray at once. Fast: it goes this share
 * of a cell of level 0 in a step. Long: seconds. */
#define RICO__HURRIED_WAY 0.1f
#define RICO__HURRIED_STEP 0.025f

static inline bool rico__hurries(float speed, float dt, float cell_rate)
{
    return dt > RICO__HURRIED_STEP && speed * dt * cell_rate > RICO__HURRIED_WAY;
}

#endif
