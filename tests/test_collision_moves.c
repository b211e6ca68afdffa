/* Colliders that change their place: moves, and shifts of the origin. */
#include "collision_crowd.h"

TEST(collision, moves_are_made_all_or_none)
{
    crowd *c = crowd_create(227);
    for (int i = 0; i < 3; ++i)
        crowd_add(c, i == 2);
    rico_motion motions[3] = {c->members[0].motion, c->members[1].motion, c->members[0].motion};
    rico_collider_id ids[3] = {c->members[0].id, c->members[1].id, c->members[2].id};
    uint32_t version = rico_scene_version(c->scene);
    motions[0].transform.position = vec3(9.0f, 9.0f, 9.0f);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    ids[2].index1 = 77;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_STALE_ID);
    ids[2] = ids[1];
    motions[2].velocity.y = NAN;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_NOT_FINITE);
    motions[2] = motions[0];
    motions[2].transform.scale = 1.0e-7f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    motions[2] = motions[0];
    motions[2].transform.position.z = -1.000001e6f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 0), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version);
    crowd_check(c, 0);
    motions[2] = motions[0];
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version + 1);
    c->members[0].motion = motions[0];
    c->members[1].motion = motions[2]; /* the later of the two */
    c->members[0].version = c->members[1].version = version + 1;
    crowd_check(c, 0);
    crowd_destroy(c);
}

TEST(collision, shifting_the_origin_keeps_every_answer_where_it_is_exact)
{
    fixture_random random = {239};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 500);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i) /* 4096ths: exact up to 4 km */
        mesh.positions[i] = floorf(mesh.positions[i] * 4096.0f) / 4096.0f;
    rico_scene *here = scene_create_quiet(0.0f), *there = scene_create_quiet(0.0f);
    const rico_vec3 by = vec3(512.0f, -256.5f, 3.25f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.mesh = mesh_view(&mesh);
    for (int i = 0; i < 2; ++i) {
        rico_scene *scene = i == 0 ? here : there;
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_merge(scene), RICO_OK);
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.position = vec3(1.0f, 2.0f, 0.5f);
        CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
    }
    CHECK_EQ(rico_scene_shift_origin(there, vec3(NAN, 0.0f, 0.0f)), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_shift_origin(there, vec3(1.0e6f, 0.0f, 0.0f)), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_version(there), 3);
    CHECK_EQ(rico_scene_shift_origin(there, by), RICO_OK);
    CHECK_EQ(rico_scene_version(there), 4);
    for (uint32_t slot = 1; slot <= 3; ++slot)
        CHECK_EQ(rico_scene_collider_version(there, slot), 4);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = ray_near_surface(&random, here), moved;
        for (int k = 0; k < 3; ++k)
            (&ray.origin.x)[k] = floorf((&ray.origin.x)[k] * 4096.0f) / 4096.0f;
        moved = ray;
        moved.origin = vec3_sub(ray.origin, by);
        rico_hit a = rico_scene_raycast(here, NULL, &ray),
                 b = rico_scene_raycast(there, NULL, &moved);
        CHECK(hit_equal(&a, &b));
    }
    rico_scene_destroy(here);
    rico_scene_destroy(there);
    mesh_free(&mesh);
}

/* Specks that have no area where floats are coarse, and slivers along a diagonal that gain an
 * area where floats are coarse along one axis. */
static void add_thin_ones(fixture_mesh *mesh, fixture_random *random)
{
    mesh_scatter(mesh, random, 1.0f, 300);
    const uint32_t first = 3 * mesh->vertex_count;
    mesh_scatter(mesh, random, 1.0f, 300);
    for (uint32_t i = 0; i < first; ++i)
        mesh->positions[i] *= 1.0e-3f;
    for (uint32_t i = first; i < 3 * mesh->vertex_count; i += 3)
        mesh->positions[i] = mesh->positions[i + 1] = mesh->positions[i + 2];
}

enum { THIN_ONES = 600 };

static void gather_all(rico_scene *scene, rico_triangle out[THIN_ONES])
{
    const rico_box all = {vec3(-1.0e6f, -1.0e6f, -1.0e6f), vec3(1.0e6f, 1.0e6f, 1.0e6f)};
    CHECK_EQ(rico_scene_gather(scene, NULL, &all, out, THIN_ONES), THIN_ONES);
}

static bool has_area(const rico_triangle *t)
{
    double a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = (double)(&t->b.x)[k] - (double)(&t->a.x)[k];
        b[k] = (double)(&t->c.x)[k] - (double)(&t->a.x)[k];
    }
    return a[0] * b[1] != a[1] * b[0] || a[1] * b[2] != a[2] * b[1] ||
           a[2] * b[0] != a[0] * b[2];
}

