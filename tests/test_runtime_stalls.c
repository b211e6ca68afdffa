/* Steps that are far longer than those before. */
#include "runtime_movers.h"
#include "runtime_pace.h"

#include "simulate.h"

#include <ricochet/world_detail.h>

/* Only particles whose path ends within a stall may look again in it; none does so after it. */
TEST(stalls, take_no_more_than_the_steps_that_they_are_as_long_as)
{
    rico_effect_id effects[EFFECTS];
    rico_world *world = spark_world(1, effects);
    uint64_t usual = 0, in_it = 0, after = 0;
    for (uint32_t i = 0; i < 360; ++i) {
        rico_world_step(world, stalls(i));
        const uint32_t lookups = rico_world_get_stats(world).lookups;
        if (i < 120)
            continue;
        in_it += i % 60 == 30 ? lookups : 0;
        after += i % 60 == 31 ? lookups : 0;
        usual += i % 60 < 30 ? lookups : 0;
    }
    const uint64_t steps = 4 * 30;
    CHECK_MSG(in_it < usual * 4 * 12 * 3 / steps && after < usual * 4 * 2 / steps,
              "%llu look-ups in four stalls, %llu after them, %llu in %llu steps",
              (unsigned long long)in_it, (unsigned long long)after, (unsigned long long)usual,
              (unsigned long long)steps);
    rico_world_destroy(world);
}

/* Returns the height of the effect's highest particle, or `before` if that is higher. */
static float highest_of(const rico_world *world, rico_effect_id effect, float before)
{
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            before = fmaxf(before, v.pz[i]);
    return before;
}

/* Particles are thrown up in a step of that length. Returns how high they get. */
static float height_of_who_is_born_in(float length, rico_collision_mode mode, bool many)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = many ? 40 : 1;
    r.spread = 0.0f;
    r.speed = (rico_range){7.0f, 7.0f};
    r.lifetime = (rico_range){9.0f, 9.0f};
    r.delay = 0.05f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    float highest = 0.0f;
    for (int i = 0; i < 30; ++i)
        rico_world_step(world, DT);
    rico_effect_id effect = rico_effect_spawn(world, id, at(4.0f, 4.0f, 2.0f));
    rico_world_step(world, 0.6f * DT);
    rico_world_step(world, length);
    for (int i = 0; i < 50; ++i) {
        highest = highest_of(world, effect, highest);
        rico_world_step(world, DT);
    }
    rico_world_destroy(world);
    return highest - 2.0f;
}

TEST(stalls, make_nobody_fly_less_high_who_is_born_in_them)
{
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode)
        for (int many = 0; many < 2; ++many) {
            const float usual = height_of_who_is_born_in(4.0f * DT, mode, many);
            const float stall = height_of_who_is_born_in(0.2f, mode, many);
            CHECK_MSG(usual > 2.3f && fabsf(stall - usual) < 0.03f, "mode %d: %g m, not %g",
                      mode, (double)stall, (double)usual);
        }
}

