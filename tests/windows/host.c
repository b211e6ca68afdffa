/* host.c - a host on Windows, for dll_test.sh: structs by value both ways, callbacks, fork and
 * join inline.
 *
 * It includes no header but the library's own, so that it compiles where only a compiler is
 * installed. The functions of the system that it calls are declared here.
 */
#include <ricochet/ricochet.h>

int printf(const char *format, ...);

static void say(void *user, rico_log_level level, const char *text)
{
    (void)user;
    printf("log %d: %s\n", (int)level, text);
}

static void count_one(rico_worker *worker, void *context)
{
    (void)worker;
    *(int *)context += 1;
}

static void fork_and_join(rico_worker *worker, void *context)
{
    rico_job job;
    rico_job_fork(worker, &job, count_one, context);
    rico_job_join(worker, &job);
}

static rico_world *make_world(rico_jobs *jobs)
{
    static const float corners[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    rico_mesh ground = {0};
    def.log.write = say;
    def.jobs = jobs;
    ground.positions = corners;
    ground.vertex_count = 4;
    ground.indices = triangles;
    ground.triangle_count = 2;
    if (rico_world_create(&def, &world) == RICO_OK)
        rico_world_add_mesh(world, &ground, RICO_TRANSFORM_IDENTITY);
    return world;
}

int main(void)
{
    rico_jobs_def jobs_def = rico_jobs_def_default();
    rico_jobs *jobs;
    int counted = 0;
    jobs_def.worker_count = 2;
    if (rico_jobs_create(&jobs_def, &jobs) != RICO_OK)
        return 1;
    rico_jobs_run(jobs, fork_and_join, &counted);
    rico_world *world = make_world(jobs);
    if (world == 0)
        return 1;
    rico_recipe sparks = rico_recipe_default();
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 1.5f;
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &sparks), where);
    for (int step = 0; step < 300; ++step)
        rico_world_step(world, 1.0f / 60.0f);
    rico_ray ray = {{0, 0, 3}, 10, {0, 0, -1}, 0};
    rico_hit hit;
    rico_scene_raycast_batch(rico_world_scene(world), 0, &ray, &hit, 1);
    printf("%u particles, hash %016llx, hit at %.3f m, %d job\n",
           rico_effect_particle_count(world, effect),
           (unsigned long long)rico_world_hash(world), (double)hit.t, counted);
    rico_world_destroy(world);
    rico_jobs_destroy(jobs);
    return 0;
}
