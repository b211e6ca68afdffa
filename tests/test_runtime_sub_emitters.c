/* Birth events, and births at events. */
#include "runtime_firework.h"
#include "runtime_isa.h"
#include "runtime_refused.h"

#include "vec.h"

#define DT (1.0f / 60.0f)
#define MOST_EVENTS 4096u

/* The same hash from every compiler, at every level of optimisation. It changes only with a
 * commit that says why. */
#define GOLDEN 0x77735a30a48f7130ULL

TEST(sub_emitters, each_birth_is_told_of_once_with_its_time_and_place)
{
    rico_world *world = roomy_world(1, 16384);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 700.0f;
    r.lifetime = (rico_range){0.01f, 0.05f}; /* some die in the step in which they are born */
    r.speed = (rico_range){1.0f, 2.0f};
    r.spread = 1.0f;
    r.events = RICO_EVENT_BIT_BIRTH | RICO_EVENT_BIT_DEATH;
    rico_effect_id e = begin_effect(world, &r, at(1.0f, 2.0f, 3.0f));
    uint32_t born_so_far = 0, died = 0, seen = 0;
    for (int i = 0; i < 60; ++i) {
        uint32_t count;
        born b[2048];
        rico_effect_move(world, e, at(1.0f + 0.1f * (float)i, 2.0f, 3.0f));
        rico_world_step(world, i % 2 == 0 ? DT : 2.0f * DT);
        collect_born(world, e, b, 2048);
        const rico_event *v = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n) {
            if (v[n].type == RICO_EVENT_DEATH)
                died += 1;
            if (v[n].type != RICO_EVENT_BIRTH)
                continue;
            CHECK_EQ(v[n].particle, born_so_far);
            born_so_far += 1;
            float dt = i % 2 == 0 ? DT : 2.0f * DT;
            CHECK(v[n].time >= 0.0f && v[n].time <= dt && v[n].collider == 0);
            const born *p = &b[v[n].particle];
            double rest = (double)(dt - v[n].time);
            seen += p->alive;
            double x = (double)v[n].position.x + (double)v[n].velocity.x * rest;
            CHECK(!p->alive || (fabs(p->p[0] - x) < 1e-4 && fabs(p->age - rest) < 1e-5));
            CHECK(fabsf(v[n].speed - vec3_length(v[n].velocity)) < 1e-5f);
        }
    }
    CHECK(born_so_far > 1000 && seen > 500 && seen < born_so_far);
    CHECK_EQ(born_so_far - died, rico_effect_particle_count(world, e));
    rico_world_destroy(world);
}

/* Where, when and how fast a child should begin. */
typedef struct beginning {
    double p[3], v[3], age;
} beginning;

/* Runs parents whose events of one kind have children that fly straight on. Compares the
 * children with what the events say. */
