/* Drag that changes over life: it follows its formula, and paths follow it. */
#include "runtime_forces.h"
#include "runtime_host.h"

#include "contact.h"
#include "forces.h"
#include "preparation.h"

#include "random.h"
#include "waiting.h"

#define DT (1.0f / 60.0f)

static rico_curve curve_of(float a, float b, float c)
{
    return (rico_curve){.key_count = 3, .at = {0.0f, 0.4f, 1.0f}, .value = {a, b, c}};
}

/* Particles in the air over the terrain. */
static rico_recipe thrown(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 100.0f;
    r.spread = 1.0f;
    r.lifetime = (rico_range){0.5f, 1.2f};
    r.drag = 3.0f;
    r.drag_over_life = curve_of(0.2f, 2.0f, 0.5f);
    r.wind = (rico_vec3){3.0f, -2.0f, 1.0f};
    r.particle_ids = true;
    return r;
}

static double curve_at(const rico_curve *c, double x)
{
    uint32_t i = x < (double)c->at[1] ? 0 : 1;
    double part = (x - (double)c->at[i]) / (double)(c->at[i + 1] - c->at[i]);
    return (double)c->value[i] + (double)(c->value[i + 1] - c->value[i]) * fmin(part, 1.0);
}

/* One step in double precision, with the drag at the step's middle. */
static void slow_drag_step(const rico_recipe *r, double age, double life, double p[3],
                           double v[3])
{
    const double dt = (double)DT,
                 wind[3] = {(double)r->wind.x, (double)r->wind.y, (double)r->wind.z};
    double drag = (double)r->drag * curve_at(&r->drag_over_life, (age + 0.5 * dt) / life);
    double fade = exp(-drag * dt), speed = 0.0, most = (double)r->limit_speed;
    for (int k = 0; k < 3; ++k) {
        v[k] =
            (v[k] + (k == 2 ? (double)r->gravity.z * dt : 0.0)) * fade + wind[k] * (1.0 - fade);
        speed += v[k] * v[k];
    }
    for (int k = 0; k < 3; ++k) {
        if (most > 0.0 && sqrt(speed) > most)
            v[k] *= most / sqrt(speed);
        p[k] += v[k] * dt;
    }
}

static double worst_step(rico_world *world, rico_effect_id e, const rico_recipe *r, int steps)
{
    static crowd before, after;
    double worst = 0.0;
    rico_view view = rico_effect_view(world, e);
    while (steps-- > 0) {
        look_at(world, e, &before);
        run_steps(world, 1);
        look_at(world, e, &after);
        view = rico_effect_view(world, e);
        CHECK(rico_view_next(&view));
        for (uint32_t i = 0, n = 0; i < after.count; ++i) {
            for (n = 0; n < before.count && before.id[n] != after.id[i];)
                ++n;
            double p[3], v[3], off = 0.0;
            if (n == before.count)
                continue;
            for (int k = 0; k < 3; ++k) {
                p[k] = (double)before.p[n][k];
                v[k] = (double)before.v[n][k];
            }
            slow_drag_step(r, (double)before.age[n], (double)view.lifetime[i], p, v);
            for (int k = 0; k < 3; ++k)
                off += fabs(p[k] - (double)after.p[i][k]) + fabs(v[k] - (double)after.v[i][k]);
            worst = fmax(worst, off);
        }
    }
    return worst;
}

TEST(drag, over_life_is_as_its_formula_says_in_every_mode)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_world *world = small_world(1, true);
        rico_recipe r = thrown((rico_collision_mode)mode);
        r.limit_speed = mode == 1 ? 4.0f : 0.0f;
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 20.0f));
        run_steps(world, 4);
        double worst = worst_step(world, e, &r, 60);
        CHECK_MSG(worst < 2.0e-3, "mode %d: off by %g", mode, worst);
        rico_world_destroy(world);
    }
}

/* Runs an effect with a fixed seed for 45 steps, and collects its particles. */
static void run_one(const rico_recipe *r, crowd *out)
{
    rico_world *world = small_world(1, true);
    rico_effect_def def = rico_effect_def_default();
    def.transform = at(0.0f, 0.0f, 20.0f);
    def.seed = 9;
    rico_effect_id e = rico_effect_spawn_def(world, rico_world_add_recipe(world, r), &def);
    run_steps(world, 45);
    look_at(world, e, out);
    CHECK(out->count > 40);
    rico_world_destroy(world);
}

