#include "grid.h"
#include "bits.h"
#include "brick_tree.h"
#include "grid_parts.h"

#include <string.h>

#define MAX_BRICKS (1u << 28)

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
    if (capacity > MAX_BRICKS)
        return false;
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
    grid->slot_shift = 64u - bits_highest64(grid->slot_count);
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        const uint16_t *at = bricks[i].at;
        slots_insert(grid, rico__brick_key(at[0], at[1], at[2]), i);
    }
    return true;
}

uint32_t rico__grid_add_brick(rico__grid *grid, uint64_t key)
{
    uint32_t found = rico__brick_find(grid, key);
    if (found != RICO_NO_BRICK || grid->brick_count == grid->brick_capacity)
        return found;
    found = grid->brick_count++;
    for (uint32_t k = 0; k < 3; ++k)
        grid->bricks[found].at[k] =
            (uint16_t)(key >> RICO_BRICK_KEY_BITS * k & ((1u << RICO_BRICK_KEY_BITS) - 1u));
    slots_insert(grid, key, found);
    return found;
}
