/* Forces of recipes: each follows its formula, with the same bits everywhere, and paths follow
 * the forces. */
#include "runtime_forces.h"
#include "runtime_numbers.h"

#include "forces.h"
#include "kernel.h"
#include "preparation.h"

#define DT (1.0f / 60.0f)

/* A burst of particles that meet nothing. */
static rico_recipe free_recipe(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.burst_count = 40;
    r.spread = 3.1415927f;
    r.lifetime = (rico_range){100.0f, 100.0f};
    return r;
}

static rico_transform tilted(void)
{
    rico_transform t = at(3.0f, -2.0f, 5.0f);
    t.rotation = (rico_quat){0.48f, 0.0f, 0.6f, 0.64f};
    t.scale = 1.5f;
    return t;
}

/* Returns how far a particle is at most from where the slow steps lead, after so many steps. */
static double follow_slowly(const rico_recipe *recipe, uint32_t steps)
{
    rico_world *world = small_world(1, false);
    rico_transform where = tilted();
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, recipe), where);
    static crowd before, after;
    double farthest = 0.0;
    run_steps(world, 1);
    look_at(world, effect, &before);
    run_steps(world, (int)steps);
    look_at(world, effect, &after);
    CHECK(before.count == 40 && after.count == 40);
    for (uint32_t i = 0; i < before.count; ++i) {
        double p[3], v[3], off = 0.0;
        for (int k = 0; k < 3; ++k) {
            p[k] = (double)before.p[i][k];
            v[k] = (double)before.v[i][k];
        }
        for (uint32_t n = 0; n < steps; ++n)
            slow_step(recipe, &where, NULL, 0, (double)(n + 2) * (double)DT, (double)DT, p, v);
        for (int k = 0; k < 3; ++k)
            off += pow(p[k] - (double)after.p[i][k], 2.0);
        farthest = fmax(farthest, sqrt(off));
    }
    rico_world_destroy(world);
    return farthest;
}

TEST(forces, each_kind_moves_particles_as_its_formula_says)
{
    for (int kind = 1; kind < RICO_FORCE_KIND_COUNT; ++kind)
        for (uint32_t variant = 0; variant < 4; ++variant) {
            rico_recipe r = free_recipe();
            r.forces[0] = some_force((rico_force_kind)kind, (uint32_t)kind * 4 + variant);
            r.forces[0].world_space = variant == 1;
            r.forces[0].reach = variant == 2 ? 2.5f : 0.0f;
            if (variant == 3)
                r.drag = 0.8f;
            double off = follow_slowly(&r, 60);
            CHECK_MSG(off < 2.0e-3, "kind %d variant %u is off by %g m", kind, variant, off);
        }
}

TEST(forces, drag_wind_and_the_limit_do_as_their_formulas_say)
{
    rico_recipe r = free_recipe();
    r.drag_quadratic = 0.3f;
    CHECK(follow_slowly(&r, 60) < 1.0e-3);
    r.wind = (rico_vec3){4.0f, -3.0f, 1.0f};
    CHECK(follow_slowly(&r, 60) < 1.0e-3);
    r.drag = 2.0f;
    CHECK(follow_slowly(&r, 60) < 1.0e-3);
    r.drag_quadratic = 0.0f;
    CHECK(follow_slowly(&r, 60) < 1.0e-3);
    r.limit_speed = 3.0f;
    CHECK(follow_slowly(&r, 60) < 1.0e-3);
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i)
        r.forces[i] = some_force((rico_force_kind)(i + 2), 90 + i);
    r.drag_quadratic = 0.1f;
    CHECK(follow_slowly(&r, 30) < 2.0e-3);
}

/* Without colliders the origin may move very far. Turbulence must still be of its strength
 * there. */
