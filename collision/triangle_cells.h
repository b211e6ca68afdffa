/* triangle_cells.h - the cells that a triangle touches. */
#ifndef RICO_TRIANGLE_CELLS_H
#define RICO_TRIANGLE_CELLS_H

#include "four.h"
#include "grid.h"

/* Cells in a row: from cell[0..2] along axis to coordinate last. */
typedef struct rico__cell_run {
    int32_t cell[3];
    int32_t axis, last;
} rico__cell_run;

typedef bool rico__cell_run_fn(void *user, const rico__cell_run *run);

/* Calls visit for every run of cells that the triangle touches; each cell comes once, in an
 * order that follows from the triangle alone. A cell's box is grown by the grid's padding and
 * the triangle's own share of it. Work is proportional to the runs. False when visit, by
 * returning false, ended it. Uses only the grid's base, cell size, pad and dims. */
bool rico__triangle_cells(const rico__grid *grid, const rico__triangle *triangle,
                          rico__cell_run_fn *visit, void *user);

/* A box, exact and as floats. */
typedef struct rico__part_box {
    double lo[3], hi[3];
    v4 inner_lo, inner_hi; /* rounded to the nearest; the last elements hold every value */
} rico__part_box;

rico__part_box rico__part_box_of(const double lo[3], const double hi[3]);

/* Makes the entry of a triangle that touches the box: its part in the box, grown by the
 * rounding of a hit on it. */
void rico__triangle_part(const rico__triangles *triangles, uint32_t id,
                         const rico__part_box *box, rico__chunk_entry *entry);

#endif
