/* Which bricks triangles are in, and which cells they touch. Each range of triangles makes
 * bricks of its own, apart from those of other ranges. Joined range by range, bricks come in
 * the order in which triangles, by id, first touched them: as if there had been one range. */
#include "bits.h"
#include "cell_block.h"
#include "grid_parts.h"
#include "ranges.h"
#include "triangle_cells.h"

#include <string.h>

#define RANGE_TRIANGLES 1024u

/* Room to begin with. */
#define LISTINGS_PER_TRIANGLE 2u
#define TRIANGLES_PER_BRICK 128u
#define SMALLEST_ROOM 64u

/* A triangle in a brick of the range. */
typedef struct listing {
    uint32_t brick, id;
} listing;

typedef enum shortage { SHORT_OF_NOTHING, SHORT_OF_BRICKS, SHORT_OF_LISTINGS } shortage;

/* Owner: rico__grid_mark. Threads: the one that runs the range; between runs, the one that
 * builds. Order: listings by triangle id. */
typedef struct mark_range {
    _Alignas(RICO_CACHE_LINE)
        rico__grid grid; /* the place of the whole grid, and the range's bricks */
    listing *listings;
    uint32_t listing_count, listing_capacity;
    uint32_t at, end;         /* triangles: the next one, and the end */
    uint64_t cell_references; /* cells touched, summed over triangles */
    uint64_t cell_limit;
    shortage shortage;
} mark_range;

typedef struct marking {
    rico__memory *memory;
    const rico_scene_runner *runner;
    mark_range *ranges;
    uint32_t count;
} marking;

/* --- one triangle --- */

typedef struct marker {
    mark_range *range;
    uint32_t first;    /* where the triangle's listings begin */
    uint64_t last_key; /* of the brick found last: the next cell is mostly in the same */
    uint32_t last_brick;
} marker;

static bool give_up(mark_range *r, shortage why)
{
    r->shortage = why;
    return false;
}

/* Finds the brick of a cell, and lists the triangle there, once. */
static bool enter_brick(marker *m, const int32_t cell[3])
{
    mark_range *r = m->range;
    uint64_t key = rico__brick_key((uint32_t)cell[0] >> RICO_BRICK_SHIFT,
                                   (uint32_t)cell[1] >> RICO_BRICK_SHIFT,
                                   (uint32_t)cell[2] >> RICO_BRICK_SHIFT);
    if (key == m->last_key)
        return true;
    uint32_t brick = rico__grid_add_brick(&r->grid, key);
    if (brick == RICO_NO_BRICK)
        return give_up(r, SHORT_OF_BRICKS);
    m->last_key = key;
    m->last_brick = brick;
    for (uint32_t i = m->first; i < r->listing_count; ++i)
        if (r->listings[i].brick == brick)
            return true;
    if (r->listing_count == r->listing_capacity)
        return give_up(r, SHORT_OF_LISTINGS);
    r->listings[r->listing_count++] = (listing){brick, r->at};
    return true;
}

static bool mark_run(void *user, const rico__cell_run *run)
{
    marker *m = user;
    mark_range *r = m->range;
    int32_t cell[3] = {run->cell[0], run->cell[1], run->cell[2]}, first = cell[run->axis];
    r->cell_references += (uint64_t)(run->last - cell[run->axis] + 1);
    if (r->cell_references > r->cell_limit)
        return false;
    for (; cell[run->axis] <= run->last; ++cell[run->axis]) {
        bool border = cell[run->axis] == first || (cell[run->axis] & 7) == 0;
        if (border && !enter_brick(m, cell))
            return false;
        uint32_t bit = ((uint32_t)cell[0] & 7) | ((uint32_t)cell[1] & 7) << 3;
        r->grid.bricks[m->last_brick].mask[cell[2] & 7] |= (uint64_t)1 << bit;
    }
    return true;
}

/* Marks the block's cells, all of which are in the brick of the first one. */
static void mark_in_brick(const marker *m, const rico__cell_block *block)
{
    uint64_t *mask = m->range->grid.bricks[m->last_brick].mask;
    uint32_t shift = ((uint32_t)block->cell[0] & 7) | ((uint32_t)block->cell[1] & 7) << 3;
    uint32_t z = (uint32_t)block->cell[2] & 7, low = block->bits & 15u, high = block->bits >> 4;
    mask[z] |= (uint64_t)((low & 3u) | (low & 12u) << 6) << shift;
    if (high != 0)
        mask[z + 1] |= (uint64_t)((high & 3u) | (high & 12u) << 6) << shift;
}

/* Whether the block has cells in the next brick along some axis. */
static bool leaves_brick(const rico__cell_block *block)
{
    return (block->bits & 0xaau && (block->cell[0] & 7) == 7) ||
           (block->bits & 0xccu && (block->cell[1] & 7) == 7) ||
           (block->bits & 0xf0u && (block->cell[2] & 7) == 7);
}