TEST(forces, turbulence_keeps_its_strength_wherever_the_origin_has_gone)
{
    static crowd c;
    rico_recipe r = free_recipe();
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){0.0f, 0.0f};
    r.forces[0] = some_force(RICO_FORCE_TURBULENCE, 3);
    r.forces[0].strength = 10.0f;
    r.forces[0].scale = 0.05f;
    for (int far = 0; far < 3; ++far) {
        rico_world *world = small_world(1, false);
        const float ways[] = {0.0f, 1.0e19f, -3.0e38f};
        rico_vec3 origin = {ways[far], 0.0f, ways[far]};
        for (int i = 0; i < 3; ++i)
            CHECK_EQ(rico_world_shift_origin(world, origin), RICO_OK);
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
        double sum = 0.0;
        for (int n = 0; n < 20; ++n)
            rico_world_step(world, DT);
        look_at(world, e, &c);
        CHECK(c.count > 5);
        for (uint32_t i = 0; i < c.count; ++i)
            for (int k = 0; k < 3; ++k) {
                CHECK_MSG(fabs((double)c.v[i][k]) < 2.7 * 10.0 * 0.4, "%g", (double)c.v[i][k]);
                sum += fabs((double)c.v[i][k]);
            }
        CHECK_MSG(sum / c.count > 0.05, "%g m/s", sum / c.count);
        rico_world_destroy(world);
    }
}

/* The noise stands still while the origin is moved: it must be that of the slow formula, at the
 * places where particles would be without a shift. */
TEST(forces, turbulence_stands_still_while_the_origin_is_moved)
{
    static crowd before, after;
    rico_recipe r = free_recipe();
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.forces[0] = some_force(RICO_FORCE_TURBULENCE, 3);
    r.forces[0].strength = 10.0f;
    const rico_vec3 origins[] = {
        {0.0f, 0.0f, 0.0f}, {0.3f, -7.7f, 1234.5f}, {-3.0e5f, 2.5e6f, 77.0f}};
    for (int far = 0; far < 3; ++far) {
        rico_world *world = small_world(1, false);
        const float shift[3] = {origins[far].x, origins[far].y, origins[far].z};
        for (int i = 0; i < 3; ++i)
            CHECK_EQ(rico_world_shift_origin(world, origins[far]), RICO_OK);
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
        run_steps(world, 1);
        look_at(world, e, &before);
        run_steps(world, 1);
        look_at(world, e, &after);
        CHECK(before.count == 40 && after.count == 40);
        double worst = 0.0;
        for (uint32_t i = 0; i < before.count; ++i) {
            double p[3], swirl[3];
            for (int k = 0; k < 3; ++k)
                p[k] = (double)before.p[i][k] + 3.0 * (double)shift[k];
            slow_swirl(&r.forces[0], p, 2.0 * (double)DT, swirl);
            for (int k = 0; k < 3; ++k) {
                double kick = (double)after.v[i][k] - (double)before.v[i][k];
                worst = fmax(worst, fabs(kick - 10.0 * swirl[k] * (double)DT));
            }
        }
        CHECK_MSG(worst < 1.0e-5, "shift %d: off by %g m/s", far, worst);
        rico_world_destroy(world);
    }
}

/* Particles start fast and are pushed hard. They must keep to the speed limit, and drag must
 * bring them to the wind's speed. */
TEST(forces, keep_to_the_limit_and_come_to_the_speed_of_the_wind)
{
    static crowd c;
    rico_recipe r = free_recipe();
    r.speed = (rico_range){50.0f, 100.0f};
    r.forces[0] = some_force(RICO_FORCE_ATTRACTOR, 5);
    r.forces[0].strength = 900.0f;
    r.limit_speed = 7.0f;
    for (int windy = 0; windy < 2; ++windy) {
        rico_world *world = small_world(1, false);
        if (windy) {
            r = free_recipe();
            r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
            r.wind = (rico_vec3){4.0f, -3.0f, 12.0f};
            r.drag = 90.0f;
        }
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
        for (int n = 0; n < 100; ++n) {
            rico_world_step(world, windy ? 1.0f : DT);
            look_at(world, e, &c);
            for (uint32_t i = 0; i < c.count && n > 0; ++i) {
                double speed = sqrt(pow((double)c.v[i][0], 2.0) + pow((double)c.v[i][1], 2.0) +
                                    pow((double)c.v[i][2], 2.0));
                CHECK_MSG(windy ? fabs(speed - 13.0) < 1.0e-4 : speed < 7.0001, "%g m/s",
                          speed);
            }
            n += windy ? 40 : 0;
        }
        rico_world_destroy(world);
    }
}

