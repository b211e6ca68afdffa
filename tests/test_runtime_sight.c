/* rico_recipe.births_in_sight: a particle that would be born behind a surface is born in front
 * of it. */
#include "runtime_host.h"
#include "runtime_room.h"

#define BALL 0.25f
#define BURST 200u
#define LEAST 1.0e-5 /* metres in front of a surface */

/* Particles in a ball, all at rest where they are born. */
static rico_recipe ball(rico_collision_mode mode, bool in_sight)
{
    rico_recipe r = still_recipe(mode);
    r.shape = RICO_EMIT_SPHERE;
    r.size.x = BALL;
    r.burst_count = BURST;
    r.radius = RADIUS;
    r.births_in_sight = in_sight;
    r.plane_count = mode == RICO_COLLIDE_FIXED;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, -100.0f};
    return r;
}

/* Returns how many of the particles are lower than z; all of them must be there. */
static uint32_t lower_than(rico_world *world, rico_effect_id effect, double z)
{
    static born all[BURST];
    uint32_t count = 0;
    CHECK_EQ(collect_born(world, effect, all, BURST), BURST);
    for (uint32_t i = 0; i < BURST; ++i)
        count += all[i].p[2] < z;
    return count;
}

static uint32_t born_under_the_floor(rico_collision_mode mode, float z, bool in_sight)
{
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    const rico_recipe r = ball(mode, in_sight);
    rico_effect_id effect = begin_effect(world, &r, at(0.3f, 0.2f, z));
    rico_world_step(world, DT);
    uint32_t count = lower_than(world, effect, LEAST);
    rico_world_destroy(world);
    return count;
}

TEST(sight, effects_on_the_floor_bear_nobody_under_it)
{
    static const float heights[] = {0.0f, 1.0e-6f, -1.0e-6f, 0.1f};
    for (rico_collision_mode mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (int h = 0; h < 4; ++h) {
            CHECK_EQ(born_under_the_floor(mode, heights[h], true), 0);
            CHECK(born_under_the_floor(mode, heights[h], false) > (h < 3 ? 80 : 20));
        }
}

/* The shape is larger than the room. */
TEST(sight, nobody_is_born_outside_of_the_room)
{
    rico_collider_id ids[2];
    rico_world *world = room_world(2, ids);
    rico_recipe r = ball(RICO_COLLIDE_CACHED, true);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){3.0f, 3.0f, 3.0f};
    rico_effect_id effect = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    rico_world_step(world, DT);
    CHECK_EQ(lower_than(world, effect, LEAST), 0);
    CHECK_EQ(lower_than(world, effect, 2.0), BURST);
    rico_world_destroy(world);
}

/* Their places must be the same as without births_in_sight, to the bit. */
TEST(sight, who_is_seen_stays_where_it_is_born)
{
    static born all[2][BURST];
    for (int in_sight = 0; in_sight < 2; ++in_sight) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        const rico_recipe r = ball(RICO_COLLIDE_EXACT, in_sight == 1);
        rico_effect_id effect = begin_effect(world, &r, at(0.0f, 0.0f, 0.35f));
        rico_world_step(world, DT);
        CHECK_EQ(collect_born(world, effect, all[in_sight], BURST), BURST);
        rico_world_destroy(world);
    }
    for (uint32_t i = 0; i < BURST; ++i)
        CHECK(memcmp(all[0][i].p, all[1][i].p, sizeof all[0][i].p) == 0);
}

/* Only their height may change: a disc in the ground stays a disc. */
TEST(sight, who_is_hidden_by_the_floor_is_put_straight_off_it)
{
    static const rico_emitter_shape shapes[] = {RICO_EMIT_DISC, RICO_EMIT_SPHERE};
    static born all[2][BURST];
    for (int k = 0; k < 2; ++k) {
        for (int in_sight = 0; in_sight < 2; ++in_sight) {
            rico_collider_id ids[2];
            rico_world *world = room_world(1, ids);
            rico_recipe r = ball(RICO_COLLIDE_NONE, in_sight == 1);
            r.shape = shapes[k];
            rico_effect_id effect = begin_effect(world, &r, at(0.3f, 0.2f, 0.0f));
            rico_world_step(world, DT);
            CHECK_EQ(collect_born(world, effect, all[in_sight], BURST), BURST);
            rico_world_destroy(world);
        }
        for (uint32_t i = 0; i < BURST; ++i) {
            const double x = all[1][i].p[0] - all[0][i].p[0];
            const double y = all[1][i].p[1] - all[0][i].p[1], z = all[0][i].p[2];
            CHECK_MSG(sqrt(x * x + y * y) < 1.0e-5, "%u: off by %g %g", i, x, y);
            if (z < LEAST)
                CHECK_MSG(fabs(all[1][i].p[2] - (double)RADIUS) < 1.0e-5, "%g", all[1][i].p[2]);
        }
    }
}

