/* grid_bytes.h - compares two grids byte by byte. */
#ifndef GRID_BYTES_H
#define GRID_BYTES_H

#include "grid.h"

#include <stdbool.h>
#include <string.h>

static inline bool bytes_same(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Compares everything but the address. */
static inline bool grids_same(const rico__grid *a, const rico__grid *b)
{
    bool figures =
        a->brick_count == b->brick_count && a->brick_capacity == b->brick_capacity &&
        a->slot_count == b->slot_count && a->slot_shift == b->slot_shift &&
        a->root_capacity == b->root_capacity && a->top_count == b->top_count &&
        a->arena_units == b->arena_units && a->arena_capacity == b->arena_capacity &&
        a->live_units == b->live_units && a->cell_count == b->cell_count &&
        a->reference_count == b->reference_count && a->counts.nodes == b->counts.nodes &&
        a->counts.bundles == b->counts.bundles && a->counts.levels == b->counts.levels;
    return figures && bytes_same(&a->base, &b->base, 1, sizeof a->base) &&
           bytes_same(&a->cell_size, &b->cell_size, 1, sizeof a->cell_size) &&
           bytes_same(a->dims, b->dims, 3, sizeof a->dims[0]) &&
           bytes_same(a->bricks, b->bricks, a->brick_count, sizeof *a->bricks) &&
           bytes_same(a->slots, b->slots, a->slot_count, sizeof *a->slots) &&
           bytes_same(a->roots, b->roots, a->root_capacity, sizeof *a->roots) &&
           bytes_same(a->tops, b->tops, a->top_count, sizeof *a->tops) &&
           bytes_same(a->arena, b->arena, a->arena_capacity, RICO_ARENA_UNIT);
}

#endif
