/* coverage.h - how far it is to the next geometry, in cells, and what is known of cells that
 * are not empty.
 *
 * Most cells that particles cross are empty. Coverage answers for them without the table of
 * records and without the scene, and lets a path cross many at once. Cells are those of level
 * 0. In large worlds they are blocks of 2^shift of those per axis, so that there are 2^20 at
 * most.
 *
 * Owner: the world; the memory is reserved when it is created. Threads: built in edits. What
 * queries find out about cells is noted by one job after them; boxes by the queries' own jobs.
 * Read-only in simulate.
 */
#ifndef RICO_COVERAGE_H
#define RICO_COVERAGE_H

#include "memory.h"

#include <ricochet/scene_query.h>

/* Number of times that cells of level 0 are divided, to give the finest ones. */
#define RICO__FINEST_LEVEL 3u

/* How far past its cell a centre is followed by the cell's record: more than all rounding.
 * Metres. */
#define RICO__CELL_ROOM 0.03f

/* How far past its cell a record knows surfaces, at least: as far as a ball whose centre is in
 * the cell touches them, plus all rounding. Metres. The margin in use is a number of the world,
 * more where balls are larger (rico__coverage_margin).
 *
 * With a wider margin a step could run on into the next cell. But a cell would then hold twice
 * as many surfaces (mean 16.5 at 0.16 m against 9.0, in the courtyard). Instead, cached.c looks
 * into each cell that a step enters.
 */
#define RICO__LEAST_MARGIN 0.03f
/* The part of a margin that is for rounding; the rest is for the radius. */
#define RICO__MARGIN_ROUNDING 0.01f
/* The radius that the least margin is for, metres. */
#define RICO__SMALL_RADIUS 0.02f
/* Where the scene's cells are coarser, geometry this near to what records reach counts as
 * within it. Metres. */
#define RICO__NEAR_ROOM 0.25f
/* An edit makes records untrue if it is no farther than this beyond what they reach. */
#define RICO__EDIT_ROUNDING (0.5f * RICO__LEAST_MARGIN)

#define RICO__COVERAGE_CELLS (1u << 20) /* at most */
/* The edges of its cells are shorter than this, metres. They double until the cells are few
 * enough. All that coverage reaches, 4e6 m, is 95 cells of 42,106 m, and up to six more around
 * them: 101^3. */
#define RICO__COVERAGE_EDGE_MAX 85000
#define RICO__COVERAGE_FAR 255u
/* Bits of a cell's word: notes for its children and for itself, and above them the distance. */
#define RICO__NOTE_DIVIDED 0u
#define RICO__NOTE_WHOLE 8u
#define RICO__NOTE_EMPTY 16u
#define RICO__COVERAGE_DISTANCE 24u

/* A cell's box holds everything that its record would hold. Per axis, from the lowest bit on:
 * where it begins, and how far before the end it ends. Both in 31sts of the length that the
 * record covers. */
#define RICO__BOX_BITS 5
#define RICO__BOX_STEPS ((1 << RICO__BOX_BITS) - 1)
#define RICO__BOX_KNOWN (1 << 6 * RICO__BOX_BITS)

/* A part of the range: cells from lo up to, but not including, hi. */
typedef struct rico__coverage_part {
    int32_t lo[3], hi[3];
} rico__coverage_part;

#define RICO__COVERAGE_PARTS 16u

typedef struct rico__coverage {
    int32_t lo[3];
    uint32_t size[3]; /* of the range, in coverage's cells; 0 = an empty scene */
    uint32_t shift;
    float edge, rate; /* metres, of coverage's cells; finest cells per metre */
    float margin;     /* of records, metres; set at creation, and never reduced */
    /* One word per cell, so that one line of memory answers.
     * - Distance: 0 = there may be geometry in the box of the cell's record; n = there is none
     *   in any cell that is less than n cells away, diagonals counted as 1.
     * - Notes: bit NOTE_DIVIDED + k: child k holds more than a record can. NOTE_WHOLE: the cell
     *   itself does. NOTE_EMPTY + k: nothing is in child k. There are no notes where shift is
     *   not 0. */
    int32_t *cells;
    /* The box of each cell, or 0 while it is not known. Paths that pass by it need no record. */
    int32_t *boxes;
    /* Where edits have left distances that may be shorter than the true ones. */
    rico__coverage_part later[RICO__COVERAGE_PARTS];
    uint32_t later_count;
} rico__coverage;

rico_result rico__coverage_init(rico__coverage *coverage, rico__memory *memory);
void rico__coverage_free(rico__coverage *coverage, rico__memory *memory);

/* The margin for balls up to this radius, 0..1 m. One of few values, because another margin
 * means that all records are made anew. */
float rico__coverage_margin(float radius);

/* Only static geometry counts. */
#define RICO__STILL_LAYERS RICO_LAYER_DEFAULT

/* Builds coverage anew for the scene. cell_size: of level 0. */
void rico__coverage_build(rico__coverage *coverage, const rico_scene *scene, float cell_size);

/* The same for the colliders within the bounds (lo > hi: none).
 * - spare: leaves room around them for more, if that costs no coarser cells.
 * - changed: what is known of cells outside this box is kept. NULL: nothing is kept.
 * - memory: for keeping it. NULL: nothing is kept.
 *
 * False: there was no memory, and nothing was kept.
 */