TEST(drag, that_stays_the_same_for_life_is_constant_drag)
{
    static crowd constant, flat, factor;
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = thrown((rico_collision_mode)mode);
        r.drag_over_life = rico_curve_constant(1.0f);
        run_one(&r, &constant);
        r.drag_over_life = curve_of(1.0f, 1.0f, 1.0f);
        run_one(&r, &flat);
        r.drag = 6.0f;
        r.drag_over_life = rico_curve_constant(0.5f);
        run_one(&r, &factor);
        CHECK(flat.count == constant.count && factor.count == constant.count);
        CHECK(memcmp(factor.p, constant.p, factor.count * sizeof factor.p[0]) == 0);
        for (uint32_t i = 0; i < flat.count; ++i)
            for (int k = 0; k < 3; ++k) /* births: to the first order in dt */
                CHECK_MSG(fabsf(flat.p[i][k] - constant.p[i][k]) < 2.0e-3f, "mode %d: %g", mode,
                          (double)(flat.p[i][k] - constant.p[i][k]));
    }
}

/* In the rest of the step of its birth, a particle must have the drag of its own age. */
TEST(drag, of_the_newborn_is_that_of_the_beginning)
{
    static crowd c;
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_world *world = small_world(1, true);
        rico_recipe r = thrown((rico_collision_mode)mode);
        r.rate = 900.0f;
        r.gravity = r.wind = (rico_vec3){0.0f, 0.0f, 0.0f};
        r.speed = (rico_range){4.0f, 4.0f};
        r.drag = 50.0f;
        r.drag_over_life = curve_of(0.0f, 0.0f, 2.0f);
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 20.0f));
        run_steps(world, 2);
        look_at(world, e, &c);
        CHECK(c.count > 25);
        for (uint32_t i = 0; i < c.count; ++i) {
            rico_vec3 v = {c.v[i][0], c.v[i][1], c.v[i][2]};
            rico_vec3 way = {c.p[i][0], c.p[i][1], c.p[i][2] - 20.0f};
            CHECK_NEAR(vec3_length(v), 4.0, 1.0e-5);
            CHECK_NEAR(vec3_length(way), 4.0 * (double)c.age[i], 1.0e-4);
        }
        rico_world_destroy(world);
    }
}

/* --- Paths -------------------------------------------------------------------------------- */

/* A path keeps the drag of its start. For as long as it is trusted, it must be within a
 * centimetre of real steps. */
TEST(drag, paths_are_within_a_centimetre_for_as_long_as_they_are_trusted)
{
    rico_world *world = small_world(1, false);
    uint32_t long_ones = 0, rounds = test_rounds(3000);
    for (uint32_t round = 0; round < rounds; ++round) {
        rico_recipe r = thrown(RICO_COLLIDE_CACHED);
        r.drag = rico__random_range(51, round, 0, 0.5f, 8.0f);
        for (uint32_t k = 0; k < 3; ++k)
            r.drag_over_life.value[k] = rico__random_range(51, round, 1 + k, 0.0f, 2.0f);
        if (round % 3 == 0) /* no change at first, then at once */
            r.drag_over_life =
                (rico_curve){.key_count = 2, .at = {0.5f, 0.5f}, .value = {0.1f, 1.0f}};
        rico__recipe *recipe = &world->recipes[0];
        rico__recipe_prepare(recipe, &r);
        rico__effect effect = {.dt = DT, .path_dt = DT, .transform = RICO_TRANSFORM_IDENTITY};
        rico__step path, step;
        rico__effect_step(&step, recipe, &effect, 1.0f);
        rico_vec3 p = {0.0f, 0.0f, 0.5f}, q = p, followed = p;
        rico_vec3 v = {rico__random_range(51, round, 5, -9.0f, 9.0f),
                       rico__random_range(51, round, 6, -9.0f, 9.0f), 1.0f};
        const float life = rico__random_range(51, round, 7, 0.4f, 4.0f);
        float age = life * rico__random_range(51, round, 8, 0.0f, 0.9f), off = 0.0f;
        const rico__pushed who = {p, v, age, life};
        rico__aim aim;
        rico_vec3 u = v;
        path = step;
        rico__step_at(&path, recipe, age, life);
        rico__forces_aim_one(world, &effect, &path, &who, &aim);
        CHECK(aim.drag == rico__drag_at(recipe, age, life, DT) &&
              vec3_length(aim.kick) == 0.0f);
        float time = fminf(aim.trust, life - age);
        long_ones += time > 4.0f * DT;
        for (float t = DT; t <= time; t += DT, age += DT) {
            step = path;
            rico__step_at(&step, recipe, age, life);
            u = rico__accelerate(u, &step);
            q = vec3_mad(q, u, DT);
            v = rico__accelerate(v, &path);
            followed = vec3_mad(followed, v, DT);
            off = fmaxf(off, vec3_length(vec3_sub(q, followed)));
        }
        CHECK_MSG(off <= 0.0102f, "round %u: %g m after %g s", round, (double)off,
                  (double)time);
    }
    CHECK_MSG(long_ones > rounds / 3, "%u of %u", long_ones, rounds);
    rico_world_destroy(world);
}

