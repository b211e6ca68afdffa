#include "grid.h"
#include "brick_tree.h"
#include "grid_parts.h"
#include "triangle_cells.h"
#include "vec.h"

#include <string.h>

#define FIRST_LISTINGS 1024u
#define MAX_BRICKS (1u << 28)

/* Chunks are addressed with 28 bits in a node's children. */
#define MAX_ARENA_UNITS (1u << 28)

static uint32_t floor_log2(uint32_t x)
{
    return 31u - (uint32_t)__builtin_clz(x);
}

void rico__grid_clear(rico__grid *grid)
{
    *grid = (rico__grid){.bounds = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}}};
}

void rico__grid_release(rico__grid *grid, rico__memory *memory)
{
    rico__memory_release(memory, grid->slots, grid->slot_count, sizeof *grid->slots,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->bricks, grid->brick_capacity, sizeof *grid->bricks,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->roots, grid->root_capacity, sizeof *grid->roots,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->arena, grid->arena_capacity, RICO_ARENA_UNIT,
                         RICO_CACHE_LINE);
    rico__brick_tree_release(grid, memory);
    rico__grid_clear(grid);
}

static void release_scratch(rico__memory *memory, rico__chunk_scratch *s)
{
    rico__memory_release(memory, s->entries, s->capacity, sizeof *s->entries, RICO_CACHE_LINE);
    rico__memory_release(memory, s->spare, s->capacity, sizeof *s->spare, RICO_CACHE_LINE);
    rico__memory_release(memory, s->splits, 2 * (size_t)s->capacity, sizeof *s->splits,
                         RICO_CACHE_LINE);
    *s = (rico__chunk_scratch){.capacity = 0};
}

void rico__grid_work_release(rico__grid_work *work)
{
    rico__memory_release(work->memory, work->listings, work->listing_capacity,
                         sizeof *work->listings, RICO_CACHE_LINE);
    work->listings = NULL;
    release_scratch(work->memory, &work->scratch);
}

/* --- bricks --- */

static void slots_insert(rico__grid *grid, uint64_t key, uint32_t brick)
{
    uint32_t at = rico__brick_slot(grid, key);
    while (grid->slots[at] != UINT64_MAX)
        at = (at + 1) & (grid->slot_count - 1);
    grid->slots[at] = key << 28 | brick;
}

bool rico__grid_reserve(rico__grid *grid, rico__memory *memory, uint32_t capacity)
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

/* The brick at brick coordinates, made when there is none; RICO_NO_BRICK when it cannot be. */
static uint32_t brick_at(rico__grid *grid, rico__memory *memory, const uint32_t at[3])
{
    uint64_t key = rico__brick_key(at[0], at[1], at[2]);
    uint32_t found = rico__brick_find(grid, key);
    if (found != RICO_NO_BRICK)
        return found;
    if (grid->brick_count == grid->brick_capacity &&
        (grid->brick_capacity >= MAX_BRICKS / 2 ||
         !rico__grid_reserve(grid, memory, grid->slot_count)))
        return RICO_NO_BRICK;
    found = grid->brick_count++;
    for (int k = 0; k < 3; ++k)
        grid->bricks[found].at[k] = (uint16_t)at[k];
    slots_insert(grid, key, found);
    return found;
}

/* --- marking --- */

typedef struct marker {
    rico__grid *grid;
    rico__grid_work *work;
    uint32_t id, first; /* the triangle's listings begin there */
    uint64_t last_key;  /* of the brick found last: the next cell is mostly in the same */
    uint32_t last_brick;
    rico_result result;
} marker;

static bool push_listing(rico__grid_work *work, rico__listing listing)
{
    if (work->listing_count == work->listing_capacity) {
        uint32_t capacity =
            work->listing_capacity == 0 ? FIRST_LISTINGS : 2 * work->listing_capacity;
        rico__listing *larger =
            rico__memory_allocate(work->memory, capacity, sizeof *larger, RICO_CACHE_LINE);
        if (larger == NULL)
            return false;
        if (work->listing_count > 0)
            memcpy(larger, work->listings, work->listing_count * sizeof *larger);
        rico__memory_release(work->memory, work->listings, work->listing_capacity,
                             sizeof *larger, RICO_CACHE_LINE);
        work->listings = larger;
        work->listing_capacity = capacity;
    }
    work->listings[work->listing_count++] = listing;
    return true;
}

/* Finds the brick of a cell and lists the triangle there, once. */
static bool enter_brick(marker *m, const int32_t cell[3])
{
    uint32_t at[3] = {(uint32_t)cell[0] >> RICO_BRICK_SHIFT,
                      (uint32_t)cell[1] >> RICO_BRICK_SHIFT,
                      (uint32_t)cell[2] >> RICO_BRICK_SHIFT};
    uint64_t key = rico__brick_key(at[0], at[1], at[2]);
    if (key == m->last_key)
        return true;
    uint32_t brick = brick_at(m->grid, m->work->memory, at);
    if (brick == RICO_NO_BRICK)
        return false;
    m->last_key = key;
    m->last_brick = brick;
    for (uint32_t i = m->first; i < m->work->listing_count; ++i)
        if (m->work->listings[i].brick == brick)
            return true;
    return push_listing(m->work, (rico__listing){brick, m->id});
}

