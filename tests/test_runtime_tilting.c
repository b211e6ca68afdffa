/* Particles that go along surfaces that turn: a contact at a time, and no speed lost. */
#include "runtime_movers.h"

#define BALLS 100u

typedef struct ride {
    rico_world *world;
    rico_collider_id body;
    rico_effect_id balls;
    uint32_t again; /* collisions of a particle that follow one at the same time */
} ride;

static rico_recipe balls_of(rico_collision_mode mode, bool rolls)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.radius = 0.1f;
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.shape = RICO_EMIT_SPHERE;
    r.size.x = 0.05f;
    r.speed = (rico_range){2.0f, 2.0f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.restitution = r.rest_speed = 0.0f;
    r.friction = rolls ? 0.3f : 0.02f;
    r.rolls = rolls;
    r.on_collision = rolls ? RICO_ON_COLLISION_BOUNCE : RICO_ON_COLLISION_SLIDE;
    return r;
}

static ride begin_ride(rico_shape_kind kind, const rico_recipe *r, float height)
{
    ride y = {.world = bare_world(1)};
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id shape;
    def.kind = kind;
    def.half_size = (rico_vec3){20.0f, 20.0f, 0.2f};
    def.radius = 1.0f;
    CHECK_EQ(rico_world_add_shape(y.world, &def, NULL, &shape), RICO_OK);
    y.body = place_shape(y.world, shape, at(0.0f, 0.0f, 0.0f));
    y.balls =
        rico_effect_spawn(y.world, rico_world_add_recipe(y.world, r), at(0.0f, 0.0f, height));
    return y;
}

static void step_ride(ride *y, rico_transform to, float dt)
{
    uint32_t count;
    move_to(y->world, y->body, to);
    rico_world_step(y->world, dt);
    const rico_event *e = rico_world_events(y->world, &count);
    for (uint32_t i = 1; i < count; ++i)
        y->again += e[i].particle == e[i - 1].particle && e[i].time == e[i - 1].time;
}

/* The plate rocks about the x axis, so nothing but friction acts along x. */
static float rock(rico_collision_mode mode, bool rolls, int steps_per_frame)
{
    const float dt = DT / (float)steps_per_frame;
    const rico_recipe r = balls_of(mode, rolls);
    ride y = begin_ride(RICO_SHAPE_BOX, &r, 0.5f);
    for (int n = 1; n <= 90 * steps_per_frame; ++n) {
        const float angle = 0.3f * rico__sin(3.0f * dt * (float)n);
        rico_transform to = at(0.0f, 0.0f, 0.0f);
        to.rotation = (rico_quat){rico__sin(0.5f * angle), 0.0f, 0.0f, rico__cos(0.5f * angle)};
        step_ride(&y, to, dt);
    }
    float sum = 0.0f;
    rico_view v = rico_effect_view(y.world, y.balls);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            sum += fabsf(v.px[i]);
    CHECK_EQ(rico_effect_particle_count(y.world, y.balls), BALLS);
    CHECK_MSG(y.again == 0, "%u contacts twice", y.again);
    rico_world_destroy(y.world);
    return sum / (float)BALLS;
}

/* What goes along a surface that turns would be behind it at the end of the step. It must not
 * meet it again and again in that step, until its contacts are used up and its speed is lost. */
TEST(movers, that_rock_let_who_is_on_them_go_on_as_far_in_steps_of_any_length)
{
    for (int rolls = 0; rolls < 2; ++rolls) {
        const float far = rock(RICO_COLLIDE_EXACT, rolls != 0, 1);
        const float farther = rock(RICO_COLLIDE_EXACT, rolls != 0, 4);
        const float cached = rock(RICO_COLLIDE_CACHED, rolls != 0, 1);
        CHECK_MSG(far > 0.9f, "%g m", (double)far);
        CHECK_MSG(fabsf(far - farther) < 0.01f * far, "%g, %g m", (double)far, (double)farther);
        CHECK_MSG(fabsf(far - cached) < 0.01f * far, "%g, %g m", (double)far, (double)cached);
    }
}