/* Throws particles over the terrain. Counts those that are below it at the end, and bounces
 * away from any surface. */
static void throw_over_terrain(rico_collision_mode mode)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = thrown(mode);
    r.wind = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.rate = 0.0f;
    r.burst_count = 300;
    r.spread = 1.57f;
    r.speed = (rico_range){2.0f, 7.0f};
    r.lifetime = (rico_range){3.0f, 4.0f};
    r.drag = 8.0f;
    r.drag_over_life =
        (rico_curve){.key_count = 3, .at = {0.0f, 0.1f, 0.3f}, .value = {0.0f, 0.1f, 1.0f}};
    r.events = RICO_EVENT_BIT_COLLISION;
    r.queries_per_frame = 500.0f;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(3.0f, 3.0f, 1.0f));
    uint32_t fell = 0, seen = 0, bounces = 0, in_air = 0, count;
    for (int n = 0; n < 150; ++n) {
        run_steps(world, 1);
        const rico_event *events = rico_world_events(world, &count);
        for (uint32_t i = 0; i < count; ++i, ++bounces) {
            rico_vec3 p = events[i].position;
            in_air +=
                p.z > 0.85f || (fabsf(p.x) > 1.1f && p.z - terrain_height(p.x, p.y) > 0.08f);
        }
    }
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++seen)
            fell += fabsf(v.px[i]) < 9.5f && fabsf(v.py[i]) < 9.5f &&
                    v.pz[i] < terrain_height(v.px[i], v.py[i]) - 0.06f;
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr, "mode %d: %u of %u fell, %u of %u in the air\n", (int)mode, fell, seen,
                in_air, bounces);
    CHECK_MSG(fell <= 3 && seen == 300, "mode %d: %u of %u fell", (int)mode, fell, seen);
    CHECK_MSG(in_air <= 3 && bounces > 300, "mode %d: %u of %u in the air", (int)mode, in_air,
              bounces);
    rico_world_destroy(world);
}

TEST(drag, that_grows_lets_nobody_through_or_bounce_in_the_air)
{
    throw_over_terrain(RICO_COLLIDE_CACHED);
    throw_over_terrain(RICO_COLLIDE_EXACT);
}

/* A particle that waits for a record asks with a ray along its way. With strong drag its way
 * ends before the wall, so it must not learn of the wall. */
static bool is_told_of_a_wall(float drag)
{
    static const float wall[] = {0.4f, -9, -9, 0.4f, 9, -9, 0.4f, 9, 9, 0.4f, -9, 9};
    static const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = wall, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = thrown(RICO_COLLIDE_CACHED);
    r.rate = r.spread = r.queries_per_frame = 0.0f;
    r.burst_count = 1;
    r.speed = (rico_range){20.0f, 20.0f};
    r.drag = drag;
    r.drag_over_life = curve_of(1.0f, 1.0f, 1.0f);
    r.wind = r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    rico_transform along_x = RICO_TRANSFORM_IDENTITY;
    along_x.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
    rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x);
    run_steps(world, 1);
    const uint32_t b = world->effects[0].first_block;
    CHECK((world->blocks[b].waits[0] & 1) != 0);
    rico__query query = {.kind = QUERY_CHORD, .block = b};
    rico__waiting_answer(world, &query, world->scratch);
    float *data = rico__block_data(world, &world->blocks[b]);
    bool told = rico__stream(&world->recipes[0], data, FIELD_ND)[0] != RICO_NO_PLANE_OFFSET;
    rico_world_destroy(world);
    return told;
}

TEST(drag, over_life_is_known_to_who_waits)
{
    CHECK(is_told_of_a_wall(1.0f));
    CHECK(!is_told_of_a_wall(80.0f));
}

