/* Tints of effects. test_runtime_output.c tests them in outputs. */
#include "runtime_births.h"
#include "runtime_refused.h"
#include "state.h"

#include <string.h>

TEST(tint, kernels_multiply_bytes_to_the_nearest)
{
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        uint32_t wrong = 0;
        for (uint32_t t = 0; k != NULL && t < 256; ++t) {
            uint32_t colors[64], to[64];
            for (uint32_t i = 0; i < 64; ++i)
                colors[i] = 4 * i | (4 * i + 1) << 8 | (4 * i + 2) << 16 | (4 * i + 3) << 24;
            k->tint(colors, 64, t * 0x01010101u, to);
            for (uint32_t c = 0; c < 256; ++c)
                wrong += (to[c / 4] >> c % 4 * 8 & 255u) != (2 * c * t + 255) / 510;
            k->tint(colors, 64, t << 16 | 255u << 8, to); /* each channel has its own factor */
            for (uint32_t i = 0; i < 64; ++i)
                wrong +=
                    to[i] != (((2 * (4 * i + 2) * t + 255) / 510) << 16 | (4 * i + 1) << 8);
        }
        CHECK_MSG(wrong == 0, "isa %d: %u", isa, wrong);
    }
}

/* Whether the effect's tint is exactly t, which is in 255ths. */
static bool is_tint(const rico_world *world, rico_effect_id e, rico_color t)
{
    rico_effect_info info;
    rico_view v = rico_effect_view(world, e);
    const uint32_t packed =
        (uint32_t)lroundf(t.r * 255.0f) | (uint32_t)lroundf(t.g * 255.0f) << 8 |
        (uint32_t)lroundf(t.b * 255.0f) << 16 | (uint32_t)lroundf(t.a * 255.0f) << 24;
    return rico_effect_get(world, e, &info) && v.tint == packed && info.tint.r == t.r &&
           info.tint.g == t.g && info.tint.b == t.b && info.tint.a == t.a;
}

TEST(tint, is_kept_as_bytes_and_changes_nothing_else)
{
    const rico_color white = {1, 1, 1, 1}, some = {0.0f, 102.0f / 255.0f, 1.0f, 0.2f};
    rico_world *plain = small_world(1, false), *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 100.0f;
    rico_world_add_recipe(plain, &r);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    rico_effect_spawn_def(plain, recipe, &def);
    CHECK(is_tint(world, rico_effect_spawn_def(world, recipe, &def), white));
    def.tint = some;
    rico_effect_spawn_def(plain, recipe, &def);
    rico_effect_id e = rico_effect_spawn_def(world, recipe, &def);
    CHECK(is_tint(world, e, some));
    for (int i = 0; i < 30; ++i) {
        const rico_color next = {1.0f, (float)i / 255.0f, 0.0f, 1.0f};
        CHECK_EQ(rico_effect_set_tint(world, e, next), RICO_OK);
        CHECK(is_tint(world, e, next));
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_step(plain, 1.0f / 60.0f);
        CHECK_EQ(rico_world_hash(world), rico_world_hash(plain));
    }
    const rico_color close = {0.499f, 0.501f, 0.0019f, 0.002f}; /* near halves of a 255th */
    CHECK_EQ(rico_effect_set_tint(world, e, close), RICO_OK);
    CHECK(
        is_tint(world, e, (rico_color){127.0f / 255.0f, 128.0f / 255.0f, 0.0f, 1.0f / 255.0f}));
    CHECK_EQ(rico_effect_set_tint(world, e, some), RICO_OK);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.1f), RICO_OK);
    CHECK(is_tint(world, e, some));
    r.duration = 4.0f;
    r.color.rgba[0][0] = 0.5f;
    CHECK_EQ(rico_world_change_recipe(world, recipe, &r), RICO_OK);
    rico_world_step(world, 1.0f / 60.0f);
    CHECK(is_tint(world, e, some));
    rico_world_destroy(world);
    rico_world_destroy(plain);
}

TEST(tint, that_is_none_is_refused_and_leaves_the_old_one)
{
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, recipe, at(0, 0, 0));
    CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){1, 0, 1, 1}), RICO_OK);
    CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){0, 0, 1.5f, 1}), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "rico_effect_set_tint: tint.b is 1.5, expected 0 to 1") != NULL,
              "%s", log.text);
    CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){0, 0, 0, NAN}), RICO_NOT_FINITE);
    CHECK_EQ(rico_effect_set_tint(world, (rico_effect_id){0}, (rico_color){0}), RICO_STALE_ID);
    CHECK(is_tint(world, e, (rico_color){1, 0, 1, 1}));
    rico_effect_def def = rico_effect_def_default();
    def.tint.r = -0.1f;
    CHECK_EQ(rico_effect_spawn_def(world, recipe, &def).index1, 0);
    CHECK_MSG(strstr(log.text, "def.tint.r is -0.1, expected 0 to 1") != NULL, "%s", log.text);
    rico_world_destroy(world);
}
