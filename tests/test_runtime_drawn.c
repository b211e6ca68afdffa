/* What is drawn while no time passes, and from far away. */
#include "runtime_written.h"

#include "vec.h"

/* --- While no time passes --------------------------------------------------------------- */

static void check_stands(const rico_world *world, rico_effect_id e)
{
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK_MSG(v.px[i] == v.last_px[i] && v.py[i] == v.last_py[i] &&
                          v.pz[i] == v.last_pz[i],
                      "z %g, before %g", (double)v.pz[i], (double)v.last_pz[i]);
}

/* A host pauses by steps of 0 s and goes on drawing. Particles must then be drawn where they
 * are, even those that have just come to rest. */
static void check_pause(rico_collision_mode mode, rico_on_collision response)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = still_recipe(mode);
    r.gravity.z = -9.81f;
    r.interpolate = true;
    r.on_collision = response;
    r.restitution = 0.0f;
    r.friction = 1.0f;
    r.queries_per_frame = 50.0f;
    if (mode == RICO_COLLIDE_FIXED) {
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    }
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 3.0f));
    CHECK_EQ(rico_effect_emit(world, e, 20), RICO_OK);
    uint32_t slept = 0;
    for (int i = 0; i < 120; ++i) {
        rico_world_step(world, DT);
        for (int k = 0; k < 2; ++k) {
            rico_world_step(world, 0.0f);
            check_stands(world, e);
        }
        slept += rico_world_get_stats(world).sleeping_effects;
    }
    CHECK_MSG(slept > 0, "mode %d", (int)mode);
    rico_world_destroy(world);
}

TEST(drawn, who_has_just_come_to_rest_stands_still_while_no_time_goes_by)
{
    check_pause(RICO_COLLIDE_EXACT, RICO_ON_COLLISION_STICK);
    check_pause(RICO_COLLIDE_CACHED, RICO_ON_COLLISION_STICK);
    check_pause(RICO_COLLIDE_CACHED, RICO_ON_COLLISION_STOP);
    check_pause(RICO_COLLIDE_FIXED, RICO_ON_COLLISION_BOUNCE);
}

/* --- From far away ---------------------------------------------------------------------- */

TEST(drawn, order_from_back_to_front_is_the_same_however_far_the_eye_is)
{
    static _Alignas(64) rico_billboard records[MANY];
    rico_world *world = small_world(1, false);
    const rico_recipe r = flying_recipe();
    rico_effect_id e = begin_effect(world, &r, at(300.0f, -200.0f, 50.0f));
    for (int i = 0; i < 30; ++i)
        rico_world_step(world, DT);
    rico_output_def def = rico_output_def_default();
    rico_output *output;
    def.sort = true;
    def.capacity = MANY;
    def.memory[0] = def.memory[1] = records;
    CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
    const rico_vec3 forward = {0.6f, -0.48f, 0.64f};
    static const float away[] = {10.0f, 1.0e5f, 1.0e8f, 1.0e30f};
    for (size_t k = 0; k < sizeof away / sizeof *away; ++k) {
        const rico_eye eye = {vec3_scale(forward, -away[k]), forward};
        rico_output_frame frame;
        CHECK_EQ(rico_output_write(output, &e, 1, &eye, &frame), RICO_OK);
        CHECK_EQ(frame.count, MANY);
        double last = 1.0e300;
        for (uint32_t n = 0; n < MANY; ++n) {
            const float *p = records[n].position;
            double depth = (double)p[0] * (double)forward.x + (double)p[1] * (double)forward.y +
                           (double)p[2] * (double)forward.z;
            CHECK_MSG(depth < last + 2.0e-4, "%g m away, record %u: %g m", (double)away[k], n,
                      depth - last);
            last = depth;
        }
    }
    rico_output_destroy(output);
    rico_world_destroy(world);
}
