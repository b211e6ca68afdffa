/* Rays to one collider, in the space of its shape. */
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

static bool is_placed_by_transform(const rico_scene *scene, uint32_t slot)
{
    return slot > 0 && slot <= scene->collider_capacity && scene->colliders[slot - 1].used &&
           !scene->colliders[slot - 1].placed;
}

void rico_scene_raycast_collider(const rico_scene *scene, uint32_t slot, const rico_ray *rays,
                                 rico_hit *hits, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && hits != NULL))))
        return;
    const rico__shape *shape = NULL;
    if (is_placed_by_transform(scene, slot))
        shape = &scene->shapes[scene->colliders[slot - 1].shape];
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
        uint32_t triangle = hit.triangle;
        hits[i].surface = triangle == RICO_NO_TRIANGLE ? shape->surface
                                                       : rico__shape_surface(shape, triangle);
    }
}
