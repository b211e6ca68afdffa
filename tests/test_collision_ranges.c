/* Builds in ranges that the host runs: the grid is the same to the byte. */
#include "collision_fixture.h"
#include "grid_bytes.h"

#include <pthread.h>

/* How a runner of the test runs its ranges. */
typedef enum order {
    ORDER_FORWARD,
    ORDER_REVERSED,
    ORDER_MIXED,
    ORDER_SOME, /* every third, the others left out */
    ORDER_NONE,
    ORDER_TWICE, /* each twice, and indices beyond the end */
    ORDER_COUNT
} order;

typedef struct host {
    order order;
    uint32_t threads; /* 0 = in the given order, on the calling thread */
    uint32_t calls, most;
} host;

static void run_in_order(order how, uint32_t count, rico_scene_range_fn *range, void *context)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (how == ORDER_REVERSED)
            range(context, count - 1 - i);
        else if (how == ORDER_MIXED)
            range(context, i % 2 ? i / 2 : count - 1 - i / 2);
        else if (how == ORDER_FORWARD || (how == ORDER_SOME && i % 3 == 1))
            range(context, i);
        else if (how == ORDER_TWICE)
            for (int again = 0; again < 2; ++again)
                range(context, again ? i + count : i), range(context, i);
    }
}

typedef struct share {
    rico_scene_range_fn *range;
    void *context;
    uint32_t first, step, count;
} share;

static void *run_share(void *user)
{
    const share *s = user;
    for (uint32_t i = s->first; i < s->count; i += s->step)
        s->range(s->context, i);
    return NULL;
}

static void run_on_threads(uint32_t threads, uint32_t count, rico_scene_range_fn *range,
                           void *context)
{
    pthread_t thread[8];
    share shares[8];
    for (uint32_t i = 0; i < threads; ++i) {
        shares[i] = (share){range, context, i, threads, count};
        CHECK_EQ(pthread_create(&thread[i], NULL, run_share, &shares[i]), 0);
    }
    for (uint32_t i = 0; i < threads; ++i)
        pthread_join(thread[i], NULL);
}

static void host_run(void *user, uint32_t count, rico_scene_range_fn *range, void *context)
{
    host *h = user;
    h->calls += 1;
    h->most = count > h->most ? count : h->most;
    if (h->threads > 0)
        run_on_threads(h->threads, count, range, context);
    else
        run_in_order(h->order, count, range, context);
}

static rico_scene *scene_by(host *h, const fixture_mesh *mesh, float cell_size)
{
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene;
    def.cell_size = cell_size;
    if (h != NULL)
        def.runner = (rico_scene_runner){host_run, h};
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    scene_add(scene, mesh, RICO_TRANSFORM_IDENTITY);
    return scene;
}

/* Builds the mesh with all kinds of hosts, which must all be called equally often. Returns that
 * number. */
static uint32_t check_hosts(const fixture_mesh *mesh, float cell_size)
{
    rico_scene *serial = scene_by(NULL, mesh, cell_size);
    uint64_t bytes = rico_scene_get_stats(serial).bytes;
    uint32_t calls = 0;
    for (uint32_t i = 0; i < ORDER_COUNT + 3; ++i) {
        static const uint32_t threads[3] = {2, 3, 8};
        host h = {.order = (order)i};
        if (i >= ORDER_COUNT)
            h.threads = threads[i - ORDER_COUNT];
        rico_scene *scene = scene_by(&h, mesh, cell_size);
        CHECK_MSG(grids_same(scene_grid(scene), scene_grid(serial)), "host %u", i);
        CHECK_EQ(rico_scene_get_stats(scene).bytes, bytes);
        CHECK(h.most <= 64 && (calls == 0 || h.calls == calls));
        calls = h.calls;
        rico_scene_destroy(scene);
    }
    rico_scene_destroy(serial);
    return calls;
}

/* The passes mark, fill and copy, each run once when no range is short of room. Meshes of more
 * than 8192 triangles also have a pass that counts. */
enum { PASSES = 3 };

TEST(collision, a_grid_is_the_same_however_the_host_runs_its_ranges)
{
    fixture_random random = {811};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 0.1f, 5); /* 20,480 triangles */
    mesh_scatter(&mesh, &random, 6.0f, 4000);
    CHECK(check_hosts(&mesh, 0.0f) >= PASSES);
    CHECK(check_hosts(&mesh, 0.07f) >= PASSES);
    mesh_free(&mesh);
}

