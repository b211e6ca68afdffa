/* Two-level walk after Amanatides and Woo (1987), made safe against rounding:
 *   - Along the ray counts s, in cells along the ray's largest axis, so that numbers are of the
 *     grid's size whatever the direction's length.
 *   - Cells and bricks are integers that only move in the ray's direction; a border's s is
 *     computed from the border, never summed up. At border s the exact ray is within the pad of
 *     the border, so at any s it is within the pad of the cell the walk is in.
 *   - A hit is final when the walk has left the last cell that begins before it: s of the
 *     cell's end, not the hit point's cell, decides.
 *   - Each round of either loop moves one integer by one towards its end: the loops are bounded
 *     by the grid's dimensions, whatever the floats are. */
#include "walk.h"
#include "check.h"
#include "vec.h"

/* A component smaller than this share of the largest moves the ray by less than 1e-6 cells on
 * its way through the largest grid: it counts as zero, and its borders are never reached. */
#define PARALLEL 1.0e-12f
#define NEVER 1.0e18f

typedef struct walk {
    const rico__grid *grid;
    const rico__ray_frame *frame;
    float origin[3];  /* local */
    float slope[3];   /* local movement per s, the largest is 1 */
    float inverse[3]; /* s per cell, with the direction's sign */
    int32_t step[3];  /* +1 or -1 */
    float s_per_t;
    float begin, end; /* of the part inside the grid */
    rico__ray_best best;
    float limit; /* s of the best hit so far, or end */
    uint32_t steps;
} walk;

/* False when the origin is out of reach. */
static bool walk_init(walk *w, const rico__grid *grid, const rico__ray_frame *frame)
{
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    float largest = __builtin_fabsf(frame->direction[frame->kz]);
    bool near = true;
    w->grid = grid;
    w->frame = frame;
    w->s_per_t = largest * grid->inverse_cell_size;
    w->steps = 0;
    w->best = (rico__ray_best){frame->t_max, RICO_NO_TRIANGLE};
    w->begin = 0.0f;
    w->end = frame->t_max * w->s_per_t;
    for (int k = 0; k < 3; ++k) {
        float origin = (frame->origin[k] - base[k]) * grid->inverse_cell_size;
        float slope = frame->direction[k] / largest;
        float dim = (float)grid->dims[k];
        bool parallel = !(__builtin_fabsf(slope) > PARALLEL);
        near &= origin <= grid->reach;
        near &= dim - origin <= grid->reach;
        w->origin[k] = origin;
        w->slope[k] = parallel ? 0.0f : slope;
        /* Parallel: towards the border ahead, which is never closer than a float step. */
        w->step[k] = slope < 0.0f && !parallel ? -1 : 1;
        w->inverse[k] = parallel ? NEVER : 1.0f / slope;
        float at_lo = -origin * w->inverse[k], at_hi = (dim - origin) * w->inverse[k];
        w->begin = float_max(w->begin, float_min(at_lo, at_hi));
        w->end = float_min(w->end, float_max(at_lo, at_hi));
    }
    w->limit = w->end;
    return near;
}

static void test_cell(walk *w, const rico__brick *brick, uint32_t bit)
{
    const rico__grid *grid = w->grid;
    const uint32_t *range = &grid->cell_first[rico__brick_cell(brick, bit)];
    for (uint32_t r = range[0]; r < range[1]; ++r) {
        uint32_t id = grid->references[r];
        rico__ray_test(w->frame, &grid->triangles[id], id, &w->best);
    }
    w->limit = float_min(w->limit, w->best.t * w->s_per_t);
}

/* s at which the ray leaves the block of 2^shift cells that cell is in, along one axis. */
static float border(const walk *w, int axis, int32_t cell, int shift)
{
    int32_t at = ((cell >> shift) + (w->step[axis] > 0)) << shift;
    return ((float)at - w->origin[axis]) * w->inverse[axis];
}

/* The axis of the smallest, the first of equals. Arithmetic, because nothing can foresee it. */
static int first_axis(const float s[3])
{
    int y = s[1] < s[0];
    int z = s[2] < s[y];
    return (y & (z - 1)) | z << 1;
}

