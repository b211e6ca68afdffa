/* The bricks' chunks, and the arena that holds them. Each range of bricks writes its chunks
 * into an arena of its own, since their sizes are not known before. At the end the arenas are
 * copied together. A chunk does not depend on its place; it follows from its brick's triangles
 * alone. */
#include "bits.h"
#include "grid_parts.h"
#include "prefetch.h"
#include "ranges.h"
#include "triangle_cells.h"

#include <string.h>

#define RANGE_LISTINGS 1024u

/* Chunks are addressed with 28 bits in a node's children. */
#define MAX_ARENA_UNITS (1u << 28)

/* Unit 0 is never used, and nodes begin at cache lines. */
#define FIRST_UNIT 4u

/* Room to begin with. In all, 1.9 to 2.2 units per listing are used (Sponza, Recast's dungeon,
 * a pine forest, a dense rock in Sponza). */
#define UNITS_PER_BRICK 16u
#define QUARTER_UNITS_PER_LISTING 9u

/* Owner: rico__grid_fill. Threads: the one that runs the range; between runs, the one that
 * builds. */
typedef struct fill_range {
    _Alignas(RICO_CACHE_LINE) rico__chunk_scratch scratch;
    uint8_t *arena;
    uint32_t units, capacity;
    uint32_t wanted;    /* units with the chunk that did not fit; 0 = all fitted */
    uint32_t begin, at; /* bricks: the first and the next one */
    uint32_t end;
    uint32_t place; /* in the grid's arena */
    rico__chunk_counts counts;
} fill_range;

typedef struct filling {
    rico__grid *grid;
    rico__memory *memory;
    const rico__brick_lists *lists;
    fill_range *ranges;
    uint32_t count;
} filling;

/* --- one brick --- */

/* How far ahead faces and corners are fetched, because a brick's triangles lie far apart. */
#define FACES_AHEAD 16u
#define CORNERS_AHEAD 8u

static inline void fetch_ahead(const rico__triangles *triangles, const uint32_t *ids,
                               uint32_t i, uint32_t count)
{
    if (i + FACES_AHEAD < count)
        prefetch_line(&triangles->faces[ids[i + FACES_AHEAD]]);
    if (i + CORNERS_AHEAD < count)
        for (uint32_t j = 0; j < 3; ++j)
            prefetch_line(
                rico__face_vertex(triangles, &triangles->faces[ids[i + CORNERS_AHEAD]], j));
}

/* Plans the chunk of a brick. Returns the units that it will take. */
static uint32_t plan_brick(const filling *f, rico__chunk_scratch *scratch, uint32_t brick)
{
    const rico__grid *grid = f->grid;
    const uint32_t *ids = f->lists->ids + f->lists->first[brick];
    uint32_t count = f->lists->first[brick + 1] - f->lists->first[brick];
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double lo[3], hi[3], size = (double)grid->cell_size;
    /* Twice the padding by which triangles were listed, so that each listed triangle has a
     * part. */
    double pad = 2.0 * (double)grid->pad * size;
    for (int k = 0; k < 3; ++k) {
        double first = (double)(grid->bricks[brick].at[k] * RICO_BRICK_CELLS);
        lo[k] = (double)base[k] + first * size - pad;
        hi[k] = (double)base[k] + (first + RICO_BRICK_CELLS) * size + pad;
    }
    rico__part_box box = rico__part_box_of(lo, hi);
    for (uint32_t i = 0; i < count; ++i) {
        fetch_ahead(&grid->triangles, ids, i, count);
        rico__triangle_part(&grid->triangles, ids[i], &box, &scratch->entries[i]);
    }
    return rico__chunk_plan(scratch, count);
}

/* Roots are places in the range's own arena until all arenas are copied together. */
static void run_range(void *context, uint32_t index)
{
    const filling *f = context;
    fill_range *r = &f->ranges[index];
    r->wanted = 0;
    for (; r->at < r->end; ++r->at) {
        rico__brick *brick = &f->grid->bricks[r->at];
        uint32_t units = plan_brick(f, &r->scratch, r->at);
        if (units > r->capacity - r->units) {
            r->wanted = r->units + units;
            return;
        }
        rico__chunk_write(&r->scratch, &f->grid->triangles, r->arena, r->units, &r->counts);
        brick->root = r->units;
        brick->unit_count = units;
        brick->reference_count = f->lists->first[r->at + 1] - f->lists->first[r->at];
        r->units += units;
    }
}

/* --- room --- */

static bool grow_arena(fill_range *r, rico__memory *memory, uint32_t capacity)
{
    uint8_t *larger = NULL;
    if (capacity <= MAX_ARENA_UNITS)
        larger = rico__memory_allocate(memory, capacity, RICO_ARENA_UNIT, RICO_CACHE_LINE);
    if (larger == NULL)
        return false;
    if (r->units > 0)
        memcpy(larger, r->arena, (size_t)r->units * RICO_ARENA_UNIT);
    rico__memory_release(memory, r->arena, r->capacity, RICO_ARENA_UNIT, RICO_CACHE_LINE);
    r->arena = larger;
    r->capacity = capacity;
    return true;
}

static bool reserve_scratch(rico__chunk_scratch *s, rico__memory *memory, uint32_t capacity)
{
    s->capacity = capacity;
    s->entries = rico__memory_allocate(memory, capacity, sizeof *s->entries, RICO_CACHE_LINE);
    s->spare = rico__memory_allocate(memory, capacity, sizeof *s->spare, RICO_CACHE_LINE);
    s->splits =
        rico__memory_allocate(memory, 2 * (size_t)capacity, sizeof *s->splits, RICO_CACHE_LINE);
    return s->entries != NULL && s->spare != NULL && s->splits != NULL;
}