static void follow(uint32_t on, rico_event_type type, float inherit, uint32_t births)
{
    rico_world *world = roomy_world(1, 16384);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(100);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    CHECK(rico_world_sub_effect(world, id).index1 == 0);
    parent.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH | RICO_EVENT_BIT_BIRTH;
    parent.rate = 200.0f;
    parent.sub_emitters[2] = sub_of(on, id, births, inherit);
    rico_effect_id e = begin_effect(world, &parent, at(0.0f, 0.0f, 1.0f));
    rico_effect_id children = rico_world_sub_effect(world, id);
    CHECK(rico_effect_is_alive(world, children));
    static beginning expected[MOST_EVENTS];
    static born b[MOST_EVENTS];
    uint32_t count = 0, due = 0;
    for (int i = 0; i < 60; ++i) {
        float dt = i % 3 == 0 ? 2.0f * DT : DT;
        rico_world_step(world, dt);
        for (uint32_t n = 0; n < count; ++n)
            expected[n].age += (double)dt;
        CHECK_EQ(rico_effect_particle_count(world, children), count);
        CHECK_EQ(collect_born(world, children, b, MOST_EVENTS), count);
        for (uint32_t n = 0; n < count; ++n)
            for (int d = 0; d < 3; ++d) {
                double p = expected[n].p[d] + expected[n].v[d] * expected[n].age;
                CHECK_MSG(fabs(b[n].p[d] - p) < 1e-4 && fabs(b[n].age - expected[n].age) < 1e-4,
                          "step %d, child %u: at %g, expected %g; age %g, expected %g", i, n,
                          b[n].p[d], p, b[n].age, expected[n].age);
            }
        const rico_event *v = rico_world_events(world, &due);
        for (uint32_t k = 0; k < due * births; ++k) {
            const rico_event *from = &v[k / births];
            if (from->type != type)
                continue;
            CHECK(count < MOST_EVENTS);
            CHECK(type != RICO_EVENT_COLLISION || /* after the impact */
                  (from->velocity.z >= 0.0f && from->velocity.z < 0.6f * from->speed + 0.1f));
            expected[count++] = (beginning){
                {(double)from->position.x, (double)from->position.y, (double)from->position.z},
                {(double)(inherit * from->velocity.x), (double)(inherit * from->velocity.y),
                 (double)(inherit * from->velocity.z)},
                (double)(dt - from->time)};
        }
    }
    CHECK(count > 100);
    CHECK_EQ(rico_world_get_stats(world).events_dropped, 0);
    /* Children live on without their parents, and their effect without the children. */
    CHECK_EQ(rico_effect_destroy(world, e), RICO_OK);
    run_steps(world, 5);
    CHECK_EQ(rico_effect_particle_count(world, children), count);
    CHECK_EQ(rico_effect_destroy(world, children), RICO_OK);
    CHECK(rico_effect_is_alive(world, children));
    CHECK_EQ(rico_effect_particle_count(world, children), 0);
    CHECK_EQ(rico_world_get_stats(world).particles, 0);
    rico_world_destroy(world);
}

TEST(sub_emitters, children_are_born_where_and_when_births_collisions_and_deaths_were)
{
    follow(RICO_EVENT_BIT_BIRTH, RICO_EVENT_BIRTH, 0.0f, 1);
    follow(RICO_EVENT_BIT_COLLISION, RICO_EVENT_COLLISION, 0.5f, 3);
    follow(RICO_EVENT_BIT_DEATH, RICO_EVENT_DEATH, -1.0f, 2);
}

TEST(sub_emitters, a_thousand_collisions_in_one_step_have_their_births_in_the_next)
{
    rico_world *world = roomy_world(2, 4096);
    rico_recipe child = still_recipe(RICO_COLLIDE_CACHED), parent = parent_recipe(1000);
    child.speed = (rico_range){1.0f, 1.0f};
    child.spread = 0.5f;
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.size.z = 0.0f;
    parent.speed = (rico_range){0.0f, 0.0f};
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_COLLISION, id, 7, 0.0f);
    parent.lifetime = (rico_range){50.0f, 50.0f};
    parent.on_collision = RICO_ON_COLLISION_STOP;
    begin_effect(world, &parent, at(0.0f, 0.0f, 0.5f));
    rico_effect_id children = rico_world_sub_effect(world, id);
    uint64_t allocations = rico_world_get_stats(world).allocations;
    uint32_t before = 0, at_once = 0;
    for (int i = 0; i < 40; ++i) {
        run_steps(world, 1);
        uint32_t now = rico_effect_particle_count(world, children);
        at_once = now - before > at_once ? now - before : at_once;
        before = now;
    }
    CHECK_EQ(before, 7000);
    CHECK_EQ(at_once, 7000);
    CHECK(rico_world_get_stats(world).blocks < 40); /* large blocks */
    CHECK_EQ(rico_world_get_stats(world).allocations, allocations);
    rico_view v = rico_effect_view(world, children);
    while (rico_view_next(&v)) /* around the floor's normal */
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK(v.vz[i] > 0.87f && v.pz[i] > 0.01f);
    rico_world_destroy(world);
}

