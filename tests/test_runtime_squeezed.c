/* Balls between jaws that close: how fast they bounce while there is room, and how fast they
 * are once there is none. */
#include "runtime_movers.h"

#define SPEED 1.3f
#define COUNT 200

static const float radii[] = {0.005f, 0.01f, 0.03f};

/* Off a surface of velocity u a ball leaves with e times its speed plus (1 + e) u. Between a
 * moving and a still surface it arrives with e u / (1 - e) at most, unless it was faster at
 * first. It then leaves with u / (1 - e); between two moving surfaces, with u (1 + e) / (1 -
 * e). */
#define BOUNCE 0.8f
#define MOST_OFF_ONE (1.0f / (1.0f - BOUNCE))
#define MOST_OFF_TWO ((1.0f + BOUNCE) / (1.0f - BOUNCE))

typedef enum jaws {
    JAWS_PRESS, /* a plate goes onto the floor and through it */
    JAWS_TURN,  /* the plate turns meanwhile */
    JAWS_ROUND, /* a ball instead of a plate */
    JAWS_DOOR,  /* a plate turns about the floor's edge */
    JAWS_WALL,  /* a plate goes to a wall */
    JAWS_TWO,   /* two plates close on each other */
    JAWS_COUNT
} jaws;

#define TURN 1.5f
#define BORN_AT 1.0f
#define WALL 2.8f

/* The speed of the jaw's fastest point. */
static float fastest(jaws kind)
{
    if (kind == JAWS_TURN)
        return sqrtf(SPEED * SPEED + 2.0f * TURN * TURN);
    return kind == JAWS_DOOR ? 2.1f * TURN : SPEED;
}

static rico_transform jaw_at(jaws kind, int side, float time)
{
    const float way = SPEED * time;
    if (kind == JAWS_TURN)
        return turned(0.0f, 0.0f, 0.8f - way, TURN * time);
    if (kind == JAWS_ROUND)
        return at(0.0f, 0.0f, 1.1f - way);
    if (kind == JAWS_WALL)
        return at(0.0f, 0.5f + way, 0.7f);
    if (kind == JAWS_TWO)
        return at(0.0f, side == 0 ? 0.6f + way : 2.2f - way, 0.7f);
    if (kind == JAWS_PRESS)
        return at(0.0f, 0.0f, 0.8f - way);
    const float half = -0.5f * float_max(1.2f - TURN * time, -0.1f);
    rico_transform t = at(0.0f, 0.0f, 0.0f);
    t.rotation = (rico_quat){0.0f, rico__sin(half), 0.0f, rico__cos(half)};
    const rico_vec3 middle = quat_rotate(t.rotation, (rico_vec3){1.0f, 0.0f, 0.1f});
    t.position = vec3_add((rico_vec3){-1.0f, 0.0f, 0.0f}, middle);
    return t;
}

static rico_collider_id add_jaw(rico_world *world, jaws kind, int side)
{
    const rico_transform where = jaw_at(kind, side, 0.0f);
    if (kind == JAWS_ROUND) {
        rico_shape_def def = rico_shape_def_default();
        rico_shape_id shape;
        def.kind = RICO_SHAPE_SPHERE;
        def.radius = 0.5f;
        CHECK_EQ(rico_world_add_shape(world, &def, NULL, &shape), RICO_OK);
        return place_shape(world, shape, where);
    }
    if (kind == JAWS_WALL || kind == JAWS_TWO)
        return add_box(world, 1.0f, 0.1f, 0.6f, where);
    return add_box(world, 1.0f, 1.0f, kind == JAWS_DOOR ? 0.1f : 0.2f, where);
}

static rico_effect_id add_balls(rico_world *world, jaws kind, float radius,
                                rico_collision_mode mode)
{
    const bool upright = kind == JAWS_WALL || kind == JAWS_TWO;
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.radius = radius;
    r.restitution = BOUNCE;
    r.gravity.z = 0.0f;
    r.shape = RICO_EMIT_BOX;
    r.size = upright ? (rico_vec3){0.8f, 0.2f, 0.4f} : (rico_vec3){0.8f, 0.8f, 0.2f};
    r.spread = kind == JAWS_PRESS ? 0.0f : 3.0f;
    r.speed = (rico_range){0.0f, BORN_AT};
    r.rate = 0.0f;
    r.burst_count = COUNT;
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.max_particles = COUNT;
    r.queries_per_frame = 1000.0f;
    r.particle_ids = true;
    const rico_transform where = upright ? at(0.0f, 1.1f, 0.8f) : at(0.0f, 0.0f, 0.3f);
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), where);
}

/* Counts balls that are faster than `most`, or behind the floor or the wall. */
static uint32_t count_wrong(rico_world *world, rico_effect_id balls, float most, float *top)
{
    uint32_t wrong = 0;
    for (rico_view v = rico_effect_view(world, balls); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i) {
            const float speed = vec3_length((rico_vec3){v.vx[i], v.vy[i], v.vz[i]});
            *top = float_max(*top, speed);
            wrong += !(speed <= most) || !(v.pz[i] > 0.0f) || !(v.py[i] < WALL);
        }
    return wrong;
}

