/* Particles between two steps, compared with a reference that remembers their last places; and
 * the clock that tells the share of the step. */
#include "runtime_room.h"

#include "random.h"
#include "state.h"
#include "vec.h"

#include <stdlib.h>

#define ROOM 4096u
#define IDS 8192u

typedef struct between {
    rico_world *world;
    rico_effect_id effect;
    rico_output *output;
    _Alignas(64) unsigned char memory[ROOM * 64];
} between;

static void open_output(between *b, rico_output_kind kind)
{
    rico_output_def def = rico_output_def_default();
    def.kind = kind;
    def.capacity = kind == RICO_OUTPUT_TRAILS ? ROOM / 4 : ROOM;
    def.trail_points = 4;
    def.memory[0] = def.memory[1] = b->memory;
    CHECK_EQ(rico_output_create(b->world, &def, &b->output), RICO_OK);
}

static void begin_between(between *b, rico_recipe *recipe, bool with_terrain)
{
    b->world = small_world(1, with_terrain);
    recipe->interpolate = true;
    recipe->particle_ids = true;
    b->effect = begin_effect(b->world, recipe, at(0.0f, 0.0f, 1.6f));
    open_output(b, RICO_OUTPUT_BILLBOARDS);
}

static void end_between(between *b)
{
    rico_output_destroy(b->output);
    rico_world_destroy(b->world);
}

static const rico_eye eye = {{0.0f, -20.0f, 2.0f}, {0.0f, 1.0f, 0.0f}};

static rico_output_frame write(between *b, float f)
{
    rico_output_frame frame;
    CHECK_EQ(rico_output_write_interpolated(b->output, &b->effect, 1, &eye, f, &frame),
             RICO_OK);
    return frame;
}

/* --- The reference ------------------------------------------------------------------------ */

typedef struct spot {
    bool known, born; /* born: in the last step */
    float p[3];
} spot;

typedef struct memory {
    spot of[IDS];
} memory;

static memory before, after;

static void look(const rico_world *world, rico_effect_id effect, memory *m)
{
    memset(m, 0, sizeof *m);
    for (rico_view v = rico_effect_view(world, effect); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i) {
            CHECK(v.id[i] < IDS);
            m->of[v.id[i]] = (spot){true, false, {v.px[i], v.py[i], v.pz[i]}};
        }
}

/* Adds the places of birth that events report. */
static void add_births(const rico_world *world, memory *m)
{
    uint32_t count;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t n = 0; n < count; ++n)
        if (events[n].type == RICO_EVENT_BIRTH) {
            const rico_vec3 p = events[n].position;
            CHECK(!m->of[events[n].particle].known);
            m->of[events[n].particle] = (spot){true, true, {p.x, p.y, p.z}};
        }
}

typedef struct counted {
    uint32_t old, born, unborn, far; /* far: more than 1 cm from its present place */
} counted;

/* Compares a billboard with its particle and the particle's last place. */
static void check_one(const rico_billboard *out, const rico_view *v, uint32_t i,
                      const spot *was, float f, float dt, counted *c)
{
    const float now[3] = {v->px[i], v->py[i], v->pz[i]};
    const float *last[3] = {v->last_px, v->last_py, v->last_pz};
    float share = f;
    CHECK(was->known);
    if (was->born && v->age[i] < dt)
        share = (f * dt - (dt - v->age[i])) / v->age[i];
    const float size = v->size != NULL ? v->size[i] : v->constant_size;
    CHECK(share > 1.0e-4f || share < -1.0e-4f || out->size == size || out->size == 0.0f);
    if (fabsf(share) > 1.0e-4f)
        CHECK_MSG(out->size == (share > 0.0f ? size : 0.0f), "share %g, size %g", (double)share,
                  (double)out->size);
    for (int k = 0; k < 3; ++k) {
        CHECK(last[k][i] == was->p[k]);
        float expected = was->p[k] + (now[k] - was->p[k]) * fmaxf(share, 0.0f);
        if (f == 1.0f)
            expected = now[k];
        if (was->born)
            CHECK_NEAR(out->position[k], expected, 1.0e-4f);
        else
            CHECK(out->position[k] == expected);
        c->far += fabsf(out->position[k] - now[k]) > 0.01f;
    }
    c->old += !was->born;
    c->born += was->born;
    c->unborn += share < 0.0f;
}

