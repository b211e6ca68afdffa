/* Inherited looks of births at events: in outputs, while births wait for the next step, and in
 * memory. */
#include "runtime_isa.h"
#include "runtime_looks.h"
#include "runtime_refused.h"
#include "runtime_room.h"

#include <ricochet/output.h>

/* The expected hash changes only with a commit that says why. */
#define GOLDEN 0xc31868744d6e2627ULL

/* --- Outputs ------------------------------------------------------------------------------ */

static uint32_t by_bytes(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t s = 0; s < 32; s += 8)
        product |= ((a >> s & 255u) * (b >> s & 255u) + 127u) / 255u << s;
    return product;
}

static void find_record(rico_output_kind kind, const void *record, float *size, uint32_t *color)
{
    const rico_instance *mesh = record;
    const rico_trail_vertex *v = record;
    float wide[3];
    switch (kind) {
    case RICO_OUTPUT_STREAKS:
        *size = ((const rico_streak *)record)->size;
        *color = ((const rico_streak *)record)->color;
        return;
    case RICO_OUTPUT_INSTANCES:
        *size =
            sqrtf(mesh->rows[0][0] * mesh->rows[0][0] + mesh->rows[1][0] * mesh->rows[1][0] +
                  mesh->rows[2][0] * mesh->rows[2][0]);
        *color = mesh->color;
        return;
    case RICO_OUTPUT_TRAILS:
        for (int k = 0; k < 3; ++k)
            wide[k] = v[1].position[k] - v[0].position[k];
        *size = sqrtf(wide[0] * wide[0] + wide[1] * wide[1] + wide[2] * wide[2]);
        *color = v[0].color;
        return;
    case RICO_OUTPUT_SPRITES:
        *size = ((const rico_sprite *)record)->size;
        *color = ((const rico_sprite *)record)->color;
        return;
    default:
        *size = ((const rico_billboard *)record)->size;
        *color = ((const rico_billboard *)record)->color;
    }
}

/* Records must have the size and colour of views and the effect's tint, with and without
 * curves. */
TEST(looks, are_in_all_outputs)
{
    static _Alignas(64) char memory[MOST * 64 * 4];
    const uint32_t tint = 0xff80ffe6u;
    const rico_eye eye = {{0.0f, -5.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
    for (int k = 0; k < 2 * RICO_OUTPUT_KIND_COUNT; ++k) {
        setup s = {RICO_COLLIDE_FIXED, RICO_EVENT_BIT_DEATH, 3, .child_grows = k % 2 != 0};
        rico_world *world = roomy_world(1, 4096);
        rico_recipe child = child_of(&s);
        child.speed = (rico_range){1.0f, 1.0f};
        rico_recipe_id id = rico_world_add_recipe(world, &child);
        rico_recipe parent = parent_of(&s, id);
        begin_effect(world, &parent, at(0.0f, 0.0f, 0.7f));
        rico_effect_id e = rico_world_sub_effect(world, id);
        CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){0.9f, 1.0f, 0.5f, 1.0f}), RICO_OK);
        rico_output_def def = rico_output_def_default();
        rico_output *output;
        rico_output_frame frame;
        def.kind = (rico_output_kind)(k / 2);
        def.memory[0] = def.memory[1] = memory;
        def.capacity = 512;
        CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
        for (int n = 0; n < 20; ++n) {
            run_steps(world, 2);
            CHECK_EQ(rico_output_write(output, &e, 1, &eye, &frame), RICO_OK);
        }
        uint32_t at_record = 0;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i, ++at_record) {
                float size;
                uint32_t color;
                const size_t bytes = rico_output_record_bytes(&def);
                find_record(def.kind, (const char *)frame.records + at_record * bytes, &size,
                            &color);
                CHECK(v.size != NULL && v.color != NULL && v.tint == tint);
                if (def.kind != RICO_OUTPUT_TRAILS ||
                    v.age[i] > 5.0f * DT) /* a younger trail is a point */
                    CHECK_NEAR(size, (double)v.size[i], 1e-4 * (double)v.size[i] + 1e-6);
                CHECK(color == by_bytes(v.color[i], tint));
            }
        CHECK(at_record > 100 && at_record == frame.count);
        rico_output_destroy(output);
        rico_world_destroy(world);
    }
}

