/* Tests the formulas of sphere, capsule and plane against marching along the distance to the
 * segment, and against dense samples of the surface. */
#include "collision_fixture.h"
#include "collision_primitives.h"

#include <float.h>

/* --- oracle --- */

/* Signed distance from the surface, below zero inside. */
static double distance_of(const rico__primitive *p, const double at[3])
{
    if (p->kind == RICO_SHAPE_PLANE)
        return at[2];
    double half = p->kind == RICO_SHAPE_CAPSULE ? (double)p->half_length : 0.0;
    double z = fmax(0.0, fabs(at[2]) - half);
    return hypot(hypot(at[0], at[1]), z) - (double)p->radius;
}

/* First t at which a ball of a radius (0 = a ray) touches the surface; 2 * t_max = none. *doubt:
 * the miss is too close to be sure. Each step is as long as the distance from the surface. */
static double march(const rico__primitive *p, const double from[3], const double along[3],
                    double t_max, double ball, bool *doubt)
{
    double speed = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    double t = 0.0, least = DBL_MAX, scale = fmax(1e-3, (double)p->radius);
    *doubt = false;
    for (int i = 0; i < 200000 && t <= t_max; ++i) {
        double at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = from[k] + t * along[k];
        double way = fabs(distance_of(p, at)) - ball;
        if (way <= 1e-13 * scale)
            return t;
        least = fmin(least, way);
        t += way / speed;
    }
    *doubt = least < 1e-9 * scale;
    return 2.0 * t_max;
}

/* --- fixtures --- */

static rico__primitive random_primitive(fixture_random *random)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE,
                                            RICO_SHAPE_CAPSULE, RICO_SHAPE_PLANE};
    rico__primitive p = {.kind = kinds[random_below(random, 4)]};
    p.radius = random_between(random, 0.2f, 2.0f);
    p.half_length = random_between(random, 0.0f, 3.0f);
    if (random_below(random, 8) == 0)
        p.half_length = 0.0f;
    return p;
}

static rico_vec3 random_place(fixture_random *random, float size)
{
    rico_box box = {vec3(-size, -size, -size), vec3(size, size, size)};
    return random_in_box(random, &box);
}

