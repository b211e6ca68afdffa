#include "collision_sweep.h"
#include "scene_private.h"

/* How deep a triangle may be inside before a contact, in radii. A contact beyond it is late. */
#define INSIDE 1.0e-6L

/* --- the ellipsoid's space, computed apart from the library --- */

typedef struct body {
    point64 axis[3], center, motion; /* axes in the world; the others in radii */
    long double radius[3];
    long double length; /* of the motion, in radii */
} body;

static point64 wide(rico_vec3 v)
{
    return (point64){(long double)v.x, (long double)v.y, (long double)v.z};
}

static long double dot64(point64 a, point64 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* v rotated by q, as q v q*, over |q|^2. */
static point64 rotated(rico_quat q, point64 v)
{
    long double x = (long double)q.x, y = (long double)q.y, z = (long double)q.z,
                w = (long double)q.w;
    long double a = -x * v.x - y * v.y - z * v.z, b = w * v.x + y * v.z - z * v.y;
    long double c = w * v.y + z * v.x - x * v.z, d = w * v.z + x * v.y - y * v.x;
    long double n = x * x + y * y + z * z + w * w;
    return (point64){(-a * x + b * w - c * z + d * y) / n, (-a * y + b * z + c * w - d * x) / n,
                     (-a * z - b * y + c * x + d * w) / n};
}

static point64 in_radii(const body *b, point64 v)
{
    return (point64){dot64(b->axis[0], v) / b->radius[0], dot64(b->axis[1], v) / b->radius[1],
                     dot64(b->axis[2], v) / b->radius[2]};
}

static body body_of(const rico_sweep *sweep)
{
    body b = {.radius = {(long double)sweep->radii.x, (long double)sweep->radii.y,
                         (long double)sweep->radii.z}};
    b.axis[0] = rotated(sweep->rotation, (point64){1, 0, 0});
    b.axis[1] = rotated(sweep->rotation, (point64){0, 1, 0});
    b.axis[2] = rotated(sweep->rotation, (point64){0, 0, 1});
    b.motion = in_radii(&b, wide(sweep->motion));
    b.length = sqrtl(dot64(b.motion, b.motion));
    return b;
}

/* --- the oracle --- */

typedef struct solid {
    point64 corner[3]; /* in radii, from the centre at the start */
    uint32_t collider, triangle;
} solid;

typedef struct solids {
    solid *list;
    uint32_t count;
} solids;

/* The triangles that may come within 3 radii of the sweep. */
static solids solids_near(const rico_scene *scene, const rico_sweep *sweep, const body *b)
{
    solids s = {malloc((scene->triangle_count + 1) * sizeof(solid)), 0};
    point64 middle = {b->motion.x / 2, b->motion.y / 2, b->motion.z / 2};
    for (uint32_t i = 0; i < scene->triangle_count; ++i) {
        rico__triangle triangle = scene_triangle(scene, i);
        solid *at = &s.list[s.count];
        if (triangle.flat)
            continue;
        *at = (solid){.collider = triangle.collider, .triangle = triangle.triangle};
        for (int j = 0; j < 3; ++j) {
            const float *v = triangle.v + 3 * j;
            point64 apart = {(long double)v[0] - (long double)sweep->center.x,
                             (long double)v[1] - (long double)sweep->center.y,
                             (long double)v[2] - (long double)sweep->center.z};
            at->corner[j] = in_radii(b, apart);
        }
        if (volume_distance(at->corner, middle, NULL) < b->length / 2 + 3)
            s.count += 1;
    }
    return s;
}

static point64 center_at(const body *b, long double t)
{
    return (point64){b->motion.x * t, b->motion.y * t, b->motion.z * t};
}

static long double least_distance(const solids *s, point64 center)
{
    long double least = INFINITY;
    for (uint32_t i = 0; i < s->count; ++i)
        least = fminl(least, volume_distance(s->list[i].corner, center, NULL));
    return least;
}

/* Follows the ellipsoid up to time `end`. Each step is no longer than the distance that is known
 * to be free. */
static void check_clear(const solids *s, const body *b, long double end)
{
    for (long double t = 0;;) {
        long double distance = least_distance(s, center_at(b, t));
        CHECK_MSG(distance >= 1 - INSIDE, "at %.9Lg of %.9Lg it is inside by %Lg", t, end,
                  1 - distance);
        if (t >= end || b->length == 0)
            return;
        t = fminl(t + fmaxl(distance - 1, 0.002L) / b->length, end);
    }
}

static const solid *solid_of(const solids *s, const rico_sweep_hit *hit)
{
    for (uint32_t i = 0; i < s->count; ++i)
        if (s->list[i].collider == hit->collider && s->list[i].triangle == hit->triangle)
            return &s->list[i];
    return NULL;
}

/* Checks that point, normal and depth of a contact agree with each other and with the ellipsoid. */
static void check_contact(const body *b, const rico_sweep *sweep, const solid *on,
                          const rico_sweep_hit *hit)
{
    point64 center = center_at(b, (long double)hit->t), nearest;
    long double level = volume_distance(on->corner, center, &nearest);
    long double step = (long double)hit->t * 0x1p-23L * b->length;
    CHECK_MSG(hit->overlaps || level >= 1 - INSIDE, "inside by %Lg", 1 - level);
    CHECK_MSG(level <= 1 + INSIDE + step, "%Lg radii early", level - 1);
    /* In radii, the point is the nearest one, as exactly as floats can say. */
    point64 world = wide(hit->point), from = {0, 0, 0}, n = wide(hit->normal), gradient;
    from.x = world.x - (long double)sweep->center.x;
    from.y = world.y - (long double)sweep->center.y;
    from.z = world.z - (long double)sweep->center.z;
    long double far = fabsl(world.x) + fabsl(world.y) + fabsl(world.z) + 1.0e-3L;
    long double smallest = fminl(fminl(b->radius[0], b->radius[1]), b->radius[2]);
    long double slack = far * 0x1p-22L / smallest + 4.0e-3L * sqrtl(INSIDE) + sqrtl(2 * step);
    point64 point = in_radii(b, from);
    point64 apart = {point.x - nearest.x, point.y - nearest.y, point.z - nearest.z};
    CHECK_MSG(sqrtl(dot64(apart, apart)) <= slack, "the point is %Lg radii off, slack %Lg",
              sqrtl(dot64(apart, apart)), slack);
    CHECK_NEAR(dot64(n, n), 1, 1e-6);
    if (level < 1.0e-3L)
        return; /* the centre is almost on the surface */
    point64 to = {(center.x - nearest.x), (center.y - nearest.y), (center.z - nearest.z)};
    gradient = (point64){0, 0, 0};
    const long double *r = b->radius, part[3] = {to.x / r[0], to.y / r[1], to.z / r[2]};
    for (int i = 0; i < 3; ++i) {
        gradient.x += b->axis[i].x * part[i];
        gradient.y += b->axis[i].y * part[i];
        gradient.z += b->axis[i].z * part[i];
    }
    long double size = sqrtl(dot64(gradient, gradient)), flat = 1 + slack / level;
    CHECK_MSG(dot64(gradient, n) / size > 1 - 1.0e-5L * flat * flat, "the normal is off: %Lg",
              1 - dot64(gradient, n) / size);
    /* The plane through the point, moved by depth, touches the ellipsoid. */
    long double reach = 0, height = 0;
    for (int i = 0; i < 3; ++i) {
        long double across = dot64(b->axis[i], n) * r[i];
        reach += across * across;
        height += across * (i == 0 ? to.x : i == 1 ? to.y : to.z);
    }
    reach = sqrtl(reach);
    CHECK_NEAR(hit->depth, hit->overlaps ? reach - height : 0, 1.0e-5L * reach);
}

bool sweep_hits_equal(const rico_sweep_hit *a, const rico_sweep_hit *b)
{
    return memcmp(&a->t, &b->t, sizeof a->t) == 0 && a->collider == b->collider &&
           a->triangle == b->triangle && a->surface == b->surface &&
           a->overlaps == b->overlaps && memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->depth, &b->depth, sizeof a->depth) == 0;
}