/* --- What takes memory ------------------------------------------------------------------ */

static bool has_looks(const rico_world *world, rico_effect_id effect)
{
    rico_view v = rico_effect_view(world, effect);
    CHECK(rico_view_next(&v) && (v.size != NULL) == (v.color != NULL));
    return v.size != NULL;
}

static void emit_some(rico_world *world, rico_recipe_id id)
{
    const rico_birth birth = {.transform = at(0.0f, 0.0f, 2.0f), .count = 5};
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    run_steps(world, 1);
}

TEST(looks, take_memory_of_no_recipe_and_world_that_hands_on_none)
{
    uint64_t bytes[2];
    for (int hands_on = 0; hands_on < 2; ++hands_on) {
        rico_world *world = roomy_world(2, 4096);
        const setup s = {RICO_COLLIDE_NONE, RICO_EVENT_BIT_DEATH, .births = 1};
        rico_recipe child = child_of(&s);
        rico_recipe_id id = rico_world_add_recipe(world, &child);
        rico_recipe_id other = rico_world_add_recipe(world, &child);
        rico_recipe parent = parent_of(&s, id);
        parent.sub_emitters[1].inherit_size = parent.sub_emitters[1].inherit_color =
            hands_on != 0;
        rico_world_add_recipe(world, &parent);
        emit_some(world, id);
        emit_some(world, other);
        CHECK(has_looks(world, rico_world_sub_effect(world, id)) == (hands_on != 0));
        CHECK(!has_looks(world, rico_world_sub_effect(world, other)));
        bytes[hands_on] = rico_world_get_stats(world).bytes;
        rico_world_destroy(world);
    }
    /* 8 bytes for each of three seeds per event, of 2 * max_events, and for as many raw events
     * and some more per worker. */
    CHECK(bytes[1] - bytes[0] > 8 * 8192 * 5 && bytes[1] - bytes[0] < 8 * 8192 * 5 + 200000);
}

static bool names(const char *conflict, const char *field)
{
    return conflict != NULL && strcmp(conflict, field) == 0;
}

TEST(looks, are_handed_on_to_nobody_who_lives_without)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    const setup s = {RICO_COLLIDE_NONE, RICO_EVENT_BIT_DEATH, .births = 1};
    rico_recipe child = child_of(&s);
    child.max_particles = 50;
    child.lifetime = (rico_range){0.1f, 0.1f};
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    rico_recipe parent = parent_of(&s, id), plain = parent;
    plain.sub_emitters[1].inherit_size = plain.sub_emitters[1].inherit_color = false;
    rico_recipe_id changed = rico_world_add_recipe(world, &plain);
    CHECK(changed.index1 != 0);
    emit_some(world, id);
    refuse_here(world, &log, &parent,
                "recipe.sub_emitters[1].inherit_size: living particles of recipe 1",
                RICO_IN_USE);
    const uint64_t hash = rico_world_hash(world);
    const rico_recipe_id null = {0};
    CHECK_EQ(rico_world_change_recipe(world, changed, &parent), RICO_IN_USE);
    CHECK(names(rico_world_recipe_conflict(world, changed, &parent), "inherit_size"));
    CHECK(names(rico_world_recipe_conflict(world, null, &parent), "inherit_size"));
    CHECK(rico_world_recipe_conflict(world, null, &plain) == NULL);
    parent.sub_emitters[1].inherit_size = false;
    CHECK_EQ(rico_world_change_recipe(world, changed, &parent), RICO_IN_USE);
    CHECK_MSG(strstr(log.text, "inherit_color") != NULL, "%s", log.text);
    parent.sub_emitters[1].inherit_size = true;
    CHECK(rico_world_hash(world) == hash);
    emit_some(world, id);
    CHECK(!has_looks(world, rico_world_sub_effect(world, id)));
    run_steps(world, 10); /* they have died */
    CHECK_EQ(rico_world_change_recipe(world, changed, &parent), RICO_OK);
    emit_some(world, id);
    CHECK(has_looks(world, rico_world_sub_effect(world, id)));
    /* What particles got at birth stays theirs, whichever recipe is changed while they live. */
    CHECK_EQ(rico_world_change_recipe(world, changed, &plain), RICO_OK);
    child.color = rico_gradient_constant(0.2f, 0.4f, 0.6f, 1.0f);
    CHECK(rico_world_recipe_conflict(world, id, &child) == NULL);
    CHECK_EQ(rico_world_change_recipe(world, id, &child), RICO_OK);
    CHECK(has_looks(world, rico_world_sub_effect(world, id)));
    child.particle_size = line(1.0f, 2.0f);
    CHECK_EQ(rico_world_change_recipe(world, id, &child), RICO_IN_USE);
    CHECK_MSG(strstr(log.text, "recipe.particle_size") != NULL, "%s", log.text);
    child.particle_size = rico_curve_constant(1.0f);
    run_steps(world, 10);
    CHECK_EQ(rico_world_change_recipe(world, id, &child), RICO_OK); /* none inherit now */
    emit_some(world, id);
    CHECK(!has_looks(world, rico_world_sub_effect(world, id)));
    rico_world_destroy(world);
}

