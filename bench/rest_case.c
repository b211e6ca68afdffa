#include "rest_case.h"

#include "machine.h"
#include <ricochet/world.h>

#define DT (1.0f / 60.0f)
#define HALF_FLOOR 200.0f /* metres */
#define APART 0.5f        /* metres between effects; they stand in rows of ROW effects */
#define ROW 600u
#define PATIENCE 600u /* steps */

static bool add_floor(rico_world *world)
{
    const float h = HALF_FLOOR;
    const float corners[] = {-h, -h, 0.0f, h, -h, 0.0f, h, h, 0.0f, -h, h, 0.0f};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh floor = {
        .positions = corners, .vertex_count = 4, .indices = triangles, .triangle_count = 2};
    return rico_world_add_mesh(world, &floor, RICO_TRANSFORM_IDENTITY).index1 != 0;
}

static rico_recipe debris(uint32_t count)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = count;
    r.duration = 0.1f;
    r.loops = 1;
    r.max_particles = count;
    r.lifetime = (rico_range){500.0f, 1000.0f};
    r.speed = (rico_range){0.1f, 0.5f};
    r.restitution = 0.1f;
    return r;
}

static bool start(rico_world *world, uint32_t effects, uint32_t particles_each)
{
    const rico_recipe recipe = debris(particles_each);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 0.1f;
    for (uint32_t i = 0; i < effects; ++i) {
        where.position.x = ((float)(i % ROW) - 0.5f * (float)ROW) * APART;
        where.position.y = ((float)(i / ROW) - 0.5f * (float)(effects / ROW)) * APART;
        if (rico_effect_spawn(world, id, where).index1 == 0)
            return false;
    }
    return true;
}

/* Steps until all effects sleep. */
static const char *come_to_rest(rico_world *world, uint32_t effects, uint32_t particles)
{
    for (uint32_t i = 0; i < PATIENCE; ++i) {
        rico_world_step(world, DT);
        const rico_world_stats stats = rico_world_get_stats(world);
        if (stats.particles != particles)
            return "particles are missing";
        if (stats.sleeping == particles && stats.sleeping_effects == effects)
            return NULL;
    }
    return "effects did not come to rest";
}

bool rest_case_measure(uint32_t effects, uint32_t particles_each, uint32_t threads, double *ns,
                       uint32_t steps, const char **why)
{
    const uint32_t particles = effects * particles_each;
    rico_world_def def = rico_world_def_default();
    def.max_particles = particles;
    def.max_effects = effects;
    def.worker_count = threads;
    /* Otherwise one of a million particles might fall through while few cells are known. */
    def.queries_per_frame = 65536;
    rico_world *world = NULL;
    *why = "the world could not be created";
    if (rico_world_create(&def, &world) == RICO_OK && add_floor(world) &&
        start(world, effects, particles_each))
        *why = come_to_rest(world, effects, particles);
    for (uint32_t i = 0; *why == NULL && i < steps; ++i) {
        uint64_t begin = machine_clock_ns();
        rico_world_step(world, DT);
        ns[i] = (double)(machine_clock_ns() - begin);
        if (rico_world_get_stats(world).sleeping != particles)
            *why = "a particle woke up";
    }
    rico_world_destroy(world);
    return *why == NULL;
}
