/* Captured rays: a file returns them bit for bit, and brute force gives the scene's answer. */
#include "testing.h"

#include "capture.h"

#include <unistd.h>

static uint32_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static float between(uint64_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)(random_bits(state) >> 8) * (1.0f / 16777216.0f);
}

static rico_vec3 point(uint64_t *state, float size)
{
    return (rico_vec3){between(state, -size, size), between(state, -size, size),
                       between(state, -size, size)};
}

enum { TRIANGLES = 300 };

/* Three meshes of loose triangles in one place; the last is in a layer of its own. */
static rico_scene *make_scene(uint64_t *state)
{
    static float positions[TRIANGLES * 9];
    static uint32_t indices[TRIANGLES * 3];
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    def.cell_size = 0.07f;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    for (int m = 0; m < 3; ++m) {
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            rico_vec3 at = point(state, 2.0f);
            for (uint32_t j = 0; j < 3; ++j) {
                rico_vec3 arm = point(state, 0.5f);
                positions[9 * i + 3 * j] = at.x + arm.x;
                positions[9 * i + 3 * j + 1] = at.y + arm.y;
                positions[9 * i + 3 * j + 2] = m == 0 ? 0.0f : at.z + arm.z; /* many ties */
                indices[3 * i + j] = 3 * i + j;
            }
        }
        rico_mesh mesh = {.positions = positions,
                          .vertex_count = 3 * TRIANGLES,
                          .indices = indices,
                          .triangle_count = TRIANGLES};
        rico_collider_id id;
        CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, &id),
                 RICO_OK);
        if (m == 2)
            CHECK_EQ(rico_scene_set_layers(scene, id, 2), RICO_OK);
        if (m == 1)
            CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    }
    return scene;
}

static rico_ray make_ray(uint64_t *state, uint32_t i)
{
    rico_ray ray = {point(state, 3.0f), between(state, 0.1f, 6.0f), point(state, 1.0f), 0};
    if (i % 4 == 0) /* straight through the flat ones */
        ray.direction = (rico_vec3){0.0f, 0.0f, ray.origin.z > 0.0f ? -1.0f : 1.0f};
    if (i % 5 == 0)
        ray.ignore = 1 + random_bits(state) % 4;
    if (i % 7 == 0)
        ray.t_max = INFINITY;
    return ray;
}

static rico_filter make_filter(uint64_t *state)
{
    rico_filter filter = rico_filter_default();
    const uint32_t layers[] = {1, 2, UINT32_MAX, UINT32_MAX};
    filter.layers = layers[random_bits(state) % 4];
    filter.skip_back_faces = random_bits(state) & 1;
    filter.ignored_layers = random_bits(state) % 4 == 0 ? 2 : 0;
    return filter;
}

TEST(capture, brute_force_over_what_a_ray_met_is_the_answer)
{
    uint64_t state = 1;
    capture c;
    uint32_t hits = 0, ties = 0;
    rico_scene *scene = make_scene(&state);
    capture_open(&c, "loose", scene, 1);
    for (uint32_t i = 0; i < 900; ++i) {
        rico_ray ray = make_ray(&state, i);
        rico_filter filter = make_filter(&state);
        rico_hit hit = capture_ray(&c, scene, &filter, &ray);
        rico_hit again = rico_scene_raycast(scene, &filter, &ray);
        CHECK(capture_same(&hit, &again));
        hits += hit.collider != 0;
        ties += hit.collider == 1 && i % 4 == 0;
    }
    CHECK_EQ(c.asked, 900);
    CHECK_EQ(c.failed, 0);
    CHECK_EQ(c.count, c.met);
    CHECK_MSG(hits > 150 && ties > 10 && c.met > 200, "%u, %u, %u", hits, ties, c.count);
    for (uint32_t i = 0; i < c.count; ++i) {
        const capture_query *q = &c.queries[i];
        CHECK(q->complete && q->agrees && q->triangle_count > 0);
        const float sizes[] = {0.0f, 0.02f, 1.0f};
        for (int s = 0; s < 3; ++s) { /* other cells, the same answer */
            rico_filter filter = q->filter;
            rico_scene *small = capture_scene(q, sizes[s]);
            rico_ray ray = capture_ray_for_scene(q);
            filter.layers = RICO_LAYER_DEFAULT;
            filter.ignored_layers = 0;
            rico_hit hit = rico_scene_raycast(small, &filter, &ray);
            hit = capture_rename(q, &hit);
            CHECK(capture_same(&hit, &q->hit));
            rico_scene_destroy(small);
        }
    }
    capture_free(&c);
    rico_scene_destroy(scene);
}

