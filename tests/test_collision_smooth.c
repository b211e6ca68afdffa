/* Smooth normals. */
#include "collision_fixture.h"
#include "memory.h"
#include "placed_mesh.h"
#include "smooth.h"

typedef struct smooth_mesh {
    rico__memory memory;
    rico__placed_mesh placed;
    rico__triangles triangles;
    rico__smooth_face *faces;
} smooth_mesh;

static smooth_mesh smooth_of(const fixture_mesh *mesh, float crease_angle)
{
    smooth_mesh s;
    rico__memory_init(&s.memory, NULL);
    rico_mesh view = mesh_view(mesh);
    rico_transform identity = RICO_TRANSFORM_IDENTITY;
    CHECK(rico__placed_mesh_make(&s.placed, &s.memory, &view, &identity, mesh->triangle_count,
                                 1));
    s.triangles = (rico__triangles){s.placed.vertices, s.placed.faces};
    s.faces = rico__smooth_make(&s.memory, &s.triangles, s.placed.face_count,
                                s.placed.vertex_count, crease_angle);
    CHECK(s.faces != NULL);
    return s;
}

static void smooth_free(smooth_mesh *s)
{
    rico__memory_release(&s->memory, s->faces, s->placed.face_count, sizeof *s->faces,
                         RICO_CACHE_LINE);
    rico__placed_mesh_release(&s->placed, &s->memory);
    CHECK_EQ(s->memory.live_bytes, 0);
}

/* A pipe around z with sides of two triangles. Every third side is cut along its other diagonal. */
static void mesh_pipe(fixture_mesh *mesh, uint32_t sides)
{
    for (uint32_t i = 0; i < sides; ++i) {
        float a = 6.2831853f * (float)i / (float)sides;
        mesh_vertex(mesh, vec3(cosf(a), sinf(a), -1.0f));
        mesh_vertex(mesh, vec3(cosf(a), sinf(a), 1.0f));
    }
    for (uint32_t i = 0; i < sides; ++i) {
        uint32_t a = 2 * i, b = 2 * ((i + 1) % sides);
        bool cut = i % 3 == 0;
        mesh_triangle(mesh, a, b, cut ? a + 1 : b + 1);
        mesh_triangle(mesh, cut ? b : a, b + 1, a + 1);
    }
}

static rico_vec3 geometric_normal(const rico__triangle *t)
{
    const float *v = t->v;
    rico_vec3 a = vec3(v[0], v[1], v[2]);
    return vec3_normalize(
        vec3_cross(vec3_sub(vec3(v[3], v[4], v[5]), a), vec3_sub(vec3(v[6], v[7], v[8]), a)));
}

static const rico_vec3 no_ray = {0.0f, 0.0f, 0.0f};

static rico_vec3 normal_at(const smooth_mesh *s, uint32_t face, const double p[3])
{
    rico__triangle t = rico__triangle_at(&s->triangles, face);
    return rico__smooth_normal(&s->faces[face], &t, p, geometric_normal(&t), no_ray);
}

TEST(collision, packed_normals_are_within_7e_5_radians)
{
    fixture_random random = {113};
    for (int i = 0; i < 20000; ++i) {
        rico_vec3 d = random_direction(&random);
        if (i < 27)
            d = vec3_normalize(
                vec3((float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1)));
        double in[3] = {(double)d.x, (double)d.y, (double)d.z}, out[3], square = 0.0,
               length = 0.0;
        rico__normal_unpack(rico__normal_pack(in), out);
        for (int k = 0; k < 3; ++k) {
            square += (in[k] - out[k]) * (in[k] - out[k]);
            length += out[k] * out[k];
        }
        CHECK_NEAR(length, 1.0, 1e-12);
        CHECK_MSG(sqrt(square) < 7e-5, "off by %g", sqrt(square));
    }
}

/* Walks around a pipe at several heights. The normal is radial at the corners, turns steadily,
 * and does not depend on how the sides are cut. */
TEST(collision, smooth_normals_of_a_faceted_pipe_vary_continuously)
{
    enum { SIDES = 24, STEPS = 2400 };
    fixture_mesh mesh = {0};
    mesh_pipe(&mesh, SIDES);
    smooth_mesh s = smooth_of(&mesh, 0.5f);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    for (int h = -4; h <= 4; ++h) {
        double before = 0.0;
        for (int i = 0; i <= STEPS; ++i) {
            double angle = 6.283185307179586 * (i + 0.37) / (double)STEPS;
            rico_ray ray = {{0.0f, 0.0f, 0.2f * (float)h},
                            10.0f,
                            {(float)cos(angle), (float)sin(angle), 0.0f},
                            0};
            rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
            CHECK(hit.triangle < mesh.triangle_count);
            double p[3] = {cos(angle) * (double)hit.t, sin(angle) * (double)hit.t,
                           0.2 * (double)h};
            rico_vec3 n = normal_at(&s, hit.triangle, p);
            double turned = atan2((double)n.y, (double)n.x) - angle;
            turned -= 6.283185307179586 * floor(turned / 6.283185307179586 + 0.5);
            CHECK_NEAR(n.z, 0.0, 1e-4);
            CHECK_NEAR(turned, 0.0, 0.01); /* facets turn by 0.26 */
            if (i > 0)
                CHECK_NEAR(turned, before, 0.001); /* a step turns by 0.0026 */
            before = turned;
        }
    }
    rico_scene_destroy(scene);
    smooth_free(&s);
    mesh_free(&mesh);
}

