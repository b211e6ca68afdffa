/* All calls refuse bad input by one rule: RICO_NOT_FINITE for NaN and infinities,
 * RICO_OUT_OF_RANGE for other numbers. The log names the member and what was expected. */
#include "coverage.h"
#include "kernels.h"
#include "runtime_terrain.h"

#include <string.h>

typedef struct bench {
    rico_world *world;
    rico_recipe_id recipe;
    rico_effect_id effect;
    rico_field_id field;
    rico_shape_id box;
    rico_collider_id collider;
    kept_log log;
} bench;

static void bench_begin(bench *b)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.log = kept_log_hook(&b->log);
    CHECK_EQ(rico_world_create(&def, &b->world), RICO_OK);
    rico_recipe recipe = rico_recipe_default();
    b->recipe = rico_world_add_recipe(b->world, &recipe);
    b->effect = rico_effect_spawn(b->world, b->recipe, RICO_TRANSFORM_IDENTITY);
    rico_field_def field = rico_field_def_default();
    b->field = rico_world_add_field(b->world, &field);
    rico_shape_def shape = rico_shape_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){1.0f, 1.0f, 1.0f};
    CHECK_EQ(rico_world_add_shape(b->world, &shape, NULL, &b->box), RICO_OK);
    rico_collider_def collider = rico_collider_def_default();
    collider.shape = b->box;
    b->collider = rico_world_add_collider(b->world, &collider);
    CHECK(b->collider.index1 != 0 && b->effect.index1 != 0 && b->field.index1 != 0);
}

/* --- Transforms --------------------------------------------------------------------------- */

static rico_result add_mesh(bench *b, rico_transform t)
{
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[3] = {0, 1, 2};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    rico_collider_id id = {5, 5};
    rico_result result = rico_world_add_mesh_report(b->world, &mesh, t, NULL, &id);
    CHECK_EQ(id.index1, 0);
    return result;
}

static rico_result add_collider(bench *b, rico_transform t)
{
    rico_collider_def def = rico_collider_def_default();
    def.shape = b->box;
    def.motion.transform = t;
    CHECK_EQ(rico_world_add_collider(b->world, &def).index1, 0);
    return rico_world_last_result(b->world);
}

static rico_result move_collider(bench *b, rico_transform t)
{
    const rico_motion motion = {.transform = t};
    return rico_world_move_colliders(b->world, &b->collider, &motion, 1);
}

static rico_result place_collider(bench *b, rico_transform t)
{
    const rico_motion motion = {.transform = t};
    return rico_world_place_colliders(b->world, &b->collider, &motion, 1);
}

static rico_result spawn(bench *b, rico_transform t)
{
    CHECK_EQ(rico_effect_spawn(b->world, b->recipe, t).index1, 0);
    return rico_world_last_result(b->world);
}

static rico_result move_effect(bench *b, rico_transform t)
{
    return rico_effect_move(b->world, b->effect, t);
}

static rico_result teleport(bench *b, rico_transform t)
{
    return rico_effect_teleport(b->world, b->effect, t);
}

static rico_result add_field(bench *b, rico_transform t)
{
    rico_field_def def = rico_field_def_default();
    def.transform = t;
    CHECK_EQ(rico_world_add_field(b->world, &def).index1, 0);
    return rico_world_last_result(b->world);
}

static rico_result move_field(bench *b, rico_transform t)
{
    return rico_world_move_field(b->world, b->field, t);
}

static rico_result set_kill_volume(bench *b, rico_transform t)
{
    const rico_kill_volume volume = {.size = {1.0f, 1.0f, 1.0f}, .transform = t};
    return rico_world_set_kill_volume(b->world, 3, &volume);
}

static rico_result (*const takers[])(bench *, rico_transform) = {
    add_mesh,    add_collider, move_collider, place_collider, spawn,
    move_effect, teleport,     add_field,     move_field,     set_kill_volume};

