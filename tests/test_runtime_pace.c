/* Steps of uneven length: known paths stay known, and right. */
#include "runtime_births.h"
#include "runtime_movers.h"
#include "runtime_pace.h"

#include "simulate.h"

/* The length of step i. */
typedef float lengths(uint32_t i);

static float even(uint32_t i)
{
    (void)i;
    return DT;
}

static float share(uint32_t i)
{
    return (float)(i * 2654435761u >> 8) / 16777216.0f;
}

static float ten_percent(uint32_t i)
{
    return DT * (0.9f + 0.2f * share(i));
}

static float thirty_percent(uint32_t i)
{
    return DT * (0.7f + 0.6f * share(i));
}

static float in_turns(uint32_t i)
{
    return DT * (i % 2 == 0 ? 0.8f : 1.2f);
}

static float one_is_missed(uint32_t i)
{
    return DT * (i % 12 == 5 ? 2.0f : 1.0f);
}

/* Ten short steps, then ten long ones, by turns. */
static float in_runs_of_ten(uint32_t i)
{
    return i / 10 % 2 == 0 ? 0.006f : 0.03f;
}

static float another_rate(uint32_t i)
{
    return DT * (i / 45 % 2 == 0 ? 1.0f : 2.0f);
}

/* Counts particles over the terrain, and those below its surface. */
static void count_below(const rico_world *world, const rico_effect_id *effects, uint32_t *total,
                        uint32_t *below)
{
    for (int i = 0; i < EFFECTS; ++i) {
        rico_view v = rico_effect_view(world, effects[i]);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k) {
                if (fabsf(v.px[k]) > 9.5f || fabsf(v.py[k]) > 9.5f)
                    continue;
                *total += 1;
                *below += v.pz[k] < terrain_height(v.px[k], v.py[k]) - 0.1f;
            }
    }
}

/* Look-ups of a run in its steps after the first two seconds. */
typedef struct run {
    uint64_t lookups, particles;
    uint32_t most_lookups; /* the most in one step */
    uint32_t seen, below;
} run;

static run run_with(lengths *length, uint32_t steps)
{
    run r = {0};
    rico_effect_id effects[EFFECTS];
    rico_world *world = spark_world(1, effects);
    for (uint32_t i = 0; i < 120 + steps; ++i) {
        rico_world_step(world, length(i));
        if (i < 120)
            continue;
        rico_world_stats stats = rico_world_get_stats(world);
        r.lookups += stats.lookups;
        r.particles += stats.particles;
        r.most_lookups = stats.lookups > r.most_lookups ? stats.lookups : r.most_lookups;
        if (i % 30 == 0)
            count_below(world, effects, &r.seen, &r.below);
    }
    rico_world_destroy(world);
    return r;
}

TEST(pace, frames_that_take_more_or_less_make_nobody_look_again)
{
    static lengths *const all[] = {ten_percent, thirty_percent, in_turns, one_is_missed};
    run usual = run_with(even, 120);
    CHECK(usual.lookups > 1000);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        run r = run_with(all[k], 120);
        CHECK_MSG(r.lookups < usual.lookups * 3 / 2, "pattern %zu: %llu look-ups, not %llu", k,
                  (unsigned long long)r.lookups, (unsigned long long)usual.lookups);
        CHECK_MSG(r.most_lookups < usual.most_lookups * 4,
                  "pattern %zu: %u in one step, not %u", k, r.most_lookups, usual.most_lookups);
    }
}

/* Otherwise one long frame would make the next frames longer still. */
TEST(pace, another_rate_makes_nobody_look_again)
{
    run usual = run_with(even, 180), r = run_with(another_rate, 180);
    CHECK_MSG(r.lookups < usual.lookups * 3 && r.most_lookups < usual.most_lookups * 5,
              "%llu look-ups, %u in one step, not %llu and %u", (unsigned long long)r.lookups,
              r.most_lookups, (unsigned long long)usual.lookups, usual.most_lookups);
}

