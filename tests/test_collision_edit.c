/* Edits, memory, and readers on several threads. */
#include "collision_fixture.h"
#include "scene_private.h"

#include <pthread.h>

/* --- edits --- */

static rico_hit look_down(const rico_scene *scene, float x)
{
    rico_ray ray = {
        .origin = vec3(x, 0.1f, 10.0f), .t_max = 100.0f, .direction = vec3(0, 0, -1)};
    return rico_scene_raycast(scene, NULL, &ray);
}

TEST(collision, removing_and_adding_again_gives_the_same_answers_under_a_new_id)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_transform right = {{5.0f, 0.0f, 0.0f}, {0, 0, 0, 1}, 1.0f};
    rico_collider_id a = scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    rico_collider_id b = scene_add(scene, &mesh, right);
    CHECK_EQ(rico_scene_version(scene), 2);
    CHECK_EQ(look_down(scene, 0.2f).collider, a.index1);
    CHECK_EQ(look_down(scene, 5.2f).collider, b.index1);
    rico_hit before = look_down(scene, 0.2f);
    CHECK_EQ(rico_scene_remove(scene, a), RICO_OK);
    CHECK_EQ(look_down(scene, 0.2f).collider, 0);
    CHECK_EQ(look_down(scene, 5.2f).collider, b.index1);
    CHECK_EQ(rico_scene_remove(scene, a), RICO_STALE_ID);
    rico_collider_id again = scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    CHECK_EQ(again.index1, a.index1);
    CHECK(again.generation != a.generation);
    CHECK_EQ(rico_scene_remove(scene, a), RICO_STALE_ID);
    rico_hit after = look_down(scene, 0.2f);
    CHECK(hit_equal(&before, &after));
    CHECK_EQ(rico_scene_remove(scene, again), RICO_OK);
    CHECK_EQ(rico_scene_remove(scene, b), RICO_OK);
    CHECK_EQ(rico_scene_version(scene), 6);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    CHECK_EQ(stats.collider_count + stats.triangle_count + stats.cell_count, 0);
    CHECK(stats.bounds.lo.x > stats.bounds.hi.x);
    CHECK_EQ(look_down(scene, 5.2f).collider, 0);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, ids_that_are_null_or_foreign_are_stale)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    CHECK_EQ(rico_scene_remove(scene, (rico_collider_id){0, 0}), RICO_STALE_ID);
    CHECK_EQ(rico_scene_remove(scene, (rico_collider_id){1, 1}), RICO_STALE_ID);
    CHECK_EQ(rico_scene_remove(scene, (rico_collider_id){UINT32_MAX, 1}), RICO_STALE_ID);
    CHECK_EQ(rico_scene_version(scene), 0);
    rico_scene_destroy(scene);
}

TEST(collision, answers_do_not_depend_on_how_a_scene_came_to_be)
{
    fixture_random random = {47};
    fixture_mesh mesh[5] = {{0}};
    rico_scene *plain = scene_create_quiet(0.0f), *edited = scene_create_quiet(0.2f);
    rico_collider_id id[5];
    for (int i = 0; i < 5; ++i) {
        mesh_scatter(&mesh[i], &random, 3.0f, 300);
        scene_add(plain, &mesh[i], RICO_TRANSFORM_IDENTITY);
        id[i] = scene_add(edited, &mesh[i == 1 ? 0 : i], RICO_TRANSFORM_IDENTITY);
    }
    CHECK_EQ(rico_scene_remove(edited, id[1]), RICO_OK);
    CHECK_EQ(rico_scene_remove(edited, id[3]), RICO_OK);
    scene_add(edited, &mesh[1], RICO_TRANSFORM_IDENTITY);
    scene_add(edited, &mesh[3], RICO_TRANSFORM_IDENTITY);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = ray_near_surface(&random, plain);
        rico_hit a = rico_scene_raycast(plain, NULL, &ray),
                 b = rico_scene_raycast(edited, NULL, &ray);
        CHECK(hit_equal(&a, &b));
    }
    for (int i = 0; i < 5; ++i)
        mesh_free(&mesh[i]);
    rico_scene_destroy(plain);
    rico_scene_destroy(edited);
}

