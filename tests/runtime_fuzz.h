/* runtime_fuzz.h - one property of worlds for all runners: bytes become calls, on a world with one worker and on
 * one with two, and both answer the same and have the same bits after each. */
#ifndef RUNTIME_FUZZ_H
#define RUNTIME_FUZZ_H

#include "fuzz_bytes.h"

#include <ricochet/recipe.h>

/* Aborts, after a message, when the property does not hold. A call is added to the table in runtime_fuzz.c.
 * Returns a hash of all bits: the same on every machine. */
uint64_t runtime_fuzz(const uint8_t *data, size_t size);

float fuzz_between(source *s, float lo, float hi); /* either end more often */
rico_transform fuzz_place(source *s);              /* near the origin, or odd */

/* Mostly legal. Sub-emitters name those that are known; mesh: for births on triangles. */
rico_recipe fuzz_recipe(source *s, const rico_recipe_id *known, uint32_t count,
                        const rico_emitter_mesh *mesh);

#endif