static void close_jaws(jaws kind, float radius, rico_collision_mode mode)
{
    rico_world *world = little_world();
    const int sides = kind == JAWS_TWO ? 2 : 1;
    const float most = BORN_AT + (sides == 2 ? MOST_OFF_TWO : MOST_OFF_ONE) * fastest(kind);
    rico_collider_id jaw[2];
    float top = 0.0f;
    uint32_t wrong = 0;
    add_box(world, 8.0f, 8.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    add_box(world, 8.0f, 0.5f, 8.0f, at(0.0f, WALL + 0.5f, 0.0f));
    for (int side = 0; side < sides; ++side)
        jaw[side] = add_jaw(world, kind, side);
    const rico_effect_id balls = add_balls(world, kind, radius, mode);
    for (int frame = 1; frame <= 70; ++frame) {
        for (int side = 0; side < sides; ++side)
            move_to(world, jaw[side], jaw_at(kind, side, (float)frame * DT));
        rico_world_step(world, DT);
        wrong += count_wrong(world, balls, most, &top);
    }
    CHECK_MSG(wrong == 0, "jaws %d, radius %g, mode %d: %u wrong, up to %g m/s of %g", kind,
              (double)radius, mode, wrong, (double)top, (double)most);
    rico_world_destroy(world);
}

TEST(squeezed, by_no_jaws_are_shot_out_of_them)
{
    for (int kind = 0; kind < JAWS_COUNT; ++kind)
        for (int size = 0; size < 3; ++size)
            for (int m = 0; m < (int)test_few_rounds(2, 1); ++m)
                close_jaws((jaws)kind, radii[size], modes[(kind + size + m) % 2]);
}

/* --- One by one --------------------------------------------------------------------------- */

/* A ball's height and velocity, in doubles. */
typedef struct reference {
    double z, v;
    bool lost_count; /* it had more contacts in a step than are allowed */
} reference;

/* Steps from contact to contact, between the floor and a lid that comes down from `lid` with
 * velocity u. */
static void step_reference(reference *ball, double lid, double u, double radius)
{
    double left = (double)DT;
    for (uint32_t n = 0; n < 2 * RICO__CONTACTS_PER_STEP; ++n) {
        const double to_floor = ball->v < 0.0 ? (radius - ball->z) / ball->v : INFINITY;
        const double to_lid = ball->v > u ? (lid - radius - ball->z) / (ball->v - u) : INFINITY;
        const double next = fmin(to_floor, to_lid), surface = to_lid < to_floor ? u : 0.0;
        const double way = fmin(fmax(next, 0.0), left);
        ball->z += ball->v * way;
        lid += u * way;
        left -= way;
        if (!(left > 0.0))
            return;
        ball->v = surface - (double)BOUNCE * (ball->v - surface);
    }
    ball->lost_count = true;
}

static double lid_at(int frame)
{
    return (double)jaw_at(JAWS_PRESS, 0, (float)frame * DT).position.z - 0.2;
}

/* Compares balls after one step. With room, each must be where the reference is; without, none
 * may be faster than the plate. */
static uint32_t compare(rico_world *world, rico_effect_id balls, reference *of, int frame,
                        double radius)
{
    const double lid = lid_at(frame - 1), u = (lid_at(frame) - lid) / (double)DT;
    const bool has_room = lid_at(frame) > 3.0 * radius;
    const bool is_pinched = lid < 2.0 * radius && lid > -0.1;
    uint32_t told = 0;
    for (rico_view v = rico_effect_view(world, balls); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i) {
            reference *ball = &of[v.id[i]];
            const double z = (double)v.pz[i], speed = (double)v.vz[i];
            if (frame == 0) /* the plate still stands */
                *ball = (reference){z, speed, false};
            else if (!ball->lost_count)
                step_reference(ball, lid, u, radius);
            if (is_pinched)
                CHECK_MSG(fabs(speed) <= (double)SPEED, "radius %g, frame %d: %g m/s", radius,
                          frame, speed);
            if (!has_room || ball->lost_count)
                continue;
            told += 1;
            CHECK_MSG(fabs(ball->z - z) < 1e-3 &&
                          fabs(ball->v - speed) < 0.01 * fabs(ball->v) + 1e-3,
                      "radius %g, frame %d, ball %u: at %g with %g m/s, not %g with %g", radius,
                      frame, v.id[i], z, speed, ball->z, ball->v);
        }
    return told;
}

TEST(squeezed, bounce_as_a_slow_reference_says_and_without_room_no_faster_than_the_plate)
{
    static reference of[COUNT + 1];
    for (int size = 0; size < 3; ++size)
        for (int m = 0; m < 2; ++m) {
            rico_world *world = little_world();
            uint32_t told = 0;
            add_box(world, 8.0f, 8.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
            const rico_collider_id plate = add_jaw(world, JAWS_PRESS, 0);
            const rico_effect_id balls = add_balls(world, JAWS_PRESS, radii[size], modes[m]);
            for (int frame = 1; frame <= 40; ++frame) {
                move_to(world, plate, jaw_at(JAWS_PRESS, 0, (float)(frame - 1) * DT));
                rico_world_step(world, DT);
                told += compare(world, balls, of, frame - 1, (double)radii[size]);
            }
            CHECK(told > 20 * COUNT);
            rico_world_destroy(world);
        }
}
