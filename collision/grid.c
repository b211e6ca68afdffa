/* Three passes over the triangles, after Frykholm, "Collision System Part 2": count (which
 * cells are touched, and how often in all), allocate, fill. The second and third enumerate the
 * same runs of cells in the same order, so the fill needs no list of what the count found. */
#include "grid.h"
#include "cell_size.h"
#include "triangle_cells.h"
#include "vec.h"

#include <string.h>

#define FIRST_BRICK_CAPACITY 64u
#define MAX_BRICKS (1u << 28)

/* Smallest reach: 4096 cells. Error per cell of reach, in 2^-24: 6 for the rounded corners of
 * the ray-triangle test, 3 for local coordinates, 6 for a cell border's place along the ray, 6
 * for entering the grid, 3 for rounding t. */
#define SMALLEST_REACH 4096.0f
#define PAD_PER_REACH (24.0f / 16777216.0f)

#define CELLS_GROW 1.25f /* when the exact count is over the limit */

typedef struct builder {
    rico__grid *grid;
    rico__memory *memory;
    rico_result result;
    uint64_t reference_limit;
    uint64_t reference_count;
    uint64_t last_key; /* of the brick found last: the next cell is mostly in the same */
    uint32_t last_brick;
    struct entry *entries; /* one per reference, in the order of the triangles */
} builder;

typedef struct entry {
    uint32_t cell, id;
} entry;

static uint32_t floor_log2(uint32_t x)
{
    return 31u - (uint32_t)__builtin_clz(x);
}

static void slots_insert(rico__grid *grid, uint64_t key, uint32_t brick)
{
    uint32_t at = rico__brick_slot(grid, key);
    while (grid->slots[at] != UINT64_MAX)
        at = (at + 1) & (grid->slot_count - 1);
    grid->slots[at] = key << 28 | brick;
}

/* Room for capacity bricks and a table twice as large; bricks keep their places. */
static bool bricks_reserve(rico__grid *grid, rico__memory *memory, uint32_t capacity)
{
    rico__brick *bricks =
        rico__memory_allocate(memory, capacity, sizeof *bricks, RICO_CACHE_LINE);
    uint64_t *slots =
        rico__memory_allocate(memory, capacity * 2u, sizeof *slots, RICO_CACHE_LINE);
    if (bricks == NULL || slots == NULL) {
        rico__memory_release(memory, bricks, capacity, sizeof *bricks, RICO_CACHE_LINE);
        rico__memory_release(memory, slots, capacity * 2u, sizeof *slots, RICO_CACHE_LINE);
        return false;
    }
    if (grid->brick_count > 0)
        memcpy(bricks, grid->bricks, grid->brick_count * sizeof *bricks);
    rico__memory_release(memory, grid->bricks, grid->brick_capacity, sizeof *bricks,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->slots, grid->slot_count, sizeof *slots, RICO_CACHE_LINE);
    memset(slots, 0xff, capacity * 2u * sizeof *slots);
    grid->bricks = bricks;
    grid->brick_capacity = capacity;
    grid->slots = slots;
    grid->slot_count = capacity * 2u;
    grid->slot_shift = 64u - floor_log2(grid->slot_count);
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        const uint16_t *at = bricks[i].at;
        slots_insert(grid, rico__brick_key(at[0], at[1], at[2]), i);
    }
    return true;
}

static uint64_t key_of_cell(const int32_t cell[3])
{
    return rico__brick_key((uint32_t)cell[0] >> RICO_BRICK_SHIFT,
                           (uint32_t)cell[1] >> RICO_BRICK_SHIFT,
                           (uint32_t)cell[2] >> RICO_BRICK_SHIFT);
}

static uint32_t bit_of_cell(const int32_t cell[3])
{
    return ((uint32_t)cell[0] & 7) | ((uint32_t)cell[1] & 7) << 3 |
           ((uint32_t)cell[2] & 7) << 6;
}

