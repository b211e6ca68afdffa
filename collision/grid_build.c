/* Passes over the triangles, after Frykholm, "Collision System Part 2": count (which cells and
 * which bricks are touched), sort the listings by brick, and make each brick's chunk. Counting
 * and making go in ranges that the host may run in parallel. */
#include "brick_tree.h"
#include "cell_block.h"
#include "cell_size.h"
#include "grid_parts.h"
#include "vec.h"

#include <string.h>

/* Smallest reach: 4096 cells. Error per cell of reach, in 2^-24: 6 for the rounded corners of
 * the ray-triangle test, 3 for local coordinates, 6 for a cell border's place along the ray, 6
 * for entering the grid, 3 for rounding t. */
#define SMALLEST_REACH 4096.0f
#define PAD_PER_REACH (24.0f / 16777216.0f)

#define CELLS_GROW 1.25f /* growth when the exact count is over the limit */

/* The array over brick coordinates may have this many places per brick, and this many more. */
#define ROOTS_PER_BRICK 32u
#define ROOTS_FREE 65536u

static void place_grid(rico__grid *grid, float cell_size)
{
    const float lo[3] = {grid->bounds.lo.x, grid->bounds.lo.y, grid->bounds.lo.z};
    const float hi[3] = {grid->bounds.hi.x, grid->bounds.hi.y, grid->bounds.hi.z};
    float base[3];
    int32_t most = 0;
    for (int k = 0; k < 3; ++k) {
        /* The second term is more than the rounding of the difference. */
        base[k] = lo[k] - (0.5f * cell_size + __builtin_fabsf(lo[k]) * (1.0f / 4194304.0f));
        double cells = ((double)hi[k] - (double)base[k]) / (double)cell_size;
        grid->dims[k] = (int32_t)(cells + 0.5) + 1;
        most = grid->dims[k] > most ? grid->dims[k] : most;
    }
    grid->base = vec3(base[0], base[1], base[2]);
    grid->cell_size = cell_size;
    grid->inverse_cell_size = 1.0f / cell_size;
    grid->reach = float_max(SMALLEST_REACH, 2.0f * (float)most);
    grid->pad = grid->reach * PAD_PER_REACH;
}

static void count_cells(rico__grid *grid)
{
    grid->cell_count = 0;
    for (uint32_t i = 0; i < grid->brick_count; ++i)
        for (int z = 0; z < RICO_BRICK_CELLS; ++z)
            grid->cell_count += bits_count64(grid->bricks[i].mask[z]);
}

/* Frees the spare room of the array of bricks. The table of slots stays. */
static bool trim_bricks(rico__grid *grid, rico__memory *memory)
{
    const size_t size = sizeof *grid->bricks;
    rico__brick *exact =
        rico__memory_allocate(memory, grid->brick_count, size, RICO_CACHE_LINE);
    if (exact == NULL)
        return false;
    memcpy(exact, grid->bricks, grid->brick_count * size);
    rico__memory_release(memory, grid->bricks, grid->brick_capacity, size, RICO_CACHE_LINE);
    grid->bricks = exact;
    grid->brick_capacity = grid->brick_count;
    return true;
}

static void fill_roots(rico__grid *grid)
{
    const uint32_t x = rico__grid_bricks(grid, 0), y = rico__grid_bricks(grid, 1);
    grid->root_strides[0] = x;
    grid->root_strides[1] = x * y;
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        const uint16_t *at = grid->bricks[i].at;
        grid->roots[at[0] + at[1] * x + at[2] * (x * y)] = grid->bricks[i].root;
    }
}

static bool make_directory(rico__grid *grid, rico__memory *memory)
{
    uint64_t places = (uint64_t)rico__grid_bricks(grid, 0) * rico__grid_bricks(grid, 1) *
                      rico__grid_bricks(grid, 2);
    if (places > (uint64_t)grid->brick_count * ROOTS_PER_BRICK + ROOTS_FREE)
        return true;
    grid->roots =
        rico__memory_allocate(memory, (size_t)places, sizeof *grid->roots, RICO_CACHE_LINE);
    if (grid->roots == NULL)
        return false;
    grid->root_capacity = (uint32_t)places;
    fill_roots(grid);
    return true;
}

static rico_box bounds_of(const rico__triangles *triangles, uint32_t high)
{
    v4 lo = v4_set(__builtin_inff()), hi = v4_set(-__builtin_inff());
    for (uint32_t i = 0; i < high; ++i) {
        const rico__face *face = &triangles->faces[i];
        if (face->triangle == RICO_NO_TRIANGLE)
            continue;
        for (uint32_t j = 0; j < 3; ++j) {
            v4 corner = rico__face_corner(triangles, face, j);
            lo = v4_min(lo, corner);
            hi = v4_max(hi, corner);
        }
    }
    return (rico_box){vec3(lo[0], lo[1], lo[2]), vec3(hi[0], hi[1], hi[2])};
}

typedef struct attempt {
    rico__memory *memory;
    const rico_scene_runner *runner;
    uint64_t cell_limit;
} attempt;

static bool fill_grid(rico__grid *grid, const attempt *a, const rico__brick_lists *lists)
{
    return rico__grid_fill(grid, a->memory, a->runner, lists) && trim_bricks(grid, a->memory) &&
           make_directory(grid, a->memory) && rico__brick_tree_build(grid, a->memory);
}

/* Builds with cells of one size. RICO_FULL: more cells are touched than the limit allows, so
 * larger ones are needed. */
static rico_result build_once(rico__grid *grid, const attempt *a,
                              const rico__triangles *triangles, uint32_t high,
                              const rico_box *bounds, float cell_size)
{
    rico__brick_lists lists;
    rico__grid_clear(grid);
    grid->triangles = *triangles;
    grid->triangle_high = high;
    grid->bounds = *bounds;
    place_grid(grid, cell_size);
    rico_result result = rico__grid_mark(grid, a->memory, a->runner, a->cell_limit, &lists);
    if (result == RICO_OK && !fill_grid(grid, a, &lists))
        result = RICO_OUT_OF_MEMORY;
    rico__brick_lists_release(&lists, a->memory);
    if (result == RICO_OK)
        count_cells(grid);
    else
        rico__grid_release(grid, a->memory);
    return result;
}

rico_result rico__grid_build(rico__grid *grid, rico__memory *memory,
                             const rico__triangles *triangles, uint32_t triangle_high,
                             uint32_t count, const rico__grid_options *options)
{
    rico__grid_clear(grid);
    if (count == 0)
        return RICO_OK;
    attempt a = {memory, &options->runner, rico__reference_limit(count)};
    rico_box bounds = bounds_of(triangles, triangle_high);
    float size = rico__cell_size(triangles, triangle_high, count, &bounds, options->cell_size);
    rico_result result = build_once(grid, &a, triangles, triangle_high, &bounds, size);
    /* The size comes from an expectation that is an average over places of the grid. Triangles
     * that lie on cell borders can take more. The loop ends: with one cell there are as many
     * references as triangles. */
    while (result == RICO_FULL) {
        size *= CELLS_GROW;
        result = build_once(grid, &a, triangles, triangle_high, &bounds, size);
    }
    return result;
}
