/* Events: all are reported, in one order, and cut at its end. */
#include "runtime_births.h"
#include "vec.h"

#define ALL_EVENTS (RICO_EVENT_BIT_BIRTH | RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH)

static rico_world *event_world(uint32_t workers, uint32_t max_events)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 260000;
    def.max_effects = 1100;
    def.max_events = max_events;
    def.cache_bytes = 8 << 20;
    def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

/* `count` particles that live for `seconds` and all die together. */
static rico_recipe burst_of(uint32_t count, float seconds)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = count;
    r.lifetime = (rico_range){seconds, seconds};
    r.max_particles = count;
    r.events = RICO_EVENT_BIT_DEATH;
    return r;
}

TEST(events, of_one_busy_block_among_many_quiet_ones_none_is_lost)
{
    rico_world *world = event_world(2, 16384);
    rico_recipe busy = burst_of(230, 0.5f), quiet = burst_of(230, 500.0f);
    rico_recipe_id id = rico_world_add_recipe(world, &quiet);
    begin_effect(world, &busy, at(0, 0, 0));
    for (int i = 0; i < 1000; ++i)
        CHECK(rico_effect_spawn(world, id, at(0, 0, 0)).index1 != 0);
    uint32_t told = 0, dropped = 0, count;
    for (int i = 0; i < 40; ++i) {
        run_steps(world, 1);
        rico_world_events(world, &count);
        told += count;
        dropped += rico_world_get_stats(world).events_dropped;
    }
    CHECK_EQ(told, 230);
    CHECK_EQ(dropped, 0);
    rico_world_destroy(world);
}

TEST(events, of_rockets_among_quiet_effects_all_stars_are_born)
{
    rico_world *world = event_world(2, 16384);
    rico_recipe star = burst_of(0, 50.0f);
    star.max_particles = 20000;
    star.events = 0;
    rico_recipe rocket = burst_of(100, 0.5f), quiet = burst_of(200, 500.0f);
    rico_recipe_id stars = rico_world_add_recipe(world, &star);
    rocket.events = 0;
    rocket.sub_emitters[0] = (rico_sub_emitter){
        .on = RICO_EVENT_BIT_DEATH, .recipe = stars, .count = 30, .probability = 1.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &quiet);
    begin_effect(world, &rocket, at(0, 0, 0));
    for (int i = 0; i < 1000; ++i)
        rico_effect_spawn(world, id, at(0, 0, 0));
    run_steps(world, 40);
    CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, stars)), 3000);
    rico_world_destroy(world);
}

/* --- The order and the cut ---------------------------------------------------------------- */

#define SHOW_EFFECTS 14u
#define MOST_RAW 60000u

/* The events that the host wants of effect k. */
static const uint32_t heard[4] = {ALL_EVENTS, RICO_EVENT_BIT_DEATH, 0,
                                  RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_BIRTH};

static rico_recipe show_recipe(uint32_t k)
{
    rico_recipe r = burst_of(300 + 170 * (k % 5), 0.1f + 0.1f * (float)(k % 3));
    r.max_particles = 4000;
    r.rate = k % 4 == 1 ? 3000.0f : 0.0f;
    r.events = ALL_EVENTS;
    if (k % 3 != 1)
        return r;
    r.mode = RICO_COLLIDE_FIXED;
    r.speed = (rico_range){5.0f, 20.0f};
    r.spread = 3.0f;
    r.rest_speed = 0.0f;
    r.restitution = 1.0f;
    r.kill_above = k % 2 == 0 ? 1.0e5f : 0.0f;
    r.plane_count = 2;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, -0.1f};
    r.planes[1] = (rico_plane){{0.0f, 0.0f, -1.0f}, -0.1f};
    return r;
}

/* Effects of several blocks, which die all at once, bounce to and fro, or are born all the
 * time. With stars, the host wants some of the events only, and each other event has the birth
 * of a star. */
