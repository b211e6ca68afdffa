#include "faulty_rays.h"

#include "stress_random.h"
#include <math.h>
#include <string.h>

bool faulty_rays_open(faulty_rays *rays, const rico_mesh *mesh, rico_allocator allocator)
{
    rico_scene_def def = rico_scene_def_default();
    def.allocator = allocator;
    *rays = (faulty_rays){.lock = PTHREAD_MUTEX_INITIALIZER};
    if (rico_scene_create(&def, &rays->scene) == RICO_OK &&
        rico_scene_add_mesh(rays->scene, mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL) ==
            RICO_OK &&
        rico_scene_merge(rays->scene) == RICO_OK)
        return true;
    faulty_rays_close(rays);
    return false;
}

void faulty_rays_close(faulty_rays *rays)
{
    rico_scene_destroy(rays->scene);
    rays->scene = NULL;
}

/* A random number from the bits of the ray's origin and direction. */
static uint64_t chance_of(const rico_ray *ray)
{
    const float numbers[] = {ray->origin.x,    ray->origin.y,    ray->origin.z,   ray->t_max,
                             ray->direction.x, ray->direction.y, ray->direction.z};
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        state ^= bits;
        state = stress_random(&state);
    }
    return state;
}

static void spoil(const rico_ray *ray, rico_hit *hit, uint32_t how)
{
    const rico_vec3 along = ray->direction;
    switch (how) {
    case 0:
        hit->t = NAN;
        break;
    case 1:
        hit->t = INFINITY;
        break;
    case 2:
        hit->t = -1.0f;
        break;
    case 3:
        hit->t = 2.0f * ray->t_max;
        break;
    case 4:
        hit->normal = (rico_vec3){NAN, NAN, NAN};
        break;
    case 5:
        hit->normal = (rico_vec3){0.0f, INFINITY, 0.0f};
        break;
    case 6:
        hit->normal = (rico_vec3){0.0f, 0.0f, 0.0f};
        break;
    case 7:
        hit->normal = (rico_vec3){3.0e38f, 3.0e38f, 3.0e38f};
        break;
    case 8:
        hit->normal = along;
        break;
    case 9:
        hit->collider = 4000000000u;
        break;
    case 10:
        hit->collider = RICO_NOT_ANSWERED;
        break;
    default:
        hit->velocity = (rico_vec3){NAN, INFINITY, 0.0f};
        break;
    }
    if (how != 9 && how != 10 && hit->collider == 0)
        hit->collider = 1; /* a hit where there was none */
}

static void cast(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count)
{
    faulty_rays *self = user;
    uint64_t spoiled = 0;
    rico_scene_raycast_batch(self->scene, filter, rays, hits, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t chance = chance_of(&rays[i]);
        if (chance % 16 != 0)
            continue;
        spoil(&rays[i], &hits[i], (uint32_t)(chance >> 8) % 12);
        spoiled += 1;
    }
    pthread_mutex_lock(&self->lock);
    self->spoiled += spoiled;
    pthread_mutex_unlock(&self->lock);
}

rico_ray_caster faulty_rays_caster(faulty_rays *rays)
{
    return (rico_ray_caster){.cast = cast, .user = rays};
}