TEST(pace, nobody_falls_however_long_steps_are)
{
    static lengths *const all[] = {ten_percent,   thirty_percent, in_turns,
                                   one_is_missed, stalls,         another_rate};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        run r = run_with(all[k], 181);
        uint32_t most =
            all[k] == stalls ? r.seen / 1000 : 0; /* 0.2 s may hold too many bounces */
        CHECK(r.seen > 5000);
        CHECK_MSG(r.below <= most, "pattern %zu: %u of %u are below", k, r.below, r.seen);
    }
}

static float halves(uint32_t i)
{
    return DT * (0.5f + share(i));
}

/* Returns how often particles are outside a closed room in which a force pushes them to the
 * ceiling. */
static uint32_t count_out(lengths *length, rico_force_kind kind)
{
    rico_world *world = small_world(1, false);
    add_box(world, 4.0f, 4.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    add_box(world, 4.0f, 4.0f, 0.5f, at(0.0f, 0.0f, 4.5f));
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 300.0f;
    r.lifetime = (rico_range){1.5f, 1.5f};
    r.speed = (rico_range){0.0f, 2.0f};
    r.spread = 3.1f;
    r.queries_per_frame = 1000.0f;
    r.max_particles = 1000;
    r.forces[0] = rico_force_default();
    r.forces[0].kind = kind;
    r.forces[0].strength = 15.0f;
    r.forces[0].position = (rico_vec3){0.0f, 0.0f, 30.0f};
    r.forces[0].world_space = true;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 2.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t out = 0;
    for (uint32_t i = 0; i < 240; ++i) {
        rico_world_step(world, length(i));
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                out += v.pz[k] > 4.02f || v.pz[k] < -0.02f;
    }
    rico_world_destroy(world);
    return out;
}

TEST(pace, forces_push_as_far_as_they_were_foreseen_to)
{
    static lengths *const all[] = {even, ten_percent, halves, another_rate};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        uint32_t pushed = count_out(all[k], RICO_FORCE_DIRECTION);
        uint32_t drawn = count_out(all[k], RICO_FORCE_ATTRACTOR);
        CHECK_MSG(pushed == 0 && drawn == 0, "pattern %zu: %u and %u are out", k, pushed,
                  drawn);
    }
}

TEST(pace, is_the_same_for_any_number_of_workers)
{
    uint64_t hash = 0;
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        rico_effect_id effects[EFFECTS];
        rico_world *world = spark_world(workers, effects);
        for (uint32_t i = 0; i < 90; ++i)
            rico_world_step(world, i % 2 == 0 ? stalls(i) : thirty_percent(i));
        if (workers > 1)
            CHECK_EQ(rico_world_hash(world), hash);
        hash = rico_world_hash(world);
        rico_world_destroy(world);
    }
}

/* One particle that falls on the terrain, away from its table, and its streams. */
typedef struct drop {
    rico_world *world;
    rico_effect_id effect;
    float *data;
    const rico__recipe *recipe;
} drop;

static drop drop_from(float z, float first_dt, rico_collision_mode mode)
{
    drop d = {.world = small_world(1, true)};
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 1;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){9.0f, 9.0f};
    r.events = RICO_EVENT_BIT_COLLISION;
    rico_recipe_id id = rico_world_add_recipe(d.world, &r);
    CHECK_EQ(rico_world_bake(d.world, NULL, NULL), RICO_OK);
    d.effect = rico_effect_spawn(d.world, id, at(4.0f, 4.0f, z));
    rico_world_step(d.world, first_dt);
    const rico__effect *effect = &d.world->effects[d.effect.index1 - 1];
    d.data = rico__block_data(d.world, &d.world->blocks[effect->first_block]);
    d.recipe = &d.world->recipes[effect->recipe];
    return d;
}

static float *number(const drop *d, rico__field field)
{
    return rico__stream(d->recipe, d->data, field);
}

/* `until` is one and a half steps after the foreseen impact: half a step, and a whole one. */
#define LATE_STEPS 1.5f

