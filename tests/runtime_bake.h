/* runtime_bake.h - small worlds whose caches are baked, saved and drawn, for tests. */
#ifndef RICO_TESTS_RUNTIME_BAKE_H
#define RICO_TESTS_RUNTIME_BAKE_H

#include "runtime_terrain.h"

#include "state.h"

#define SMALL_CACHE ((uint64_t)256 << 10)

typedef struct bytes {
    unsigned char *data;
    size_t count, capacity, most; /* most: the writer gives up beyond; 0 = never */
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

/* The last message. */
static char reason[256];

static inline void hear(void *user, rico_log_level level, const char *text)
{
    (void)user, (void)level;
    snprintf(reason, sizeof reason, "%s", text);
}

/* Two triangles at a height: a small file. */
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

#endif