/* Children of events in the step before catch up. Half of them meet the floor before this step
 * begins, but no collision may be reported before its start. */
TEST(sub_emitters, no_collision_of_a_child_is_told_of_before_its_step)
{
    rico_world *world = roomy_world(1, 4096);
    rico_recipe child = still_recipe(RICO_COLLIDE_FIXED), parent = parent_recipe(200);
    child.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    child.plane_count = 1;
    child.speed = (rico_range){6.0f, 6.0f};
    child.spread = 3.14f;
    child.events = RICO_EVENT_BIT_COLLISION;
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, id, 1, 0.0f);
    parent.size = (rico_vec3){0.0f, 0.0f, 0.0f};
    begin_effect(world, &parent, at(0.0f, 0.0f, 0.02f));
    uint32_t told = 0, caught_up = 0;
    for (int i = 0; i < 10; ++i) {
        uint32_t count;
        run_steps(world, 1);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t k = 0; k < count; ++k) {
            if (e[k].type != RICO_EVENT_COLLISION)
                continue;
            told += 1;
            caught_up += e[k].time == 0.0f;
            CHECK_MSG(e[k].time >= 0.0f, "at %g s", (double)e[k].time);
        }
    }
    CHECK(told > 50 && caught_up > 0);
    rico_world_destroy(world);
}

TEST(sub_emitters, births_go_off_the_surface_that_was_hit)
{
    const rico_vec3 normals[] = {{0, 0, -1}, {1, 0, 0}, {-0.6f, 0.64f, 0.48f}};
    for (int k = 0; k < 3; ++k) {
        rico_vec3 n = normals[k];
        rico_world *world = roomy_world(1, 256);
        rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(20);
        child.speed = (rico_range){2.0f, 2.0f};
        rico_recipe_id id = rico_world_add_recipe(world, &child);
        parent.planes[0] = (rico_plane){n, -0.5f};
        parent.gravity = (rico_vec3){-9 * n.x, -9 * n.y, -9 * n.z};
        parent.size = (rico_vec3){0, 0, 0};
        parent.lifetime = (rico_range){50.0f, 50.0f};
        parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_COLLISION, id, 1, 0.0f);
        begin_effect(world, &parent, at(0.0f, 0.0f, 0.0f));
        run_steps(world, 60);
        rico_view v = rico_effect_view(world, rico_world_sub_effect(world, id));
        CHECK(rico_view_next(&v) && v.count > 19);
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK(fabsf(v.vx[i] - 2 * n.x) < 1e-4f && fabsf(v.vy[i] - 2 * n.y) < 1e-4f &&
                  fabsf(v.vz[i] - 2 * n.z) < 1e-4f);
        rico_world_destroy(world);
    }
}

/* Fifty parents fly straight on, and each has a child at its death. Children start in a box
 * that is flat in x and fly at 2 m/s in the given orientation. Each is checked against its
 * event. */
static void turned(rico_orientation orientation, bool at_rest,
                   void check(const born *child, const rico_event *e, rico_transform effect))
{
    static rico_event events[64];
    static born b[64];
    rico_world *world = roomy_world(1, 256);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(50);
    child.shape = RICO_EMIT_BOX;
    child.size = (rico_vec3){0.0f, 0.1f, 0.2f};
    child.speed = (rico_range){2.0f, 2.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.mode = RICO_COLLIDE_NONE;
    parent.gravity = (rico_vec3){0, 0, 0};
    parent.speed = (rico_range){at_rest ? 0.0f : 1.0f, at_rest ? 0.0f : 3.0f};
    parent.events = RICO_EVENT_BIT_DEATH;
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, id, 1, 0.0f);
    parent.sub_emitters[0].orientation = orientation;
    rico_transform where = {{1, 2, 3}, {0, 0, 0, 1}, 1};
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &parent), where);
    uint32_t told = 0;
    where.rotation = (rico_quat){0.48f, 0.36f, 0, 0.8f};
    where.scale = 3.0f;
    CHECK_EQ(rico_effect_teleport(world, e, where), RICO_OK); /* all die later */
    for (int i = 0; i < 70; ++i) {
        uint32_t count;
        rico_world_step(world, DT);
        const rico_event *v = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n)
            events[told++] = v[n];
    }
    CHECK_EQ(told, 50);
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, id), b, 64), 50);
    for (uint32_t n = 0; n < told; ++n)
        check(&b[n], &events[n], where);
    rico_world_destroy(world);
}

