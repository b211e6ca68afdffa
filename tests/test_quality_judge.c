/* test_quality_judge.c - the judge of bench_quality on paths whose verdict is known. */
#include "testing.h"

#include "quality_judge.h"
#include "quality_vec.h"

#define DT (1.0 / 60.0)
#define RADIUS 0.01

/* A scene of quads, a hill, and a judge. */
typedef struct court {
    float positions[3 * 1200];
    uint32_t indices[3 * 1200];
    rico_mesh mesh;
    quality_judge judge;
    quality_truth *truth, *body;
    quality_life life;
} court;

static uint32_t add_vertex(court *c, double x, double y, double z)
{
    float *p = c->positions + (size_t)c->mesh.vertex_count * 3;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
    return c->mesh.vertex_count++;
}

static void add_quad(court *c, uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    const uint32_t corners[6] = {i, j, k, i, k, l};
    memcpy(c->indices + (size_t)c->mesh.triangle_count * 3, corners, sizeof corners);
    c->mesh.triangle_count += 2;
}

static void add_floor(court *c, double half, double z)
{
    uint32_t v = add_vertex(c, -half, -half, z);
    add_vertex(c, half, -half, z);
    add_vertex(c, half, half, z);
    add_vertex(c, -half, half, z);
    add_quad(c, v, v + 1, v + 2, v + 3);
}

static void close_court(court *c)
{
    quality_truth_destroy(c->truth);
    quality_truth_destroy(c->body);
    memset(c, 0, sizeof *c);
}

static void open_court(court *c)
{
    c->mesh.positions = c->positions;
    c->mesh.indices = c->indices;
    c->truth = quality_truth_create(&c->mesh);
    CHECK(c->truth != NULL);
    c->judge = (quality_judge){.space = {.still = c->truth}, .dt = DT};
}

static void begin(court *c, double x, double y, double z)
{
    double p[3] = {x, y, z};
    quality_life_begin(&c->life, p, 0.0, 0.0, RADIUS);
}

/* Moves the particle by one frame without a bounce. */
static void move_to(court *c, double x, double y, double z)
{
    double p[1][3] = {{x, y, z}};
    quality_life_frame(&c->judge, &c->life, (const double(*)[3])p, NULL, 1, false);
}

/* Moves the particle by one frame with one bounce, at height `at`, straight below. */
static void bounce(court *c, double at, double end)
{
    double p[2][3] = {{c->life.p[0], c->life.p[1], at}, {c->life.p[0], c->life.p[1], end}};
    quality_life_frame(&c->judge, &c->life, (const double(*)[3])p, NULL, 2, false);
}

static void rest(court *c)
{
    double p[1][3] = {{c->life.p[0], c->life.p[1], c->life.p[2]}};
    quality_life_frame(&c->judge, &c->life, (const double(*)[3])p, NULL, 1, true);
}

static uint32_t charges(const court *c)
{
    return c->life.charges & ((1u << QUALITY_CHARGES) - 1u);
}

static court court_;

static court *flat_court(void)
{
    memset(&court_, 0, sizeof court_);
    add_floor(&court_, 10.0, 0.0);
    open_court(&court_);
    return &court_;
}

TEST(quality, a_bounce_off_the_floor_is_no_charge)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.1);
    move_to(c, 1.0, 2.0, 0.05);
    bounce(c, RADIUS, 0.05);
    for (int i = 0; i < 20; ++i)
        bounce(c, RADIUS, RADIUS + 0.001);
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, half_a_metre_behind_the_floor_is_a_fall)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.1);
    for (double z = 0.05; z > -0.49; z -= 0.1)
        move_to(c, 1.0, 2.0, z);
    CHECK_EQ(charges(c), QUALITY_LEAKED);
    move_to(c, 1.0, 2.0, -0.52);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_FELL);
    close_court(c);
}

TEST(quality, a_second_surface_is_a_fall_however_near)
{
    court *c = &court_;
    memset(c, 0, sizeof *c);
    add_floor(c, 10.0, 0.0);
    add_floor(c, 10.0, -0.02);
    open_court(c);
    begin(c, 1.0, 2.0, 0.1);
    move_to(c, 1.0, 2.0, -0.01);
    CHECK_EQ(charges(c), 0);
    move_to(c, 1.0, 2.0, -0.03);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_FELL);
    close_court(c);
}

TEST(quality, five_centimetres_behind_are_a_leak_and_less_are_none)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.1);
    move_to(c, 1.0, 2.0, -0.0499);
    CHECK_EQ(charges(c), 0);
    move_to(c, 1.0, 2.0, -0.0501);
    CHECK_EQ(charges(c), QUALITY_LEAKED);
    close_court(c);
}

