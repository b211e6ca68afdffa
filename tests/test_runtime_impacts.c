/* How fast particles are when they meet a surface, and births at impacts alone: what slides or
 * rolls afterwards has a contact in each step. */
#include "runtime_floor.h"
#include "runtime_isa.h"
#include "runtime_movers.h"
#include "runtime_refused.h"

#define GRAVITY 9.81
#define RADIUS 0.05f
#define IMPACT 0.5f /* m/s: from here on it is one */
#define CLOSE 0.002 /* a share: half a step's gravity would be at least five times as much */

/* What a ball does once it is down. */
typedef enum way_on { SLIDES, SLIDES_BY_COULOMB, ROLLS, WAYS } way_on;

typedef struct ground {
    rico_collision_mode mode;
    uint32_t planes; /* of the recipe */
} ground;

static const ground grounds[] = {{RICO_COLLIDE_FIXED, 1},
                                 {RICO_COLLIDE_FIXED, 3},
                                 {RICO_COLLIDE_CACHED, 0},
                                 {RICO_COLLIDE_CLASSIC, 0},
                                 {RICO_COLLIDE_EXACT, 0}};
#define GROUNDS (sizeof grounds / sizeof *grounds)

/* A ball that is thrown along x. */
static rico_recipe ball_on(const ground *on, way_on way)
{
    rico_recipe r = rico_recipe_default();
    r.mode = on->mode;
    r.radius = RADIUS;
    r.rate = 0.0f;
    r.burst_count = 1;
    r.max_particles = 1;
    r.spread = 0.0f;
    r.speed = (rico_range){1.0f, 1.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.restitution = 0.0f;
    r.friction = way == SLIDES ? 0.0f : 0.02f;
    r.rest_speed = 0.0f;
    r.rolls = way == ROLLS;
    r.rolling_friction = 0.0f;
    if (way == SLIDES_BY_COULOMB)
        r.on_collision = RICO_ON_COLLISION_SLIDE;
    r.queries_per_frame = 16.0f;
    r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_BIRTH | RICO_EVENT_BIT_DEATH;
    r.plane_count = on->planes;
    for (uint32_t k = 0; k < on->planes; ++k) /* those beside the first are never met */
        r.planes[k] = (rico_plane){{0.0f, 0.0f, 1.0f}, -50.0f * (float)k};
    return r;
}

/* Children that stay where they are, so that their number is that of all births. */
static rico_recipe_id add_child(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.lifetime = (rico_range){1000.0f, 1000.0f};
    r.max_particles = 2000;
    return rico_world_add_recipe(world, &r);
}

/* Three sub-emitters: at all contacts, at impacts, at impacts of more than `most`. */
static void give_births(rico_world *world, rico_recipe *r, float most, rico_recipe_id ids[3])
{
    const float least[3] = {0.0f, IMPACT, most};
    for (int k = 0; k < 3; ++k) {
        ids[k] = add_child(world);
        r->sub_emitters[k] = (rico_sub_emitter){.on = RICO_EVENT_BIT_COLLISION,
                                                .recipe = ids[k],
                                                .count = 1,
                                                .probability = 1.0f,
                                                .min_impact_speed = least[k]};
    }
}

static uint32_t births_of(const rico_world *world, rico_recipe_id child)
{
    return rico_effect_particle_count(world, rico_world_sub_effect(world, child));
}

/* +z of the effect is the world's +x. */
static rico_transform along_x(float height)
{
    rico_transform t = at(0.0f, 0.0f, height);
    t.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
    return t;
}

typedef struct heard {
    uint32_t touches, impacts;
    double speed, when; /* of the last impact; since the beginning */
    float softest;      /* the fastest of the touches that are no impacts */
} heard;

static void listen(const rico_world *world, double begin, heard *h)
{
    uint32_t count;
    const rico_event *e = rico_world_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (e[i].type != RICO_EVENT_COLLISION) {
            CHECK(e[i].impact_speed == 0.0f);
            continue;
        }
        CHECK(e[i].impact_speed >= 0.0f);
        h->touches += 1;
        if (e[i].impact_speed < IMPACT) {
            h->softest = fmaxf(h->softest, e[i].impact_speed);
            continue;
        }
        h->impacts += 1;
        h->speed = (double)e[i].impact_speed;
        h->when = begin + (double)e[i].time;
    }
}