static void check_write(between *b, float f, counted *c)
{
    rico_output_frame frame = write(b, f);
    const rico_billboard *out = frame.records;
    for (rico_view v = rico_effect_view(b->world, b->effect); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i)
            check_one(out++, &v, i, &before.of[v.id[i]], f, DT, c);
    CHECK_EQ(frame.count, out - (const rico_billboard *)frame.records);
}

static rico_recipe sparks(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 700.0f;
    r.speed = (rico_range){2.0f, 8.0f};
    r.lifetime = (rico_range){0.05f, 0.9f};
    r.spread = 2.5f;
    r.start_size.hi = mode == RICO_COLLIDE_EXACT ? 3.0f : 1.0f;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0].normal.z = 1.0f;
    r.drag = 0.3f;
    r.events = RICO_EVENT_BIT_BIRTH;
    return r;
}

TEST(interpolation, writes_particles_on_their_way_from_where_they_were)
{
    static between b;
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        counted c = {0};
        rico_recipe r = sparks((rico_collision_mode)mode);
        begin_between(&b, &r, true);
        for (uint32_t n = 0; n < 90; ++n) {
            look(b.world, b.effect, &before);
            rico_world_step(b.world, DT);
            add_births(b.world, &before);
            check_write(&b, 0.0f, &c);
            check_write(&b, rico__random_unit(3, n, 1), &c);
            check_write(&b, rico__random_unit(3, n, 2), &c);
            check_write(&b, 1.0f, &c);
        }
        CHECK(c.old > 50000 && c.born > 3000 && c.unborn > 1000 && c.far > 50000);
        end_between(&b);
    }
}

/* --- From step to step -------------------------------------------------------------------- */

/* Remembers billboards by id. What was written at 1 in one step must be written at 0 in the
 * next. */
static void remember(between *b, float f, memory *m)
{
    rico_output_frame frame = write(b, f);
    const rico_billboard *out = frame.records;
    memset(m, 0, sizeof *m);
    for (rico_view v = rico_effect_view(b->world, b->effect); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i, ++out)
            m->of[v.id[i]] = (spot){true,
                                    out->size == 0.0f,
                                    {out->position[0], out->position[1], out->position[2]}};
}

static uint32_t check_same(const memory *a, const memory *b, float tolerance)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < IDS; ++i) {
        if (!a->of[i].known || !b->of[i].known)
            continue;
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(a->of[i].p[k], b->of[i].p[k], tolerance);
        ++count;
    }
    return count;
}

static rico_transform on_its_way(uint32_t n)
{
    const float angle = 0.15f * (float)n;
    return (rico_transform){{0.8f * (float)n, 0.1f * (float)n, 2.0f},
                            {0.0f, 0.0f, sinf(angle), cosf(angle)},
                            1.0f + 0.02f * (float)n};
}

/* The effect is moved in some steps and paused in some; in one of them another effect is
 * prewarmed. */
static void do_something(between *b, uint32_t n, rico_recipe *r)
{
    if (n % 3 != 0)
        CHECK_EQ(rico_effect_move(b->world, b->effect, on_its_way(n)), RICO_OK);
    if (n % 7 == 0)
        CHECK_EQ(rico_effect_set_time_scale(b->world, b->effect, 0.0f), RICO_OK);
    if (n % 7 == 3)
        CHECK_EQ(rico_effect_set_time_scale(b->world, b->effect, 0.7f), RICO_OK);
    if (n == 25) /* runs another effect by itself */
        CHECK(rico_effect_spawn(b->world, rico_world_add_recipe(b->world, r), at(0, 0, 0))
                  .index1 != 0);
}