TEST(collision, a_small_mesh_is_built_without_asking_the_host)
{
    fixture_random random = {813};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 2.0f, 200);
    CHECK_EQ(check_hosts(&mesh, 0.0f), 0);
    mesh_free(&mesh);
}

/* Triangles that touch many bricks each: ranges need more room for listings and bricks than they
 * begin with. */
TEST(collision, ranges_of_large_triangles_get_room_and_go_on)
{
    fixture_random random = {817};
    fixture_mesh mesh = {0};
    rico_box box = {{-20.0f, -20.0f, -20.0f}, {20.0f, 20.0f, 20.0f}};
    mesh_scatter(&mesh, &random, 0.5f, 5000);
    for (int i = 0; i < 6; ++i)
        mesh_loose(&mesh, random_in_box(&random, &box), random_in_box(&random, &box),
                   random_in_box(&random, &box));
    CHECK(check_hosts(&mesh, 0.1f) > PASSES);
    mesh_free(&mesh);
}

/* Small triangles far apart: bundles that are not full take more of the arena. */
TEST(collision, ranges_of_scattered_triangles_get_room_and_go_on)
{
    fixture_random random = {819};
    fixture_mesh mesh = {0};
    rico_box box = {{-20.0f, -20.0f, -20.0f}, {20.0f, 20.0f, 20.0f}};
    for (int i = 0; i < 5000; ++i) {
        rico_vec3 at = random_in_box(&random, &box);
        mesh_loose(&mesh, at, vec3_add(at, vec3(0.01f, 0.0f, 0.0f)),
                   vec3_add(at, vec3(0.0f, 0.01f, 0.01f)));
    }
    CHECK(check_hosts(&mesh, 1.0f) > PASSES);
    mesh_free(&mesh);
}

TEST(collision, merges_and_shifts_run_in_ranges_too)
{
    fixture_random random = {821};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 4.0f, 3000);
    host h = {.threads = 3};
    rico_scene *scenes[2] = {scene_by(NULL, &mesh, 0.0f), scene_by(&h, &mesh, 0.0f)};
    for (int i = 0; i < 2; ++i) {
        uint32_t before = h.calls;
        rico_transform there = RICO_TRANSFORM_IDENTITY;
        there.position = vec3(3.0f, 1.0f, 0.5f);
        scene_add(scenes[i], &mesh, there);
        CHECK_EQ(rico_scene_merge(scenes[i]), RICO_OK);
        CHECK_EQ(rico_scene_shift_origin(scenes[i], vec3(0.5f, 0.25f, 0.0f)), RICO_OK);
        CHECK(i == 0 ? h.calls == before : h.calls - before >= 3 * PASSES);
    }
    CHECK(grids_same(scene_grid(scenes[0]), scene_grid(scenes[1])));
    rico_scene_destroy(scenes[0]);
    rico_scene_destroy(scenes[1]);
    mesh_free(&mesh);
}

/* Broken triangles are counted range by range. */
TEST(collision, a_report_is_the_same_however_the_host_runs_its_ranges)
{
    fixture_random random = {823};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 4.0f, 20000);
    for (int i = 0; i < 700; ++i) {
        uint32_t at = random_below(&random, 3 * mesh.triangle_count);
        if (i % 2)
            mesh.indices[at] = mesh.vertex_count + random_below(&random, 9);
        else
            mesh.positions[3 * at] = NAN;
    }
    rico_mesh view = mesh_view(&mesh);
    rico_mesh_report reports[ORDER_COUNT + 1];
    for (uint32_t i = 0; i <= ORDER_COUNT; ++i) {
        host h = {.order = (order)i, .threads = i == ORDER_COUNT ? 3 : 0};
        rico_scene_def def = rico_scene_def_default();
        rico_scene *scene;
        if (i > 0)
            def.runner = (rico_scene_runner){host_run, &h};
        CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
        CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, &reports[i], NULL),
                 RICO_OK);
        CHECK(i == 0 || h.calls >= PASSES + 1);
        CHECK_EQ(memcmp(&reports[i], &reports[0], sizeof reports[i]), 0);
        rico_scene_destroy(scene);
    }
    uint32_t dropped = reports[0].dropped_index + reports[0].dropped_not_finite;
    CHECK(reports[0].dropped_index > 300 && reports[0].dropped_not_finite > 300);
    CHECK_EQ(reports[0].kept + dropped, mesh.triangle_count);
    mesh_free(&mesh);
}
