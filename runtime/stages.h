/* stages.h - the stages of a frame, in the order in which rico_world_step runs them. Each is
 * called by the stepping thread and returns when it is done. */
#ifndef RICO_STAGES_H
#define RICO_STAGES_H

#include "state.h"

void rico__stage_plan(rico_world *world);
void rico__stage_simulate(rico_world *world);
void rico__stage_query(rico_world *world);
void rico__stage_merge(rico_world *world);
void rico__stage_report(rico_world *world);

/* effect.c: gives back the effect's blocks and its slot. */
void rico__effect_remove(rico_world *world, uint32_t slot);

/* effect.c: NULL when the id is null or stale. */
rico__effect *rico__effect_find(const rico_world *world, rico_effect_id id);

#endif
