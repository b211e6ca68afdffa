#include "closed_bodies.h"
#include "hull.h"

/* --- shapes, about 1 m around the origin --- */

static void add_seed(closed_body *body, rico_vec3 seed)
{
    body->seeds = realloc(body->seeds, (body->seed_count + 1) * sizeof *body->seeds);
    if (body->seeds == NULL)
        abort();
    body->seeds[body->seed_count++] = seed;
}

/* Adds the mean of the vertices as a seed. It is inside a convex body. */
static void seed_middle(closed_body *body)
{
    double sum[3] = {0.0, 0.0, 0.0};
    uint32_t count = body->mesh.vertex_count;
    for (uint32_t i = 0; i < 3 * count; ++i)
        sum[i % 3] += (double)body->mesh.positions[i] / count;
    add_seed(body, vec3((float)sum[0], (float)sum[1], (float)sum[2]));
}

static void make_box(closed_body *body, fixture_random *random)
{
    (void)random;
    mesh_box(&body->mesh, vec3(-1.0f, -0.5f, -0.75f), vec3(1.0f, 0.5f, 0.75f));
    seed_middle(body);
}

/* A thin, long plate: every ray meets it at a slant. */
static void make_plate(closed_body *body, fixture_random *random)
{
    (void)random;
    mesh_box(&body->mesh, vec3(-1.0f, -0.7f, -0.0005f), vec3(1.0f, 0.7f, 0.0005f));
    seed_middle(body);
}

static void make_sphere(closed_body *body, fixture_random *random)
{
    mesh_sphere(&body->mesh, 1.0f, (int)random_below(random, 4));
    seed_middle(body);
}

static void add_hull(closed_body *body, const float *points, uint32_t count)
{
    rico__memory memory;
    rico__shape_mesh hull;
    rico__memory_init(&memory, NULL);
    if (rico__hull_make(&hull, &memory, points, count) != RICO_OK)
        abort();
    for (uint32_t i = 0; i < hull.vertex_count; ++i)
        mesh_vertex(&body->mesh, vec3(hull.positions[3 * i], hull.positions[3 * i + 1],
                                      hull.positions[3 * i + 2]));
    for (uint32_t i = 0; i < hull.triangle_count; ++i)
        mesh_triangle(&body->mesh, hull.indices[3 * i], hull.indices[3 * i + 1],
                      hull.indices[3 * i + 2]);
    rico__shape_mesh_release(&hull, &memory);
    seed_middle(body);
}

enum { HULL_POINTS = 600 };

static void make_hull(closed_body *body, fixture_random *random)
{
    float points[3 * HULL_POINTS];
    uint32_t count = 8 + random_below(random, 100);
    for (uint32_t i = 0; i < 3 * count; ++i)
        points[i] = random_between(random, -1.0f, 1.0f);
    add_hull(body, points, count);
}

/* A hull on a grid of eighths: rays can be aimed exactly, and faces lie in shared planes. */
static void make_grid_hull(closed_body *body, fixture_random *random)
{
    float points[3 * HULL_POINTS];
    for (uint32_t i = 0; i < 3 * HULL_POINTS; ++i)
        points[i] = 0.125f * (float)random_below(random, 17) - 1.0f;
    add_hull(body, points, HULL_POINTS);
}

/* The hull of points on a flattened ball: slivers. */
static void make_lens(closed_body *body, fixture_random *random)
{
    float points[3 * HULL_POINTS];
    for (uint32_t i = 0; i < HULL_POINTS; ++i) {
        rico_vec3 d = random_direction(random);
        points[3 * i] = d.x;
        points[3 * i + 1] = d.y;
        points[3 * i + 2] = 0.002f * d.z;
    }
    add_hull(body, points, HULL_POINTS);
}

/* Two cones of 700 slivers each, one of them a needle. */
static void make_spindle(closed_body *body, fixture_random *random)
{
    enum { SIDES = 700 };
    fixture_mesh *mesh = &body->mesh;
    (void)random;
    mesh_vertex(mesh, vec3(0.0f, 0.0f, -0.01f));
    mesh_vertex(mesh, vec3(0.0f, 0.0f, 1.0f));
    for (uint32_t i = 0; i < SIDES; ++i) {
        float a = 6.2831853f * (float)i / (float)SIDES;
        mesh_vertex(mesh, vec3(0.02f * cosf(a), 0.02f * sinf(a), 0.0f));
    }
    for (uint32_t i = 0; i < SIDES; ++i) {
        uint32_t a = 2 + i, b = 2 + (i + 1) % SIDES;
        mesh_triangle(mesh, 1, a, b);
        mesh_triangle(mesh, 0, b, a);
    }
    add_seed(body, vec3(0.0f, 0.0f, 0.01f));
}

