/* collision_fuzz.h - one property of the scene for all runners: bytes become a scene, edits of
 * it and questions, and every answer holds against all that is in it, one by one. */
#ifndef COLLISION_FUZZ_H
#define COLLISION_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Aborts, after a message, when the property does not hold. A question of another kind is added to
 * the table in collision_fuzz.c. */
void collision_fuzz(const uint8_t *data, size_t size);

#endif