static void check_same_query(const capture_query *a, const capture_query *b)
{
    CHECK(strcmp(a->why, b->why) == 0);
    CHECK(memcmp(&a->ray, &b->ray, sizeof a->ray) == 0);
    CHECK_EQ(a->filter.layers, b->filter.layers);
    CHECK_EQ(a->filter.skip_back_faces, b->filter.skip_back_faces);
    CHECK(capture_same(&a->hit, &b->hit));
    CHECK_EQ(a->complete, b->complete);
    CHECK_EQ(a->agrees, b->agrees);
    CHECK_EQ(a->triangle_count, b->triangle_count);
    CHECK(memcmp(a->triangles, b->triangles, a->triangle_count * sizeof *a->triangles) == 0);
}

/* Bits that text could lose: -0, denormals, infinities. */
TEST(capture, a_file_gives_back_every_bit)
{
    char path[] = "/tmp/test_capture_XXXXXX", error[4608];
    uint64_t state = 2;
    capture c, back;
    output_file file;
    rico_scene *scene = make_scene(&state);
    capture_open(&c, "a \"name\"\n", scene, 3);
    const float odd[] = {-0.0f, 1.0e-42f, INFINITY, -INFINITY, 1.17549435e-38f, 3.0e38f};
    for (uint32_t i = 0; i < 200; ++i) {
        rico_ray ray = make_ray(&state, i);
        if (i % 10 == 9)
            (&ray.origin.x)[i % 7] = odd[i / 10 % 6];
        rico_filter filter = make_filter(&state);
        rico_hit hit = rico_scene_raycast(scene, &filter, &ray);
        capture_keep(&c, scene, &filter, &ray, &hit, "to be read again");
    }
    CHECK_EQ(c.count, 200);
    close(mkstemp(path));
    CHECK_MSG(output_probe(path, false, &file, error, sizeof error), "%s", error);
    CHECK_MSG(capture_write(&c, &file, error, sizeof error), "%s", error);
    CHECK_MSG(capture_read(path, &back, error, sizeof error), "%s", error);
    unlink(path);
    CHECK(strcmp(back.scene, c.scene) == 0 && back.cell_size == c.cell_size);
    CHECK_EQ(back.count, c.count);
    for (uint32_t i = 0; i < c.count; ++i)
        check_same_query(&c.queries[i], &back.queries[i]);
    capture_free(&back);
    capture_free(&c);
    rico_scene_destroy(scene);
}

TEST(capture, a_wrong_answer_is_kept_as_one_and_named_so)
{
    uint64_t state = 3;
    capture c;
    rico_scene *scene = make_scene(&state);
    capture_open(&c, "loose", scene, 0);
    uint32_t kept = 0;
    for (uint32_t i = 1; kept < 5; ++i) {
        rico_ray ray = make_ray(&state, i);
        rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
        if (hit.collider == 0)
            continue;
        capture_ray(&c, scene, NULL, &ray); /* right, and not every-th: not kept */
        CHECK_EQ(c.count, kept);
        hit.t = nextafterf(hit.t, 10.0f);
        capture_keep(&c, scene, NULL, &ray, &hit, "late by a bit");
        CHECK(!c.queries[kept].agrees && c.queries[kept].complete);
        kept += 1;
    }
    CHECK_EQ(c.count, 5);
    capture_free(&c);
    rico_scene_destroy(scene);
}

/* Changes number k of a ray that goes straight down, and says whether it is then one that hits
 * nothing by contract. */
