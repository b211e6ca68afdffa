/* Gathered triangles grouped into planes. */
#include "collision_fixture.h"
#include "scene_private.h"

enum { CAPACITY = 20000 };
static rico_triangle before[CAPACITY], after[CAPACITY];
static rico_surface surfaces[400];

static double height(const rico_plane *plane, const double p[3])
{
    return (double)plane->normal.x * p[0] + (double)plane->normal.y * p[1] +
           (double)plane->normal.z * p[2] - (double)plane->offset;
}

static bool triangles_equal(const rico_triangle *a, const rico_triangle *b)
{
    return a->collider == b->collider && a->triangle == b->triangle &&
           memcmp(&a->a, &b->a, 9 * sizeof(float)) == 0;
}

static uint32_t index_of(const rico_triangle *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (triangles_equal(t, &before[i]))
            return i;
    return UINT32_MAX;
}

static bool has_area(const rico_triangle *t)
{
    rico__triangle plain = {.collider = 0};
    memcpy(plain.v, &t->a, sizeof plain.v);
    return !rico__triangle_is_flat(&plain);
}

static double facing(const rico_triangle *t, const rico_vec3 *n)
{
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (double)(&t->b.x)[k] - (double)(&t->a.x)[k];
        v[k] = (double)(&t->c.x)[k] - (double)(&t->a.x)[k];
    }
    return (u[1] * v[2] - u[2] * v[1]) * (double)n->x +
           (u[2] * v[0] - u[0] * v[2]) * (double)n->y +
           (u[0] * v[1] - u[1] * v[0]) * (double)n->z;
}

static bool is_in_box(const rico_box *box, const double p[3], double slack)
{
    bool in = true;
    for (int k = 0; k < 3; ++k)
        in &=
            p[k] >= (double)(&box->lo.x)[k] - slack && p[k] <= (double)(&box->hi.x)[k] + slack;
    return in;
}

/* Points of the triangle inside the box must be in the surface's bounds and near its plane. */
static void check_points(fixture_random *random, const rico_surface *s, const rico_box *box,
                         const rico_triangle *t, double flatness)
{
    for (int n = 0; n < 40; ++n) {
        double u = (double)random_between(random, 0, 1),
               v = (double)random_between(random, 0, 1);
        double p[3], size = 1.0;
        if (u + v > 1) {
            u = 1 - u;
            v = 1 - v;
        }
        for (int k = 0; k < 3; ++k) {
            p[k] = (double)(&t->a.x)[k] * (1 - u - v) + (double)(&t->b.x)[k] * u +
                   (double)(&t->c.x)[k] * v;
            size += fabs(p[k]);
        }
        if (!is_in_box(box, p, 0.0))
            continue;
        CHECK(is_in_box(&s->box, p, 1e-6 * size));
        CHECK_MSG(fabs(height(&s->plane, p)) <= flatness + 1e-6 * size, "%g from the plane",
                  height(&s->plane, p));
    }
}

/* Checks everything that the contract says of an answer. Returns the number of groups. */
static uint32_t check_surfaces(const rico_scene *scene, const rico_box *box, float flatness,
                               uint32_t capacity)
{
    fixture_random random = {5};
    uint32_t count = rico_scene_gather(scene, NULL, box, before, CAPACITY);
    CHECK(count <= CAPACITY);
    memcpy(after, before, count * sizeof after[0]);
    uint32_t groups =
        rico_scene_surfaces(scene, box, flatness, after, count, surfaces, capacity);
    uint32_t kept = groups < capacity ? groups : capacity, at = 0, previous = 0;
    kept = kept < RICO_SURFACES_MAX ? kept : RICO_SURFACES_MAX;
    for (uint32_t n = 0; n < kept; ++n) {
        const rico_surface *s = &surfaces[n];
        double length = (double)vec3_length(s->plane.normal);
        CHECK(s->first == at && s->count > 0);
        for (uint32_t i = at; i < at + s->count; ++i) {
            uint32_t from = index_of(&after[i], count);
            CHECK(from != UINT32_MAX && after[i].collider == s->collider);
            CHECK_MSG(i == at || from > previous, "triangles of a surface lost their order");
            CHECK(i > at || n == 0 || from > index_of(&after[surfaces[n - 1].first], count));
            previous = from;
            CHECK(has_area(&after[i]) == (length > 0.5));
            if (length < 0.5)
                continue;
            CHECK(facing(&after[i], &s->plane.normal) > 0.0);
            check_points(&random, s, box, &after[i], (double)flatness);
        }
        at += s->count;
    }
    CHECK(groups > capacity || groups > RICO_SURFACES_MAX || at == count);
    for (uint32_t i = at; i < count; ++i) { /* the rest, in order */
        uint32_t from = index_of(&after[i], count);
        CHECK(from != UINT32_MAX && (i == at || from > previous));
        previous = from;
    }
    return groups;
}

