/* Rays to one collider, and its point that is nearest to a given one, in the space of its
 * shape. */
#include "check.h"
#include "float_mode.h"
#include "formula.h"

#include "bits.h"

/* So many rays are copied and cast at a time. */
#define RAYS_AT_ONCE 64u

static void ask_shape(const rico_scene *scene, const rico__shape *shape, const rico_ray *rays,
                      rico_hit *hits, uint32_t count)
{
    if (!rico__shape_is_formula(shape))
        scene->cast->closest(&shape->part.grid, NULL, rays, hits, count);
    for (uint32_t i = 0; i < count && rico__shape_is_formula(shape); ++i)
        hits[i] = rico__formula_raycast(shape, &rays[i], false);
}

/* Returns NULL when the slot is free, or its triangles lie in the world. */
static const rico__shape *shape_of(const rico_scene *scene, uint32_t slot)
{
    if (slot == 0 || slot > scene->collider_capacity)
        return NULL;
    const rico__collider *c = &scene->colliders[slot - 1];
    return c->used && !c->placed ? &scene->shapes[c->shape] : NULL;
}

/* The answer to a caller, for that of the shape's grid or formula. */
static void name_hit(const rico__shape *shape, uint32_t slot, float t_max, rico_hit *hit)
{
    if (hit->collider == 0) {
        *hit = (rico_hit){.t = t_max, .triangle = RICO_NO_TRIANGLE};
        return;
    }
    hit->collider = slot;
    hit->surface = rico__shape_surface(shape, hit->triangle);
}

void rico_scene_raycast_collider(const rico_scene *scene, uint32_t slot, const rico_ray *rays,
                                 rico_hit *hits, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && hits != NULL))))
        return;
    const rico__shape *shape = shape_of(scene, slot);
    for (uint32_t i = 0; i < count && shape == NULL; ++i)
        hits[i] = (rico_hit){.t = rays[i].t_max, .triangle = RICO_NO_TRIANGLE};
    for (uint32_t first = 0; first < count && shape != NULL; first += RAYS_AT_ONCE) {
        rico_ray some[RAYS_AT_ONCE];
        const uint32_t size = uint_min(count - first, RAYS_AT_ONCE);
        for (uint32_t i = 0; i < size; ++i) {
            some[i] = rays[first + i];
            some[i].ignore = 0;
        }
        ask_shape(scene, shape, some, hits + first, size);
        for (uint32_t i = 0; i < size; ++i)
            name_hit(shape, slot, rays[first + i].t_max, &hits[first + i]);
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
