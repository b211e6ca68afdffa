/* While one effect is run by itself (prewarm or seek), nothing else in the world advances. */
#include "runtime_births.h"
#include "runtime_movers.h"

/* Recipe of mode none for an effect far away. warm: the effect is prewarmed, so spawning runs
 * it by itself. */
static rico_recipe_id far_recipe(rico_world *world, bool warm)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.duration = 0.1f;
    r.lifetime = (rico_range){0.1f, 0.1f};
    r.prewarm = warm ? 0.55f : 0.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK(id.index1 != 0);
    return id;
}

static rico_effect_id hang_grains(rico_world *world, rico_collision_mode mode)
{
    rico_recipe r = still_recipe(mode);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 1.0f};
    r.burst_count = 200;
    r.queries_per_frame = 1000.0f;
    r.restitution = 0.5f;
    return begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
}

/* A wall moves 0.3 m in each step, and between move and step another effect is prewarmed (in
 * the second round: seeks). The wall must still sweep all grains before it: running one effect
 * must not use up the wall's motion. */
TEST(alone, lets_all_others_see_the_way_of_a_wall_at_any_speed)
{
    for (int m = 0; m < 2; ++m)
        for (int seeks = 0; seeks < 2; ++seeks) {
            rico_world *world = bare_world(1);
            rico_collider_id wall = add_box(world, 0.05f, 3.0f, 3.0f, at(-3.0f, 0.0f, 0.0f));
            rico_effect_id e = hang_grains(world, modes[m]);
            rico_recipe_id warm = far_recipe(world, true);
            rico_effect_id other = drop_grains(world, modes[m], 10, 0.1f, at(0, 0, 50));
            run_steps(world, 3);
            float x = -3.0f;
            for (int n = 0; n < 20; ++n) {
                x += 0.3f;
                move_to(world, wall, at(x, 0.0f, 0.0f));
                if (seeks)
                    CHECK_EQ(rico_effect_seek(world, other, 0.1f, DT), RICO_OK);
                else
                    CHECK(rico_effect_spawn(world, warm, at(0, 0, 500)).index1 != 0);
                rico_world_step(world, DT);
            }
            x -= 0.06f;
            CHECK_EQ(count_grains(world, e, is_beyond, &x), 200);
            rico_world_destroy(world);
        }
}

TEST(alone, leaves_what_moves_with_its_way_and_its_patience)
{
    rico_world *world = bare_world(1);
    rico_collider_id body = add_box(world, 0.5f, 0.5f, 0.5f, at(0.0f, 0.0f, 0.0f));
    rico_recipe_id warm = far_recipe(world, true);
    run_steps(world, 2);
    move_to(world, body, at(1.0f, 0.0f, 0.0f));
    run_steps(world, 3);
    move_to(world, body, turned(2.0f, 0.0f, 0.0f, 0.5f));
    const rico__mover before = world->movers.items[0];
    const uint32_t version = world->edits.version, count = world->edits.list.count;
    for (int n = 0; n < 3; ++n)
        CHECK(rico_effect_spawn(world, warm, at(0, 0, 500)).index1 != 0);
    const rico__mover *after = &world->movers.items[0];
    CHECK_EQ(world->movers.count, 1);
    CHECK(memcmp(&before.from, &after->from, sizeof before.from) == 0);
    CHECK(memcmp(&before.to, &after->to, sizeof before.to) == 0);
    CHECK(memcmp(&before.box, &after->box, sizeof before.box) == 0);
    CHECK(memcmp(&before.from_box, &after->from_box, sizeof before.box) == 0);
    CHECK_EQ(after->still_steps, before.still_steps);
    CHECK_EQ(world->edits.version, version);
    CHECK_EQ(world->edits.list.count, count);
    rico_world_destroy(world);
}

/* A prewarmed effect flies at a wall that is to move from 2 m to 1 m. It must be stopped where
 * the wall starts. If the wall stood at its end already, the grains would stop half way. */
TEST(alone, meets_what_moves_where_it_starts_from)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id wall = add_box(world, 0.1f, 9.0f, 9.0f, at(2.0f, 0.0f, 0.0f));
        rico_recipe r = still_recipe(modes[m]);
        r.burst_count = 10;
        r.speed = (rico_range){4.0f, 4.0f};
        r.on_collision = RICO_ON_COLLISION_STOP;
        r.prewarm = 2.0f;
        r.queries_per_frame = 100.0f;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        run_steps(world, 2);
        move_to(world, wall, at(2.001f, 0.0f, 0.0f)); /* counts as moving from now on */
        rico_world_step(world, DT);
        move_to(world, wall, at(1.0f, 0.0f, 0.0f));
        rico_transform t = at(0.0f, 0.0f, 0.0f);
        t.rotation = (rico_quat){0.0f, sqrtf(0.5f), 0.0f, sqrtf(0.5f)}; /* turns +z to +x */
        rico_effect_id e = rico_effect_spawn(world, id, t);
        float x = 1.85f;
        CHECK_EQ(count_grains(world, e, is_beyond, &x), 10);
        x = 1.91f;
        CHECK_EQ(count_grains(world, e, is_beyond, &x), 0);
        rico_world_destroy(world);
    }
}