TEST(collision, smooth_normals_keep_creases)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    smooth_mesh sharp = smooth_of(&mesh, 1.5f), round = smooth_of(&mesh, 1.6f);
    fixture_random random = {127};
    double most = 0.0;
    for (uint32_t face = 0; face < 12; ++face) {
        rico__triangle t = rico__triangle_at(&sharp.triangles, face);
        rico_vec3 own = geometric_normal(&t);
        for (int i = 0; i < 100; ++i) {
            double p[3], u = (double)random_between(&random, 0.0f, 0.5f);
            double w = (double)random_between(&random, 0.0f, 0.5f);
            for (int k = 0; k < 3; ++k)
                p[k] = (1.0 - u - w) * (double)t.v[k] + u * (double)t.v[3 + k] +
                       w * (double)t.v[6 + k];
            CHECK(vec3_dot(normal_at(&sharp, face, p), own) > 0.999999f);
            most = fmax(most, 1.0 - (double)vec3_dot(normal_at(&round, face, p), own));
        }
    }
    CHECK(most > 0.1);
    smooth_free(&sharp);
    smooth_free(&round);
    mesh_free(&mesh);
}

TEST(collision, a_smooth_normal_never_turns_away_from_the_ray)
{
    fixture_random random = {131};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 0);
    mesh_scatter(&mesh, &random, 1.0f, 300);
    mesh_loose(&mesh, vec3(0, 0, 0), vec3(1, 0, 0), vec3(2, 0, 0)); /* no area */
    smooth_mesh s = smooth_of(&mesh, 3.1415925f);
    uint32_t bent = 0;
    for (int i = 0; i < 50000; ++i) {
        uint32_t face = random_below(&random, i % 2 ? 20 : mesh.triangle_count);
        rico__triangle t = rico__triangle_at(&s.triangles, face);
        rico_vec3 own = geometric_normal(&t), d = random_direction(&random);
        if (i % 3 == 0) /* nearly along the surface */
            d = vec3_sub(d, vec3_scale(own, 0.999f * vec3_dot(d, own)));
        if (vec3_dot(own, d) > 0.0f)
            own = vec3_neg(own);
        const double p[3] = {(double)t.v[0], (double)t.v[1], (double)t.v[2]};
        rico_vec3 n = rico__smooth_normal(&s.faces[face], &t, p, own, d);
        rico_vec3 free = rico__smooth_normal(&s.faces[face], &t, p, own, no_ray);
        CHECK_NEAR(vec3_length(n), 1.0, 1e-5);
        CHECK(t.flat || vec3_dot(n, d) <= 1e-6f);
        CHECK(t.flat || vec3_dot(free, own) > -1e-4f);
        bent += memcmp(&n, &free, sizeof n) != 0;
    }
    CHECK(bent > 100);
    smooth_free(&s);
    mesh_free(&mesh);
}

/* The normals of all faces point upwards on average; a few hundred neighbouring faces lean to
 * their side. */
TEST(collision, a_fan_of_thousands_of_faces_is_smoothed_by_looking_at_hundreds)
{
    enum { SIDES = 10000 };
    fixture_mesh mesh = {0};
    mesh_vertex(&mesh, vec3(0.0f, 0.0f, 1.0f));
    for (uint32_t i = 0; i < SIDES; ++i) {
        float a = 6.2831853f * (float)i / (float)SIDES;
        mesh_vertex(&mesh, vec3(cosf(a), sinf(a), 0.0f));
    }
    for (uint32_t i = 0; i < SIDES; ++i)
        mesh_triangle(&mesh, 0, i + 1, (i + 1) % SIDES + 1);
    smooth_mesh s = smooth_of(&mesh, 3.1415925f);
    const double tip[3] = {0.0, 0.0, 1.0};
    for (uint32_t face = 5; face < SIDES; face += SIDES / 2) {
        rico__triangle t = rico__triangle_at(&s.triangles, face);
        CHECK(vec3_dot(normal_at(&s, face, tip), geometric_normal(&t)) > 0.9f);
    }
    smooth_free(&s);
    mesh_free(&mesh);
}
