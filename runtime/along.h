/* along.h - effects that sub-emitters feed, beside an effect that is run by itself (seek.c).
 *
 * All births of a recipe's sub-emitters are particles of one effect, whosever events they come from. So while one
 * of the parents is run, those that are there stand aside, in blocks that no step sees, and those that come of its events are
 * born into blocks of their own; at the end both are one chain again. What the effect was, it is again, if
 * anybody stood aside; else it is as the run leaves it.
 *
 * Owner: the world (kept, by recipe). Threads: the stepping thread, between steps.
 */
#ifndef RICO_ALONG_H
#define RICO_ALONG_H

#include "state.h"

/* Of the effect that is about to be run for so many seconds of the world's time. Prewarm: all that its
 * sub-emitters feed, and theirs, run along. Anew (seek): those that nobody else feeds, and these begin
 * anew with it. */
void rico__along_begin(rico_world *world, uint32_t slot, float seconds, bool anew);

/* After the run, and once the world's statistics are those of its last step again. */
void rico__along_end(rico_world *world);

#endif
