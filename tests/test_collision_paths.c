/* Polylines: each chord is a ray, so the oracle is a loop over rays. */
#include "collision_fixture.h"
#include "scene_private.h"

enum { LINES = 300 };

typedef struct path_case {
    rico_vec3 points[RICO_POLYLINE_MAX];
    float times[RICO_POLYLINE_MAX];
    rico_polyline line;
} path_case;

static path_case cases[LINES];
static rico_polyline lines[LINES];
static rico_polyline_hit hits[LINES];

static bool hits_equal(const rico_polyline_hit *a, const rico_polyline_hit *b)
{
    return hit_equal(&a->hit, &b->hit) && a->chord == b->chord &&
           memcmp(&a->time, &b->time, sizeof a->time) == 0 &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0;
}

/* Casts chord after chord with the oracle of rays. */
static rico_polyline_hit oracle_polyline(const oracle *o, const rico_polyline *line)
{
    rico_polyline_hit out = {.chord = 0};
    for (uint32_t i = 0; i + 1 < line->count; ++i) {
        rico_vec3 a = line->points[i], b = line->points[i + 1];
        rico_ray ray = {a, 1.0f, vec3_sub(b, a), line->ignore};
        float from = line->times ? line->times[i] : (float)i;
        float to = line->times ? line->times[i + 1] : (float)(i + 1);
        out.hit = oracle_raycast(o, &ray);
        out.chord = i;
        out.time = out.hit.collider ? from + (to - from) * out.hit.t : to;
        out.point = out.hit.collider ? vec3_mad(a, ray.direction, out.hit.t) : b;
        if (out.hit.collider != 0)
            break;
    }
    return out;
}

static void make_path(fixture_random *random, const rico_scene *scene, path_case *c)
{
    rico_ray start = ray_near_surface(random, scene);
    rico_vec3 way = vec3_scale(start.direction, 0.3f);
    c->line = (rico_polyline){.points = c->points, .count = 2 + random_below(random, 63)};
    if (random_below(random, 2))
        c->line.count = 2 + random_below(random, 4);
    c->line.times = random_below(random, 3) ? c->times : NULL;
    rico_vec3 at = start.origin;
    float time = random_between(random, 0.0f, 5.0f);
    for (uint32_t i = 0; i < c->line.count; ++i) {
        c->points[i] = at;
        c->times[i] = time;
        if (random_below(random, 10) > 0) { /* else a chord of length zero */
            at = vec3_add(at, way);
            way.z -= 0.05f;
        }
        time += random_between(random, 0.0f, 0.1f);
    }
}

TEST(collision, a_polylines_hit_is_the_first_of_its_chords_alone_and_in_batches)
{
    fixture_random random = {127};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 1500);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    oracle o = oracle_create(scene);
    int later = 0, missed = 0;
    int rounds = FIXTURE_REPEATS(20);
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < LINES; ++i) {
            make_path(&random, scene, &cases[i]);
            lines[i] = cases[i].line;
        }
        rico_scene_polyline_batch(scene, NULL, lines, hits, LINES);
        for (int i = 0; i < LINES; ++i) {
            rico_polyline_hit expected = oracle_polyline(&o, &lines[i]);
            rico_polyline_hit alone = rico_scene_polyline(scene, NULL, &lines[i]);
            CHECK(hits_equal(&alone, &expected));
            CHECK(hits_equal(&hits[i], &expected));
            later += expected.hit.collider != 0 && expected.chord > 0;
            missed += expected.hit.collider == 0;
        }
        rico_polyline_hit few[3]; /* smaller batches, with other places in them */
        rico_scene_polyline_batch(scene, NULL, lines + 7, few, 3);
        for (int i = 0; i < 3; ++i)
            CHECK(hits_equal(&few[i], &hits[7 + i]));
    }
    CHECK(later > 5 * rounds && missed > 5 * rounds);
    oracle_destroy(&o);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, a_polylines_time_is_between_those_of_the_chords_ends)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-9, -9, 0), vec3(9, -9, 0), vec3(0, 9, 0));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_vec3 points[4] = {{0, 0, 3}, {0, 0, 2}, {0, 0, 1}, {0, 0, -3}};
    float times[4] = {10.0f, 11.0f, 13.0f, 15.0f};
    rico_polyline line = {points, times, 4, 0};
    rico_polyline_hit hit = rico_scene_polyline(scene, NULL, &line);
    CHECK(hit.chord == 2 && hit.hit.t == 0.25f && hit.time == 13.5f && hit.hit.collider == 1);
    CHECK(hit.point.z == 0.0f && hit.hit.normal.z == 1.0f);
    line.times = NULL;
    CHECK(rico_scene_polyline(scene, NULL, &line).time == 2.25f);
    line.count = 3;
    hit = rico_scene_polyline(scene, NULL, &line);
    CHECK(hit.hit.collider == 0 && hit.hit.t == 1.0f && hit.chord == 1 && hit.time == 2.0f);
    CHECK(hit.point.z == 1.0f);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, polylines_out_of_range_hit_nothing)
{
    fixture_random random = {131};
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-9, -9, 0), vec3(9, -9, 0), vec3(0, 9, 0));
    rico_scene *scene = scene_of(&mesh, 0.0f), *empty = scene_create_quiet(0.0f);
    static rico_vec3 points[80];
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1.0e30f};
    for (int i = 0; i < 80; ++i)
        points[i] = vec3(0, 0, i % 2 ? -1.0f : 1.0f);
    static const uint32_t counts[] = {0, 1, 65, 80, UINT32_MAX};
    for (int i = 0; i < 5; ++i) {
        rico_polyline line[2] = {{points, NULL, counts[i], 0}, {points, NULL, 2, 0}};
        rico_polyline_hit hit = rico_scene_polyline(scene, NULL, &line[0]), both[2];
        CHECK(hit.hit.collider == 0 && hit.hit.triangle == RICO_NO_TRIANGLE);
        rico_scene_polyline_batch(scene, NULL, line, both, 2);
        CHECK(hits_equal(&both[0], &hit) && both[1].hit.collider == 1);
    }
    rico_polyline good = {points, NULL, 2, 0};
    CHECK_EQ(rico_scene_polyline(empty, NULL, &good).hit.collider, 0);
    for (int i = 0; i < 4; ++i) { /* a chord that is not valid is passed over */
        rico_vec3 broken[4] = {{0, 0, 3}, {odd[i], 0, 2}, {0, 0, 1}, {0, 0, -1}};
        rico_polyline line = {broken, NULL, 4, 0};
        rico_polyline_hit hit = rico_scene_polyline(scene, NULL, &line);
        CHECK(hit.hit.collider == 1 && hit.chord == 2);
    }
    rico_scene_polyline_batch(scene, NULL, NULL, NULL, 0);
    (void)random;
    rico_scene_destroy(scene);
    rico_scene_destroy(empty);
    mesh_free(&mesh);
}