/* --- While births wait for the next step ------------------------------------------------ */

/* When more events come than are kept, the first ones have births, each with the look of its
 * own particle. All particles meet the floor while their block moves and die when it is
 * finished, so events of other blocks are in between. */
TEST(looks, are_those_of_the_events_that_are_kept)
{
    static born all[3 * MOST], kept[3 * MOST];
    born *found[2] = {all, kept};
    const rico_kill_volume floor = {.size = {9.0f, 9.0f, 0.011f},
                                    .transform = RICO_TRANSFORM_IDENTITY};
    for (int few = 0; few < 2; ++few) {
        const setup s = {RICO_COLLIDE_CACHED, RICO_EVENT_BIT_DEATH, 1, .draws = true};
        rico_world *world = roomy_world(1, few ? 500 : 16384);
        add_slab(world, -0.5f, 0.5f, 0);
        rico_recipe child = child_of(&s);
        rico_recipe_id id = rico_world_add_recipe(world, &child);
        rico_recipe parent = parent_of(&s, id);
        parent.rate = 0.0f;
        parent.burst_count = parent.max_particles = 9000;
        parent.size = (rico_vec3){1.0f, 1.0f, 0.0f};
        parent.speed = (rico_range){0.0f, 0.0f};
        parent.lifetime = (rico_range){5.0f, 9.0f};
        parent.restitution = 0.0f;
        parent.events = 0;
        parent.sub_emitters[0] = parent.sub_emitters[1];
        parent.sub_emitters[0].on = RICO_EVENT_BIT_COLLISION;
        begin_effect(world, &parent, at(0.0f, 0.0f, 0.3f));
        CHECK_EQ(rico_world_set_kill_volume(world, 0, &floor), RICO_OK);
        child.kill_volumes = 0;
        CHECK_EQ(rico_world_change_recipe(world, id, &child), RICO_OK);
        run_steps(world, 30);
        CHECK_EQ(collect_born(world, rico_world_sub_effect(world, id), found[few], 3 * MOST),
                 few ? 1000 : 18000);
        rico_world_destroy(world);
    }
    for (uint32_t n = 0; n < 1000; ++n)
        CHECK(kept[n].size == all[n].size && kept[n].color == all[n].color &&
              kept[n].p[0] == all[n].p[0]);
}

/* Births already wait when the first recipe is added whose births inherit. They must keep their
 * own look. */
TEST(looks, are_their_own_of_births_that_waited_before)
{
    static born b[MOST];
    rico_world *world = roomy_world(1, 4096);
    const setup s = {RICO_COLLIDE_NONE, RICO_EVENT_BIT_BIRTH, .births = 4};
    rico_recipe child = child_of(&s);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    rico_recipe parent = parent_of(&s, id);
    const rico_recipe heir = parent;
    parent.rate = 0.0f;
    parent.burst_count = 3;
    parent.sub_emitters[1].inherit_size = parent.sub_emitters[1].inherit_color = false;
    begin_effect(world, &parent, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    CHECK(rico_world_add_recipe(world, &heir).index1 != 0);
    rico_world_step(world, DT);
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, id), b, MOST), 12);
    for (uint32_t n = 0; n < 12; ++n)
        check_drawn(seen(&b[n]), at_share(&child, 0.0), 0.6, "child", n);
    rico_world_destroy(world);
}

