/* rock.h - a generated dense object: a bumpy rock of a few hundred thousand triangles that fits
 * a hand. In a large world, it makes grids with one cell size fail.
 */
#ifndef RIO_ROCK_H
#define RIO_ROCK_H

#include "mesh_file.h"

#define RIO_ROCK_SIZE 0.2f

/* A closed body, RIO_ROCK_SIZE across at its widest axis, standing on z = 0 around the z axis.
 * It has at least 250,000 triangles, counter-clockwise seen from outside, all of roughly the
 * same size (a millimetre). The same seed gives the same bits. Errors: RICO_OUT_OF_MEMORY; *out
 * is then zeroed. */
rico_result rio_rock_create(uint64_t seed, rio_mesh *out);

#endif
