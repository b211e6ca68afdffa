/* shares.h - who may ask how much: query units of effects, and of the world.
 *
 * Each effect brings its recipe's units into each frame, and comes first with them. What effects of
 * mode cached do not need, and what the world brings, goes to those of that mode that need more, and accounts are
 * balanced afterwards: nobody pays for another while it owes itself, or lacks something and has no more than
 * a unit. Threads: the stepping thread; accounts
 * are walked by slot.
 */
#ifndef RICO_SHARES_H
#define RICO_SHARES_H

#include "state.h"

/* A frame's account: with its units, of which what is wanted takes its own part. By jobs over effects, of
 * all slots; adds it to the sums. */
void rico__shares_begin(const rico_world *world, uint32_t slot, uint32_t wanted,
                        rico__sums *sums);

/* What is wanted is granted, to each: first by its own credit, then what others and the world have more than
 * all owe. Returns the units that are left over. */
uint32_t rico__shares_grant(rico_world *world);

/* After charging: who has credit, and the world, pays for those of mode cached that have overdrawn theirs. */
void rico__shares_balance(rico_world *world);

#endif