static bool mark_run(void *user, const rico__cell_run *run)
{
    marker *m = user;
    int32_t cell[3] = {run->cell[0], run->cell[1], run->cell[2]};
    m->work->cell_references += (uint64_t)(run->last - cell[run->axis] + 1);
    if (m->work->cell_references > m->work->cell_limit) {
        m->result = RICO_FULL;
        return false;
    }
    for (; cell[run->axis] <= run->last; ++cell[run->axis]) {
        if (!enter_brick(m, cell)) {
            m->result = RICO_OUT_OF_MEMORY;
            return false;
        }
        uint32_t bit = ((uint32_t)cell[0] & 7) | ((uint32_t)cell[1] & 7) << 3;
        m->grid->bricks[m->last_brick].mask[cell[2] & 7] |= (uint64_t)1 << bit;
    }
    return true;
}

rico_result rico__grid_mark(rico__grid *grid, rico__grid_work *work, uint32_t id)
{
    marker m = {.grid = grid,
                .work = work,
                .id = id,
                .first = work->listing_count,
                .last_key = UINT64_MAX,
                .result = RICO_OK};
    rico__triangle triangle = rico__triangle_at(&grid->triangles, id);
    rico__triangle_cells(grid, &triangle, mark_run, &m);
    return m.result;
}

/* --- chunks --- */

static bool reserve_scratch(rico__grid_work *work, uint32_t count)
{
    rico__chunk_scratch *s = &work->scratch;
    if (count <= s->capacity)
        return true;
    release_scratch(work->memory, s);
    uint32_t capacity = uint_max(count + count / 2, 64);
    s->entries =
        rico__memory_allocate(work->memory, capacity, sizeof *s->entries, RICO_CACHE_LINE);
    s->spare = rico__memory_allocate(work->memory, capacity, sizeof *s->spare, RICO_CACHE_LINE);
    s->splits = rico__memory_allocate(work->memory, 2 * (size_t)capacity, sizeof *s->splits,
                                      RICO_CACHE_LINE);
    s->capacity = capacity;
    if (s->entries != NULL && s->spare != NULL && s->splits != NULL)
        return true;
    release_scratch(work->memory, s);
    return false;
}

bool rico__grid_plan(const rico__grid *grid, rico__grid_work *work, uint32_t brick,
                     const uint32_t *ids, uint32_t count, uint32_t *units)
{
    if (!reserve_scratch(work, count))
        return false;
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double lo[3], hi[3], size = (double)grid->cell_size;
    /* Twice the padding by which triangles were listed, so that what is listed has a part. */
    double pad = 2.0 * (double)grid->pad * size;
    for (int k = 0; k < 3; ++k) {
        double first = (double)(grid->bricks[brick].at[k] * RICO_BRICK_CELLS);
        lo[k] = (double)base[k] + first * size - pad;
        hi[k] = (double)base[k] + (first + RICO_BRICK_CELLS) * size + pad;
    }
    for (uint32_t i = 0; i < count; ++i) {
        rico__chunk_entry *entry = &work->scratch.entries[i];
        rico__triangle triangle = rico__triangle_at(&grid->triangles, ids[i]);
        entry->id = ids[i];
        rico__triangle_part(&triangle, lo, hi, entry->lo, entry->hi);
    }
    *units = rico__chunk_plan(&work->scratch, count);
    return true;
}

/* Copies the chunks in use one behind the other. */
static void pack_arena(rico__grid *grid, uint8_t *to)
{
    uint32_t unit = 4; /* unit 0 is nobody's, and nodes keep to lines */
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        rico__brick *brick = &grid->bricks[i];
        if (brick->root == 0)
            continue;
        memcpy(to + (size_t)unit * RICO_ARENA_UNIT,
               grid->arena + (size_t)brick->root * RICO_ARENA_UNIT,
               (size_t)brick->unit_count * RICO_ARENA_UNIT);
        brick->root = unit;
        unit += brick->unit_count;
    }
    grid->arena_units = unit;
}

bool rico__arena_reserve(rico__grid *grid, rico__memory *memory, uint32_t units)
{
    uint64_t needed = (uint64_t)grid->arena_units + units + RICO_ARENA_SLACK;
    if (needed <= grid->arena_capacity)
        return true;
    uint64_t packed = (uint64_t)grid->live_units + units + RICO_ARENA_SLACK + 4;
    uint64_t capacity = packed + packed / 4;
    if (packed > MAX_ARENA_UNITS)
        return false;
    capacity = capacity < MAX_ARENA_UNITS ? capacity : MAX_ARENA_UNITS;
    uint8_t *larger =
        rico__memory_allocate(memory, (size_t)capacity, RICO_ARENA_UNIT, RICO_CACHE_LINE);
    if (larger == NULL)
        return false;
    pack_arena(grid, larger);
    rico__memory_release(memory, grid->arena, grid->arena_capacity, RICO_ARENA_UNIT,
                         RICO_CACHE_LINE);
    grid->arena = larger;
    grid->arena_capacity = (uint32_t)capacity;
    return true;
}

void rico__grid_commit(rico__grid *grid, const rico__grid_work *work, uint32_t brick,
                       uint32_t units, uint32_t count)
{
    rico__brick *b = &grid->bricks[brick];
    rico__chunk_write(&work->scratch, &grid->triangles, grid->arena, grid->arena_units,
                      &grid->counts);
    grid->live_units += units - b->unit_count;
    grid->reference_count += count;
    grid->reference_count -= b->reference_count;
    b->root = grid->arena_units;
    b->unit_count = units;
    b->reference_count = count;
    grid->arena_units += units;
}