/* --- All that waits for the world's next step -------------------------------------------- */

#define MOST 2048u

static born without[MOST], with[MOST];

typedef struct scene {
    rico_world *world;
    rico_effect_id effects[4];
    rico_collider_id floor, wall;
    rico_field_id field;
    rico_recipe_id far;
} scene;

static rico_field_id add_gusts(rico_world *world)
{
    rico_field_def def = rico_field_def_default();
    def.force.kind = RICO_FORCE_TURBULENCE;
    def.force.strength = 20.0f;
    def.force.scale = 0.7f;
    def.force.scroll = (rico_vec3){3.0f, 1.0f, 0.0f};
    def.size = (rico_vec3){5.0f, 5.0f, 5.0f};
    return rico_world_add_field(world, &def);
}

/* Four effects over a floor, with a wall moving at them. Their modes are none (with gusts),
 * fixed (hidden, and so run slowly), exact and cached. */
static void begin_scene(scene *s, bool warm)
{
    static const rico_collision_mode all[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_FIXED,
                                              RICO_COLLIDE_EXACT, RICO_COLLIDE_CACHED};
    s->world = bare_world(1);
    s->floor = add_box(s->world, 5.0f, 5.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    s->wall = add_box(s->world, 0.05f, 5.0f, 5.0f, at(-4.0f, 0.0f, 0.0f));
    s->field = add_gusts(s->world);
    const rico_vec3 viewer = {0.0f, 0.0f, 100.0f};
    CHECK_EQ(rico_world_set_viewers(s->world, &viewer, 1), RICO_OK);
    for (int k = 0; k < 4; ++k) {
        rico_recipe r = rico_recipe_default();
        r.mode = all[k];
        r.rate = 60.0f;
        r.rate_per_metre = 20.0f;
        r.lifetime = (rico_range){2.0f, 4.0f};
        r.particle_ids = true;
        r.queries_per_frame = 100.0f;
        r.field_layers = k == 0;
        r.plane_count = k == 1;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
        r.hidden = k == 1 ? RICO_HIDDEN_RUNS_SLOWLY : RICO_HIDDEN_RUNS;
        r.cull_distance = k == 1 ? 10.0f : 0.0f;
        s->effects[k] = begin_effect(s->world, &r, at(0.5f * (float)k, 0.0f, 0.5f));
    }
    s->far = far_recipe(s->world, warm);
}

/* Makes all kinds of edits, then spawns the far effect. It exists in both scenes but is
 * prewarmed only in one. */
static void edit_scene(scene *s, int n)
{
    move_to(s->world, s->wall, at(-4.0f + 0.1f * (float)n, 0.0f, 0.0f));
    if (n == 40)
        CHECK_EQ(rico_world_remove_collider(s->world, s->floor), RICO_OK);
    if (n == 50) {
        rico_transform t = at(0.5f, 0.0f, 0.0f);
        CHECK_EQ(rico_world_move_field(s->world, s->field, t), RICO_OK);
    }
    for (int k = 0; k < 4; ++k)
        CHECK_EQ(rico_effect_move(s->world, s->effects[k],
                                  at(0.5f * (float)k + 0.2f * sinf((float)n), 0.0f, 0.5f)),
                 RICO_OK);
    CHECK(rico_effect_spawn(s->world, s->far, at(0.0f, 0.0f, 500.0f)).index1 != 0);
}

static void check_same(const scene *a, const scene *b)
{
    for (int k = 0; k < 4; ++k) {
        uint32_t count = collect_born(a->world, a->effects[k], without, MOST);
        CHECK_EQ(collect_born(b->world, b->effects[k], with, MOST), count);
        for (uint32_t i = 0; i < MOST; ++i) {
            CHECK_EQ(without[i].alive, with[i].alive);
            for (int j = 0; without[i].alive && j < 3; ++j)
                CHECK_MSG(without[i].p[j] == with[i].p[j] && without[i].v[j] == with[i].v[j],
                          "effect %d, particle %u", k, i);
        }
    }
}

TEST(alone, leaves_all_that_waits_for_the_world_s_next_step_as_it_was)
{
    scene a, b;
    begin_scene(&a, false);
    begin_scene(&b, true);
    for (int n = 0; n < 90; ++n) {
        edit_scene(&a, n);
        edit_scene(&b, n);
        rico_world_step(a.world, DT);
        rico_world_step(b.world, DT);
        check_same(&a, &b);
    }
    rico_world_destroy(a.world);
    rico_world_destroy(b.world);
}

/* The first effect is stopped and has no particles, so the next step would end it. Running
 * another effect by itself must not end it: it can still emit. */
TEST(alone, ends_no_other_effect)
{
    rico_world *world = bare_world(1);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_recipe_id warm = far_recipe(world, true);
    CHECK_EQ(rico_effect_stop(world, e), RICO_OK);
    CHECK(rico_effect_spawn(world, warm, at(0, 0, 0)).index1 != 0);
    CHECK(rico_effect_is_alive(world, e));
    CHECK_EQ(rico_effect_emit(world, e, 3), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, e), 3);
    rico_world_destroy(world);
}
