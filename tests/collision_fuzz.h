/* collision_fuzz.h - one property of the scene for all runners. Bytes become a scene, edits of
 * it and queries; every answer is checked against a plain list of everything in the scene. */
#ifndef COLLISION_FUZZ_H
#define COLLISION_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Aborts, after a message, when the property does not hold. Queries of another kind are added to
 * the table in collision_fuzz.c. */
void collision_fuzz(const uint8_t *data, size_t size);

#endif
