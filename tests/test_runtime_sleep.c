/* Effects in which nothing happens: their ages go on as if they were awake, they wake for what
 * concerns them, and a step does not visit them. */
#include "random.h"
#include "runtime_births.h"
#include "runtime_movers.h"

#include "stages.h"

static float number(uint32_t round, uint32_t use, float lo, float hi)
{
    return rico__random_range(1203, round, use, lo, hi);
}

/* --- Sums --------------------------------------------------------------------------------- */

static float added_up(float a, float b, uint32_t n)
{
    for (uint32_t k = 0; k < n; ++k) {
        volatile float next = a + b;
        a = next;
    }
    return a;
}

TEST(sleep, many_steps_are_added_at_once_as_one_by_one)
{
    static const float steps[] = {1.0f / 60.0f, 1.0f / 30.0f, 0.0078125f, 0.001f, 1.0f,
                                  1.0e-6f,      3.0e-8f,      0.0f,       0.1f};
    for (uint32_t round = 0; round < test_rounds(4000); ++round) {
        float a = number(round, 0, 0.0f, round % 3 == 0 ? 1.0f : 600.0f);
        float b = round % 2 == 0 ? steps[round / 2 % (sizeof steps / sizeof steps[0])]
                                 : number(round, 1, 0.0f, 0.2f);
        uint32_t n = (uint32_t)number(round, 2, 0.0f, 5000.0f);
        if (round % 5 == 0)
            a = 0.0f;
        if (round % 7 == 0) { /* half a unit of a: rounds to even */
            float next = nextafterf(a, 1.0e9f);
            b = 0.5f * (next - a) * (float)(1 + round % 4);
        }
        float want = added_up(a, b, n), have = rico__sum_of_steps(a, b, n);
        CHECK_MSG(want == have, "%.9g + %u x %.9g is %.9g, not %.9g", (double)a, n, (double)b,
                  (double)want, (double)have);
    }
}

/* --- Worlds ------------------------------------------------------------------------------- */

/* Grains that fall on a floor and rest there for some seconds, while size and colour change. */
static rico_recipe grains(rico_collision_mode mode, uint32_t count)
{
    rico_recipe r = still_recipe(mode);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 0.1f};
    r.burst_count = count;
    r.rate = 0.0f;
    r.duration = 0.5f;
    r.loops = 1;
    r.radius = 0.02f;
    r.restitution = 0.2f;
    r.friction = 0.6f;
    r.lifetime = (rico_range){5.0f, 9.0f};
    r.queries_per_frame = 100.0f;
    r.events = RICO_EVENT_BIT_DEATH;
    r.particle_size.key_count = r.color.key_count = 2;
    r.particle_size.at[1] = r.color.at[1] = 1.0f;
    r.particle_size.value[0] = 0.1f;
    r.particle_size.value[1] = 0.3f;
    for (int c = 0; c < 4; ++c)
        r.color.rgba[1][c] = 1.0f;
    if (mode == RICO_COLLIDE_FIXED) {
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    }
    return r;
}

static rico_effect_id spawn(rico_world *world, const rico_recipe *r, rico_transform where)
{
    rico_recipe_id id = rico_world_add_recipe(world, r);
    CHECK(id.index1 != 0);
    rico_effect_id effect = rico_effect_spawn(world, id, where);
    CHECK(effect.index1 != 0);
    return effect;
}

static rico_world *floor_world(bool sleeps, rico_collider_id *ground)
{
    rico_world *world = bare_world(1);
    world->sleep.off = !sleeps;
    rico_collider_id id = add_box(world, 20.0f, 20.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    if (ground != NULL)
        *ground = id;
    return world;
}

static void step(rico_world *world, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; ++i)
        rico_world_step(world, dt);
}

static uint32_t asleep(const rico_world *world)
{
    return world->sleep.effects;
}

/* All modes with rest, and some features more: rolling, sticking, and an emitter that waits for
 * calls. */