TEST(collision, bad_triangles_are_dropped_counted_and_keep_the_others_numbers)
{
    static const float positions[] = {0,   0, 0, 1,      0, 0, 0,        1, 0,
                                      NAN, 0, 0, 2.0e6f, 0, 0, 1.0e-30f, 0, 0};
    static const uint32_t indices[] = {0, 1, 9, 0, 1, 3, 0, 1, 4, 0, 0,
                                       0, 0, 5, 2, 0, 1, 2, 3, 6, 0};
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 6, .indices = indices, .triangle_count = 7};
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_mesh_report report;
    rico_collider_id id;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, &report, &id), RICO_OK);
    CHECK_EQ(report.kept, 3);
    CHECK_EQ(report.dropped_index, 2);
    CHECK_EQ(report.dropped_not_finite, 2);
    rico_ray ray = {
        .origin = vec3(0.2f, 0.2f, 1.0f), .t_max = 2.0f, .direction = vec3(0, 0, -1)};
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).triangle, 5);
    mesh.triangle_count = 3;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, &report, &id),
             RICO_EMPTY_MESH);
    CHECK_EQ(id.index1, 0);
    mesh.triangle_count = 0;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_EMPTY_MESH);
    mesh.triangle_count = 7;
    rico_transform odd = RICO_TRANSFORM_IDENTITY;
    odd.scale = NAN;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, odd, NULL, NULL), RICO_NOT_FINITE);
    odd.scale = 0.0f;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, odd, NULL, NULL), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_version(scene), 1);
    rico_scene_destroy(scene);
}

/* As for everything that is placed, its position has to be in reach. Corners in reach do not
 * help. */
TEST(collision, a_mesh_placed_out_of_reach_is_refused_even_if_its_corners_come_back)
{
    for (int back = 0; back < 2; ++back) {
        const float from = back ? -2.0e6f : 0.0f;
        const float corners[9] = {from, 0, 0, from + 1.0f, 0, 0, from, 1, 0};
        const uint32_t indices[3] = {0, 1, 2};
        const rico_mesh mesh = {
            .positions = corners, .vertex_count = 3, .indices = indices, .triangle_count = 1};
        const rico_transform far = {{2.0e6f, 0.0f, 0.0f}, {0, 0, 0, 1}, 1.0f};
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_mesh_report report = {7, 7, 7};
        rico_collider_id id = {5, 5};
        CHECK_EQ(rico_scene_add_mesh(scene, &mesh, far, &report, &id), RICO_OUT_OF_RANGE);
        CHECK_EQ(id.index1 + report.kept + report.dropped_not_finite, 0);
        CHECK_EQ(rico_scene_version(scene), 0);
        rico_scene_destroy(scene);
    }
}

TEST(collision, definitions_are_checked)
{
    rico_scene_def def = {0};
    rico_scene *scene = (rico_scene *)&def;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_UNINITIALIZED_DEF);
    CHECK(scene == NULL);
    static const float bad[] = {0.001f, -1.0f, 101.0f, INFINITY, NAN};
    for (int i = 0; i < 5; ++i) {
        def = rico_scene_def_default();
        def.cell_size = bad[i];
        CHECK_EQ(rico_scene_create(&def, &scene),
                 isfinite(bad[i]) ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE);
        CHECK(scene == NULL);
    }
    rico_scene_destroy(NULL);
}

/* --- memory --- */

typedef struct fallible {
    long live_bytes, calls, fail_at; /* fail_at: number of the call that fails, 0 = none */
} fallible;

static void *fallible_allocate(void *user, size_t bytes, size_t alignment)
{
    fallible *f = user;
    void *block = NULL;
    if (++f->calls == f->fail_at ||
        posix_memalign(&block, alignment < 8 ? 8 : alignment, bytes))
        return NULL;
    f->live_bytes += (long)bytes;
    return block;
}

static void fallible_release(void *user, void *block, size_t bytes, size_t alignment)
{
    (void)alignment;
    ((fallible *)user)->live_bytes -= (long)bytes;
    free(block);
}

TEST(collision, half_an_allocator_is_refused)
{
    fallible memory = {0};
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = (rico_scene *)&def;
    def.allocator = (rico_allocator){fallible_allocate, NULL, &memory};
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OUT_OF_RANGE);
    def.allocator = (rico_allocator){NULL, fallible_release, &memory};
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OUT_OF_RANGE);
    CHECK(scene == NULL && memory.calls == 0);
}

