/* The path of one ray. It is computed in double, and apart from the kernels, because it shows
 * where a ray should go. */
#include "drawing.h"
#include "ray_triangle.h"
#include "vec.h"

#define FARTHEST 1.0e4 /* metres drawn of a ray that hits nothing */

/* Boxes are grown by this per length of the ray: more than rounding moves a hit (6 x 2^-24). */
#define PAD_PER_LENGTH (64.0 / 16777216.0)

/* The ray in the current space. */
typedef struct path {
    double from[3], along[3];
    double end; /* t */
    double pad; /* metres */
} path;

static path path_of(const rico_ray *ray, double end)
{
    path p = {
        .from = {(double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z},
        .along = {(double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z},
        .end = end};
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double a = __builtin_fabs(p.along[k]);
        longest = a > longest ? a : longest;
    }
    p.pad = longest * end * PAD_PER_LENGTH;
    return p;
}

/* Finds where the path is between lo and hi. Returns false if it is nowhere. */
static bool clip(const path *p, const double lo[3], const double hi[3], double *begin,
                 double *end)
{
    *begin = 0.0;
    *end = p->end;
    for (int k = 0; k < 3; ++k) {
        if (p->along[k] == 0.0) {
            if (p->from[k] < lo[k] || p->from[k] > hi[k])
                return false;
            continue;
        }
        double a = (lo[k] - p->from[k]) / p->along[k], b = (hi[k] - p->from[k]) / p->along[k];
        double first = a < b ? a : b, last = a < b ? b : a;
        *begin = first > *begin ? first : *begin;
        *end = last < *end ? last : *end;
    }
    return *begin <= *end;
}

static bool meets(const path *p, const rico_box *box)
{
    const float *lo = &box->lo.x, *hi = &box->hi.x;
    double begin, end, from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = (double)lo[k] - p->pad;
        to[k] = (double)hi[k] + p->pad;
    }
    return clip(p, from, to, &begin, &end);
}

static bool draw_triangle(rico__drawing *d, rico_drawn_kind kind, uint32_t rgba, uint32_t id)
{
    rico__triangle t = rico__triangle_at(&d->grid->triangles, id);
    rico_vec3 corners[3];
    for (uint32_t j = 0; j < 3; ++j) {
        corners[j] = vec3(t.v[3 * j], t.v[3 * j + 1], t.v[3 * j + 2]);
        if (d->placement != NULL)
            corners[j] = rico__placement_point(d->placement, corners[j]);
    }
    uint32_t slot = d->collider;
    d->collider = slot != 0 ? slot : t.collider;
    bool room = true;
    for (uint32_t j = 0; j < 3 && room; ++j)
        room = rico__drawing_line(d, kind, rgba, t.triangle, corners[j], corners[(j + 1) % 3]);
    d->collider = slot;
    return room;
}

static bool draw_bundle(rico__drawing *d, const path *p, const rico__bundle *bundle,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t id = rico__bundle_id(bundle, count, i);
        rico__triangle t = rico__triangle_at(&d->grid->triangles, id);
        rico_box box = rico__triangle_bounds(&t);
        if (t.triangle == RICO_NO_TRIANGLE || !meets(p, &box))
            continue;
        if (!draw_triangle(d, RICO_DRAWN_TRIANGLE, RICO_DRAW_TRIANGLE_COLOR, id))
            return false;
    }
    return true;
}

static bool draw_met(rico__drawing *d, const path *p, uint32_t unit, uint32_t level)
{
    const rico__node *node = rico__draw_node(d->grid, unit);
    for (uint32_t i = 0; i < node->count; ++i) {
        rico_box box = rico__draw_child_box(node, i);
        uint32_t at = unit + (node->child[i] >> 4), count = (node->child[i] & 15u) + 1;
        if (!meets(p, &box))
            continue;
        if (!(node->leaves >> i & 1)) {
            if (!rico__drawing_box(d, RICO_DRAWN_NODE, rico__draw_node_color(level), level,
                                   &box) ||
                !draw_met(d, p, at, level + 1))
                return false;
            continue;
        }
        const rico__bundle *bundle = rico__draw_bundle(d->grid, at);
        uint32_t real = rico__draw_count(d->grid, bundle, count);
        if (!rico__drawing_box(d, RICO_DRAWN_LEAF, rico__draw_leaf_color(real), real, &box) ||
            !draw_bundle(d, p, bundle, count))
            return false;
    }
    return true;
}

static bool draw_brick(rico__drawing *d, const path *p, const int64_t at[3])
{
    uint32_t x = (uint32_t)at[0], y = (uint32_t)at[1], z = (uint32_t)at[2];
    uint32_t root = rico__grid_root(d->grid, x, y, z);
    rico_box box = rico__draw_brick_box(d->grid, x, y, z);
    uint32_t rgba = root != 0 ? RICO_DRAW_BRICK_COLOR : RICO_DRAW_EMPTY_COLOR;
    return rico__drawing_box(d, RICO_DRAWN_BRICK, rgba, root != 0, &box) &&
           (root == 0 || draw_met(d, p, root, 1));
}

/* Walks from brick to brick (Amanatides and Woo 1987). It ends, because every step goes on
 * along one axis, and leaving the grid ends it. */