static void fill(rico_world *world, rico_effect_id out[6])
{
    static const rico_collision_mode all[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                              RICO_COLLIDE_EXACT};
    for (uint32_t k = 0; k < 3; ++k) {
        rico_recipe r = grains(all[k], 60);
        out[k] = spawn(world, &r, at((float)k * 2.0f, 0.0f, 0.4f));
    }
    rico_recipe r = grains(RICO_COLLIDE_CACHED, 20);
    r.rolls = r.interpolate = true;
    out[3] = spawn(world, &r, at(0.0f, 3.0f, 0.4f));
    r = grains(RICO_COLLIDE_EXACT, 20);
    r.on_collision = RICO_ON_COLLISION_STICK;
    out[4] = spawn(world, &r, at(2.0f, 3.0f, 0.4f));
    r = grains(RICO_COLLIDE_CACHED, 0);
    r.duration = rico_recipe_default().duration;
    r.loops = rico_recipe_default().loops;
    out[5] = spawn(world, &r, at(4.0f, 3.0f, 0.4f));
}

static float same_length(uint32_t frame)
{
    (void)frame;
    return DT;
}

static float other_lengths(uint32_t frame)
{
    return number(frame, 3, 0.7f * DT, 1.3f * DT);
}

/* Steps whose rate changes, and some that are much longer than the others. */
static float rates(uint32_t frame)
{
    return frame % 53 == 40 ? 5.0f * DT : frame / 60 % 2 == 0 ? DT : 0.5f * DT;
}

static void compare_with_awake(float (*length)(uint32_t frame))
{
    rico_world *worlds[2] = {floor_world(false, NULL), floor_world(true, NULL)};
    rico_effect_id effects[2][6];
    uint32_t most = 0, slept = 0;
    for (int w = 0; w < 2; ++w)
        fill(worlds[w], effects[w]);
    for (uint32_t frame = 0; frame < 640; ++frame) {
        for (int w = 0; w < 2; ++w) {
            rico_world *world = worlds[w];
            if (frame == 200) /* particles at rest stay */
                rico_effect_move(world, effects[w][1], at(2.0f, 1.0f, 0.4f));
            if (frame == 220)
                rico_effect_set_time_scale(world, effects[w][2], 0.0f);
            if (frame == 280)
                rico_effect_set_time_scale(world, effects[w][2], 0.5f);
            if (frame == 240 || frame == 400)
                rico_effect_emit(world, effects[w][5], 12);
            rico_world_step(world, length(frame));
        }
        CHECK_EQ(rico_world_get_stats(worlds[0]).particles,
                 rico_world_get_stats(worlds[1]).particles);
        CHECK_EQ(asleep(worlds[0]), 0);
        most = asleep(worlds[1]) > most ? asleep(worlds[1]) : most;
        slept += asleep(worlds[1]) > 0;
        if (frame % 37 == 0 || frame > 600) /* rarely: a look must change nothing */
            CHECK_MSG(rico_world_hash(worlds[0]) == rico_world_hash(worlds[1]), "frame %u",
                      frame);
        if (rico_world_get_stats(worlds[1]).particles > 0)
            continue;
        CHECK(frame > 300);
        break;
    }
    CHECK(most >= 5 && slept > 300);
    for (int w = 0; w < 2; ++w)
        rico_world_destroy(worlds[w]);
}

TEST(sleep, who_sleeps_is_the_same_to_the_bit_as_who_stays_awake)
{
    compare_with_awake(same_length);
}

TEST(sleep, who_sleeps_is_the_same_in_steps_of_other_lengths)
{
    compare_with_awake(other_lengths);
}

TEST(sleep, who_sleeps_is_the_same_when_the_rate_changes)
{
    compare_with_awake(rates);
}

