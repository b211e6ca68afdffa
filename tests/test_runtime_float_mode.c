/* Hosts that round in another way, flush denormals or trap on exceptions: the bits are the
 * same, no trap occurs, and the thread's mode is restored. */
#include "hostile_floats.h"
#include "runtime_fuzz.h"
#include "runtime_terrain.h"

#define EFFECTS 12

/* Everything a host passes in, computed beforehand, because test code computes in the same
 * mode, too. */
typedef struct gifts {
    terrain ground;
    rico_recipe recipes[RICO_COLLISION_MODE_COUNT];
    rico_transform places[EFFECTS];
} gifts;

static void prepare(gifts *g)
{
    terrain_build(&g->ground);
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe *r = &g->recipes[mode];
        *r = rico_recipe_default();
        r->mode = (rico_collision_mode)mode;
        r->rate = 60.0f;
        r->spread = 1.2f;
        r->drag = 0.1f;
        r->events = RICO_EVENT_BIT_COLLISION;
        r->particle_size.key_count = 2;
        r->particle_size.at[1] = 1.0f;
        r->forces[0] = rico_force_default();
        r->forces[0].kind = RICO_FORCE_TURBULENCE;
        r->forces[0].strength = 0.5f;
        if (mode == RICO_COLLIDE_FIXED) {
            r->plane_count = 1;
            r->planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
        }
    }
    for (int i = 0; i < EFFECTS; ++i)
        g->places[i] = at((float)(i % 4) * 2.0f - 3.0f, (float)(i / 4) * 2.0f - 2.0f, 1.7f);
}

static uint64_t bits_of(const gifts *g, rico__float_mode mode, uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    rico_recipe_id ids[RICO_COLLISION_MODE_COUNT];
    def.max_particles = 8192;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    rico__float_mode_set(mode);
    const rico_result created = rico_world_create(&def, &world);
    rico_collider_id ground =
        rico_world_add_mesh(world, &g->ground.mesh, RICO_TRANSFORM_IDENTITY);
    for (int k = 0; k < RICO_COLLISION_MODE_COUNT; ++k)
        ids[k] = rico_world_add_recipe(world, &g->recipes[k]);
    for (int i = 0; i < EFFECTS; ++i)
        rico_effect_spawn(world, ids[i % RICO_COLLISION_MODE_COUNT], g->places[i]);
    for (int i = 0; i < 90; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    const uint64_t bits = rico_world_hash(world);
    const rico__float_mode after = rico__float_mode_get();
    rico__float_mode_set(RICO__FLOAT_DEFAULT);
    CHECK_EQ(created, RICO_OK);
    CHECK(ground.index1 != 0);
    CHECK(after == mode);
    CHECK(rico_world_get_stats(world).particles > 500 &&
          rico_world_get_stats(world).bounces > 0);
    rico_world_destroy(world);
    return bits;
}

TEST(determinism, does_not_depend_on_how_the_host_s_threads_compute)
{
    gifts *g = malloc(sizeof *g);
    prepare(g);
    const uint64_t expected = bits_of(g, RICO__FLOAT_DEFAULT, 1);
    for (size_t m = 0; m < HOSTILE_MODES; ++m)
        for (uint32_t workers = 1; workers <= 2; ++workers)
            CHECK_MSG(bits_of(g, hostile_modes[m], workers) == expected, "mode %zu, %u workers",
                      m, workers);
    free(g);
}

/* Makes all kinds of calls. Here the test itself runs in that mode as well, so it keeps the
 * usual rounding. */
TEST(runtime, worlds_of_random_calls_are_the_same_where_denormals_are_flushed_and_faults_trap)
{
    static uint8_t bytes[3000];
    uint64_t state = 2026;
    for (uint32_t i = 0; i < (TEST_IS_SLOW ? 2u : 8u); ++i) {
        for (size_t k = 0; k < sizeof bytes; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(state >> 56);
        }
        const uint64_t usual = runtime_fuzz(bytes, sizeof bytes);
        rico__float_mode_set(RICO__FLOAT_DEFAULT ^ (FLUSHED | FAULTS_TRAP));
        const uint64_t bits = runtime_fuzz(bytes, sizeof bytes);
        rico__float_mode_set(RICO__FLOAT_DEFAULT);
        CHECK_MSG(bits == usual, "world %u", i);
    }
    runtime_fuzz(NULL, 0);
}
