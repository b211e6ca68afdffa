/* courtyard.h - a generated world: a paved court with arcades, towers, a fountain and clutter,
 * in a hollow between grassy hills. Needs no file.
 */
#ifndef RIO_COURTYARD_H
#define RIO_COURTYARD_H

#include "camera.h"
#include "mesh_file.h"

/* Half the side of the ground, metres; the court's paving is at z = 0. */
#define RIO_COURTYARD_HALF 24.0f

/* The mesh: z up, metres, about 48 x 48 x 16 m, at least 50,000 triangles, a colour per
 * triangle, faces counter-clockwise seen from outside. Every body is closed and stands on, or
 * reaches into, one ground surface without holes. The seed moves clutter, trees, hills and
 * tints, not the building. The same seed gives the same bits.
 * Errors: RICO_OUT_OF_MEMORY; *out is then zeroed. */
rico_result rio_courtyard_create(uint64_t seed, rio_mesh *out);

/* The view of the picture in the README. */
rio_camera rio_courtyard_camera(void);

/* Height of the ground (terrain, without paving and bodies) at x, y; clamped to the square. */
float rio_courtyard_ground(uint64_t seed, float x, float y);

#endif
