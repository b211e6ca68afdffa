/* The nearest point of the scene, against every triangle in long double. */
#include "collision_volumes.h"
#include "nearest.h"
#include "scene_private.h"

static point64 wide(const float *v)
{
    return (point64){(long double)v[0], (long double)v[1], (long double)v[2]};
}

static long double triangle_distance(const rico__triangle *triangle, rico_vec3 p)
{
    point64 corner[3] = {wide(triangle->v), wide(triangle->v + 3), wide(triangle->v + 6)};
    return volume_distance(corner, wide(&p.x), NULL);
}

/* Positive in front of the triangle's plane. */
static long double side_of(const rico__triangle *t, rico_vec3 p)
{
    long double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (long double)t->v[3 + k] - (long double)t->v[k];
        v[k] = (long double)t->v[6 + k] - (long double)t->v[k];
        w[k] = (long double)(&p.x)[k] - (long double)t->v[k];
    }
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static const rico__triangle *find(const rico_scene *scene, const rico_nearest *found,
                                  rico__triangle *out)
{
    for (uint32_t i = 0; i < scene->triangle_count; ++i) {
        *out = scene_triangle(scene, i);
        if (out->collider == found->collider && out->triangle == found->triangle)
            return out;
    }
    return NULL;
}

/* Checks that brute force finds the same distance, and that no triangle with a smaller id is as
 * near. */
static bool check_nearest(const rico_scene *scene, rico_vec3 p, float radius)
{
    rico_nearest found = rico_scene_nearest(scene, NULL, p, radius, 0);
    rico__triangle on;
    long double least = INFINITY;
    for (uint32_t i = 0; i < scene->triangle_count; ++i) {
        rico__triangle triangle = scene_triangle(scene, i);
        if (!triangle.flat)
            least = fminl(least, triangle_distance(&triangle, p));
    }
    if (found.collider == 0) {
        CHECK_MSG(least > (long double)radius * (1 - 1.0e-6L), "%Lg away was not seen", least);
        CHECK(found.distance == radius && found.triangle == RICO_NO_TRIANGLE);
        return false;
    }
    CHECK(find(scene, &found, &on) != NULL && !on.flat && found.distance <= radius);
    CHECK_NEAR(found.distance, least, 1.0e-7L * least + 1.0e-12L);
    CHECK_NEAR(triangle_distance(&on, p), least, 1.0e-7L * least + 1.0e-12L);
    long double places = fabsl((long double)p.x) + fabsl((long double)p.y) +
                         fabsl((long double)p.z) + (long double)found.distance;
    CHECK_NEAR(triangle_distance(&on, found.point), 0, 1.0e-7L * places);
    CHECK_NEAR(vec3_length(vec3_sub(found.point, p)), least, 2.0e-7L * places);
    CHECK_NEAR(vec3_length(found.normal), 1, 1e-6);
    long double side = side_of(&on, p);
    CHECK(fabsl(side) < 1.0e-9L || found.back_face == (side < 0));
    for (uint32_t i = 0; i < scene->triangle_count; ++i) {
        rico__triangle t = scene_triangle(scene, i);
        bool smaller = t.collider < found.collider ||
                       (t.collider == found.collider && t.triangle < found.triangle);
        CHECK(t.flat || !smaller || triangle_distance(&t, p) > least * (1 - 1.0e-6L) - 1e-20L);
        if (!t.flat && smaller && memcmp(t.v, on.v, sizeof t.v) == 0)
            CHECK_MSG(false, "the same triangle with a smaller id was there");
    }
    return true;
}

static rico_vec3 random_point(fixture_random *random, const rico_scene *scene)
{
    rico__triangle triangle = scene_random_triangle(scene, random);
    rico_vec3 at = vec3(triangle.v[0], triangle.v[1], triangle.v[2]);
    float far = powf(10.0f, random_between(random, -5.0f, 1.0f));
    return random_below(random, 10) == 0 ? at : vec3_mad(at, random_direction(random), far);
}