static bool draw_walk(rico__drawing *d, const path *p)
{
    const rico__grid *grid = d->grid;
    const float *base = &grid->base.x;
    double side = (double)grid->cell_size * RICO_BRICK_CELLS, lo[3], hi[3], begin, end;
    int64_t at[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = (double)base[k];
        hi[k] = lo[k] + side * (double)rico__grid_bricks(grid, k);
    }
    if (!clip(p, lo, hi, &begin, &end))
        return true;
    for (int k = 0; k < 3; ++k) {
        double place = (p->from[k] + p->along[k] * begin - lo[k]) / side;
        double last = (double)rico__grid_bricks(grid, k) - 1.0;
        at[k] = (int64_t)(place < 0.0 ? 0.0 : place > last ? last : place);
    }
    for (;;) {
        int axis = -1;
        double next = end;
        if (!draw_brick(d, p, at))
            return false;
        for (int k = 0; k < 3; ++k) {
            double border = lo[k] + side * (double)(at[k] + (p->along[k] > 0.0));
            double t = p->along[k] != 0.0 ? (border - p->from[k]) / p->along[k] : end;
            if (p->along[k] != 0.0 && t <= next) {
                next = t;
                axis = k;
            }
        }
        if (axis < 0)
            return true;
        at[axis] += p->along[axis] > 0.0 ? 1 : -1;
        if (at[axis] < 0 || at[axis] >= (int64_t)rico__grid_bricks(grid, axis))
            return true;
    }
}

/* --- the hit --- */

static bool draw_hit(rico__drawing *d, const rico_ray *ray, const rico_hit *hit)
{
    const rico__collider *c = &d->scene->colliders[hit->collider - 1];
    const rico__shape *shape = &d->scene->shapes[c->shape];
    const rico__part *part = rico__collider_part(d->scene, c);
    rico__drawing_enter(d, part, hit->collider);
    rico_vec3 at = vec3_mad(ray->origin, ray->direction, hit->t);
    float length = d->grid->dims[0] != 0 ? d->grid->cell_size : 0.5f;
    if (!rico__drawing_line(d, RICO_DRAWN_HIT, RICO_DRAW_HIT_COLOR, hit->triangle, at,
                            vec3_mad(at, hit->normal, length)))
        return false;
    if (hit->triangle == RICO_NO_TRIANGLE)
        return true;
    const uint32_t first = c->merged ? c->face_first : 0;
    const uint32_t face =
        first + rico__face_find(part->faces + first, shape->triangle_count, hit->triangle);
    return draw_triangle(d, RICO_DRAWN_HIT, RICO_DRAW_HIT_COLOR, face);
}

/* --- all of it --- */

/* Whether the ray can meet the collider: it is filtered as the ray is. */
static bool is_there(const rico__drawing *d, uint32_t slot)
{
    const rico_draw_request *r = d->request;
    return slot + 1 != r->ray.ignore && rico__layers_pass(d->scene, &r->filter, slot);
}

static bool draw_colliders_met(rico__drawing *d, const path *world, double end)
{
    const rico_scene *scene = d->scene;
    for (uint32_t i = 0; i < scene->collider_capacity; ++i) {
        const rico__collider *c = &scene->colliders[i];
        if (!c->used || c->merged || c->box.lo.x > c->box.hi.x || !is_there(d, i))
            continue;
        rico_box box = rico__collider_body_box(c);
        if (!meets(world, &box))
            continue;
        rico__drawing_enter(d, NULL, 0);
        d->collider = i + 1;
        if (!rico__drawing_box(d, RICO_DRAWN_COLLIDER, rico__draw_collider_color(c),
                               scene->shapes[c->shape].triangle_count, &c->box))
            return false;
        rico__drawing_enter(d, &scene->shapes[c->shape].part, i + 1);
        const rico_ray *ray = &d->request->ray;
        rico_ray local = c->placed ? *ray : rico__placement_ray_back(&c->placement, ray);
        path p = path_of(&local, end);
        if (d->grid->dims[0] != 0 && !rico__shape_is_formula(&scene->shapes[c->shape]) &&
            !draw_walk(d, &p))
            return false;
    }
    return true;
}

bool rico__draw_ray(rico__drawing *d)
{
    const rico_ray *ray = &d->request->ray;
    rico__ray_frame frame;
    if (!rico__ray_frame_init(&frame, ray))
        return true;
    rico_hit hit = rico_scene_raycast(d->scene, &d->request->filter, ray);
    double longest = __builtin_fabs((double)frame.direction[frame.kz]);
    double end = (double)frame.t_max;
    if (hit.collider != 0)
        end = (double)hit.t;
    else if (end * longest > FARTHEST)
        end = FARTHEST / longest;
    path world = path_of(ray, end);
    d->path = true;
    rico__drawing_enter(d, &d->scene->merged, 0);
    bool room = rico__drawing_line(d, RICO_DRAWN_RAY, RICO_DRAW_RAY_COLOR, 0, ray->origin,
                                   vec3_mad(ray->origin, ray->direction, (float)end));
    room = room && (d->grid->dims[0] == 0 || draw_walk(d, &world));
    room = room && draw_colliders_met(d, &world, end);
    room = room && (hit.collider == 0 || draw_hit(d, ray, &hit));
    d->path = false;
    return room;
}