/* Particles that lie awake on the ground must not get a velocity of half a long step before. */
TEST(stalls, make_nobody_hop)
{
    static const rico_collision_mode all[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                              RICO_COLLIDE_EXACT};
    for (int k = 0; k < 3; ++k) {
        rico_world *world = small_world(1, false);
        add_box(world, 9.0f, 9.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
        rico_recipe r = rico_recipe_default();
        r.mode = all[k];
        r.plane_count = k == 0;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
        r.rate = 0.0f;
        r.burst_count = r.max_particles = 40;
        r.speed = (rico_range){0.0f, 0.4f};
        r.spread = 3.1f;
        r.lifetime = (rico_range){9.0f, 9.0f};
        r.restitution = 0.8f;
        r.friction = 0.0f;
        r.rest_speed = 0.0f;
        rico_effect_id effect = begin_effect(world, &r, at(0.0f, 0.0f, 0.05f));
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        float highest = 0.0f;
        for (uint32_t i = 0; i < 400; ++i) {
            rico_world_step(world, i < 200 ? DT : stalls(i));
            if (i > 200)
                highest = highest_of(world, effect, highest);
        }
        highest -= r.radius;
        CHECK_MSG(highest < 0.002f, "mode %d: %g m", all[k], (double)highest);
        rico_world_destroy(world);
    }
}

/* A very long first step, as after loading a level, must not set the step length of paths; nor
 * with drag, nor with forces. */
TEST(stalls, tell_nothing_of_the_steps_of_who_begins_in_them)
{
    for (int k = 0; k < 3; ++k) {
        rico_world *world = small_world(1, true);
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_CACHED;
        r.drag = k == 1 ? 4.0f : 0.0f;
        r.forces[0].kind = k == 2 ? RICO_FORCE_DIRECTION : RICO_FORCE_NONE;
        r.forces[0].strength = 3.0f;
        rico_effect_id id = begin_effect(world, &r, at(0.0f, 0.0f, 2.0f));
        const rico__effect *effect = &world->effects[id.index1 - 1];
        for (uint32_t i = 0; i < 5; ++i)
            rico_world_step(world, i == 0 ? 0.8f : DT * (1.0f + 0.01f * (float)i));
        CHECK_MSG(effect->path_dt < 1.2f * DT, "case %d: paths go by steps of %g s", k,
                  (double)effect->path_dt);
        rico_world_destroy(world);
    }
}

static void drag_of_kind(rico_recipe *r, int kind)
{
    r->drag = kind == 0 ? 8.0f : kind == 1 ? 0.2f : 0.0f;
    r->forces[0].kind = kind == 2 ? RICO_FORCE_DRAG : RICO_FORCE_NONE;
    r->forces[0].strength = 8.0f;
}

/* Two or three long steps in a row, as after loading a level with a host that cuts longer ones,
 * or while files are written. */
TEST(stalls, that_come_in_twos_and_threes_say_nothing_of_the_steps_to_come)
{
    for (int kind = 0; kind < 3; ++kind)
        for (uint32_t first = 0; first < 300; first += 200)
            for (uint32_t count = 2; count < 4; ++count) {
                rico_world *world = small_world(1, true);
                rico_recipe r = rico_recipe_default();
                r.mode = RICO_COLLIDE_CACHED;
                drag_of_kind(&r, kind);
                rico_effect_id id = begin_effect(world, &r, at(0.0f, 0.0f, 2.0f));
                const rico__effect *effect = &world->effects[id.index1 - 1];
                for (uint32_t i = 0; i < first + count + 20; ++i)
                    rico_world_step(world, i >= first && i < first + count ? 0.25f : DT);
                CHECK_MSG(effect->path_dt < 1.2f * DT,
                          "kind %d, %u from step %u on: paths go by steps of %g s", kind, count,
                          first, (double)effect->path_dt);
                rico_world_destroy(world);
            }
}

/* Pushed particles look again in and after two stalls, but not for minutes. */
TEST(stalls, that_come_in_twos_are_over_when_they_are)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 200.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.queries_per_frame = 1000.0f;
    r.drag = 3.0f;
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = 15.0f;
    r.forces[0].scale = 0.7f;
    begin_effect(world, &r, at(4.0f, 4.0f, 1.5f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t before = 0, after = 0;
    for (uint32_t i = 0; i < 360; ++i) {
        rico_world_step(world, i == 240 || i == 241 ? 0.2f : DT);
        const uint32_t lookups = rico_world_get_stats(world).lookups;
        before += i >= 180 && i < 240 ? lookups : 0;
        after += i >= 300 ? lookups : 0;
    }
    CHECK(before > 1000);
    CHECK_MSG(after < before * 3 / 2, "%u look-ups a second later, not %u", after, before);
    rico_world_destroy(world);
}

/* Particles are born in one of the stalls, or look in it or right after it. Drag leads steps of
 * another length elsewhere, but none may get below the ground. */
TEST(stalls, that_come_one_after_the_other_send_nobody_through_the_ground)
{
    for (int form = 0; form < 2; ++form) {
        rico_world *world = small_world(1, true);
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_CACHED;
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){4.0f, 4.0f, 0.3f};
        r.rate = 400.0f;
        r.lifetime = (rico_range){2.0f, 3.0f};
        r.max_particles = 1000;
        r.spread = 3.1f;
        r.speed = (rico_range){0.0f, 3.0f};
        r.queries_per_frame = 1000.0f;
        r.drag = form == 0 ? 2.0f : 3.0f;
        if (form == 1)
            r.drag_over_life = (rico_curve){.key_count = 2,
                                            .at = {0.0f, 1.0f},
                                            .value = {0.3f, 2.0f},
                                            .interpolation = RICO_LINEAR};
        rico_effect_id id = begin_effect(world, &r, at(0.0f, 0.0f, 2.5f));
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        uint32_t total = 0, below = 0;
        for (uint32_t i = 0; i < 900; ++i) {
            rico_world_step(world, i % 90 >= 45 && i % 90 < 50 ? 0.3f : DT);
            rico_view v = rico_effect_view(world, id);
            while (rico_view_next(&v))
                for (uint32_t k = 0; k < v.count; ++k) {
                    total += 1;
                    below += fabsf(v.px[k]) < 9.5f && fabsf(v.py[k]) < 9.5f &&
                             v.pz[k] < terrain_height(v.px[k], v.py[k]) - 0.1f;
                }
        }
        CHECK(total > 100000);
        CHECK_MSG(below == 0, "form %d: %u of %u are below", form, below, total);
        rico_world_destroy(world);
    }
}

#define BALLS 400u

/* Balls bounce on a moving plate of 4 cm. A ball above it must not be below its middle in the
 * next step. */
TEST(stalls, let_nobody_into_a_body_that_moves_in_the_step_after_them)
{
    for (int k = 0; k < 2; ++k)
        for (uint32_t phase = 0; phase < 4; ++phase) {
            rico_world *world = bare_world(1);
            rico_collider_id plate = add_box(world, 3.0f, 3.0f, 0.02f, at(0.0f, 0.0f, 0.0f));
            rico_recipe r = rico_recipe_default();
            r.mode = modes[k];
            r.shape = RICO_EMIT_BOX;
            r.size = (rico_vec3){1.5f, 1.5f, 0.5f};
            r.rate = 0.0f;
            r.burst_count = r.max_particles = BALLS;
            r.lifetime = (rico_range){30.0f, 30.0f};
            r.radius = 0.004f;
            r.restitution = 0.8f;
            r.particle_ids = true;
            rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.7f));
            static born now[BALLS];
            bool above[BALLS] = {false};
            uint32_t inside = 0;
            for (uint32_t i = 0; i < 240; ++i) {
                move_to(world, plate, at(0.1f * rico__sin((float)i * DT), 0.0f, 0.0f));
                rico_world_step(world, i % 20 == 5 * phase ? 0.25f : DT);
                collect_born(world, e, now, BALLS);
                for (uint32_t n = 0; n < BALLS; ++n) {
                    const bool over = fabs(now[n].p[0]) < 2.5 && fabs(now[n].p[1]) < 2.5;
                    inside += above[n] && over && now[n].p[2] < 0.0;
                    above[n] = over && now[n].p[2] > 0.0;
                }
            }
            CHECK_MSG(inside == 0, "mode %d: %u", modes[k], inside);
            rico_world_destroy(world);
        }
}

