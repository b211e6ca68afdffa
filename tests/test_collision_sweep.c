/* Swept spheres and ellipsoids. */
#include "collision_sweep.h"
#include "scene_private.h"
#include "sweep.h"

TEST(collision, a_sweep_is_clear_before_its_first_contact_and_touches_there)
{
    fixture_random random = {71};
    for (int m = 0; m < 3; ++m) {
        fixture_mesh mesh = {0};
        if (m == 0)
            mesh_nasty(&mesh, &random, 400);
        else if (m == 1)
            mesh_peaks(&mesh, &random, 16);
        else
            mesh_scatter(&mesh, &random, 3.0f, 600);
        rico_scene *scene = scene_of(&mesh, 0.0f);
        int contacts = 0, overlaps = 0, repeats = FIXTURE_REPEATS(1200);
        for (int i = 0; i < repeats; ++i) {
            rico_sweep sweep = random_sweep(&random, scene);
            rico_sweep_hit hit = check_sweep(scene, &sweep);
            contacts += hit.collider != 0 && !hit.overlaps;
            overlaps += hit.overlaps;
        }
        CHECK(contacts > repeats / 20 && overlaps > repeats / 20);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

/* Moves past, along and onto the features of a box, at distances of one radius or the next
 * floats. */
TEST(collision, a_sweep_that_grazes_slides_or_rests_is_neither_late_nor_early)
{
    fixture_random random = {73};
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    for (int i = 0; i < FIXTURE_REPEATS(3000); ++i) {
        float r = i % 3 == 0 ? 0.5f : random_between(&random, 0.05f, 1.0f);
        rico_sweep sweep = {.radii = {r, r, r}, .rotation = {0, 0, 0, 1}};
        float *center = &sweep.center.x, *motion = &sweep.motion.x;
        float nudge = (float)((int)random_below(&random, 5) - 2) * 0x1p-24f;
        uint32_t up = random_below(&random, 3), on = random_below(&random, 2);
        for (uint32_t k = 0; k < 3; ++k) {
            center[k] = (float)((int)random_below(&random, 9) - 4) * 0.5f;
            motion[k] = (float)((int)random_below(&random, 9) - 4) * 0.5f;
        }
        center[up] = 1.0f + r + nudge * 4.0f;
        motion[up] = on ? 0.0f : nudge * 16.0f;
        check_sweep(scene, &sweep);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, sweeps_of_extreme_shapes_and_places_are_held_to_the_same)
{
    fixture_random random = {79};
    static const float places[] = {0.0f, 3000.0f, 100000.0f};
    for (int p = 0; p < 3; ++p) {
        fixture_mesh mesh = {0};
        mesh_scatter(&mesh, &random, 2.0f, 300);
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_transform place = RICO_TRANSFORM_IDENTITY;
        place.position = vec3(places[p], -places[p], places[p] * 0.5f);
        scene_add(scene, &mesh, place);
        for (int i = 0; i < FIXTURE_MANY(1000); ++i) {
            rico_sweep sweep = random_sweep(&random, scene);
            float small = powf(10.0f, random_between(&random, -4.0f, -1.0f));
            sweep.radii = vec3(small, small * 1.01f, small * (i % 2 ? 99.0f : 1.0f));
            if (i % 3 == 0)
                sweep.motion = vec3_scale(random_direction(&random), i % 2 ? 30.0f : 0.0f);
            check_sweep(scene, &sweep);
        }
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

/* --- one answer --- */

/* The best of the contacts of all triangles, each of which is in a grid of its own. */
static rico_sweep_hit best_of_each(rico_scene *const *alone, uint32_t count,
                                   const rico_sweep *sweep)
{
    rico__sweep_frame frame;
    rico__sweep_best best = rico__sweep_none();
    CHECK(rico__sweep_frame_init(&frame, sweep));
    for (uint32_t i = 0; i < count; ++i) {
        rico__sweep_best found = rico__sweep_none();
        rico__grid_sweep(scene_grid(alone[i]), &rico__volume_scalar, NULL, &frame, 1, &found);
        if (found.collider == 0)
            continue;
        found.triangle = i;
        rico__sweep_take(&best, &found);
    }
    return rico__sweep_answer(&frame, &best);
}

typedef struct isa_case {
    const rico_scene *scene;
    const rico_sweep *sweep;
    const rico_sweep_hit *expected;
} isa_case;

static void check_isa(void *user, int isa)
{
    const isa_case *c = user;
    rico__sweep_frame frame;
    rico__sweep_best best = rico__sweep_none();
    CHECK(rico__sweep_frame_init(&frame, c->sweep));
    rico__grid_sweep(scene_grid(c->scene), rico__volume_for_isa((rico__isa)isa), NULL, &frame,
                     0, &best);
    rico_sweep_hit hit = rico__sweep_answer(&frame, &best);
    CHECK_MSG(sweep_hits_equal(&hit, c->expected), "%s differs",
              rico__isa_name((rico__isa)isa));
}

/* A sweep has one answer: in grids of three cell sizes, with every kernel, alone and in a batch. */
static void check_one_answer(fixture_random *random, const fixture_mesh *mesh, int repeats)
{
    static const float cells[] = {0.0f, 0.05f, 5.0f};
    rico_scene *scenes[3], **alone = calloc(mesh->triangle_count, sizeof *alone);
    for (int c = 0; c < 3; ++c)
        scenes[c] = scene_of(mesh, cells[c]);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        rico_mesh view = mesh_view(mesh);
        view.indices += 3 * (size_t)i;
        view.triangle_count = 1;
        alone[i] = scene_create_quiet(0.0f);
        CHECK_EQ(rico_scene_add_mesh(alone[i], &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
                 RICO_OK);
    }
    for (int i = 0; i < repeats; ++i) {
        rico_sweep sweep = random_sweep(random, scenes[0]);
        rico_sweep_hit expected = best_of_each(alone, mesh->triangle_count, &sweep);
        for (int c = 0; c < 3; ++c) {
            isa_case one = {scenes[c], &sweep, &expected};
            rico_sweep_hit batch[3];
            rico_sweep same[3] = {sweep, sweep, sweep};
            each_isa(check_isa, &one);
            rico_scene_sweep_batch(scenes[c], NULL, same, batch, 3);
            CHECK(sweep_hits_equal(&batch[0], &expected) &&
                  sweep_hits_equal(&batch[2], &expected));
        }
    }
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
        rico_scene_destroy(alone[i]);
    for (int c = 0; c < 3; ++c)
        rico_scene_destroy(scenes[c]);
    free(alone);
}

TEST(collision, a_sweeps_answer_is_the_best_of_all_triangles_whatever_grid_and_kernel)
{
    fixture_random random = {83};
    fixture_mesh nasty = {0}, peaks = {0};
    mesh_nasty(&nasty, &random, 500);
    mesh_peaks(&peaks, &random, 16);
    check_one_answer(&random, &nasty, FIXTURE_MANY(500));
    check_one_answer(&random, &peaks, FIXTURE_MANY(1500));
    mesh_free(&nasty);
    mesh_free(&peaks);
}

TEST(collision, equal_contacts_of_a_sweep_go_to_the_smaller_collider_and_triangle)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    mesh_triangle(&mesh, 0, 1, 2);
    mesh_triangle(&mesh, 0, 2, 1);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    rico_sweep sweep = {{0, 0, 2}, {0.5f, 0.5f, 0.5f}, {0, 0, 0, 1}, {0, 0, -4}, 0};
    rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweep);
    CHECK(hit.collider == 1 && hit.triangle == 0 && !hit.overlaps);
    CHECK_NEAR(hit.t, 0.375, 1e-7);
    CHECK(hit.normal.z == 1.0f);
    sweep.ignore = 1;
    hit = rico_scene_sweep(scene, NULL, &sweep);
    CHECK(hit.collider == 2 && hit.triangle == 0);
    /* The deeper overlap wins: the second mesh is nearer to the centre. */
    sweep.ignore = 0;
    sweep.center = vec3(0, 0, 0.25f);
    rico_scene *two = scene_of(&mesh, 0.0f);
    scene_add(two, &mesh, (rico_transform){{0, 0, 0.125f}, {0, 0, 0, 1}, 1.0f});
    hit = rico_scene_sweep(two, NULL, &sweep);
    CHECK(hit.overlaps && hit.collider == 2 && hit.triangle == 0 && hit.t == 0.0f);
    CHECK_NEAR(hit.depth, 0.375, 1e-6);
    rico_scene_destroy(two);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* --- filters and limits --- */

/* Marks a triangle as removed, as an edit does. */
static void punch(rico_scene *scene, uint32_t id)
{
    scene->shapes[0].part.faces[id].triangle = RICO_NO_TRIANGLE;
}

TEST(collision, removed_triangles_and_layers_are_left_out_of_sweeps_nearest_and_gathers)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    mesh_loose(&mesh, vec3(-1, -1, -1), vec3(1, -1, -1), vec3(0, 1, -1));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_sweep sweep = {{0, 0, 2}, {0.5f, 0.5f, 0.5f}, {0, 0, 0, 1}, {0, 0, -4}, 0};
    rico_box box = {vec3(-1, -1, -1), vec3(1, 1, 1)};
    const uint32_t layers[1] = {4};
    rico__cast_filter seen = {.layers = layers, .wanted = 4};
    rico__sweep_frame frame;
    CHECK_EQ(rico_scene_gather(scene, NULL, &box, NULL, 0), 2);
    punch(scene, 0);
    CHECK_EQ(rico_scene_sweep(scene, NULL, &sweep).triangle, 1);
    CHECK_EQ(rico_scene_nearest(scene, NULL, vec3(0, 0, 0.5f), 9.0f, 0).triangle, 1);
    CHECK_EQ(rico_scene_gather(scene, NULL, &box, NULL, 0), 1);
    CHECK(rico__sweep_frame_init(&frame, &sweep));
    for (int i = 0; i < 2; ++i, seen.wanted = 3) {
        rico__sweep_best best = rico__sweep_none();
        rico__grid_sweep(scene_grid(scene), &rico__volume_scalar, &seen, &frame, 0, &best);
        CHECK_EQ(best.collider, i == 0 ? 1 : 0);
    }
    rico_filter filter = {.layers = 2};
    CHECK_EQ(rico_scene_gather(scene, &filter, &box, NULL, 0), 0);
    filter = (rico_filter){.layers = 1, .skip_back_faces = true};
    CHECK_EQ(rico_scene_gather(scene, &filter, &box, NULL, 0), 1);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, a_sweep_does_not_see_what_the_filter_leaves_out)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_filter filter = {.layers = UINT32_MAX};
    rico_sweep down = {{0, 0, 2}, {0.5f, 0.5f, 0.5f}, {0, 0, 0, 1}, {0, 0, -4}, 0};
    rico_sweep up = {{0, 0, -2}, {0.5f, 0.5f, 0.5f}, {0, 0, 0, 1}, {0, 0, 4}, 0};
    CHECK_EQ(rico_scene_sweep(scene, &filter, &down).collider, 1);
    CHECK_EQ(rico_scene_sweep(scene, &filter, &up).collider, 1);
    CHECK(rico_scene_sweep(scene, &filter, &up).normal.z == -1.0f);
    filter.skip_back_faces = true;
    CHECK_EQ(rico_scene_sweep(scene, &filter, &down).collider, 1);
    CHECK_EQ(rico_scene_sweep(scene, &filter, &up).collider, 0);
    up.center.z = -0.25f; /* overlaps from behind */
    CHECK_EQ(rico_scene_sweep(scene, &filter, &up).collider, 0);
    filter = (rico_filter){.layers = 0x80000000u};
    CHECK_EQ(rico_scene_sweep(scene, &filter, &down).collider, 0);
    filter = (rico_filter){.layers = UINT32_MAX, .ignored_layers = 1};
    CHECK_EQ(rico_scene_sweep(scene, &filter, &down).collider, 0);
    filter.ignored_layers = 2;
    CHECK_EQ(rico_scene_sweep(scene, &filter, &down).collider, 1);
    down.ignore = 1;
    CHECK_EQ(rico_scene_sweep(scene, NULL, &down).collider, 0);
    down.ignore = 7;
    CHECK_EQ(rico_scene_sweep(scene, NULL, &down).collider, 1);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, sweeps_out_of_range_meet_nothing)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1.0e30f, -1.0f};
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    rico_scene *scene = scene_of(&mesh, 0.0f), *empty = scene_create_quiet(0.0f);
    rico_sweep good = {{0, 0, 2}, {0.5f, 0.5f, 0.5f}, {0, 0, 0, 1}, {0, 0, -4}, 0};
    CHECK_EQ(rico_scene_sweep(scene, NULL, &good).collider, 1);
    CHECK_EQ(rico_scene_sweep(empty, NULL, &good).collider, 0);
    for (int word = 0; word < 13; ++word)
        for (int i = 0; i < 5; ++i) {
            rico_sweep bad = good;
            if (i == 4 && (word < 3 || word > 5))
                continue; /* -1 is only out of range for radii */
            memcpy((char *)&bad + 4 * word, &odd[i], sizeof odd[i]);
            rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &bad);
            CHECK(hit.collider == 0 && hit.t == 1.0f && hit.triangle == RICO_NO_TRIANGLE);
        }
    rico_sweep bad[5] = {good, good, good, good, good};
    bad[0].radii.y = 0.004f; /* less than a hundredth */
    bad[1].radii = vec3(0.9e-4f, 0.9e-4f, 0.9e-4f);
    bad[2].radii = vec3(1100.0f, 1100.0f, 1100.0f);
    bad[3].motion = vec3(0, 0, -10010.0f);
    bad[4].rotation = (rico_quat){0, 0, 0, 0};
    for (int i = 0; i < 5; ++i)
        CHECK_EQ(rico_scene_sweep(scene, NULL, &bad[i]).collider, 0);
    rico_sweep tiny = good;
    tiny.center.z = 1.5f + 1.0e-7f;
    tiny.motion =
        vec3(1.0e-42f, -0.0f, -1.0e-42f); /* denormal: nothing is met, nothing breaks */
    CHECK(rico_scene_sweep(scene, NULL, &tiny).t >= 0.0f);
    rico_scene_destroy(scene);
    rico_scene_destroy(empty);
    mesh_free(&mesh);
}

