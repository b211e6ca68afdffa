/* world_diff.h - where two worlds that should be equal differ first. */
#ifndef RICO_BENCH_WORLD_DIFF_H
#define RICO_BENCH_WORLD_DIFF_H

#include <ricochet/world.h>

/* Compares what can be looked at: effects in the order of ids, their particles field by field, then
 * the last step's events and counts. ids are the same effects' in both worlds, count of them.
 * True: a difference was found, and `text` says where in one line. False: it lies in what cannot be
 * seen from outside, such as the caches, and text says so. */
bool world_diff(const rico_world *a, const rico_world *b, const rico_effect_id *ids,
                uint32_t count, char *text, size_t bytes);

#endif