static void to_double(rico_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The normal must be of unit length and at right angles to the surface. */
static void check_normal(const rico__primitive *p, const double at[3], const double normal[3],
                         double tolerance)
{
    double a[3], b[3];
    CHECK_NEAR(length_of(normal), 1.0, 1e-6);
    for (int k = 0; k < 3; ++k) {
        a[k] = at[k] + 0.01 * normal[k];
        b[k] = at[k] - 0.01 * normal[k];
    }
    CHECK_NEAR(distance_of(p, at), 0.0, tolerance);
    CHECK_NEAR(fabs(distance_of(p, a)), 0.01, 1e-7 + tolerance);
    CHECK_NEAR(fabs(distance_of(p, b)), 0.01, 1e-7 + tolerance);
}

/* --- rays --- */

static uint32_t check_ray(const rico__primitive *p, const rico_ray *ray)
{
    float t;
    rico_vec3 normal;
    bool back, doubt;
    double from[3], along[3], at[3], n[3];
    to_double(ray->origin, from);
    to_double(ray->direction, along);
    bool hit = rico__primitive_raycast(p, ray, &t, &normal, &back);
    double expected = march(p, from, along, (double)ray->t_max, 0.0, &doubt);
    if (doubt)
        return 0;
    CHECK_EQ(hit, expected <= (double)ray->t_max);
    if (!hit)
        return 0;
    double far = 1.0 + length_of(from);
    CHECK_NEAR(t, expected, 1e-6 * (expected + far / length_of(along) * 1e-3));
    for (int k = 0; k < 3; ++k)
        at[k] = from[k] + expected * along[k];
    to_double(normal, n);
    check_normal(p, at, n, 1e-6 * far);
    CHECK(n[0] * along[0] + n[1] * along[1] + n[2] * along[2] <= 1e-6 * length_of(along));
    double start = distance_of(p, from);
    if (fabs(start) > 1e-6)
        CHECK_EQ(back, start < 0.0);
    return 1u + back;
}

TEST(collision, rays_hit_primitives_where_marching_does)
{
    fixture_random random = {83};
    uint32_t counts[3] = {0, 0, 0};
    for (int i = 0; i < FIXTURE_REPEATS(60000); ++i) {
        rico__primitive p = random_primitive(&random);
        rico_ray ray = {.origin = random_place(&random, i % 4 == 0 ? 30.0f : 4.0f),
                        .direction = random_direction(&random),
                        .t_max = random_between(&random, 0.5f, 40.0f)};
        rico_vec3 target = random_place(&random, 2.0f);
        if (i % 2)
            ray.direction = vec3_sub(target, ray.origin);
        if (i % 7 == 0)
            (&ray.direction.x)[random_below(&random, 3)] = 0.0f;
        if (i % 11 == 0)
            ray.direction = vec3(0.0f, 0.0f, i % 2 ? 1.0f : -1.0f);
        if (vec3_length(ray.direction) > 0.0f)
            counts[check_ray(&p, &ray)] += 1;
    }
    CHECK_MSG(counts[0] > 100 && counts[1] > 500 && counts[2] > 500, "%u misses, %u, %u",
              counts[0], counts[1], counts[2]);
}

/* From inside, at the seams and along the wall of a capsule. */
TEST(collision, no_ray_leaves_a_primitive_unseen)
{
    fixture_random random = {89};
    for (int i = 0; i < FIXTURE_REPEATS(400000); ++i) {
        rico__primitive p = random_primitive(&random);
        if (p.kind == RICO_SHAPE_PLANE)
            continue;
        double scale = 0.999999, at[3];
        surface_point(&p, 3.0, (double)random_between(&random, 0.0f, 1.0f),
                      (double)random_between(&random, 0.0f, 1.0f), at);
        rico_ray ray = {.t_max = 1e6f, .direction = random_direction(&random)};
        ray.origin = vec3((float)(at[0] * scale), (float)(at[1] * scale), (float)at[2]);
        if (i % 3 == 0)
            ray.direction = vec3(0.0f, (float)(i % 5) * 1e-9f, i % 2 ? 1.0f : -1.0f);
        if (i % 3 == 1) { /* at a seam */
            float r = p.radius, a = random_between(&random, 0.0f, 6.3f);
            rico_vec3 seam = vec3(r * cosf(a), r * sinf(a), i % 2 ? p.half_length : 0.0f);
            ray.direction = vec3_sub(seam, ray.origin);
        }
        double from[3], n[3];
        to_double(ray.origin, from);
        if (distance_of(&p, from) >= -1e-7 || vec3_length(ray.direction) == 0.0f)
            continue;
        float t;
        rico_vec3 normal;
        bool back = false;
        CHECK(rico__primitive_raycast(&p, &ray, &t, &normal, &back) && back);
        to_double(normal, n);
        CHECK_NEAR(length_of(n), 1.0, 1e-6);
    }
}

TEST(collision, a_ray_that_starts_on_a_primitive_hits_it_at_zero)
{
    rico__primitive p = {.kind = RICO_SHAPE_SPHERE, .radius = 0.7f};
    rico_ray ray = {{0.7f, 0.0f, 0.0f}, 10.0f, {1.0f, 0.2f, 0.0f}, 0};
    for (int k = 0; k < 3; ++k) {
        p.kind = k == 0 ? RICO_SHAPE_SPHERE : (k == 1 ? RICO_SHAPE_CAPSULE : RICO_SHAPE_PLANE);
        p.half_length = k == 1 ? 1.0f : 0.0f;
        for (int sign = -1; sign <= 1; sign += 2) {
            float t = 7.0f;
            rico_vec3 normal;
            bool back;
            ray.direction = vec3((float)sign, 0.2f, (float)sign);
            CHECK(rico__primitive_raycast(&p, &ray, &t, &normal, &back));
            CHECK(t == 0.0f && !signbit(t));
            CHECK_EQ(back, sign > 0);
        }
    }
}

TEST(collision, rays_that_hit_nothing_by_contract_hit_no_primitive)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 2.0e9f};
    for (int kind = 0; kind < 3; ++kind) {
        rico__primitive p = {.kind = kind == 0   ? RICO_SHAPE_SPHERE
                                     : kind == 1 ? RICO_SHAPE_CAPSULE
                                                 : RICO_SHAPE_PLANE,
                             .radius = 1.0f,
                             .half_length = 1.0f};
        rico_ray good = {{0.1f, 0.1f, 3.0f}, INFINITY, {0.0f, 0.0f, -1.0f}, 0};
        float t = 7.0f;
        rico_vec3 normal;
        bool back;
        CHECK(rico__primitive_raycast(&p, &good, &t, &normal, &back));
        good.direction.z = -1.0e30f;
        CHECK(rico__primitive_raycast(&p, &good, &t, &normal, &back));
        good.direction.z = -1.0e-30f;
        CHECK(rico__primitive_raycast(&p, &good, &t, &normal, &back) && t > 1.0e29f);
        good.direction = vec3(1.0e-44f, 0.0f, -1.0f);
        CHECK(rico__primitive_raycast(&p, &good, &t, &normal, &back) && t <= 3.0f);
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 7; ++k) {
                rico_ray ray = good;
                float *field = k < 3   ? &ray.origin.x + k
                               : k < 6 ? &ray.direction.x + (k - 3)
                                       : &ray.t_max;
                *field = odd[i];
                if (k == 6 && i == 1)
                    *field = 0.0f;
                if ((k == 6 && i == 3) || (k > 2 && k < 6 && i == 3))
                    *field = NAN;
                CHECK(!rico__primitive_raycast(&p, &ray, &t, &normal, &back));
            }
        good.direction = vec3(0.0f, -0.0f, 0.0f);
        CHECK(!rico__primitive_raycast(&p, &good, &t, &normal, &back));
    }
}

