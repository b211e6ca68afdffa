/* along.h - effects that sub-emitters feed, beside an effect that is run by itself (seek.c).
 *
 * All births of a recipe's sub-emitters are particles of one effect, whichever effect's events
 * they come from. So while one of its parents is run, the particles that exist already stand
 * aside, in blocks that no step sees. Births from the parent's events go into blocks of their
 * own. At the end both are one chain of blocks again. If any particle stood aside, the effect
 * is restored to its state before the run, apart from the particles and serials that the run
 * added. Otherwise it stays as the run leaves it, apart from its transform and its move.
 *
 * Owner: the world (`kept`, by recipe). Threads: the stepping thread, between steps.
 */
#ifndef RICO_ALONG_H
#define RICO_ALONG_H

#include "state.h"

/* Before effect `slot` is run for `seconds` of the world's time. Prewarm (anew = false): all
 * effects that its sub-emitters feed, and those that these feed, run along. Seek (anew = true):
 * only effects that nothing else feeds run along, and they begin anew with it. */
void rico__along_begin(rico_world *world, uint32_t slot, float seconds, bool anew);

/* After the run, when the world's statistics are those of its last step again. */
void rico__along_end(rico_world *world);

#endif
