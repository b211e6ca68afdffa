/* world_diff.h - finds the first difference of two worlds that should be equal. */
#ifndef RICO_BENCH_WORLD_DIFF_H
#define RICO_BENCH_WORLD_DIFF_H

#include <ricochet/world.h>

/* Compares what is visible: effects in the order of ids, their particles field by field, then
 * the last step's events and counts. ids: the ids of the effects, the same in both worlds,
 * `count` of them. True: a difference was found, and `text` describes its place in one line.
 * False: the difference lies in state that is not visible, for example the caches, and text says
 * so. */
bool world_diff(const rico_world *a, const rico_world *b, const rico_effect_id *ids,
                uint32_t count, char *text, size_t bytes);

#endif
