#include "walk.h"

/* The displacement of a hit by rounding, per distance of the origin: see PAD_PER_REACH. */
#define PAD_PER_DISTANCE (24.0 / 16777216.0)

/* Largest component of the distance from the ray's origin to any point of the grid. */
static double distance_to_grid(const rico__grid *grid, const rico__ray_frame *frame)
{
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double far = 0.0;
    for (int k = 0; k < 3; ++k) {
        double lo = (double)base[k] - frame->origin[k];
        double hi = lo + (double)grid->dims[k] * (double)grid->cell_size;
        double most = -lo > hi ? -lo : hi;
        far = most > far ? most : far;
    }
    return far;
}

/* Does the ray meet the brick, grown by pad metres? */
static bool meets_brick(const rico__grid *grid, const rico__ray_frame *frame,
                        const rico__brick *brick, double pad)
{
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double side = (double)grid->cell_size * RICO_BRICK_CELLS;
    double begin = 0.0, end = (double)frame->t_max;
    for (int k = 0; k < 3; ++k) {
        double lo = (double)base[k] + brick->at[k] * side - frame->origin[k] - pad;
        double hi = lo + side + 2.0 * pad;
        double d = (double)frame->direction[k];
        if (d == 0.0) {
            if (lo > 0.0 || hi < 0.0)
                return false;
            continue;
        }
        double t0 = (d > 0.0 ? lo : hi) / d, t1 = (d > 0.0 ? hi : lo) / d;
        begin = t0 > begin ? t0 : begin;
        end = t1 < end ? t1 : end;
    }
    return begin <= end;
}

rico__ray_best rico__walk_far(const rico__grid *grid, const rico__ray_frame *frame,
                              uint32_t *steps)
{
    rico__ray_best best = {frame->t_max, RICO_NO_TRIANGLE};
    double pad = distance_to_grid(grid, frame) * PAD_PER_DISTANCE +
                 (double)grid->pad * (double)grid->cell_size;
    *steps = grid->brick_count;
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        const rico__brick *brick = &grid->bricks[i];
        if (!meets_brick(grid, frame, brick, pad))
            continue;
        uint32_t first = grid->cell_first[brick->first_cell];
        uint32_t last = grid->cell_first[brick->first_cell + brick->cell_count];
        *steps += brick->cell_count;
        for (uint32_t r = first; r < last; ++r) {
            uint32_t id = grid->references[r];
            rico__ray_test(frame, &grid->triangles[id], id, &best);
        }
    }
    return best;
}
