/* runtime_fuzz.h - one property of worlds for all runners. Bytes become calls, which are made
 * on a world with one worker and on a world with two. After each call both have given the same
 * answer and have the same bits. */
#ifndef RUNTIME_FUZZ_H
#define RUNTIME_FUZZ_H

#include "fuzz_bytes.h"

#include <ricochet/world.h>

/* Prints a message and aborts when the property does not hold. New calls are added to the table
 * in runtime_fuzz.c. Returns a hash of all bits, which is the same on every machine. */
uint64_t runtime_fuzz(const uint8_t *data, size_t size);

float fuzz_between(source *s, float lo, float hi); /* lo and hi themselves are more frequent */
rico_transform fuzz_place(source *s);              /* near the origin, or odd */

/* Makes a recipe that is mostly legal. Its sub-emitters name recipes of `known`; mesh: for
 * births on triangles. */
rico_recipe fuzz_recipe(source *s, const rico_recipe_id *known, uint32_t count,
                        const rico_emitter_mesh *mesh);

/* What must hold of one effect's particles. Returns how many there are. */
uint32_t fuzz_check_view(const rico_world *world, rico_effect_id id);

/* What must hold after a step: what the world says of it agrees with what it was before. */
void fuzz_check_step(const rico_world *world, const rico_world_stats *before);

#endif