TEST(pace, impacts_come_when_they_were_foreseen_however_steps_take_turns)
{
    for (int shorter_first = 0; shorter_first < 2; ++shorter_first) {
        drop d = drop_from(6.0f, DT, RICO_COLLIDE_CACHED);
        float foreseen = 0.0f, age = 0.0f, until = 0.0f, when = 0.0f;
        uint32_t events = 0;
        const rico_event *event = NULL;
        for (int i = 0; i < 90 && events == 0; ++i) {
            float dt = DT * ((i + shorter_first) % 2 == 0 ? 1.6f : 0.4f);
            age = number(&d, FIELD_AGE)[0];
            rico_world_step(d.world, dt);
            event = rico_world_events(d.world, &events);
            if (number(&d, FIELD_UNTIL)[0] != until) /* it has looked again */
                when = number(&d, FIELD_UNTIL)[0] -
                       LATE_STEPS * d.world->effects[d.effect.index1 - 1].path_dt;
            until = number(&d, FIELD_UNTIL)[0];
            foreseen = i <= 30 ? when : foreseen;
        }
        CHECK_EQ(events, 1);
        CHECK_MSG(fabsf(age + event->time - foreseen) < 0.0011f, "at %g s, foreseen at %g s",
                  (double)(age + event->time), (double)foreseen);
        rico_world_destroy(d.world);
    }
}

static float halves_and_stalls(uint32_t i)
{
    return i % 25 == 20 ? 0.15f : halves(i);
}

static void fall_unevenly(rico_collision_mode mode, lengths *length)
{
    drop d = drop_from(90.0f, 1.4f * DT, mode);
    const double g = fabsf(d.recipe->def.gravity.z), z = number(&d, FIELD_PZ)[0];
    const double v = number(&d, FIELD_VZ)[0] - 0.5 * g * (double)(1.4f * DT);
    double t = 0.0;
    for (uint32_t i = 0; i < 120; ++i) {
        const float dt = length(i);
        rico_world_step(d.world, dt);
        t += (double)dt;
        const double off = number(&d, FIELD_PZ)[0] - (z + v * t - 0.5 * g * t * t);
        CHECK_MSG(fabs(off) < 2e-4, "mode %d, step %u: off by %g m", mode, i, off);
    }
    rico_world_destroy(d.world);
}

TEST(pace, uneven_steps_lead_along_the_path_of_even_ones)
{
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode) {
        fall_unevenly(mode, halves);
        fall_unevenly(mode, halves_and_stalls);
    }
}

static float four_to_33_ms(uint32_t i)
{
    uint32_t mixed = (i ^ i << 7) * 2654435761u; /* otherwise ten in a row take about as long */
    return 0.004f + 0.029f * share(mixed ^ mixed >> 15);
}

/* A room of 4 m made of twelve triangles, turned by an angle. */
static rico_world *closed_room(float turn)
{
    static const uint32_t indices[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                         2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    float places[24];
    for (int i = 0; i < 8; ++i) {
        const float x = i & 1 ? 2.0f : -2.0f, y = i & 2 ? 2.0f : -2.0f;
        places[3 * i] = x * cosf(turn) - y * sinf(turn);
        places[3 * i + 1] = x * sinf(turn) + y * cosf(turn);
        places[3 * i + 2] = i & 4 ? 2.0f : -2.0f;
    }
    const rico_mesh mesh = {
        .positions = places, .vertex_count = 8, .indices = indices, .triangle_count = 12};
    rico_world *world = small_world(1, false);
    rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY);
    return world;
}

static void bounce_about(rico_collision_mode mode)
{
    const float turn = 0.5f, g = 9.81f;
    rico_world *world = closed_room(turn);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 1000;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 1.0f};
    r.spread = 3.1f;
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.speed = (rico_range){2.0f, 8.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, -g};
    r.radius = 0.002f;
    r.restitution = 1.0f;
    r.friction = r.rest_speed = 0.0f;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t out = 0, jumpy = 0;
    for (uint32_t i = 0; i < 1500; ++i) {
        rico_world_step(world, four_to_33_ms(i));
        if (i % 50 != 49)
            continue;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k) {
                const float x = v.px[k] * cosf(turn) + v.py[k] * sinf(turn);
                const float y = v.py[k] * cosf(turn) - v.px[k] * sinf(turn);
                const float way = fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(v.pz[k]));
                const float speed2 = v.vx[k] * v.vx[k] + v.vy[k] * v.vy[k] + v.vz[k] * v.vz[k];
                out += way > 2.001f;
                jumpy += 0.5f * speed2 + g * v.pz[k] > 0.5f * 64.0f + 0.7f * g + 3.0f;
            }
    }
    CHECK_MSG(out == 0 && jumpy == 0, "mode %d: %u are out, %u have gained", mode, out, jumpy);
    rico_world_destroy(world);
}