TEST(sleep, the_number_of_resting_particles_is_told_whether_they_sleep_or_not)
{
    rico_world *worlds[2] = {floor_world(false, NULL), floor_world(true, NULL)};
    rico_effect_id effects[6];
    for (int w = 0; w < 2; ++w)
        fill(worlds[w], effects);
    for (uint32_t frame = 0; frame < 260; ++frame) {
        rico_world_stats stats[2];
        for (int w = 0; w < 2; ++w) {
            rico_world_step(worlds[w], DT);
            stats[w] = rico_world_get_stats(worlds[w]);
        }
        CHECK_EQ(stats[0].sleeping, stats[1].sleeping);
        CHECK_EQ(stats[0].effects, stats[1].effects);
        CHECK_EQ(stats[1].sleeping_effects, asleep(worlds[1]));
    }
    CHECK(rico_world_get_stats(worlds[1]).sleeping > 200);
    for (int w = 0; w < 2; ++w)
        rico_world_destroy(worlds[w]);
}

/* Steps so short that they are saved up. No effect may sleep in such a step, and all must sleep
 * again some seconds after the last. */
TEST(sleep, a_step_that_is_much_too_short_keeps_nobody_awake_for_ever)
{
    for (int k = 0; k < 3; ++k) {
        rico_world *worlds[2] = {floor_world(false, NULL), floor_world(true, NULL)};
        rico_effect_id effects[2];
        for (int w = 0; w < 2; ++w) {
            rico_recipe r = grains(RICO_COLLIDE_FIXED, 60);
            r.lifetime = (rico_range){40.0f, 50.0f};
            effects[w] = spawn(worlds[w], &r, at(0.0f, 0.0f, 0.4f));
            CHECK_EQ(rico_effect_set_time_scale(worlds[w], effects[w], k == 2 ? 0.5f : 1.0f),
                     RICO_OK);
            step(worlds[w], 300, DT);
        }
        for (int n = 0; n < 2; ++n) {
            CHECK_EQ(asleep(worlds[1]), 1);
            for (int w = 0; w < 2; ++w)
                rico_world_step(worlds[w], k == 0 ? 1.0e-5f : 2.0e-4f);
            CHECK_EQ(asleep(worlds[1]), 0);
            for (int w = 0; w < 2; ++w)
                step(worlds[w], 600, DT);
        }
        CHECK_EQ(asleep(worlds[1]), 1);
        for (int w = 0; w < 2; ++w)
            step(worlds[w], 1500, 1.0f / 144.0f);
        rico_view a = rico_effect_view(worlds[0], effects[0]);
        rico_view b = rico_effect_view(worlds[1], effects[1]);
        while (rico_view_next(&a)) {
            CHECK(rico_view_next(&b) && a.count == b.count);
            CHECK(memcmp(a.age, b.age, a.count * sizeof *a.age) == 0);
            CHECK(memcmp(a.pz, b.pz, a.count * sizeof *a.pz) == 0);
        }
        for (int w = 0; w < 2; ++w)
            rico_world_destroy(worlds[w]);
    }
}

/* Every step has another length, so more lengths go by than are remembered. */
TEST(sleep, uneven_steps_leave_ages_as_they_would_be)
{
    rico_world *worlds[2] = {floor_world(false, NULL), floor_world(true, NULL)};
    rico_effect_id effects[2];
    for (int w = 0; w < 2; ++w) {
        rico_recipe r = grains(RICO_COLLIDE_FIXED, 60);
        r.lifetime = (rico_range){30.0f, 40.0f};
        effects[w] = spawn(worlds[w], &r, at(0.0f, 0.0f, 0.4f));
        step(worlds[w], 120, DT);
    }
    CHECK_EQ(asleep(worlds[1]), 1);
    for (uint32_t frame = 0; frame < 700; ++frame) {
        float dt = number(frame, 3, 0.012f, 0.022f);
        for (int w = 0; w < 2; ++w)
            rico_world_step(worlds[w], dt);
        CHECK_EQ(asleep(worlds[1]), 1);
    }
    rico_view a = rico_effect_view(worlds[0], effects[0]);
    rico_view b = rico_effect_view(worlds[1], effects[1]);
    while (rico_view_next(&a)) {
        CHECK(rico_view_next(&b) && a.count == b.count);
        CHECK(memcmp(a.age, b.age, a.count * sizeof *a.age) == 0);
        CHECK(memcmp(a.size, b.size, a.count * sizeof *a.size) == 0);
        CHECK(memcmp(a.color, b.color, a.count * sizeof *a.color) == 0);
        CHECK(a.age[0] > 13.0f);
    }
    for (int w = 0; w < 2; ++w)
        rico_world_destroy(worlds[w]);
}