static void expect_all(bench *b, rico_transform t, rico_result expected, const char *text)
{
    for (size_t k = 0; k < sizeof takers / sizeof takers[0]; ++k) {
        rico_result result = takers[k](b, t);
        CHECK_MSG(result == expected && strstr(b->log.text, text) != NULL,
                  "taker %zu: %s, '%s', expected %s, '%s'", k, rico_result_name(result),
                  b->log.text, rico_result_name(expected), text);
    }
}

TEST(refusals, of_transforms_are_the_same_from_all_who_take_one)
{
    bench b;
    bench_begin(&b);
    const float scales[] = {0.0f, -1.0f, 1.0e30f, NAN, INFINITY};
    for (int i = 0; i < 5; ++i) {
        rico_transform t = RICO_TRANSFORM_IDENTITY;
        t.scale = scales[i];
        expect_all(&b, t, i < 3 ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE, "transform.scale is ");
    }
    rico_transform t = {.position = {1.0f, 2.0f, 3.0f}};
    expect_all(&b, t, RICO_OUT_OF_RANGE, "transform.rotation has length 0, expected 1");
    t = RICO_TRANSFORM_IDENTITY;
    t.rotation.z = NAN;
    expect_all(&b, t, RICO_NOT_FINITE, "transform.rotation.z is nan, expected a finite number");
    t.rotation.z = 1.0f;
    expect_all(&b, t, RICO_OUT_OF_RANGE, "transform.rotation has length 1.41421");
    expect_all(&b, at(0.0f, INFINITY, 0.0f), RICO_NOT_FINITE, "transform.position.y is inf");
    expect_all(&b, at(0.0f, -1.0e38f, 0.0f), RICO_OUT_OF_RANGE,
               "transform.position.y is -1e+38, expected -1e+06 to 1e+06");
    expect_all(&b, at(0.0f, 0.0f, 1.1e6f), RICO_OUT_OF_RANGE,
               "transform.position.z is 1.1e+06, expected -1e+06 to 1e+06");
    rico_world_destroy(b.world);
}

/* --- Places ----------------------------------------------------------------------------- */

TEST(refusals, of_colliders_out_of_reach_come_before_anything_is_looked_for_there)
{
    bench b;
    bench_begin(&b);
    const float far[] = {1.0e6f, 1.1e6f, 1.0e14f, 1.0e15f, 1.0e30f, -1.0e15f};
    for (int i = 0; i < 6; ++i)
        for (int k = 1; k < 4; ++k) {
            CHECK_EQ(takers[k](&b, at(0.0f, far[i], 0.0f)), RICO_OUT_OF_RANGE);
            CHECK_MSG(strstr(b.log.text, "transform") != NULL, "%s", b.log.text);
            rico_world_step(b.world, 1.0f / 60.0f);
        }
    rico_transform large = RICO_TRANSFORM_IDENTITY;
    large.scale = 1.0e6f;
    CHECK_EQ(add_collider(&b, large), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(b.log.text, "takes the shape 1.00") != NULL, "%s", b.log.text);
    const rico_motion border = {.transform = at(9.9e5f, -9.9e5f, 9.9e5f)};
    CHECK_EQ(rico_world_move_colliders(b.world, &b.collider, &border, 1), RICO_OK);
    for (int i = 0; i < 70; ++i) /* until it counts as still */
        rico_world_step(b.world, 1.0f / 60.0f);
    CHECK_EQ(rico_world_place_colliders(b.world, &b.collider, &border, 1), RICO_OK);
    rico_world_step(b.world, 1.0f / 60.0f);
    rico_world_destroy(b.world);
}