/* The brick of a cell, made when there is none; false when it cannot be. */
static bool brick_of_cell(builder *b, const int32_t cell[3], uint32_t *brick)
{
    rico__grid *grid = b->grid;
    uint64_t key = key_of_cell(cell);
    if (key == b->last_key) {
        *brick = b->last_brick;
        return true;
    }
    uint32_t found = rico__brick_find(grid, key);
    if (found == RICO_NO_BRICK) {
        if (grid->brick_count == grid->brick_capacity &&
            (grid->brick_capacity >= MAX_BRICKS / 2 ||
             !bricks_reserve(grid, b->memory, grid->brick_capacity * 2u))) {
            b->result = RICO_OUT_OF_MEMORY;
            return false;
        }
        found = grid->brick_count++;
        for (int k = 0; k < 3; ++k)
            grid->bricks[found].at[k] = (uint16_t)(cell[k] >> RICO_BRICK_SHIFT);
        slots_insert(grid, key, found);
    }
    b->last_key = key;
    b->last_brick = found;
    *brick = found;
    return true;
}

/* Count: marks the cells of a run as occupied. */
static bool count_run(void *user, const rico__cell_run *run)
{
    builder *b = user;
    int32_t cell[3] = {run->cell[0], run->cell[1], run->cell[2]};
    b->reference_count += (uint64_t)(run->last - cell[run->axis] + 1);
    if (b->reference_count > b->reference_limit)
        return false;
    for (; cell[run->axis] <= run->last; ++cell[run->axis]) {
        uint32_t brick;
        if (!brick_of_cell(b, cell, &brick))
            return false;
        uint32_t bit = bit_of_cell(cell);
        b->grid->bricks[brick].mask[bit >> 6] |= (uint64_t)1 << (bit & 63);
    }
    return true;
}

/* Fill, first half: the cell of each reference, and each cell's number of references. The ids
 * are written by the caller. */
static bool place_run(void *user, const rico__cell_run *run)
{
    builder *b = user;
    rico__grid *grid = b->grid;
    int32_t cell[3] = {run->cell[0], run->cell[1], run->cell[2]};
    for (; cell[run->axis] <= run->last; ++cell[run->axis]) {
        uint32_t brick;
        if (!brick_of_cell(b, cell, &brick))
            return false;
        uint32_t at = rico__brick_cell(&grid->bricks[brick], bit_of_cell(cell));
        grid->cell_first[at] += 1;
        b->entries[b->reference_count++].cell = at;
    }
    return true;
}

/* Ranks and the brick's share of the cell array, in the order of the bricks. */
static void rank_cells(rico__grid *grid)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        rico__brick *brick = &grid->bricks[i];
        brick->first_cell = cells;
        uint32_t in_brick = 0;
        for (int z = 0; z < RICO_BRICK_CELLS; ++z) {
            brick->rank[z] = (uint16_t)in_brick;
            in_brick += rico__bit_count(brick->mask[z]);
        }
        brick->cell_count = in_brick;
        cells += in_brick;
    }
    grid->cell_count = cells;
}

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

/* RICO_FULL: more references than the limit; larger cells are needed. */
static rico_result count_cells(builder *b)
{
    rico__grid *grid = b->grid;
    b->reference_count = 0;
    b->last_key = UINT64_MAX;
    b->result = RICO_FULL;
    if (!bricks_reserve(grid, b->memory, FIRST_BRICK_CAPACITY))
        return RICO_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < grid->triangle_count; ++i)
        if (!rico__triangle_cells(grid, &grid->triangles[i], count_run, b))
            return b->result;
    return RICO_OK;
}

static rico_result allocate_cells(builder *b)
{
    rico__grid *grid = b->grid;
    rank_cells(grid);
    grid->reference_count = (uint32_t)b->reference_count;
    grid->cell_first = rico__memory_allocate(b->memory, (size_t)grid->cell_count + 1,
                                             sizeof(uint32_t), RICO_CACHE_LINE);
    grid->references = rico__memory_allocate(b->memory, grid->reference_count, sizeof(uint32_t),
                                             RICO_CACHE_LINE);
    b->entries =
        rico__memory_allocate(b->memory, grid->reference_count, sizeof(entry), RICO_CACHE_LINE);
    bool done = grid->cell_first != NULL && grid->references != NULL && b->entries != NULL;
    return done ? RICO_OK : RICO_OUT_OF_MEMORY;
}

