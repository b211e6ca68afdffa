/* A step in two halves is the same as a whole step, on any pool, and the world is busy between
 * the halves. */
#include "runtime_refused.h"

#include "atomics.h"

#include <ricochet/tasks.h>
#include <ricochet/world_step.h>

#include <sched.h>
#include <time.h>

/* Adds effects of all modes, with events and prewarm. */
static void add_effects(rico_world *world)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe recipe = rico_recipe_default();
        recipe.mode = (rico_collision_mode)mode;
        recipe.rate = 60.0f;
        recipe.spread = 1.2f;
        recipe.duration = 1.0f;
        recipe.loops = true;
        recipe.prewarm = 0.2f;
        recipe.queries_per_frame = 2.0f;
        recipe.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
        rico_recipe_id id = rico_world_add_recipe(world, &recipe);
        CHECK(id.index1 != 0);
        for (int i = 0; i < 8; ++i)
            CHECK(rico_effect_spawn(world, id,
                                    at((float)(i % 4) * 3.0f - 5.0f + (float)mode * 0.3f,
                                       (float)(i / 4) * 3.0f - 4.0f, 1.5f))
                      .index1 != 0);
    }
}

/* Mixes the world's state, events and ended effects into the hash. */
static uint64_t look(const rico_world *world, uint64_t hash)
{
    uint32_t count;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        hash = hash * 31 + events[i].particle + (uint64_t)(events[i].time * 1.0e6f);
    rico_world_ended(world, &count);
    return (hash * 31 + count) * 31 + rico_world_hash(world);
}

static rico_world *world_on(rico_jobs *jobs, uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 8192;
    def.max_effects = 64;
    def.max_events = 2048;
    def.cache_bytes = 1 << 20;
    def.worker_count = workers;
    def.jobs = jobs;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    add_effects(world);
    rico_world_step(world, 0.0f); /* makes what is made once */
    return world;
}

#define STEPS 30

static uint64_t by_whole_steps(void)
{
    rico_world *world = world_on(NULL, 1);
    uint64_t hash = 0;
    for (int i = 0; i < STEPS; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        hash = look(world, hash);
    }
    CHECK(rico_world_get_stats(world).particles > 500);
    rico_world_destroy(world);
    return hash;
}

static uint64_t by_halves(rico_jobs *jobs, uint32_t workers)
{
    rico_world *world = world_on(jobs, workers);
    uint64_t hash = 0;
    uint64_t allocations = rico_world_get_stats(world).allocations;
    for (int i = 0; i < STEPS; ++i) {
        rico_world_step_begin(world, 1.0f / 60.0f);
        for (int n = 0; i % 3 == 1 && n < i; ++n)
            sched_yield();
        rico_world_step_end(world);
        hash = look(world, hash);
    }
    CHECK_EQ(rico_world_get_stats(world).allocations, allocations);
    rico_world_destroy(world);
    return hash;
}

TEST(step_halves, are_the_step_for_any_number_of_workers)
{
    const uint64_t expected = by_whole_steps();
    for (uint32_t workers = 1; workers <= 4; workers *= 2)
        CHECK_MSG(by_halves(NULL, workers) == expected, "differs with %u workers", workers);
}

/* A host whose jobs run when the library waits for them. */
typedef struct late_host {
    void (*fn[4])(void *context);
    void *context[4];
    uint32_t count;
} late_host;

static void *late_enqueue(void *user, void (*fn)(void *context), void *context)
{
    late_host *host = user;
    host->fn[host->count] = fn;
    host->context[host->count] = context;
    return &host->fn[host->count++];
}

static void late_finish(void *user, void *handle)
{
    late_host *host = user;
    size_t k = (size_t)((void (**)(void *))handle - host->fn);
    host->fn[k](host->context[k]);
    host->count -= k + 1 == host->count;
}

TEST(step_halves, are_the_step_on_the_jobs_of_a_host)
{
    late_host host = {.count = 0};
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    def.worker_count = 3;
    def.host = (rico_host_jobs){late_enqueue, late_finish, &host};
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK(by_halves(jobs, 0) == by_whole_steps());
    rico_jobs_destroy(jobs);
}

TEST(step_halves, of_two_worlds_share_a_pool)
{
    const uint64_t expected = by_whole_steps();
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    def.worker_count = 3;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    rico_world *worlds[3];
    uint64_t hashes[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        worlds[k] = world_on(jobs, 0);
    for (int i = 0; i < STEPS; ++i) {
        rico_world_step_begin(worlds[0], 1.0f / 60.0f);
        rico_world_step_begin(worlds[1], 1.0f / 60.0f);
        rico_world_step(worlds[2], 1.0f / 60.0f);
        rico_world_step_end(worlds[i % 2]);
        rico_world_step_end(worlds[1 - i % 2]);
        for (int k = 0; k < 3; ++k)
            hashes[k] = look(worlds[k], hashes[k]);
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_EQ(hashes[k], expected);
        rico_world_destroy(worlds[k]);
    }
    rico_jobs_destroy(jobs);
}

TEST(step_halves, have_a_busy_world_between_them)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_recipe_id id = add_small_recipe(world);
    rico_effect_id effect = lone_effect(world, id);
    CHECK(rico_world_step_is_over(world));
    rico_world_step_begin(world, 1.0f / 60.0f);
    CHECK(!rico_world_step_is_over(world)); /* no other worker can do it */
    CHECK_EQ(rico_effect_destroy(world, effect), RICO_BUSY);
    CHECK_EQ(rico_effect_spawn(world, id, at(0.0f, 0.0f, 1.0f)).index1, 0);
    rico_world_step_end(world);
    CHECK(rico_world_step_is_over(world));
    CHECK_EQ(rico_effect_destroy(world, effect), RICO_OK);
    rico_world_destroy(world);
}