/* Births wait while another effect is prewarmed, whose births are queued behind them. */
TEST(looks, are_kept_while_another_effect_is_run_by_itself)
{
    static born b[MOST];
    rico_world *world = roomy_world(1, 4096);
    const setup s = {RICO_COLLIDE_NONE, RICO_EVENT_BIT_BIRTH, .births = 4};
    rico_recipe child = child_of(&s);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    rico_recipe parent = parent_of(&s, id), other = parent;
    parent.rate = 0.0f;
    parent.burst_count = 2;
    other.burst_count = 0;
    other.prewarm = 0.2f;
    other.start_size = (rico_range){3.0f, 3.0f};
    begin_effect(world, &parent, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    begin_effect(world, &other, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    const uint32_t count = collect_born(world, rico_world_sub_effect(world, id), b, MOST);
    uint32_t small = 0, large = 0;
    for (uint32_t n = 0; n < count; ++n) {
        small += fabs(b[n].size - 0.8 * 0.08 * 1.5) < 1e-5;
        large += fabs(b[n].size - 0.8 * 0.08 * 3.0) < 1e-5;
    }
    CHECK_EQ(small, 8);
    CHECK(large > 100 && small + large == count);
    rico_world_destroy(world);
}

/* --- Determinism -------------------------------------------------------------------------- */

static uint64_t bright_hash(uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    rico_recipe_id ids[4];
    const rico_effect_id e = make_firework(world, ids, 0.0f, true);
    CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){1.0f, 0.8f, 0.9f, 1.0f}), RICO_OK);
    uint64_t hash = 0;
    for (int i = 0; i < 90; ++i) {
        run_steps(world, 1);
        hash = hash * 31 + rico_world_hash(world);
    }
    for (int k = 1; k < 4; ++k)
        CHECK(has_looks(world, rico_world_sub_effect(world, ids[k])) || k == 1);
    rico_world_destroy(world);
    return hash;
}

TEST(looks, are_the_same_for_any_number_of_workers_and_every_isa)
{
    const uint64_t expected = bright_hash(1);
    CHECK_MSG(expected == GOLDEN, "%llx", (unsigned long long)expected);
    CHECK(bright_hash(2) == expected && bright_hash(4) == expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(bright_hash(1) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
}

TEST(looks, of_who_was_prewarmed_are_those_that_stepping_leaves)
{
    for (int seconds = 1; seconds <= 3; ++seconds) {
        rico_world *stepped = small_world(1, true), *warm = small_world(2, true);
        rico_recipe_id ids[4];
        make_firework(stepped, ids, 0.0f, true);
        run_steps(stepped, 60 * seconds);
        make_firework(warm, ids, (float)seconds, true);
        CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
        run_steps(stepped, 30);
        run_steps(warm, 30);
        CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
        rico_world_destroy(stepped);
        rico_world_destroy(warm);
    }
}

/* The parents' recipe was added before that of the children, and changed when that was there. Then
 * the children's recipe is changed. */
TEST(looks, are_handed_on_by_a_recipe_that_is_older_than_that_of_the_children)
{
    rico_world *world = roomy_world(1, 4096);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE), child = r;
    const rico_recipe_id parents = rico_world_add_recipe(world, &r);
    const rico_recipe_id children = rico_world_add_recipe(world, &r);
    r.burst_count = 8;
    r.lifetime = (rico_range){1.5f * DT, 1.5f * DT};
    r.particle_size = rico_curve_constant(3.0f);
    r.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, children, 1, 0.0f);
    r.sub_emitters[0].inherit_size = true;
    CHECK_EQ(rico_world_change_recipe(world, parents, &r), RICO_OK);
    child.drag = 0.5f;
    CHECK_EQ(rico_world_change_recipe(world, children, &child), RICO_OK);
    CHECK(rico_effect_spawn(world, parents, at(0.0f, 0.0f, 0.0f)).index1 != 0);
    for (int i = 0; i < 3; ++i)
        rico_world_step(world, DT);
    static born b[MOST];
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, children), b, MOST), 8);
    for (uint32_t n = 0; n < 8; ++n)
        CHECK_NEAR(b[n].size, 3.0 * (double)rico_recipe_default().particle_size.value[0], 1e-4);
    rico_world_destroy(world);
}