/* --- Turbulence --------------------------------------------------------------------------- */

TEST(forces, turbulence_has_no_sources_and_the_strength_that_is_asked_for)
{
    rico_force f = some_force(RICO_FORCE_TURBULENCE, 3);
    const double by = 1.0e-3;
    double square = 0.0, worst = 0.0, most = 0.0, mean[3] = {0.0, 0.0, 0.0};
    const uint32_t rounds = 4000;
    for (uint32_t i = 0; i < rounds; ++i) {
        double p[3], u[3], sources = 0.0;
        for (uint32_t k = 0; k < 3; ++k)
            p[k] = (double)rico__random_range(33, i, k, -300.0f, 300.0f);
        slow_swirl(&f, p, 2.5, u);
        for (int k = 0; k < 3; ++k) {
            double lo[3] = {p[0], p[1], p[2]}, hi[3] = {p[0], p[1], p[2]}, a[3], b[3];
            lo[k] -= by;
            hi[k] += by;
            slow_swirl(&f, lo, 2.5, a);
            slow_swirl(&f, hi, 2.5, b);
            sources += (b[k] - a[k]) / (2.0 * by);
            square += u[k] * u[k];
            mean[k] += u[k] / rounds;
        }
        worst = fmax(worst, fabs(sources));
        most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    CHECK_MSG(worst < 1.0e-4, "%g per second, of some 5", worst);
    CHECK_MSG(fabs(sqrt(square / rounds) - 1.0) < 0.05, "%g", sqrt(square / rounds));
    CHECK(sqrt(most) < (double)RICO__SWIRL_MOST);
    for (int k = 0; k < 3; ++k)
        CHECK_MSG(fabs(mean[k]) < 0.05, "axis %d: %g", k, mean[k]);
}

/* --- Every instruction set ---------------------------------------------------------------- */

typedef struct lanes {
    float field[8][RICO__MAX_BLOCK + 16];
} lanes;

static void fill(lanes *l, uint32_t round, bool nasty)
{
    for (uint32_t f = 0; f < 8; ++f)
        for (uint32_t i = 0; i < RICO__MAX_BLOCK + 16; ++i)
            l->field[f][i] = nasty ? hostile(i, round * 8 + f)
                                   : rico__random_range(35, i, round * 8 + f, -4.0f, 4.0f);
}

static rico__streams streams_of(lanes *l)
{
    return (rico__streams){.px = l->field[0],
                           .py = l->field[1],
                           .pz = l->field[2],
                           .vx = l->field[3],
                           .vy = l->field[4],
                           .vz = l->field[5],
                           .age = l->field[6],
                           .life = l->field[7]};
}

static void make_forces(rico__forces *forces, rico__force *items, uint32_t round)
{
    static float drags[RICO__TABLE_SIZE];
    static const double shifted[3] = {0.25, -7.0, 1024.0};
    *forces = (rico__forces){.dt = DT,
                             .wind = {1.0f, -2.0f, 0.5f},
                             .drag_quadratic = round % 3 ? 0.2f : 0.0f,
                             .limit_speed = round % 4 ? 3.0f : 0.0f,
                             .push = {0.01f, 0.0f, -0.16f},
                             .drags = round % 2 ? drags : NULL,
                             .factor = round % 5 ? 0.98f : 1.0f,
                             .even_dt = round % 7 < 4 ? 0.0f : 0.03f,
                             .gravity = {0.1f, -0.2f, -9.0f}};
    for (uint32_t i = 0; i < RICO__TABLE_SIZE; ++i)
        drags[i] = rico__random_range(34, i, 0, 0.0f, i % 9 ? 20.0f : 1.0e4f);
    for (uint32_t k = 1; k < RICO_FORCE_KIND_COUNT; ++k) {
        rico_force f = some_force((rico_force_kind)k, round * 8 + k);
        rico_transform space = tilted();
        memset(&items[k], 0, sizeof items[k]);
        rico__force_place(&items[k], &f, &space, 1.0e4 * (double)round, shifted);
        if ((round + k) % 3 > 0)
            rico__force_within(&items[k], &space, (rico_vec3){4.0f, 3.0f, 5.0f},
                               (round + k) % 3 == 1, round % 2 ? 0.5f : 0.0f);
        forces->items[forces->count++] = &items[k];
    }
}

static void compare_isas(bool nasty)
{
    static const uint32_t counts[] = {1, 3, 16, 31, 64, 100, 255, 256};
    static lanes expected, got;
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        for (uint32_t round = 0; k != NULL && round < 24; ++round) {
            rico__forces forces;
            rico__force items[RICO_FORCE_KIND_COUNT];
            uint64_t asleep[RICO__MASK_WORDS];
            uint32_t count = counts[round % 8];
            make_forces(&forces, items, round);
            for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
                asleep[w] = rico__mix64(round * 4 + w) & rico__mix64(round * 4 + w + 99);
            fill(&expected, round, nasty);
            got = expected;
            rico__streams a = streams_of(&expected), b = streams_of(&got);
            float most_a = scalar->force(&a, count, &forces, asleep);
            float most_b = k->force(&b, count, &forces, asleep);
            rico_box box_a, box_b;
            scalar->bounds(&a, count, &box_a);
            k->bounds(&b, count, &box_b);
            CHECK_MSG(memcmp(&most_a, &most_b, sizeof most_a) == 0 &&
                          memcmp(&box_a, &box_b, sizeof box_a) == 0,
                      "%s round %u", rico__isa_name((rico__isa)isa), round);
            for (uint32_t f = 0; f < 6; ++f)
                CHECK_MSG(same(expected.field[f], got.field[f], count), "%s round %u field %u",
                          rico__isa_name((rico__isa)isa), round, f);
        }
    }
}