/* A hit on the side wall of the box whose top is the room's floor; the effect's +z points off
 * the wall. */
TEST(sight, births_at_a_hit_are_on_its_side)
{
    const float half = 0.70710678f;
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    rico_recipe r = ball(RICO_COLLIDE_NONE, true);
    r.events = RICO_EVENT_BIT_BIRTH;
    rico_birth birth = {
        {{8.0f, 0.0f, -0.5f}, {0.0f, half, 0.0f, half}, 1.0f}, {0, 0, 0}, BURST};
    const rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    rico_world_step(world, DT);
    rico_view v = rico_effect_view(world, rico_world_sub_effect(world, id));
    uint32_t count = 0;
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count)
            CHECK((double)v.px[i] >= 8.0 + LEAST);
    CHECK_EQ(count, BURST);
    uint32_t events;
    const rico_event *event = rico_world_events(world, &events);
    CHECK_EQ(events, BURST);
    for (uint32_t i = 0; i < events; ++i)
        CHECK((double)event[i].position.x >= 8.0 + LEAST);
    rico_world_destroy(world);
}

/* Returns how many of a burst on a tilted endless plane are born behind it. */
static uint32_t born_behind_a_plane(rico_collision_mode mode, uint32_t ignored, bool moved)
{
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    def.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &collider.shape), RICO_OK);
    collider.layers = 4;
    collider.motion.transform = at(0.0f, 0.0f, 3.0f);
    collider.motion.transform.rotation = (rico_quat){0.0f, 0.6f, 0.0f, 0.8f};
    const rico_collider_id plane = rico_world_add_collider(world, &collider);
    CHECK(plane.index1 != 0);
    rico_recipe r = ball(mode, true);
    r.ignored_layers = ignored;
    const rico_effect_id effect = begin_effect(world, &r, collider.motion.transform);
    if (moved) {
        collider.motion.transform.position.z -= 0.001f;
        CHECK_EQ(rico_world_move_colliders(world, &plane, &collider.motion, 1), RICO_OK);
    }
    rico_world_step(world, DT);
    static born all[BURST];
    uint32_t behind = 0;
    CHECK_EQ(collect_born(world, effect, all, BURST), BURST);
    for (uint32_t i = 0; i < BURST; ++i) /* the normal is (.96, 0, .28) */
        behind += 0.96 * all[i].p[0] + 0.28 * (all[i].p[2] - 3.0) < LEAST;
    rico_world_destroy(world);
    return behind;
}

TEST(sight, planes_without_end_that_stand_still_hide_who_is_behind)
{
    static const rico_collision_mode in[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_CACHED,
                                             RICO_COLLIDE_EXACT};
    for (int m = 0; m < 3; ++m) {
        CHECK_EQ(born_behind_a_plane(in[m], 0, false), 0);
        if (in[m] != RICO_COLLIDE_NONE)
            CHECK(born_behind_a_plane(in[m], 4, false) > 80);
    }
    CHECK(born_behind_a_plane(RICO_COLLIDE_NONE, 0, true) > 80);
}

/* Births ask the host's rays, too, but do not wait for answers that come later. */
static void check_host(rico_ray_caster caster, bool at_once)
{
    rico_world *world = world_on(caster, 1);
    const rico_recipe r = ball(RICO_COLLIDE_CACHED, true);
    rico_effect_id effect = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    CHECK_EQ(lower_than(world, effect, LEAST), 0);
    const uint32_t above = BURST - lower_than(world, effect, (double)RADIUS + 0.002);
    CHECK_MSG(at_once ? above > 80 : above < 80, "%u", above);
    rico_world_destroy(world);
}

TEST(sight, is_asked_of_the_hosts_rays)
{
    host h = ramp_host(HOST_PLAIN);
    check_host(at_once(&h), true);
    rico_scene_destroy(h.scene);
    h = ramp_host(HOST_LAZY);
    check_host(one_frame_later(&h), false);
    rico_scene_destroy(h.scene);
}