static uint32_t beyond; /* outside the box at scale 1 */

/* Compares a child with the direction, and with a box around the event that is rotated and
 * scaled. The axes are columns of the quaternion's matrix. */
static void check_turn(const born *b, const rico_event *e, rico_quat q, double scale)
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double axes[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    const double half[3] = {0.0, 0.1, 0.2};
    const double at[3] = {(double)e->position.x, (double)e->position.y, (double)e->position.z};
    for (int a = 0; a < 3; ++a) {
        double along = 0.0;
        CHECK_NEAR(b->v[a], 2.0 * axes[2][a], 2e-5);
        for (int k = 0; k < 3; ++k)
            along += axes[a][k] * (b->p[k] - b->v[k] * b->age - at[k]);
        CHECK_MSG(fabs(along) <= scale * half[a] + 2e-5, "%d: %g", a, along);
        beyond += fabs(along) > half[a] + 2e-5;
    }
}

static void check_up(const born *b, const rico_event *e, rico_transform effect)
{
    (void)effect;
    check_turn(b, e, (rico_quat){0, 0, 0, 1}, 1.0);
}

static void check_as_effect(const born *b, const rico_event *e, rico_transform effect)
{
    check_turn(b, e, effect.rotation, 3.0);
}

static void check_along(const born *b, const rico_event *e, rico_transform effect)
{
    const rico_vec3 d = vec3_scale(e->velocity, 2.0f / vec3_length(e->velocity));
    (void)effect;
    CHECK_NEAR(b->v[0], (double)d.x, 1e-5);
    CHECK_NEAR(b->v[1], (double)d.y, 1e-5);
    CHECK_NEAR(b->v[2], (double)d.z, 1e-5);
}

TEST(sub_emitters, births_are_turned_as_they_say)
{
    turned(RICO_ORIENT_UP, false, check_up);
    turned(RICO_ORIENT_VELOCITY, false, check_along);
    turned(RICO_ORIENT_VELOCITY, true, check_up);
    beyond = 0;
    turned(RICO_ORIENT_EFFECT, false, check_as_effect);
    CHECK(beyond > 20);
}

TEST(sub_emitters, what_does_not_fit_is_counted)
{
    rico_world *world = roomy_world(1, 64); /* room for 128 events and as many seeds */
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(500);
    child.max_particles = 30;
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.lifetime = (rico_range){0.2f, 0.2f};
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, id, 1, 0.0f);
    parent.sub_emitters[3] = sub_of(RICO_EVENT_BIT_DEATH, id, 2, 0.0f);
    begin_effect(world, &parent, at(0.0f, 0.0f, 5.0f));
    uint32_t dropped = 0, starved = 0;
    for (int i = 0; i < 20; ++i) {
        run_steps(world, 1);
        dropped += rico_world_get_stats(world).events_dropped;
        starved += rico_world_get_stats(world).births_starved;
    }
    uint32_t told = 500 - dropped;
    CHECK_MSG(told <= 128 && told > 64, "%u told", told);
    CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, id)), 30);
    CHECK_EQ(starved, 3 * told - 30);
    rico_world_destroy(world);
}

