/* placement.h - where a shape stands in the world: the one transform of rays, boxes and
 * triangles.
 *
 * world = rotation * local * scale + position. The rotation is orthogonal within float
 * rounding, whatever the quaternion's length. So what is transformed to local space and back
 * meets the same surface. A ray's t means the same in both spaces: its direction is divided by
 * the scale, too.
 */
#ifndef RICO_PLACEMENT_H
#define RICO_PLACEMENT_H

#include "vec.h"

#include <ricochet/scene_query.h>

typedef struct rico__placement {
    rico_vec3 column[3]; /* of the rotation: the directions of the local axes */
    rico_vec3 position;
    float scale, inverse_scale;
} rico__placement;

static inline rico__placement rico__placement_of(const rico_transform *t)
{
    double x = (double)t->rotation.x, y = (double)t->rotation.y, z = (double)t->rotation.z,
           w = (double)t->rotation.w;
    double two = 2.0 / (x * x + y * y + z * z + w * w);
    rico__placement p = {
        .column = {{(float)(1.0 - two * (y * y + z * z)), (float)(two * (x * y + w * z)),
                    (float)(two * (x * z - w * y))},
                   {(float)(two * (x * y - w * z)), (float)(1.0 - two * (x * x + z * z)),
                    (float)(two * (y * z + w * x))},
                   {(float)(two * (x * z + w * y)), (float)(two * (y * z - w * x)),
                    (float)(1.0 - two * (x * x + y * y))}},
        .position = t->position,
        .scale = t->scale,
        .inverse_scale = 1.0f / t->scale};
    return p;
}

static inline rico_vec3 rico__placement_turn(const rico__placement *p, rico_vec3 v)
{
    return vec3_mad(vec3_mad(vec3_scale(p->column[0], v.x), p->column[1], v.y), p->column[2],
                    v.z);
}

static inline rico_vec3 rico__placement_turn_back(const rico__placement *p, rico_vec3 v)
{
    return vec3(vec3_dot(p->column[0], v), vec3_dot(p->column[1], v),
                vec3_dot(p->column[2], v));
}

/* A local point in the world. */
static inline rico_vec3 rico__placement_point(const rico__placement *p, rico_vec3 local)
{
    return vec3_mad(p->position, rico__placement_turn(p, local), p->scale);
}

/* A point of the world in the shape's space. */
static inline rico_vec3 rico__placement_point_back(const rico__placement *p, rico_vec3 world)
{
    return vec3_scale(rico__placement_turn_back(p, vec3_sub(world, p->position)),
                      p->inverse_scale);
}

/* A ray of the world in the shape's space, with the same t. */
static inline rico_ray rico__placement_ray_back(const rico__placement *p, const rico_ray *ray)
{
    rico_ray local = {.origin = rico__placement_point_back(p, ray->origin),
                      .t_max = ray->t_max,
                      .direction = vec3_scale(rico__placement_turn_back(p, ray->direction),
                                              p->inverse_scale)};
    return local;
}

static inline rico_vec3 rico__vec3_abs(rico_vec3 v)
{
    return vec3(__builtin_fabsf(v.x), __builtin_fabsf(v.y), __builtin_fabsf(v.z));
}

/* A box by its middle. reach: the distance of its farthest point from the origin, or more. */
typedef struct rico__middle {
    rico_vec3 center, half;
    float reach;
} rico__middle;

rico__middle rico__middle_of(const rico_box *box);

/* Room for the rounding of what is tested with a placed box: per distance of its farthest point
 * from the position, and per coordinate. Each is a few times 2^-24 of these. */
#define RICO_PLACED_REACH (64.0f / 16777216.0f)
#define RICO_PLACED_COORDINATE (4.0f / 16777216.0f)

static inline rico_box rico__box_grown(rico_vec3 center, rico_vec3 half, float by)
{
    rico_vec3 far = vec3_add(rico__vec3_abs(center), half);
    half = vec3_mad(half, far, RICO_PLACED_COORDINATE);
    half = vec3_add(half, vec3(by, by, by));
    return (rico_box){vec3_sub(center, half), vec3_add(center, half)};
}

/* A world box that holds a local box as placed, with that room. */
static inline rico_box rico__placement_box(const rico__placement *p, const rico__middle *local)
{
    rico_vec3 half = vec3_scale(rico__vec3_abs(p->column[0]), local->half.x);
    half = vec3_mad(half, rico__vec3_abs(p->column[1]), local->half.y);
    half = vec3_mad(half, rico__vec3_abs(p->column[2]), local->half.z);
    return rico__box_grown(rico__placement_point(p, local->center), vec3_scale(half, p->scale),
                           local->reach * p->scale * RICO_PLACED_REACH);
}

/* A local box that holds a box of the world in the same way. */
rico_box rico__placement_box_back(const rico__placement *p, const rico_box *world);

#endif
