/* Bounds of effects, as the host's hook and single calls report them. */
#include "runtime_births.h"

#include <ricochet/world_detail.h>

#define DT (1.0f / 60.0f)
#define MANY 5

typedef struct seen {
    rico_detail of[MANY];
    uint32_t count;
} seen;

static void look(void *user, rico_detail *effects, uint32_t count)
{
    seen *s = user;
    s->count = count;
    for (uint32_t n = 0; n < count && n < MANY; ++n) {
        s->of[n] = effects[n];
        effects[n].hidden = n == 4;
    }
}

/* Computes the bounds from what views show. */
static bool slow_bounds(const rico_world *world, rico_effect_id e, float lo[3], float hi[3])
{
    float most = 0.0f;
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    for (int k = 0; k < 3; ++k) {
        lo[k] = 3.0e38f;
        hi[k] = -3.0e38f;
    }
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count) {
            const float p[3] = {v.px[i], v.py[i], v.pz[i]};
            most = fmaxf(most, v.size != NULL ? v.size[i] : v.constant_size);
            for (int k = 0; k < 3; ++k) {
                lo[k] = fminf(lo[k], p[k]);
                hi[k] = fmaxf(hi[k], p[k]);
            }
        }
    for (int k = 0; k < 3; ++k) {
        lo[k] -= most;
        hi[k] += most;
    }
    return count > 0;
}

/* Five effects: one without particles yet, one of one block, one of many blocks with random
 * sizes, one in local space that is moved, and one that is frozen. */
static void spawn_five(rico_world *world, rico_effect_id e[MANY])
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.hidden = RICO_HIDDEN_FREEZES;
    for (int n = 0; n < MANY; ++n) {
        r.delay = n == 0 ? 0.7f : 0.0f;
        r.rate = n == 2 ? 900.0f : 20.0f;
        r.space = n == 3 ? RICO_SPACE_LOCAL : RICO_SPACE_WORLD;
        r.start_size = n == 2 ? (rico_range){0.5f, 9.0f} : (rico_range){1.0f, 1.0f};
        e[n] = begin_effect(world, &r, at(3.0f * (float)n, -1.0f, 2.0f));
    }
}

TEST(detail, tells_the_host_where_all_particles_are)
{
    rico_world *world = small_world(3, false);
    rico_effect_id e[MANY];
    seen s;
    spawn_five(world, e);
    run_steps(world, 10);
    CHECK_EQ(rico_world_set_detail_hook(world, &(rico_detail_hook){look, &s}), RICO_OK);
    uint32_t known = 0;
    for (int n = 0; n < 60; ++n) {
        float lo[MANY][3], hi[MANY][3];
        bool any[MANY];
        if (n % 20 == 19)
            CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
        for (int k = 0; k < MANY; ++k)
            any[k] = slow_bounds(world, e[k], lo[k], hi[k]);
        rico_effect_move(world, e[3], at((float)n, 0.0f, 0.0f));
        run_steps(world, 1);
        CHECK_EQ(s.count, MANY);
        for (int k = 0; k < MANY; ++k) {
            const float *l = &s.of[k].bounds.lo.x, *h = &s.of[k].bounds.hi.x;
            known += any[k];
            for (int a = 0; a < 3; ++a)
                CHECK_MSG(any[k] ? l[a] == lo[k][a] && h[a] == hi[k][a] : l[a] > h[a],
                          "step %d effect %d axis %d: %g to %g", n, k, a, (double)l[a],
                          (double)h[a]);
        }
    }
    CHECK(known > 4 * 60 && known < MANY * 60);
    rico_world_destroy(world);
}

/* The call must report the bounds of the last step, with the same bits as outputs do. */
TEST(detail, knows_the_bounds_of_one_effect_in_the_bits_that_outputs_say)
{
    static _Alignas(64) rico_billboard memory[16384];
    rico_world *world = small_world(3, false);
    rico_effect_id e[MANY];
    rico_output *output;
    spawn_five(world, e);
    rico_output_def def = rico_output_def_default();
    def.capacity = 16384;
    def.memory[0] = def.memory[1] = memory;
    CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
    uint32_t known = 0, empty = 0;
    for (int n = 0; n < 60; ++n) {
        rico_output_frame frame;
        rico_effect_move(world, e[3], at((float)n, 0.0f, 0.0f));
        run_steps(world, 1);
        if (n == 50)
            CHECK_EQ(rico_effect_destroy(world, e[2]), RICO_OK);
        if (n == 30)
            CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
        CHECK_EQ(rico_output_write(output, e, MANY, NULL, &frame), RICO_OK);
        for (int k = 0; k < MANY; ++k) {
            float lo[3], hi[3];
            rico_box box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
            const bool any = slow_bounds(world, e[k], lo, hi);
            CHECK_EQ(rico_effect_bounds(world, e[k], &box), any);
            CHECK(memcmp(&box, &frame.parts[k].bounds, sizeof box) == 0);
            for (int a = 0; a < 3; ++a)
                CHECK(any ? (&box.lo.x)[a] == lo[a] && (&box.hi.x)[a] == hi[a]
                          : (&box.lo.x)[a] > (&box.hi.x)[a]);
            known += any;
            empty += !any;
        }
    }
    rico_box box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    CHECK(!rico_effect_bounds(world, (rico_effect_id){0}, &box) && box.lo.x > box.hi.x);
    CHECK(known > 4 * 50 && empty > 40);
    rico_output_destroy(output);
    rico_world_destroy(world);
}