/* Edits make the step gather again, on its workers, while the host makes calls. ThreadSanitizer
 * sees whether the flag that these calls read is written meanwhile. */
TEST(step_halves, refuse_calls_at_any_time_between_them)
{
    rico_world *world = world_on(NULL, 2);
    const rico_effect_id effect = {1, 1};
    rico_shape_def ball = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    ball.kind = RICO_SHAPE_SPHERE;
    ball.radius = 1.0f;
    CHECK_EQ(rico_world_add_shape(world, &ball, NULL, &def.shape), RICO_OK);
    for (int i = 0; i < 10; ++i) {
        def.motion.transform.position.x = 0.5f * (float)i - 5.0f;
        CHECK(rico_world_add_collider(world, &def).index1 != 0);
        rico_world_step_begin(world, 1.0f / 60.0f);
        CHECK_EQ(rico_effect_set_time_scale(world, effect, 1.0f), RICO_BUSY);
        while (!rico_world_step_is_over(world))
            sched_yield();
        CHECK_EQ(rico_effect_bake(world, effect, 1.0f, NULL), RICO_BUSY);
        rico_world_step_end(world);
    }
    rico_world_destroy(world);
}

TEST(step_halves, run_by_themselves_on_other_workers)
{
    rico_world *world = world_on(NULL, 2);
    for (int i = 0; i < 10; ++i) {
        rico_world_step_begin(world, 1.0f / 60.0f);
        for (long n = 0; !rico_world_step_is_over(world); ++n) {
            CHECK_MSG(n < 100000000, "no worker has come");
            sched_yield();
        }
        rico_world_step_end(world);
    }
    rico_world_destroy(world);
}

typedef struct frame {
    rico__atomic32 begun, over;
    bool in_vain;
} frame;

static void wait_for_the_frame_s_end(rico_worker *worker, void *context)
{
    frame *f = context;
    (void)worker;
    rico__atomic_store32(&f->begun, 1);
    for (int ms = 0; rico__atomic_load32(&f->over) == 0 && !f->in_vain; ++ms) {
        const struct timespec a_ms = {.tv_nsec = 1000000};
        nanosleep(&a_ms, NULL);
        f->in_vain = ms == 5000;
    }
}

/* The host's task on the only other worker waits for what comes after the step. So the thread
 * that ends the step must do it alone. */
TEST(step_halves, are_done_by_who_ends_them_while_all_other_workers_are_busy)
{
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    def.worker_count = 2;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    rico_world *world = world_on(jobs, 0), *whole = world_on(NULL, 1);
    for (int i = 0; i < 5; ++i) {
        frame f = {.in_vain = false};
        rico_counter done;
        rico_counter_init(&done, 1);
        rico_task task = {.fn = wait_for_the_frame_s_end, .context = &f, .counter = &done};
        rico_jobs_submit(jobs, &task);
        while (rico__atomic_load32(&f.begun) == 0)
            sched_yield();
        rico_world_step_begin(world, 1.0f / 60.0f);
        rico_world_step_end(world);
        rico__atomic_store32(&f.over, 1);
        rico_jobs_wait(jobs, &done);
        CHECK(!f.in_vain);
        rico_world_step(whole, 1.0f / 60.0f);
        CHECK(rico_world_hash(world) == rico_world_hash(whole));
    }
    rico_world_destroy(world);
    rico_world_destroy(whole);
    rico_jobs_destroy(jobs);
}

static int misuses;

static void count_misuse(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    misuses += 1;
}

TEST(step_halves, that_do_not_belong_together_are_misuse)
{
    rico_world *world = world_on(NULL, 1);
    const uint64_t hash = rico_world_hash(world);
    misuses = 0;
    rico_assert_set_handler(count_misuse);
    rico_world_step_end(world);
    CHECK_EQ(misuses, 1);
    rico_world_step_begin(world, -1.0f);
    CHECK_EQ(misuses, 2);
    CHECK(rico_world_hash(world) == hash);
    rico_world_step_begin(world, 1.0f / 60.0f);
    rico_world_step_begin(world, 1.0f / 60.0f);
    CHECK_EQ(misuses, 3);
    rico_world_step(world, 1.0f / 60.0f);
    CHECK_EQ(misuses, 4);
    rico_world_destroy(world);
    CHECK_EQ(misuses, 5);
    rico_world_step_end(world);
    CHECK_EQ(misuses, 5);
    rico_assert_set_handler(NULL);
    CHECK(rico_world_hash(world) != hash);
    rico_world_destroy(world);
}

/* A frame that was measured across a breakpoint, and a clock that overflowed. */
TEST(step, of_more_than_a_second_counts_as_a_second_and_says_so_once)
{
    const float too_long[] = {1.001f, 90.0f, INFINITY};
    for (int halves = 0; halves < 2; ++halves) {
        kept_log log, none;
        rico_world *world = heard_world(&log), *whole = heard_world(&none);
        lone_effect(world, add_small_recipe(world));
        lone_effect(whole, add_small_recipe(whole));
        rico_world_step(world, 1.0f);
        rico_world_step(whole, 1.0f);
        CHECK(log.text[0] == 0);
        for (int i = 0; i < 3; ++i) {
            if (halves) {
                rico_world_step_begin(world, too_long[i]);
                rico_world_step_end(world);
            } else {
                rico_world_step(world, too_long[i]);
            }
            rico_world_step(whole, 1.0f);
            CHECK(rico_world_hash(world) == rico_world_hash(whole));
            CHECK((strstr(log.text, "dt is 1.001 s; it counts as 1 s") != NULL) == (i == 0));
            log.text[0] = '\0';
        }
        CHECK(none.text[0] == 0);
        rico_world_destroy(world);
        rico_world_destroy(whole);
    }
}
