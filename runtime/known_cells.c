#include "known_cells.h"

#include "vec.h"

#include <string.h>

/* Where the worker remembers that a cell has no geometry, if coverage does not know it. That is
 * true until the scene changes, so it makes no difference which worker remembers it. */
static rico_cache_key *empty_slot(const rico__cells *c, rico_cache_key key)
{
    uint64_t spread = key * 0x9e3779b97f4a7c15ULL;
    return &c->scratch->empty[spread >> (64 - RICO__EMPTY_CELL_BITS)];
}

/* For a cell without record or mark: asks the scene whether there is geometry. */
static rico__cell_state ask_scene(rico__cells *c, rico_cache_key key)
{
    if (key == RICO_NO_KEY) /* finer cells end nearer to the origin */
        return CELL_EMPTY;
    rico__cell cell = rico__record_cell(key, c->world->def.cell_size);
    rico_box box = rico__record_box(&cell, c->world->coverage.margin);
    if (rico__may_be_recorded(c->world, &box))
        return CELL_MISSING;
    *empty_slot(c, key) = key;
    return CELL_EMPTY;
}

static void set_empty(rico__cell *cell, const int32_t finest[3], uint32_t level)
{
    for (int a = 0; a < 3; ++a)
        cell->at[a] = rico__record_coarsen(finest[a], level);
    cell->level = level;
    cell->state = CELL_EMPTY;
}

bool rico__cell_find_empty(const rico__cells *c, const int32_t finest[3], rico__cell *cell)
{
    const rico__coverage *coverage = &c->world->coverage;
    const int32_t at[3] = {rico__record_coarsen(finest[0], 0),
                           rico__record_coarsen(finest[1], 0),
                           rico__record_coarsen(finest[2], 0)};
    size_t index;
    uint32_t distance;
    if (rico__coverage_find(coverage, at, &index, &distance))
        distance = rico__coverage_distance(coverage->cells[index]);
    if (distance > 0) {
        *cell = rico__record_cell_at(at[0] >> coverage->shift, at[1] >> coverage->shift,
                                     at[2] >> coverage->shift, 0, coverage->edge);
        cell->half = ((float)distance - 0.5f) * coverage->edge;
        set_empty(cell, finest, 0);
        return true;
    }
    if (rico__coverage_child_empty(coverage, index, finest)) {
        *cell = rico__record_cell_at(
            rico__record_coarsen(finest[0], 1), rico__record_coarsen(finest[1], 1),
            rico__record_coarsen(finest[2], 1), 1, c->world->def.cell_size);
        set_empty(cell, finest, 1);
        return true;
    }
    cell->level = rico__coverage_level(coverage, index, finest);
    return false;
}

void rico__cell_fetch(rico__cells *c, const int32_t finest[3], rico__cell *cell)
{
    cell->key = rico__record_key(finest, cell->level);
    cell->bucket = rico_cache_prefetch(c->world->records, cell->key, c->worker);
}

/* Every record in the table describes the scene as it is now, because edits make the cache
 * forget. */
static rico__cell_state look_up(rico__cells *c, const int32_t finest[3], rico__cell *cell)
{
    rico_cache *records = c->world->records;
    const bool blocks = c->world->coverage.shift > 0; /* coverage knows no cells of level 0 */
    for (;; ++cell->level, rico__cell_fetch(c, finest, cell)) {
        uint32_t level = cell->level;
        uint32_t mark = level + 1 < RICO__RECORD_LEVELS ? RICO__KEY_OF_DIVIDED(level)
                                                        : RICO__KEY_OF_LEVEL(level);
        if ((level > 0 || blocks) && *empty_slot(c, cell->key) == cell->key)
            return CELL_EMPTY;
        bool divided = false;
        cell->record = rico_cache_find_either_in(records, cell->bucket, cell->key, mark,
                                                 c->worker, &divided);
        if (cell->record == NULL)
            return ask_scene(c, cell->key);
        if (!divided)
            return CELL_UNKNOWN;
    }
}

void rico__cell_locate(rico__cells *c, const int32_t finest[3], rico__cell *cell)
{
    cell->state = look_up(c, finest, cell);
    uint32_t level = cell->level;
    rico__record_place(cell, rico__record_coarsen(finest[0], level),
                       rico__record_coarsen(finest[1], level),
                       rico__record_coarsen(finest[2], level), c->world->def.cell_size);
}

void rico__cell_open(rico__cells *c, rico__cell *cell)
{
    if (cell->state == CELL_UNKNOWN) {
        const rico__record *record = cell->record;
        cell->state = record->crowded != 0 ? CELL_CROWDED
                      : record->count == 0 ? CELL_EMPTY
                                           : CELL_RECORDED;
    }
    c->scratch->tally.lookups += cell->state != CELL_EMPTY;
    c->scratch->tally.lookup_hits += cell->state != CELL_EMPTY && cell->state != CELL_MISSING;
}

/* Compares coordinates, not bounds: a position on a border is in one cell only, whichever cell
 * was looked at before. */
static bool cell_contains(const rico__cell *cell, const int32_t finest[3])
{
    return rico__record_coarsen(finest[0], cell->level) == cell->at[0] &&
           rico__record_coarsen(finest[1], cell->level) == cell->at[1] &&
           rico__record_coarsen(finest[2], cell->level) == cell->at[2];
}

const rico__cell *rico__cell_find(rico__cells *c, rico_vec3 p)
{
    rico__cell *cell = &c->found;
    int32_t finest[3];
    if (!rico__record_finest(p, c->rate, finest)) {
        *cell = (rico__cell){.state = CELL_EMPTY, .at = {INT32_MAX}, .key = RICO_NO_KEY};
        cell->center = p;
        cell->half = 1.0f;
        return cell;
    }
    if (cell->state != CELL_UNKNOWN && cell_contains(cell, finest))
        return cell;
    if (rico__cell_find_empty(c, finest, cell))
        return cell;
    rico__cell_fetch(c, finest, cell);
    rico__cell_locate(c, finest, cell);
    rico__cell_open(c, cell);
    return cell;
}
