/* cell_block.h - the cells that a small triangle touches: two along each axis, at once. */
#ifndef RICO_CELL_BLOCK_H
#define RICO_CELL_BLOCK_H

#include "four.h"
#include "grid.h"

/* A corner of a face, and 0. Read as a float, a collider's number would be slow (denormal). */
static inline v4 rico__face_corner(const rico__triangles *triangles, const rico__face *face,
                                   uint32_t j)
{
    v4i corner = (v4i)v4_load(rico__face_vertex(triangles, face, j));
    return (v4)(corner & (v4i){-1, -1, -1, 0});
}

/* Eight cells: bit i + 2 j + 4 k is the cell at cell + (i, j, k). */
typedef struct rico__cell_block {
    int32_t cell[3];
    uint32_t bits;
} rico__cell_block;

/* The cells that rico__triangle_cells visits, and perhaps some that are RICO_BLOCK_SLACK of a
 * cell away. False when the triangle does not fit into so small a block. */
bool rico__cell_block_of(const rico__grid *grid, uint32_t id, rico__cell_block *block);

/* Far more than what rounding to floats moves within two cells, and far less than the
 * padding. */
#define RICO_BLOCK_SLACK 1.0e-5f

/* A corner is displaced by at most 6 * 2^-24 of its distance from the ray's origin
 * (ray_triangle.h). This covers the part of that distance which is the triangle's own size.
 * grid->pad covers the rest. */
#define RICO_PAD_PER_EXTENT (8.0 / 16777216.0)

#endif
