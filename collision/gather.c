/* Boxes against the grid. Candidates come from the trees of the bricks that the box overlaps;
 * each is reported once and in order by passing them through a window of ids, as bits: no
 * sorting, no marks in shared memory, and a bounded 8 KB of stack however large the box is.
 * Large meshes need several windows, but only those in which the box has candidates. */
#include "check.h"
#include "filter.h"
#include "scene_private.h"
#include "vec.h"

#define WINDOW_WORDS 512u
#define WINDOW_IDS (WINDOW_WORDS * 64u)

/* Candidates that are kept; with more, each window asks the trees again. */
#define CANDIDATES 896u

/* Cells from lo to hi, both in; brick coordinates are these >> RICO_BRICK_SHIFT. */
typedef struct cell_box {
    int32_t lo[3], hi[3];
} cell_box;

/* False when the box holds nothing by contract or lies beside the grid. Padded, so that the
 * cells of any point of the box are in range in spite of rounding. */
static bool cells_of_box(const rico__grid *grid, const rico_box *box, cell_box *cells)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    bool ordered = true;
    float sum = 0.0f; /* finite when all sides are: each is at most a sixteenth of FLT_MAX */
    for (int k = 0; k < 3; ++k) {
        float last = (float)(grid->dims[k] - 1);
        float from = (lo[k] - base[k]) * grid->inverse_cell_size - grid->pad;
        float to = (hi[k] - base[k]) * grid->inverse_cell_size + grid->pad;
        sum += lo[k] * 0.0625f - hi[k] * 0.0625f;
        ordered &= lo[k] <= hi[k];
        ordered &= to >= 0.0f;
        ordered &= from <= last + 1.0f;
        cells->lo[k] = (int32_t)float_clamp(from, 0.0f, last);
        cells->hi[k] = (int32_t)float_clamp(to, 0.0f, last);
    }
    return ordered && float_is_finite(sum);
}

/* Cells lo..hi of an axis as bits of the brick at coordinate at: a byte. */
static inline uint64_t axis_bits(const cell_box *cells, int axis, int32_t at)
{
    int32_t first = cells->lo[axis] - at * RICO_BRICK_CELLS;
    int32_t last = cells->hi[axis] - at * RICO_BRICK_CELLS;
    first = first > 0 ? first : 0;
    last = last < 7 ? last : 7;
    return (0xffu >> (7 - last)) & (0xffu << first) & 0xffu;
}

/* Bit i of a run of bits in a byte moves to bit 8 i: the product has a copy of the byte every 7
 * bits. Copies overlap in bits 0 and 7 only; the one run with both is all ones. */
static inline uint64_t rows_of(uint64_t byte)
{
    uint64_t every = 0x0101010101010101u;
    return byte == 0xffu ? every : (byte * 0x0002040810204081u) & every;
}

/* The part of a range of cells that lies in one brick: bits of a mask word, and words. */
typedef struct brick_part {
    uint64_t bits, words;
} brick_part;

static inline brick_part part_of_brick(const cell_box *cells, const int32_t at[3])
{
    brick_part part = {.bits = rows_of(axis_bits(cells, 1, at[1])) * axis_bits(cells, 0, at[0]),
                       .words = axis_bits(cells, 2, at[2])};
    return part;
}

/* Steps through the bricks of a range, x fastest. Start with at = lo >> shift. */
static inline bool next_brick(const cell_box *cells, int32_t at[3])
{
    if (++at[0] <= cells->hi[0] >> RICO_BRICK_SHIFT)
        return true;
    at[0] = cells->lo[0] >> RICO_BRICK_SHIFT;
    if (++at[1] <= cells->hi[1] >> RICO_BRICK_SHIFT)
        return true;
    at[1] = cells->lo[1] >> RICO_BRICK_SHIFT;
    return ++at[2] <= cells->hi[2] >> RICO_BRICK_SHIFT;
}

static void first_brick(const cell_box *cells, int32_t at[3])
{
    for (int k = 0; k < 3; ++k)
        at[k] = cells->lo[k] >> RICO_BRICK_SHIFT;
}

static const rico__brick *brick_at(const rico__grid *grid, const int32_t at[3])
{
    uint64_t key = rico__brick_key((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    uint32_t index = rico__brick_find(grid, key);
    return index == RICO_NO_BRICK ? NULL : &grid->bricks[index];
}

/* All words are tested, wherever the box begins: a loop over those in range ends at a place
 * that cannot be foreseen, which costs more. */
static inline bool part_occupied(const rico__brick *brick, const brick_part *part)
{
    uint64_t found = 0;
    for (int z = 0; z < RICO_BRICK_CELLS; ++z)
        found |= brick->mask[z] & (0 - (part->words >> z & 1));
    return (found & part->bits) != 0;
}

static bool box_occupied(const rico__grid *grid, const cell_box *cells)
{
    int32_t at[3];
    first_brick(cells, at);
    do {
        const rico__brick *brick = brick_at(grid, at);
        brick_part part = part_of_brick(cells, at);
        if (brick != NULL && part_occupied(brick, &part))
            return true;
    } while (next_brick(cells, at));
    return false;
}

/* Ids from first on, as bits; summary has a bit per non-zero word. */
typedef struct id_window {
    uint64_t words[WINDOW_WORDS];
    uint64_t summary[WINDOW_WORDS / 64];
    uint32_t first;
    uint32_t next; /* smallest id beyond the window, or RICO_NO_TRIANGLE */
} id_window;

static void window_take(id_window *window, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = ids[i] - window->first; /* ids before the window wrap around */
        if (at < WINDOW_IDS) {
            window->words[at >> 6] |= (uint64_t)1 << (at & 63);
            window->summary[at >> 12] |= (uint64_t)1 << (at >> 6 & 63);
        } else if (ids[i] >= window->first) {
            window->next = ids[i] < window->next ? ids[i] : window->next;
        }
    }
}

static void window_take_ids(void *user, const uint32_t *ids, uint32_t count)
{
    window_take(user, ids, count);
}

typedef struct candidates {
    uint32_t ids[CANDIDATES];
    uint32_t count; /* may be more than fit */
    uint32_t first; /* the smallest */
    const rico__face *faces;
} candidates;

static void keep_ids(void *user, const uint32_t *ids, uint32_t count)
{
    candidates *c = user;
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(&c->faces[ids[i]]);
        if (c->count + i < CANDIDATES)
            c->ids[c->count + i] = ids[i];
        c->first = ids[i] < c->first ? ids[i] : c->first;
    }
    c->count += count;
}

