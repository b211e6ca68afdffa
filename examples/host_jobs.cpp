/* host_jobs - particles on the host's own job system, here oneTBB's arena.
 *
 * A host that has threads already gives Ricochet none: two functions run and finish jobs of the pool.
 * Sparks fall on a floor; the same world steps on a pool of its own, too, and both must give the same
 * bits. Prints how often the host was asked; fails when the worlds differ. */
#include <cstdio>
#include <cstdlib>
#include <ricochet/ricochet.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace
{

/* --- What a host writes ------------------------------------------------------------------- */

struct host {
    tbb::task_arena arena{4};
    unsigned long asked = 0;
};

void *enqueue(void *user, void (*fn)(void *), void *context)
{
    auto *h = static_cast<host *>(user);
    auto *group = new tbb::task_group;
    h->asked += 1; /* one thread at a time calls this: the one that steps the world */
    h->arena.execute([&] { group->run([=] { fn(context); }); });
    return group;
}

/* A thread that waits in an arena works in it, too. */
void finish(void *user, void *handle)
{
    auto *group = static_cast<tbb::task_group *>(handle);
    static_cast<host *>(user)->arena.execute([=] { group->wait(); });
    delete group;
}

/* --- The rest is like in any other world -------------------------------------------------- */

rico_jobs *create_jobs(host *h)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 4;
    if (h) {
        def.host.enqueue = enqueue;
        def.host.finish = finish;
        def.host.user = h;
    }
    rico_jobs *jobs;
    if (rico_jobs_create(&def, &jobs) != RICO_OK)
        std::exit(EXIT_FAILURE);
    return jobs;
}

rico_world *create_world(rico_jobs *jobs)
{
    static const float corners[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    rico_mesh ground = {};
    ground.positions = corners;
    ground.vertex_count = 4;
    ground.indices = triangles;
    ground.triangle_count = 2;
    rico_world_def def = rico_world_def_default();
    def.jobs = jobs;
    rico_world *world;
    if (rico_world_create(&def, &world) != RICO_OK)
        std::exit(EXIT_FAILURE);
    rico_world_add_mesh(world, &ground, RICO_TRANSFORM_IDENTITY);
    rico_recipe sparks = rico_recipe_default();
    sparks.rate = 400;
    rico_recipe_id recipe = rico_world_add_recipe(world, &sparks);
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 1.5f;
    for (int i = 0; i < 60; ++i) {
        where.position.x = static_cast<float>(i % 8) - 4.0f;
        rico_effect_spawn(world, recipe, where);
    }
    return world;
}

} // namespace

int main()
{
    host h;
    rico_jobs *hosted = create_jobs(&h), *own = create_jobs(nullptr);
    rico_world *a = create_world(hosted), *b = create_world(own);
    bool same = true;
    for (int frame = 0; frame < 200; ++frame) {
        rico_world_step(a, 1.0f / 60.0f);
        rico_world_step(b, 1.0f / 60.0f);
        same = same && rico_world_hash(a) == rico_world_hash(b);
    }
    rico_world_stats stats = rico_world_get_stats(a);
    std::printf("%u sparks, the host was asked %lu times, %s bits as on an own pool\n",
                stats.particles, h.asked, same ? "the same" : "other");
    rico_world_destroy(a);
    rico_world_destroy(b);
    rico_jobs_destroy(hosted);
    rico_jobs_destroy(own);
    return same && h.asked > 0 && stats.particles > 10000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
