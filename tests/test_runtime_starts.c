/* What particles get at birth: from ranges, and from curves over the emitter's time. */
#include "runtime_births.h"
#include "runtime_refused.h"

#define MOST 8192u

static born particles[MOST];

static double curve_value(const rico_curve *c, double x)
{
    for (uint32_t i = 0; i + 1 < c->key_count; ++i)
        if (x < (double)c->at[i + 1])
            return (double)c->value[i] + ((double)c->value[i + 1] - (double)c->value[i]) *
                                             (x - (double)c->at[i]) /
                                             ((double)c->at[i + 1] - (double)c->at[i]);
    return (double)c->value[c->key_count - 1];
}

static const rico_curve up = {.key_count = 2, .at = {0, 1}, .value = {1, 3}};
static const rico_curve peak = {.key_count = 3, .at = {0, 0.5f, 1}, .value = {0.5f, 2, 1}};
static const rico_curve down = {.key_count = 2, .at = {0, 1}, .value = {4, 0}};

/* when: the time of birth since the emission began. */
static void check_factors(const born *b, double when, double duration)
{
    double x = fmod(when, duration) / duration;
    if (x < 0.002 || x > 0.998) /* rounding decides to which run it belongs */
        return;
    CHECK_NEAR(b->v[2], 2.0 * curve_value(&up, x), 2.0e-3);
    CHECK_NEAR(b->life, 100.0 * curve_value(&peak, x), 0.2);
    CHECK_NEAR(b->size, 0.5 * curve_value(&down, x), 2.0e-3);
}

TEST(starts, follow_curves_over_the_duration_at_any_step)
{
    static const float steps[] = {1.0f / 64.0f, 0.25f, 1.0f};
    for (uint32_t loops = 1; loops <= 3; loops += 2)
        for (int k = 0; k < 3; ++k) {
            rico_world *world = small_world(1, false);
            rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
            r.rate = 97.0f;
            r.delay = 0.375f;
            r.duration = 1.5f;
            r.loops = loops;
            r.speed = (rico_range){2, 2};
            r.lifetime = (rico_range){100, 100};
            r.particle_size = rico_curve_constant(0.5f);
            r.speed_over_duration = up;
            r.lifetime_over_duration = peak;
            r.size_over_duration = down;
            rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
            double now = 0.0;
            for (; now < 5.0; now += (double)steps[k])
                rico_world_step(world, steps[k]);
            uint32_t count = collect_born(world, e, particles, MOST);
            CHECK_NEAR(count, 1.5 * loops * 97.0, 1.0);
            for (uint32_t n = 0; n < count; ++n)
                check_factors(&particles[n], now - particles[n].age - 0.375, 1.5);
            rico_world_destroy(world);
        }
}

/* With and without curves over life. */
TEST(starts, draw_sizes_and_colours_for_each_particle)
{
    for (int curved = 0; curved <= 1; ++curved) {
        rico_world *world = small_world(1, false);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.rate = 2000.0f;
        r.lifetime = (rico_range){1.0f, 2.0f};
        r.start_size = (rico_range){2.0f, 4.0f};
        r.start_color = (rico_gradient){
            .key_count = 2, .at = {0, 1}, .rgba = {{1, 0, 0.2f, 1}, {0, 1, 0.2f, 1}}};
        r.particle_size = rico_curve_constant(0.5f);
        if (curved) {
            r.particle_size = (rico_curve){.key_count = 2, .at = {0, 1}, .value = {0.5f, 0}};
            r.color = (rico_gradient){
                .key_count = 2, .at = {0, 1}, .rgba = {{1, 1, 1, 1}, {1, 1, 1, 0}}};
        }
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        run_steps(world, 200);
        uint32_t alive = collect_born(world, e, particles, MOST);
        double mean = 0.0, red = 0.0, tens[10] = {0};
        for (uint32_t n = 0; n < MOST; ++n) {
            const born *b = &particles[n];
            if (!b->alive)
                continue;
            double left = curved ? 1.0 - b->age / b->life : 1.0;
            uint32_t c = b->color;
            if (left < 0.1)
                continue;
            double size = b->size / 0.5 / left;
            CHECK(size > 1.8 && size < 4.2);
            CHECK_NEAR((c & 0xff) + (c >> 8 & 0xff), 255.0, 2.0);
            CHECK_EQ(c >> 16 & 0xff, 51);
            CHECK_NEAR(c >> 24, 255.0 * left, 2.0);
            mean += size;
            red += c & 0xff;
            tens[(c & 0xff) * 10 / 256] += 1.0;
        }
        double counted = 0.0;
        for (int i = 0; i < 10; ++i)
            counted += tens[i];
        CHECK(alive > 2500 && counted > 2000.0);
        CHECK_NEAR(mean / counted, 3.0, 0.05);
        CHECK_NEAR(red / counted, 127.5, 7.0);
        for (int i = 0; i < 10; ++i)
            CHECK_NEAR(tens[i], counted / 10.0, 5.0 * sqrt(counted / 10.0));
        rico_world_destroy(world);
    }
}

TEST(starts, are_refused_out_of_range_by_their_names)
{
    static const char *const names[] = {"speed_over_duration", "lifetime_over_duration",
                                        "size_over_duration"};
    for (int i = 0; i < 3; ++i) {
        rico_recipe r = rico_recipe_default();
        rico_curve *curve = i == 0   ? &r.speed_over_duration
                            : i == 1 ? &r.lifetime_over_duration
                                     : &r.size_over_duration;
        *curve = up;
        refuse(&r, names[i], RICO_OUT_OF_RANGE); /* without a duration */
        r.duration = 1.0f;
        curve->value[1] = -1.0f;
        refuse(&r, names[i], RICO_OUT_OF_RANGE);
        curve->value[1] = NAN;
        refuse(&r, names[i], RICO_NOT_FINITE);
        curve->key_count = 9;
        refuse(&r, names[i], RICO_OUT_OF_RANGE);
    }
    rico_recipe r = rico_recipe_default();
    r.start_size.lo = 2.0f;
    refuse(&r, "start_size", RICO_OUT_OF_RANGE);
    r.start_size.hi = INFINITY;
    refuse(&r, "start_size.hi", RICO_NOT_FINITE);
    r = rico_recipe_default();
    r.start_color.rgba[0][1] = 1.5f;
    refuse(&r, "start_color.rgba", RICO_OUT_OF_RANGE);
    r.start_color.key_count = 0;
    refuse(&r, "start_color.key_count", RICO_OUT_OF_RANGE);
}