/* Rounding must not let what goes along a surface meet it again, either. Each contact would
 * take its share of a life, and give birth to children. */
TEST(movers, that_rise_touch_who_slides_on_them_once_in_a_step)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_BOX, RICO_SHAPE_SPHERE};
    for (int k = 0; k < 2; ++k) {
        const rico_recipe r = balls_of(RICO_COLLIDE_EXACT, false);
        ride y = begin_ride(kinds[k], &r, k == 0 ? 0.5f : 1.5f);
        uint64_t bounces = 0;
        for (int n = 1; n <= 200; ++n) {
            const float a = 0.02f * (float)n;
            step_ride(&y, at(0.3f * rico__sin(a), 0.0f, 0.3f * rico__sin(3.0f * a)), DT);
            bounces += rico_world_get_stats(y.world).bounces;
        }
        CHECK_MSG(bounces > 300, "%llu", (unsigned long long)bounces);
        CHECK_MSG(y.again * 100 < bounces, "%u of %llu", y.again, (unsigned long long)bounces);
        rico_world_destroy(y.world);
    }
}

/* Slopes of all directions, from triangle to triangle. */
static void add_slopes(rico_world *world)
{
    enum { SIDE = 9 };
    float corners[3 * SIDE * SIDE];
    uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)], n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE;
        corners[3 * i] = (float)x - 4.0f;
        corners[3 * i + 1] = (float)y - 4.0f;
        corners[3 * i + 2] = 0.25f * (float)((7 * x + 5 * y) % 3);
        if (x + 1 == SIDE || y + 1 == SIDE)
            continue;
        const uint32_t square[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(indices + n, square, sizeof square);
        n += 6;
    }
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = SIDE * SIDE,
                            .indices = indices,
                            .triangle_count = n / 3};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

/* Particles near a mover are moved one by one, also along what stands still. */
TEST(movers, that_are_near_let_who_goes_along_the_ground_touch_it_once_in_a_step)
{
    for (int rolls = 0; rolls < 2; ++rolls) {
        rico_recipe r = balls_of(RICO_COLLIDE_EXACT, rolls != 0);
        r.radius = 0.018f;
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){3.0f, 3.0f, 0.1f};
        r.burst_count = 500;
        ride y = begin_ride(RICO_SHAPE_BOX, &r, 0.8f);
        add_slopes(y.world);
        for (int n = 1; n <= 60; ++n)
            step_ride(&y, at(0.001f * (float)n, 0.0f, -0.22f), DT);
        CHECK_MSG(y.again < 5, "%u contacts twice", y.again);
        rico_world_destroy(y.world);
    }
}

/* The host is told how the surface was turned at the contact, not at the end of the step. */
TEST(movers, that_turn_report_their_normal_at_the_contact)
{
    rico_recipe r = balls_of(RICO_COLLIDE_EXACT, false);
    r.speed = (rico_range){0.0f, 0.0f};
    r.size.x = 0.0f;
    r.burst_count = 1;
    r.gravity.z = 0.0f;
    ride y = begin_ride(RICO_SHAPE_BOX, &r, 1.0f);
    const float most = 0.5f; /* radians in one step; the ball is met on the way */
    rico_effect_teleport(y.world, y.balls, at(0.0f, 5.0f, 1.0f));
    step_ride(&y, at(0.0f, 0.0f, 0.0f), DT);
    rico_transform to = at(0.0f, 0.0f, 0.0f);
    to.rotation = (rico_quat){rico__sin(0.5f * most), 0.0f, 0.0f, rico__cos(0.5f * most)};
    step_ride(&y, to, DT);
    uint32_t count;
    const rico_event *e = rico_world_events(y.world, &count);
    CHECK(count > 0);
    const float then = most * e->time / DT; /* how far the plate had turned */
    CHECK_NEAR(e->normal.y, -rico__sin(then), 0.02f);
    CHECK_NEAR(e->normal.z, rico__cos(then), 0.02f);
    rico_world_destroy(y.world);
}