/* --- On the ground ------------------------------------------------------------------------ */

static void check_fall(const ground *on, way_on way, float dt)
{
    const float height = 2.0f;
    const double fall = (double)(height - RADIUS), expected = sqrt(2.0 * GRAVITY * fall);
    rico_world *world = bare_world(1);
    if (on->planes == 0)
        add_floor_of_squares(world, 8.0f, 2, 0.0f);
    rico_recipe r = ball_on(on, way);
    rico_recipe_id children[3];
    give_births(world, &r, (float)(1.03 * expected), children);
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x(height)).index1);
    heard h = {0};
    for (int n = 0; (float)n * dt < 2.0f; ++n) {
        rico_world_step(world, dt);
        listen(world, (double)n * (double)dt, &h);
    }
    const uint32_t touches = h.touches;
    rico_world_step(world, dt); /* the births of the last contact */
    CHECK_MSG(h.impacts == 1 && fabs(h.speed / expected - 1.0) < CLOSE,
              "mode %d, way %d: %u impacts, the last at %g, expected %g", (int)on->mode, way,
              h.impacts, h.speed, expected);
    CHECK_MSG((float)touches > 0.3f / dt, "mode %d, way %d: %u contacts", (int)on->mode, way,
              touches);
    CHECK_MSG((double)h.softest < 0.75 * GRAVITY * (double)dt,
              "mode %d, way %d: a slide has %g m/s", (int)on->mode, way, (double)h.softest);
    CHECK_EQ(births_of(world, children[0]), touches);
    CHECK_EQ(births_of(world, children[1]), 1);
    CHECK_EQ(births_of(world, children[2]), 0);
    rico_world_destroy(world);
}

TEST(impacts, of_a_fall_are_one_however_long_it_slides_or_rolls_afterwards)
{
    static const float steps[] = {1.0f / 60.0f, 1.0f / 144.0f, 1.0f / 30.0f};
    for (size_t g = 0; g < GROUNDS; ++g)
        for (int way = 0; way < WAYS; ++way)
            for (size_t s = 0; s < 3; ++s)
                check_fall(&grounds[g], (way_on)way, steps[s]);
}

/* A bounce gives up its share of the speed, and the next impact has what is left. */
TEST(impacts, of_a_ball_that_bounces_follow_from_one_another_until_it_rests)
{
    for (size_t g = 0; g < GROUNDS; ++g) {
        rico_world *world = bare_world(1);
        if (grounds[g].planes == 0)
            add_floor_of_squares(world, 8.0f, 2, 0.0f);
        rico_recipe r = ball_on(&grounds[g], SLIDES);
        r.restitution = 0.5f;
        r.friction = 0.3f;
        r.rest_speed = 0.15f;
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x(2.0f));
        double expected = sqrt(2.0 * GRAVITY * (2.0 - (double)RADIUS));
        uint32_t impacts = 0;
        for (int n = 0; n < 240; ++n) {
            heard h = {0};
            rico_world_step(world, DT);
            listen(world, 0.0, &h);
            CHECK_MSG(h.touches == 0 || n < 200, "mode %d: what rests has a contact",
                      (int)grounds[g].mode);
            if (h.impacts == 0)
                continue;
            CHECK_MSG(fabs(h.speed / expected - 1.0) < 0.03, "mode %d: impact %u at %g, not %g",
                      (int)grounds[g].mode, impacts, h.speed, expected);
            expected *= 0.5;
            impacts += 1;
        }
        CHECK_EQ(impacts, 4);
        rico_world_destroy(world);
    }
}

