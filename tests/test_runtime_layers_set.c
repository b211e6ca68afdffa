/* Changing layers of colliders with rico_world_set_layers. */
#include "runtime_layers.h"

/* A collider of each kind over a floor, its upper side at 1 m. */
typedef enum kind { STANDS, OWN_MESH, MOVES, MERGED, ENDLESS, KINDS } kind;

static rico_collider_id place_kind(rico_world *world, kind which)
{
    static const float corners[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    if (which == OWN_MESH || which == MERGED) {
        rico_collider_id id = rico_world_add_mesh(world, &mesh, at(0.0f, 0.0f, 1.0f));
        if (which == MERGED)
            CHECK_EQ(rico_world_merge(world), RICO_OK);
        return id;
    }
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id shape;
    def.kind = which == ENDLESS ? RICO_SHAPE_PLANE : RICO_SHAPE_BOX;
    def.half_size = (rico_vec3){2.0f, 2.0f, 0.05f};
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &shape), RICO_OK);
    rico_collider_id id =
        place_layer(world, shape, at(0.0f, 0.0f, which == ENDLESS ? 1.0f : 0.95f), WATER);
    if (which == MOVES)
        move_to(world, id, at(0.0f, 0.0f, 0.95f));
    return id;
}

static void set(rico_world *world, rico_collider_id id, uint32_t layers)
{
    CHECK_EQ(rico_world_set_layers(world, id, layers), RICO_OK);
}

TEST(layers, of_a_collider_change_for_who_rests_on_it_and_for_nobody_else)
{
    for (int m = 0; m < 2; ++m)
        for (int k = 0; k < KINDS; ++k) {
            rico_world *world = bare_world(1);
            rico_collider_id id = place_kind(world, (kind)k);
            rico_recipe r = grains(modes[m], LEAVES);
            rico_effect_id through = rain(world, &r, 2.0f);
            r.ignored_layers = 0;
            rico_effect_id on = rain(world, &r, 2.0f);
            run(world, 300);
            CHECK_EQ(count_above(world, through, 0.99f), 200);
            CHECK_EQ(rico_world_get_stats(world).sleeping, 400);
            set(world, id, WATER | LEAVES);
            run(world, 1);
            if (k != ENDLESS) /* which is an edit of everything */
                CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
            run(world, 300);
            CHECK_EQ(count_above(world, through, 0.1f), 0);
            CHECK_EQ(count_above(world, through, -0.01f), 200);
            CHECK_EQ(count_above(world, on, 0.99f), 200);
            CHECK_EQ(rico_world_get_stats(world).sleeping, 400);
            set(world, id, WATER | LEAVES); /* no change, so no effect learns of it */
            CHECK(world->edits.list.count == 0 && !world->edits.all);
            rico_world_destroy(world);
        }
}

/* Other recipes must not look at their paths again, although a hundred of their paths lead
 * there. */
TEST(layers, of_a_collider_are_no_news_to_who_ignores_as_much_of_it_as_before)
{
    static const uint32_t ignored[] = {0, LEAVES, WATER, LEAVES | WATER};
    for (int n = 0; n < 4; ++n) {
        uint32_t lookups[2];
        for (int sets = 0; sets < 2; ++sets) {
            rico_world *world = bare_world(1);
            rico_collider_id id = place_kind(world, STANDS);
            rico_recipe r = grains(RICO_COLLIDE_CACHED, ignored[n]);
            rain(world, &r, 3.0f);
            CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
            run(world, 10);
            if (sets)
                set(world, id, WATER | LEAVES);
            run(world, 1);
            lookups[sets] = rico_world_get_stats(world).lookups;
            rico_world_destroy(world);
        }
        CHECK_EQ(lookups[1] > lookups[0] + 100, ignored[n] == LEAVES);
        CHECK_EQ(lookups[1] == lookups[0], ignored[n] != LEAVES);
    }
}

/* The layers are switched while drops fall. What counts is the layers when they arrive. */
TEST(layers, of_a_collider_change_for_who_is_on_the_way_to_it)
{
    for (int m = 0; m < 2; ++m)
        for (int k = 0; k < KINDS; ++k)
            for (int on = 0; on < 2; ++on) {
                rico_world *world = bare_world(1);
                rico_collider_id id = place_kind(world, (kind)k);
                rico_recipe r = grains(modes[m], LEAVES);
                r.queries_per_frame = 100.0f;
                set(world, id, on ? LEAVES : WATER);
                rico_effect_id e = rain(world, &r, 3.0f);
                CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
                run(world, 30); /* of 35 or more; what they will meet is known */
                set(world, id, on ? WATER : LEAVES);
                run(world, 300);
                CHECK_EQ(count_above(world, e, 0.99f), on ? 200 : 0);
                CHECK_EQ(count_above(world, e, -0.01f), 200);
                rico_world_destroy(world);
            }
}

/* A collider must keep its layers while it moves, and after it stands still again. */
TEST(layers, of_a_collider_stay_with_it)
{
    for (int m = 0; m < 2; ++m)
        for (int before = 0; before < 2; ++before) {
            rico_world *world = bare_world(1);
            rico_collider_id id = place_kind(world, STANDS);
            rico_recipe r = grains(modes[m], LEAVES);
            if (before)
                set(world, id, LEAVES);
            for (int k = 0; k < 20; ++k) {
                move_to(world, id, at(0.0f, 0.0f, 0.95f + 0.01f * (float)k));
                rico_world_step(world, DT);
            }
            if (!before)
                set(world, id, LEAVES);
            for (int still = 0; still < 2; ++still) {
                rico_effect_id e = rain(world, &r, 2.0f);
                run(world, 120);
                CHECK_EQ(count_above(world, e, 0.1f), 0);
            }
            r.ignored_layers = 0;
            rico_effect_id e = rain(world, &r, 2.0f);
            run(world, 120);
            CHECK_EQ(count_above(world, e, 0.99f), 200);
            CHECK_EQ(rico_scene_collider_layers(rico_world_scene(world), id),
                     LEAVES | RICO_LAYER_DEFAULT);
            rico_world_destroy(world);
        }
}

/* The world's own layers stay, whatever is asked for. */
TEST(layers, of_the_world_are_not_set)
{
    static const uint32_t asked[] = {0, LEAVES, 0xffffffffu, RICO_LAYER_MOVING,
                                     RICO_LAYER_DEFAULT};
    for (int k = 0; k < KINDS; ++k) {
        rico_world *world = bare_world(1);
        rico_collider_id id = place_kind(world, (kind)k);
        const uint32_t owned = RICO_LAYER_DEFAULT | RICO_LAYER_MOVING;
        const uint32_t has = rico_scene_collider_layers(rico_world_scene(world), id) & owned;
        CHECK_EQ(has, k == MOVES || k == ENDLESS ? RICO_LAYER_MOVING : RICO_LAYER_DEFAULT);
        for (int i = 0; i < 5; ++i) {
            set(world, id, asked[i]);
            CHECK_EQ(rico_scene_collider_layers(rico_world_scene(world), id),
                     (asked[i] & ~owned) | has);
        }
        CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
        CHECK_EQ(rico_world_set_layers(world, id, LEAVES), RICO_STALE_ID);
        CHECK_EQ(rico_world_last_result(world), RICO_STALE_ID);
        rico_world_destroy(world);
    }
}