TEST(forces, are_the_same_on_every_instruction_set)
{
    compare_isas(false);
    compare_isas(true);
}

TEST(forces, leave_sleepers_and_what_is_past_the_count_alone_and_find_bounds)
{
    static lanes l, before;
    rico__forces forces;
    rico__force items[RICO_FORCE_KIND_COUNT];
    const uint64_t asleep[RICO__MASK_WORDS] = {0xf0f0};
    make_forces(&forces, items, 1);
    fill(&l, 7, false);
    l.field[1][2] = NAN;
    before = l;
    rico__streams s = streams_of(&l);
    rico_box box;
    rico__kernels_for_cpu()->bounds(&s, 30, &box);
    rico__kernels_for_cpu()->force(&s, 30, &forces, asleep);
    const float lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    for (uint32_t f = 0; f < 3; ++f) {
        float least = 1.0e30f, most = -1.0e30f;
        for (uint32_t i = 0; i < 30; ++i) {
            least = fminf(least, before.field[f][i]);
            most = fmaxf(most, before.field[f][i]);
        }
        CHECK(lo[f] == least && hi[f] == most);
    }
    for (uint32_t i = 0; i < 40; ++i) {
        bool moves = i < 30 && (asleep[0] >> i & 1) == 0;
        CHECK_MSG((l.field[3][i] != before.field[3][i]) == moves, "lane %u", i);
    }
}

/* --- Births ------------------------------------------------------------------------------- */

