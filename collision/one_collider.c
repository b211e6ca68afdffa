/* Rays to one collider, and its point that is nearest to a given one, in the space of its
 * shape. */
#include "check.h"
#include "float_mode.h"
#include "formula.h"

static rico_hit ask_shape(const rico_scene *scene, const rico__shape *shape,
                          const rico_ray *ray)
{
    if (rico__shape_is_formula(shape))
        return rico__formula_raycast(shape, ray, false);
    return scene->cast->closest_one(&shape->part.grid, NULL, ray);
}

/* Returns NULL when the slot is free, or its triangles lie in the world. */
static const rico__shape *shape_of(const rico_scene *scene, uint32_t slot)
{
    if (slot == 0 || slot > scene->collider_capacity)
        return NULL;
    const rico__collider *c = &scene->colliders[slot - 1];
    return c->used && !c->placed ? &scene->shapes[c->shape] : NULL;
}

void rico_scene_raycast_collider(const rico_scene *scene, uint32_t slot, const rico_ray *rays,
                                 rico_hit *hits, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && hits != NULL))))
        return;
    const rico__shape *shape = shape_of(scene, slot);
    for (uint32_t i = 0; i < count; ++i) {
        rico_ray ray = rays[i];
        ray.ignore = 0;
        hits[i] = (rico_hit){.t = ray.t_max, .triangle = RICO_NO_TRIANGLE};
        if (shape == NULL)
            continue;
        rico_hit hit = ask_shape(scene, shape, &ray);
        if (hit.collider == 0)
            continue;
        hits[i] = hit;
        hits[i].collider = slot;
        hits[i].surface = rico__shape_surface(shape, hit.triangle);
    }
}

rico_nearest rico_scene_nearest_collider(const rico_scene *scene, uint32_t slot,
                                         rico_vec3 point, float radius)
{
    RICO__FLOAT_MODE();
    rico_nearest none = {.distance = radius, .triangle = RICO_NO_TRIANGLE};
    rico__nearest_frame frame;
    if (!RICO_REQUIRE(scene != NULL))
        return none;
    const rico__shape *shape = shape_of(scene, slot);
    if (shape == NULL || !rico__nearest_frame_init(&frame, point, radius, 0))
        return none;
    const rico__cast_filter all = {.skip_back_faces = false};
    rico__nearest_best best = rico__nearest_none(&frame);
    if (rico__shape_is_formula(shape))
        rico__formula_nearest(shape, &frame, false, slot, &best);
    else
        rico__grid_nearest(&shape->part.grid, rico__volume_for_isa(scene->cast->isa), &all,
                           &frame, slot, &best);
    if (best.collider == 0)
        return none;
    rico_nearest found = rico__nearest_answer(&frame, &best);
    found.surface = rico__shape_surface(shape, found.triangle);
    return found;
}