TEST(collision, surfaces_of_a_box_are_its_six_sides_however_it_is_cut)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    for (int y = 0; y < 20; ++y) /* the top again, in 400 squares, and a pit beside it */
        for (int x = 0; x < 20; ++x) {
            rico_vec3 a = vec3(-1.0f + 0.1f * (float)x, -1.0f + 0.1f * (float)y, 1.0f);
            mesh_loose(&mesh, a, vec3(a.x + 0.1f, a.y, 1), vec3(a.x + 0.1f, a.y + 0.1f, 1));
            mesh_loose(&mesh, a, vec3(a.x + 0.1f, a.y + 0.1f, 1), vec3(a.x, a.y + 0.1f, 1));
        }
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_box all = {vec3(-2, -2, -2), vec3(2, 2, 2)};
    rico_box corner = {vec3(0.5f, 0.5f, 0.5f), vec3(1.5f, 1.5f, 1.5f)};
    CHECK_EQ(check_surfaces(scene, &all, 0.001f, 16), 6);
    CHECK_EQ(check_surfaces(scene, &all, 0.0f, 16), 6);
    CHECK_EQ(check_surfaces(scene, &corner, 0.001f, 16), 3);
    for (int n = 0; n < 3; ++n) {
        const rico_surface *s = &surfaces[n];
        CHECK(s->box.hi.x == 1.0f && s->box.hi.y == 1.0f && s->box.hi.z == 1.0f);
        CHECK(s->plane.offset == 1.0f);
        CHECK(s->plane.normal.x + s->plane.normal.y + s->plane.normal.z == 1.0f);
    }
    CHECK_EQ(check_surfaces(scene, &all, 0.001f, 2), 6);
    CHECK_EQ(check_surfaces(scene, &all, 0.001f, 0), 6);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, surfaces_keep_sides_colliders_and_steps_apart)
{
    fixture_mesh floor = {0}, back = {0};
    mesh_loose(&floor, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    mesh_loose(&back, vec3(-1, -1, 0), vec3(0, 1, 0), vec3(1, -1, 0));
    rico_scene *scene = scene_of(&floor, 0.0f);
    rico_transform up = RICO_TRANSFORM_IDENTITY;
    scene_add(scene, &back, up);
    rico_box box = {vec3(-1, -1, -1), vec3(1, 1, 1)};
    CHECK_EQ(check_surfaces(scene, &box, 0.01f, 16), 2);
    scene_add(scene, &floor, up);
    CHECK_EQ(check_surfaces(scene, &box, 0.01f, 16), 3);
    mesh_loose(&floor, vec3(-1, -1, 0.02f), vec3(1, -1, 0.02f), vec3(0, 1, 0.02f));
    mesh_loose(&floor, vec3(-1, -1, 0.005f), vec3(1, -1, 0.005f), vec3(0, 1, 0.005f));
    scene_add(scene, &floor, up);
    CHECK_EQ(check_surfaces(scene, &box, 0.01f, 16), 5);
    CHECK_EQ(check_surfaces(scene, &box, 0.03f, 16), 4);
    rico_scene_destroy(scene);
    mesh_free(&floor);
    mesh_free(&back);
}

/* A floor of four triangles with three surface numbers, and a box on it with one number for all
 * its sides. */
TEST(collision, surfaces_keep_surface_numbers_apart_and_name_them)
{
    static const float corners[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, 0};
    static const uint32_t indices[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    static const uint16_t numbers[] = {7, 9, 7, 65535};
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = 5,
                            .indices = indices,
                            .triangle_count = 4,
                            .surfaces = numbers};
    fixture_mesh none = {0};
    mesh_loose(&none, vec3(5, 5, 5), vec3(6, 5, 5), vec3(5, 6, 5));
    rico_scene *scene = scene_of(&none, 0.0f);
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    rico_shape_def def = rico_shape_def_default();
    def.kind = RICO_SHAPE_BOX;
    def.half_size = vec3(0.25f, 0.25f, 0.25f);
    def.surface = 3;
    rico_collider_def placed = rico_collider_def_default();
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &placed.shape), RICO_OK);
    placed.motion.transform.position.z = 0.25f;
    CHECK_EQ(rico_scene_add(scene, &placed, NULL), RICO_OK);
    rico_box box = {vec3(-2, -2, -2), vec3(2, 2, 2)};
    for (int merged = 0; merged < 2; ++merged) {
        CHECK_EQ(check_surfaces(scene, &box, 0.01f, 16), 3 + 6);
        CHECK(surfaces[0].surface == 7 && surfaces[0].count == 2);
        CHECK(surfaces[1].surface == 9 && surfaces[1].count == 1);
        CHECK(surfaces[2].surface == 65535 && surfaces[2].count == 1);
        for (int i = 3; i < 9; ++i)
            CHECK(surfaces[i].surface == 3 && surfaces[i].collider == 3);
        CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    }
    rico_scene_destroy(scene);
    mesh_free(&none);
}