static bool mark_block(marker *m, const rico__cell_block *block)
{
    mark_range *r = m->range;
    if (!leaves_brick(block)) {
        r->cell_references += bits_count64(block->bits);
        if (r->cell_references > r->cell_limit || !enter_brick(m, block->cell))
            return false;
        mark_in_brick(m, block);
        return true;
    }
    for (int32_t i = 0; i < 8; ++i) {
        if (!(block->bits >> i & 1))
            continue;
        rico__cell_run run = {.axis = 0};
        run.cell[0] = run.last = block->cell[0] + (i & 1);
        run.cell[1] = block->cell[1] + (i >> 1 & 1);
        run.cell[2] = block->cell[2] + (i >> 2);
        if (!mark_run(m, &run))
            return false;
    }
    return true;
}

static bool mark_cells(marker *m)
{
    const rico__grid *grid = &m->range->grid;
    rico__cell_block block;
    if (rico__cell_block_of(grid, m->range->at, &block))
        return mark_block(m, &block);
    rico__triangle triangle = rico__triangle_at(&grid->triangles, m->range->at);
    return rico__triangle_cells(grid, &triangle, mark_run, m);
}

/* Returns false if there is no room, or the limit is exceeded. Without room nothing is listed.
 * The bricks and marks that were made are the first that the next attempt makes. */
static bool mark_triangle(mark_range *r)
{
    marker m = {.range = r, .first = r->listing_count, .last_key = UINT64_MAX};
    uint64_t before = r->cell_references;
    if (mark_cells(&m))
        return true;
    if (r->shortage != SHORT_OF_NOTHING) {
        r->listing_count = m.first;
        r->cell_references = before;
    }
    return false;
}

static void run_range(void *context, uint32_t index)
{
    mark_range *r = &((marking *)context)->ranges[index];
    r->shortage = SHORT_OF_NOTHING;
    for (; r->at < r->end; ++r->at)
        if (r->grid.triangles.faces[r->at].triangle != RICO_NO_TRIANGLE && !mark_triangle(r))
            return;
}

/* --- room --- */

static bool grow_listings(mark_range *r, rico__memory *memory, uint32_t capacity)
{
    listing *larger = rico__memory_allocate(memory, capacity, sizeof *larger, RICO_CACHE_LINE);
    if (larger == NULL)
        return false;
    if (r->listing_count > 0)
        memcpy(larger, r->listings, r->listing_count * sizeof *larger);
    rico__memory_release(memory, r->listings, r->listing_capacity, sizeof *larger,
                         RICO_CACHE_LINE);
    r->listings = larger;
    r->listing_capacity = capacity;
    return true;
}

static bool open_ranges(marking *m, const rico__grid *grid, uint64_t cell_limit)
{
    m->ranges = rico__memory_allocate(m->memory, m->count, sizeof *m->ranges, RICO_CACHE_LINE);
    for (uint32_t i = 0; m->ranges != NULL && i < m->count; ++i) {
        mark_range *r = &m->ranges[i];
        r->grid = *grid;
        r->cell_limit = cell_limit;
        r->at = rico__range_begin(grid->triangle_high, i, m->count);
        r->end = rico__range_begin(grid->triangle_high, i + 1, m->count);
        uint32_t triangles = r->end - r->at;
        uint32_t bricks = bits_ceil_power2(SMALLEST_ROOM + triangles / TRIANGLES_PER_BRICK);
        if (!rico__grid_reserve(&r->grid, m->memory, bricks) ||
            !grow_listings(r, m->memory, SMALLEST_ROOM + triangles * LISTINGS_PER_TRIANGLE))
            return false;
    }
    return m->ranges != NULL;
}

static void close_ranges(marking *m)
{
    for (uint32_t i = 0; m->ranges != NULL && i < m->count; ++i) {
        rico__grid_release(&m->ranges[i].grid, m->memory);
        rico__memory_release(m->memory, m->ranges[i].listings, m->ranges[i].listing_capacity,
                             sizeof(listing), RICO_CACHE_LINE);
    }
    rico__memory_release(m->memory, m->ranges, m->count, sizeof *m->ranges, RICO_CACHE_LINE);
    m->ranges = NULL;
}

/* Makes more room where there was a shortage. *again: whether there was one anywhere. */
static bool make_room(marking *m, bool *again)
{
    *again = false;
    for (uint32_t i = 0; i < m->count; ++i) {
        mark_range *r = &m->ranges[i];
        *again |= r->shortage != SHORT_OF_NOTHING;
        if (r->shortage == SHORT_OF_BRICKS &&
            !rico__grid_reserve(&r->grid, m->memory, 2 * r->grid.brick_capacity))
            return false;
        if (r->shortage == SHORT_OF_LISTINGS &&
            (r->listing_capacity > UINT32_MAX / 2 ||
             !grow_listings(r, m->memory, 2 * r->listing_capacity)))
            return false;
    }
    return true;
}

/* The loop ends: each run gets a triangle farther, or is followed by twice the room of a
 * range. */
static rico_result mark_all(marking *m, uint64_t cell_limit)
{
    for (bool again = true; again;) {
        rico__ranges_run(m->runner, m->count, run_range, m);
        uint64_t cells = 0;
        for (uint32_t i = 0; i < m->count; ++i)
            cells += m->ranges[i].cell_references;
        if (cells > cell_limit)
            return RICO_FULL;
        if (!make_room(m, &again))
            return RICO_OUT_OF_MEMORY;
    }
    return RICO_OK;
}