bool rico__coverage_rebuild(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                            const rico_box *bounds, bool spare, const rico_box *changed,
                            rico__memory *memory);

/* After an edit within the box: looks at its cells again. Where geometry has come or gone,
 * distances around follow. No distance is too long, but some may be shorter than they could be
 * until rico__coverage_settle; far from geometry that has gone, they stay so. Takes time in
 * proportion to the cells and the empty space around. False, and nothing was done: the box
 * reaches out of the range, or covers much of it. */
bool rico__coverage_update(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                           const rico_box *box);

/* Whether a collider that comes to a stop in the box costs no time in proportion to the whole
 * range: the range holds the box, or is small. */
bool rico__coverage_has_room(const rico__coverage *coverage, const rico_box *box);

/* Works out the distances around all edits since the last call; only once for edits that are
 * near each other. */
void rico__coverage_settle(rico__coverage *coverage);

/* Moves everything in coverage, and what is known of it, by this many cells of level 0. False,
 * and nothing was done: `by` is not a number of coverage's whole cells or is too large, or
 * coverage is empty. */
bool rico__coverage_shift(rico__coverage *coverage, const int32_t by[3]);

/* Note that a cell of level 0 or 1 holds more than a record can (divide), or nothing (empty).
 * True until the scene changes. */
void rico__coverage_divide(rico__coverage *coverage, const int32_t cell[3], uint32_t level);
void rico__coverage_empty(rico__coverage *coverage, const int32_t cell[3], uint32_t level);

/* Notes the box of a cell of level 0, in metres of the world. True until the scene changes.
 * Threads: any, one per cell, while no paths are followed. */
void rico__coverage_bound(rico__coverage *coverage, const int32_t cell[3], const rico_box *box);
/* The same as the box's word, which must be sound. */
void rico__coverage_set_box(rico__coverage *coverage, const int32_t cell[3], int32_t word);
int32_t rico__coverage_box(const rico__coverage *coverage, const int32_t cell[3]);
bool rico__coverage_box_is_sound(int32_t word);

static inline size_t rico__coverage_cell_count(const rico__coverage *coverage)
{
    return (size_t)coverage->size[0] * coverage->size[1] * coverage->size[2];
}

static inline int32_t *rico__coverage_row(const rico__coverage *coverage, uint32_t y, uint32_t z)
{
    return coverage->cells + ((size_t)z * coverage->size[1] + y) * coverage->size[0];
}

/* For edits. rico__coverage_fill looks at cells of a row: distance 0 where there is geometry in
 * the box of the cell's record, else far; nothing else is known. rico__coverage_spread works
 * out the distances in a part from those in it and just around it. */
void rico__coverage_fill(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                         int32_t first, int32_t end, int32_t y, int32_t z);
void rico__coverage_spread(const rico__coverage *coverage, const rico__coverage_part *in);

/* The distance in a cell's word; the word with another distance. */
static inline uint32_t rico__coverage_distance(int32_t word)
{
    return (uint32_t)word >> RICO__COVERAGE_DISTANCE;
}

static inline int32_t rico__coverage_with_distance(int32_t word, uint32_t distance)
{
    const uint32_t notes = ((uint32_t)1 << RICO__COVERAGE_DISTANCE) - 1;
    return (int32_t)(((uint32_t)word & notes) | distance << RICO__COVERAGE_DISTANCE);
}

/* Finds the place of a cell of level 0 in the array. False: *beyond says how far out of the
 * range it is. */
static inline bool rico__coverage_find(const rico__coverage *coverage, const int32_t cell[3],
                                       size_t *index, uint32_t *beyond)
{
    size_t at = 0;
    int32_t out = 0;
    for (int a = 2; a >= 0; --a) {
        int32_t x = (cell[a] >> coverage->shift) - coverage->lo[a];
        int32_t over = x - (int32_t)coverage->size[a] + 1;
        out = -x > out ? -x : out;
        out = over > out ? over : out;
        at = at * coverage->size[a] + (size_t)(uint32_t)x;
    }
    *index = at;
    *beyond = out < (int32_t)RICO__COVERAGE_FAR ? (uint32_t)out : RICO__COVERAGE_FAR;
    return out == 0;
}

/* The child of its cell of level 0 that a finest place is in. */
static inline uint32_t rico__coverage_child(const int32_t finest[3])
{
    const uint32_t shift = RICO__FINEST_LEVEL - 1;
    return (uint32_t)((finest[0] >> shift & 1) | (finest[1] >> shift & 1) << 1 |
                      (finest[2] >> shift & 1) << 2);
}

/* For a place in the array whose distance is 0, and finest coordinates in it: the first level
 * on the way down that is not known to be divided, 0 to 2. */
static inline uint32_t rico__coverage_level(const rico__coverage *coverage, size_t index,
                                            const int32_t finest[3])
{
    uint32_t notes = (uint32_t)coverage->cells[index];
    return (notes >> RICO__NOTE_WHOLE & 1) +
           (notes >> (RICO__NOTE_DIVIDED + rico__coverage_child(finest)) & 1);
}

/* For the same place: whether nothing is in the cell of level 1. */
static inline bool rico__coverage_child_empty(const rico__coverage *coverage, size_t index,
                                              const int32_t finest[3])
{
    uint32_t notes = (uint32_t)coverage->cells[index];
    return (notes >> (RICO__NOTE_EMPTY + rico__coverage_child(finest)) & 1) != 0;
}

#endif
