/* runtime_terrain.h - a small hilly world for tests of the runtime, and an allocator that
 * counts and can be told to fail. The terrain has quads of 0.5 m, with a table above it. */
#ifndef RICO_TERRAIN_H
#define RICO_TERRAIN_H

#include "testing.h"

#include <ricochet/ricochet.h>

#define TERRAIN_QUADS 40
#define TERRAIN_HALF 10.0f

static inline float terrain_height(float x, float y)
{
    return 0.4f * sinf(x * 0.7f) * cosf(y * 0.6f);
}

typedef struct terrain {
    float positions[3 * ((TERRAIN_QUADS + 1) * (TERRAIN_QUADS + 1) + 4)];
    uint32_t indices[3 * (2 * TERRAIN_QUADS * TERRAIN_QUADS + 2)];
    rico_mesh mesh;
} terrain;

static inline void terrain_build(terrain *t)
{
    const int row = TERRAIN_QUADS + 1;
    float *p = t->positions;
    for (int y = 0; y < row; ++y)
        for (int x = 0; x < row; ++x) {
            float px = (float)x * 0.5f - TERRAIN_HALF, py = (float)y * 0.5f - TERRAIN_HALF;
            *p++ = px;
            *p++ = py;
            *p++ = terrain_height(px, py);
        }
    const float table[12] = {-1, -1, 0.8f, 1, -1, 0.8f, 1, 1, 0.8f, -1, 1, 0.8f};
    memcpy(p, table, sizeof table);
    uint32_t *k = t->indices;
    for (int y = 0; y < TERRAIN_QUADS; ++y)
        for (int x = 0; x < TERRAIN_QUADS; ++x) {
            uint32_t a = (uint32_t)(y * row + x), c = a + (uint32_t)row;
            const uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
            memcpy(k, quad, sizeof quad);
            k += 6;
        }
    uint32_t first = (uint32_t)(row * row);
    const uint32_t top[6] = {first, first + 1, first + 2, first, first + 2, first + 3};
    memcpy(k, top, sizeof top);
    t->mesh = (rico_mesh){.positions = t->positions,
                          .vertex_count = first + 4,
                          .indices = t->indices,
                          .triangle_count = 2 * TERRAIN_QUADS * TERRAIN_QUADS + 2};
}

typedef struct counting_allocator {
    long live_bytes, live_blocks, calls;
    long fail_at; /* number of the call that gets no memory; -1 = none */
} counting_allocator;

static void *counting_allocate(void *user, size_t bytes, size_t alignment)
{
    counting_allocator *counter = user;
    if (counter->calls++ == counter->fail_at)
        return NULL;
    void *block = NULL;
    if (posix_memalign(&block, alignment < 8 ? 8 : alignment, bytes) != 0)
        return NULL;
    counter->live_bytes += (long)bytes;
    counter->live_blocks += 1;
    return block;
}

static void counting_release(void *user, void *block, size_t bytes, size_t alignment)
{
    counting_allocator *counter = user;
    (void)alignment;
    counter->live_bytes -= (long)bytes;
    counter->live_blocks -= 1;
    free(block);
}

static inline rico_allocator counting_hooks(counting_allocator *counter)
{
    *counter = (counting_allocator){.fail_at = -1};
    return (rico_allocator){counting_allocate, counting_release, counter};
}

/* A log that keeps the last message. */
typedef struct kept_log {
    char text[256];
    int errors, warnings;
} kept_log;

static void kept_log_write(void *user, rico_log_level level, const char *text)
{
    kept_log *log = user;
    snprintf(log->text, sizeof log->text, "%s", text);
    log->errors += level == RICO_LOG_ERROR;
    log->warnings += level == RICO_LOG_WARNING;
}

static inline rico_log kept_log_hook(kept_log *log)
{
    *log = (kept_log){.text = ""};
    return (rico_log){kept_log_write, log};
}

/* Definition of a small world that counts its memory and keeps its last message. */
static inline rico_world_def counted_def(counting_allocator *counter, kept_log *log)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.log = kept_log_hook(log);
    def.allocator = counting_hooks(counter);
    return def;
}

static inline rico_transform at(float x, float y, float z)
{
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    t.position = (rico_vec3){x, y, z};
    return t;
}

/* A small world, with the terrain if wanted. Effects have only their own share of queries, so
 * some of them lack queries. Failure to create it ends the test. It is small because creation
 * touches all memory, and the tests create about a thousand worlds. */
static inline void add_terrain(rico_world *world)
{
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    CHECK(rico_world_add_mesh(world, &t->mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    free(t);
}

static inline rico_world *small_world(uint32_t workers, bool with_terrain)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 16384;
    def.particle_bytes = with_terrain ? 2 << 20 : 512 << 10;
    def.max_effects = 256;
    def.max_events = 2048;
    def.shared_queries_per_frame = 0;
    def.cache_bytes = with_terrain ? 4 << 20 : 256 << 10;
    def.classic_cache_bytes = with_terrain ? 1 << 20 : 64 << 10;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    if (with_terrain)
        add_terrain(world);
    return world;
}

static inline void run_steps(rico_world *world, int steps)
{
    for (int i = 0; i < steps; ++i)
        rico_world_step(world, 1.0f / 60.0f);
}

#endif