/* --- points and boxes --- */

TEST(collision, nearest_points_of_primitives_are_nearer_than_all_samples)
{
    fixture_random random = {97};
    for (int i = 0; i < FIXTURE_REPEATS(2000); ++i) {
        rico__primitive p = random_primitive(&random);
        double at[3], out[3], n[3];
        to_double(random_place(&random, i % 2 ? 4.0f : 1.0f), at);
        if (i % 9 == 0)
            at[0] = at[1] = 0.0;
        if (i % 18 == 0)
            at[2] = 0.0;
        rico__primitive_nearest nearest = rico__primitive_nearest_to(&p, at);
        CHECK_NEAR(nearest.distance, fabs(distance_of(&p, at)), 1e-12);
        CHECK_EQ(nearest.behind, distance_of(&p, at) < 0.0);
        check_normal(&p, nearest.point, nearest.normal, 1e-12);
        for (int k = 0; k < 3; ++k) {
            out[k] = nearest.point[k] - at[k];
            n[k] = nearest.point[k] + 1e-3 * nearest.normal[k];
        }
        CHECK_NEAR(length_of(out), nearest.distance, 1e-12);
        CHECK(distance_of(&p, n) > 0.0);
        for (int a = 0; a <= 40; ++a)
            for (int b = 0; b < 40; ++b) {
                double s[3];
                surface_point(&p, 3.0, a / 40.0, b / 40.0, s);
                for (int k = 0; k < 3; ++k)
                    s[k] -= at[k];
                CHECK(length_of(s) >= nearest.distance - 1e-12);
            }
    }
}

TEST(collision, a_primitive_touches_the_boxes_that_hold_points_of_its_surface)
{
    enum { SIDE = 120 };
    fixture_random random = {101};
    uint32_t touching = 0, away = 0;
    for (int i = 0; i < FIXTURE_REPEATS(1500); ++i) {
        rico__primitive p = random_primitive(&random);
        rico_vec3 lo = random_place(&random, 2.5f);
        rico_box box = {lo, vec3_add(lo, vec3_scale(vec3(random_between(&random, 0.0f, 1.0f),
                                                         random_between(&random, 0.0f, 1.0f),
                                                         random_between(&random, 0.0f, 1.0f)),
                                                    i % 4 == 0 ? 4.0f : 1.0f))};
        double pad =
            2.0 * (3.15 * (double)p.radius + (double)p.half_length) / (double)SIDE + 0.1;
        bool in = false, near = false;
        rico_box bounds = rico__primitive_bounds(&p);
        for (int a = 0; a <= SIDE; ++a)
            for (int b = 0; b < SIDE; ++b) {
                double s[3];
                surface_point(&p, 3.0, a / (double)SIDE, b / (double)SIDE, s);
                double out = 0.0;
                for (int k = 0; k < 3; ++k) {
                    double from = (double)(&box.lo.x)[k], to = (double)(&box.hi.x)[k];
                    out = fmax(out, fmax(from - s[k], s[k] - to));
                    CHECK(s[k] >= (double)(&bounds.lo.x)[k] - 1e-7 &&
                          s[k] <= (double)(&bounds.hi.x)[k] + 1e-7);
                }
                in |= out == 0.0;
                near |= out < pad;
            }
        bool touches = rico__primitive_touches_box(&p, &box);
        CHECK(touches || !in);
        CHECK(near || !touches);
        touching += touches;
        away += !touches;
    }
    CHECK(touching > 30 && away > 30);
}

TEST(collision, touching_a_primitive_is_exact_in_all_directions)
{
    for (int kind = 0; kind < 2; ++kind)
        for (int k = 0; k < 3; ++k)
            for (float sign = -1.0f; sign <= 1.0f; sign += 2.0f) {
                rico__primitive p = {kind ? RICO_SHAPE_CAPSULE : RICO_SHAPE_SPHERE, 0.5f,
                                     0.25f};
                float edge = sign * (k == 2 && kind ? 0.75f : 0.5f);
                rico_box box = {vec3(-0.01f, -0.01f, -0.01f), vec3(0.01f, 0.01f, 0.01f)};
                (&box.lo.x)[k] = sign > 0.0f ? edge : -2.0f;
                (&box.hi.x)[k] = sign > 0.0f ? 2.0f : edge;
                CHECK(rico__primitive_touches_box(&p, &box));
                *(sign > 0.0f ? &box.lo.x + k : &box.hi.x + k) = edge * 1.00001f;
                CHECK(!rico__primitive_touches_box(&p, &box));
                (&box.lo.x)[k] = -0.01f;
                (&box.hi.x)[k] = 0.01f;
                CHECK(!rico__primitive_touches_box(&p, &box));
            }
    rico_box bounds =
        rico__primitive_bounds(&(rico__primitive){RICO_SHAPE_CAPSULE, 0.1f, 1.0e5f});
    CHECK((double)bounds.hi.z >= 1.0e5 + (double)0.1f);
}