/* Bounds and outputs are asked for in separate worlds, because the first request brings ages up
 * to date. */
TEST(sleep, outputs_and_bounds_have_the_sizes_of_now)
{
    for (int written = 0; written < 2; ++written) {
        rico_world *worlds[2] = {floor_world(false, NULL), floor_world(true, NULL)};
        rico_billboard *records[2];
        rico_box boxes[2];
        for (int w = 0; w < 2; ++w) {
            rico_recipe r = grains(RICO_COLLIDE_EXACT, 50);
            rico_effect_id effect = spawn(worlds[w], &r, at(0.0f, 0.0f, 0.3f));
            step(worlds[w], 240, DT);
            CHECK_EQ(asleep(worlds[w]), w);
            records[w] = aligned_alloc(64, 64 * sizeof **records);
            memset(records[w], 0, 64 * sizeof **records);
            if (written == 0) {
                CHECK(rico_effect_bounds(worlds[w], effect, &boxes[w]));
                continue;
            }
            rico_output_def def = rico_output_def_default();
            def.memory[0] = def.memory[1] = records[w];
            def.capacity = 64;
            rico_output *output;
            rico_output_frame frame;
            CHECK_EQ(rico_output_create(worlds[w], &def, &output), RICO_OK);
            CHECK_EQ(rico_output_write(output, &effect, 1, NULL, &frame), RICO_OK);
            CHECK_EQ(frame.count, 50);
            boxes[w] = frame.parts[0].bounds;
            rico_output_destroy(output);
        }
        CHECK(memcmp(records[0], records[1], 64 * sizeof **records) == 0);
        CHECK(memcmp(&boxes[0], &boxes[1], sizeof boxes[0]) == 0);
        CHECK(boxes[0].hi.z > 0.2f);
        for (int w = 0; w < 2; ++w) {
            free(records[w]);
            rico_world_destroy(worlds[w]);
        }
    }
}

/* --- Waking ------------------------------------------------------------------------------- */

/* Returns the height of the effect's lowest particle. */
static float lowest(const rico_world *world, rico_effect_id effect)
{
    float least = 1.0e9f;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            least = fminf(least, v.pz[i]);
    return least;
}

static rico_world *settled_world(rico_collision_mode mode, rico_collider_id *ground,
                                 rico_effect_id *effect)
{
    rico_world *world = floor_world(true, ground);
    rico_recipe r = grains(mode, 40);
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.field_layers = 1;
    r.kill_volumes = 1;
    *effect = spawn(world, &r, at(0.0f, 0.0f, 0.4f));
    step(world, 150, DT);
    CHECK_EQ(asleep(world), 1);
    CHECK(lowest(world, *effect) > 0.01f);
    return world;
}

TEST(sleep, a_floor_that_goes_wakes_those_on_it_and_one_far_away_does_not)
{
    static const rico_collision_mode all[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 2; ++m) {
        rico_collider_id ground;
        rico_effect_id effect;
        rico_world *world = settled_world(all[m], &ground, &effect);
        rico_collider_id far = add_box(world, 1.0f, 1.0f, 1.0f, at(15.0f, 15.0f, 5.0f));
        step(world, 1, DT);
        CHECK_EQ(asleep(world), 1);
        CHECK_EQ(rico_world_remove_collider(world, far), RICO_OK);
        step(world, 1, DT);
        CHECK_EQ(asleep(world), 1);
        CHECK_EQ(rico_world_remove_collider(world, ground), RICO_OK);
        step(world, 40, DT);
        CHECK_EQ(asleep(world), 0);
        CHECK(lowest(world, effect) < -1.0f);
        rico_world_destroy(world);
    }
}