TEST(drag, over_life_is_known_to_paths_on_the_host_s_rays)
{
    rico_recipe r = ramp_recipe(200.0f);
    r.drag = 4.0f;
    r.drag_over_life = (rico_curve){.key_count = 2, .at = {0.0f, 0.3f}, .value = {0.0f, 1.0f}};
    host now = ramp_host(HOST_PLAIN), later = ramp_host(HOST_LAZY);
    outcome a = run_ramp_by(at_once(&now), 1, &r),
            b = run_ramp_by(one_frame_later(&later), 1, &r);
    check_outcome("at once", &a, 1, 0);
    check_outcome("one frame later", &b, 1, 0);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}

/* --- From the host's side ----------------------------------------------------------------- */

TEST(drag, over_life_is_refused_out_of_range_and_changed_like_other_forces)
{
    kept_log log;
    rico_log hook = kept_log_hook(&log);
    rico_recipe r = thrown(RICO_COLLIDE_CACHED), bad = r;
    bad.drag_over_life.value[1] = 100.5f;
    CHECK_EQ(rico_recipe_check(&bad, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.drag_over_life.value[1] is 100.5, expected 0 to 100") !=
                  NULL,
              "%s", log.text);
    bad.drag_over_life.value[1] = NAN;
    CHECK_EQ(rico_recipe_check(&bad, &hook), RICO_NOT_FINITE);
    bad = r;
    bad.drag_over_life.key_count = 0;
    CHECK_EQ(rico_recipe_check(&bad, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.drag_over_life.key_count is 0") != NULL, "%s", log.text);
    rico_world *world = small_world(1, true);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f));
    run_steps(world, 20);
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(!world->effects[0].missed_edits); /* what is known of paths is kept */
    r.drag_over_life.value[2] = 3.0f;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(world->effects[0].missed_edits);
    rico_world_destroy(world);
}

/* --- Falling ------------------------------------------------------------------------------ */

enum form { BY_RECIPE, BY_FORCE, BY_SQUARE };

/* Speed in metres per second after a fall of 20 s, when it no longer changes. */
static double end_of_fall(enum form form, float drag, float dt)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.burst_count = 1;
    r.lifetime = (rico_range){1000.0f, 1000.0f};
    r.drag = form == BY_RECIPE ? drag : 0.0f;
    r.drag_quadratic = form == BY_SQUARE ? drag : 0.0f;
    r.forces[0].kind = form == BY_FORCE ? RICO_FORCE_DRAG : RICO_FORCE_NONE;
    r.forces[0].strength = drag;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    for (float t = 0.0f; t < 20.0f; t += dt)
        rico_world_step(world, dt);
    rico_view v = rico_effect_view(world, e);
    CHECK(rico_view_next(&v) && v.count == 1);
    double speed = -(double)v.vz[0];
    rico_world_destroy(world);
    return speed;
}

/* The errors that recipe.h and force.h state. */
TEST(drag, ends_a_fall_as_far_from_the_law_as_headers_say)
{
    static const float steps[] = {0.2f, 1.0f / 60.0f, 1.0f / 120.0f};
    static const double off[3][3] = {
        {-0.187, 0.4, 0.2457}, {-0.0166, 0.0333, 0.0186}, {-0.0083, 0.0167, 0.0093}};
    const double g = 9.81, end = g / 2.0, end_by_square = sqrt(g / 0.5);
    for (int k = 0; k < 3; ++k) {
        const double dt = (double)steps[k];
        CHECK_NEAR(end_of_fall(BY_RECIPE, 2.0f, steps[k]) / end - 1.0, off[k][0], 1.0e-3);
        CHECK_NEAR(end_of_fall(BY_FORCE, 2.0f, steps[k]) / end - 1.0, off[k][1], 1.0e-3);
        CHECK_NEAR(end_of_fall(BY_SQUARE, 0.5f, steps[k]) / end_by_square - 1.0, off[k][2],
                   1.0e-3);
        const double made_up[2] = {log(1.0 + 2.0 * dt) / dt, 2.0 / (1.0 - 2.0 * dt)};
        CHECK_NEAR(end_of_fall(BY_RECIPE, (float)made_up[0], steps[k]) / end, 1.0, 1.0e-4);
        CHECK_NEAR(end_of_fall(BY_FORCE, (float)made_up[1], steps[k]) / end, 1.0, 1.0e-4);
    }
}