/* The world keeps such bounds away from coverage. */
TEST(refusals, are_not_what_keeps_coverage_from_searching_for_ever)
{
    const float far[][2] = {{1.0e14f, 1.0e14f}, {-3.0e38f, 3.0e38f}, {NAN, NAN},
                            {0.0f, INFINITY},   {-1.0e6f, 1.0e6f},   {1.0e15f, 1.1e15f}};
    bench b;
    bench_begin(&b);
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    rico__coverage coverage;
    CHECK_EQ(rico__coverage_init(&coverage, &memory), RICO_OK);
    for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) {
        const float lo = far[i][0], hi = far[i][1];
        const rico_box boxes[2] = {{{lo, lo, lo}, {hi, hi, hi}},
                                   {{-1.0f, lo, -1.0f}, {1.0f, hi, 1.0f}}};
        for (int k = 0; k < 2; ++k) {
            rico__coverage_rebuild(&coverage, rico_world_scene(b.world), 0.05f, &boxes[k], true,
                                   &boxes[0], &memory);
            CHECK(coverage.shift < 22);
            CHECK((uint64_t)coverage.size[0] * coverage.size[1] * coverage.size[2] <=
                  RICO__COVERAGE_CELLS);
        }
    }
    rico__coverage_free(&coverage, &memory);
    rico_world_destroy(b.world);
}

/* --- Numbers ------------------------------------------------------------------------------ */

static rico_result add_recipe_with(bench *b, size_t member, float number)
{
    rico_recipe recipe = rico_recipe_default();
    memcpy((char *)&recipe + member, &number, sizeof number);
    CHECK_EQ(rico_world_add_recipe(b->world, &recipe).index1, 0);
    return rico_world_last_result(b->world);
}

TEST(refusals, of_numbers_tell_those_that_are_not_finite_from_those_out_of_range)
{
    bench b;
    bench_begin(&b);
    const size_t members[] = {offsetof(rico_recipe, color.at[0]),
                              offsetof(rico_recipe, particle_size.at[0]),
                              offsetof(rico_recipe, speed.lo),
                              offsetof(rico_recipe, particle_size.value[0]),
                              offsetof(rico_recipe, drag),
                              offsetof(rico_recipe, start_size.hi),
                              offsetof(rico_recipe, queries_per_frame),
                              offsetof(rico_recipe, cull_distance)};
    const float bad[] = {-2000.0f, 1.0e10f, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        rico_result expected = i < 2 ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE;
        for (size_t k = 0; k < sizeof members / sizeof members[0]; ++k)
            CHECK_EQ(add_recipe_with(&b, members[k], bad[i]), expected);
        CHECK_EQ(rico_world_set_surface(b.world, 1, bad[i], 1.0f), expected);
        CHECK_EQ(rico_world_set_surface(b.world, 1, 1.0f, bad[i]), expected);
        CHECK_EQ(rico_effect_set_time_scale(b.world, b.effect, bad[i]), expected);
        CHECK_EQ(rico_effect_seek(b.world, b.effect, bad[i], 0.1f), expected);
        CHECK_EQ(rico_effect_seek(b.world, b.effect, 1.0f, bad[i]), expected);
        CHECK_EQ(rico_effect_bake(b.world, b.effect, bad[i], NULL), expected);
        CHECK_MSG(strstr(b.log.text, ", expected ") != NULL, "%s", b.log.text);
        rico_world_def def = rico_world_def_default();
        rico_world *world;
        def.log = kept_log_hook(&b.log);
        def.cell_size = bad[i];
        CHECK_EQ(rico_world_create(&def, &world), expected);
    }
    rico_world_destroy(b.world);
}

TEST(refusals, of_planes_name_the_one_and_its_member)
{
    static const struct {
        rico_plane plane;
        rico_result expected;
        const char *told;
    } bad[] = {
        {{{0.0f, 0.0f, 1.0f}, 2.0e6f}, RICO_OUT_OF_RANGE, "recipe.planes[1].offset is 2e+06"},
        {{{0.0f, 0.0f, 1.0f}, NAN}, RICO_NOT_FINITE, "recipe.planes[1].offset is nan"},
        {{{0.0f, 0.0f, 2.0f}, 0.0f},
         RICO_OUT_OF_RANGE,
         "recipe.planes[1].normal has length 2, expected 1"},
        {{{0.0f, INFINITY, 0.0f}, 0.0f}, RICO_NOT_FINITE, "recipe.planes[1].normal.y is inf"},
    };
    bench b;
    bench_begin(&b);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        rico_recipe recipe = rico_recipe_default();
        recipe.mode = RICO_COLLIDE_FIXED;
        recipe.plane_count = 2;
        recipe.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 1.0e6f};
        recipe.planes[1] = bad[i].plane;
        CHECK_EQ(rico_world_add_recipe(b.world, &recipe).index1, 0);
        CHECK_EQ(rico_world_last_result(b.world), bad[i].expected);
        CHECK_MSG(strstr(b.log.text, bad[i].told) != NULL, "%s", b.log.text);
    }
    rico_world_destroy(b.world);
}

