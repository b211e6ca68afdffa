/* Edits are refused with a message while a step runs, while a cache is saved or drawn, and in
 * hooks. */
#include "runtime_refused.h"

#include "state.h"

#include <ricochet/output.h>
#include <ricochet/world_cache.h>
#include <ricochet/world_commands.h>
#include <ricochet/world_detail.h>
#include <ricochet/world_fields.h>

typedef struct busy {
    rico_world *world;
    rico_recipe recipe;
    rico_recipe_id recipe_id;
    rico_effect_id effect;
    rico_output *output;
    kept_log log;
} busy;

static void begin(busy *b)
{
    b->world = heard_world(&b->log);
    b->recipe = rico_recipe_default();
    b->recipe.max_particles = 10;
    b->recipe_id = rico_world_add_recipe(b->world, &b->recipe);
    b->effect = rico_effect_spawn(b->world, b->recipe_id, at(0.0f, 0.0f, 0.0f));
    rico_output_def def = rico_output_def_default();
    def.capacity = 16;
    static _Alignas(64) rico_billboard memory[2][64];
    def.memory[0] = memory[0];
    def.memory[1] = memory[1];
    CHECK_EQ(rico_output_create(b->world, &def, &b->output), RICO_OK);
    b->world->busy = true;
}

static void end(busy *b)
{
    b->world->busy = false;
    rico_output_destroy(b->output);
    rico_world_destroy(b->world);
}

/* Checks the call's result, the world's last result, and that one message names the call. */
#define BUSY(name, call)                                                                       \
    do {                                                                                       \
        b.log = (kept_log){.text = ""};                                                        \
        CHECK_EQ(call, RICO_BUSY);                                                             \
        CHECK_EQ(rico_world_last_result(b.world), RICO_BUSY);                                  \
        CHECK_EQ(b.log.errors, 1);                                                             \
        CHECK_MSG(strstr(b.log.text, name ": not while a step runs") != NULL, "'%s', not %s",  \
                  b.log.text, name);                                                           \
    } while (0)
#define LAST(call) ((call).index1 == 0 ? rico_world_last_result(b.world) : RICO_OK)

TEST(busy, worlds_tell_who_changes_effects_and_recipes)
{
    busy b;
    begin(&b);
    rico_field_def field = rico_field_def_default();
    rico_effect_def spawned = rico_effect_def_default();
    rico_transform here = at(0.0f, 0.0f, 0.0f);
    BUSY("rico_world_add_recipe", LAST(rico_world_add_recipe(b.world, &b.recipe)));
    BUSY("rico_world_change_recipe", rico_world_change_recipe(b.world, b.recipe_id, &b.recipe));
    BUSY("rico_world_remove_recipe", rico_world_remove_recipe(b.world, b.recipe_id));
    BUSY("rico_effect_spawn", LAST(rico_effect_spawn(b.world, b.recipe_id, here)));
    BUSY("rico_effect_spawn", LAST(rico_effect_spawn_def(b.world, b.recipe_id, &spawned)));
    rico_effect_id none;
    BUSY("rico_effect_spawn", rico_effect_spawn_all(b.world, &b.recipe_id, &spawned, 1, &none));
    BUSY("rico_effect_move", rico_effect_move(b.world, b.effect, here));
    BUSY("rico_effect_teleport", rico_effect_teleport(b.world, b.effect, here));
    BUSY("rico_effect_stop", rico_effect_stop(b.world, b.effect));
    BUSY("rico_effect_seek", rico_effect_seek(b.world, b.effect, 1.0f, 0.1f));
    BUSY("rico_effect_destroy", rico_effect_destroy(b.world, b.effect));
    BUSY("rico_world_add_field", LAST(rico_world_add_field(b.world, &field)));
    BUSY("rico_world_set_viewers", rico_world_set_viewers(b.world, NULL, 0));
    end(&b);
}