static void fill_show(rico_world *world, bool with_stars)
{
    const uint32_t on[] = {RICO_EVENT_BIT_BIRTH, RICO_EVENT_BIT_COLLISION,
                           RICO_EVENT_BIT_DEATH};
    rico_recipe star = burst_of(0, 0.05f);
    star.max_particles = 100000;
    star.events = 0;
    rico_recipe_id stars = rico_world_add_recipe(world, &star);
    for (uint32_t k = 0; k < SHOW_EFFECTS; ++k) {
        rico_recipe r = show_recipe(k);
        uint32_t n = 0;
        if (with_stars)
            r.events = heard[k % 4];
        for (uint32_t b = 0; b < 3; ++b)
            if (with_stars && (r.events & on[b]) == 0)
                r.sub_emitters[n++] = (rico_sub_emitter){
                    .on = on[b], .recipe = stars, .count = 1, .probability = 1.0f};
        rico_effect_def def = rico_effect_def_default();
        def.seed = k + 1;
        def.transform = at((float)k, 0, 0);
        CHECK(rico_effect_spawn_def(world, rico_world_add_recipe(world, &r), &def).index1 != 0);
    }
}

static bool is_same(const rico_event *a, const rico_event *b)
{
    return a->type == b->type && a->particle == b->particle && a->time == b->time &&
           memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           memcmp(&a->velocity, &b->velocity, sizeof a->velocity) == 0;
}

/* Compares with a world that reports all events and has no stars. Returns how many stars the
 * events lead to. */
static uint32_t check_cut(const rico_world *all, const rico_world *cut, uint32_t most)
{
    uint32_t raw_count, count, wanted = 0, stars = 0;
    const rico_event *raw = rico_world_events(all, &raw_count);
    const rico_event *events = rico_world_events(cut, &count);
    CHECK_EQ(rico_world_get_stats(all).events_dropped, 0);
    for (uint32_t n = 0; n < raw_count && n < 2 * most; ++n) {
        const uint32_t k = raw[n].effect.index1 - 1;
        const uint32_t bit = 1u << ((uint32_t)raw[n].type - 1u);
        stars += (heard[k % 4] & bit) == 0;
        if ((heard[k % 4] & bit) == 0 || wanted++ >= most)
            continue;
        CHECK(wanted <= count);
        const rico_event *e = &events[wanted - 1];
        const uint32_t slot1 = k == 0 ? 1 : k + 2; /* recipe 1 brings the stars' effect */
        CHECK_MSG(e->effect.index1 == slot1 && is_same(e, &raw[n]), "event %u of %u", wanted,
                  count);
    }
    CHECK_EQ(count, wanted < most ? wanted : most);
    uint32_t lost = raw_count > 2 * most ? raw_count - 2 * most : 0;
    CHECK_EQ(rico_world_get_stats(cut).events_dropped, lost + wanted - count);
    return stars;
}

static void check_show(uint32_t workers, uint32_t most)
{
    rico_world *all = event_world(1, MOST_RAW), *cut = event_world(workers, most);
    fill_show(all, false);
    fill_show(cut, true);
    uint32_t stars = 0, busiest = 0, raw;
    for (int i = 0; i < (TEST_IS_SLOW ? 15 : 25); ++i) {
        run_steps(all, 1);
        run_steps(cut, 1);
        rico_world_events(all, &raw);
        busiest = raw > busiest ? raw : busiest;
        CHECK_EQ(rico_world_get_stats(cut).births, rico_world_get_stats(all).births + stars);
        stars = check_cut(all, cut, most);
    }
    CHECK_MSG(busiest > 9000 && busiest < MOST_RAW, "%u", busiest);
    rico_world_destroy(all);
    rico_world_destroy(cut);
}

TEST(events, that_do_not_fit_are_those_at_the_end_for_any_number_of_workers)
{
    const uint32_t workers[] = {1, 2, 3, 8};
    const uint32_t most[] = {0, 1, 50, 700, 6000};
    bool full = getenv("RICO_TEST_FULL") != NULL;
    for (uint32_t w = 0; w < 4; ++w)
        for (uint32_t m = 0; m < 5; ++m)
            if (full || m == 2 || (w == 1 && !TEST_IS_SLOW))
                check_show(workers[w], most[m]);
}