TEST(collision, slivers_join_the_surface_that_they_lie_in)
{
    fixture_mesh mesh = {0};
    /* First a sliver, whose own plane is arbitrary: it leans by 45 degrees. */
    mesh_loose(&mesh, vec3(0, 0, 0), vec3(1, 0, 0), vec3(0.5f, 1.0e-7f, 1.0e-7f));
    mesh_loose(&mesh, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, 1, 0));
    mesh_loose(&mesh, vec3(0, 0, 0), vec3(1, 0, 0), vec3(0.5f, 1.0e-7f, 0));
    mesh_loose(&mesh, vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 0, 0));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_box box = {vec3(-1, -1, -1), vec3(1, 1, 1)};
    CHECK_EQ(check_surfaces(scene, &box, 0.001f, 16), 2);
    CHECK(surfaces[0].count == 3 && surfaces[0].plane.normal.z == 1.0f);
    CHECK(surfaces[1].count == 1 && surfaces[1].plane.normal.z == 0.0f); /* no area */
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, surfaces_of_random_boxes_hold_their_triangles_once_and_in_order)
{
    fixture_random random = {113};
    for (int m = 0; m < 2; ++m) {
        fixture_mesh mesh = {0};
        if (m == 0)
            mesh_scatter(&mesh, &random, 1.0f, 800);
        else
            mesh_sphere(&mesh, 1.0f, 3);
        rico_scene *scene = scene_of(&mesh, 0.0f);
        scene_add(scene, &mesh, (rico_transform){{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}, 0.9f});
        rico_box bounds = rico_scene_get_stats(scene).bounds;
        for (int i = 0; i < FIXTURE_REPEATS(150); ++i) {
            rico_vec3 at = random_in_box(&random, &bounds);
            float size = random_between(&random, 0.01f, i % 10 == 0 ? 2.0f : 0.4f);
            rico_box box = {vec3_sub(at, vec3(size, size, size)),
                            vec3_add(at, vec3(size, size, size))};
            check_surfaces(scene, &box, random_between(&random, 0.0f, 0.1f),
                           random_below(&random, 400));
        }
        rico_box all = {vec3(-9, -9, -9), vec3(9, 9, 9)};
        CHECK_EQ(check_surfaces(scene, &all, 0.0f, 400), RICO_SURFACES_MAX + 1);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

TEST(collision, surfaces_out_of_range_are_none)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_box good = {vec3(-2, -2, -2), vec3(2, 2, 2)}, bad = good;
    uint32_t count = rico_scene_gather(scene, NULL, &good, before, CAPACITY);
    static const float odd[] = {NAN, -1.0f, 0.2f, INFINITY};
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(rico_scene_surfaces(scene, &good, odd[i], before, count, surfaces, 9), 0);
    bad.lo.y = 3.0f;
    CHECK_EQ(rico_scene_surfaces(scene, &bad, 0.01f, before, count, surfaces, 9), 0);
    bad.lo.y = NAN;
    CHECK_EQ(rico_scene_surfaces(scene, &bad, 0.01f, before, count, surfaces, 9), 0);
    CHECK_EQ(rico_scene_surfaces(scene, &good, 0.01f, NULL, 0, NULL, 0), 0);
    for (uint32_t i = 0; i < count; ++i) /* triangles of any bits: it must answer and end */
        for (int k = 0; k < 9; ++k)
            (&before[i].a.x)[k] = odd[(i + (uint32_t)k) % 4];
    CHECK(rico_scene_surfaces(scene, &good, 0.01f, before, count, surfaces, 9) <= count);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
