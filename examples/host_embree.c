/* host_embree - Embree holds the world: the library casts rays with it and gets no mesh.
 *
 * A host that keeps its geometry in a ray caster of its own writes one function, `cast`. Here it
 * is 40 lines around rtcIntersect1. Gravel rains on bumpy ground, and the program prints the
 * result. It fails when more than one stone in a hundred is below the ground in Embree: mode
 * cached promises this for most stones, mode exact for all. Embree 3. */
#include <embree3/rtcore.h>
#include <ricochet/ricochet.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 33u

typedef struct ground {
    RTCDevice device;
    RTCScene scene;
} ground;

/* --- The host's code ----------------------------------------------------------------------- */

/* Embree's normals are not of unit length; the library scales them. In both, directions need not
 * be of unit length, and t is in units of their length. */
static void cast_one(RTCScene scene, const rico_ray *ray, rico_hit *hit)
{
    struct RTCIntersectContext context;
    struct RTCRayHit query = {
        .ray = {.org_x = ray->origin.x,
                .org_y = ray->origin.y,
                .org_z = ray->origin.z,
                .tnear = 0.0f,
                .dir_x = ray->direction.x,
                .dir_y = ray->direction.y,
                .dir_z = ray->direction.z,
                .tfar = ray->t_max,
                .mask = 0xffffffffu},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &query);
    *hit = (rico_hit){.t = ray->t_max}; /* a miss: collider 0 */
    if (query.hit.geomID != RTC_INVALID_GEOMETRY_ID)
        *hit = (rico_hit){.t = query.ray.tfar,
                          .collider = query.hit.geomID + 1,
                          .triangle = query.hit.primID,
                          .normal = {query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z}};
}

/* Several workers call it at once, as Embree allows. */
static void cast(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count)
{
    const ground *g = user;
    (void)filter;
    for (uint32_t i = 0; i < count; ++i)
        cast_one(g->scene, &rays[i], &hits[i]);
}

/* --- The host's world --------------------------------------------------------------------- */

static void fill_positions(float *p)
{
    for (uint32_t y = 0; y < SIDE; ++y)
        for (uint32_t x = 0; x < SIDE; ++x) {
            *p++ = 0.25f * (float)x - 4.0f;
            *p++ = 0.25f * (float)y - 4.0f;
            *p++ = 0.05f * (float)((x * 7 + y * 5) % 4);
        }
}

static void fill_indices(unsigned *t)
{
    for (uint32_t y = 0; y + 1 < SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            unsigned at = y * SIDE + x;
            const unsigned corners[] = {at, at + 1,        at + SIDE + 1,
                                        at, at + SIDE + 1, at + SIDE};
            for (int c = 0; c < 6; ++c)
                *t++ = corners[c];
        }
}

static ground create_ground(void)
{
    ground g = {.device = rtcNewDevice("threads=1")};
    g.scene = rtcNewScene(g.device);
    RTCGeometry mesh = rtcNewGeometry(g.device, RTC_GEOMETRY_TYPE_TRIANGLE);
    fill_positions(rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           3 * sizeof(float), SIDE * SIDE));
    fill_indices(rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                         3 * sizeof(unsigned), 2 * (SIDE - 1) * (SIDE - 1)));
    rtcSetSceneFlags(g.scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(g.scene, mesh);
    rtcReleaseGeometry(mesh);
    rtcCommitScene(g.scene);
    return g;
}

/* --- The rest is as in any other world ---------------------------------------------------- */

static rico_effect_id rain_gravel(rico_world *world)
{
    rico_recipe gravel = rico_recipe_default();
    rico_transform sky = RICO_TRANSFORM_IDENTITY;
    gravel.shape = RICO_EMIT_BOX;
    gravel.size = (rico_vec3){2, 2, 0.1f};
    gravel.speed = (rico_range){-2, -1}; /* against +z: downwards */
    gravel.lifetime = (rico_range){4, 5};
    gravel.rate = 200;
    sky.position.z = 3;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &gravel), sky);
}

/* Counts gravel below the ground, or beside it: gravel may roll off the edge. */
static int count_lost(const rico_world *world, rico_effect_id effect)
{
    int lost = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            lost += v.pz[i] < -0.05f && v.px[i] * v.px[i] < 15 && v.py[i] * v.py[i] < 15;
    return lost;
}

int main(void)
{
    ground g = create_ground();
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 4096;
    def.ray_caster = (rico_ray_caster){.cast = cast, .user = &g};
    if (rico_world_create(&def, &world) != RICO_OK)
        return EXIT_FAILURE;
    rico_effect_id effect = rain_gravel(world);
    unsigned long bounces = 0;
    for (int frame = 0; frame < 240; ++frame) {
        rico_world_step(world, 1.0f / 60.0f);
        bounces += rico_world_get_stats(world).bounces;
    }
    int lost = count_lost(world, effect),
        alive = (int)rico_effect_particle_count(world, effect);
    printf("%d stones, %lu bounces, %d lost\n", alive, bounces, lost);
    rico_world_destroy(world);
    rtcReleaseScene(g.scene);
    rtcReleaseDevice(g.device);
    return 100 * lost <= alive && bounces > 500 ? EXIT_SUCCESS : EXIT_FAILURE;
}
