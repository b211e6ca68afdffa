/* host_rays - a world on the host's own ray caster: no mesh is given to the library.
 *
 * The host's world here is a floor and three spheres, as formulas. Gravel rains on it, bounces,
 * and comes to rest. The program prints the result, and fails when a particle is under the
 * floor. */
#include <math.h>
#include <ricochet/ricochet.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ball {
    rico_vec3 center;
    float radius;
} ball;

static const ball balls[] = {{{0, 0, 0.5f}, 1}, {{2, 1, 0.2f}, 0.7f}, {{-2, -1, 1}, 0.5f}};
#define BALLS (sizeof balls / sizeof balls[0])

/* --- The host's code ----------------------------------------------------------------------- */

static void hit_floor(const rico_ray *ray, rico_hit *hit)
{
    float t = -ray->origin.z / ray->direction.z; /* level rays: infinite or NaN, never nearer */
    if (t >= 0.0f && t < hit->t)
        *hit = (rico_hit){.t = t, .collider = 1, .normal = {0, 0, ray->origin.z < 0 ? -1 : 1}};
}

static void hit_ball(const rico_ray *ray, uint32_t k, rico_hit *hit)
{
    rico_vec3 o = ray->origin, d = ray->direction, c = balls[k].center;
    float r = balls[k].radius, x = o.x - c.x, y = o.y - c.y, z = o.z - c.z;
    float dd = d.x * d.x + d.y * d.y + d.z * d.z, od = x * d.x + y * d.y + z * d.z;
    float t = (-od - sqrtf(od * od - dd * (x * x + y * y + z * z - r * r))) / dd;
    if (t >= 0.0f && t < hit->t) /* NaN: the ray passes beside it */
        *hit = (rico_hit){.t = t,
                          .collider = 2 + k,
                          .normal = {(x + t * d.x) / r, (y + t * d.y) / r, (z + t * d.z) / r}};
}

/* Several workers call it at once, so it only reads. */
static void cast(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count)
{
    (void)user;
    (void)filter;
    for (uint32_t i = 0; i < count; ++i) {
        hits[i] = (rico_hit){.t = rays[i].t_max, .collider = 0}; /* a miss so far */
        hit_floor(&rays[i], &hits[i]);
        for (uint32_t k = 0; k < BALLS; ++k)
            hit_ball(&rays[i], k, &hits[i]);
    }
}

/* --- The rest is as in any other world ---------------------------------------------------- */

static rico_world *create_world(void)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.ray_caster.cast = cast;
    rico_world *world;
    if (rico_world_create(&def, &world) != RICO_OK)
        exit(EXIT_FAILURE);
    return world;
}

static rico_effect_id rain_gravel(rico_world *world)
{
    rico_recipe gravel = rico_recipe_default();
    gravel.shape = RICO_EMIT_BOX;
    gravel.size = (rico_vec3){3, 2, 0.1f};
    gravel.speed = (rico_range){-2, -1}; /* against +z: downwards */
    gravel.lifetime = (rico_range){4, 5};
    gravel.rate = 200;
    gravel.duration = 3;
    rico_transform sky = RICO_TRANSFORM_IDENTITY;
    sky.position.z = 3;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &gravel), sky);
}

static int count_lost(const rico_world *world, rico_effect_id effect)
{
    int lost = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            lost += v.pz[i] < -0.05f;
    return lost;
}

int main(void)
{
    rico_world *world = create_world();
    rico_effect_id effect = rain_gravel(world);
    unsigned long bounces = 0, rays = 0;
    for (int frame = 0; frame < 240; ++frame) {
        rico_world_step(world, 1.0f / 60.0f);
        bounces += rico_world_get_stats(world).bounces;
        rays += rico_world_get_stats(world).rays;
    }
    int lost = count_lost(world, effect);
    printf("%u pieces, %lu bounces, %u at rest, %d lost, %lu rays\n",
           rico_effect_particle_count(world, effect), bounces,
           rico_world_get_stats(world).sleeping, lost, rays);
    rico_world_destroy(world);
    return lost == 0 && bounces > 1000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