/* Calls visit with the ids of all triangles that may touch the box, some of them several times. */
static void ask_trees(const rico_scene *scene, const cell_box *cells, const rico_box *box,
                      rico__ids_fn *visit, void *user)
{
    const rico__grid *grid = &scene->grid;
    int32_t at[3];
    first_brick(cells, at);
    do {
        const rico__brick *brick = brick_at(grid, at);
        if (brick == NULL || brick->root == 0)
            continue;
        brick_part part = part_of_brick(cells, at);
        if (part_occupied(brick, &part))
            scene->cast->overlap(grid, brick->root, box, visit, user);
    } while (next_brick(cells, at));
}

typedef struct gathering {
    const rico__grid *grid;
    const rico__cast_filter *filter;
    const rico_box *box;
    rico_triangle *out;
    uint32_t capacity, count;
} gathering;

static void gather_one(gathering *g, uint32_t id)
{
    const rico__triangles *triangles = &g->grid->triangles;
    const rico__face *face = &triangles->faces[id];
    const rico__vertex *a = rico__face_vertex(triangles, face, 0);
    if (face->triangle == RICO_NO_TRIANGLE ||
        !rico__filter_passes_slot(g->filter, a->collider, 0))
        return;
    const rico__vertex *b = rico__face_vertex(triangles, face, 1);
    const rico__vertex *c = rico__face_vertex(triangles, face, 2);
    const float *const corner[3] = {a->at, b->at, c->at};
    if (!rico__corners_touch_box(corner, g->box))
        return;
    if (g->count < g->capacity)
        g->out[g->count] = (rico_triangle){.a = {a->at[0], a->at[1], a->at[2]},
                                           .b = {b->at[0], b->at[1], b->at[2]},
                                           .c = {c->at[0], c->at[1], c->at[2]},
                                           .collider = a->collider,
                                           .triangle = face->triangle};
    g->count += 1;
}

/* Reports the window's ids in order and leaves it clear. */
static void gather_window(gathering *g, id_window *window)
{
    for (uint32_t s = 0; s < WINDOW_WORDS / 64; ++s) {
        for (; window->summary[s] != 0; window->summary[s] &= window->summary[s] - 1) {
            uint32_t word = s * 64 + (uint32_t)__builtin_ctzll(window->summary[s]);
            uint64_t bits = window->words[word];
            window->words[word] = 0;
            for (; bits != 0; bits &= bits - 1)
                gather_one(g, window->first + word * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
}

uint32_t rico_scene_gather(const rico_scene *scene, const rico_filter *filter,
                           const rico_box *box, rico_triangle *triangles, uint32_t capacity)
{
    cell_box cells;
    rico__cast_filter seen;
    if (!RICO_REQUIRE(scene != NULL && box != NULL && (triangles != NULL || capacity == 0)))
        return 0;
    const rico__grid *grid = &scene->grid;
    if (scene->triangle_count == 0 || !cells_of_box(grid, box, &cells) ||
        !rico__filter_make(filter, NULL, 0, &seen))
        return 0;
    gathering g = {
        .grid = grid, .filter = &seen, .box = box, .out = triangles, .capacity = capacity};
    candidates found;
    found.count = 0;
    found.faces = grid->triangles.faces;
    found.first = RICO_NO_TRIANGLE;
    ask_trees(scene, &cells, box, keep_ids, &found);
    if (found.count == 0)
        return 0;
    id_window window = {.first = found.first, .next = RICO_NO_TRIANGLE};
    for (;;) {
        if (found.count <= CANDIDATES)
            window_take(&window, found.ids, found.count);
        else
            ask_trees(scene, &cells, box, window_take_ids, &window);
        gather_window(&g, &window);
        if (window.next == RICO_NO_TRIANGLE)
            return g.count;
        window.first = window.next;
        window.next = RICO_NO_TRIANGLE;
    }
}

bool rico_scene_occupied(const rico_scene *scene, const rico_box *box)
{
    cell_box cells;
    if (!RICO_REQUIRE(scene != NULL && box != NULL))
        return true;
    const rico__grid *grid = &scene->grid;
    return scene->triangle_count > 0 && cells_of_box(grid, box, &cells) &&
           box_occupied(grid, &cells);
}
