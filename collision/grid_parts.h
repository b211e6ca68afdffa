/* grid_parts.h - what build and edits of a grid share. */
#ifndef RICO_GRID_PARTS_H
#define RICO_GRID_PARTS_H

#include "chunk.h"
#include "grid.h"

/* A triangle in a brick. */
typedef struct rico__listing {
    uint32_t brick, id;
} rico__listing;

/* Listings in the making, and room to plan a chunk.
 * Owner: a build or an edit, which releases it. Order: listings by triangle id. */
typedef struct rico__grid_work {
    rico__memory *memory;
    rico__listing *listings;
    uint32_t listing_count, listing_capacity;
    uint64_t cell_references; /* cells touched, summed over triangles */
    uint64_t cell_limit;      /* of those; beyond it RICO_FULL */
    rico__chunk_scratch scratch;
} rico__grid_work;

void rico__grid_work_release(rico__grid_work *work);

/* An empty grid that owns nothing. */
void rico__grid_clear(rico__grid *grid);

/* Room for capacity bricks, a power of two, and a table twice as large; bricks keep their
 * places. */
bool rico__grid_reserve(rico__grid *grid, rico__memory *memory, uint32_t capacity);

/* Marks the cells that a triangle touches, makes the bricks that lack, and lists the triangle in
 * each of its bricks. RICO_FULL: over the limit of cells. */
rico_result rico__grid_mark(rico__grid *grid, rico__grid_work *work, uint32_t id);

/* Plans the chunk of a brick from ids, ascending; *units is what it will take. */
bool rico__grid_plan(const rico__grid *grid, rico__grid_work *work, uint32_t brick,
                     const uint32_t *ids, uint32_t count, uint32_t *units);

/* Room for so many more units at the end of the arena, which may move. keep: chunks in use are
 * packed on the way. */
bool rico__arena_reserve(rico__grid *grid, rico__memory *memory, uint32_t units);

/* Writes the planned chunk at the arena's end as the brick's. There is room for it. */
void rico__grid_commit(rico__grid *grid, const rico__grid_work *work, uint32_t brick,
                       uint32_t units, uint32_t count);

#endif