TEST(sleep, a_body_that_comes_by_pushes_sleepers_as_it_does_who_is_awake)
{
    float pushed[2];
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        rico_world *world = floor_world(sleeps != 0, NULL);
        rico_recipe r = grains(RICO_COLLIDE_CACHED, 40);
        r.lifetime = (rico_range){100.0f, 100.0f};
        rico_effect_id effect = spawn(world, &r, at(0.0f, 0.0f, 0.4f));
        rico_collider_id body = add_box(world, 0.2f, 2.0f, 0.5f, at(-4.0f, 0.0f, 0.5f));
        step(world, 150, DT);
        CHECK_EQ(asleep(world), sleeps);
        for (int k = 0; k < 120; ++k) {
            move_to(world, body, at(-4.0f + 0.05f * (float)k, 0.0f, 0.5f));
            step(world, 1, DT);
        }
        float least = 1.0e9f;
        rico_view v = rico_effect_view(world, effect);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                least = fminf(least, v.px[i]);
        pushed[sleeps] = least;
        rico_world_destroy(world);
    }
    CHECK(pushed[0] > 2.0f && pushed[0] == pushed[1]);
}

TEST(sleep, fields_that_change_wake_sleepers_and_volumes_kill_them)
{
    rico_effect_id effect;
    rico_world *world = settled_world(RICO_COLLIDE_FIXED, NULL, &effect);
    rico_field_def field = rico_field_def_default();
    field.force.kind = RICO_FORCE_DIRECTION;
    field.force.strength = 50.0f;
    field.force.axis = (rico_vec3){0.0f, 0.0f, 1.0f};
    field.size = (rico_vec3){5.0f, 5.0f, 5.0f};
    rico_field_id id = rico_world_add_field(world, &field);
    CHECK(id.index1 != 0);
    step(world, 20, DT);
    CHECK_EQ(asleep(world), 0);
    CHECK(lowest(world, effect) > 0.05f);
    CHECK_EQ(rico_world_remove_field(world, id), RICO_OK);
    step(world, 300, DT);
    CHECK_EQ(asleep(world), 1);
    const rico_kill_volume volume = {
        .sphere = true, .size = {30.0f, 0.0f, 0.0f}, .transform = RICO_TRANSFORM_IDENTITY};
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &volume), RICO_OK);
    step(world, 1, DT);
    CHECK_EQ(rico_world_get_stats(world).particles, 0);
    rico_world_destroy(world);
}

TEST(sleep, a_recipe_that_changes_is_seen_by_sleepers)
{
    rico_effect_id effect;
    rico_world *world = settled_world(RICO_COLLIDE_FIXED, NULL, &effect);
    rico_recipe r = grains(RICO_COLLIDE_FIXED, 40);
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.field_layers = 1;
    r.kill_volumes = 1;
    r.gravity.z = 3.0f;
    CHECK_EQ(rico_world_change_recipe(world, (rico_recipe_id){1, 1}, &r), RICO_OK);
    step(world, 60, DT);
    CHECK_EQ(asleep(world), 0);
    CHECK(lowest(world, effect) > 0.5f);
    rico_world_destroy(world);
}

TEST(sleep, a_moved_origin_moves_sleepers)
{
    rico_effect_id effect;
    rico_world *world = settled_world(RICO_COLLIDE_CACHED, NULL, &effect);
    float before = lowest(world, effect);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){8.0f, -16.0f, 4.0f}), RICO_OK);
    CHECK_NEAR(lowest(world, effect), before - 4.0f, 1.0e-5f);
    step(world, 10, DT);
    CHECK_NEAR(lowest(world, effect), before - 4.0f, 1.0e-5f);
    CHECK_EQ(asleep(world), 1);
    rico_world_destroy(world);
}

/* --- Cost --------------------------------------------------------------------------------- */

