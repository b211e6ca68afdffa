/* shares.h - how many query units each effect may use, and how units are shared.
 *
 * Each effect brings its recipe's units into each frame, and comes first with them. What
 * effects of mode cached do not need, and what the world brings, goes to effects of that mode
 * that need more. Accounts are balanced afterwards. No effect pays for another while it owes
 * itself, or while it lacks something and has no more than one unit.
 * Threads: rico__shares_begin: jobs over effects; rico__shares_grant: the stepping thread;
 * rico__shares_balance: one job beside merges, on the host's rays the stepping thread. Order:
 * accounts are walked by slot.
 */
#ifndef RICO_SHARES_H
#define RICO_SHARES_H

#include "state.h"

/* Opens the slot's account of this frame: adds its units, and grants what it wants as far as
 * its own credit goes. Adds it to the sums. By jobs over effects, for all slots that are awake. */
void rico__shares_begin(const rico_world *world, uint32_t slot, uint32_t wanted,
                        rico__sums *sums);

/* Grants each effect what it wants: first from its own credit, then from what others and the
 * world have beyond all that is owed. Returns the units that are left over. */
uint32_t rico__shares_grant(rico_world *world);

/* After charging: effects with credit, and the world, pay for those of mode cached that have
 * overdrawn theirs. */
void rico__shares_balance(rico_world *world);

#endif
