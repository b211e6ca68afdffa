/* Where particles are born: as evenly as points that are thrown at random. */
#include "runtime_births.h"
#include "runtime_refused.h"

#include "state.h"

#include "births.h"
#include "random.h"

#define BIRTHS 8000u
#define THROWS 32000u
#define CELLS 5

typedef struct shape_case shape_case;

/* Decides slowly whether a point thrown into the box around the shape is in it, or so near to
 * its surface that it makes no difference. */
typedef bool belongs_fn(const shape_case *c, const double *p);

struct shape_case {
    const char *name;
    rico_emitter_shape shape;
    rico_vec3 size;
    float spread;
    bool surface;
    double lo[3], hi[3]; /* the box around it */
    belongs_fn *belongs;
};

#define SKIN 0.004

static bool near(double distance)
{
    return fabs(distance) < SKIN;
}

static bool of_line(const shape_case *c, const double *p)
{
    return fabs(p[0]) <= (double)c->size.x;
}

static bool of_box(const shape_case *c, const double *p)
{
    double gap = fmin(fmin((double)c->size.x - fabs(p[0]), (double)c->size.y - fabs(p[1])),
                      (double)c->size.z - fabs(p[2]));
    return c->surface ? near(gap) : gap >= 0.0;
}

static bool of_ball(const shape_case *c, const double *p)
{
    double gap = (double)c->size.x - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return c->surface ? near(gap) : gap >= 0.0;
}

static bool of_disc(const shape_case *c, const double *p)
{
    double gap = (double)c->size.x - hypot(p[0], p[1]);
    return c->surface ? near(gap) : gap >= 0.0;
}

static bool of_ring(const shape_case *c, const double *p)
{
    double gap = (double)c->size.y - hypot(hypot(p[0], p[1]) - (double)c->size.x, p[2]);
    return c->surface ? near(gap) : gap >= 0.0;
}

static bool of_cone(const shape_case *c, const double *p)
{
    double gap = (double)c->size.x + p[2] * tan((double)c->spread) - hypot(p[0], p[1]);
    gap *= cos((double)c->spread);
    return c->surface ? near(gap) : gap >= 0.0;
}

static const shape_case shapes[] = {
    {"line", RICO_EMIT_LINE, {2, 0, 0}, 0, false, {-2, 0, 0}, {2, 0, 0}, of_line},
    {"box", RICO_EMIT_BOX, {1, 2, 0.5f}, 0, false, {-1, -2, -0.5}, {1, 2, 0.5}, of_box},
    {"box", RICO_EMIT_BOX, {1, 2, 0.5f}, 0, true, {-1, -2, -0.5}, {1, 2, 0.5}, of_box},
    {"sphere", RICO_EMIT_SPHERE, {2, 0, 0}, 0, false, {-2, -2, -2}, {2, 2, 2}, of_ball},
    {"sphere", RICO_EMIT_SPHERE, {1, 0, 0}, 0, true, {-1, -1, -1}, {1, 1, 1}, of_ball},
    {"disc", RICO_EMIT_DISC, {2, 0, 0}, 0, false, {-2, -2, 0}, {2, 2, 0}, of_disc},
    {"disc", RICO_EMIT_DISC, {2, 0, 0}, 0, true, {-2, -2, 0}, {2, 2, 0}, of_disc},
    {"cone", RICO_EMIT_CONE, {2, 0, 0}, 1, false, {-2, -2, 0}, {2, 2, 0}, of_disc},
    {"cone", RICO_EMIT_CONE, {2, 0, 0}, 1, true, {-2, -2, 0}, {2, 2, 0}, of_disc},
    {"tip", RICO_EMIT_CONE, {0, 0, 1}, 0.7853982f, false, {-1, -1, 0}, {1, 1, 1}, of_cone},
    {"tip", RICO_EMIT_CONE, {0, 0, 1}, 0.7853982f, true, {-1, -1, 0}, {1, 1, 1}, of_cone},
    {"stump", RICO_EMIT_CONE, {1, 0, 1}, 0.7853982f, false, {-2, -2, 0}, {2, 2, 1}, of_cone},
    {"stump", RICO_EMIT_CONE, {1, 0, 1}, 0.7853982f, true, {-2, -2, 0}, {2, 2, 1}, of_cone},
    {"column", RICO_EMIT_CONE, {1, 0, 3}, 0, false, {-1, -1, 0}, {1, 1, 3}, of_cone},
    {"column", RICO_EMIT_CONE, {1, 0, 3}, 0, true, {-1, -1, 0}, {1, 1, 3}, of_cone},
    {"ring",
     RICO_EMIT_RING,
     {1, 0.7f, 0},
     0,
     false,
     {-1.7, -1.7, -0.7},
     {1.7, 1.7, 0.7},
     of_ring},
    {"ring",
     RICO_EMIT_RING,
     {1, 0.7f, 0},
     0,
     true,
     {-1.7, -1.7, -0.7},
     {1.7, 1.7, 0.7},
     of_ring},
    {"horn", RICO_EMIT_RING, {1, 1, 0}, 0, false, {-2, -2, -1}, {2, 2, 1}, of_ring},
};