TEST(collision, the_nearest_point_is_that_of_brute_force)
{
    fixture_random random = {101};
    for (int m = 0; m < 3; ++m) {
        fixture_mesh mesh = {0};
        if (m == 0)
            mesh_nasty(&mesh, &random, 400);
        else if (m == 1)
            mesh_peaks(&mesh, &random, 20);
        else
            mesh_sphere(&mesh, 1.0f, 3);
        rico_scene *scene = scene_of(&mesh, 0.0f);
        scene_add(scene, &mesh, (rico_transform){{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}, 0.9f});
        int near = 0, repeats = FIXTURE_MANY(1000);
        for (int i = 0; i < repeats; ++i) {
            float radius = i % 4 == 0 ? INFINITY : random_between(&random, 0.001f, 2.0f);
            near += check_nearest(scene, random_point(&random, scene), radius);
        }
        CHECK(near > repeats / 2 && near < repeats);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

/* Triangles as long and thin as can be, in all directions: no real mesh is so bad. */
TEST(collision, distances_from_slivers_are_exact_to_the_size_of_the_triangle)
{
    fixture_random random = {139};
    for (int i = 0; i < FIXTURE_REPEATS(100000); ++i) {
        double length = pow(10.0, (double)random_between(&random, 0, 4));
        double thin = length * pow(10.0, (double)random_between(&random, -14, 0));
        rico_vec3 d = random_direction(&random), e = random_direction(&random);
        rico_vec3 up = vec3_normalize(vec3_cross(d, e));
        /* Half of the points are above the inside of the triangle, the others beside it. */
        double place = (double)random_between(&random, 0.4f, 0.6f);
        double over = (double)random_between(&random, 0.0f, i % 2 ? 0.4f : 100.0f);
        rico__corners c;
        point64 corner[3], zero = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            double along = length * (double)(&d.x)[k], across = thin * (double)(&e.x)[k];
            c.p[0][k] = (double)(&up.x)[k] - along * place - across * over;
            c.p[1][k] = c.p[0][k] + along;
            c.p[2][k] = c.p[0][k] + 0.5 * along + across;
        }
        for (int j = 0; j < 3; ++j)
            corner[j] = (point64){(long double)c.p[j][0], (long double)c.p[j][1],
                                  (long double)c.p[j][2]};
        double q[3], distance = rico__corners_nearest(&c, q);
        CHECK_NEAR(distance, volume_distance(corner, zero, NULL), 1.0e-12 * length);
        CHECK_NEAR(sqrt(rico__dot(q, q)), distance, 1.0e-12 * length);
    }
}

static bool same(const rico_nearest *a, const rico_nearest *b)
{
    return memcmp(&a->distance, &b->distance, sizeof a->distance) == 0 &&
           a->collider == b->collider && a->triangle == b->triangle &&
           a->back_face == b->back_face && memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

typedef struct isa_case {
    const rico_scene *scene;
    const rico__nearest_frame *frame;
    const rico_nearest *expected;
} isa_case;

static void check_isa(void *user, int isa)
{
    const isa_case *c = user;
    rico__nearest_best best = rico__nearest_none(c->frame);
    rico__grid_nearest(scene_grid(c->scene), rico__volume_for_isa((rico__isa)isa), NULL,
                       c->frame, 0, &best);
    rico_nearest found = rico__nearest_answer(c->frame, &best);
    CHECK_MSG(same(&found, c->expected), "%s differs", rico__isa_name((rico__isa)isa));
}

TEST(collision, the_nearest_point_is_the_same_for_every_grid_and_kernel)
{
    static const float cells[] = {0.0f, 0.05f, 5.0f};
    fixture_random random = {103};
    fixture_mesh mesh = {0};
    mesh_nasty(&mesh, &random, 500);
    rico_scene *scenes[3];
    for (int c = 0; c < 3; ++c)
        scenes[c] = scene_of(&mesh, cells[c]);
    for (int i = 0; i < FIXTURE_REPEATS(4000); ++i) {
        rico__nearest_frame frame;
        rico_vec3 p = random_point(&random, scenes[0]);
        CHECK(rico__nearest_frame_init(&frame, p, INFINITY, 0));
        rico_nearest expected = rico_scene_nearest(scenes[0], NULL, p, INFINITY, 0);
        for (int c = 0; c < 3; ++c) {
            isa_case one = {scenes[c], &frame, &expected};
            each_isa(check_isa, &one);
        }
        /* A radius equal to the distance finds it; the next smaller float does not. */
        if (expected.distance == 0.0f)
            continue;
        rico_nearest within = rico_scene_nearest(scenes[1], NULL, p, expected.distance, 0);
        float less = nextafterf(expected.distance, 0.0f);
        CHECK(same(&within, &expected));
        CHECK(less == 0.0f || rico_scene_nearest(scenes[1], NULL, p, less, 0).collider == 0);
    }
    for (int c = 0; c < 3; ++c)
        rico_scene_destroy(scenes[c]);
    mesh_free(&mesh);
}

TEST(collision, the_nearest_point_of_a_placed_grid_is_in_the_world)
{
    fixture_random random = {107};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.0f, 300);
    rico_scene *local = scene_of(&mesh, 0.0f);
    for (int i = 0; i < FIXTURE_REPEATS(300); ++i) {
        rico_transform place = {vec3(3.0f, -2.0f, 1.0f), random_rotation(&random),
                                random_between(&random, 0.2f, 4.0f)};
        rico_scene *placed = scene_create_quiet(0.0f);
        scene_add(placed, &mesh, place);
        rico_vec3 p = random_point(&random, placed);
        rico__nearest_frame frame;
        CHECK(rico__nearest_frame_init(&frame, p, 100.0f, 0));
        rico__nearest_frame_place(&frame, &place);
        rico__nearest_best best = rico__nearest_none(&frame);
        rico__grid_nearest(scene_grid(local), &rico__volume_scalar, NULL, &frame, 7, &best);
        rico_nearest found = rico__nearest_answer(&frame, &best);
        rico_nearest expected = rico_scene_nearest(placed, NULL, p, 100.0f, 0);
        CHECK_EQ(found.collider, 7);
        CHECK_NEAR(found.distance, expected.distance, 4.0e-6);
        CHECK_NEAR(vec3_length(vec3_sub(found.point, p)), expected.distance, 4.0e-6);
        rico_scene_destroy(placed);
    }
    rico_scene_destroy(local);
    mesh_free(&mesh);
}

TEST(collision, the_nearest_point_does_not_see_what_the_filter_leaves_out)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    scene_add(scene, &mesh, (rico_transform){{0, 0, -1}, {0, 0, 0, 1}, 1.0f});
    rico_filter filter = {.layers = UINT32_MAX};
    rico_vec3 above = vec3(0, 0, 0.25f), below = vec3(0, 0, -0.25f);
    rico_nearest found = rico_scene_nearest(scene, &filter, below, 2.0f, 0);
    CHECK(found.collider == 1 && found.back_face && found.distance == 0.25f);
    CHECK(found.normal.z == 1.0f && found.point.z == 0.0f);
    CHECK(!rico_scene_nearest(scene, &filter, above, 2.0f, 0).back_face);
    CHECK_EQ(rico_scene_nearest(scene, &filter, below, 2.0f, 1).collider, 2);
    filter.skip_back_faces = true;
    CHECK_EQ(rico_scene_nearest(scene, &filter, below, 2.0f, 0).collider, 2);
    CHECK_EQ(rico_scene_nearest(scene, &filter, above, 2.0f, 0).collider, 1);
    filter = (rico_filter){.layers = 2};
    CHECK_EQ(rico_scene_nearest(scene, &filter, above, 2.0f, 0).collider, 0);
    filter = (rico_filter){.layers = 1, .ignored_layers = 1};
    CHECK_EQ(rico_scene_nearest(scene, &filter, above, 2.0f, 0).collider, 0);
    filter.ignored_layers = 2;
    CHECK_EQ(rico_scene_nearest(scene, &filter, above, 2.0f, 0).collider, 1);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, nothing_is_near_points_and_radii_out_of_range)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1.0e30f};
    fixture_random random = {109};
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    rico_scene *scene = scene_of(&mesh, 0.0f), *empty = scene_create_quiet(0.0f);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 4; ++i) {
            rico_vec3 p = vec3(0, 0, 0);
            (&p.x)[k] = odd[i];
            CHECK_EQ(rico_scene_nearest(scene, NULL, p, INFINITY, 0).collider, 0);
        }
    static const float radii[] = {0.0f, -0.0f, -1.0f, NAN, -INFINITY};
    for (int i = 0; i < 5; ++i) {
        rico_nearest found = rico_scene_nearest(scene, NULL, vec3(1, 0, 0), radii[i], 0);
        CHECK(found.collider == 0 && memcmp(&found.distance, &radii[i], sizeof radii[i]) == 0);
    }
    CHECK_EQ(rico_scene_nearest(empty, NULL, vec3(0, 0, 0), 1.0f, 0).collider, 0);
    CHECK(rico_scene_nearest(scene, NULL, vec3(1, 0, 0), 1.0e-45f, 0).distance == 0.0f);
    CHECK_EQ(rico_scene_nearest(scene, NULL, vec3(9.0e8f, 0, 0), INFINITY, 0).collider, 1);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        uint32_t bits[4];
        float value[4];
        for (int k = 0; k < 4; ++k)
            bits[k] = random_below(&random, UINT32_MAX) ^ random_below(&random, 2) << 31;
        memcpy(value, bits, sizeof bits);
        rico_nearest found =
            rico_scene_nearest(scene, NULL, vec3(value[0], value[1], value[2]), value[3], 0);
        CHECK(found.collider == 0 || found.distance <= value[3]);
    }
    rico_scene_destroy(scene);
    rico_scene_destroy(empty);
    mesh_free(&mesh);
}

