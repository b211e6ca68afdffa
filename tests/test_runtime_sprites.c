/* Which pictures particles show. */
#include "runtime_written.h"

/* The picture is 0 up to a tenth of life, rises to 8 at half of it, and is 7 from 0.6 on. */
static const rico_curve pictures = {
    .key_count = 3, .at = {0.1f, 0.5f, 0.6f}, .value = {0.0f, 8.0f, 7.0f}};

static double slow_picture(double share)
{
    if (share < 0.1)
        return 0.0;
    if (share < 0.5)
        return 8.0 * (share - 0.1) / 0.4;
    return share < 0.6 ? 8.0 - (share - 0.5) / 0.1 : 7.0;
}

TEST(sprites, show_the_picture_of_their_age_turned_and_coloured_as_billboards_are)
{
    static _Alignas(64) rico_sprite sprites[MANY];
    static _Alignas(64) rico_billboard billboards[MANY];
    rico_world *world = small_world(1, false);
    rico_recipe r = flying_recipe();
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.spin = (rico_range){2.0f, 2.0f};
    r.color = rico_gradient_constant(1.0f, 0.5f, 0.0f, 0.25f);
    r.sprite_frame = pictures;
    r.start_frame = (rico_range){3.0f, 3.0f};
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    for (int n = 0; n < 5; ++n) {
        run_steps(world, 11);
        write_all(world, e, RICO_OUTPUT_SPRITES, sprites);
        write_all(world, e, RICO_OUTPUT_BILLBOARDS, billboards);
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v) && v.count == MANY && v.id == NULL);
        for (uint32_t i = 0; i < MANY; ++i) {
            const rico_sprite *s = &sprites[i];
            CHECK(memcmp(s, &billboards[i], sizeof billboards[i]) == 0);
            CHECK(fabsf(s->life - v.age[i] / 2.0f) < 1e-6f);
            CHECK_MSG(fabs((double)s->frame - 3.0 - slow_picture((double)s->life)) < 1e-4,
                      "%g at %g", (double)s->frame, (double)s->life);
        }
    }
    rico_world_destroy(world);
}

TEST(sprites, draw_the_picture_that_they_begin_with_and_keep_it)
{
    static _Alignas(64) rico_sprite first[MANY], second[MANY];
    rico_world *world = small_world(1, false);
    rico_recipe r = flying_recipe();
    r.start_frame = (rico_range){4.0f, 20.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 2);
    write_all(world, e, RICO_OUTPUT_SPRITES, first);
    run_steps(world, 9);
    write_all(world, e, RICO_OUTPUT_SPRITES, second);
    uint32_t low = 0;
    for (uint32_t i = 0; i < MANY; ++i) {
        CHECK(first[i].frame >= 4.0f && first[i].frame <= 20.0f);
        CHECK(second[i].frame == first[i].frame);
        low += first[i].frame < 12.0f;
    }
    CHECK_MSG(low > MANY / 3 && low < 2 * MANY / 3, "%u of them", low);
    r.start_frame.hi = 4.0f; /* no ids, so another layout */
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_IN_USE);
    rico_world_destroy(world);
}

/* The block's last particles take the places of dead ones, and must keep their pictures. */
TEST(sprites, keep_their_picture_when_others_die)
{
    static _Alignas(64) rico_sprite sprites[MANY];
    float frames[MANY];
    rico_world *world = small_world(1, false);
    rico_recipe r = flying_recipe();
    r.start_frame = (rico_range){4.0f, 20.0f};
    r.lifetime = (rico_range){0.1f, 2.0f};
    r.particle_ids = true;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    for (int n = 0; n < 5; ++n) {
        run_steps(world, n == 0 ? 1 : 20);
        uint32_t written = write_some(world, e, RICO_OUTPUT_SPRITES, sprites);
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v) && v.count == written && (n == 0 || written < MANY));
        for (uint32_t i = 0; i < written; ++i) {
            if (n == 0)
                frames[v.id[i]] = sprites[i].frame;
            CHECK(sprites[i].frame == frames[v.id[i]]);
        }
    }
    CHECK(rico_effect_particle_count(world, e) > 20);
    rico_world_destroy(world);
}

TEST(sprites, out_of_range_are_refused_by_name)
{
    kept_log log;
    rico_log hook = kept_log_hook(&log);
    rico_recipe r = rico_recipe_default();
    r.start_frame.lo = 1.0f;
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.start_frame.lo is 1, expected at most its hi of 0") !=
                  NULL,
              "%s", log.text);
    r.start_frame = (rico_range){0.0f, 65536.0f};
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.start_frame.hi is 65536") != NULL, "%s", log.text);
    r.start_frame = (rico_range){0.0f, 0.0f};
    r.sprite_frame = rico_curve_constant(-1.0f);
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.sprite_frame") != NULL, "%s", log.text);
}
