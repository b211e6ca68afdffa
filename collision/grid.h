/* grid.h - the sparse hash grid: which triangles are where.
 *
 * Space is cut into cubic cells, and 8 x 8 x 8 of them are a brick. Only bricks that a triangle
 * touches exist. They are found through a directory of their coordinates. A brick has its
 * occupied cells as bits, and owns one chunk of the arena: a small tree over its triangles
 * (chunk.h), as deep as the triangles are dense. A chunk has no pointers and does not depend on
 * its place. So ranges of a build write chunks into arenas of their own, which are then copied
 * together (grid_fill.c). An edit builds a grid as a whole, or leaves it as it is.
 *
 *     directory[brick] -> bricks[i] .mask                       occupancy
 *                                   .root -> arena: nodes ... bundles -> faces[id]
 *
 * Local coordinates are (p - base) / cell_size: cells are unit cubes with integer corners. The
 * bounds of all triangles lie at least half a cell inside 0..dims.
 *
 * Why answers do not depend on the grid: a triangle's cells are padded (see pad below) by more
 * than all rounding errors of a walk together. So every brick that a walk is in at the time of
 * a hit lists the triangle. Inside a brick, boxes and quantised triangles only reject what the
 * ray certainly misses. The ray-triangle test alone decides.
 *
 * Owner:   the scene; rico__grid_build makes it whole, rico__grid_release frees it.
 * Threads: immutable between edits; any number of readers.
 * Order:   bricks in the order in which triangles, by id, first touched them; a brick's tree
 *          follows from its triangles alone.
 */
#ifndef RICO_GRID_H
#define RICO_GRID_H

#include "bits.h"
#include "chunk.h"
#include "memory.h"
#include "triangle.h"

#include <ricochet/result.h>

#define RICO_BRICK_CELLS 8 /* per axis */
#define RICO_BRICK_SHIFT 3

/* Cells per axis. 2^15 cells are 4096 bricks: three brick coordinates fit a 36-bit key. */
#define RICO_GRID_MAX_DIM 32768

#define RICO_NO_BRICK UINT32_MAX

/* Places in the arena count units of this many bytes. Unit 0 is never used: a root of 0 is
 * none. */
#define RICO_ARENA_UNIT 16u

typedef struct rico__brick {
    uint64_t mask[8]; /* bit x + 8 y of word z: the cell holds triangles */
    uint16_t at[3];   /* brick coordinates */
    uint16_t unused;
    uint32_t root;       /* the chunk's first node, in units; 0 = no triangles */
    uint32_t unit_count; /* of the chunk */
    /* Triangle entries in bundles: all of the brick's triangles once. */
    uint32_t reference_count;
} rico__brick;

typedef struct rico__grid {
    rico_vec3 base; /* local origin */
    float cell_size, inverse_cell_size;

    /* In cells. While every point of the grid is within `reach` of a ray's origin (largest
     * component), a hit lies within `pad` of the triangle, and a walk within `pad` of the
     * ray. */
    float reach, pad;
    int32_t dims[3]; /* cells per axis; 0 = there are no triangles */
    rico_box bounds; /* of all triangles; lo > hi when there are none */

    /* The directory. The hash always exists. An array over all brick coordinates, of the root
     * or 0, exists where it is not much larger than the bricks. */
    uint32_t *roots;
    uint32_t root_capacity;          /* 0 = no array */
    uint32_t root_strides[2];        /* of the array, along y and z */
    uint64_t *slots;                 /* brick key << 28 | brick index; all ones = free */
    uint32_t slot_count, slot_shift; /* slot_count = 2^(64 - slot_shift) */
    rico__brick *bricks;
    uint32_t brick_count, brick_capacity;

    uint8_t *arena;
    uint32_t arena_units, arena_capacity; /* capacity includes RICO_ARENA_SLACK */
    uint32_t live_units;                  /* of the bricks' chunks */
    uint64_t cell_count, reference_count; /* occupied cells; entries in bundles */
    rico__chunk_counts counts;            /* of the bricks' trees */

    struct rico__node *tops; /* the tree over all bricks, see brick_tree.h; NULL = no tree */
    uint32_t top_count;
    uint64_t *keys; /* of the bricks with triangles, in the tree's order */
    uint32_t key_count;

    rico__triangles triangles; /* the part's, with holes */
    uint32_t triangle_high;    /* ids are below it */
} rico__grid;

/* Lanes past a bundle's end are read and ignored: the arena ends with this many spare units. */
#define RICO_ARENA_SLACK 8u

/* How a scene builds its grids. */
typedef struct rico__grid_options {
    float cell_size;          /* metres; 0 = chosen from the triangles */
    rico_scene_runner runner; /* runs ranges; the result does not depend on it */
} rico__grid_options;

/* Builds the grid of the triangles. Cells are made larger where the memory bound requires it
 * (cell_size.h). triangles must stay in place while the grid lives; count: those that are no
 * holes.
 * Errors: RICO_OUT_OF_MEMORY; *grid is then empty and owns nothing. */
rico_result rico__grid_build(rico__grid *grid, rico__memory *memory,
                             const rico__triangles *triangles, uint32_t triangle_high,
                             uint32_t count, const rico__grid_options *options);

void rico__grid_release(rico__grid *grid, rico__memory *memory);

#define RICO_BRICK_KEY_BITS 12 /* per axis */

static inline uint64_t rico__brick_key(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x | (uint64_t)y << RICO_BRICK_KEY_BITS |
           (uint64_t)z << 2 * RICO_BRICK_KEY_BITS;
}

/* Fibonacci hashing: the top bits of a product with 2^64 / golden ratio. */
static inline uint32_t rico__brick_slot(const rico__grid *grid, uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> grid->slot_shift);
}

/* The index of the brick, or RICO_NO_BRICK. At least half of the slots are free, so the search
 * ends. The grid must not be empty. */
static inline uint32_t rico__brick_find(const rico__grid *grid, uint64_t key)
{
    uint32_t at = rico__brick_slot(grid, key);
    for (;;) {
        uint64_t slot = grid->slots[at];
        if (slot >> 28 == key && slot != UINT64_MAX)
            return (uint32_t)slot & 0x0fffffffu;
        if (slot == UINT64_MAX)
            return RICO_NO_BRICK;
        at = (at + 1) & (grid->slot_count - 1);
    }
}

static inline uint32_t rico__grid_bricks(const rico__grid *grid, int axis)
{
    return ((uint32_t)grid->dims[axis] + RICO_BRICK_CELLS - 1) >> RICO_BRICK_SHIFT;
}

/* The root of the brick at these coordinates, each below rico__grid_bricks, or 0. */
static inline uint32_t rico__grid_root(const rico__grid *grid, uint32_t x, uint32_t y,
                                       uint32_t z)
{
    if (grid->root_capacity != 0)
        return grid->roots[x + y * grid->root_strides[0] + z * grid->root_strides[1]];
    uint32_t brick = rico__brick_find(grid, rico__brick_key(x, y, z));
    return brick == RICO_NO_BRICK ? 0 : grid->bricks[brick].root;
}

#endif
