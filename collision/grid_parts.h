/* grid_parts.h - the passes that build a grid, in ranges (ranges.h). */
#ifndef RICO_GRID_PARTS_H
#define RICO_GRID_PARTS_H

#include "grid.h"

/* Which triangles are in which brick.
 * Owner: a build. Order: by brick, then by triangle id. */
typedef struct rico__brick_lists {
    uint32_t *first; /* ids[first[b]] ... ids[first[b + 1] - 1] are brick b's */
    uint32_t *ids;
    size_t first_count; /* bricks + 1 */
    uint32_t id_count;
} rico__brick_lists;

void rico__brick_lists_release(rico__brick_lists *lists, rico__memory *memory);

/* Makes an empty grid that owns nothing. */
void rico__grid_clear(rico__grid *grid);

/* Makes room for capacity bricks, a power of two, and a table twice as large. Bricks keep their
 * places. False: no memory, or too many; the grid is then as it was. */
bool rico__grid_reserve(rico__grid *grid, rico__memory *memory, uint32_t capacity);

/* The brick with this key, which is made when there is none. RICO_NO_BRICK when it would exceed
 * the capacity. */
uint32_t rico__grid_add_brick(rico__grid *grid, uint64_t key);

/* Makes the bricks that the grid's triangles touch, marks their cells, and lists the triangles
 * of each. The grid has its place and its triangles, and no bricks.
 * Errors: RICO_OUT_OF_MEMORY; RICO_FULL: over cell_limit cells, counted for each triangle. The
 * grid may then have bricks, and *lists is empty. */
rico_result rico__grid_mark(rico__grid *grid, rico__memory *memory,
                            const rico_scene_runner *runner, uint64_t cell_limit,
                            rico__brick_lists *lists);

/* Makes the bricks' chunks, and the arena that holds them. False: no memory. */
bool rico__grid_fill(rico__grid *grid, rico__memory *memory, const rico_scene_runner *runner,
                     const rico__brick_lists *lists);

#endif
