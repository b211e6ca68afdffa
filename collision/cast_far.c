#include "cast.h"
#include "chunk.h"

/* How far rounding displaces a hit, per distance of the origin: see PAD_PER_REACH. */
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

/* Whether the ray meets the brick, grown by pad metres. */
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

typedef struct far_ray {
    const rico__grid *grid;
    const rico__cast_filter *filter;
    const rico__ray_frame *frame;
    rico__ray_best best;
    uint32_t steps;
} far_ray;

static void test_bundle(void *user, const rico__bundle *bundle, uint32_t count)
{
    far_ray *ray = user;
    ray->steps += 1;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t id = bundle->ids[i];
        rico__cast_test(ray->filter, ray->frame, &ray->grid->triangles, id, &ray->best);
    }
}

rico__ray_best rico__cast_far(const rico__grid *grid, const rico__cast_filter *filter,
                              const rico__ray_frame *frame, uint32_t *steps)
{
    far_ray ray = {grid, filter, frame, {frame->t_max, RICO_NO_TRIANGLE}, grid->brick_count};
    double pad = distance_to_grid(grid, frame) * PAD_PER_DISTANCE +
                 (double)grid->pad * (double)grid->cell_size;
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        const rico__brick *brick = &grid->bricks[i];
        if (brick->root != 0 && meets_brick(grid, frame, brick, pad))
            rico__chunk_each(grid->arena, brick->root, test_bundle, &ray);
    }
    *steps = ray.steps;
    return ray.best;
}
