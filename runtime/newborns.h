/* newborns.h - births in vectors: a kernel begins the births that nothing disturbs.
 *
 * They get the same bits as emit.c gives them one by one. Particles that meet their plane, die
 * within the step of their birth, or need e^x are left to emit.c. So are all births of recipes
 * and effects for which rico__births_are_plain is false.
 */
#ifndef RICO_NEWBORNS_H
#define RICO_NEWBORNS_H

#include "births.h"
#include "simulate.h"

/* Whether the births of the block's step can begin in vectors. */
bool rico__births_are_plain(const rico__block_context *c);

/* Begins the next `count` births (RICO__LITTER at most), from number `number` of the step on.
 * due: when the first one is due; afterwards it stands behind them. Bit i of the result set:
 * emit.c has to begin birth number + i. */
uint32_t rico__newborns_begin(const rico__block_context *c, uint32_t number, rico__due *due,
                              uint32_t count, rico__newborns *out);
/* The same for births of one seed, `rest` seconds before the end of the step. */
uint32_t rico__newborns_begin_fed(const rico__block_context *c, uint32_t number,
                                  const rico__seed *seed, float rest, uint32_t count,
                                  rico__newborns *out);

/* Appends lanes from..from + count - 1 to the block's particles; look: what they inherit. */
void rico__newborns_add(rico__block_context *c, const rico__newborns *born, uint32_t from,
                        uint32_t count, uint32_t serial, rico__look look);

#endif