/* --- Against views and statistics ------------------------------------------------------- */

#define MOST_IDS 4096u

/* What happens to the particles of one effect in a step, by the ids that views show before and
 * after it. */
typedef struct books {
    uint32_t before[MOST_IDS], after[MOST_IDS], born[MOST_IDS], died[MOST_IDS];
    uint32_t births, deaths, bounces, most_of_one;
} books;

static void note_living(const rico_world *world, rico_effect_id effect, uint32_t *alive)
{
    memset(alive, 0, MOST_IDS * sizeof *alive);
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            CHECK(v.id[i] < MOST_IDS && !alive[v.id[i]]);
            alive[v.id[i]] = 1;
        }
}

static void note_events(const rico_world *world, books *b)
{
    static uint32_t of_one[MOST_IDS];
    uint32_t count;
    const rico_event *e = rico_world_events(world, &count);
    b->births = b->deaths = b->bounces = 0;
    memset(b->born, 0, sizeof b->born);
    memset(b->died, 0, sizeof b->died);
    memset(of_one, 0, sizeof of_one);
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t id = e[n].particle;
        CHECK(id < MOST_IDS);
        b->born[id] += e[n].type == RICO_EVENT_BIRTH;
        b->died[id] += e[n].type == RICO_EVENT_DEATH;
        b->births += e[n].type == RICO_EVENT_BIRTH;
        b->deaths += e[n].type == RICO_EVENT_DEATH;
        b->bounces += e[n].type == RICO_EVENT_COLLISION;
        /* It is alive when an event reports it: born before, and not dead yet. */
        CHECK(b->before[id] + b->born[id] == 1);
        CHECK(b->died[id] == (e[n].type == RICO_EVENT_DEATH));
        of_one[id] += e[n].type == RICO_EVENT_COLLISION;
        b->most_of_one = of_one[id] > b->most_of_one ? of_one[id] : b->most_of_one;
    }
}

static void check_books(rico_world *world, const books *b)
{
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK_EQ(stats.events_dropped, 0);
    CHECK_EQ(b->births, stats.births);
    CHECK_EQ(b->deaths, stats.deaths);
    CHECK_EQ(b->bounces, stats.bounces);
    for (uint32_t id = 0; id < MOST_IDS; ++id)
        CHECK_MSG(b->before[id] + b->born[id] - b->died[id] == b->after[id],
                  "particle %u: before %u, born %u, died %u, after %u", id, b->before[id],
                  b->born[id], b->died[id], b->after[id]);
}

/* Particles live for up to a second, and are born all the time. plain: contacts are answered in
 * vectors. */
static rico_recipe busy_recipe(rico_collision_mode mode, bool plain)
{
    rico_recipe r = still_recipe(mode);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.rate = 400.0f;
    r.speed = (rico_range){1.0f, 5.0f};
    r.spread = 2.5f;
    r.lifetime = (rico_range){0.01f, 1.0f};
    r.queries_per_frame = 100.0f;
    r.kill_above = plain ? 0.0f : 6.0f;
    r.events = ALL_EVENTS;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    return r;
}

TEST(events, are_what_views_and_statistics_say_in_all_modes_and_steps)
{
    static books b;
    const float steps[] = {1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 15.0f};
    const rico_collision_mode modes[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_FIXED,
                                         RICO_COLLIDE_CACHED, RICO_COLLIDE_CLASSIC,
                                         RICO_COLLIDE_EXACT};
    for (uint32_t n = 0; n < 30; ++n) {
        const rico_collision_mode mode = modes[n / 6];
        rico_world *world = small_world(1 + n % 2, true);
        rico_recipe r = busy_recipe(mode, n % 2 == 0);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.3f, 1.2f));
        const float dt = steps[n / 2 % 3];
        uint64_t bounces = 0;
        for (float t = 0.0f; t < 2.0f; t += dt) {
            note_living(world, e, b.before);
            rico_world_step(world, dt);
            note_living(world, e, b.after);
            note_events(world, &b);
            check_books(world, &b);
            bounces += b.bounces;
        }
        CHECK_MSG(mode == RICO_COLLIDE_NONE || bounces > 100, "case %u: %u bounces", n,
                  (unsigned)bounces);
        rico_world_destroy(world);
    }
}