/* A constant force along an axis acts as gravity does: in steps, and for births within a step. */
TEST(forces, births_follow_them_for_the_rest_of_their_step)
{
    static crowd a, b;
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (int windy = 0; windy < 2; ++windy) {
            rico_recipe r = rico_recipe_default();
            r.mode = (rico_collision_mode)mode;
            r.rate = 200.0f;
            r.drag = windy ? 0.5f : 0.0f;
            r.particle_ids = true;
            rico_recipe other = r;
            r.gravity.x = 6.0f;
            if (windy) {
                other.wind.x = 12.0f;
            } else {
                other.forces[1] = rico_force_default();
                other.forces[1].kind = RICO_FORCE_DIRECTION;
                other.forces[1].strength = 6.0f;
                other.forces[1].axis = (rico_vec3){1.0f, 0.0f, 0.0f};
            }
            rico_world *world = small_world(1, true);
            rico_effect_def def = rico_effect_def_default();
            def.transform = at(0.0f, 0.0f, 9.0f);
            def.seed = 4;
            rico_effect_id e =
                rico_effect_spawn_def(world, rico_world_add_recipe(world, &r), &def);
            rico_effect_id f =
                rico_effect_spawn_def(world, rico_world_add_recipe(world, &other), &def);
            run_steps(world, 30);
            look_at(world, e, &a);
            look_at(world, f, &b);
            CHECK(a.count == b.count && a.count > 90);
            for (uint32_t i = 0; i < a.count; ++i)
                for (int k = 0; k < 3; ++k) /* wind acts as gravity does to first order in dt */
                    CHECK_MSG(fabsf(a.p[i][k] - b.p[i][k]) < (windy ? 8.0e-3f : 1.0e-5f),
                              "mode %d particle %u: %g", mode, i,
                              (double)(a.p[i][k] - b.p[i][k]));
            rico_world_destroy(world);
        }
}

TEST(forces, an_effect_that_seeks_or_is_prewarmed_has_felt_them)
{
    rico_recipe r = free_recipe();
    r.rate = 50.0f;
    r.forces[0] = some_force(RICO_FORCE_TURBULENCE, 8);
    r.forces[1] = some_force(RICO_FORCE_VORTEX, 9);
    r.drag = 2.0f;
    r.drag_over_life = (rico_curve){.key_count = 2, .at = {0.0f, 0.02f}, .value = {0.0f, 1.0f}};
    static crowd ran, sought, warm;
    rico_world *world = small_world(1, false);
    rico_effect_def def = rico_effect_def_default();
    def.seed = 5;
    rico_effect_id e = rico_effect_spawn_def(world, rico_world_add_recipe(world, &r), &def);
    run_steps(world, 60);
    look_at(world, e, &ran);
    rico_effect_seek(world, e, 1.0f, DT);
    look_at(world, e, &sought);
    r.prewarm = 1.0f;
    e = rico_effect_spawn_def(world, rico_world_add_recipe(world, &r), &def);
    look_at(world, e, &warm);
    CHECK(ran.count > 60 && ran.count == sought.count && ran.count == warm.count);
    CHECK(memcmp(ran.p, sought.p, ran.count * sizeof ran.p[0]) == 0);
    CHECK(memcmp(ran.p, warm.p, ran.count * sizeof ran.p[0]) == 0);
    rico_world_destroy(world);
}

/* --- Paths -------------------------------------------------------------------------------- */

