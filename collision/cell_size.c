/* A convex body touches a cell of side h, placed at random, where the cell's corner lies in the
 * body's Minkowski sum with the cell. For a triangle that sum has the volume
 *     h^3 + h^2 (ex + ey + ez) + h (axy + ayz + azx)
 * with its extents along the axes and the areas of its projections. So all triangles are
 * expected to make n + L / h + S / h^2 references, with two sums taken once. Any number of
 * references can be asked for: the cell size that gives it follows before a single cell is
 * touched. */
#include "cell_size.h"
#include "cell_block.h"
#include "vec.h"

/* A cell is at least 8 float steps wide where triangles are: 1 m at 1000 km, 4 mm at 4 km. */
#define CELL_PER_COORDINATE (1.0 / 1048576.0)
#define SMALLEST_CELL 1.0e-3

typedef struct size_sums {
    double length, area;
} size_sums;

static size_sums sum_sizes(const rico__triangles *triangles, uint32_t high)
{
    size_sums sums = {0.0, 0.0};
    for (uint32_t i = 0; i < high; ++i) {
        const rico__face *face = &triangles->faces[i];
        if (face->triangle == RICO_NO_TRIANGLE)
            continue;
        v4 a = rico__face_corner(triangles, face, 0), b = rico__face_corner(triangles, face, 1);
        v4 c = rico__face_corner(triangles, face, 2);
        v4 size = v4_max(a, v4_max(b, c)) - v4_min(a, v4_min(b, c));
        sums.length += (double)size[0] + (double)size[1] + (double)size[2];
        double ux = (double)b[0] - a[0], uy = (double)b[1] - a[1], uz = (double)b[2] - a[2];
        double vx = (double)c[0] - a[0], vy = (double)c[1] - a[1], vz = (double)c[2] - a[2];
        double twice = __builtin_fabs(ux * vy - uy * vx) + __builtin_fabs(uy * vz - uz * vy) +
                       __builtin_fabs(uz * vx - ux * vz);
        sums.area += 0.5 * twice;
    }
    return sums;
}

/* The h for which n + L / h + S / h^2 = references: a quadratic equation in x = 1 / h. */
static double size_for(size_sums sums, uint32_t count, double references)
{
    double spare = references - (double)count;
    double root = __builtin_sqrt(sums.length * sums.length + 4.0 * sums.area * spare);
    return (sums.length + root) / (2.0 * spare);
}

/* A triangle that is smaller than any cell makes fewer references than the aim counts for it.
 * If only the aim mattered, the other triangles would use up the rest. A floor would be cut as
 * finely as a figurine on it can pay for, into bricks with one or two triangles. Triangles fill
 * S / b^2 bricks of side b, or fewer where they share bricks. */
static double chosen_size(size_sums sums, uint32_t count)
{
    double h = size_for(sums, count, (double)count * RICO_REFERENCES_AIM + 64.0);
    double bricks = (double)count / RICO_TRIANGLES_PER_BRICK + 1.0;
    double brick = __builtin_sqrt(sums.area / bricks) / RICO_BRICK_CELLS;
    return h > brick ? h : brick;
}

static double farthest_coordinate(const rico_box *bounds)
{
    rico_vec3 far = vec3_max(bounds->hi, vec3_neg(bounds->lo));
    return float_max(far.x, float_max(far.y, far.z));
}

float rico__cell_size(const rico__triangles *triangles, uint32_t high, uint32_t count,
                      const rico_box *bounds, float wanted)
{
    size_sums sums = sum_sizes(triangles, high);
    double h = (double)wanted;
    if (!(wanted > 0.0f))
        h = chosen_size(sums, count);
    double limit = size_for(sums, count, 0.75 * (double)rico__reference_limit(count));
    h = h > limit ? h : limit;
    double extent =
        float_max(bounds->hi.x - bounds->lo.x,
                  float_max(bounds->hi.y - bounds->lo.y, bounds->hi.z - bounds->lo.z));
    double dim_limit = extent / (RICO_GRID_MAX_DIM - 4);
    h = h > dim_limit ? h : dim_limit;
    double spacing_limit = farthest_coordinate(bounds) * CELL_PER_COORDINATE;
    h = h > spacing_limit ? h : spacing_limit;
    return (float)(h > SMALLEST_CELL ? h : SMALLEST_CELL);
}