TEST(quality, six_centimetres_behind_and_back_is_a_leak_and_late)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.1);
    move_to(c, 1.0, 2.0, -0.04);
    CHECK_EQ(charges(c), 0);
    move_to(c, 1.0, 2.0, -0.06);
    bounce(c, -0.045, 0.02);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_LATE);
    for (int i = 0; i < 100; ++i)
        move_to(c, 1.0, 2.0 + i, 1.0);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_LATE);
    close_court(c);
}

TEST(quality, the_first_step_begins_at_birth_where_and_when_that_is)
{
    court *c = flat_court();
    const double birth[3] = {1.0, 2.0, 0.3};
    quality_life_begin(&c->life, birth, 0.0, 0.75 * DT, RADIUS);
    move_to(c, 1.0, 2.0, -0.3);
    CHECK_EQ(charges(c), QUALITY_LEAKED);
    CHECK_NEAR(c->life.since, 0.875 * DT, 1.0e-9);
    CHECK_NEAR(c->life.time, DT, 1.0e-12);
    move_to(c, 1.0, 2.0, -0.6);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_FELL);
    quality_life_begin(&c->life, birth, 0.0, DT, RADIUS); /* born at the very end of the step */
    move_to(c, 1.0, 2.0, 0.3);
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, a_surface_met_at_the_very_end_of_a_step_is_crossed_once)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.125);
    move_to(c, 1.0, 2.0, 0.0);
    move_to(c, 1.0, 2.0, -0.03125);
    CHECK_EQ(charges(c), 0);
    begin(c, 3.0, 3.0, 0.125); /* on the edge that two faces share */
    move_to(c, 3.0, 3.0, -0.03125);
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, a_way_back_into_known_free_space_is_followed_too)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.3);
    move_to(c, 1.0, 2.0, 0.29); /* no surface is within 30 cm */
    move_to(c, 1.0, 2.0, -0.02);
    CHECK(c->life.behind);
    move_to(c, 1.0, 2.0, 0.29);
    CHECK(!c->life.behind);
    close_court(c);
}

/* A cylinder along y of 5 m radius, in facets of 3 degrees, with its top at z = 0. */
static double hill_height(double x)
{
    return sqrt(25.0 - x * x) - 5.0;
}

static void add_hill(court *c)
{
    uint32_t last[2] = {0, 0};
    for (int i = -20; i <= 20; ++i) {
        double x = 5.0 * sin(i * 3.0 * 0.017453292519943295), z = hill_height(x);
        uint32_t v[2] = {add_vertex(c, x, -5.0, z), add_vertex(c, x, 5.0, z)};
        if (i > -20)
            add_quad(c, last[0], v[0], v[1], last[1]);
        memcpy(last, v, sizeof last);
    }
}

TEST(quality, rolling_two_millimetres_under_a_convex_hill_is_no_fall)
{
    court *c = &court_;
    memset(c, 0, sizeof *c);
    add_hill(c);
    open_court(c);
    begin(c, 0.0, 0.1, 0.05);
    /* Rolls 3 m down the hill: the first facet's plane is 1 m above the last place. */
    for (double x = 0.02; x < 3.0; x += 0.02)
        move_to(c, x, 0.1, hill_height(x) - 0.002 - 0.0018);
    CHECK(c->life.behind && hill_height(3.0) < -0.9);
    CHECK_EQ(charges(c), 0);
    /* Comes out of the hill again. */
    move_to(c, 3.0, 0.1, hill_height(3.0) + 0.02);
    CHECK(!c->life.behind);
    CHECK_EQ(charges(c), 0);
    /* But 5 cm under it, across its slope, is a leak. */
    move_to(c, 3.02, 0.1, hill_height(3.02) - 0.055);
    CHECK(c->life.behind);
    CHECK_EQ(charges(c), 0);
    move_to(c, 3.04, 0.1, hill_height(3.04) - 0.068);
    CHECK_EQ(charges(c), QUALITY_LEAKED);
    close_court(c);
}

TEST(quality, a_bounce_with_nothing_within_five_centimetres_is_in_mid_air)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.2);
    bounce(c, 0.051, 0.1);
    CHECK_EQ(charges(c), QUALITY_MIDAIR);
    begin(c, 10.1, 2.0, 0.2); /* beyond the end of the floor */
    bounce(c, RADIUS, 0.1);
    CHECK_EQ(charges(c), QUALITY_MIDAIR);
    close_court(c);
}