/* Visits the cells of a brick from cell on. True when the walk is over; otherwise cell is the
 * first one beyond the brick. */
static bool walk_brick(walk *w, const rico__brick *brick, int32_t cell[3])
{
    float next[3];
    for (int k = 0; k < 3; ++k)
        next[k] = border(w, k, cell[k], 0);
    for (;;) {
        uint32_t bit = ((uint32_t)cell[0] & 7) | ((uint32_t)cell[1] & 7) << 3 |
                       ((uint32_t)cell[2] & 7) << 6;
        w->steps += 1;
        if (brick->mask[bit >> 6] >> (bit & 63) & 1)
            test_cell(w, brick, bit);
        int axis = first_axis(next);
        if (next[axis] > w->limit)
            return true;
        int32_t from = cell[axis];
        cell[axis] += w->step[axis];
        if (from >> RICO_BRICK_SHIFT != cell[axis] >> RICO_BRICK_SHIFT)
            return false;
        next[axis] = border(w, axis, cell[axis], 0);
    }
}

/* Moves cell to where the ray leaves an empty brick. True when the walk is over. */
static bool skip_brick(walk *w, int32_t cell[3])
{
    float next[3];
    for (int k = 0; k < 3; ++k)
        next[k] = border(w, k, cell[k], RICO_BRICK_SHIFT);
    int axis = first_axis(next);
    float s = next[axis];
    if (s > w->limit)
        return true;
    for (int k = 0; k < 3; ++k) {
        /* Clamped to the brick and, so that no rounding moves it back, to where it came from.
         */
        int32_t first = cell[k] & ~(RICO_BRICK_CELLS - 1), last = first + RICO_BRICK_CELLS - 1;
        int32_t lo = w->step[k] > 0 ? cell[k] : first;
        int32_t hi = w->step[k] > 0 ? last : cell[k];
        float at = w->origin[k] + s * w->slope[k];
        cell[k] = (int32_t)float_clamp(at, (float)lo, (float)hi);
    }
    int32_t corner = w->step[axis] > 0 ? RICO_BRICK_CELLS - 1 : 0;
    cell[axis] = ((cell[axis] & ~(RICO_BRICK_CELLS - 1)) | corner) + w->step[axis];
    return false;
}

static bool inside(const rico__grid *grid, const int32_t cell[3])
{
    return (uint32_t)cell[0] < (uint32_t)grid->dims[0] &&
           (uint32_t)cell[1] < (uint32_t)grid->dims[1] &&
           (uint32_t)cell[2] < (uint32_t)grid->dims[2];
}

rico__ray_best rico__walk_closest(const rico__grid *grid, const rico__ray_frame *frame,
                                  uint32_t *steps)
{
    walk w;
    if (!walk_init(&w, grid, frame))
        return rico__walk_far(grid, frame, steps);
    *steps = 0;
    if (!(w.begin <= w.end))
        return w.best;
    int32_t cell[3];
    for (int k = 0; k < 3; ++k) {
        float at = w.origin[k] + w.begin * w.slope[k];
        cell[k] = (int32_t)float_clamp(at, 0.0f, (float)(grid->dims[k] - 1));
    }
    /* Every round leaves a brick for good, so this budget is never what ends the walk. */
    int32_t budget = (grid->dims[0] + grid->dims[1] + grid->dims[2]) / RICO_BRICK_CELLS + 3;
    bool over = false;
    while (!over && inside(grid, cell) && budget-- > 0) {
        uint64_t key = rico__brick_key((uint32_t)cell[0] >> RICO_BRICK_SHIFT,
                                       (uint32_t)cell[1] >> RICO_BRICK_SHIFT,
                                       (uint32_t)cell[2] >> RICO_BRICK_SHIFT);
        uint32_t brick = rico__brick_find(grid, key);
        w.steps += 1;
        over = brick != RICO_NO_BRICK ? walk_brick(&w, &grid->bricks[brick], cell)
                                      : skip_brick(&w, cell);
    }
    RICO_ASSERT(budget >= 0);
    *steps = w.steps;
    return w.best;
}
