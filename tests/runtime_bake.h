/* runtime_bake.h - small worlds for tests that bake, save, load and draw caches. */
#ifndef RICO_TESTS_RUNTIME_BAKE_H
#define RICO_TESTS_RUNTIME_BAKE_H

#include "runtime_terrain.h"

#include "hash.h"
#include "state.h"

#define SMALL_CACHE ((uint64_t)256 << 10)

typedef struct bytes {
    unsigned char *data;
    size_t count, capacity, most; /* the writer fails beyond this many bytes; 0 = no limit */
} bytes;

static inline bool keep(void *user, const void *data, size_t count)
{
    bytes *b = user;
    if (b->most != 0 && b->count + count > b->most)
        return false;
    if (b->count + count > b->capacity) {
        b->capacity = 2 * (b->count + count);
        b->data = realloc(b->data, b->capacity);
    }
    memcpy(b->data + b->count, data, count);
    b->count += count;
    return true;
}

static inline bytes saved(rico_world *world)
{
    bytes b = {0};
    CHECK_EQ(rico_world_save_cache(world, keep, &b), RICO_OK);
    return b;
}

/* The last message that a world logged. */
static char reason[256];

static inline void hear(void *user, rico_log_level level, const char *text)
{
    (void)user, (void)level;
    snprintf(reason, sizeof reason, "%s", text);
}

/* A world with one quad (two triangles) at a given height, whose saved cache is a small file. */
static inline rico_world *plain_world(uint32_t workers, float height, float cell_size,
                                      uint64_t cache)
{
    const float positions[] = {-1.3f, -1.3f, height, 1.4f,  -1.3f, height,
                               1.4f,  1.4f,  height, -1.3f, 1.4f,  height};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.max_effects = 16;
    def.max_events = 16;
    def.classic_cache_bytes = 64 << 10;
    def.queries_per_frame = 16;
    def.cache_bytes = cache;
    def.cell_size = cell_size;
    def.worker_count = workers;
    def.log.write = hear;
    rico_world *world = NULL;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    return world;
}

static inline void add_fountains(rico_world *world, float queries)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.burst_count = 40;
    recipe.burst_interval = 0.4f;
    recipe.queries_per_frame = queries;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    for (int i = 0; i < 9; ++i)
        CHECK(
            rico_effect_spawn(
                world, id, at((float)(i % 3) * 4.0f - 4.0f, (float)(i / 3) * 4.0f - 4.0f, 2.0f))
                .index1 != 0);
}

static inline bytes small_file(void)
{
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    rico_box box = {{-0.6f, -0.6f, 0.0f}, {0.6f, 0.6f, 1.0f}};
    CHECK_EQ(rico_world_bake(world, &box, NULL), RICO_OK);
    bytes b = saved(world);
    rico_world_destroy(world);
    CHECK(b.count > 500 && b.count < 4000);
    return b;
}

static inline void set_word(bytes *b, size_t at, uint32_t word)
{
    memcpy(b->data + at, &word, sizeof word);
}

/* Writes the right checksum at the end, as in a forged file. */
static inline void seal(bytes *b)
{
    rico__hash hash;
    rico__hash_init(&hash, 0x01020304u);
    for (size_t at = 0; at + 8 < b->count; at += 4) {
        uint32_t word;
        memcpy(&word, b->data + at, sizeof word);
        rico__hash_u32(&hash, word);
    }
    uint64_t value = rico__hash_value(&hash);
    memcpy(b->data + b->count - 8, &value, sizeof value);
}

#endif