TEST(collision, random_bits_as_sweeps_end_and_are_answered)
{
    fixture_random random = {89};
    fixture_mesh mesh = {0};
    mesh_nasty(&mesh, &random, 200);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_sweep sweep = random_sweep(&random, scene);
        uint32_t words = 1 + random_below(&random, 3);
        for (uint32_t w = 0; w < words; ++w) {
            uint32_t bits = random_below(&random, UINT32_MAX) ^ random_below(&random, 2) << 31;
            memcpy((char *)&sweep + 4 * (size_t)random_below(&random, 13), &bits, sizeof bits);
        }
        rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweep);
        CHECK(hit.t >= 0.0f && hit.t <= 1.0f && hit.depth >= 0.0f);
        CHECK(hit.collider != 0 || hit.t == 1.0f);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* In a large scene, checked against the triangles near the sweep. */
static void check_in_scene(const char *name)
{
    fixture_mesh mesh = {0};
    if (mesh_read_scene(&mesh, name)) {
        fixture_random random = {137};
        rico_scene *scene = scene_of(&mesh, 0.0f);
        for (int i = 0; i < FIXTURE_REPEATS(60); ++i) {
            rico_sweep sweep = random_sweep(&random, scene);
            check_sweep(scene, &sweep);
        }
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

TEST(collision, sweeps_in_sponza_are_clear_before_their_first_contact)
{
    check_in_scene("sponza.obj");
}

TEST(collision, sweeps_in_the_dungeon_are_clear_before_their_first_contact)
{
    check_in_scene("dungeon.obj");
}

/* --- placed grids --- */

TEST(collision, a_sweep_meets_a_placed_grid_where_it_is_placed)
{
    fixture_random random = {97};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.0f, 200);
    rico_scene *local = scene_of(&mesh, 0.0f);
    int contacts = 0;
    for (int p = 0; p < 8; ++p) {
        rico_transform place = {vec3(3.0f, -2.0f, 1.0f), random_rotation(&random),
                                random_between(&random, 0.2f, 4.0f)};
        rico_scene *placed = scene_create_quiet(0.0f);
        scene_add(placed, &mesh, place);
        for (int i = 0; i < FIXTURE_REPEATS(200); ++i) {
            rico_sweep sweep = random_sweep(&random, placed);
            rico_sweep_hit expected = rico_scene_sweep(placed, NULL, &sweep);
            rico__sweep_frame frame;
            rico__sweep_best best = rico__sweep_none();
            CHECK(rico__sweep_frame_init(&frame, &sweep));
            rico__sweep_frame_place(&frame, &place);
            rico__grid_sweep(scene_grid(local), &rico__volume_scalar, NULL, &frame, 5, &best);
            rico_sweep_hit hit = rico__sweep_answer(&frame, &best);
            /* Placed corners have been rounded by 1e-6 m; here the radii are 1 cm. */
            float way = vec3_length(sweep.motion) * fabsf(hit.t - expected.t);
            bool grazes =
                hit.triangle != expected.triangle || hit.overlaps != expected.overlaps;
            if (grazes)
                continue;
            contacts += hit.collider == 5;
            CHECK(hit.collider == (expected.collider ? 5u : 0u));
            if (!hit.collider || way > 0.001f)
                continue;
            CHECK_NEAR(vec3_length(vec3_sub(hit.point, expected.point)), 0, 0.02);
        }
        rico_scene_destroy(placed);
    }
    CHECK(contacts > FIXTURE_REPEATS(200));
    rico_scene_destroy(local);
    mesh_free(&mesh);
}