/* The answer for one collider, wherever it is placed, is that of a scene that holds only its
 * shape at the origin. */
TEST(collision, the_nearest_point_of_one_collider_is_in_its_shapes_space)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_BOX, RICO_SHAPE_SPHERE,
                                            RICO_SHAPE_CAPSULE, RICO_SHAPE_PLANE};
    fixture_random random = {113};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        rico_scene *alone = scene_create_quiet(0.0f), *among = scene_create_quiet(0.0f);
        rico_shape_def def = rico_shape_def_default();
        rico_collider_def place = rico_collider_def_default();
        rico_collider_id id;
        def.kind = kinds[k];
        def.half_size = vec3(0.7f, 0.4f, 0.2f);
        def.radius = 0.5f;
        def.half_length = 0.3f;
        def.surface = 9;
        CHECK_EQ(rico_scene_add_shape(alone, &def, NULL, &place.shape), RICO_OK);
        CHECK_EQ(rico_scene_add(alone, &place, &id), RICO_OK);
        CHECK_EQ(rico_scene_add_shape(among, &def, NULL, &place.shape), RICO_OK);
        CHECK_EQ(rico_scene_add(among, &place, &id), RICO_OK);
        place.motion.transform =
            (rico_transform){vec3(3.0f, -2.0f, 1.0f), random_rotation(&random), 2.5f};
        CHECK_EQ(rico_scene_add(among, &place, &id), RICO_OK);
        for (int i = 0; i < FIXTURE_REPEATS(500); ++i) {
            rico_vec3 p =
                vec3(random_between(&random, -1.2f, 1.2f), random_between(&random, -1.2f, 1.2f),
                     random_between(&random, -1.2f, 1.2f));
            rico_nearest found = rico_scene_nearest_collider(among, id.index1, p, 0.6f);
            rico_nearest expected = rico_scene_nearest(alone, NULL, p, 0.6f, 0);
            CHECK_EQ(found.collider, expected.collider != 0 ? id.index1 : 0);
            CHECK(found.distance == expected.distance && found.triangle == expected.triangle);
            CHECK(found.surface == expected.surface && found.back_face == expected.back_face);
            CHECK(vec3_length(vec3_sub(found.point, expected.point)) == 0.0f);
            CHECK(vec3_length(vec3_sub(found.normal, expected.normal)) == 0.0f);
        }
        CHECK_EQ(rico_scene_nearest_collider(among, id.index1, vec3(0, 0, NAN), 1.0f).collider,
                 0);
        rico_scene_destroy(alone);
        rico_scene_destroy(among);
    }
}

TEST(collision, nothing_is_near_of_slots_that_are_free_or_lie_in_the_world)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    rico_scene *scene = scene_of(&mesh, 0.0f); /* slot 1 */
    static const uint32_t slots[] = {0, 1, 2, 1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i) {
        rico_nearest found = rico_scene_nearest_collider(scene, slots[i], vec3(1, 0, 0), 2.0f);
        CHECK(found.collider == 0 && found.distance == 2.0f);
        CHECK_EQ(found.triangle, RICO_NO_TRIANGLE);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