/* It has one contact, whose births must not be lost with it. */
TEST(impacts, that_kill_count_like_all_others)
{
    for (size_t g = 0; g < GROUNDS; ++g) {
        rico_world *world = bare_world(1);
        if (grounds[g].planes == 0)
            add_floor_of_squares(world, 8.0f, 2, 0.0f);
        rico_recipe r = ball_on(&grounds[g], SLIDES);
        rico_recipe_id children[3];
        const double expected = sqrt(2.0 * GRAVITY * (1.0 - (double)RADIUS));
        r.on_collision = RICO_ON_COLLISION_DIE;
        give_births(world, &r, (float)(1.03 * expected), children);
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x(1.0f));
        heard h = {0};
        for (int n = 0; n < 60; ++n) {
            rico_world_step(world, DT);
            listen(world, 0.0, &h);
        }
        CHECK(h.touches == 1 && h.impacts == 1 && fabs(h.speed / expected - 1.0) < CLOSE);
        CHECK(births_of(world, children[0]) == 1 && births_of(world, children[1]) == 1);
        CHECK_EQ(births_of(world, children[2]), 0);
        rico_world_destroy(world);
    }
}

/* --- On a platform ------------------------------------------------------------------------ */

/* A ball falls onto a platform that moves evenly, and then slides or rolls on it. */
static void check_ride(rico_collision_mode mode, way_on way, rico_vec3 u)
{
    const ground on = {mode, 0};
    rico_world *world = bare_world(1);
    rico_transform place = at(0.0f, 0.0f, 0.0f);
    rico_collider_id lift = add_box(world, 8.0f, 8.0f, 0.1f, place);
    rico_recipe r = ball_on(&on, way);
    rico_recipe_id children[3];
    give_births(world, &r, 20.0f, children);
    rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x(3.0f));
    heard h = {0};
    for (int n = 1; n <= 150; ++n) {
        const float t = (float)n * DT;
        place.position = (rico_vec3){u.x * t, u.y * t, u.z * t};
        move_to(world, lift, place);
        rico_world_step(world, DT);
        listen(world, (double)(n - 1) * (double)DT, &h);
    }
    const uint32_t touches = h.touches;
    rico_world_step(world, DT);
    const double fall = 3.0 - (double)RADIUS - 0.1 - (double)u.z * h.when;
    const double expected = sqrt(2.0 * GRAVITY * fall) + (double)u.z;
    CHECK_MSG(h.impacts == 1 && fabs(h.speed / expected - 1.0) < CLOSE,
              "mode %d, way %d, up at %g: %u impacts, the last at %g, expected %g", (int)mode,
              way, (double)u.z, h.impacts, h.speed, expected);
    CHECK_MSG(touches > 50, "mode %d, way %d, up at %g: %u contacts", (int)mode, way,
              (double)u.z, touches);
    CHECK(births_of(world, children[0]) >= touches); /* the platform stops in the last step */
    CHECK_EQ(births_of(world, children[1]), 1);
    CHECK_EQ(births_of(world, children[2]), 0);
    rico_world_destroy(world);
}

TEST(impacts, on_a_platform_are_as_fast_as_they_are_seen_from_it)
{
    static const rico_vec3 velocities[] = {
        {0.0f, 0.0f, 1.0f}, {0.5f, -0.25f, 0.4f}, {-0.5f, 0.0f, -1.0f}, {2.0f, 0.0f, 0.0f}};
    for (int m = 0; m < 2; ++m)
        for (int way = 0; way < WAYS; ++way)
            for (size_t k = 0; k < 4; ++k)
                check_ride(modes[m], (way_on)way, velocities[k]);
}