static void ignore(void *user, rico_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

/* Edits that allocate. */
typedef rico_result edit_fn(rico_scene *scene, void *user);

/* Compares field by field, because padding is undefined. */
static bool stats_equal(const rico_scene_stats *a, const rico_scene_stats *b)
{
    return a->shape_count == b->shape_count && a->collider_count == b->collider_count &&
           a->triangle_count == b->triangle_count && a->hole_count == b->hole_count &&
           a->cell_count == b->cell_count && a->reference_count == b->reference_count &&
           a->node_count == b->node_count && a->bundle_count == b->bundle_count &&
           a->level_count == b->level_count && a->bytes == b->bytes &&
           a->build_ns == b->build_ns && a->cell_size == b->cell_size &&
           memcmp(&a->bounds, &b->bounds, sizeof a->bounds) == 0;
}

/* Runs the edit with its n-th allocation failing, for every n until it passes. At least `least`
 * runs must fail. */
static void check_failures(fallible *f, rico_scene *scene, edit_fn *edit, void *user,
                           long least, uint32_t versions)
{
    long before = f->live_bytes;
    rico_hit hit = look_down(scene, 0.2f);
    uint32_t version = rico_scene_version(scene);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    for (long n = 1;; ++n) {
        f->calls = 0;
        f->fail_at = n;
        rico_result result = edit(scene, user);
        f->fail_at = 0;
        if (result == RICO_OK) {
            CHECK_MSG(n > least, "only %ld allocations", n - 1);
            break;
        }
        CHECK_EQ(result, RICO_OUT_OF_MEMORY);
        CHECK_EQ(f->live_bytes, before);
        CHECK_EQ(rico_scene_version(scene), version);
        rico_scene_stats again = rico_scene_get_stats(scene);
        CHECK(stats_equal(&stats, &again));
        rico_hit now = look_down(scene, 0.2f);
        CHECK(hit_equal(&hit, &now));
    }
    CHECK_EQ(rico_scene_version(scene), version + versions);
    CHECK_EQ(rico_scene_get_stats(scene).bytes, f->live_bytes);
}

typedef struct edit_user {
    rico_mesh view;
    rico_shape_id shape;
} edit_user;

static rico_result edit_add_mesh(rico_scene *scene, void *user)
{
    const edit_user *u = user;
    return rico_scene_add_mesh(scene, &u->view, RICO_TRANSFORM_IDENTITY, NULL, NULL);
}

static rico_result edit_add_shape(rico_scene *scene, void *user)
{
    edit_user *u = user;
    rico_shape_def def = rico_shape_def_default();
    def.mesh = u->view;
    return rico_scene_add_shape(scene, &def, NULL, &u->shape);
}

static rico_result edit_add(rico_scene *scene, void *user)
{
    const edit_user *u = user;
    rico_collider_def def = rico_collider_def_default();
    def.shape = u->shape;
    return rico_scene_add(scene, &def, NULL);
}

static rico_result edit_merge(rico_scene *scene, void *user)
{
    (void)user;
    return rico_scene_merge(scene);
}

static rico_result edit_shift(rico_scene *scene, void *user)
{
    (void)user;
    return rico_scene_shift_origin(scene, vec3(0.5f, 0.25f, 0.0f));
}

TEST(collision, an_edit_that_runs_out_of_memory_changes_nothing_and_leaks_nothing)
{
    fixture_random random = {53};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 250);
    uint16_t *surfaces = calloc(mesh.triangle_count, sizeof *surfaces);
    edit_user user = {.view = mesh_view(&mesh)};
    user.view.surfaces = surfaces;
    fallible f = {0, 0, 1};
    rico_scene_def def = rico_scene_def_default();
    def.allocator = (rico_allocator){fallible_allocate, fallible_release, &f};
    def.log.write = ignore;
    def.cell_size = 0.05f; /* many bricks: the table grows several times */
    rico_scene *scene;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OUT_OF_MEMORY);
    f.fail_at = 0;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    for (int i = 0; i < 5; ++i) /* the fifth add makes the slot array grow */
        check_failures(&f, scene, edit_add_mesh, &user, 6, 1);
    for (int i = 0; i < 2; ++i)
        check_failures(&f, scene, edit_add_shape, &user, 6, 0);
    for (int i = 0; i < 40; ++i) /* the tree grows too */
        check_failures(&f, scene, edit_add, &user, 0, 1);
    check_failures(&f, scene, edit_shift, &user, 20, 1);
    check_failures(&f, scene, edit_merge, &user, 6, 0);
    check_failures(&f, scene, edit_add_mesh, &user, 6, 1);
    check_failures(&f, scene, edit_shift, &user, 10, 1);
    check_failures(&f, scene, edit_merge, &user, 6, 0);
    rico_scene_destroy(scene);
    CHECK_EQ(f.live_bytes, 0);
    free(surfaces);
    mesh_free(&mesh);
}

static void run_backwards(void *user, uint32_t count, rico_scene_range_fn *range, void *context)
{
    *(uint32_t *)user += 1;
    while (count-- > 0)
        range(context, count);
}

