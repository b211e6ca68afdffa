/* newborns.h - births in vectors: what a kernel begins of those that nothing disturbs.
 *
 * The same bits as emit.c gives them one by one. Not all: whoever meets its plane, or dies, within the
 * step of its birth is left to that, and so are recipes and effects of which births_are_plain says no.
 */
#ifndef RICO_NEWBORNS_H
#define RICO_NEWBORNS_H

#include "births.h"
#include "simulate.h"

/* All births of the block's step can begin so. */
bool rico__births_are_plain(const rico__block_context *c);

/* The next `count` births (RICO__LITTER at most), numbers of the step from `number` on, due as said, which
 * then stands behind them. Bit i set: number i has to begin by itself. */
uint32_t rico__newborns_begin(const rico__block_context *c, uint32_t number, rico__due *due,
                              uint32_t count, rico__newborns *out);
/* The same of births of one seed, `rest` seconds before the end of the step. */
uint32_t rico__newborns_begin_fed(const rico__block_context *c, uint32_t number,
                                  const rico__seed *seed, float rest, uint32_t count,
                                  rico__newborns *out);

/* Lanes from..from + count - 1 become the block's next particles; look: what they have of others. */
void rico__newborns_add(rico__block_context *c, const rico__newborns *born, uint32_t from,
                        uint32_t count, uint32_t serial, rico__look look);

#endif