/* The first brick whose triangles begin at the listing or later. */
static uint32_t brick_from(const rico__brick_lists *lists, uint32_t listing)
{
    uint32_t lo = 0, hi = (uint32_t)lists->first_count - 1;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (lists->first[middle] < listing)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool open_range(filling *f, fill_range *r, uint32_t index)
{
    const uint32_t *first = f->lists->first;
    uint32_t most = 1, all = f->lists->id_count;
    r->begin = r->at = brick_from(f->lists, rico__range_begin(all, index, f->count));
    r->end = brick_from(f->lists, rico__range_begin(all, index + 1, f->count));
    for (uint32_t b = r->begin; b < r->end; ++b)
        most = uint_max(most, first[b + 1] - first[b]);
    uint64_t listings = first[r->end] - first[r->begin];
    uint64_t units = listings * QUARTER_UNITS_PER_LISTING / 4 +
                     (uint64_t)(r->end - r->begin) * UNITS_PER_BRICK + FIRST_UNIT;
    uint32_t capacity = units < MAX_ARENA_UNITS ? (uint32_t)units : MAX_ARENA_UNITS;
    return reserve_scratch(&r->scratch, f->memory, most) && grow_arena(r, f->memory, capacity);
}

static bool open_ranges(filling *f)
{
    f->ranges = rico__memory_allocate(f->memory, f->count, sizeof *f->ranges, RICO_CACHE_LINE);
    for (uint32_t i = 0; f->ranges != NULL && i < f->count; ++i)
        if (!open_range(f, &f->ranges[i], i))
            return false;
    return f->ranges != NULL;
}

static void close_ranges(filling *f)
{
    for (uint32_t i = 0; f->ranges != NULL && i < f->count; ++i) {
        fill_range *r = &f->ranges[i];
        const rico__chunk_scratch *s = &r->scratch;
        size_t entries = s->capacity;
        rico__memory_release(f->memory, s->entries, entries, sizeof *s->entries,
                             RICO_CACHE_LINE);
        rico__memory_release(f->memory, s->spare, entries, sizeof *s->spare, RICO_CACHE_LINE);
        rico__memory_release(f->memory, s->splits, 2 * entries, sizeof *s->splits,
                             RICO_CACHE_LINE);
        rico__memory_release(f->memory, r->arena, r->capacity, RICO_ARENA_UNIT,
                             RICO_CACHE_LINE);
    }
    rico__memory_release(f->memory, f->ranges, f->count, sizeof *f->ranges, RICO_CACHE_LINE);
}

/* The loop ends: each run gets a brick farther, or is followed by the room that it lacked. */
static bool fill_all(filling *f, const rico_scene_runner *runner)
{
    for (bool again = true; again;) {
        again = false;
        rico__ranges_run(runner, f->count, run_range, f);
        for (uint32_t i = 0; i < f->count; ++i) {
            fill_range *r = &f->ranges[i];
            if (r->wanted == 0)
                continue;
            again = true;
            if (!grow_arena(r, f->memory, r->wanted + uint_max(r->wanted / 2, 64)))
                return false;
        }
    }
    return true;
}

/* --- one arena --- */

static void copy_range(void *context, uint32_t index)
{
    const filling *f = context;
    const fill_range *r = &f->ranges[index];
    memcpy(f->grid->arena + (size_t)r->place * RICO_ARENA_UNIT, r->arena,
           (size_t)r->units * RICO_ARENA_UNIT);
    for (uint32_t b = r->begin; b < r->end; ++b)
        f->grid->bricks[b].root += r->place;
}

static void add_counts(rico__chunk_counts *to, const rico__chunk_counts *from)
{
    to->nodes += from->nodes;
    to->bundles += from->bundles;
    to->levels = uint_max(to->levels, from->levels);
}

static bool join_all(filling *f, const rico_scene_runner *runner)
{
    rico__grid *grid = f->grid;
    uint64_t units = FIRST_UNIT;
    for (uint32_t i = 0; i < f->count; ++i) {
        fill_range *r = &f->ranges[i];
        r->place = (uint32_t)units;
        units += r->units;
        if (units + RICO_ARENA_SLACK > MAX_ARENA_UNITS)
            return false;
        add_counts(&grid->counts, &r->counts);
    }
    uint32_t capacity = (uint32_t)units + RICO_ARENA_SLACK;
    grid->arena = rico__memory_allocate(f->memory, capacity, RICO_ARENA_UNIT, RICO_CACHE_LINE);
    if (grid->arena == NULL)
        return false;
    grid->arena_units = (uint32_t)units;
    grid->arena_capacity = capacity;
    grid->live_units = grid->arena_units - FIRST_UNIT;
    grid->reference_count = f->lists->id_count;
    rico__ranges_run(runner, f->count, copy_range, f);
    return true;
}

bool rico__grid_fill(rico__grid *grid, rico__memory *memory, const rico_scene_runner *runner,
                     const rico__brick_lists *lists)
{
    filling f = {.grid = grid, .memory = memory, .lists = lists};
    f.count = rico__ranges_count(runner, lists->id_count, RANGE_LISTINGS);
    bool done = open_ranges(&f) && fill_all(&f, runner) && join_all(&f, runner);
    close_ranges(&f);
    return done;
}
