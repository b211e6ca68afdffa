#include "slab.h"
#include "double3.h"

typedef struct box64 {
    double middle[3], half[3];
} box64;

static box64 box_of(const rico__node *node, uint32_t i)
{
    box64 b;
    for (int k = 0; k < 3; ++k) {
        double lo = (double)node->box[k][i], hi = (double)node->box[k + 3][i];
        double half_step = 0.5 * (double)node->scale[k];
        b.middle[k] = (double)node->base[k] + (lo + hi) * half_step;
        b.half[k] = (hi - lo) * half_step;
    }
    return b;
}

static double radius_along(const box64 *b, const double normal[3])
{
    double radius = 0.0;
    for (int k = 0; k < 3; ++k)
        radius += __builtin_fabs(normal[k]) * b->half[k];
    return radius;
}

/* Stores a normal that points nearly along `sum`, and returns it in `normal` as stored. Returns
 * false if there is none. */
static bool put_normal(rico__node *node, uint32_t i, const double sum[3], double normal[3])
{
    double length = __builtin_sqrt(rico__dot(sum, sum));
    bool any = length > 0.0; /* false for NaN */
    for (uint32_t k = 0; k < 3; ++k) {
        double part = any ? sum[k] / length * RICO_SLAB_UNIT : 0.0;
        int whole = (int)(part < 0.0 ? part - 0.5 : part + 0.5);
        *rico__slab_at(node, k, i) = (uint8_t)(whole + RICO_SLAB_ZERO);
        normal[k] = (double)whole;
    }
    *rico__slab_at(node, 3, i) = 255;
    return any;
}

/* most: the largest normal . p over the points of the child. */
static void put_height(rico__node *node, uint32_t i, const double normal[3], double most)
{
    box64 b = box_of(node, i);
    double radius = radius_along(&b, normal);
    if (!(radius > 0.0))
        return;
    double height = (most - rico__dot(normal, b.middle) + radius) * (127.5 / radius);
    height = height > 0.0 ? height : 0.0;
    *rico__slab_at(node, 3, i) = (uint8_t)(height < 254.0 ? height + 1.0 : 255.0);
}

/* Products of differences of floats: the sum need not be exact. */
static void add_normal(double sum[3], const rico__face_corners *t)
{
    double u[3], v[3], n[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (double)(t->at[1][k] - t->at[0][k]);
        v[k] = (double)(t->at[2][k] - t->at[0][k]);
    }
    rico__cross(u, v, n);
    rico__mad(sum, n, 1.0, sum);
}

void rico__slab_of_triangles(rico__node *node, uint32_t i, const rico__face_corners *corners,
                             uint32_t count)
{
    double sum[3] = {0.0, 0.0, 0.0}, normal[3], most = -__builtin_inf();
    for (uint32_t e = 0; e < count; ++e)
        add_normal(sum, &corners[e]);
    if (!put_normal(node, i, sum, normal))
        return;
    for (uint32_t e = 0; e < count; ++e)
        for (uint32_t j = 0; j < 3; ++j) {
            const float *p = corners[e].at[j];
            double at =
                normal[0] * (double)p[0] + normal[1] * (double)p[1] + normal[2] * (double)p[2];
            most = at > most ? at : most;
        }
    put_height(node, i, normal, most);
}

static void normal_of(const rico__node *node, uint32_t i, double normal[3])
{
    for (uint32_t k = 0; k < 3; ++k)
        normal[k] = rico__slab_number(node, k, i);
}

/* An upper bound of normal . p over a child: by its box, or by its slab, as far as the slab's
 * plane faces the same way. */
static double reach_of(const rico__node *node, uint32_t i, const double normal[3])
{
    const double unit = RICO_SLAB_UNIT;
    box64 b = box_of(node, i);
    double plane[3], rest[3];
    normal_of(node, i, plane);
    double share = rico__dot(normal, plane) / (unit * unit), plain = radius_along(&b, normal);
    share = share > 0.0 ? share : 0.0;
    rico__mad(normal, plane, -share, rest);
    double rise = radius_along(&b, plane) * (rico__slab_number(node, 3, i) / 127.5 - 1.0);
    double cut = radius_along(&b, rest) + share * rise;
    return rico__dot(normal, b.middle) + (cut < plain ? cut : plain);
}

void rico__slab_of_node(rico__node *node, uint32_t i, const rico__node *child)
{
    double sum[3] = {0.0, 0.0, 0.0}, normal[3], most = -__builtin_inf();
    for (uint32_t c = 0; c < child->count; ++c) {
        normal_of(child, c, normal);
        rico__mad(sum, normal, 1.0, sum);
    }
    if (!put_normal(node, i, sum, normal))
        return;
    for (uint32_t c = 0; c < child->count; ++c) {
        double reach = reach_of(child, c, normal);
        most = reach > most ? reach : most;
    }
    put_height(node, i, normal, most);
}