/* A forecast must be within a centimetre of real steps for as long as it is trusted. */
TEST(forces, paths_are_within_a_centimetre_for_as_long_as_they_are_trusted)
{
    uint32_t long_ones = 0, rounds = test_rounds(8000);
    float sum = 0.0f;
    rico_world *world = small_world(1, false);
    for (uint32_t round = 0; round < rounds; ++round) {
        rico_recipe r = free_recipe();
        uint32_t kind = 1 + round % (RICO_FORCE_KIND_COUNT - 1);
        r.gravity.z = 0.0f;
        if (round % 5 == 4)
            r.limit_speed = 4.0f;
        if (round % 7 == 6)
            r.drag_quadratic = 0.2f;
        r.forces[0] = some_force((rico_force_kind)kind, round);
        r.forces[0].reach = round % 3 == 0 ? 3.0f : 0.0f;
        rico__recipe *prepared = &world->recipes[0];
        rico__recipe_prepare(prepared, &r);
        rico__effect effect = {
            .dt = DT, .path_dt = DT, .transform = RICO_TRANSFORM_IDENTITY, .clock = 3.0};
        rico__step step;
        prepared->step.dt = -1.0f;
        rico__effect_step(&step, prepared, &effect, 1.0f);
        rico_vec3 p = {rico__random_range(36, round, 0, -3.0f, 3.0f),
                       rico__random_range(36, round, 1, -3.0f, 3.0f), 0.5f};
        rico_vec3 v = {rico__random_range(36, round, 2, -6.0f, 6.0f),
                       rico__random_range(36, round, 3, -6.0f, 6.0f), 1.0f};
        rico__aim aim;
        const rico__pushed who = {p, v, 0.0f, 100.0f};
        rico__forces_aim_one(world, &effect, &step, &who, &aim);
        float time = fminf(aim.trust, 1.0f), off = 0.0f;
        long_ones += time > 4.0f * DT;
        sum += time;
        rico_vec3 q = p, u = v, fixed = v;
        rico_vec3 frozen = p;
        for (float t = DT; t <= time; t += DT) {
            rico__forces forces;
            const rico_box box = {q, q};
            effect.clock += (double)DT;
            rico__forces_find(world, &effect, &step, &box, &forces);
            u = vec3_add(u, rico__forces_kick(world, &forces, q, u));
            q = vec3_mad(q, u, DT);
            fixed = vec3_add(fixed, aim.kick);
            frozen = vec3_mad(frozen, fixed, DT);
            off = fmaxf(off, vec3_length(vec3_sub(q, frozen)));
        }
        CHECK_MSG(off <= 0.0102f, "round %u kind %u: %g m after %g s", round, kind, (double)off,
                  (double)time);
    }
    CHECK_MSG(long_ones > rounds / 2, "%u of %u, mean %g s", long_ones, rounds,
              (double)sum / (double)rounds);
    rico_world_destroy(world);
}

/* A particle bounces on a plane and is pushed sideways. It must look again before it can be
 * farther from its first impact than its clearance. */
TEST(forces, who_bounces_in_clearance_looks_again_before_it_can_be_pushed_out)
{
    const rico__kernels *kernels = rico__kernels_for_cpu();
    uint32_t looks = 0, bounces = 0, rounds = test_rounds(4000);
    for (uint32_t round = 0; round < rounds; ++round) {
        static float n[FIELD_UNTIL + 1][16];
        float most = rico__random_range(37, round, 0, 5.0f, 60.0f);
        float clearance = rico__random_range(37, round, 1, 0.05f, 1.0f);
        rico_vec3 impact = {0.0f, 0.0f, 0.0f};
        bool flown = false;
        memset(n, 0, sizeof n);
        n[2][0] = rico__random_range(37, round, 2, 0.02f, 0.3f);
        n[5][0] = -2.0f;
        n[7][0] = 100.0f;
        n[FIELD_UNTIL][0] = RICO__NEVER;
        const rico_plane floor = {{0.0f, 0.0f, 1.0f}, 0.0f};
        rico__watch(n[0], 16, floor, rico__known_clearance(clearance));
        const rico__recipe recipe = {.stream_floats = 16};
        rico__block block = {.count = 1};
        rico__block_context c = {
            .block = &block, .recipe = &recipe, .data = n[0], .most_push = most};
        c.streams = (rico__streams){.px = n[0],
                                    .py = n[1],
                                    .pz = n[2],
                                    .vx = n[3],
                                    .vy = n[4],
                                    .vz = n[5],
                                    .age = n[6],
                                    .life = n[7],
                                    .nxy = n[FIELD_NXY],
                                    .nz_known = n[FIELD_NZ_KNOWN],
                                    .nd = n[FIELD_ND],
                                    .until = n[FIELD_UNTIL]};
        c.step = (rico__step){.dt = DT,
                              .middle = 0.5f * DT,
                              .gz = -9.81f * DT,
                              .drag_factor = 1.0f,
                              .radius = 0.01f,
                              .restitution = 0.5f,
                              .slip = 1.0f,
                              .hold_z = 1.0f,
                              .hold_cosine = 0.7f,
                              .depth = 0.05f,
                              .ahead = 1.1f * DT,
                              .fall = 9.81f,
                              .cell_rate = 1.0f,
                              .fast_step2 = 1.0f};
        float way = rico__random_range(37, round, 3, -3.0f, 3.0f);
        const rico__impacts impacts = {NULL, NULL, NULL};
        for (uint32_t k = 0; k < 200 && (c.masks.look[0] | c.masks.hit[0]) == 0; ++k) {
            n[3][0] += most * DT * cosf(way); /* the whole push is along the floor */
            n[4][0] += most * DT * sinf(way);
            kernels->guard(&c.streams, 1, &c.step, &c.masks, &impacts);
            rico__forces_rebound(&c);
            bool bounced = (c.masks.bounced[0] & 1) != 0;
            if (bounced && !flown)
                impact = (rico_vec3){n[0][0], n[1][0], n[2][0]};
            flown |= bounced;
            bounces += bounced;
            float off = vec3_length(vec3_sub((rico_vec3){n[0][0], n[1][0], n[2][0]}, impact));
            if (flown)
                CHECK_MSG(off <= clearance + 1.0e-4f, "round %u: %g m of %g", round,
                          (double)off, (double)clearance);
        }
        looks += (uint32_t)(c.masks.look[0] & 1);
    }
    CHECK(looks > rounds / 2 && bounces > rounds);
}