/* --- What is returned ------------------------------------------------------------------- */

static void miss(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count)
{
    (void)user;
    (void)filter;
    (void)rays;
    (void)hits;
    (void)count;
}

static rico_world *world_on_rays(kept_log *log)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.log = kept_log_hook(log);
    def.ray_caster.cast = miss;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

TEST(refusals, leave_null_ids_and_empty_reports_behind)
{
    bench b;
    bench_begin(&b);
    kept_log log;
    rico_world *worlds[2] = {b.world, world_on_rays(&log)};
    const rico_mesh nothing = {0};
    const rico_shape_def shape = rico_shape_def_default();
    for (int i = 0; i < 2; ++i) {
        rico_collider_id id = {5, 5};
        rico_mesh_report report = {7, 7, 7};
        rico_shape_id shape_id = {5, 5};
        CHECK(rico_world_add_mesh_report(worlds[i], &nothing, RICO_TRANSFORM_IDENTITY, &report,
                                         &id) != RICO_OK);
        CHECK(id.index1 == 0 && id.generation == 0 && report.kept == 0 &&
              report.dropped_index == 0 && report.dropped_not_finite == 0);
        report.kept = 7;
        CHECK(rico_world_add_shape(worlds[i], &shape, &report, &shape_id) != RICO_OK);
        CHECK(shape_id.index1 == 0 && shape_id.generation == 0 && report.kept == 0);
        rico_world_destroy(worlds[i]);
    }
}

TEST(refusals, of_edits_of_a_scene_that_is_not_there_leave_out_what_needs_none)
{
    kept_log log;
    rico_world *world = world_on_rays(&log);
    CHECK_EQ(rico_world_merge(world), RICO_NO_SCENE);
    CHECK_EQ(rico_world_last_result(world), RICO_NO_SCENE);
    CHECK(strstr(log.text, "rico_world_merge: world_def.ray_caster is") != NULL);
    CHECK_EQ(rico_world_set_surface(world, 1, 0.5f, 0.5f), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){1.0f, 0.0f, 0.0f}), RICO_OK);
    rico_world_destroy(world);
}

/* --- Stale ids ---------------------------------------------------------------------------- */

/* The call must be refused, with one message: the id is stale or names nothing. */
#define STALE(call)                                                                            \
    do {                                                                                       \
        b.log = (kept_log){.text = ""};                                                        \
        CHECK_EQ(call, RICO_STALE_ID);                                                         \
        CHECK_EQ(rico_world_last_result(b.world), RICO_STALE_ID);                              \
        CHECK_EQ(b.log.errors, 1);                                                             \
        CHECK_MSG(strstr(b.log.text, "stale") != NULL ||                                       \
                      strstr(b.log.text, "of generation 9") != NULL,                           \
                  "%s", b.log.text);                                                           \
    } while (0)
#define STALE_NULL(call) STALE(((call).index1 == 0 ? rico_world_last_result(b.world) : RICO_OK))