TEST(sub_emitters, a_share_of_events_by_its_probability_has_births)
{
    rico_world *world = roomy_world(1, 16384);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(3000);
    rico_recipe_id often = rico_world_add_recipe(world, &child);
    rico_recipe_id seldom = rico_world_add_recipe(world, &child);
    parent.max_particles = 3000;
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, often, 1, 0.0f);
    parent.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, seldom, 1, 0.0f);
    parent.sub_emitters[0].probability = 0.7f;
    parent.sub_emitters[1].probability = 0.1f;
    begin_effect(world, &parent, at(0.0f, 0.0f, 1.0f));
    run_steps(world, 70);
    uint32_t many = rico_effect_particle_count(world, rico_world_sub_effect(world, often));
    uint32_t few = rico_effect_particle_count(world, rico_world_sub_effect(world, seldom));
    CHECK_MSG(many > 2000 && many < 2200 && few > 240 && few < 360, "%u, %u", many, few);
    rico_world_destroy(world);
}

/* Each birth event has at most one child of each sub-emitter, at the same place. */
TEST(sub_emitters, draw_for_each_of_them_alone)
{
    static born a[MOST_EVENTS], b[MOST_EVENTS];
    rico_world *world = roomy_world(1, 4096);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = still_recipe(child.mode);
    rico_recipe_id ids[2];
    parent.shape = RICO_EMIT_BOX;
    parent.size = (rico_vec3){1.0f, 1.0f, 1.0f};
    parent.burst_count = 1000;
    for (int k = 0; k < 2; ++k) {
        ids[k] = rico_world_add_recipe(world, &child);
        parent.sub_emitters[k] = sub_of(RICO_EVENT_BIT_BIRTH, ids[k], 1, 0.0f);
        parent.sub_emitters[k].probability = 0.5f;
    }
    begin_effect(world, &parent, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 2);
    uint32_t many = collect_born(world, rico_world_sub_effect(world, ids[0]), a, MOST_EVENTS);
    uint32_t more = collect_born(world, rico_world_sub_effect(world, ids[1]), b, MOST_EVENTS);
    uint32_t both = 0;
    for (uint32_t i = 0; i < many; ++i)
        for (uint32_t k = 0; k < more; ++k)
            both += memcmp(a[i].p, b[k].p, sizeof a[i].p) == 0;
    CHECK_MSG(many > 440 && many < 560 && more > 440 && more < 560, "%u, %u", many, more);
    CHECK_MSG(both > 190 && both < 310, "%u have both", both);
    rico_world_destroy(world);
}

/* Each level would be ten times as fast as the one before. */
TEST(sub_emitters, make_none_faster_than_forces_do)
{
    static born last[8];
    rico_world *world = roomy_world(1, 256);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    const rico_recipe_id end = id;
    for (uint32_t level = 1; level <= RICO_MAX_SUB_DEPTH; ++level) {
        r.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, id, 1, 10.0f);
        r.burst_count = level == RICO_MAX_SUB_DEPTH;
        r.speed.lo = r.speed.hi = level == RICO_MAX_SUB_DEPTH ? 1000.0f : 0.0f;
        id = rico_world_add_recipe(world, &r);
    }
    CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f)).index1 != 0);
    run_steps(world, 6);
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, end), last, 8), 1);
    CHECK_NEAR(last[0].v[2], 1.0e6, 1.0);
    rico_world_destroy(world);
}

/* Adds most other features: balls that roll or slide in gusts, in modes cached and exact, with
 * surfaces; a vortex field; and a kill volume around everything. */