TEST(sleep, a_step_lists_no_block_and_walks_no_place_of_sleepers)
{
    rico_world *world = floor_world(true, NULL);
    rico_recipe r = grains(RICO_COLLIDE_FIXED, 10);
    r.lifetime = (rico_range){100.0f, 100.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    r.rate = 40.0f;
    r.burst_count = 0;
    rico_recipe_id emits = rico_world_add_recipe(world, &r);
    rico_effect_id paused = {0};
    for (uint32_t k = 0; k < 60; ++k) {
        rico_effect_id e = rico_effect_spawn(world, k == 40 ? emits : id, at(0, 0, 0.3f));
        paused = k % 2 == 0 ? paused : e;
    }
    step(world, 20, DT);
    CHECK_EQ(world->sleep.active_count, 4);
    CHECK_EQ(rico_effect_set_time_scale(world, paused, 0.0f), RICO_OK);
    step(world, 1, DT);
    CHECK_EQ(asleep(world), 1);
    step(world, 100, DT);
    CHECK_EQ(asleep(world), 60);
    rico_effect_id fresh = rico_effect_spawn(world, emits, at(0, 0, 0.3f));
    step(world, 2, DT);
    CHECK_EQ(world->sleep.active_count, 1);
    CHECK(world->block_list_count <= 1);
    CHECK_EQ(rico_effect_destroy(world, fresh), RICO_OK);
    step(world, 2, DT);
    CHECK_EQ(world->sleep.active_count, 0);
    CHECK_EQ(world->block_list_count, 0);
    CHECK(rico_world_get_stats(world).particles >= 59 * 10);
    rico_world_destroy(world);
}

/* An effect may sleep once it has fired all bursts; a rate, or bursts to come, keep it awake. */
TEST(sleep, who_has_fired_all_its_bursts_sleeps_and_who_has_not_does_not)
{
    static const struct {
        uint32_t cycles;
        float time, rate;
        bool sleeps;
    } cases[] = {{1, 0.0f, 0.0f, true},
                 {3, 0.1f, 0.0f, true},
                 {1, 0.0f, 10.0f, false},
                 {0, 0.0f, 0.0f, false}, /* fires for ever */
                 {2, 99.0f, 0.0f, false}};
    for (uint32_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        rico_world *world = floor_world(true, NULL);
        rico_recipe r = grains(RICO_COLLIDE_FIXED, 0);
        r.duration = 0.0f;
        r.rate = cases[k].rate;
        r.lifetime = (rico_range){100.0f, 100.0f};
        r.bursts[0] = (rico_burst){cases[k].time, 20, cases[k].cycles, 0.3f, 1.0f};
        rico_effect_id e = spawn(world, &r, at(0.0f, 0.0f, 0.4f));
        step(world, 300, DT);
        CHECK_EQ(asleep(world), cases[k].sleeps);
        if (k == 2) { /* throttled */
            CHECK_EQ(rico_effect_set_rate_scale(world, e, 0.0f), RICO_OK);
            step(world, 300, DT);
            CHECK_EQ(asleep(world), 1);
            CHECK_EQ(rico_effect_set_rate_scale(world, e, 1.0f), RICO_OK);
            step(world, 60, DT);
            CHECK_EQ(asleep(world), 0);
        }
        rico_world_destroy(world);
    }
}

/* Sleepers want no queries, so their units go to effects that do. */
TEST(sleep, sleepers_leave_their_queries_to_others)
{
    rico_world *world = floor_world(true, NULL);
    rico_recipe r = grains(RICO_COLLIDE_CACHED, 4);
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = 3.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (uint32_t k = 0; k < 5; ++k)
        rico_effect_spawn(world, id, at((float)k, 0, 0.3f));
    step(world, 200, DT);
    CHECK_EQ(asleep(world), 5);
    CHECK_EQ(world->sleep.units, 5u * 3u * 65536u);
    r.queries_per_frame = 0.0f;
    r.rate = 600.0f;
    r.burst_count = 0;
    r.size = (rico_vec3){10.0f, 10.0f, 0.1f};
    r.duration = 3.0f;
    spawn(world, &r, at(-5.0f, -5.0f, 1.0f));
    uint64_t units = 0;
    for (uint32_t k = 0; k < 60; ++k) {
        step(world, 1, DT);
        units += rico_world_get_stats(world).query_units;
    }
    CHECK(units > 30 && units <= 60 * 15 + 40);
    rico_world_destroy(world);
}