/* Returns how fast particles fall whose floor goes after a step of `last_step`. body: the floor
 * had moved before, and is placed elsewhere. */
static float fall_of_sleepers(rico_collision_mode mode, float last_step, bool sticks, bool body)
{
    rico_world *world = bare_world(1);
    rico_collider_id floor = add_box(world, 3.0f, 3.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 0.02f};
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 40;
    r.speed = (rico_range){0.0f, 0.1f};
    r.lifetime = (rico_range){30.0f, 30.0f};
    r.on_collision = sticks ? RICO_ON_COLLISION_STICK : RICO_ON_COLLISION_BOUNCE;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.05f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    for (int i = 0; i < 150; ++i) {
        if (body && i > 120)
            move_to(world, floor, at(0.0f, 0.0f, -0.1f));
        rico_world_step(world, DT);
    }
    CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
    rico_world_step(world, last_step);
    const rico_motion away = {.transform = at(50.0f, 0.0f, 0.0f)};
    if (body)
        CHECK_EQ(rico_world_place_colliders(world, &floor, &away, 1), RICO_OK);
    else
        CHECK_EQ(rico_world_remove_collider(world, floor), RICO_OK);
    float fastest = 0.0f;
    for (int i = 0; i < 2; ++i)
        rico_world_step(world, DT);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t n = 0; n < v.count; ++n)
            fastest = fmaxf(fastest, -v.vz[n]);
    rico_world_destroy(world);
    return fastest;
}

TEST(stalls, throw_nobody_down_whose_ground_goes_after_them)
{
    for (int k = 0; k < 2; ++k)
        for (int form = 0; form < 4; ++form) {
            const bool sticks = (form & 1) != 0, body = (form & 2) != 0;
            const float usual = fall_of_sleepers(modes[k], DT, sticks, body);
            const float late = fall_of_sleepers(modes[k], 0.3f, sticks, body);
            CHECK_MSG(usual > 0.3f && fabsf(late - usual) < 0.001f,
                      "mode %d, form %d: %g m/s, not %g", modes[k], form, (double)late,
                      (double)usual);
        }
}

