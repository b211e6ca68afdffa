/* Who rests on colliders and sticks to them while these move, and what holds whom. */
#include "runtime_layers.h"

#define BALL 0.2f

static rico_recipe balls(rico_collision_mode mode, rico_on_collision does)
{
    rico_recipe r = grains(mode, 0);
    r.radius = BALL;
    r.restitution = 0.1f;
    r.on_collision = does;
    return r;
}

static uint32_t count_awry(rico_world *world, rico_effect_id e, float fastest)
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            float speed2 = v.vx[i] * v.vx[i] + v.vy[i] * v.vy[i] + v.vz[i] * v.vz[i];
            count += !(speed2 < fastest * fastest) || !isfinite(v.px[i] + v.py[i] + v.pz[i]);
        }
    return count;
}

/* Taken along at once, they may go away from it already where they meet it once more: then there is nothing that
 * friction could be of. */
TEST(movers, that_are_fast_make_nobody_faster_by_friction)
{
    for (int m = 0; m < 2; ++m)
        for (int rolls = 0; rolls < 2; ++rolls) {
            rico_world *world = bare_world(1);
            rico_recipe r =
                balls(modes[m], rolls ? RICO_ON_COLLISION_BOUNCE : RICO_ON_COLLISION_SLIDE);
            r.rolls = rolls != 0;
            r.size.z = 2.0f;
            r.friction = 0.6f;
            r.rest_speed = 0.0f;
            r.gravity.z = 0.0f;
            rico_collider_id lift = add_box(world, 3.0f, 3.0f, 0.1f, at(0.0f, 0.0f, -3.0f));
            rico_effect_id e = rain(world, &r, 0.0f);
            for (int frame = 1; frame <= 40; ++frame) {
                float way = (float)frame;
                move_to(world, lift, at(-0.021f * way, 0.062f * way, 0.44f * way - 3.0f));
                rico_world_step(world, 0.0305f);
                CHECK_MSG(count_awry(world, e, 60.0f) == 0, "mode %d, rolls %d, frame %d: %u",
                          m, rolls, frame, count_awry(world, e, 60.0f));
            }
            rico_world_destroy(world);
        }
}

/* It goes and is not there any more for them, in the same frame. */
TEST(movers, let_who_rests_fall_when_they_go_and_are_ignored_at_once)
{
    for (int m = 0; m < 2; ++m)
        for (int first = 0; first < 2; ++first) {
            rico_world *world = bare_world(1);
            rico_recipe r = grains(modes[m], LEAVES);
            add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
            rico_collider_id lift = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 1.0f));
            rico_effect_id e = rain(world, &r, 1.5f);
            for (int frame = 1; frame <= 120; ++frame) {
                move_to(world, lift, at(0.0f, 0.0f, 1.0f));
                rico_world_step(world, DT);
            }
            CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
            if (first)
                CHECK_EQ(rico_world_set_layers(world, lift, LEAVES), RICO_OK);
            move_to(world, lift, at(0.0f, 0.0f, 9.0f));
            if (!first)
                CHECK_EQ(rico_world_set_layers(world, lift, LEAVES), RICO_OK);
            run(world, 120);
            CHECK_EQ(count_above(world, e, 0.5f), 0);
            rico_world_destroy(world);
        }
}