static bool spoil(rico_ray *ray, uint32_t k, float number)
{
    const float size = fabsf(number);
    *ray = (rico_ray){{0, 0, 1}, 2.0f, {0, 0, -1}, 0};
    float *at[7] = {&ray->origin.x,    &ray->origin.y,    &ray->origin.z,   &ray->t_max,
                    &ray->direction.x, &ray->direction.y, &ray->direction.z};
    *at[k] = number;
    if (k < 3)
        return !(size <= 1.0e9f);
    if (k == 3)
        return !(number > 0.0f);
    return !isfinite(number) || (k == 6 && size < 1.0e-30f);
}

TEST(capture, rays_that_hit_nothing_by_contract_are_kept_without_harm)
{
    uint64_t state = 4;
    capture c;
    rico_scene *scene = make_scene(&state);
    const float odd[] = {NAN, INFINITY, -INFINITY, 1.0e30f, -1.0e30f, 0.0f, 1.0e-42f};
    uint32_t refused = 0;
    capture_open(&c, "loose", scene, 1);
    for (uint32_t i = 0; i < 49; ++i) {
        rico_ray ray;
        const bool is_refused = spoil(&ray, i % 7, odd[i / 7]);
        rico_hit hit = capture_ray(&c, scene, NULL, &ray);
        CHECK(!is_refused || hit.collider == 0);
        refused += is_refused;
        capture_keep(&c, scene, NULL, &ray, &hit, "odd");
        CHECK(c.count > 0 && strcmp(c.queries[c.count - 1].why, "odd") == 0);
        CHECK(memcmp(&c.queries[c.count - 1].ray, &ray, sizeof ray) == 0);
        CHECK(c.queries[c.count - 1].agrees);
    }
    CHECK_EQ(refused, 30);
    CHECK_EQ(c.failed, 0);
    CHECK_EQ(c.asked, 49);
    CHECK_EQ(c.count, 49 + c.met); /* each that comes near triangles twice */
    CHECK(c.met > 10);
    capture_free(&c);
    rico_scene_destroy(scene);
}

/* With more triangles than a query may hold, the capture says so, and the answer does not count
 * as wrong. */
TEST(capture, a_ray_near_too_many_triangles_is_kept_as_incomplete)
{
    enum { MANY = 10000 };
    float *positions = malloc(MANY * 9 * sizeof *positions);
    uint32_t *indices = malloc(MANY * 3 * sizeof *indices);
    for (uint32_t i = 0; i < 3 * MANY; ++i)
        indices[i] = i;
    for (uint32_t i = 0; i < MANY; ++i) {
        const float z = (float)i * 1.0e-5f;
        const float corners[9] = {-1, -1, z, 1, -1, z, 0, 1, z};
        memcpy(positions + 9 * i, corners, sizeof corners);
    }
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene;
    capture c;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    rico_mesh mesh = {.positions = positions,
                      .vertex_count = 3 * MANY,
                      .indices = indices,
                      .triangle_count = MANY};
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    capture_open(&c, "pages", scene, 1);
    rico_ray along = {{0, 2, 0.03f}, 4.0f, {0, -1, 0.01f}, 0}; /* past thousands to its end */
    rico_hit none = {.t = along.t_max, .triangle = RICO_NO_TRIANGLE};
    capture_keep(&c, scene, NULL, &along, &none, "a pile");
    CHECK_EQ(c.count, 1);
    CHECK(!c.queries[0].agrees);
    CHECK(c.queries[0].triangle_count <= CAPTURE_TRIANGLES_MAX);
    rico_ray down = {{0, 0, 1}, INFINITY, {0, 0, -1}, 0}; /* the box up to the hit is small */
    capture_ray(&c, scene, NULL, &down);
    CHECK_EQ(c.failed, 0);
    CHECK(c.queries[1].complete && c.queries[1].agrees);
    down.t_max = 1.5f;
    none.t = down.t_max;
    capture_keep(&c, scene, NULL, &down, &none, "all of the pile");
    CHECK(!c.queries[2].complete);
    CHECK_EQ(c.queries[2].triangle_count, CAPTURE_TRIANGLES_MAX);
    capture_free(&c);
    rico_scene_destroy(scene);
    free(positions);
    free(indices);
}