TEST(interpolation, jumps_nowhere_from_the_end_of_a_step_to_the_beginning_of_the_next)
{
    static between b;
    for (int local = 0; local <= 1; ++local) {
        rico_recipe r = sparks(RICO_COLLIDE_NONE), warm = r;
        r.space = local ? RICO_SPACE_LOCAL : RICO_SPACE_WORLD;
        warm.prewarm = 0.5f;
        uint32_t known = 0;
        begin_between(&b, &r, false);
        for (uint32_t n = 0; n < 60; ++n) {
            remember(&b, 1.0f, &before);
            remember(&b, 0.3f, &after);
            do_something(&b, n, &warm);
            if (n == 25) { /* the prewarm must not be seen */
                memory *again = malloc(sizeof *again);
                remember(&b, 0.3f, again);
                CHECK(check_same(&after, again, 0.0f) > 50);
                free(again);
            }
            rico_world_step(b.world, DT);
            remember(&b, 0.0f, &after);
            known += check_same(&before, &after, 0.0f);
        }
        CHECK(known > 5000);
        CHECK_EQ(rico_world_shift_origin(b.world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
        remember(&b, 0.0f, &before);
        for (uint32_t i = 0; i < IDS; ++i)
            before.of[i].p[0] += 64.0f;
        CHECK(check_same(&before, &after, 1.0e-5f) > 50);
        end_between(&b);
    }
}

TEST(interpolation, writes_those_who_stood_still_or_were_just_run_where_they_are)
{
    static between b;
    rico_recipe r = sparks(RICO_COLLIDE_NONE);
    begin_between(&b, &r, false);
    for (int k = 0; k < 4; ++k) {
        run_steps(b.world, 20);
        if (k == 0)
            CHECK_EQ(rico_effect_seek(b.world, b.effect, 0.4f, DT), RICO_OK);
        if (k == 1) {
            CHECK_EQ(rico_effect_set_time_scale(b.world, b.effect, 0.0f), RICO_OK);
            run_steps(b.world, 1);
            CHECK_EQ(rico_effect_set_time_scale(b.world, b.effect, 1.0f), RICO_OK);
        }
        if (k == 2)
            rico_world_step(b.world, 0.0f);
        remember(&b, 1.0f, &before);
        remember(&b, 0.2f, &after);
        uint32_t differ = 0;
        for (uint32_t i = 0; i < IDS; ++i)
            differ += before.of[i].known && before.of[i].p[2] != after.of[i].p[2];
        CHECK(k == 3 ? differ > 100 : differ == 0);
    }
    end_between(&b);
}

/* --- Along with the effect ---------------------------------------------------------------- */

/* Particles without speed must lie on the straight line between the effect's places, newborns
 * too. */
TEST(interpolation, takes_particles_along_with_an_effect_that_is_moved_but_not_teleported)
{
    static between b;
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.space = RICO_SPACE_LOCAL;
    r.rate = 600.0f;
    r.max_particles = 2000;
    begin_between(&b, &r, false);
    rico_transform was = at(0.0f, 0.0f, 1.6f);
    for (uint32_t n = 0; n < 40; ++n) {
        const rico_transform to = on_its_way(n + 1);
        const bool jumps = n % 5 == 4, goes_on = n % 10 == 9;
        if (jumps)
            CHECK_EQ(rico_effect_teleport(b.world, b.effect, to), RICO_OK);
        if (!jumps || goes_on)
            CHECK_EQ(rico_effect_move(b.world, b.effect, to), RICO_OK);
        CHECK_EQ(rico_effect_set_time_scale(b.world, b.effect, n % 4 == 3 ? 0.0f : 1.0f),
                 RICO_OK);
        rico_world_step(b.world, DT);
        for (float f = 0.0f; f <= 1.0f; f += 0.25f) {
            const rico_transform there = transform_mix(jumps ? &to : &was, &to, f);
            rico_output_frame frame = write(&b, f);
            const rico_billboard *out = frame.records;
            CHECK(frame.count >= 1);
            for (uint32_t i = 0; i < frame.count; ++i) {
                CHECK_NEAR(out[i].position[0], there.position.x, 1.0e-4);
                CHECK_NEAR(out[i].position[1], there.position.y, 1.0e-4);
                CHECK_NEAR(out[i].position[2], there.position.z, 1.0e-4);
            }
        }
        was = to;
    }
    end_between(&b);
}

/* --- Kinds, bits, refusals ---------------------------------------------------------------- */

static const float *position_in(const void *records, rico_output_kind kind, uint32_t i,
                                float copy[3])
{
    const float *at = (const float *)((const unsigned char *)records);
    const size_t floats[] = {6, 8, 16, 4 * 12, 8};
    at += i * floats[kind];
    if (kind == RICO_OUTPUT_BILLBOARDS || kind == RICO_OUTPUT_SPRITES ||
        kind == RICO_OUTPUT_STREAKS)
        return at;
    for (int k = 0; k < 3; ++k) /* of trails: the middle of the first two vertices */
        copy[k] = kind == RICO_OUTPUT_INSTANCES ? at[4 * k + 3] : 0.5f * (at[k] + at[k + 6]);
    return copy;
}

TEST(interpolation, is_the_same_for_all_kinds_of_records)
{
    static between b;
    rico_recipe r = sparks(RICO_COLLIDE_NONE);
    begin_between(&b, &r, false);
    run_steps(b.world, 30);
    for (int kind = 0; kind < RICO_OUTPUT_KIND_COUNT; ++kind) {
        rico_output_destroy(b.output);
        open_output(&b, (rico_output_kind)kind);
        rico_output_frame frame = write(&b, 0.4f);
        uint32_t n = 0;
        for (rico_view v = rico_effect_view(b.world, b.effect); rico_view_next(&v);)
            for (uint32_t i = 0; i < v.count; ++i, ++n) {
                float copy[3];
                const float *p = position_in(frame.records, (rico_output_kind)kind, n, copy);
                if (v.age[i] < DT)
                    continue;
                CHECK_NEAR(p[0], v.last_px[i] + (v.px[i] - v.last_px[i]) * 0.4f, 1.0e-5);
                CHECK_NEAR(p[1], v.last_py[i] + (v.py[i] - v.last_py[i]) * 0.4f, 1.0e-5);
                CHECK_NEAR(p[2], v.last_pz[i] + (v.pz[i] - v.last_pz[i]) * 0.4f, 1.0e-5);
            }
        CHECK(n == frame.count && n > 200);
    }
    end_between(&b);
}

/* Bounds and order must be those of the places that are written. */
TEST(interpolation, bounds_and_sorts_by_what_is_written)
{
    static between b;
    rico_recipe r = sparks(RICO_COLLIDE_NONE);
    begin_between(&b, &r, false);
    run_steps(b.world, 40);
    rico_output_destroy(b.output);
    rico_output_def def = rico_output_def_default();
    def.capacity = ROOM;
    def.sort = true;
    def.memory[0] = def.memory[1] = b.memory;
    CHECK_EQ(rico_output_create(b.world, &def, &b.output), RICO_OK);
    rico_output_frame frame = write(&b, 0.25f);
    const rico_billboard *out = frame.records;
    rico_vec3 lo = {1e9f, 1e9f, 1e9f}, hi = {-1e9f, -1e9f, -1e9f};
    float size = 0.0f;
    for (uint32_t i = 0; i < frame.count; ++i) {
        const rico_vec3 p = {out[i].position[0], out[i].position[1], out[i].position[2]};
        CHECK(i == 0 || out[i].position[1] <= out[i - 1].position[1] + 1.0e-3f);
        lo = vec3_min(lo, p);
        hi = vec3_max(hi, p);
        size = fmaxf(size, out[i].size);
    }
    const rico_box *box = &frame.parts[0].bounds;
    CHECK(box->lo.x == lo.x - size && box->lo.y == lo.y - size && box->lo.z == lo.z - size);
    CHECK(box->hi.x == hi.x + size && box->hi.y == hi.y + size && box->hi.z == hi.z + size);
    end_between(&b);
}

static uint64_t hash_of_writes(uint32_t workers)
{
    static between b;
    uint64_t hash = 0;
    rico_recipe r = sparks(RICO_COLLIDE_CACHED);
    r.interpolate = true;
    r.space = RICO_SPACE_LOCAL;
    b.world = small_world(workers, true);
    b.effect = begin_effect(b.world, &r, at(0.0f, 0.0f, 1.6f));
    open_output(&b, RICO_OUTPUT_STREAKS);
    for (uint32_t n = 0; n < 40; ++n) {
        if (n % 4 == 1)
            CHECK_EQ(rico_effect_move(b.world, b.effect, at(0.02f * (float)n, 0.0f, 1.6f)),
                     RICO_OK);
        rico_world_step(b.world, DT);
        rico_output_frame frame = write(&b, 0.37f);
        const uint32_t *words = frame.records;
        for (uint32_t i = 0; i < 8 * frame.count; ++i)
            hash = hash * 31 + words[i];
        hash = hash * 31 + rico_world_hash(b.world);
    }
    end_between(&b);
    return hash;
}

TEST(interpolation, gives_the_same_bits_for_any_number_of_workers_and_every_isa)
{
    uint64_t expected = hash_of_writes(1);
    CHECK(hash_of_writes(3) == expected);
    setenv("RICO_ISA", "scalar", 1);
    CHECK(hash_of_writes(1) == expected);
    unsetenv("RICO_ISA");
}

/* The additional streams must change nothing for particles. Without them, particles are written
 * where they are. */
TEST(interpolation, changes_nothing_for_particles_and_writes_at_1_what_is_written_without_it)
{
    static between b, plain;
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = sparks((rico_collision_mode)mode);
        r.events = 0;
        begin_between(&b, &r, true);
        begin_between(&plain, &r, true);
        rico_output_frame one, other;
        r.interpolate = false;
        CHECK_EQ(rico_effect_destroy(plain.world, plain.effect), RICO_OK);
        rico_effect_def def = rico_effect_def_default();
        def.seed = 77;
        def.transform = at(0.0f, 0.0f, 1.6f);
        plain.effect =
            rico_effect_spawn_def(plain.world, rico_world_add_recipe(plain.world, &r), &def);
        CHECK_EQ(rico_effect_destroy(b.world, b.effect), RICO_OK);
        r.interpolate = true;
        b.effect = rico_effect_spawn_def(b.world, rico_world_add_recipe(b.world, &r), &def);
        for (int n = 0; n < 60; ++n) {
            run_steps(b.world, 1);
            run_steps(plain.world, 1);
            CHECK_EQ(rico_output_write(b.output, &b.effect, 1, NULL, &one), RICO_OK);
            CHECK_EQ(rico_output_write_interpolated(plain.output, &plain.effect, 1, NULL, 0.5f,
                                                    &other),
                     RICO_OK);
            CHECK(one.count == other.count && (one.count > 200 || n < 50));
            CHECK(memcmp(one.records, other.records, one.count * sizeof(rico_billboard)) == 0);
            CHECK(memcmp(&one.parts[0].bounds, &other.parts[0].bounds, sizeof(rico_box)) == 0);
        }
        rico_view v = rico_effect_view(plain.world, plain.effect);
        CHECK(rico_view_next(&v) && v.last_px == NULL && v.last_pz == NULL);
        end_between(&b);
        end_between(&plain);
    }
}

TEST(interpolation, refuses_shares_that_are_none_and_changes_that_particles_have_no_memory_for)
{
    static between b;
    static const float bad[] = {NAN, INFINITY, -INFINITY, -0.001f, 1.001f};
    kept_log log;
    rico_recipe r = sparks(RICO_COLLIDE_NONE);
    begin_between(&b, &r, false);
    run_steps(b.world, 3);
    b.world->def.log = kept_log_hook(&log);
    for (int k = 0; k < 5; ++k) {
        rico_output_frame frame;
        memset(&frame, 1, sizeof frame);
        CHECK_EQ(rico_output_write_interpolated(b.output, &b.effect, 1, NULL, bad[k], &frame),
                 k < 3 ? RICO_NOT_FINITE : RICO_OUT_OF_RANGE);
        CHECK(strstr(log.text, "interpolation") != NULL && frame.records == NULL);
    }
    r.interpolate = false;
    CHECK_EQ(rico_world_change_recipe(b.world, (rico_recipe_id){1, 1}, &r), RICO_IN_USE);
    CHECK(strstr(log.text, "recipe.interpolate: ") != NULL);
    end_between(&b);
}

/* --- The clock ---------------------------------------------------------------------------- */

#define UNITS 4503599627370496.0 /* 2^52 per second: a whole number for floats from 2 ns on */

TEST(step_clock, gives_the_steps_of_exact_arithmetic_over_uneven_frames)
{
    static const float steps[] = {1.0f / 60.0f, 1.0f / 30.0f, 0.0001f, 1.0f, 0.007f};
    for (uint32_t s = 0; s < 5; ++s) {
        rico_clock clock = {.step = steps[s]};
        const uint64_t step = (uint64_t)((double)steps[s] * UNITS);
        uint64_t all = 0, due = 0;
        for (uint32_t n = 0; n < 20000; ++n) {
            float elapsed = rico__random_range(4, n, s, 0.0f, 0.05f);
            if (n % 100 == 0)
                elapsed = 1.0e-8f;
            all += (uint64_t)((double)elapsed * UNITS); /* 2048 s at most */
            due += rico_clock_advance(&clock, elapsed, UINT32_MAX);
            CHECK(due == all / step && clock.dropped == 0);
            CHECK(clock.interpolation == (float)((double)(all % step) / (double)step));
            CHECK(clock.interpolation >= 0.0f && clock.interpolation <= 1.0f);
        }
    }
}

TEST(step_clock, drops_what_is_beyond_the_most_steps_and_says_so)
{
    rico_clock clock = {.step = 0.25f};
    CHECK_EQ(rico_clock_advance(&clock, 0.875f, 2), 2);
    CHECK(clock.dropped == 1 && clock.interpolation == 0.5f);
    CHECK_EQ(rico_clock_advance(&clock, 0.125f, 2), 1);
    CHECK(clock.dropped == 0 && clock.interpolation == 0.0f);
    CHECK_EQ(rico_clock_advance(&clock, 1.0e30f, 4), 4);
    CHECK_EQ(clock.dropped, 3996);
    CHECK_EQ(rico_clock_advance(&clock, 0.3125f, 0), 0);
    CHECK(clock.dropped == 1 && clock.interpolation == 0.25f);
    CHECK_EQ(rico_clock_advance(&clock, NAN, 4), 0);
    CHECK_EQ(rico_clock_advance(&clock, -1.0f, 4), 0);
    CHECK(clock.dropped == 0 && clock.interpolation == 0.25f);
    clock.step = 0.125f; /* half a step is left */
    CHECK_EQ(rico_clock_advance(&clock, 0.0f, 4), 0);
    CHECK(clock.interpolation == 0.5f);
}

static int misuses;

static void count_misuse(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    ++misuses;
}

TEST(step_clock, does_nothing_by_steps_out_of_range)
{
    static const float bad[] = {0.0f, -1.0f, 0.00001f, 1.5f, NAN};
    rico_assert_set_handler(count_misuse);
    for (int k = 0; k < 5; ++k) {
        rico_clock clock = {.step = bad[k]};
        CHECK_EQ(rico_clock_advance(&clock, 0.5f, 9), 0);
        CHECK(misuses == k + 1 && clock.left == 0);
    }
    rico_assert_set_handler(NULL);
}