/* Two walls 0.2 m apart. */
static rico_world *corridor_world(void)
{
    const float p[] = {-0.1f, -40, -40, -0.1f, 40, -40, -0.1f, 40, 40, -0.1f, -40, 40,
                       0.1f,  -40, -40, 0.1f,  40, -40, 0.1f,  40, 40, 0.1f,  -40, 40};
    const uint32_t t[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    rico_mesh mesh = {.positions = p, .vertex_count = 8, .indices = t, .triangle_count = 4};
    rico_world *world = event_world(1, 16384);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    return world;
}

TEST(events, of_a_particle_that_bounces_four_times_in_a_step_are_all_told)
{
    static books b;
    const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                         RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 3; ++m) {
        rico_world *world = corridor_world();
        rico_recipe r = still_recipe(modes[m]);
        r.burst_count = 300;
        r.rate = 500.0f;
        r.speed = (rico_range){45.0f, 50.0f};
        r.spread = 0.2f;
        r.restitution = 1.0f;
        r.friction = r.rest_speed = 0.0f;
        r.lifetime = (rico_range){0.01f, 0.3f};
        r.kill_above = 9999.0f; /* contacts go particle by particle */
        r.events = ALL_EVENTS;
        r.plane_count = 2;
        r.planes[0] = (rico_plane){{1.0f, 0.0f, 0.0f}, -0.1f};
        r.planes[1] = (rico_plane){{-1.0f, 0.0f, 0.0f}, -0.1f};
        rico_transform across = at(0.0f, 0.0f, 0.0f); /* towards +x */
        across.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
        rico_effect_id e = begin_effect(world, &r, across);
        b.most_of_one = 0;
        for (int i = 0; i < 40; ++i) {
            note_living(world, e, b.before);
            run_steps(world, 1);
            note_living(world, e, b.after);
            note_events(world, &b);
            check_books(world, &b);
        }
        CHECK_MSG(b.most_of_one == 4, "mode %d: %u of one in a step", (int)modes[m],
                  b.most_of_one);
        rico_world_destroy(world);
    }
}

/* --- Which collider was hit ------------------------------------------------------------- */