TEST(busy, worlds_tell_who_changes_what_particles_meet_or_reads_them)
{
    busy b;
    begin(&b);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_mesh mesh = {0};
    rico_shape_id shape_id;
    rico_output *output;
    rico_output_def def = rico_output_def_default();
    rico_output_frame frame;
    rico_transform here = at(0.0f, 0.0f, 0.0f);
    BUSY("rico_world_add_mesh", LAST(rico_world_add_mesh(b.world, &mesh, here)));
    BUSY("rico_world_add_shape", rico_world_add_shape(b.world, &shape, NULL, &shape_id));
    BUSY("rico_world_add_collider", LAST(rico_world_add_collider(b.world, &collider)));
    BUSY("rico_world_set_layers", rico_world_set_layers(b.world, (rico_collider_id){1, 1}, 2));
    BUSY("rico_world_remove_collider",
         rico_world_remove_collider(b.world, (rico_collider_id){1, 1}));
    BUSY("rico_world_move_colliders", rico_world_move_colliders(b.world, NULL, NULL, 0));
    BUSY("rico_world_merge", rico_world_merge(b.world));
    BUSY("rico_world_set_surface", rico_world_set_surface(b.world, 1, 1.0f, 1.0f));
    BUSY("rico_world_shift_origin", rico_world_shift_origin(b.world, (rico_vec3){1, 0, 0}));
    BUSY("rico_world_bake", rico_world_bake(b.world, NULL, NULL));
    BUSY("rico_effect_bake", rico_effect_bake(b.world, b.effect, 1.0f, NULL));
    BUSY("rico_effect_bake", /* nor does it check whether the effect exists */
         rico_effect_bake(b.world, (rico_effect_id){b.effect.index1, 99}, 1.0f, NULL));
    BUSY("rico_world_load_cache", rico_world_load_cache(b.world, "", 1));
    BUSY("rico_world_ray_caster_changed", rico_world_ray_caster_changed(b.world));
    BUSY("rico_output_create", rico_output_create(b.world, &def, &output));
    BUSY("rico_output_write", rico_output_write(b.output, &b.effect, 1, NULL, &frame));
    end(&b);
}

/* --- On the host's jobs --------------------------------------------------------------------- */

/* A host's job pool with one thread. A job runs when the library waits for its end, and so does
 * other work of the host, which tries to edit the world. */
typedef struct engine {
    rico_world *world;
    rico_effect_id effect;
    rico_output *output;
    void (*fn)(void *context);
    void *context;
    uint32_t tried, refused;
    bool meddles;
} engine;

static void *keep_job(void *user, void (*fn)(void *context), void *context)
{
    engine *e = user;
    e->fn = fn;
    e->context = context;
    return e;
}

static void do_other_things_and_the_job(void *user, void *handle)
{
    engine *e = user;
    (void)handle;
    e->fn(e->context);
    if (!e->meddles)
        return;
    e->tried += 1;
    e->refused += rico_effect_destroy(e->world, e->effect) == RICO_BUSY &&
                  rico_world_remove_collider(e->world, (rico_collider_id){1, 1}) == RICO_BUSY;
}