static rico_recipe shape_recipe(const shape_case *c)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.shape = c->shape;
    r.size = c->size;
    r.spread = c->spread;
    r.surface = c->surface;
    r.burst_count = BIRTHS;
    return r;
}

/* Returns places and directions of the recipe's births. */
static born *births_of(const rico_recipe *recipe)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = *recipe;
    born *all = malloc(BIRTHS * sizeof *all);
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_world_step(world, RICO__SHORT_STEP); /* shorter steps are saved up */
    CHECK_EQ(collect_born(world, e, all, BIRTHS), BIRTHS);
    for (uint32_t n = 0; n < BIRTHS; ++n) /* back to the places of birth */
        for (int k = 0; k < 3; ++k)
            all[n].p[k] -= all[n].v[k] * all[n].age;
    rico_world_destroy(world);
    return all;
}

static uint32_t cell_of(const shape_case *c, const double *p)
{
    uint32_t cell = 0;
    for (int k = 0; k < 3; ++k) {
        double width = c->hi[k] - c->lo[k];
        int x = width > 0.0 ? (int)((p[k] - c->lo[k]) / width * CELLS) : 0;
        cell = cell * CELLS + (uint32_t)(x < 0 ? 0 : (x >= CELLS ? CELLS - 1 : x));
    }
    return cell;
}

static void throw_one(const shape_case *c, double *p)
{
    static uint32_t thrown;
    do {
        for (uint32_t k = 0; k < 3; ++k) {
            double skin = c->surface && c->hi[k] > c->lo[k] ? SKIN : 0.0;
            double u = rico__random_u32(77, ++thrown, k) / 4294967296.0;
            p[k] = c->lo[k] - skin + (c->hi[k] - c->lo[k] + 2.0 * skin) * u;
        }
    } while (!c->belongs(c, p));
}

/* By how many standard deviations the chi square of two counts is above its mean. */
static double deviation(const uint32_t *a, uint32_t a_sum, const uint32_t *b, uint32_t b_sum,
                        uint32_t cells)
{
    double chi = 0.0, freedom = -1.0;
    double fa = sqrt((double)b_sum / a_sum), fb = sqrt((double)a_sum / b_sum);
    for (uint32_t i = 0; i < cells; ++i) {
        if (a[i] + b[i] == 0)
            continue;
        double d = fa * a[i] - fb * b[i];
        chi += d * d / (a[i] + b[i]);
        freedom += 1.0;
    }
    return (chi - freedom) / sqrt(2.0 * freedom);
}

TEST(shapes, are_filled_evenly)
{
    uint32_t throws = TEST_IS_SLOW ? THROWS / 10 : THROWS;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        const shape_case *c = &shapes[k];
        rico_recipe r = shape_recipe(c);
        born *all = births_of(&r);
        static uint32_t ours[CELLS * CELLS * CELLS], theirs[CELLS * CELLS * CELLS];
        memset(ours, 0, sizeof ours);
        memset(theirs, 0, sizeof theirs);
        for (uint32_t n = 0; n < BIRTHS; ++n) {
            bool belongs = c->belongs(c, all[n].p);
            for (int a = 0; a < 3 && belongs; ++a) /* rounding at the rim of a volume */
                belongs = all[n].p[a] >= c->lo[a] - 1e-5 && all[n].p[a] <= c->hi[a] + 1e-5;
            double inward[3] = {all[n].p[0] * 0.99999, all[n].p[1] * 0.99999, all[n].p[2]};
            CHECK_MSG(belongs || c->belongs(c, inward), "%s: at %g %g %g", c->name, all[n].p[0],
                      all[n].p[1], all[n].p[2]);
            ours[cell_of(c, all[n].p)] += 1;
        }
        for (uint32_t n = 0; n < throws; ++n) {
            double p[3];
            throw_one(c, p);
            theirs[cell_of(c, p)] += 1;
        }
        double off = deviation(ours, BIRTHS, theirs, throws, CELLS * CELLS * CELLS);
        CHECK_MSG(off < 4.5, "%s, surface %d: %.1f deviations", c->name, (int)c->surface, off);
        free(all);
    }
}