static rico_collider_id add_floor(rico_world *world, float x, float half, uint16_t surface)
{
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){half, 8.0f, 0.5f};
    shape.surface = surface;
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform = at(x, 0.0f, -0.5f);
    rico_collider_id id = rico_world_add_collider(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

static rico_recipe bouncer(void)
{
    rico_recipe r = busy_recipe(RICO_COLLIDE_CACHED, true);
    r.rate = 300.0f;
    r.lifetime = (rico_range){3.0f, 3.0f};
    r.restitution = 0.6f;
    r.events = RICO_EVENT_BIT_COLLISION;
    return r;
}

/* Collisions of the last step: all, those without a collider, and those with a wrong one. Left
 * of the edge is collider a of surface 3, right of it b of surface 7. */
typedef struct named {
    uint32_t all, unnamed, wrong;
} named;

static void add_named_beside(const rico_world *world, float edge, rico_collider_id a,
                             rico_collider_id b, named *sum)
{
    uint32_t count;
    const rico_event *e = rico_world_events(world, &count);
    for (uint32_t n = 0; n < count; ++n) {
        bool left = e[n].position.x < edge;
        uint32_t expected = left ? a.index1 : b.index1;
        sum->all += 1;
        sum->unnamed += e[n].collider == 0;
        if (e[n].collider == 0 || fabsf(e[n].position.x - edge) < 0.02f)
            continue;
        sum->wrong += e[n].collider != expected || e[n].surface != (left ? 3 : 7) ||
                      e[n].triangle == RICO_NO_TRIANGLE;
    }
}

static void add_named(const rico_world *world, rico_collider_id a, rico_collider_id b,
                      named *sum)
{
    add_named_beside(world, 0.0f, a, b, sum);
}

TEST(events, of_mode_cached_name_what_was_hit)
{
    for (uint32_t n = 0; n < 6; ++n) {
        const float dt[] = {1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 15.0f};
        rico_world *world = event_world(1 + n % 2, 16384);
        rico_collider_id a = add_floor(world, -8.0f, 8.0f, 3);
        rico_collider_id b = add_floor(world, 8.0f, 8.0f, 7);
        rico_recipe r = bouncer();
        r.kill_above = n % 2 == 0 ? 0.0f : 1.0e5f;
        begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        named sum = {0};
        for (float t = 0.0f; t < 4.0f; t += dt[n / 2]) {
            rico_world_step(world, dt[n / 2]);
            add_named(world, a, b, &sum);
        }
        CHECK_MSG(sum.all > 1000 && sum.unnamed * 50 < sum.all && sum.wrong == 0,
                  "case %u: %u, %u unnamed, %u wrong", n, sum.all, sum.unnamed, sum.wrong);
        rico_world_destroy(world);
    }
}

/* Two tiles side by side with a bend of one degree between them: one mesh with two surfaces, or
 * one mesh each. The edge is within a cell, so records can confuse the two. */
#define TILES_EDGE 0.4f

static void add_tiles(rico_world *world, bool one, rico_collider_id id[2])
{
    static const float corners[18] = {-8.0f, -8.0f, 0.14f, 0.0f,  -8.0f, 0.0f,
                                      8.0f,  -8.0f, 0.0f,  -8.0f, 8.0f,  0.14f,
                                      0.0f,  8.0f,  0.0f,  8.0f,  8.0f,  0.0f};
    static const uint32_t indices[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    static const uint16_t surfaces[4] = {3, 3, 7, 7};
    for (uint32_t k = 0; k < 2; ++k) {
        const rico_mesh mesh = {.positions = corners,
                                .vertex_count = 6,
                                .indices = indices + 6 * k,
                                .triangle_count = one ? 4 : 2,
                                .surfaces = surfaces + 2 * k};
        id[k] = one && k > 0 ? id[0]
                             : rico_world_add_mesh(world, &mesh, at(TILES_EDGE, 0.0f, 0.0f));
        CHECK(id[k].index1 != 0);
    }
}

TEST(events, of_mode_cached_name_the_surface_on_each_side_of_an_edge_that_hardly_bends)
{
    for (uint32_t n = 0; n < 2; ++n) {
        rico_world *world = event_world(1 + n, 16384);
        rico_collider_id id[2];
        add_tiles(world, n == 0, id);
        rico_recipe r = bouncer(); /* most particles slide */
        r.restitution = 0.2f;
        r.friction = 0.02f;
        begin_effect(world, &r, at(0.0f, 0.0f, 0.3f));
        named sum = {0};
        for (uint32_t k = 0; k < 240; ++k) {
            run_steps(world, 1);
            add_named_beside(world, TILES_EDGE, id[0], id[1], &sum);
        }
        CHECK_MSG(sum.all > 1000 && sum.unnamed * 50 < sum.all && sum.wrong == 0,
                  "case %u: %u, %u unnamed, %u wrong", n, sum.all, sum.unnamed, sum.wrong);
        rico_world_destroy(world);
    }
}

TEST(events, never_name_a_collider_that_was_put_in_the_place_of_one_that_was_removed)
{
    rico_world *world = event_world(1, 16384);
    rico_collider_id a = add_floor(world, -8.0f, 8.0f, 3);
    rico_collider_id b = add_floor(world, 8.0f, 8.0f, 7);
    rico_recipe r = bouncer();
    begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    named before = {0}, after = {0};
    run_steps(world, 120);
    add_named(world, a, b, &before);
    CHECK_EQ(rico_world_remove_collider(world, a), RICO_OK);
    rico_collider_id far = add_floor(world, 200.0f, 1.0f, 5);
    CHECK_EQ(far.index1, a.index1); /* in the same slot */
    CHECK(far.generation != a.generation);
    for (int i = 0; i < 120; ++i) {
        uint32_t count;
        run_steps(world, 1);
        add_named(world, a, b, &after);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n)
            CHECK(e[n].collider == b.index1 || e[n].collider == 0);
    }
    CHECK_MSG(after.all > 300 && after.unnamed * 20 < after.all && after.wrong == 0,
              "%u, %u unnamed, %u wrong", after.all, after.unnamed, after.wrong);
    rico_world_destroy(world);
}

/* A floor moves up and down under the particles. */
TEST(events, name_colliders_that_move)
{
    rico_world *world = event_world(1, 16384);
    rico_collider_id a = add_floor(world, -8.0f, 8.0f, 3);
    rico_collider_id b = add_floor(world, 8.0f, 8.0f, 7);
    rico_recipe r = bouncer();
    begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    named sum = {0};
    for (int i = 0; i < 240; ++i) {
        rico_motion to = {.transform = at(-8.0f, 0.0f, -0.5f + 0.1f * sinf(0.1f * (float)i))};
        if (i > 60 && i < 150)
            CHECK_EQ(rico_world_move_colliders(world, &a, &to, 1), RICO_OK);
        run_steps(world, 1);
        if (i < 60 || i > 62) /* in between, it moves off where it stood still */
            add_named(world, a, b, &sum);
    }
    CHECK_MSG(sum.all > 1000 && sum.unnamed * 20 < sum.all && sum.wrong * 50 < sum.all,
              "%u, %u unnamed, %u wrong", sum.all, sum.unnamed, sum.wrong);
    rico_world_destroy(world);
}

/* Particles that keep all of their speed in bounces. k: mode fixed with a level plane, a steep
 * plane and two planes, then the other modes. */
static rico_recipe skipping_stones(uint32_t k)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED,   RICO_COLLIDE_FIXED,
                                                RICO_COLLIDE_FIXED,   RICO_COLLIDE_CACHED,
                                                RICO_COLLIDE_CLASSIC, RICO_COLLIDE_EXACT};
    rico_recipe r = busy_recipe(modes[k], true);
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.restitution = 1.0f;
    r.friction = r.rest_speed = 0.0f;
    r.rate = 1000.0f;
    r.spread = 3.0f;
    r.queries_per_frame = 1000.0f;
    r.plane_count = k < 3 ? 1 + k / 2 : 0;
    r.planes[0] = (rico_plane){{0.0f, k == 1 ? 0.6f : 0.0f, k == 1 ? 0.8f : 1.0f}, 0.0f};
    r.planes[1] = (rico_plane){{1.0f, 0.0f, 0.0f}, -0.5f};
    return r;
}

TEST(events, of_collisions_tell_all_of_the_speed_in_every_mode)
{
    for (uint32_t k = 0; k < 6; ++k) {
        rico_world *world = event_world(1, 16384);
        rico_recipe r = skipping_stones(k);
        uint32_t count, flat = 0;
        add_floor(world, 0.0f, 8.0f, 0);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        begin_effect(world, &r, at(0.0f, 0.0f, 0.5f));
        for (int i = 0; i < 60; ++i) {
            run_steps(world, 1);
            const rico_event *e = rico_world_events(world, &count);
            for (uint32_t n = 0; n < count; ++n) {
                if (e[n].type != RICO_EVENT_COLLISION)
                    continue;
                const float speed = vec3_length(e[n].velocity);
                CHECK_MSG(fabsf(e[n].speed - speed) < 1e-4f * speed, "%u: %g, then %g", k,
                          (double)e[n].speed, (double)speed);
                flat += vec3_dot(e[n].velocity, e[n].normal) < 0.7f * speed;
            }
        }
        CHECK_MSG(flat > 30, "%u: %u", k, flat);
        rico_world_destroy(world);
    }
}
