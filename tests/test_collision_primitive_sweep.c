/* Sweeps ellipsoids against spheres, capsules and planes. The oracle tests points of the
 * surface: the ellipsoid touches the surface when one of them is inside it. */
#include "collision_fixture.h"
#include "collision_primitives.h"

#include <float.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- oracle --- */

/* A point's distance from the ellipsoid's centre, in a space where that is a ball of radius 1. */
static double stretched(const rico__ellipsoid *e, const double at[3])
{
    double s[3], sum = 0.0;
    for (int k = 0; k < 3; ++k)
        s[k] = at[k] - e->center[k];
    for (int k = 0; k < 3; ++k)
        sum += pow(dot(s, e->axis[k]) / e->radius[k], 2.0);
    return sqrt(sum);
}

/* Moves the point onto the surface. */
static void put_on(const rico__primitive *p, double at[3])
{
    if (p->kind == RICO_SHAPE_PLANE) {
        at[2] = 0.0;
        return;
    }
    double half = p->kind == RICO_SHAPE_CAPSULE ? (double)p->half_length : 0.0;
    double z = fmin(half, fmax(-half, at[2]));
    double scale = (double)p->radius / hypot(hypot(at[0], at[1]), at[2] - z);
    at[0] *= scale;
    at[1] *= scale;
    at[2] = z + (at[2] - z) * scale;
}

enum { SIDE = 24, STARTS = 4 };

/* Descends to a local minimum by steps in 26 directions; the step is halved whenever none helps. */
static double descend(const rico__primitive *p, const rico__ellipsoid *e, const double from[3])
{
    double at[3] = {from[0], from[1], from[2]}, best = stretched(e, at);
    for (double step = 0.1; step > 1e-9;) {
        bool better = false;
        for (int d = 0; d < 27; ++d) {
            double next[3] = {at[0] + step * (d % 3 - 1), at[1] + step * (d / 3 % 3 - 1),
                              at[2] + step * (d / 9 - 1)};
            put_on(p, next);
            double value = stretched(e, next);
            if (value < best) {
                best = value;
                memcpy(at, next, sizeof at);
                better = true;
            }
        }
        step *= better ? 1.0 : 0.5;
    }
    return best;
}

/* The least distance over the whole surface; 1 = touches. Starts from the best point of each of
 * four parts of it. */
static double least_stretched(const rico__primitive *p, const rico__ellipsoid *e)
{
    double best = DBL_MAX, start[STARTS][3], values[STARTS];
    for (int i = 0; i < STARTS; ++i)
        values[i] = DBL_MAX;
    for (int a = 0; a <= SIDE; ++a)
        for (int b = 0; b < SIDE; ++b) {
            double at[3];
            surface_point(p, 20.0, a / (double)SIDE, b / (double)SIDE, at);
            double value = stretched(e, at);
            int part = (at[0] > e->center[0]) + 2 * (at[1] > e->center[1]);
            if (value < values[part]) {
                values[part] = value;
                memcpy(start[part], at, sizeof at);
            }
        }
    for (int i = 0; i < STARTS; ++i)
        if (values[i] < DBL_MAX)
            best = fmin(best, descend(p, e, start[i]));
    return best;
}

/* --- fixtures --- */

static rico__primitive random_primitive(fixture_random *random)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE,
                                            RICO_SHAPE_CAPSULE, RICO_SHAPE_PLANE};
    rico__primitive p = {.kind = kinds[random_below(random, 4)]};
    p.radius = random_between(random, 0.3f, 2.0f);
    p.half_length = random_between(random, 0.0f, 2.0f);
    return p;
}

