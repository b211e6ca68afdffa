/* extents.h - how far the geometry in small cells reaches. Tells for most steps that they meet
 * nothing.
 *
 * Cells are those of level 0, divided into 4 x 4 x 4 parts. For each part a box is known that
 * holds everything near the part. So a step needs neither the scene nor a branch to find that
 * it passes by (kernel_exact.h). Cells become known when particles come near them.
 *
 * In large worlds coverage's cells are coarser. They are then divided on the way to the
 * particles that ask, by 4 x 4 x 4 at a time (at first by 2 x 2 x 2, where their shift is odd).
 * The entries of their parts lie where other cells have the words of parts.
 *
 * Owner: the world; the memory is reserved with its first recipe of mode exact, and grows with
 * edits. Threads: edits and the stepping thread; cells are found by jobs, after all blocks were
 * moved; read-only in simulate. Order: cells are found in the order in which blocks ask. A cell
 * that is not known costs a question to the scene, and changes no answer.
 */
#ifndef RICO_EXTENTS_H
#define RICO_EXTENTS_H

#include "coverage.h"

/* Parts per axis, as a shift. */
#define RICO__EXTENT_SHIFT 2u
#define RICO__EXTENT_PARTS 64u

/* One word per part: where the box begins and ends on its axes. From the lowest bit on, x and y
 * have 4 bits for each, z has 8, because particles lie on what is below them. They count steps,
 * of which the part with its room on both sides has RICO__EXTENT_STEPS. Where there is nothing,
 * the box begins at the last step and ends at the first. */
#define RICO__EXTENT_BITS(axis) ((axis) == 2 ? 8 : 4)
#define RICO__EXTENT_STEPS(axis) ((1 << RICO__EXTENT_BITS(axis)) - 1)

/* The box holds geometry that is this near to the part; in parts. */
#define RICO__EXTENT_ROOM 0.4f
#define RICO__EXTENT_CELL_LENGTH ((float)(1 << RICO__EXTENT_SHIFT) + 2.0f * RICO__EXTENT_ROOM)

/* The entry of a cell. Lower half: the number of its words, or of the entries that it is
 * divided into. Above: where the geometry near it begins and ends along z, 8 bits each. These
 * are in steps of a length that is the cell and a part's room on both sides. Most steps need no
 * more than that, and no word from memory. */
#define RICO__EXTENT_NUMBER 0xffffu
#define RICO__EXTENT_LAYERS 255u
#define RICO__EXTENT_ENTRY(number, begin, end)                                                 \
    ((int32_t)((uint32_t)(number) | (uint32_t)(begin) << 16 | (uint32_t)(end) << 24))

/* Entries of cells without words of their own; they have the lowest numbers. */
#define RICO__EXTENT_NOTHING RICO__EXTENT_ENTRY(0, RICO__EXTENT_LAYERS, 0)
#define RICO__EXTENT_UNKNOWN RICO__EXTENT_ENTRY(1, 0, RICO__EXTENT_LAYERS)

typedef struct rico__extents {
    int32_t lo[3];
    uint32_t size[3]; /* of the range, in coverage's cells */
    uint32_t shift;   /* coverage's cells are 2^shift of these cells wide */
    float edge;       /* metres, of a part */
    float rate;       /* parts per metre */
    int32_t beyond;   /* the entry for cells out of the range */
    int32_t *cells;   /* entries of the range; NULL = no memory was reserved */
    int32_t *words;
    uint32_t cell_capacity, capacity; /* of entries; of numbers */
    uint32_t used;                    /* numbers that were ever given */
    uint32_t free;                    /* the first of those given back, a list; 0 = none */
    bool lacks_room;                  /* room was wanted when there was no memory to give */
    uint64_t full;                    /* the frame in which all numbers were in use */
} rico__extents;

/* How much of `shift`, which is not 0, one division takes away. */
static inline uint32_t rico__extent_division(uint32_t shift)
{
    return (shift & 1u) != 0 ? 1u : RICO__EXTENT_SHIFT;
}

/* Reserves the memory, once. on_scene = false: the world is on the host's rays, of which
 * nothing is ever known. */
rico_result rico__extents_init(rico__extents *extents, rico__memory *memory, bool on_scene);
void rico__extents_free(rico__extents *extents, rico__memory *memory);

/* Coverage's range has changed: nothing is known any more. memory: for more room, NULL = none. */
void rico__extents_clear(rico__extents *extents, const rico__coverage *coverage,
                         rico__memory *memory);

/* Forgets what is known near the box: it has changed there, and coverage has followed. */
void rico__extents_forget(rico__extents *extents, const rico__coverage *coverage,
                          const rico_box *box);

/* Whether nothing is known of the cell at p; *cell: which one it is. */
bool rico__extents_lack(const rico__extents *extents, rico_vec3 p, uint64_t *cell);

struct rico_world;

/* After blocks were moved: finds out about cells that they asked for. */
void rico__extents_answer(struct rico_world *world);

#endif