/* A plate presses balls to a ceiling. In the steps after a stall, balls must be hardly faster
 * than the plate. */
TEST(stalls, make_nobody_faster_than_the_plate_that_squeezes_it_after_them)
{
    for (int k = 0; k < 2; ++k)
        for (int phase = 0; phase < 40; ++phase) {
            rico_world *world = bare_world(1);
            add_box(world, 3.0f, 3.0f, 0.5f, at(0.0f, 0.0f, 1.5f));
            rico_collider_id plate = add_box(world, 1.0f, 1.0f, 0.1f, at(0.0f, 0.0f, 0.4f));
            rico_recipe r = rico_recipe_default();
            r.mode = modes[k];
            r.rate = 0.0f;
            r.burst_count = r.max_particles = 20;
            r.speed = (rico_range){0.0f, 0.2f};
            r.lifetime = (rico_range){30.0f, 30.0f};
            r.rest_speed = 0.0f;
            r.radius = 0.05f;
            rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.6f));
            float z = 0.4f, fastest = 0.0f;
            for (int i = 0; i < 90; ++i) {
                const bool comes = z < 0.804f - 0.002f * (float)phase;
                z += comes ? 0.5f * DT : 0.0f;
                move_to(world, plate, at(0.0f, 0.0f, z));
                rico_world_step(world, comes ? DT : 0.25f);
                if (!comes)
                    break;
            }
            for (int i = 0; i < 3; ++i) {
                move_to(world, plate, at(0.0f, 0.0f, z += 0.5f * DT));
                rico_world_step(world, DT);
                rico_view v = rico_effect_view(world, e);
                while (rico_view_next(&v))
                    for (uint32_t n = 0; n < v.count; ++n)
                        fastest = fmaxf(fastest, fabsf(v.vz[n]));
            }
            CHECK_MSG(fastest > 0.1f && fastest < 0.7f, "mode %d, phase %d: %g m/s", modes[k],
                      phase, (double)fastest);
            rico_world_destroy(world);
        }
}

static void hide_all(void *user, rico_detail *effects, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        effects[i].hidden = *(const bool *)user;
}

/* Steps are longer than cells, and all records are known. */
TEST(stalls, let_nobody_out_of_a_room_that_is_blind_and_knows_all_of_it)
{
    rico_world *world = bare_world(1);
    for (int side = -1; side < 2; side += 2) {
        const float way = 2.3f * (float)side;
        add_box(world, 0.3f, 3.0f, 3.0f, at(way, 0.0f, 0.0f));
        add_box(world, 3.0f, 0.3f, 3.0f, at(0.0f, way, 0.0f));
        add_box(world, 3.0f, 3.0f, 0.3f, at(0.0f, 0.0f, way));
    }
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 1000;
    r.speed = (rico_range){1.0f, 4.0f};
    r.spread = 3.1f;
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.restitution = 1.0f;
    r.friction = 0.0f;
    r.rest_speed = 0.0f;
    r.hidden = RICO_HIDDEN_RUNS_BLIND;
    bool hidden = false;
    const rico_detail_hook hook = {hide_all, &hidden};
    CHECK_EQ(rico_world_set_detail_hook(world, &hook), RICO_OK);
    rico_effect_id e = begin_effect(world, &r, at(0.1f, 0.2f, 0.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t out = 0, rays = 0;
    for (uint32_t i = 0; i < 240; ++i) {
        hidden = i >= 30;
        rico_world_step(world, i % 40 == 35 ? 0.25f : DT);
        rays += hidden ? rico_world_get_stats(world).rays : 0;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t n = 0; n < v.count; ++n)
                out += fabsf(v.px[n]) > 2.0f || fabsf(v.py[n]) > 2.0f || fabsf(v.pz[n]) > 2.0f;
    }
    CHECK_EQ(rico_effect_particle_count(world, e), 1000);
    CHECK_EQ(rays, 0);
    CHECK_MSG(out == 0, "%u", out);
    rico_world_destroy(world);
}

/* A particle that falls after a stall is faster than its velocity, which is that of half the
 * stall before. A plate is put under it then, and must stop it. */
TEST(stalls, hide_nobody_from_what_comes_after_them)
{
    for (int n = 0; n < 32; n += 4) {
        const float height = 0.3f + 0.11f * (float)n;
        rico_world *world = bare_world(1);
        add_box(world, 9.0f, 9.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_CACHED;
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){2.0f, 2.0f, 0.4f};
        r.rate = 0.0f;
        r.burst_count = r.max_particles = BALLS;
        r.speed = (rico_range){0.0f, 4.0f};
        r.spread = 0.5f;
        r.lifetime = (rico_range){30.0f, 30.0f};
        r.queries_per_frame = 900.0f;
        r.particle_ids = true;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 5.0f));
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        run_steps(world, 6 + n);
        rico_world_step(world, 0.3f);
        static born before[BALLS], now[BALLS];
        collect_born(world, e, before, BALLS);
        add_box(world, 4.0f, 4.0f, 0.01f, at(0.0f, 0.0f, height));
        uint32_t above = 0, through = 0;
        run_steps(world, 40);
        collect_born(world, e, now, BALLS);
        for (uint32_t i = 0; i < BALLS; ++i) {
            const bool over = before[i].p[2] > (double)height + 0.02;
            above += over;
            through += over && fabs(now[i].p[0]) < 3.8 && fabs(now[i].p[1]) < 3.8 &&
                       now[i].p[2] < (double)height;
        }
        CHECK_MSG(above > 100 && through == 0, "at %g m: %u of %u", (double)height, through,
                  above);
        rico_world_destroy(world);
    }
}