TEST(refusals, of_stale_ids_are_told_by_all_who_take_one)
{
    bench b;
    bench_begin(&b);
    const rico_transform t = RICO_TRANSFORM_IDENTITY;
    const rico_motion motion = {.transform = t};
    const rico_recipe recipe = rico_recipe_default();
    const rico_field_def field = rico_field_def_default();
    const rico_recipe_id no_recipe = {1, 9};
    const rico_effect_id effect = {1, 9};
    const rico_field_id no_field = {1, 9};
    const rico_collider_id collider = {1, 9};
    rico_collider_def def = rico_collider_def_default();
    rico_recipe parent = recipe;
    def.shape = (rico_shape_id){1, 9};
    parent.sub_emitters[0] =
        (rico_sub_emitter){.on = RICO_EVENT_BIT_DEATH, .recipe = no_recipe, .count = 1};
    STALE(rico_effect_move(b.world, effect, t));
    STALE(rico_effect_teleport(b.world, effect, t));
    STALE(rico_effect_emit(b.world, effect, 1));
    STALE(rico_effect_set_time_scale(b.world, effect, 1.0f));
    STALE(rico_effect_stop(b.world, effect));
    STALE(rico_effect_destroy(b.world, effect));
    STALE(rico_effect_seek(b.world, effect, 1.0f, 0.1f));
    STALE(rico_effect_bake(b.world, effect, 1.0f, NULL));
    STALE_NULL(rico_effect_spawn(b.world, no_recipe, t));
    STALE(rico_world_change_recipe(b.world, no_recipe, &recipe));
    STALE(rico_world_remove_recipe(b.world, no_recipe));
    STALE_NULL(rico_world_add_recipe(b.world, &parent));
    STALE(rico_world_move_field(b.world, no_field, t));
    STALE(rico_world_change_field(b.world, no_field, &field));
    STALE(rico_world_remove_field(b.world, no_field));
    STALE(rico_world_remove_shape(b.world, def.shape));
    STALE_NULL(rico_world_add_collider(b.world, &def));
    STALE(rico_world_set_layers(b.world, collider, 2));
    STALE(rico_world_remove_collider(b.world, collider));
    STALE(rico_world_move_colliders(b.world, &collider, &motion, 1));
    STALE(rico_world_place_colliders(b.world, &collider, &motion, 1));
    rico_world_destroy(b.world);
}

/* --- NULL --------------------------------------------------------------------------------- */

static int asserts;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    asserts += 1;
}

/* The call must assert once and, when the handler returns, give its failure value. */
#define NOTHING(call, value)                                                                   \
    do {                                                                                       \
        asserts = 0;                                                                           \
        CHECK((call) == (value));                                                              \
        CHECK_EQ(asserts, 1);                                                                  \
    } while (0)
#define REFUSED(call) NOTHING(call, RICO_OUT_OF_RANGE)

static void edit_no_world(void)
{
    const rico_transform t = RICO_TRANSFORM_IDENTITY;
    const rico_mesh mesh = {0};
    const rico_shape_def shape = rico_shape_def_default();
    const rico_collider_def collider = rico_collider_def_default();
    const rico_recipe recipe = rico_recipe_default();
    const rico_field_def field = rico_field_def_default();
    const rico_recipe_id recipe_id = {1, 1};
    const rico_field_id field_id = {1, 1};
    rico_shape_id id;
    NOTHING(rico_world_add_mesh(NULL, &mesh, t).index1, 0);
    REFUSED(rico_world_add_shape(NULL, &shape, NULL, &id));
    REFUSED(rico_world_remove_shape(NULL, (rico_shape_id){1, 1}));
    NOTHING(rico_world_add_collider(NULL, &collider).index1, 0);
    REFUSED(rico_world_set_layers(NULL, (rico_collider_id){1, 1}, 2));
    REFUSED(rico_world_remove_collider(NULL, (rico_collider_id){1, 1}));
    REFUSED(rico_world_move_colliders(NULL, NULL, NULL, 0));
    REFUSED(rico_world_place_colliders(NULL, NULL, NULL, 0));
    REFUSED(rico_world_merge(NULL));
    REFUSED(rico_world_shift_origin(NULL, t.position));
    REFUSED(rico_world_set_surface(NULL, 0, 1.0f, 1.0f));
    REFUSED(rico_world_ray_caster_changed(NULL));
    REFUSED(rico_world_set_kill_volume(NULL, 0, NULL));
    NOTHING(rico_world_add_recipe(NULL, &recipe).index1, 0);
    REFUSED(rico_world_change_recipe(NULL, recipe_id, &recipe));
    REFUSED(rico_world_remove_recipe(NULL, recipe_id));
    NOTHING(rico_world_recipe_in_use(NULL, recipe_id), false);
    NOTHING(rico_world_add_field(NULL, &field).index1, 0);
    REFUSED(rico_world_move_field(NULL, field_id, t));
    REFUSED(rico_world_change_field(NULL, field_id, &field));
    REFUSED(rico_world_remove_field(NULL, field_id));
    REFUSED(rico_world_set_viewers(NULL, NULL, 0));
    REFUSED(rico_world_set_detail_hook(NULL, NULL));
    REFUSED(rico_world_bake(NULL, NULL, NULL));
    REFUSED(rico_world_load_cache(NULL, NULL, 0));
}