TEST(pace, nobody_leaves_a_room_in_uneven_steps_nor_gains_much)
{
    bounce_about(RICO_COLLIDE_CACHED);
    bounce_about(RICO_COLLIDE_EXACT);
}

/* The path is known only up to the middle of a step that is longer than those before. The
 * particle must look again before that step. */
TEST(pace, whose_path_ends_in_a_long_step_looks_again_before_it)
{
    drop d = drop_from(3.0f, DT, RICO_COLLIDE_CACHED);
    float ground = terrain_height(4.0f, 4.0f);
    while (number(&d, FIELD_PZ)[0] > ground + 0.16f)
        rico_world_step(d.world, DT);
    CHECK(number(&d, FIELD_VZ)[0] < -6.0f && number(&d, FIELD_PZ)[0] > ground);
    rico__watch(number(&d, FIELD_PX), d.world->recipes[0].stream_floats, no_plane(), 0);
    number(&d, FIELD_UNTIL)[0] = number(&d, FIELD_AGE)[0] + 0.3f * DT;
    rico_world_step(d.world, 1.5f * DT);
    CHECK_EQ(rico_world_get_stats(d.world).bounces, 1);
    CHECK(number(&d, FIELD_PZ)[0] > ground);
    rico_world_destroy(d.world);
}

/* Lets balls fall on a floor in steps of dt. Returns how often balls were seen below the floor. */
static uint32_t count_fallen(rico_recipe r, float height, float dt, uint32_t steps)
{
    rico_world *world = small_world(1, false);
    add_box(world, 8.0f, 8.0f, 2.0f, at(0.0f, 0.0f, -2.0f));
    r.mode = RICO_COLLIDE_CACHED;
    r.max_particles = 4000;
    r.queries_per_frame = 1000.0f;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, height));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t fallen = 0, bounces = 0;
    for (uint32_t i = 0; i < steps; ++i) {
        rico_world_step(world, dt);
        bounces += rico_world_get_stats(world).bounces;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                fallen += v.pz[k] < -0.001f && fabsf(v.px[k]) < 7.5f && fabsf(v.py[k]) < 7.5f;
    }
    CHECK_MSG(bounces > 300, "%u", bounces);
    rico_world_destroy(world);
    return fallen;
}

TEST(pace, who_dies_as_it_lands_is_not_seen_below)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 1000.0f;
    r.speed = (rico_range){0.0f, 0.5f};
    r.lifetime = (rico_range){0.6f, 0.7f};
    CHECK_EQ(count_fallen(r, 2.0f, DT, 120), 0);
}

/* What forces let a path foresee is used up in the step of the birth. */
TEST(pace, who_is_born_in_a_long_step_looks_again_in_the_next)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 1000.0f;
    r.spread = 3.1f;
    r.speed = (rico_range){7.0f, 7.0f};
    r.forces[0] = rico_force_default();
    r.lifetime = (rico_range){0.6f, 0.6f};
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = 15.0f;
    r.forces[0].scale = 0.5f;
    CHECK_EQ(count_fallen(r, 0.3f, 2.0f * DT, 60), 0);
    CHECK_EQ(count_fallen(r, 1.0f, 6.0f * DT, 60), 0);
}