TEST(quality, a_bounce_two_centimetres_or_a_frame_off_is_late)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, 0.2); /* early, in space */
    bounce(c, RADIUS + 0.021, 0.1);
    CHECK_EQ(charges(c), QUALITY_LATE);
    begin(c, 1.0, 2.0, RADIUS + 0.008); /* early, in time: 1.5 mm per frame */
    bounce(c, RADIUS + 0.007, RADIUS + 0.0075);
    CHECK_EQ(charges(c), QUALITY_LATE);
    begin(c, 1.0, 2.0, 0.1); /* 15 mm early, but only a quarter of a frame */
    bounce(c, RADIUS + 0.015, 0.1);
    CHECK_EQ(charges(c), 0);
    begin(c, 1.0, 2.0, 0.1); /* late, in space */
    move_to(c, 1.0, 2.0, -0.02);
    bounce(c, -0.021, 0.02);
    CHECK_EQ(charges(c), QUALITY_LATE);
    begin(c, 1.0, 2.0, 0.004); /* late, in time */
    move_to(c, 1.0, 2.0, -0.003);
    move_to(c, 1.0, 2.0, -0.006);
    bounce(c, -0.007, 0.01);
    CHECK_EQ(charges(c), QUALITY_LATE);
    begin(c, 1.0, 2.0, 0.004); /* 4 mm below the surface may last */
    for (int i = 0; i < 5; ++i)
        move_to(c, 1.0, 2.0, -0.004);
    bounce(c, -0.004, 0.01);
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, rest_needs_something_under_it)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, RADIUS);
    rest(c);
    begin(c, 10.005, 2.0, RADIUS); /* at the edge, below one of its sides */
    rest(c);
    CHECK_EQ(charges(c), 0);
    begin(c, 1.0, 2.0, 0.15);
    rest(c);
    CHECK_EQ(charges(c), QUALITY_HOVERED);
    begin(c, 10.1, 2.0, RADIUS);
    rest(c);
    CHECK_EQ(charges(c), QUALITY_HOVERED);
    close_court(c);
}

TEST(quality, who_stays_in_a_centimetre_for_half_a_second_needs_something_under_it_too)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 0; i < 60; ++i) /* never quite at rest */
        move_to(c, 1.0 + 0.0003 * (i % 2), 2.0, RADIUS);
    CHECK_EQ(charges(c), 0);
    begin(c, 1.0, 2.0, 0.15);
    for (int i = 0; i < 60; ++i)
        move_to(c, 1.0 + 0.0003 * (i % 2), 2.0, 0.15);
    CHECK_EQ(charges(c), QUALITY_HOVERED);
    begin(c, 1.0, 2.0, 0.15);
    for (int i = 0; i < 60; ++i) /* sinks by 3 cm/s */
        move_to(c, 1.0, 2.0, 0.15 - 0.0005 * i);
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, who_rests_does_not_move)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 0; i < 40; ++i) /* creeps 0.3 mm per frame */
        move_to(c, 1.0 + 0.0003 * (i % 2), 2.0, RADIUS);
    CHECK_EQ(charges(c), 0);
    for (int i = 0; i < 40; ++i) /* trembles by 2 mm */
        move_to(c, 1.0 + 0.002 * (i % 2), 2.0, RADIUS);
    CHECK_EQ(charges(c), QUALITY_JITTER);
    begin(c, 1.0, 2.0, RADIUS);
    rest(c);
    rest(c);
    move_to(c, 1.002, 2.0, RADIUS); /* not woken by anything */
    CHECK_EQ(charges(c), QUALITY_JITTER);
    begin(c, 1.0, 2.0, 0.2); /* hops up and down in place, but higher than 1 cm */
    for (int i = 0; i < 10; ++i)
        for (int k = 0; k < 8; ++k)
            move_to(c, 1.0, 2.0, RADIUS + 0.002 * (k < 4 ? k : 8 - k) * (k < 4 ? k : 8 - k));
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

/* Comes down in hops that end within 1 cm and a tenth of a second of the place of rest. */
static void hop_to_rest(court *c)
{
    static const double heights[] = {0.009, 0.0, 0.007, 0.0, 0.005, 0.0, 0.003, 0.0};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
        move_to(c, 1.0, 2.0, RADIUS + heights[i]);
    for (int i = 0; i < 60; ++i)
        rest(c);
}

TEST(quality, the_last_hops_before_rest_are_no_jitter_but_any_after_it_are)
{
    court *c = flat_court();
    begin(c, 1.0, 2.0, RADIUS);
    hop_to_rest(c);
    CHECK_EQ(charges(c), 0);
    move_to(c, 1.0, 2.0, RADIUS + 0.002);
    CHECK_EQ(charges(c), QUALITY_JITTER);
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 0; i < 60; ++i) { /* at rest in every other frame */
        move_to(c, 1.0, 2.0, RADIUS + 0.002);
        move_to(c, 1.0, 2.0, RADIUS);
        rest(c);
    }
    CHECK_EQ(charges(c), QUALITY_JITTER);
    close_court(c);
}

/* --- A body that moves ---------------------------------------------------------------------- */

