/* A cache that is far too small for what particles see of the scene. */
#include "runtime_movers.h"

#include <ricochet/world_step.h>

typedef struct heard {
    uint32_t count;
    char text[400];
} heard;

static void hear(void *user, rico_log_level level, const char *text)
{
    heard *h = user;
    CHECK_EQ(level, RICO_LOG_WARNING);
    h->count += 1;
    snprintf(h->text, sizeof h->text, "%s", text);
}

/* Sparks all over a floor of 36 by 36 m, with a post every two metres. */
static rico_world *crowded_world(uint64_t cache_bytes, uint32_t workers, heard *h)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 8192;
    def.particle_bytes = 1 << 20;
    def.max_effects = def.max_recipes = 4;
    def.cache_bytes = cache_bytes;
    def.classic_cache_bytes = 64 << 10;
    def.worker_count = workers;
    def.log = (rico_log){hear, h};
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_box(world, 18.0f, 18.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    rico_shape_id post = add_box_shape(world, 0.1f, 0.1f, 2.0f);
    for (int i = 0; i < 18 * 18; ++i)
        place_shape(world, post,
                    at(2.0f * (float)(i % 18) - 17.0f, 2.0f * (float)(i / 18) - 17.0f, 0.0f));
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){17.0f, 17.0f, 0.5f};
    r.rate = 2000.0f;
    r.spread = 3.1f;
    r.lifetime = (rico_range){1.0f, 2.0f};
    r.max_particles = 4000;
    r.queries_per_frame = 600.0f;
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 1.5f))
              .index1 != 0);
    return world;
}

/* Reads the number of bytes that the message recommends. */
static uint64_t wanted(const heard *h)
{
    const char *takes = strstr(h->text, "it takes ");
    return takes != NULL ? strtoull(takes + strlen("it takes "), NULL, 10) : 0;
}

TEST(crowding, of_a_cache_is_told_once_with_what_it_takes)
{
    heard h = {0};
    rico_world *world = crowded_world(64 << 10, 1, &h);
    const rico_world_stats stats = rico_world_get_stats(world);
    CHECK(stats.cache_record_capacity < 400 && stats.plane_record_capacity > 1000);
    for (uint32_t k = 0; k < 300 && h.count == 0; ++k) {
        rico_world_step(world, DT);
        CHECK(k >= 59 || h.count == 0);
    }
    run_steps(world, 70);
    CHECK_MSG(h.count == 1 && strstr(h.text, "def.cache_bytes, which is 65536,") != NULL,
              "%u: %s", h.count, h.text);
    CHECK(rico_world_get_stats(world).cache_records < 400);
    CHECK_EQ(rico_world_get_stats(world).plane_records, 0);
    rico_world_destroy(world);
    const uint64_t enough = wanted(&h);
    CHECK_MSG(enough > 64 << 10, "%s", h.text);
    h.count = 0;
    world = crowded_world(enough, 1, &h);
    run_steps(world, 130);
    CHECK_MSG(h.count == 0, "%s", h.text);
    rico_world_destroy(world);
}

/* The second half of the step must log the warning, on the thread that calls it. */
TEST(crowding, is_told_of_steps_in_two_halves_too)
{
    heard h = {0};
    rico_world *world = crowded_world(64 << 10, 2, &h);
    for (uint32_t k = 0; k < 200 && h.count == 0; ++k) {
        rico_world_step_begin(world, DT);
        rico_world_step_end(world);
    }
    CHECK_EQ(h.count, 1);
    rico_world_destroy(world);
}