static void fill_cells(builder *b)
{
    rico__grid *grid = b->grid;
    b->reference_count = 0;
    b->last_key = UINT64_MAX;
    for (uint32_t id = 0; id < grid->triangle_count; ++id) {
        uint64_t from = b->reference_count;
        rico__triangle_cells(grid, &grid->triangles[id], place_run, b);
        for (uint64_t r = from; r < b->reference_count; ++r)
            b->entries[r].id = id;
    }
    for (uint32_t c = 1; c <= grid->cell_count; ++c)
        grid->cell_first[c] += grid->cell_first[c - 1];
    /* Each start is now the list's end; filling backwards moves it to its place and leaves the
     * ids ascending. */
    for (uint64_t r = b->reference_count; r-- > 0;)
        grid->references[--grid->cell_first[b->entries[r].cell]] = b->entries[r].id;
}

static void empty_grid(rico__grid *grid)
{
    *grid = (rico__grid){.bounds = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}}};
}

void rico__grid_release(rico__grid *grid, rico__memory *memory)
{
    rico__memory_release(memory, grid->slots, grid->slot_count, sizeof *grid->slots,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->bricks, grid->brick_capacity, sizeof *grid->bricks,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->cell_first, (size_t)grid->cell_count + 1,
                         sizeof(uint32_t), RICO_CACHE_LINE);
    rico__memory_release(memory, grid->references, grid->reference_count, sizeof(uint32_t),
                         RICO_CACHE_LINE);
    empty_grid(grid);
}

static rico_box bounds_of(const rico__triangle *triangles, uint32_t count)
{
    rico_box bounds = rico__triangle_bounds(&triangles[0]);
    for (uint32_t i = 1; i < count; ++i) {
        rico_box box = rico__triangle_bounds(&triangles[i]);
        bounds.lo = vec3_min(bounds.lo, box.lo);
        bounds.hi = vec3_max(bounds.hi, box.hi);
    }
    return bounds;
}

/* One attempt with cells of one size. */
static rico_result build_once(builder *b, const rico__triangle *triangles, uint32_t count,
                              const rico_box *bounds, float cell_size)
{
    rico__grid *grid = b->grid;
    empty_grid(grid);
    grid->triangles = triangles;
    grid->triangle_count = count;
    grid->bounds = *bounds;
    place_grid(grid, cell_size);
    rico_result result = count_cells(b);
    if (result == RICO_OK)
        result = allocate_cells(b);
    if (result == RICO_OK)
        fill_cells(b);
    rico__memory_release(b->memory, b->entries, grid->reference_count, sizeof(entry),
                         RICO_CACHE_LINE);
    b->entries = NULL;
    if (result != RICO_OK)
        rico__grid_release(grid, b->memory);
    return result;
}

rico_result rico__grid_build(rico__grid *grid, rico__memory *memory,
                             const rico__triangle *triangles, uint32_t triangle_count,
                             float cell_size)
{
    empty_grid(grid);
    if (triangle_count == 0)
        return RICO_OK;
    builder b = {.grid = grid,
                 .memory = memory,
                 .reference_limit = rico__reference_limit(triangle_count)};
    rico_box bounds = bounds_of(triangles, triangle_count);
    float size = rico__cell_size(triangles, triangle_count, &bounds, cell_size);
    rico_result result = build_once(&b, triangles, triangle_count, &bounds, size);
    /* The expectation behind the size is an average over places of the grid; triangles that lie
     * on cell borders can take more. Ends: with one cell there are as many references as
     * triangles. */
    while (result == RICO_FULL) {
        size *= CELLS_GROW;
        result = build_once(&b, triangles, triangle_count, &bounds, size);
    }
    return result;
}