static quality_pose rising(double time)
{
    return (quality_pose){{0.0, 0.0, time}, 1.0, 0.0};
}

static quality_pose turning(double time)
{
    return (quality_pose){{0.0, 0.0, 0.0}, cos(time), sin(time)};
}

static quality_pose far_away(double time)
{
    return (quality_pose){{0.0, 0.0, 100.0 + time}, 1.0, 0.0};
}

static court *moving_court(quality_pose (*pose)(double))
{
    court *c = flat_court();
    c->judge.space.body = c->truth;
    c->judge.space.still = NULL;
    c->judge.space.pose = pose;
    return c;
}

TEST(quality, a_platform_that_rises_through_a_particle_lets_it_fall)
{
    court *c = moving_court(rising);
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 0; i < 10; ++i)
        rest(c); /* stays where it was: 16.7 mm deeper each frame */
    CHECK_EQ(charges(c) & (QUALITY_LEAKED | QUALITY_FELL), QUALITY_LEAKED);
    for (int i = 0; i < 30; ++i)
        rest(c);
    CHECK(charges(c) & QUALITY_FELL);
    close_court(c);
}

TEST(quality, a_particle_that_rides_is_not_charged)
{
    court *c = moving_court(rising);
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 1; i < 60; ++i) {
        double p[1][3] = {{1.0, 2.0, RADIUS + DT * i}};
        quality_life_frame(&c->judge, &c->life, (const double(*)[3])p, NULL, 1, true);
    }
    bounce(c, RADIUS + c->life.time + DT, RADIUS + c->life.time + DT);
    CHECK_EQ(charges(c), 0);
    CHECK(c->life.charges & QUALITY_BOARDED);
    close_court(c);
}

static void ride_to(court *c, double x, double z, bool still)
{
    double p[1][3] = {{x, 2.0, z}};
    quality_life_frame(&c->judge, &c->life, (const double(*)[3])p, NULL, 1, still);
}

TEST(quality, who_rides_moves_with_the_body)
{
    court *c = moving_court(rising);
    begin(c, 1.0, 2.0, RADIUS);
    for (int i = 1; i < 60; ++i) /* hops on it, slow in every other frame */
        ride_to(c, 1.0, RADIUS + DT * i + 0.01 * (i / 2 % 2), false);
    CHECK_EQ(c->life.charges & QUALITY_BOARDED, 0);
    for (int i = 60; i < 80; ++i) /* creeps by 6 cm/s: rests on it, but does not ride */
        ride_to(c, 1.0 + 0.001 * (i - 60), RADIUS + DT * i, false);
    CHECK_EQ(c->life.charges & (QUALITY_BOARDED | QUALITY_RIDES), QUALITY_BOARDED);
    ride_to(c, c->life.p[0], RADIUS + DT * 80, false);
    CHECK(c->life.charges & QUALITY_RIDES);
    ride_to(c, c->life.p[0], RADIUS + DT * 80, true); /* stays behind */
    CHECK(!(c->life.charges & QUALITY_RIDES));
    CHECK_EQ(charges(c), 0);
    close_court(c);
}

TEST(quality, who_lies_still_where_no_body_is_may_not_move_though_one_moves_elsewhere)
{
    court *c = moving_court(rising);
    c->judge.space.still = c->truth;
    c->judge.space.pose = far_away;
    begin(c, 1.0, 2.0, RADIUS);
    rest(c);
    rest(c);
    move_to(c, 1.002, 2.0, RADIUS);
    CHECK_EQ(charges(c), QUALITY_JITTER);
    close_court(c);
}

TEST(quality, a_door_that_turns_over_a_particle_crosses_it_once)
{
    court *c = &court_;
    memset(c, 0, sizeof *c);
    uint32_t v = add_vertex(c, 0.0, 0.0, -1.0); /* a wing along x, upright */
    add_vertex(c, 5.0, 0.0, -1.0);
    add_vertex(c, 5.0, 0.0, 1.0);
    add_vertex(c, 0.0, 0.0, 1.0);
    add_quad(c, v, v + 1, v + 2, v + 3);
    open_court(c);
    c->judge.space = (quality_space){.body = c->truth, .pose = turning};
    begin(c, -0.02, 2.0, 0.0);
    c->life.time = 1.5707963267948966; /* the wing is along y now */
    for (int i = 0; i < 3; ++i)
        move_to(c, -0.02, 2.0, 0.0);
    CHECK(c->life.behind && c->life.behind_body);
    CHECK_EQ(charges(c), QUALITY_LEAKED);
    for (int i = 0; i < 20; ++i)
        move_to(c, -0.02, 2.0, 0.0);
    CHECK_EQ(charges(c), QUALITY_LEAKED | QUALITY_FELL);
    close_court(c);
}