static rico_jobs *engine_jobs(engine *e)
{
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    def.worker_count = 2;
    def.host = (rico_host_jobs){keep_job, do_other_things_and_the_job, e};
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static rico_world *engine_world(engine *e, rico_jobs *jobs)
{
    static _Alignas(64) rico_billboard memory[2][64];
    rico_world_def def = rico_world_def_default();
    rico_output_def out = rico_output_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = 100;
    def.jobs = jobs;
    CHECK_EQ(rico_world_create(&def, &e->world), RICO_OK);
    rico_recipe recipe = rico_recipe_default();
    e->effect = rico_effect_spawn(e->world, rico_world_add_recipe(e->world, &recipe),
                                  at(0.0f, 0.0f, 1.0f));
    out.capacity = 64;
    out.memory[0] = memory[0];
    out.memory[1] = memory[1];
    CHECK_EQ(rico_output_create(e->world, &out, &e->output), RICO_OK);
    for (int i = 0; i < 20; ++i)
        rico_world_step(e->world, 1.0f / 60.0f);
    return e->world;
}

/* Every call that runs on workers must end as if no job of the host had tried to edit. */
TEST(busy, a_job_of_the_hosts_changes_nothing_while_a_call_takes_workers)
{
    engine e = {.meddles = false};
    rico_jobs *jobs = engine_jobs(&e);
    rico_world *world = engine_world(&e, jobs);
    rico_output_frame frame;
    float ground[3 * 64 * 64];
    uint32_t indices[6 * 63 * 63], count = 0;
    for (uint32_t i = 0; i < 64 * 64; ++i) {
        ground[3 * i] = 0.2f * (float)(i % 64) - 6.0f;
        ground[3 * i + 1] = 0.2f * (float)(i / 64) - 6.0f;
        ground[3 * i + 2] = 0.01f * (float)(i * 7 % 5);
        if (i % 64 == 63 || i / 64 == 63)
            continue;
        const uint32_t quad[6] = {i, i + 1, i + 65, i, i + 65, i + 64};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
    }
    rico_mesh mesh = {.positions = ground, .vertex_count = 64 * 64, .indices = indices};
    mesh.triangle_count = count / 3;
    e.meddles = true;
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 == 1);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_world_merge(world), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){1.0f, 0.0f, 0.0f}), RICO_OK);
    CHECK_EQ(rico_output_write(e.output, &e.effect, 1, NULL, &frame), RICO_OK);
    CHECK(frame.count > 10);
    CHECK(e.tried >= 4);
    CHECK_EQ(e.refused, e.tried);
    CHECK(rico_effect_is_alive(world, e.effect));
    CHECK_EQ(rico_scene_get_stats(rico_world_scene(world)).collider_count, 1);
    e.meddles = false;
    rico_output_destroy(e.output);
    rico_world_destroy(world);
    rico_jobs_destroy(jobs);
}

static int asserts;

static void note_assert(const char *expression, const char *file, int line)
{
    (void)file;
    (void)line;
    (void)expression;
    asserts += 1;
}

static void call_from_a_job(rico_worker *worker, void *context)
{
    engine *e = context;
    rico_output_frame frame;
    (void)worker;
    CHECK(rico_jobs_is_running(rico_world_jobs(e->world)));
    asserts = 0;
    rico_assert_set_handler(note_assert);
    rico_world_step(e->world, 1.0f / 60.0f);
    CHECK_EQ(rico_output_write(e->output, &e->effect, 1, NULL, &frame), RICO_BUSY);
    CHECK_EQ(rico_world_bake(e->world, NULL, NULL), RICO_BUSY);
    CHECK_EQ(rico_effect_seek(e->world, e->effect, 1.0f, 0.1f), RICO_BUSY);
    CHECK_EQ(rico_world_shift_origin(e->world, (rico_vec3){1, 0, 0}), RICO_BUSY);
    CHECK_EQ(rico_world_load_cache(e->world, "", 1), RICO_BUSY);
    CHECK_EQ(rico_world_merge(e->world), RICO_BUSY);
    rico_assert_set_handler(NULL);
    CHECK_EQ(asserts, 7);
    /* Calls that need no workers are allowed. */
    CHECK_EQ(rico_effect_set_time_scale(e->world, e->effect, 0.5f), RICO_OK);
}

TEST(busy, what_takes_workers_is_misuse_from_a_job_of_the_same_pool)
{
    engine e = {.meddles = false};
    rico_jobs *jobs = engine_jobs(&e);
    rico_world *world = engine_world(&e, jobs);
    uint64_t hash = rico_world_hash(world);
    rico_jobs_run(jobs, call_from_a_job, &e);
    CHECK(!rico_jobs_is_running(jobs));
    CHECK_EQ(rico_world_hash(world), hash);
    rico_output_destroy(e.output);
    rico_world_destroy(world);
    rico_jobs_destroy(jobs);
}

/* Objects are destroyed in the wrong order first: each call must be refused, and the object
 * must keep working. The right order then frees everything. */
