/* Curves in a world: alpha, draws at birth, drag, refusals and changes. */
#include "runtime_curves.h"

#include "state.h"

/* --- Alpha -------------------------------------------------------------------------------- */

TEST(curves, of_alpha_multiply_the_colour_s)
{
    static born some[1024];
    for (int k = 0; k < 4; ++k) {
        bool color = (k & 1) != 0, drawn = (k & 2) != 0;
        rico_world *world = small_world(1, false);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.rate = 300.0f;
        r.lifetime = (rico_range){1.0f, 2.0f};
        r.color = rico_gradient_constant(1.0f, 0.5f, 0.25f, 0.8f);
        if (color)
            r.color = (rico_gradient){
                .key_count = 2, .at = {0.0f, 1.0f}, .rgba = {{1, 1, 1, 0.2f}, {1, 1, 1, 1}}};
        if (drawn)
            r.start_color = rico_gradient_constant(1.0f, 1.0f, 1.0f, 0.5f);
        r.alpha_over_life =
            (rico_curve){3, {0.0f, 0.3f, 1.0f}, {0.0f, 1.0f, 0.0f}, RICO_SMOOTH, {0}, {0}};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        run_steps(world, 120);
        collect_born(world, e, some, 1024);
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 1024; ++i) {
            if (!some[i].alive)
                continue;
            double part = some[i].age / some[i].life * 128.0, x = (floor(part) + 0.5) / 128.0;
            if (fabs(part - floor(part + 0.5)) < 1e-3) /* rounding decides which */
                continue;
            double alpha = color ? 0.2 + 0.8 * x : 0.8;
            double expected = 255.0 * alpha * slow_smooth(&r.alpha_over_life, x);
            CHECK_NEAR(some[i].color >> 24, (drawn ? 128.0 / 255.0 : 1.0) * expected,
                       drawn ? 0.76 : 0.501); /* a draw rounds twice */
            CHECK(color || (some[i].color & 0xffffff) == 0x4080ff);
            seen += 1;
        }
        CHECK(seen > 300);
        rico_world_destroy(world);
    }
}

TEST(curves, of_alpha_that_are_constant_are_in_the_constant_colour)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 3;
    r.alpha_over_life = rico_curve_constant(0.25f);
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 1);
    rico_view v = rico_effect_view(world, e);
    CHECK(rico_view_next(&v) && v.color == NULL && v.constant_color == 0x40ffffffu);
    rico_world_destroy(world);
}

/* --- At birth, and in forces --------------------------------------------------------------- */

TEST(curves, over_the_duration_may_be_smooth_or_cubic)
{
    static born some[4096];
    const rico_curve smooth = {
        4, {0.0f, 0.25f, 0.5f, 1.0f}, {1.0f, 3.0f, 3.5f, 0.5f}, RICO_SMOOTH, {0}, {0}};
    const rico_curve cubic = {2,          {0.0f, 1.0f}, {1.0f, 1.0f},
                              RICO_CUBIC, {0.0f, 6.0f}, {12.0f, 0.0f}};
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 997.0f;
    r.duration = 1.5f;
    r.speed = (rico_range){2.0f, 2.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.particle_size = rico_curve_constant(0.5f);
    r.speed_over_duration = smooth;
    r.size_over_duration = cubic;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 120);
    CHECK(collect_born(world, e, some, 4096) > 1400);
    for (uint32_t i = 0; i < 4096; ++i) {
        double x = (2.0 - some[i].age) / 1.5;
        if (!some[i].alive || x < 0.002 || x > 0.998)
            continue;
        CHECK_NEAR(some[i].v[2], 2.0 * slow_smooth(&smooth, x), 2.0e-3);
        CHECK_NEAR(some[i].size, 0.5 * fmax(slow_cubic(&cubic, x), 0.0), 4.0e-3);
    }
    rico_world_destroy(world);
}

/* The factor stays within 0..100. A negative factor would push the particle. */
TEST(curves, of_drag_follow_their_slopes_but_never_below_nothing)
{
    const rico_curve below = {2,          {0.0f, 1.0f},  {1.0f, 1.0f},
                              RICO_CUBIC, {0.0f, 40.0f}, {-40.0f, 0.0f}};
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 1;
    r.speed = (rico_range){10.0f, 10.0f};
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.drag = 1.0f;
    r.drag_over_life = below;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 1);
    double speed = 0.0, integral = 0.0, start = 0.0, last = 100.0;
    for (int n = 0; n < 100; ++n) {
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v) && v.count == 1);
        speed = (double)v.vz[0];
        CHECK_MSG(speed <= last * (1.0 + 1e-6), "%.9g after %.9g", speed, last);
        last = speed;
        if (n == 0)
            start = speed;
        CHECK_NEAR(speed, start * exp(-integral), 0.01);
        double x = ((double)v.age[0] + 1.0 / 120.0) / 2.0;
        integral += fmax(slow_cubic(&below, x), 0.0) / 60.0;
        run_steps(world, 1);
    }
    CHECK(speed > 5.0); /* a factor of 1 would give 3.7 */
    rico_world_destroy(world);
}