/* --- Meshes --------------------------------------------------------------------------------- */

/* Triangles of very different sizes and directions; one has no area. */
#define TRIANGLES 9u
static float corners[9 * TRIANGLES];
static uint32_t indices[3 * TRIANGLES];

static rico_emitter_mesh odd_mesh(void)
{
    for (uint32_t t = 0; t < TRIANGLES; ++t)
        for (uint32_t i = 0; i < 9; ++i) {
            float scale = t == 4 ? 0.0f : 0.3f + (float)(t * t) * 0.08f;
            corners[9 * t + i] =
                scale * rico__random_range(5, 9 * t + i, 1, -1.0f, 1.0f) + 20.0f * (float)t;
            indices[3 * t + i / 3] = 3 * t + i / 3;
        }
    return (rico_emitter_mesh){corners, 3 * TRIANGLES, indices, TRIANGLES};
}

typedef struct corner3 {
    double a[3], u[3], v[3], n[3], area;
} corner3;

static corner3 triangle_of(uint32_t t)
{
    corner3 c;
    for (int k = 0; k < 3; ++k) {
        c.a[k] = (double)corners[9 * t + (uint32_t)k];
        c.u[k] = (double)corners[9 * t + 3 + (uint32_t)k] - c.a[k];
        c.v[k] = (double)corners[9 * t + 6 + (uint32_t)k] - c.a[k];
    }
    for (int k = 0; k < 3; ++k)
        c.n[k] = c.u[(k + 1) % 3] * c.v[(k + 2) % 3] - c.u[(k + 2) % 3] * c.v[(k + 1) % 3];
    c.area = 0.5 * sqrt(c.n[0] * c.n[0] + c.n[1] * c.n[1] + c.n[2] * c.n[2]);
    return c;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns in which quarter of the triangle p is (three corners and the middle), and checks that
 * p is on the triangle. */
static uint32_t quarter_of(const corner3 *c, const double *p)
{
    double d[3] = {p[0] - c->a[0], p[1] - c->a[1], p[2] - c->a[2]};
    double uu = dot(c->u, c->u), vv = dot(c->v, c->v), uv = dot(c->u, c->v);
    double du = dot(d, c->u), dv = dot(d, c->v), det = uu * vv - uv * uv;
    double s = (du * vv - dv * uv) / det, t = (dv * uu - du * uv) / det;
    CHECK_NEAR(dot(d, c->n) / (2.0 * c->area), 0.0, 1.0e-4);
    CHECK(s > -1.0e-3 && t > -1.0e-3 && s + t < 1.001);
    return s > 0.5 ? 0 : (t > 0.5 ? 1 : (s + t < 0.5 ? 2 : 3));
}

/* Directions fan out: from straight up in the middle to the spread at the rim. */
TEST(shapes, that_are_cones_are_left_as_far_aside_as_their_middle_is_away)
{
    for (int surface = 0; surface < 2; ++surface) {
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.shape = RICO_EMIT_CONE;
        r.size = (rico_vec3){0.5f, 0.0f, 1.0f};
        r.spread = 0.7f;
        r.surface = surface != 0;
        r.speed = (rico_range){2.0f, 2.0f};
        r.burst_count = BIRTHS;
        born *all = births_of(&r);
        for (uint32_t n = 0; n < BIRTHS; ++n) {
            const double radius = 0.5 + tan(0.7) * all[n].p[2];
            const double out = hypot(all[n].p[0], all[n].p[1]) / radius;
            const double flat = 2.0 * sin(0.7 * out) / fmax(out, 1e-6);
            for (int k = 0; k < 2; ++k)
                CHECK_NEAR(all[n].v[k], flat * all[n].p[k] / radius, 1e-3);
            CHECK_NEAR(all[n].v[2], 2.0 * cos(0.7 * out), 1e-3);
        }
        free(all);
    }
}

TEST(shapes, cover_meshes_by_area_and_leave_along_their_normals)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.shape = RICO_EMIT_MESH;
    r.burst_count = BIRTHS;
    r.mesh = odd_mesh();
    r.spread = 0.6f;
    r.speed = (rico_range){1.0f, 1.0f};
    born *all = births_of(&r);
    double area = 0.0, lean = 0.0;
    for (uint32_t t = 0; t < TRIANGLES; ++t)
        area += triangle_of(t).area;
    uint32_t seen[TRIANGLES][4] = {{0}};
    for (uint32_t n = 0; n < BIRTHS; ++n) {
        uint32_t t = (uint32_t)(all[n].p[0] / 20.0 + 0.5);
        CHECK(t < TRIANGLES && t != 4);
        corner3 c = triangle_of(t);
        seen[t][quarter_of(&c, all[n].p)] += 1;
        double cosine = dot(all[n].v, c.n) / (2.0 * c.area);
        CHECK(cosine > cos(0.6) - 1.0e-4 && cosine < 1.0001);
        lean += cosine / BIRTHS;
    }
    double chi = 0.0;
    for (uint32_t t = 0; t < TRIANGLES; ++t)
        for (uint32_t q = 0; q < 4; ++q) {
            double expected = BIRTHS * triangle_of(t).area / area / 4.0;
            if (t != 4)
                chi += (seen[t][q] - expected) * (seen[t][q] - expected) / expected;
        }
    CHECK_MSG(chi < 31.0 + 4.5 * sqrt(62.0), "chi square is %g", chi);
    CHECK_NEAR(lean, 0.5 * (1.0 + cos(0.6)), 0.003); /* uniform over the solid angle */
    free(all);
}