TEST(pace, paths_that_change_are_looked_at_from_where_particles_are)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 1000.0f;
    r.spread = 3.1f;
    r.radius = 0.001f;
    r.drag = 2.2f;
    r.drag_over_life.key_count = 2;
    r.drag_over_life.at[1] = 1.0f;
    r.drag_over_life.value[0] = 1.0f;
    r.drag_over_life.value[1] = 2.5f;
    r.drag_over_life.interpolation = RICO_LINEAR;
    CHECK_EQ(count_fallen(r, 2.0f, DT, 360), 0);
}

/* --- Drag --------------------------------------------------------------------------------- */

typedef enum drag_form { ALL_THE_TIME, OVER_LIFE, BY_FORCE, BY_SQUARE, DRAG_FORMS } drag_form;

/* Drag with which a fall ends at 1.2 m/s, for infinitely short steps. */
static void slow_down(rico_recipe *r, drag_form form)
{
    const float drag = 8.175f;
    r->drag = form <= OVER_LIFE ? drag : 0.0f;
    if (form == OVER_LIFE)
        r->drag_over_life = (rico_curve){
            .key_count = 3, .at = {0.0f, 0.02f, 1.0f}, .value = {0.5f, 1.0f, 1.0f}};
    if (form == BY_FORCE) {
        r->forces[0] = rico_force_default();
        r->forces[0].kind = RICO_FORCE_DRAG;
        r->forces[0].strength = drag;
    }
    if (form == BY_SQUARE)
        r->drag_quadratic = drag / 1.2f;
}

/* Flakes that come down all over the terrain. */
static void snow(rico_world *world, rico_effect_id effects[EFFECTS], drag_form form)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.5f, 1.5f, 0.1f};
    r.rate = 200.0f;
    r.spread = 3.1415927f;
    r.speed = (rico_range){0.0f, 0.4f};
    r.lifetime = (rico_range){6.0f, 7.0f};
    r.max_particles = 2000;
    slow_down(&r, form);
    r.radius = 0.006f;
    r.restitution = 0.0f;
    r.friction = 0.95f;
    r.queries_per_frame = 20.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < EFFECTS; ++i)
        effects[i] = rico_effect_spawn(
            world, id, at((float)(i % 3) * 4.0f - 4.0f, (float)(i / 3) * 4.0f - 4.0f, 5.0f));
}

/* Adds the speeds of flakes that have fallen for a second and are still high above the ground. */
static void note_speeds(const rico_world *world, rico_effect_id effect, float *least,
                        float *most)
{
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k) {
            if (v.age[k] < 1.0f || v.pz[k] < 3.0f)
                continue;
            *least = fminf(*least, -v.vz[k]);
            *most = fmaxf(*most, -v.vz[k]);
        }
}

/* Speeds are compared within four runs of ten steps, because the mean step, by which they go,
 * changes slowly. */
static void come_down(drag_form form, lengths *length, uint32_t steps)
{
    rico_effect_id effects[EFFECTS];
    rico_world *world = small_world(1, true);
    float least = 10.0f, most = 0.0f, widest = 1.0f;
    uint32_t total = 0, below = 0;
    snow(world, effects, form);
    for (uint32_t i = 0; i < steps; ++i) {
        rico_world_step(world, length(i));
        if (i < 200)
            continue;
        note_speeds(world, effects[4], &least, &most);
        if (i % 20 == 0)
            count_below(world, effects, &total, &below);
        if (i % 40 != 39)
            continue;
        CHECK(most > 1.0f);
        widest = fmaxf(widest, most / least);
        least = 10.0f;
        most = 0.0f;
    }
    CHECK(total > 5000);
    CHECK_MSG(below == 0, "form %d: %u of %u are below", form, below, total);
    CHECK_MSG(widest < 1.01f, "form %d: speeds differ by a factor of %g", form, (double)widest);
    rico_world_destroy(world);
}

TEST(pace, who_falls_against_drag_comes_down_when_it_was_foreseen_to)
{
    come_down(ALL_THE_TIME, in_runs_of_ten, 900);
}

TEST(pace, falls_end_as_in_even_steps_whatever_drags)
{
    for (drag_form form = OVER_LIFE; form < DRAG_FORMS; ++form)
        come_down(form, in_runs_of_ten, 700);
}