TEST(busy, who_is_used_by_others_is_not_destroyed_before_them)
{
    engine e = {.meddles = false};
    rico_jobs *jobs = engine_jobs(&e);
    rico_world *world = engine_world(&e, jobs);
    rico_output_frame frame;
    asserts = 0;
    rico_assert_set_handler(note_assert);
    rico_jobs_destroy(jobs);
    CHECK_EQ(asserts, 1);
    rico_world_step(world, 1.0f / 60.0f);
    rico_world_destroy(world);
    CHECK_EQ(asserts, 2);
    rico_world_step(world, 1.0f / 60.0f);
    CHECK_EQ(rico_output_write(e.output, &e.effect, 1, NULL, &frame), RICO_OK);
    rico_output_destroy(e.output);
    rico_world_destroy(world);
    rico_jobs_destroy(jobs);
    CHECK_EQ(asserts, 2);
    rico_assert_set_handler(NULL);
}

/* --- In the allocator and the log ------------------------------------------------------------- */

/* A host whose allocator and log try to change the world, in whatever call they are used. */
typedef struct meddler {
    counting_allocator memory;
    rico_world *world; /* NULL: no attempts */
    bool within;       /* set meanwhile, because a refusal calls the log again */
    uint32_t times, tried, refused;
} meddler;

static void try_one(meddler *m, rico_result result)
{
    m->tried += 1;
    m->refused += result == RICO_BUSY && rico_world_last_result(m->world) == RICO_BUSY;
}

#define TRY(call) try_one(m, call)
#define TRY_ID(call) try_one(m, (call).index1 == 0 ? rico_world_last_result(m->world) : RICO_OK)

static const float square[12] = {-3, -3, 0, 3, -3, 0, 3, 3, 0, -3, 3, 0};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
static const rico_mesh plate = {
    .positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2};

static void meddle_with_colliders(meddler *m)
{
    rico_world *world = m->world;
    const rico_collider_id first = {1, 1};
    const rico_motion motion = {.transform = at(0.0f, 0.0f, 1.0f)};
    const rico_shape_def shape = rico_shape_def_default();
    const rico_collider_def collider = rico_collider_def_default();
    rico_shape_id shape_id;
    TRY_ID(rico_world_add_mesh(world, &plate, at(0.0f, 0.0f, 2.0f)));
    TRY(rico_world_add_shape(world, &shape, NULL, &shape_id));
    TRY(rico_world_remove_shape(world, (rico_shape_id){1, 1}));
    TRY_ID(rico_world_add_collider(world, &collider));
    TRY(rico_world_move_colliders(world, &first, &motion, 1));
    TRY(rico_world_place_colliders(world, &first, &motion, 1));
    TRY(rico_world_set_layers(world, first, 4));
    TRY(rico_world_remove_collider(world, first));
    TRY(rico_world_merge(world));
    TRY(rico_world_shift_origin(world, (rico_vec3){1.0f, 0.0f, 0.0f}));
    TRY(rico_world_bake(world, NULL, NULL));
    TRY(rico_world_load_cache(world, "", 1));
}

static void meddle_with_effects(meddler *m)
{
    rico_world *world = m->world;
    const rico_recipe_id id = {1, 1};
    const rico_effect_id effect = {1, 1};
    const rico_recipe recipe = rico_recipe_default();
    const rico_birth birth = {.transform = at(0.0f, 0.0f, 1.0f), .count = 1};
    rico_command command = {.kind = RICO_COMMAND_STOP, .effect = effect};
    const rico_command_list list = {&command, 1};
    const rico_field_def field = rico_field_def_default();
    const rico_output_def def = rico_output_def_default();
    rico_output *output;
    TRY_ID(rico_world_add_recipe(world, &recipe));
    TRY(rico_world_change_recipe(world, id, &recipe));
    TRY(rico_world_remove_recipe(world, id));
    TRY_ID(rico_effect_spawn(world, id, at(0.0f, 0.0f, 1.0f)));
    TRY(rico_world_emit(world, id, &birth, 1));
    TRY(rico_effect_emit(world, effect, 3));
    TRY(rico_effect_seek(world, effect, 1.0f, 0.1f));
    TRY(rico_effect_destroy(world, effect));
    TRY(rico_world_apply(world, &list, 1));
    TRY_ID(rico_world_add_field(world, &field));
    TRY(rico_output_create(world, &def, &output));
}

