/* Mode cached on the host's rays, over ground that bends everywhere. */
#include "runtime_host.h"

#define QUADS 96
#define QUAD 0.125f
#define HALF (0.5f * (float)QUADS * QUAD)

/* Bumps of 30 cm from bottom to top, with tops a metre apart. */
static float bump_height(float x, float y)
{
    return 0.15f * sinf(3.1415927f * x) * sinf(3.1415927f * y);
}

static host bumpy_host(host_kind kind)
{
    const uint32_t row = QUADS + 1;
    float *positions = malloc(3 * row * row * sizeof *positions), *p = positions;
    uint32_t *indices = malloc(6 * QUADS * QUADS * sizeof *indices), *k = indices;
    for (uint32_t y = 0; y < row; ++y)
        for (uint32_t x = 0; x < row; ++x) {
            *p++ = (float)x * QUAD - HALF;
            *p++ = (float)y * QUAD - HALF;
            *p = bump_height(p[-2], p[-1]);
            ++p;
        }
    for (uint32_t y = 0; y < QUADS; ++y)
        for (uint32_t x = 0; x < QUADS; ++x) {
            const uint32_t a = y * row + x, c = a + row;
            const uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
            memcpy(k, quad, sizeof quad);
            k += 6;
        }
    host h = host_of(&(rico_mesh){.positions = positions,
                                  .vertex_count = row * row,
                                  .indices = indices,
                                  .triangle_count = 2 * QUADS * QUADS},
                     kind);
    free(positions);
    free(indices);
    return h;
}

static rico_recipe bump_recipe(void)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_CACHED;
    recipe.rate = 40.0f;
    recipe.spread = 1.2f;
    recipe.speed = (rico_range){2.0f, 4.0f};
    recipe.lifetime = (rico_range){2.0f, 3.0f};
    recipe.queries_per_frame = 100.0f;
    return recipe;
}

/* Counts particles so far below the ground that they do not come back. */
static uint32_t count_lost(const rico_world *world, const rico_effect_id *effects, int count)
{
    uint32_t lost = 0;
    for (int i = 0; i < count; ++i) {
        rico_view v = rico_effect_view(world, effects[i]);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                lost += fabsf(v.px[k]) < HALF && fabsf(v.py[k]) < HALF &&
                        v.pz[k] < bump_height(v.px[k], v.py[k]) - 0.1f;
    }
    return lost;
}

static void check_none_is_lost(const char *what, const rico_recipe *recipe, host_kind kind)
{
    host h = bumpy_host(kind);
    rico_world *world = world_on(kind == HOST_LAZY ? one_frame_later(&h) : at_once(&h), 2);
    rico_recipe_id id = rico_world_add_recipe(world, recipe);
    rico_effect_id effects[8];
    for (int i = 0; i < 8; ++i)
        effects[i] = rico_effect_spawn(
            world, id, at(0.37f * (float)i - 1.2f, 0.61f * (float)(i % 3) - 0.5f, 1.0f));
    uint32_t born = 0, lost = 0;
    for (int step = 0; step < 300; ++step) {
        run_steps(world, 1);
        born += rico_world_get_stats(world).births;
        if (step % 10 == 9) /* in a tenth of a second none falls far */
            lost += count_lost(world, effects, 8);
    }
    CHECK(born > 1000);
    CHECK_MSG(lost == 0, "%s: %u times below the ground, %u born", what, lost, born);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, keep_particles_of_any_size_above_ground_that_bends)
{
    const float radii[] = {0.0f, 0.005f, 0.01f, 0.05f, 0.2f};
    for (int i = 0; i < 5; ++i) {
        rico_recipe recipe = bump_recipe();
        recipe.radius = radii[i];
        check_none_is_lost("a radius", &recipe, HOST_PLAIN);
    }
    rico_recipe small = bump_recipe();
    small.radius = 0.002f;
    check_none_is_lost("a small one, a frame later", &small, HOST_LAZY);
}

/* Friction slows particles down, and the slope turns them. */
TEST(host_rays, keep_who_slides_above_ground_that_bends_whatever_its_friction)
{
    const float frictions[] = {0.0f, 0.05f, 0.2f, 0.6f};
    for (int i = 0; i < 4; ++i) {
        rico_recipe recipe = bump_recipe();
        recipe.restitution = 0.0f;
        recipe.friction = frictions[i];
        check_none_is_lost("a friction", &recipe, HOST_PLAIN);
    }
}

/* A particle that leaves its plane is given another particle's plane, which it is not on. */
TEST(host_rays, keep_who_is_blown_about_above_ground_that_bends)
{
    rico_recipe recipe = bump_recipe();
    recipe.forces[0] = (rico_force){.kind = RICO_FORCE_TURBULENCE,
                                    .strength = 5.0f,
                                    .scale = 1.0f,
                                    .axis = {0.0f, 0.0f, 1.0f}};
    check_none_is_lost("turbulence", &recipe, HOST_PLAIN);
}