static void add_everything_else(rico_world *world)
{
    for (int mode = RICO_COLLIDE_CACHED; mode <= RICO_COLLIDE_EXACT; mode += 2) {
        rico_recipe r = still_recipe((rico_collision_mode)mode);
        r.gravity.z = -9.81f;
        r.rate = 120.0f;
        r.speed = (rico_range){0.5f, 4.0f};
        r.lifetime = (rico_range){0.3f, 1.2f};
        r.drag = 0.2f;
        r.wind = (rico_vec3){1.0f, 0.5f, 0.0f};
        r.drag_quadratic = 0.05f;
        r.limit_speed = 8.0f;
        r.forces[0] = rico_force_default();
        r.forces[0].kind = RICO_FORCE_TURBULENCE;
        r.forces[0].strength = 6.0f;
        r.field_layers = 1;
        r.rolls = mode == RICO_COLLIDE_CACHED;
        r.on_collision = r.rolls ? RICO_ON_COLLISION_BOUNCE : RICO_ON_COLLISION_SLIDE;
        r.restitution_random = r.friction_random = 0.3f;
        r.lifetime_loss = 0.1f;
        r.kill_above = 7.5f;
        r.by_surface = true;
        r.spin = (rico_range){-2.0f, 2.0f};
        r.events = RICO_EVENT_BIT_BIRTH | RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
        begin_effect(world, &r, at(0.3f, 0.2f, 0.8f));
    }
    rico_field_def whirl = rico_field_def_default();
    whirl.force.kind = RICO_FORCE_VORTEX;
    whirl.force.strength = 12.0f;
    whirl.size = (rico_vec3){3.0f, 3.0f, 3.0f};
    CHECK(rico_world_add_field(world, &whirl).index1 != 0);
    CHECK_EQ(rico_world_set_surface(world, 0, 0.8f, 0.7f), RICO_OK);
    const rico_kill_volume end = {.sphere = true,
                                  .outside = true,
                                  .size = {6.0f, 0.0f, 0.0f},
                                  .transform = RICO_TRANSFORM_IDENTITY};
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &end), RICO_OK);
}

static uint64_t firework_hash(uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    rico_recipe_id ids[4];
    add_firework(world, ids, 0.0f);
    add_everything_else(world);
    uint64_t hash = 0;
    for (int i = 0; i < 90; ++i) {
        run_steps(world, 1);
        hash = hash * 31 + rico_world_hash(world);
    }
    for (int k = 1; k < 4; ++k)
        CHECK(rico_effect_particle_count(world, rico_world_sub_effect(world, ids[k])) > 20);
    rico_world_destroy(world);
    return hash;
}

TEST(sub_emitters, and_all_else_are_the_same_for_any_number_of_workers_and_every_isa)
{
    uint64_t expected = firework_hash(1);
    CHECK_MSG(expected == GOLDEN, "%llx", (unsigned long long)expected);
    CHECK(firework_hash(2) == expected);
    CHECK(!test_has_time() || firework_hash(4) == expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(firework_hash(1) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
}

TEST(sub_emitters, births_wait_while_time_stands_still_or_another_effect_is_run_by_itself)
{
    rico_world *world = small_world(1, false);
    rico_recipe_id ids[4];
    add_firework(world, ids, 0.0f);
    rico_recipe r = parent_recipe(3);
    rico_effect_id other = begin_effect(world, &r, at(3.0f, 0.0f, 1.0f));
    rico_effect_id stars = rico_world_sub_effect(world, ids[1]);
    uint32_t due = 0;
    for (int i = 0; i < 60 && due == 0; ++i) {
        run_steps(world, 1);
        due = rico_world_get_stats(world).deaths; /* only shells die so soon */
    }
    CHECK(due > 0 && rico_effect_particle_count(world, stars) == 0);
    rico_world_step(world, 0.0f);
    CHECK_EQ(rico_effect_seek(world, other, 1.0f, DT), RICO_OK);
    CHECK_EQ(rico_effect_particle_count(world, stars), 0);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
    run_steps(world, 1);
    CHECK_EQ(rico_effect_particle_count(world, stars), 20 * due);
    rico_view v = rico_effect_view(world, stars);
    CHECK(rico_view_next(&v) && fabsf(v.px[0] + 64.0f) < 3.0f);
    rico_world_destroy(world);
}

TEST(sub_emitters, births_that_wait_move_with_the_origin_all_of_them)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    const rico_recipe_id child = rico_world_add_recipe(world, &r);
    r.burst_count = 8;
    r.rate = 0.0f;
    r.lifetime = (rico_range){1.5f * DT, 1.5f * DT};
    r.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, child, 1, 0.0f);
    begin_effect(world, &r, at(1.0f, 2.0f, 3.0f));
    run_steps(world, 2);
    CHECK_EQ(rico_world_get_stats(world).deaths, 8);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
    run_steps(world, 1);
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, rico_world_sub_effect(world, child));
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count)
            CHECK(fabsf(v.px[i] + 63.0f) < 2.0f);
    CHECK_EQ(count, 8);
    rico_world_destroy(world);
}