/* The host may free its arrays after the call, and the world must give back what it has copied. */
TEST(shapes, copy_the_mesh_and_give_its_memory_back)
{
    for (long n = 0;; ++n) {
        counting_allocator counter;
        kept_log log;
        rico_world_def def = counted_def(&counter, &log);
        rico_world *world;
        CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.shape = RICO_EMIT_MESH;
        r.mesh = odd_mesh();
        r.rate = 500.0f;
        counter.fail_at = counter.calls + n;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        bool added = id.index1 != 0;
        if (!added)
            CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_MEMORY);
        memset(corners, 0xff, sizeof corners);
        memset(indices, 0xff, sizeof indices);
        CHECK_EQ(rico_effect_spawn(world, id, at(0, 0, 0)).index1 != 0, added);
        run_steps(world, 20);
        rico_world_destroy(world);
        CHECK_EQ(counter.live_blocks, 0);
        if (added)
            return;
    }
}

/* --- Limits --------------------------------------------------------------------------------- */

TEST(shapes, refuse_measures_that_have_no_meaning)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_RING;
    r.size = (rico_vec3){1, 1.5f, 0};
    refuse(&r, "recipe.size.y", RICO_OUT_OF_RANGE);
    r.shape = RICO_EMIT_CONE;
    r.size = (rico_vec3){1, 0, 1};
    r.spread = 1.57f;
    refuse(&r, "recipe.spread", RICO_OUT_OF_RANGE);
    r = rico_recipe_default();
    r.shape = RICO_EMIT_MESH;
    refuse(&r, "recipe.mesh.positions", RICO_OUT_OF_RANGE);
    r.mesh = odd_mesh();
    r.mesh.indices = NULL;
    refuse(&r, "recipe.mesh.indices", RICO_OUT_OF_RANGE);
    r.mesh = odd_mesh();
    r.mesh.triangle_count = 0;
    refuse(&r, "recipe.mesh.triangle_count", RICO_OUT_OF_RANGE);
    r.mesh = odd_mesh();
    indices[4] = 3 * TRIANGLES;
    refuse(&r, "recipe.mesh.indices[4]", RICO_OUT_OF_RANGE);
    r.mesh = odd_mesh();
    corners[13] = NAN;
    refuse(&r, "recipe.mesh.positions", RICO_NOT_FINITE);
    r.mesh = odd_mesh();
    corners[2] = 1.1e6f;
    refuse(&r, "recipe.mesh.positions", RICO_OUT_OF_RANGE);
    r.mesh = odd_mesh();
    memset(corners, 0, sizeof corners);
    refuse(&r, "recipe.mesh", RICO_EMPTY_MESH);
}