static rico_sweep random_sweep(fixture_random *random, float size)
{
    rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
    rico_sweep sweep = {.center = random_in_box(random, &room),
                        .rotation = random_rotation(random)};
    for (int k = 0; k < 3; ++k)
        (&sweep.radii.x)[k] = size * random_between(random, 0.1f, 1.0f);
    if (random_below(random, 2) == 0) /* up to 100 times as long as thin */
        (&sweep.radii.x)[random_below(random, 3)] *= 0.1f;
    if (random_below(random, 4) == 0) /* an axis of symmetry */
        sweep.radii.y = sweep.radii.x;
    if (random_below(random, 6) == 0)
        sweep.rotation = (rico_quat){0.0f, 0.0f, 0.0f, 1.0f};
    if (random_below(random, 6) == 0)
        sweep.center.x = sweep.center.y = 0.0f;
    sweep.motion = vec3_sub(random_in_box(random, &room), sweep.center);
    if (random_below(random, 3) == 0)
        sweep.motion = vec3_scale(random_direction(random), 4.0f);
    return sweep;
}

static void motion_of(const rico_sweep *sweep, double motion[3])
{
    motion[0] = (double)sweep->motion.x;
    motion[1] = (double)sweep->motion.y;
    motion[2] = (double)sweep->motion.z;
}

static rico__ellipsoid ellipsoid_at(const rico_sweep *sweep, double t)
{
    rico__ellipsoid e = rico__ellipsoid_of(sweep);
    double motion[3];
    motion_of(sweep, motion);
    for (int k = 0; k < 3; ++k)
        e.center[k] += t * motion[k];
    return e;
}

static double least_radius(const rico__ellipsoid *e)
{
    return fmin(e->radius[0], fmin(e->radius[1], e->radius[2]));
}

/* --- checks --- */

/* At time t the surface touches the ellipsoid at the contact's point, and both have the
 * contact's normal there. */
static void check_contact(const rico__primitive *p, const rico_sweep *sweep,
                          const rico__contact *c)
{
    rico__ellipsoid e = ellipsoid_at(sweep, c->t);
    double away[3], gradient[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    CHECK_NEAR(dot(c->normal, c->normal), 1.0, 1e-9);
    for (int k = 0; k < 3; ++k)
        away[k] = c->point[k] - e.center[k];
    for (int k = 0; k < 3; ++k) {
        double along = dot(away, e.axis[k]) / e.radius[k];
        sum += along * along;
        for (int j = 0; j < 3; ++j)
            gradient[j] += e.axis[k][j] * along / e.radius[k];
    }
    CHECK_NEAR(sqrt(sum), 1.0, 1e-4);
    double cosine = -dot(gradient, c->normal) / sqrt(dot(gradient, gradient));
    CHECK_MSG(cosine > 1.0 - 1e-5, "the normal is off by %g", acos(cosine));
    if (p->kind == RICO_SHAPE_PLANE) {
        CHECK(c->point[2] == 0.0);
        return;
    }
    double half = p->kind == RICO_SHAPE_CAPSULE ? (double)p->half_length : 0.0;
    double core[3] = {0.0, 0.0, fmin(half, fmax(-half, c->point[2]))}, out[3];
    for (int k = 0; k < 3; ++k)
        out[k] = c->point[k] - core[k];
    CHECK_NEAR(sqrt(dot(out, out)), (double)p->radius, 1e-6);
    CHECK_NEAR(fabs(dot(out, c->normal)), (double)p->radius, 1e-5);
}

/* Checks that the contact is right just before, at and after it. Returns 0 miss, 1 contact, 2
 * overlap. */
static int check_sweep(const rico__primitive *p, const rico_sweep *sweep, int steps)
{
    rico__ellipsoid e = rico__ellipsoid_of(sweep);
    rico__contact contact;
    double motion[3];
    motion_of(sweep, motion);
    bool met = rico__primitive_sweep(p, &e, motion, &contact);
    if (met && contact.overlaps) {
        CHECK(contact.t == 0.0 && contact.depth >= 0.0);
        double least = least_stretched(p, &e);
        CHECK_MSG(least <= 1.0 + 1e-6, "%g", least);
        for (int k = 0; k < 3; ++k) /* once moved by the depth, the ellipsoid is free */
            e.center[k] += (contact.depth + 1e-6) * contact.normal[k];
        motion[0] = motion[1] = motion[2] = 0.0;
        if (dot(contact.normal, contact.point) > 0.0 || p->kind == RICO_SHAPE_PLANE)
            CHECK(!rico__primitive_sweep(p, &e, motion, &contact));
        return 2;
    }
    CHECK(contact.depth == 0.0);
    double end = met ? contact.t : 1.0;
    for (int i = 0; i <= steps; ++i) {
        e = ellipsoid_at(sweep, end * i / steps);
        double least = least_stretched(p, &e);
        CHECK_MSG(least > 1.0 - 2e-6, "late: at %g of %g it is %g", end * i / steps, end,
                  least);
    }
    if (!met)
        return 0;
    double way = sqrt(dot(motion, motion));
    e = ellipsoid_at(sweep, end + 1e-4 * least_radius(&e) / way);
    double point[3] = {contact.point[0], contact.point[1], contact.point[2]};
    put_on(p, point); /* may be below what the search finds in a narrow valley */
    double least = fmin(least_stretched(p, &e), stretched(&e, point));
    CHECK_MSG(least < 1.0 + 1e-6, "early: %g at %g", least, end);
    check_contact(p, sweep, &contact);
    return 1;
}

TEST(collision, an_ellipsoid_meets_a_primitive_where_points_of_its_surface_say)
{
    fixture_random random = {103};
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < FIXTURE_MANY(800); ++i) {
        rico__primitive p = random_primitive(&random);
        rico_sweep sweep = random_sweep(&random, i % 2 ? 1.0f : 0.3f);
        counts[check_sweep(&p, &sweep, 8)] += 1;
    }
    CHECK_MSG(counts[0] > 5 && counts[1] > 5 && counts[2] > 5, "%d misses, %d, %d overlaps",
              counts[0], counts[1], counts[2]);
}