static void describe(const rico_sweep *s, const rico_sweep_hit *hit)
{
    fprintf(stderr,
            "sweep {{%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a, %a}, {%a, %a, %a}}: t %a on %u\n",
            (double)s->center.x, (double)s->center.y, (double)s->center.z, (double)s->radii.x,
            (double)s->radii.y, (double)s->radii.z, (double)s->rotation.x,
            (double)s->rotation.y, (double)s->rotation.z, (double)s->rotation.w,
            (double)s->motion.x, (double)s->motion.y, (double)s->motion.z, (double)hit->t,
            hit->triangle);
}

rico_sweep_hit check_sweep(const rico_scene *scene, const rico_sweep *sweep)
{
    rico_sweep_hit hit = rico_scene_sweep(scene, NULL, sweep);
    body b = body_of(sweep);
    solids s = solids_near(scene, sweep, &b);
    if (getenv("RICO_TEST_TALK") != NULL)
        describe(sweep, &hit);
    if (hit.overlaps) {
        const solid *on = solid_of(&s, &hit);
        CHECK(on != NULL);
        CHECK(hit.t == 0.0f && hit.depth >= 0.0f);
        long double mine = volume_distance(on->corner, (point64){0, 0, 0}, NULL);
        CHECK_MSG(mine <= least_distance(&s, (point64){0, 0, 0}) + INSIDE / 10,
                  "not the deepest overlap");
        check_contact(&b, sweep, on, &hit);
    } else {
        CHECK_MSG(b.length == 0 || least_distance(&s, (point64){0, 0, 0}) > 1 - INSIDE,
                  "an overlap was not seen");
        check_clear(&s, &b, (long double)hit.t);
        if (hit.collider != 0) {
            const solid *on = solid_of(&s, &hit);
            CHECK(on != NULL);
            check_contact(&b, sweep, on, &hit);
        } else {
            CHECK(hit.t == 1.0f && hit.triangle == RICO_NO_TRIANGLE);
        }
    }
    free(s.list);
    return hit;
}

rico_sweep random_sweep(fixture_random *random, const rico_scene *scene)
{
    rico__triangle triangle = scene_random_triangle(scene, random);
    const float *v = triangle.v;
    rico_vec3 at = vec3(v[0], v[1], v[2]);
    float size = powf(10.0f, random_between(random, -2.0f, 0.0f));
    rico_sweep sweep = {.rotation = random_rotation(random)};
    float ratio = random_below(random, 3) == 0 ? 20.0f : 1.0f;
    sweep.radii = vec3(size, size * random_between(random, 1.0f / ratio, 1.0f),
                       size * random_between(random, 0.3f, 1.0f));
    sweep.center =
        vec3_mad(at, random_direction(random), random_between(random, 0.0f, 3 * size));
    rico_vec3 way = vec3_sub(vec3_mad(at, random_direction(random), size), sweep.center);
    sweep.motion = vec3_scale(way, random_between(random, 0.0f, 2.0f));
    if (random_below(random, 8) == 0)
        sweep.motion = vec3_scale(random_direction(random), random_between(random, 0, 5.0f));
    return sweep;
}