/* --- joining --- */

/* Adds the range's bricks to the grid's. map: their numbers there. */
static bool join_bricks(rico__grid *grid, rico__memory *memory, const rico__grid *from,
                        uint32_t *map)
{
    for (uint32_t b = 0; b < from->brick_count; ++b) {
        const rico__brick *brick = &from->bricks[b];
        uint64_t key = rico__brick_key(brick->at[0], brick->at[1], brick->at[2]);
        if (grid->brick_count == grid->brick_capacity &&
            !rico__grid_reserve(grid, memory, 2 * grid->brick_capacity))
            return false;
        map[b] = rico__grid_add_brick(grid, key);
        for (int z = 0; z < RICO_BRICK_CELLS; ++z)
            grid->bricks[map[b]].mask[z] |= brick->mask[z];
    }
    return true;
}

/* Makes the table as large as the number of bricks requires, whatever the sizes of the ranges'
 * tables. */
static bool fit_table(rico__grid *grid, rico__memory *memory)
{
    uint32_t capacity = bits_ceil_power2(uint_max(grid->brick_count, SMALLEST_ROOM));
    return capacity == grid->brick_capacity || rico__grid_reserve(grid, memory, capacity);
}

/* The first range's bricks become the grid's as they are. */
static bool join_all(rico__grid *grid, marking *m)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < m->count; ++i)
        most = uint_max(most, m->ranges[i].grid.brick_count);
    uint32_t *map = rico__memory_allocate(m->memory, most, sizeof *map, RICO_CACHE_LINE);
    bool joined = map != NULL;
    *grid = m->ranges[0].grid;
    rico__grid_clear(&m->ranges[0].grid);
    for (uint32_t i = 1; joined && i < m->count; ++i) {
        mark_range *r = &m->ranges[i];
        joined = join_bricks(grid, m->memory, &r->grid, map);
        for (uint32_t l = 0; joined && l < r->listing_count; ++l)
            r->listings[l].brick = map[r->listings[l].brick];
    }
    rico__memory_release(m->memory, map, most, sizeof *map, RICO_CACHE_LINE);
    return joined && fit_table(grid, m->memory);
}

/* Each start is at first the end of the list. Filling backwards moves it to its place and
 * leaves the ids ascending. */
static void sort_listings(const marking *m, rico__brick_lists *lists)
{
    uint32_t *first = lists->first;
    for (uint32_t i = 0; i < m->count; ++i)
        for (uint32_t l = 0; l < m->ranges[i].listing_count; ++l)
            first[m->ranges[i].listings[l].brick] += 1;
    for (size_t b = 1; b < lists->first_count; ++b)
        first[b] += first[b - 1];
    for (uint32_t i = m->count; i-- > 0;)
        for (uint32_t l = m->ranges[i].listing_count; l-- > 0;) {
            const listing *entry = &m->ranges[i].listings[l];
            lists->ids[--first[entry->brick]] = entry->id;
        }
}

static bool make_lists(const rico__grid *grid, const marking *m, rico__brick_lists *lists)
{
    uint64_t ids = 0;
    for (uint32_t i = 0; i < m->count; ++i)
        ids += m->ranges[i].listing_count;
    if (ids > UINT32_MAX)
        return false;
    lists->first_count = (size_t)grid->brick_count + 1;
    lists->id_count = (uint32_t)ids;
    lists->first = rico__memory_allocate(m->memory, lists->first_count, sizeof *lists->first,
                                         RICO_CACHE_LINE);
    lists->ids =
        rico__memory_allocate(m->memory, lists->id_count, sizeof *lists->ids, RICO_CACHE_LINE);
    if (lists->first == NULL || lists->ids == NULL) {
        rico__brick_lists_release(lists, m->memory);
        return false;
    }
    sort_listings(m, lists);
    return true;
}

void rico__brick_lists_release(rico__brick_lists *lists, rico__memory *memory)
{
    rico__memory_release(memory, lists->first, lists->first_count, sizeof *lists->first,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, lists->ids, lists->id_count, sizeof *lists->ids,
                         RICO_CACHE_LINE);
    *lists = (rico__brick_lists){.first = NULL};
}

rico_result rico__grid_mark(rico__grid *grid, rico__memory *memory,
                            const rico_scene_runner *runner, uint64_t cell_limit,
                            rico__brick_lists *lists)
{
    marking m = {.memory = memory, .runner = runner};
    m.count = rico__ranges_count(runner, grid->triangle_high, RANGE_TRIANGLES);
    *lists = (rico__brick_lists){.first = NULL};
    rico_result result = RICO_OUT_OF_MEMORY;
    if (open_ranges(&m, grid, cell_limit))
        result = mark_all(&m, cell_limit);
    if (result == RICO_OK && !(join_all(grid, &m) && make_lists(grid, &m, lists)))
        result = RICO_OUT_OF_MEMORY;
    close_ranges(&m);
    return result;
}