/* From the middle in all directions: surfaces are met from inside as well. */
TEST(collision, an_ellipsoid_inside_meets_the_surface_from_within)
{
    fixture_random random = {107};
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < FIXTURE_MANY(600); ++i) {
        rico__primitive p = random_primitive(&random);
        p.kind = i % 3 ? RICO_SHAPE_CAPSULE : RICO_SHAPE_SPHERE;
        rico_sweep sweep = random_sweep(&random, 0.9f * p.radius);
        sweep.center = vec3_scale(random_direction(&random), i % 5 ? 0.2f * p.radius : 0.0f);
        sweep.motion = vec3_scale(random_direction(&random), 8.0f);
        if (i % 7 == 0)
            sweep.motion = vec3(0.0f, 0.0f, 8.0f);
        int kind = check_sweep(&p, &sweep, 8);
        counts[kind] += 1;
        CHECK(kind != 0);
    }
    CHECK_MSG(counts[1] > 20, "%d", counts[1]);
}

/* For a ball the distance from the surface decides: the error is 1e-9, not 1e-4. */
TEST(collision, a_ball_meets_a_primitive_exactly)
{
    fixture_random random = {109};
    uint32_t met = 0;
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico__primitive p = random_primitive(&random);
        rico_sweep sweep = random_sweep(&random, 0.8f);
        sweep.radii.y = sweep.radii.z = sweep.radii.x;
        rico__ellipsoid e = rico__ellipsoid_of(&sweep);
        rico__contact c;
        double motion[3], ball = e.radius[0], half = (double)p.half_length;
        motion_of(&sweep, motion);
        if (p.kind != RICO_SHAPE_CAPSULE)
            half = 0.0;
        bool hit = rico__primitive_sweep(&p, &e, motion, &c);
        double way[2] = {0.0, 0.0}, least = DBL_MAX, speed = sqrt(dot(motion, motion));
        double t = 0.0, first = 2.0;
        for (int step = 0; step < 100000 && t <= 1.0; ++step) {
            e = ellipsoid_at(&sweep, t);
            double z = fmax(0.0, fabs(e.center[2]) - half);
            way[0] = p.kind == RICO_SHAPE_PLANE
                         ? fabs(e.center[2])
                         : fabs(hypot(hypot(e.center[0], e.center[1]), z) - (double)p.radius);
            way[1] = way[0] - ball;
            least = fmin(least, way[1]);
            if (way[1] <= 1e-13) {
                first = t;
                break;
            }
            t += way[1] / speed;
        }
        if (first > 1.0 && least < 1e-9)
            continue;
        CHECK_EQ(hit, first <= 1.0);
        if (!hit)
            continue;
        met += 1;
        CHECK_NEAR(c.t, first, 1e-6); /* grazing marches end a little late or early */
        CHECK_EQ(c.overlaps, first == 0.0 && way[1] <= 0.0);
        if (c.overlaps)
            CHECK_NEAR(c.depth, -way[1], 1e-9);
        else
            check_contact(&p, &sweep, &c);
    }
    CHECK(met > 500);
}