/* What comes to rest there goes up, down, along and round with it. */
TEST(impacts, are_none_for_what_rides_at_rest)
{
    for (int m = 0; m < 2; ++m) {
        const ground on = {modes[m], 0};
        rico_world *world = bare_world(1);
        rico_collider_id id = add_box(world, 4.0f, 4.0f, 0.1f, lift(0));
        rico_recipe r = ball_on(&on, SLIDES);
        heard h = {0};
        r.friction = 0.5f;
        r.rest_speed = 0.15f;
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x(2.5f));
        for (int n = 1; n <= 400; ++n) {
            move_to(world, id, lift(n));
            rico_world_step(world, DT);
            listen(world, 0.0, &h);
        }
        CHECK_MSG(h.impacts == 1, "mode %d: %u impacts of %u contacts, the last at %g",
                  (int)modes[m], h.impacts, h.touches, h.speed);
        rico_world_destroy(world);
    }
}

/* --- The same everywhere ------------------------------------------------------------------ */

/* The state hash leaves this number out. */
static uint64_t hash_of_impacts(uint32_t workers)
{
    rico_world *world = bare_world(workers);
    uint64_t hash = 0;
    uint32_t impacts = 0;
    add_floor_of_squares(world, 8.0f, 5, 0.0f);
    rico_collider_id lift_id = add_box(world, 1.0f, 1.0f, 0.1f, lift(0));
    for (size_t g = 0; g < GROUNDS; ++g) {
        rico_recipe r = ball_on(&grounds[g], g == 2 ? ROLLS : SLIDES);
        r.burst_count = r.max_particles = 200;
        r.spread = 2.0f;
        r.restitution = 0.5f;
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 2.0f));
    }
    for (int n = 1; n <= 120; ++n) {
        uint32_t count;
        move_to(world, lift_id, lift(n));
        rico_world_step(world, DT);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t bits;
            memcpy(&bits, &e[i].impact_speed, sizeof bits);
            hash = hash * 0x100000001b3ULL + bits;
            impacts += e[i].impact_speed >= IMPACT;
        }
    }
    CHECK(impacts > 1000);
    rico_world_destroy(world);
    return hash;
}

TEST(impacts, are_the_same_for_any_number_of_workers_and_every_isa)
{
    const uint64_t one = hash_of_impacts(1);
    CHECK(hash_of_impacts(3) == one);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(hash_of_impacts(1) == one, "differs with %s", rico__isa_name((rico__isa)isa));
}

/* --- Refusals ----------------------------------------------------------------------------- */

TEST(impacts, have_a_least_speed_only_at_collisions_and_in_its_range)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_recipe r = rico_recipe_default();
    rico_sub_emitter *sub = &r.sub_emitters[1];
    *sub = (rico_sub_emitter){.on = RICO_EVENT_BIT_COLLISION,
                              .recipe = add_small_recipe(world),
                              .count = 1,
                              .probability = 1.0f};
    r.max_particles = 10;
    sub->min_impact_speed = -0.5f;
    refuse_here(world, &log, &r,
                "recipe.sub_emitters[1].min_impact_speed is -0.5, expected 0 to",
                RICO_OUT_OF_RANGE);
    sub->min_impact_speed = 1001.0f;
    refuse_here(world, &log, &r, "sub_emitters[1].min_impact_speed is 1001", RICO_OUT_OF_RANGE);
    sub->min_impact_speed = NAN;
    refuse_here(world, &log, &r, "sub_emitters[1].min_impact_speed", RICO_NOT_FINITE);
    sub->min_impact_speed = 2.5f;
    static const uint32_t others[] = {RICO_EVENT_BIT_BIRTH, RICO_EVENT_BIT_DEATH};
    for (int k = 0; k < 2; ++k) {
        sub->on = others[k];
        refuse_here(world, &log, &r,
                    "recipe.sub_emitters[1].min_impact_speed is 2.5, expected 0: on is not "
                    "collision",
                    RICO_OUT_OF_RANGE);
    }
    sub->on = 0; /* no sub-emitter: nothing of it counts */
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK);
    sub->on = RICO_EVENT_BIT_COLLISION;
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    sub->min_impact_speed = 1000.0f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK);
    rico_world_destroy(world);
}