static void look_at_no_world(void)
{
    const rico_effect_id effect = {1, 1};
    uint32_t count = 7;
    NOTHING(rico_world_last_result(NULL), RICO_OUT_OF_RANGE);
    NOTHING(rico_world_scene(NULL), NULL);
    NOTHING(rico_world_jobs(NULL), NULL);
    NOTHING(rico_world_events(NULL, &count), NULL);
    CHECK_EQ(count, 0);
    NOTHING(rico_world_ended(NULL, &count), NULL);
    NOTHING(rico_world_next_effect(NULL, effect).index1, 0);
    NOTHING(rico_effect_get(NULL, effect, NULL), false);
    NOTHING(rico_world_get_stats(NULL).bytes, 0);
    NOTHING(rico_world_hash(NULL), 0);
    NOTHING(rico_world_queries(NULL, NULL, 0), 0);
    NOTHING(rico_world_sub_effect(NULL, (rico_recipe_id){1, 1}).index1, 0);
    NOTHING(rico_effect_is_alive(NULL, effect), false);
    NOTHING(rico_effect_is_hidden(NULL, effect), false);
    NOTHING(rico_effect_particle_count(NULL, effect), 0);
    NOTHING(rico_particle_rotation(NULL, effect, 1, 1.0f), 0.0f);
    rico_view view = {0};
    NOTHING(rico_view_next(&view), false); /* never given a view */
    NOTHING(rico_view_next(NULL), false);
    asserts = 0;
    view = rico_effect_view(NULL, effect);
    CHECK(!rico_view_next(&view));
    CHECK_EQ(asserts, 1);
    rico_world_step(NULL, 0.1f);
    CHECK_EQ(asserts, 2);
}

static void run_no_effect(void)
{
    const rico_effect_id effect = {1, 1};
    const rico_transform t = RICO_TRANSFORM_IDENTITY;
    NOTHING(rico_effect_spawn(NULL, (rico_recipe_id){1, 1}, t).index1, 0);
    REFUSED(rico_effect_move(NULL, effect, t));
    REFUSED(rico_effect_teleport(NULL, effect, t));
    REFUSED(rico_effect_emit(NULL, effect, 1));
    REFUSED(rico_effect_set_time_scale(NULL, effect, 1.0f));
    REFUSED(rico_effect_stop(NULL, effect));
    REFUSED(rico_effect_destroy(NULL, effect));
    REFUSED(rico_effect_seek(NULL, effect, 1.0f, 0.1f));
    REFUSED(rico_effect_bake(NULL, effect, 1.0f, NULL));
}

/* The world's last failure was another one; misuse must replace its result. */
#define MISUSED(call, value)                                                                   \
    do {                                                                                       \
        CHECK_EQ(rico_effect_stop(b->world, (rico_effect_id){0}), RICO_STALE_ID);              \
        NOTHING(call, value);                                                                  \
        CHECK_EQ(rico_world_last_result(b->world), RICO_OUT_OF_RANGE);                         \
    } while (0)
#define MISUSE(call) MISUSED(call, RICO_OUT_OF_RANGE)