/* A ball whose vertices have random radii. */
static void make_star(closed_body *body, fixture_random *random)
{
    mesh_sphere(&body->mesh, 1.0f, 3);
    for (uint32_t i = 0; i < body->mesh.vertex_count; ++i) {
        float scale = random_between(random, 0.3f, 1.0f);
        for (uint32_t k = 0; k < 3; ++k)
            body->mesh.positions[3 * i + k] *= scale;
    }
    add_seed(body, vec3(0.0f, 0.0f, 0.0f));
}

static void make_torus(closed_body *body, fixture_random *random)
{
    uint32_t rings = 8 + random_below(random, 60), sides = 5 + random_below(random, 40);
    for (uint32_t i = 0; i < rings; ++i) {
        float a = 6.2831853f * (float)i / (float)rings, c = cosf(a), s = sinf(a);
        float b = 6.2831853f * ((float)i + 0.5f) / (float)rings;
        float inset = 0.8f * cosf(3.1415927f / (float)rings);
        for (uint32_t j = 0; j < sides; ++j) {
            float t = 6.2831853f * (float)j / (float)sides, r = 0.8f + 0.3f * cosf(t);
            mesh_vertex(&body->mesh, vec3(r * c, r * s, 0.3f * sinf(t)));
        }
        add_seed(body, vec3(inset * cosf(b), inset * sinf(b), 0.0f));
    }
    for (uint32_t i = 0; i < rings; ++i)
        for (uint32_t j = 0; j < sides; ++j) {
            uint32_t low = i * sides, high = (i + 1) % rings * sides, k = (j + 1) % sides;
            mesh_triangle(&body->mesh, low + j, high + j, high + k);
            mesh_triangle(&body->mesh, low + j, high + k, low + k);
        }
}

/* --- places --- */

typedef struct shape {
    const char *name;
    void (*make)(closed_body *body, fixture_random *random);
} shape;

static const shape shapes[] = {
    {"box", make_box},         {"plate", make_plate},         {"sphere", make_sphere},
    {"hull", make_hull},       {"grid_hull", make_grid_hull}, {"lens", make_lens},
    {"spindle", make_spindle}, {"star", make_star},           {"torus", make_torus},
};

typedef struct place {
    const char *name;
    bool turned;
    float scale, offset;
    float cell_size;
} place;

/* far and very_far: a body is 130,000 float steps wide and the plate 130 thick. Ray origins keep
 * a twentieth of the distance from the surface, so they are still inside. */
static const place places[] = {
    {"as_it_is", false, 1.0f, 0.0f, 0.0f},   {"fine", false, 1.0f, 0.0f, 0.01f},
    {"turned", true, 1.0f, 3.0f, 0.0f},      {"coarse", true, 1.0f, 0.0f, 100.0f},
    {"far", true, 16.0f, 1024.0f, 0.0f},     {"very_far", true, 4000.0f, 300000.0f, 0.0f},
    {"tiny", true, 1.0e-4f, 0.0f, 0.0f},     {"tiny_off", true, 1.0e-3f, 0.01f, 0.0f},
    {"huge", true, 400000.0f, 100.0f, 0.0f},
};

#define SHAPES (sizeof shapes / sizeof shapes[0])
#define PLACES (sizeof places / sizeof places[0])

uint32_t closed_body_count(void)
{
    return (uint32_t)(SHAPES * PLACES);
}

closed_body closed_body_make(uint32_t i)
{
    const shape *kind = &shapes[i % SHAPES];
    const place *where = &places[i / SHAPES];
    fixture_random random = {1000 + i};
    closed_body body = {.cell_size = where->cell_size};
    snprintf(body.name, sizeof body.name, "%s.%s", kind->name, where->name);
    kind->make(&body, &random);
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    t.scale = where->scale;
    t.position = vec3(where->offset, -0.9f * where->offset, 0.7f * where->offset);
    if (where->turned)
        t.rotation = random_rotation(&random);
    for (uint32_t v = 0; v < body.mesh.vertex_count; ++v) {
        float *p = body.mesh.positions + 3 * v;
        rico_vec3 placed = transform_point(&t, vec3(p[0], p[1], p[2]));
        memcpy(p, &placed, sizeof placed);
    }
    for (uint32_t s = 0; s < body.seed_count; ++s)
        body.seeds[s] = transform_point(&t, body.seeds[s]);
    return body;
}

void closed_body_free(closed_body *body)
{
    mesh_free(&body->mesh);
    free(body->seeds);
    *body = (closed_body){.seed_count = 0};
}