/* --- Checks ------------------------------------------------------------------------------- */

TEST(forces, are_refused_out_of_range_by_their_names)
{
    static const struct {
        size_t offset;
        float value;
        const char *name;
    } cases[] = {
        {offsetof(rico_recipe, drag_quadratic), -1.0f, "recipe.drag_quadratic is -1"},
        {offsetof(rico_recipe, drag_quadratic), 101.0f, "recipe.drag_quadratic is 101"},
        {offsetof(rico_recipe, wind.y), NAN, "recipe.wind.y is nan, expected -1000 to 1000"},
        {offsetof(rico_recipe, wind.z), 1001.0f, "recipe.wind.z is 1001"},
        {offsetof(rico_recipe, limit_speed), -0.1f, "recipe.limit_speed is -0.1"},
        {offsetof(rico_recipe, forces[2].strength), INFINITY,
         "recipe.forces[2].strength is inf"},
        {offsetof(rico_recipe, forces[2].strength), -1.0f, "recipe.forces[2].strength is -1"},
        {offsetof(rico_recipe, forces[2].position.x), 2.0e6f, "recipe.forces[2].position.x is"},
        {offsetof(rico_recipe, forces[2].axis.z), 0.5f, "recipe.forces[2].axis has length 0.5"},
        {offsetof(rico_recipe, forces[2].speed), 1001.0f, "recipe.forces[2].speed is 1001"},
        {offsetof(rico_recipe, forces[2].reach), -1.0f, "recipe.forces[2].reach is -1"},
        {offsetof(rico_recipe, forces[2].scale), 0.0f, "recipe.forces[2].scale is 0"},
        {offsetof(rico_recipe, forces[2].scroll.x), NAN, "recipe.forces[2].scroll.x is nan"},
    };
    kept_log kept;
    rico_log log = kept_log_hook(&kept);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        rico_recipe r = rico_recipe_default();
        r.forces[2].kind = RICO_FORCE_TURBULENCE;
        CHECK_EQ(rico_recipe_check(&r, &log), RICO_OK);
        memcpy((char *)&r + cases[i].offset, &cases[i].value, sizeof(float));
        CHECK(rico_recipe_check(&r, &log) != RICO_OK);
        CHECK_MSG(strstr(kept.text, cases[i].name) != NULL, "'%s', expected '%s'", kept.text,
                  cases[i].name);
    }
    rico_recipe r = rico_recipe_default();
    r.forces[1].kind = RICO_FORCE_KIND_COUNT;
    CHECK_EQ(rico_recipe_check(&r, &log), RICO_OUT_OF_RANGE);
    r.forces[1].kind = RICO_FORCE_NONE; /* then the other fields are not checked */
    r.forces[1].scale = -1.0f;
    CHECK_EQ(rico_recipe_check(&r, &log), RICO_OK);
}