static void write_nothing(bench *b)
{
    static _Alignas(64) rico_billboard memory[64];
    rico_output_def def = rico_output_def_default();
    rico_output *output;
    rico_output_frame frame = {.count = 7};
    MISUSE(rico_output_create(b->world, NULL, &output));
    CHECK(output == NULL);
    MISUSE(rico_output_create(b->world, &def, NULL));
    REFUSED(rico_output_write(NULL, NULL, 0, NULL, &frame));
    CHECK_EQ(frame.count, 0);
    def.memory[0] = def.memory[1] = memory;
    def.capacity = 64;
    CHECK_EQ(rico_output_create(b->world, &def, &output), RICO_OK);
    MISUSE(rico_output_write(output, &b->effect, 1, NULL, NULL));
    MISUSE(rico_output_write(output, NULL, 1, NULL, &frame));
    rico_output_destroy(output);
}

static void give_nothing(bench *b)
{
    rico_world_def def = rico_world_def_default();
    const rico_box box = {{0, 0, 0}, {1, 1, 1}};
    const rico_transform t = RICO_TRANSFORM_IDENTITY;
    rico_world *world = b->world;
    REFUSED(rico_world_create(NULL, &world));
    CHECK(world == NULL);
    REFUSED(rico_world_create(&def, NULL));
    REFUSED(rico_recipe_check(NULL, NULL));
    MISUSED(rico_world_add_recipe(b->world, NULL).index1, 0);
    MISUSE(rico_world_change_recipe(b->world, b->recipe, NULL));
    MISUSED(rico_world_add_mesh(b->world, NULL, t).index1, 0);
    MISUSED(rico_world_add_collider(b->world, NULL).index1, 0);
    MISUSE(rico_world_add_shape(b->world, NULL, NULL, &b->box));
    MISUSE(rico_world_move_colliders(b->world, &b->collider, NULL, 1));
    MISUSE(rico_world_place_colliders(b->world, NULL, NULL, 1));
    MISUSED(rico_effect_spawn_def(b->world, b->recipe, NULL).index1, 0);
    MISUSE(rico_effect_spawn_all(b->world, &b->recipe, NULL, 1, NULL));
    MISUSED(rico_world_add_field(b->world, NULL).index1, 0);
    MISUSE(rico_world_change_field(b->world, b->field, NULL));
    MISUSE(rico_world_set_viewers(b->world, NULL, 2));
    MISUSE(rico_world_draw_cache(b->world, &box, NULL, NULL));
    MISUSE(rico_world_save_cache(b->world, NULL, NULL));
    MISUSE(rico_world_load_cache(b->world, NULL, 1));
    NOTHING(rico_world_events(b->world, NULL), NULL);
    NOTHING(rico_world_queries(b->world, NULL, 1), 0);
    NOTHING(rico_output_record_bytes(NULL), 0);
}

TEST(refusals, of_null_assert_and_do_nothing_when_the_handler_returns)
{
    bench b;
    bench_begin(&b);
    rico_assert_set_handler(count_assert);
    edit_no_world();
    look_at_no_world();
    run_no_effect();
    give_nothing(&b);
    write_nothing(&b);
    rico_assert_set_handler(NULL);
    rico_world_step(b.world, 0.1f);
    CHECK_EQ(rico_world_get_stats(b.world).frame, 1);
    rico_world_destroy(b.world);
}

/* --- Instruction sets --------------------------------------------------------------------- */

static int warnings_with(const char *isa, kept_log *log)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 1000;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.log = kept_log_hook(log);
    CHECK(setenv("RICO_ISA", isa, 1) == 0);
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_world_destroy(world);
    CHECK_EQ(log->errors, 0);
    return log->warnings;
}

TEST(refusals, of_instruction_sets_are_told_once_and_another_is_used)
{
    kept_log log;
    CHECK_EQ(warnings_with("scalar", &log) + warnings_with("", &log), 0);
    CHECK_EQ(warnings_with("mmx", &log), 1);
    CHECK_MSG(strstr(log.text, "RICO_ISA is \"mmx\", which is unknown or not in") != NULL, "%s",
              log.text);
    CHECK_EQ(warnings_with("avx2", &log) + warnings_with("neon", &log) > 0, true);
    CHECK(unsetenv("RICO_ISA") == 0);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa)
        CHECK_EQ(warnings_with(rico__isa_name((rico__isa)isa), &log),
                 rico__kernels_for_isa((rico__isa)isa) == NULL);
}