TEST(collision, an_ellipsoid_that_stands_still_only_overlaps)
{
    rico__primitive ball = {RICO_SHAPE_SPHERE, 1.0f, 0.0f};
    rico_sweep sweep = {.center = {1.5f, 0.0f, 0.0f},
                        .radii = {0.51f, 0.2f, 0.2f},
                        .rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    const double still[3] = {0.0, 0.0, 0.0};
    rico__contact c;
    rico__ellipsoid e = rico__ellipsoid_of(&sweep);
    CHECK(rico__primitive_sweep(&ball, &e, still, &c) && c.overlaps);
    CHECK_NEAR(c.depth, 0.01, 1e-6);
    CHECK_NEAR(c.normal[0], 1.0, 1e-9);
    CHECK_NEAR(c.point[0], 1.0, 1e-6);
    e.radius[0] = 0.49;
    CHECK(!rico__primitive_sweep(&ball, &e, still, &c));
    const double slow[3] = {-1e-12, 0.0, 0.0};
    CHECK(!rico__primitive_sweep(&ball, &e, slow, &c));
    e.center[0] = 0.0; /* within */
    CHECK(!rico__primitive_sweep(&ball, &e, still, &c));
    CHECK(!rico__primitive_sweep(&ball, &e, slow, &c));
    const double out[3] = {-1.0, 0.0, 0.0};
    CHECK(rico__primitive_sweep(&ball, &e, out, &c) && !c.overlaps);
    CHECK_NEAR(c.t, 0.51, 1e-5 * 0.2);
    CHECK_NEAR(c.normal[0], 1.0, 1e-9);
    CHECK_NEAR(c.point[0], -1.0, 1e-6);
    e.radius[0] = e.radius[1] = e.radius[2] = 3.0; /* around it, without touching */
    CHECK(rico__primitive_sweep(&ball, &e, still, &c) && c.overlaps);
}

static void place_shape(rico_scene *scene, rico_shape_kind kind, float x)
{
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_collider_id id;
    def.kind = kind;
    def.radius = 1.0f;
    def.half_length = 0.5f;
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &collider.shape), RICO_OK);
    collider.motion.transform.position = vec3(x, 0.0f, 0.0f);
    CHECK_EQ(rico_scene_add(scene, &collider, &id), RICO_OK);
}

/* A ball begins inside several shapes. The deepest one is last, and must win. */
TEST(collision, a_sweep_that_begins_in_several_primitives_meets_the_deepest)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE};
    for (int k = 0; k < 2; ++k) {
        rico_scene *scene = scene_create_quiet(1.0f);
        place_shape(scene, kinds[k], -1.4f);
        place_shape(scene, kinds[!k], -1.3f);
        place_shape(scene, kinds[k], 1.2f);
        const rico_sweep sweep = {.radii = {0.5f, 0.5f, 0.5f},
                                  .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                                  .motion = {0.0f, 0.1f, 0.0f}};
        const rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweep);
        CHECK(hit.overlaps && hit.t == 0.0f);
        CHECK_NEAR(hit.depth, 0.3f, 1e-6);
        CHECK_NEAR(hit.point.x, 0.2f, 1e-6);
        rico_scene_destroy(scene);
    }
}