/* A triangle without area is never the nearest. */
static void compare_nearest(rico_scene *one, rico_scene *other, rico_vec3 p)
{
    rico_nearest a = rico_scene_nearest(one, NULL, p, 0.01f, 0);
    rico_nearest b = rico_scene_nearest(other, NULL, p, 0.01f, 0);
    CHECK(a.collider == b.collider && a.triangle == b.triangle && a.distance == b.distance);
}

/* Compares the hits of rays along an axis at the triangle's corners. */
static uint32_t compare_hits(rico_scene *one, rico_scene *other, const rico_triangle *t,
                             rico_vec3 way)
{
    uint32_t hits = 0;
    const rico_vec3 corners[3] = {t->a, t->b, t->c};
    for (int k = 0; k < 3; ++k) {
        rico_ray ray = {
            .origin = vec3_mad(corners[k], way, -2.0f), .t_max = 4.0f, .direction = way};
        rico_hit a = rico_scene_raycast(one, NULL, &ray);
        rico_hit b = rico_scene_raycast(other, NULL, &ray);
        CHECK(hit_equal(&a, &b));
        CHECK(a.collider == 0 || vec3_dot(a.normal, a.normal) > 0.9f);
        hits += a.collider != 0;
    }
    return hits;
}

/* As if the mesh had been added at its present place: the corners' place decides which triangles
 * have an area. */
TEST(collision, shifting_the_origin_tells_anew_which_triangles_have_an_area)
{
    static rico_triangle before[THIN_ONES], after[THIN_ONES];
    fixture_random random = {311};
    fixture_mesh mesh = {0};
    add_thin_ones(&mesh, &random);
    const rico_vec3 by = vec3(8000.0f, -8000.3f, 1017.7f);
    rico_scene *scene = scene_create_quiet(0.0f), *other = scene_create_quiet(0.0f);
    scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    gather_all(scene, before);
    CHECK_EQ(rico_scene_shift_origin(scene, by), RICO_OK);
    gather_all(scene, after);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i)
        mesh.positions[i] -= (&by.x)[i % 3];
    scene_add(other, &mesh, RICO_TRANSFORM_IDENTITY);
    uint32_t lost = 0, won = 0, hits = 0;
    for (uint32_t i = 0; i < THIN_ONES; ++i) {
        lost += has_area(&before[i]) && !has_area(&after[i]);
        won += !has_area(&before[i]) && has_area(&after[i]);
        hits += compare_hits(scene, other, &after[i], vec3(0.0f, 0.0f, -1.0f));
        hits += compare_hits(scene, other, &after[i], vec3(1.0f, 0.0f, 0.0f));
        compare_nearest(scene, other, after[i].b);
    }
    CHECK_MSG(lost > 20 && won > 50 && hits > 300, "%u lost, %u won, %u hits", lost, won, hits);
    rico_scene_destroy(scene);
    rico_scene_destroy(other);
    mesh_free(&mesh);
}

TEST(collision, shifting_the_origin_keeps_count_of_what_was_removed)
{
    fixture_random random = {313};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.0f, 50);
    rico_scene *scene = scene_create_quiet(0.0f);
    scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    rico_collider_id gone = scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    CHECK_EQ(rico_scene_remove(scene, gone), RICO_OK);
    const rico_scene_stats before = rico_scene_get_stats(scene);
    CHECK_EQ(before.hole_count, 50);
    CHECK_EQ(rico_scene_shift_origin(scene, vec3(8.0f, 0.0f, 0.0f)), RICO_OK);
    rico_scene_stats after = rico_scene_get_stats(scene);
    CHECK_EQ(after.hole_count, 50);
    CHECK_EQ(after.triangle_count, before.triangle_count);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK); /* the holes go */
    CHECK_EQ(rico_scene_get_stats(scene).hole_count, 0);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

static void keep_last(void *user, rico_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 256, "%s", text);
}

TEST(collision, motions_that_are_no_numbers_are_refused_by_name)
{
    static const char *const names[] = {"transform.position", "velocity", "angular_velocity"};
    char said[256] = "";
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    def.log = (rico_log){keep_last, said};
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    rico_shape_def ball = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_collider_id id;
    ball.kind = RICO_SHAPE_SPHERE;
    ball.radius = 1.0f;
    CHECK_EQ(rico_scene_add_shape(scene, &ball, NULL, &collider.shape), RICO_OK);
    CHECK_EQ(rico_scene_add(scene, &collider, &id), RICO_OK);
    for (int k = 0; k < 3; ++k) {
        char expected[64];
        rico_motion motion = collider.motion;
        rico_vec3 *all[] = {&motion.transform.position, &motion.velocity,
                            &motion.angular_velocity};
        all[k]->y = NAN;
        CHECK_EQ(rico_scene_move(scene, &id, &motion, 1), RICO_NOT_FINITE);
        snprintf(expected, sizeof expected, ".%s", names[k]);
        CHECK_MSG(strstr(said, expected) != NULL, "%s", said);
    }
    rico_scene_destroy(scene);
}