/* --- Refusals ----------------------------------------------------------------------------- */

static void refuse(const rico_recipe *r, rico_result expected, const char *message)
{
    kept_log log;
    rico_log hook = kept_log_hook(&log);
    CHECK_EQ(rico_recipe_check(r, &hook), expected);
    CHECK_MSG(strstr(log.text, message) != NULL, "'%s', not '%s'", log.text, message);
}

TEST(curves, out_of_range_are_refused_by_name)
{
    rico_recipe r = rico_recipe_default();
    r.particle_size.interpolation = (rico_interpolation)3;
    refuse(&r, RICO_OUT_OF_RANGE, "recipe.particle_size.interpolation is 3, expected 0 to 2");
    r = rico_recipe_default();
    r.color.interpolation = RICO_CUBIC;
    refuse(&r, RICO_OUT_OF_RANGE, "recipe.color.interpolation is 2, expected 0 to 1");
    r = rico_recipe_default();
    r.start_color.interpolation = (rico_interpolation)-1;
    refuse(&r, RICO_OUT_OF_RANGE, "recipe.start_color.interpolation is -1, expected 0 to 1");
    r = rico_recipe_default();
    r.drag_over_life.slope_in[0] = NAN;
    r.drag_over_life.slope_out[1] = 2.0e6f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK); /* slopes are not used */
    r.drag_over_life.interpolation = RICO_CUBIC;
    refuse(&r, RICO_NOT_FINITE, "recipe.drag_over_life.slope_in[0]");
    r.drag_over_life.slope_in[0] = 0.0f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK); /* one key only */
    r.drag_over_life.key_count = 2;
    refuse(&r, RICO_OUT_OF_RANGE,
           "recipe.drag_over_life.slope_out[1] is 2e+06, expected -1e+06 to 1e+06");
    r = rico_recipe_default();
    r.alpha_over_life = rico_curve_constant(1.5f);
    refuse(&r, RICO_OUT_OF_RANGE, "recipe.alpha_over_life.value[0] is 1.5, expected 0 to 1");
    r = rico_recipe_default();
    r.rotation_over_life = rico_curve_constant(-1001.0f);
    refuse(&r, RICO_OUT_OF_RANGE,
           "recipe.rotation_over_life.value[0] is -1001, expected -1000 to 1000");
    r.rotation_over_life.key_count = 0;
    refuse(&r, RICO_OUT_OF_RANGE, "recipe.rotation_over_life.key_count is 0");
}

/* Particles that rest on a plane. */
TEST(curves, that_change_wake_and_forget_only_where_they_move_particles)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.gravity.z = -9.81f;
    r.burst_count = 3;
    r.drag = 1.0f;
    r.alpha_over_life = r.drag_over_life = r.particle_size =
        (rico_curve){2, {0.0f, 1.0f}, {0.5f, 1.0f}, RICO_CUBIC, {0}, {0}};
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.05f));
    const rico_recipe_id id = {1, 1};
    const rico__effect *effect = &world->effects[e.index1 - 1];
    run_steps(world, 60);
    const rico__block *block = &world->blocks[effect->first_block];
    CHECK(!effect->missed_edits && rico__bit_count(block->asleep, 3) == 3);
    r.particle_size.slope_out[0] = r.alpha_over_life.slope_in[1] = 1.0f;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(!effect->missed_edits && rico__bit_count(block->asleep, 3) == 3);
    r.drag_over_life.slope_out[0] = 1.0f;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(effect->missed_edits && rico__bit_count(block->asleep, 3) == 0);
    run_steps(world, 60);
    CHECK_EQ(rico__bit_count(block->asleep, 3), 3);
    r.drag_over_life.interpolation = RICO_SMOOTH;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(effect->missed_edits && rico__bit_count(block->asleep, 3) == 0);
    run_steps(world, 60);
    r.drag_over_life.slope_out[0] = 2.0f; /* slopes are not used */
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK(!effect->missed_edits && rico__bit_count(block->asleep, 3) == 3);
    rico_world_destroy(world);
}