static void meddle(meddler *m)
{
    m->times += 1;
    if (m->world == NULL || m->within)
        return;
    m->within = true;
    meddle_with_colliders(m);
    meddle_with_effects(m);
    rico_assert_set_handler(note_assert);
    asserts = 0;
    rico_world_step(m->world, 1.0f / 60.0f);
    rico_world_destroy(m->world);
    m->tried += 2;
    m->refused += (uint32_t)asserts;
    rico_assert_set_handler(NULL);
    m->within = false;
}

static void *meddling_allocate(void *user, size_t bytes, size_t alignment)
{
    meddler *m = user;
    meddle(m);
    return counting_allocate(&m->memory, bytes, alignment);
}

static void meddling_release(void *user, void *block, size_t bytes, size_t alignment)
{
    meddler *m = user;
    meddle(m);
    counting_release(&m->memory, block, bytes, alignment);
}

static void meddling_log(void *user, rico_log_level level, const char *text)
{
    (void)level, (void)text;
    meddle(user);
}

static void live_with_colliders(rico_world *world)
{
    const rico_motion motion = {.transform = at(2.0f, 0.0f, 0.5f)};
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_collider_id id = {0};
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){0.3f, 0.3f, 0.3f};
    for (int i = 0; i < 3; ++i)
        CHECK(rico_world_add_mesh(world, &plate, at(0.0f, 0.0f, -(float)i)).index1 != 0);
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &collider.shape), RICO_OK);
    for (int i = 0; i < 20; ++i) {
        collider.motion.transform = at(0.2f * (float)i - 2.0f, 1.0f, 0.0f);
        id = rico_world_add_collider(world, &collider);
        CHECK(id.index1 != 0);
    }
    CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
    id.index1 -= 1;
    CHECK_EQ(rico_world_move_colliders(world, &id, &motion, 1), RICO_OK);
    CHECK_EQ(rico_world_merge(world), RICO_OK);
}

static void live_with_effects(rico_world *world)
{
    static _Alignas(64) rico_billboard memory[2][64];
    rico_output_def def = rico_output_def_default();
    rico_recipe recipe = rico_recipe_default(), bad = recipe;
    const rico_birth birth = {.transform = at(0.0f, 0.0f, 1.0f), .count = 5};
    rico_output *output;
    bad.rate = -1.0f;
    const rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 1.0f)).index1 != 0);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK(rico_world_add_recipe(world, &bad).index1 == 0);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    recipe.radius = 0.1f; /* logs a warning: all records are discarded */
    CHECK_EQ(rico_world_change_recipe(world, id, &recipe), RICO_OK);
    def.capacity = 64;
    def.memory[0] = memory[0];
    def.memory[1] = memory[1];
    CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0.3f, 0.0f, 0.0f}), RICO_OK);
    rico_output_destroy(output);
}

static uint64_t live(meddler *m, bool meddles)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 2;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.allocator = (rico_allocator){meddling_allocate, meddling_release, m};
    def.log = (rico_log){meddling_log, m};
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    m->world = meddles ? world : NULL;
    live_with_colliders(world);
    uint64_t hash = rico_world_hash(world);
    live_with_effects(world);
    for (int i = 0; i < 30; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    hash = 31 * hash + rico_world_hash(world);
    CHECK_EQ(rico_scene_get_stats(rico_world_scene(world)).collider_count, 22);
    m->world = NULL;
    rico_world_destroy(world);
    CHECK_EQ(m->memory.live_blocks, 0);
    return hash;
}

TEST(busy, hooks_change_nothing_in_whatever_call_they_are)
{
    meddler idle = {.memory.fail_at = -1}, keen = {.memory.fail_at = -1};
    const uint64_t hash = live(&idle, false);
    CHECK_EQ(live(&keen, true), hash);
    CHECK_MSG(keen.tried > 1000 && keen.refused == keen.tried, "%u of %u refused", keen.refused,
              keen.tried);
}