TEST(sub_emitters, what_cannot_be_is_refused_and_changes_nothing)
{
    counting_allocator counter;
    kept_log log;
    rico_world_def def = counted_def(&counter, &log);
    def.max_effects = 3;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), r = parent_recipe(1);
    rico_recipe_id ids[8];
    r.sub_emitters[1] = sub_of(3, (rico_recipe_id){1, 1}, 1, 0.0f);
    refuse_here(world, &log, &r, "recipe.sub_emitters[1].on is 0x3", RICO_OUT_OF_RANGE);
    r.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, (rico_recipe_id){1, 1}, 0, 0.0f);
    refuse_here(world, &log, &r, "recipe.sub_emitters[1].count is 0", RICO_OUT_OF_RANGE);
    r.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, (rico_recipe_id){1, 1}, 1, NAN);
    refuse_here(world, &log, &r, "sub_emitters[1].inherit_velocity", RICO_NOT_FINITE);
    r.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, (rico_recipe_id){1, 1}, 1, 0.0f);
    r.sub_emitters[1].probability = 1.5f;
    refuse_here(world, &log, &r, "sub_emitters[1].probability is 1.5", RICO_OUT_OF_RANGE);
    r.sub_emitters[1].probability = 1.0f;
    r.sub_emitters[1].orientation = RICO_ORIENTATION_COUNT;
    refuse_here(world, &log, &r, "sub_emitters[1].orientation is 3, expected 0 to 2",
                RICO_OUT_OF_RANGE);
    r.sub_emitters[1].orientation = RICO_ORIENT_UP;
    refuse_here(world, &log, &r, "recipe.sub_emitters[1].recipe", RICO_STALE_ID);
    ids[0] = rico_world_add_recipe(world, &child);
    for (uint32_t k = 1; k < 4; ++k) { /* each has births of the previous one */
        r.sub_emitters[1].recipe = ids[k - 1];
        ids[k] = rico_world_add_recipe(world, &r);
        CHECK(ids[k].index1 != 0);
    }
    r.sub_emitters[1].recipe = ids[3];
    refuse_here(world, &log, &r, "max_effects (3)", RICO_FULL);
    CHECK_EQ(rico_world_get_stats(world).effects, 3);
    /* A change whose births lead back to the recipe itself, directly and through others; then
     * one whose births do not. */
    kept_log *l = &log;
    child.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, ids[0], 1, 0.0f);
    CHECK_EQ(rico_world_change_recipe(world, ids[0], &child), RICO_OUT_OF_RANGE);
    CHECK(strstr(l->text, "births lead to births") != NULL);
    child.sub_emitters[0].recipe = ids[2];
    CHECK_EQ(rico_world_change_recipe(world, ids[0], &child), RICO_OUT_OF_RANGE);
    child.sub_emitters[0].on = 0;
    CHECK_EQ(rico_world_change_recipe(world, ids[0], &child), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, rico_world_sub_effect(world, ids[0]), 1), RICO_IN_USE);
    CHECK_EQ(rico_effect_seek(world, rico_world_sub_effect(world, ids[0]), 1.0f, DT),
             RICO_IN_USE);
    run_steps(world, 3);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_blocks, 0);
}

TEST(sub_emitters, more_than_four_levels_are_refused)
{
    rico_world *world = roomy_world(1, 64);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    r.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, id, 1, 0.0f);
    for (int k = 0; k < 4; ++k) {
        id = rico_world_add_recipe(world, &r);
        CHECK(id.index1 != 0);
        r.sub_emitters[0].recipe = id;
    }
    CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    rico_world_destroy(world);
}
