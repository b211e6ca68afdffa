/* Worlds lend their workers to the scene's builds. */
#include "runtime_terrain.h"

#include "grid_bytes.h"
#include "scene_private.h"

enum { SIDE = 65 };

typedef struct hills {
    float positions[3 * SIDE * SIDE];
    uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
} hills;

static rico_mesh make_hills(hills *h)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < SIDE; ++y)
        for (uint32_t x = 0; x < SIDE; ++x) {
            float *p = &h->positions[3 * (y * SIDE + x)];
            p[0] = 0.25f * (float)x;
            p[1] = 0.25f * (float)y;
            p[2] = 0.01f * (float)((x * 7 + y * 13) % 19);
            if (x + 1 == SIDE || y + 1 == SIDE)
                continue;
            uint32_t a = y * SIDE + x;
            const uint32_t corners[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
            memcpy(&h->indices[count], corners, sizeof corners);
            count += 6;
        }
    return (rico_mesh){.positions = h->positions,
                       .vertex_count = SIDE * SIDE,
                       .indices = h->indices,
                       .triangle_count = count / 3};
}

static uint64_t jobs_run(const rico_world *world)
{
    uint64_t sum = 0;
    const rico_jobs *jobs = rico_world_jobs(world);
    for (uint32_t i = 0; i < rico_jobs_worker_count(jobs); ++i)
        sum += rico_jobs_worker_stats(jobs, i).jobs_run;
    return sum;
}

static rico_world *world_of_hills(uint32_t workers, const rico_mesh *mesh)
{
    rico_world *world = small_world(workers, false);
    CHECK_EQ(jobs_run(world), 0);
    CHECK(rico_world_add_mesh(world, mesh, at(0.0f, 0.0f, 0.0f)).index1 != 0);
    CHECK(rico_world_add_mesh(world, mesh, at(3.0f, 1.0f, 1.0f)).index1 != 0);
    CHECK_EQ(rico_world_merge(world), RICO_OK);
    CHECK_EQ(jobs_run(world) > 0, workers > 1);
    return world;
}

TEST(runtime, a_world_builds_the_same_scene_with_any_number_of_workers)
{
    static const uint32_t workers[] = {2, 3, 8};
    hills *h = malloc(sizeof *h);
    rico_mesh mesh = make_hills(h);
    rico_world *alone = world_of_hills(1, &mesh);
    for (int i = 0; i < 3; ++i) {
        rico_world *world = world_of_hills(workers[i], &mesh);
        CHECK(grids_same(&rico_world_scene(world)->merged.grid,
                         &rico_world_scene(alone)->merged.grid));
        rico_world_destroy(world);
    }
    rico_world_destroy(alone);
    free(h);
}