/* Returns how high thrown particles get. In their flight the recipe changes before a stall,
 * after it, or not at all. */
static float height_with_change(rico_collision_mode mode, bool before, bool after)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 20;
    r.spread = 0.0f;
    r.speed = (rico_range){8.0f, 8.0f};
    r.lifetime = (rico_range){9.0f, 9.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id effect = rico_effect_spawn(world, id, at(4.0f, 4.0f, 2.0f));
    run_steps(world, 20);
    r.friction = 0.3f;
    if (before)
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    rico_world_step(world, 0.3f);
    if (after)
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    float highest = 0.0f;
    for (int i = 0; i < 40; ++i) {
        rico_world_step(world, DT);
        highest = highest_of(world, effect, highest);
    }
    rico_world_destroy(world);
    return highest - 2.0f;
}

/* This happens when a host reads the changed file of a recipe. */
TEST(stalls, change_no_flight_where_the_recipe_is_changed_beside_them)
{
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode) {
        const float usual = height_with_change(mode, false, false);
        const float before = height_with_change(mode, true, false);
        const float after = height_with_change(mode, false, true);
        CHECK_MSG(usual > 3.0f && fabsf(before - usual) < 0.02f && fabsf(after - usual) < 0.02f,
                  "mode %d: %g and %g m, not %g", mode, (double)before, (double)after,
                  (double)usual);
    }
}

/* Returns the mean height of particles that are thrown up and pushed about, with or without a
 * stall in their flight. */
static double height_under_push(rico_collision_mode mode, float push, float stall)
{
    enum { COUNT = 200 };
    static float highest[COUNT];
    double sum = 0.0;
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = COUNT;
    r.spread = 0.4f;
    r.speed = (rico_range){6.0f, 6.0f};
    r.lifetime = (rico_range){9.0f, 9.0f};
    r.particle_ids = true;
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = push;
    r.forces[0].scale = 1.0f;
    rico_effect_id effect = begin_effect(world, &r, at(4.0f, 4.0f, 2.0f));
    memset(highest, 0, sizeof highest);
    for (int i = 0; i < 80; ++i) {
        rico_world_step(world, i == 12 ? stall : DT);
        rico_view v = rico_effect_view(world, effect);
        while (rico_view_next(&v))
            for (uint32_t n = 0; n < v.count; ++n)
                highest[v.id[n] % COUNT] = fmaxf(highest[v.id[n] % COUNT], v.pz[n]);
    }
    for (int i = 0; i < COUNT; ++i)
        sum += highest[i];
    rico_world_destroy(world);
    return sum / COUNT - 2.0;
}

/* After a stall velocities lag by half of it, whatever pushes. Otherwise gravity would be
 * missing for half of it, or count twice. */
TEST(stalls, make_no_flight_lower_that_forces_push)
{
    static const float push[] = {0.01f, 0.2f, 2.0f};
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode)
        for (int k = 0; k < 3; ++k) {
            const double even = height_under_push(mode, push[k], DT);
            const double stalled = height_under_push(mode, push[k], 0.3f);
            CHECK_MSG(even > 1.5 && fabs(stalled - even) < 0.1,
                      "mode %d, %g m/s^2: %g m, not %g", mode, (double)push[k], stalled, even);
        }
}