TEST(collision, an_edit_in_ranges_that_runs_out_of_memory_changes_nothing_and_leaks_nothing)
{
    fixture_random random = {55};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 8.0f, 2500);
    edit_user user = {.view = mesh_view(&mesh)};
    fallible f = {0, 0, 0};
    uint32_t runs = 0;
    rico_scene_def def = rico_scene_def_default();
    def.allocator = (rico_allocator){fallible_allocate, fallible_release, &f};
    def.log.write = ignore;
    def.cell_size = 0.2f; /* ranges run short of bricks */
    def.runner = (rico_scene_runner){run_backwards, &runs};
    rico_scene *scene;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    check_failures(&f, scene, edit_add_mesh, &user, 25, 1);
    check_failures(&f, scene, edit_add_mesh, &user, 25, 1);
    check_failures(&f, scene, edit_merge, &user, 25, 0);
    CHECK(runs > 25);
    rico_scene_destroy(scene);
    CHECK_EQ(f.live_bytes, 0);
    mesh_free(&mesh);
}

TEST(collision, removing_and_moving_need_no_memory)
{
    fixture_random random = {57};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.0f, 50);
    edit_user user = {.view = mesh_view(&mesh)};
    fallible f = {0, 0, 0};
    rico_scene_def def = rico_scene_def_default();
    def.allocator = (rico_allocator){fallible_allocate, fallible_release, &f};
    rico_scene *scene;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    CHECK_EQ(edit_add_shape(scene, &user), RICO_OK);
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(edit_add_mesh(scene, &user), RICO_OK);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    for (int i = 0; i < 300; ++i)
        CHECK_EQ(edit_add(scene, &user), RICO_OK);
    f.calls = 0;
    rico_motion motion = rico_collider_def_default().motion;
    for (int i = 0; i < 5000; ++i) {
        rico_collider_id id = rico_scene_collider_id(scene, 5 + random_below(&random, 300));
        motion.transform.position = vec3_scale(random_direction(&random), 100.0f);
        CHECK_EQ(rico_scene_move(scene, &id, &motion, 1), RICO_OK);
    }
    while (rico_scene_get_stats(scene).collider_count > 0) {
        rico_collider_id id = rico_scene_collider_id(scene, 1 + random_below(&random, 304));
        if (id.index1 != 0)
            CHECK_EQ(rico_scene_remove(scene, id), RICO_OK);
    }
    CHECK_EQ(rico_scene_remove_shape(scene, user.shape), RICO_OK);
    CHECK_EQ(f.calls, 0);
    rico_scene_destroy(scene);
    CHECK_EQ(f.live_bytes, 0);
    mesh_free(&mesh);
}

TEST(collision, memory_is_bounded_for_long_triangles_and_small_cells)
{
    fixture_random random = {59};
    fixture_mesh mesh = {0};
    for (int i = 0; i < 2000; ++i) {
        rico_vec3 a =
            vec3_scale(random_direction(&random), random_between(&random, 1.0f, 500.0f));
        mesh_loose(&mesh, a, vec3_scale(random_direction(&random), 400.0f),
                   vec3_mad(a, random_direction(&random), 0.01f));
    }
    rico_scene *scene = scene_of(&mesh, 0.01f);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    CHECK(stats.reference_count <= 2000u * 16 + 65536);
    CHECK_MSG(stats.bytes < 12000000, "%llu bytes", (unsigned long long)stats.bytes);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* --- threads --- */

enum { READERS = 4, READER_RAYS = 4000 };

typedef struct reader {
    const rico_scene *scene;
    const rico_ray *rays;
    rico_hit *hits;
    uint32_t gathered;
} reader;

static void *read_scene(void *user)
{
    reader *r = user;
    rico_scene_raycast_batch(r->scene, NULL, r->rays, r->hits, READER_RAYS);
    for (int i = 0; i < READER_RAYS; ++i) {
        rico_vec3 half = vec3(0.2f, 0.2f, 0.2f);
        rico_box box = {vec3_sub(r->rays[i].origin, half), vec3_add(r->rays[i].origin, half)};
        r->gathered += rico_scene_gather(r->scene, NULL, &box, NULL, 0);
        r->gathered += rico_scene_occupied(r->scene, &box);
    }
    return NULL;
}

TEST(collision, readers_on_four_threads_get_the_same_answers)
{
    static rico_ray rays[READER_RAYS];
    static rico_hit hits[READERS][READER_RAYS];
    fixture_random random = {61};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 3000);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    for (int i = 0; i < READER_RAYS; ++i)
        rays[i] = ray_near_surface(&random, scene);
    reader readers[READERS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (reader){scene, rays, hits[i], 0};
        CHECK_EQ(pthread_create(&threads[i], NULL, read_scene, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < READERS; ++i) {
        CHECK(memcmp(hits[i], hits[0], sizeof hits[0]) == 0);
        CHECK_EQ(readers[i].gathered, readers[0].gathered);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
