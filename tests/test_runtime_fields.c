/* Force fields in the world: where they act and how, what their edits do, and that particles in
 * them stay above the ground. */
#include "runtime_forces.h"
#include "runtime_host.h"
#include "runtime_isa.h"

#include "state.h"

#include <ricochet/world_fields.h>

#define DT (1.0f / 60.0f)

static rico_field_def some_field(rico_force_kind kind, uint32_t serial)
{
    rico_field_def def = rico_field_def_default();
    def.force = some_force(kind, serial);
    def.shape = serial % 2 ? RICO_FIELD_SPHERE : RICO_FIELD_BOX;
    def.size = (rico_vec3){1.5f, 0.8f, 2.0f};
    def.falloff = serial % 3 ? 0.4f : 0.0f;
    def.transform = at(1.0f, 0.5f, 0.0f);
    def.transform.rotation = (rico_quat){0.48f, 0.0f, 0.6f, 0.64f};
    def.transform.scale = 1.4f;
    return def;
}

static rico_recipe feeling_recipe(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.field_layers = 6;
    r.rate = 0.0f;
    r.burst_count = 60;
    r.lifetime = (rico_range){100.0f, 100.0f};
    return r;
}

/* --- What fields do --------------------------------------------------------------------- */

static void follow_slowly(const rico_field_def *defs, int count)
{
    static crowd before, after;
    slow_field slow[8];
    rico_world *world = small_world(1, false);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_NONE);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){2.0f, 2.0f, 2.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    run_steps(world, 1);
    look_at(world, e, &before);
    for (int i = 0; i < count; ++i) {
        const rico_field_def *d = &defs[i];
        double scale = (double)d->transform.scale;
        CHECK(rico_world_add_field(world, d).index1 != 0);
        slow[i] = (slow_field){
            .force = d->force,
            .place = {.space = d->transform,
                      .ball = d->shape == RICO_FIELD_SPHERE,
                      .half = {(double)d->size.x * scale, (double)d->size.y * scale,
                               (double)d->size.z * scale},
                      .falloff = (double)d->falloff}};
        if (slow[i].place.ball)
            slow[i].place.half[1] = slow[i].place.half[2] = slow[i].place.half[0];
    }
    run_steps(world, 20);
    look_at(world, e, &after);
    uint32_t pushed = 0, off = 0;
    for (uint32_t i = 0; i < before.count; ++i) {
        double p[3], v[3], far = 0.0, way = 0.0;
        for (int k = 0; k < 3; ++k) {
            p[k] = (double)before.p[i][k];
            v[k] = (double)before.v[i][k];
        }
        for (int n = 0; n < 20; ++n)
            slow_step(&r, &defs[0].transform, slow, count, (n + 2) * (double)DT, (double)DT, p,
                      v);
        for (int k = 0; k < 3; ++k) {
            far = fmax(far, fabs(p[k] - (double)after.p[i][k]));
            way = fmax(way, fabs(v[k] - (double)before.v[i][k]));
        }
        pushed += way > 0.01;
        off +=
            far > 1.0e-3; /* rounding may tell on which side of a sharp border a step began */
    }
    CHECK_MSG(off <= 1 && pushed > 5 && pushed < before.count, "%u off, %u pushed", off,
              pushed);
    rico_world_destroy(world);
}

TEST(fields, push_what_is_in_their_box_or_sphere_as_their_formulas_say)
{
    rico_field_def defs[3];
    for (int kind = 1; kind < RICO_FORCE_KIND_COUNT; ++kind)
        for (uint32_t n = 0; n < 4; ++n) {
            defs[0] = some_field((rico_force_kind)kind, n);
            defs[0].layers = 2;
            follow_slowly(defs, 1);
        }
    for (uint32_t n = 0; n < 3; ++n) {
        defs[n] = some_field((rico_force_kind)(n + 2), n + 1);
        defs[n].layers = 4;
    }
    follow_slowly(defs, 3);
}

TEST(fields, leave_recipes_alone_that_share_no_layer_and_all_once_removed)
{
    rico_world *a = small_world(1, true), *b = small_world(1, true);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
    rico_effect_id e = rico_effect_spawn(a, rico_world_add_recipe(a, &r), at(0, 0, 2));
    rico_effect_id f = rico_effect_spawn(b, rico_world_add_recipe(b, &r), at(0, 0, 2));
    rico_field_def def = some_field(RICO_FORCE_DIRECTION, 1);
    def.transform = at(0.5f, 0.0f, 2.0f);
    def.layers = 9;
    rico_field_id id = rico_world_add_field(a, &def);
    run_steps(a, 10);
    run_steps(b, 10);
    CHECK_EQ(rico_world_remove_field(a, id), RICO_OK);
    CHECK_EQ(rico_world_hash(a), rico_world_hash(b));
    rico_world_add_field(a, &def); /* shares no layer */
    def.transform.position.x = 0.0f;
    def.layers = 2;
    rico_world_add_field(a, &def);
    rico_world_add_field(b, &def);
    run_steps(a, 10);
    run_steps(b, 10);
    static crowd x, y;
    look_at(a, e, &x);
    look_at(b, f, &y);
    CHECK(x.count == y.count && memcmp(x.v, y.v, x.count * sizeof x.v[0]) == 0);
    rico_world_destroy(a);
    rico_world_destroy(b);
}

TEST(fields, are_refused_with_a_reason_and_known_by_their_ids)
{
    static const struct {
        size_t offset;
        float value;
        const char *name;
    } cases[] = {
        {offsetof(rico_field_def, force.strength), NAN,
         "def.force.strength is nan, expected -1000 to 1000"},
        {offsetof(rico_field_def, force.axis.x), 1.5f, "def.force.axis.x is 1.5"},
        {offsetof(rico_field_def, size.x), 0.0f, "def.size.x is 0"},
        {offsetof(rico_field_def, size.y), -1.0f, "def.size.y is -1"},
        {offsetof(rico_field_def, size.z), INFINITY, "def.size.z is inf"},
        {offsetof(rico_field_def, falloff), 1.5f, "def.falloff is 1.5"},
        {offsetof(rico_field_def, transform.position.y), NAN,
         "def.transform.position.y is nan"},
        {offsetof(rico_field_def, transform.scale), 0.0f,
         "def.transform.scale is 0, expected more than 0"},
    };
    counting_allocator counter;
    kept_log log;
    rico_world_def world_def = counted_def(&counter, &log);
    rico_world *world;
    world_def.max_fields = 257;
    CHECK_EQ(rico_world_create(&world_def, &world), RICO_OUT_OF_RANGE);
    world_def.max_fields = 2;
    CHECK_EQ(rico_world_create(&world_def, &world), RICO_OK);
    long calls = counter.calls;
    rico_field_def good = some_field(RICO_FORCE_VORTEX, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        rico_field_def def = good;
        memcpy((char *)&def + cases[i].offset, &cases[i].value, sizeof(float));
        CHECK_EQ(rico_world_add_field(world, &def).index1, 0);
        CHECK_MSG(strstr(log.text, cases[i].name) != NULL, "'%s', expected '%s'", log.text,
                  cases[i].name);
    }
    rico_field_def def = {0};
    CHECK_EQ(rico_world_add_field(world, &def).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_UNINITIALIZED_DEF);
    rico_field_id a = rico_world_add_field(world, &good),
                  b = rico_world_add_field(world, &good);
    CHECK(a.index1 == 1 && b.index1 == 2);
    CHECK_EQ(rico_world_add_field(world, &good).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_FULL);
    CHECK(strstr(log.text, "max_fields (2)") != NULL);
    CHECK_EQ(rico_world_move_field(world, a, at(NAN, 0, 0)), RICO_NOT_FINITE);
    def = good;
    def.falloff = -1.0f;
    CHECK_EQ(rico_world_change_field(world, a, &def), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_remove_field(world, a), RICO_OK);
    CHECK_EQ(rico_world_remove_field(world, a), RICO_STALE_ID);
    rico_field_id c = rico_world_add_field(world, &good);
    CHECK(c.index1 == a.index1 && c.generation != a.generation);
    CHECK_EQ(rico_world_move_field(world, a, at(0, 0, 0)), RICO_STALE_ID);
    CHECK_EQ(rico_world_change_field(world, (rico_field_id){0}, &good), RICO_STALE_ID);
    CHECK_EQ(rico_world_change_field(world, (rico_field_id){3, 0}, &good), RICO_STALE_ID);
    CHECK_EQ(counter.calls, calls);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_blocks, 0);
}

TEST(fields, keep_their_place_when_the_origin_moves)
{
    static crowd x, y;
    rico_world *worlds[2];
    rico_effect_id e[2];
    for (int w = 0; w < 2; ++w) {
        worlds[w] = small_world(1, false);
        rico_recipe r = feeling_recipe(RICO_COLLIDE_NONE);
        r.forces[0] = some_force(RICO_FORCE_TURBULENCE, 2);
        r.forces[1] = some_force(RICO_FORCE_VORTEX, 2);
        r.forces[1].world_space = true;
        rico_field_def def = some_field(RICO_FORCE_TURBULENCE, 5);
        def.layers = 2;
        CHECK(rico_world_add_field(worlds[w], &def).index1 != 0);
        e[w] = rico_effect_spawn(worlds[w], rico_world_add_recipe(worlds[w], &r), at(0, 0, 0));
        run_steps(worlds[w], 5);
        if (w == 1)
            CHECK_EQ(rico_world_shift_origin(worlds[w], (rico_vec3){3.3f, -64.0f, 10.1f}),
                     RICO_OK);
        run_steps(worlds[w], 40);
    }
    look_at(worlds[0], e[0], &x);
    look_at(worlds[1], e[1], &y);
    for (uint32_t i = 0; i < x.count; ++i) {
        CHECK(fabsf(x.p[i][0] - y.p[i][0] - 3.3f) < 2.0e-3f);
        CHECK(fabsf(x.p[i][1] - y.p[i][1] + 64.0f) < 2.0e-3f);
        CHECK(fabsf(x.p[i][2] - y.p[i][2] - 10.1f) < 2.0e-3f);
    }
    rico_world_destroy(worlds[0]);
    rico_world_destroy(worlds[1]);
}

/* --- On the ground ------------------------------------------------------------------------ */

/* Counts particles below the terrain. Those that are blown over its rim do not count. */
static uint32_t count_below(const rico_world *world, rico_effect_id effect, float depth)
{
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += fabsf(v.px[i]) < TERRAIN_HALF && fabsf(v.py[i]) < TERRAIN_HALF &&
                     v.pz[i] < terrain_height(v.px[i], v.py[i]) - depth;
    return below;
}

/* A field comes and goes, moves and reverses its force, over a crowd that turbulence blows
 * about. */
static rico_world *stormy_world(uint32_t workers, rico_effect_id effects[], int steps)
{
    rico_world *world = small_world(workers, true);
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = feeling_recipe((rico_collision_mode)mode);
        r.burst_count = 150;
        r.burst_interval = 0.5f;
        r.lifetime = (rico_range){1.5f, 2.5f};
        r.queries_per_frame = 50.0f;
        r.forces[1] = some_force(RICO_FORCE_TURBULENCE, 1);
        r.forces[1].strength = 5.0f;
        r.drag_quadratic = 0.02f;
        r.limit_speed = 6.0f;
        r.wind.x = 2.0f;
        if (mode == RICO_COLLIDE_FIXED) {
            r.plane_count = 2;
            r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
            r.planes[1] = (rico_plane){{0.6f, 0.0f, 0.8f}, -1.0f};
        }
        effects[mode] =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(-1.0f, 0.0f, 1.5f));
    }
    rico_field_def def = some_field(RICO_FORCE_VORTEX, 1);
    def.layers = 2;
    def.size.x = 3.0f;
    def.force.strength = -20.0f;
    rico_field_id id = {0};
    for (int n = 0; n < steps; ++n) {
        float x = 2.0f * sinf((float)n * 0.05f);
        if (n % 80 == 20)
            id = rico_world_add_field(world, &def);
        if (n % 80 > 20 && n % 3 == 0)
            CHECK_EQ(rico_world_move_field(world, id, at(x, 1.0f, 0.5f)), RICO_OK);
        def.force.strength = -def.force.strength;
        if (n % 80 == 50)
            CHECK_EQ(rico_world_change_field(world, id, &def), RICO_OK);
        if (n % 80 == 79)
            CHECK_EQ(rico_world_remove_field(world, id), RICO_OK);
        rico_world_step(world, DT);
        CHECK_EQ(count_below(world, effects[RICO_COLLIDE_CACHED], 0.08f), 0);
        CHECK_EQ(count_below(world, effects[RICO_COLLIDE_EXACT], 0.08f), 0);
    }
    return world;
}

TEST(fields, storms_blow_nobody_through_the_ground)
{
    rico_effect_id effects[RICO_COLLISION_MODE_COUNT];
    rico_world *world = stormy_world(1, effects, getenv("RICO_TEST_FULL") ? 1200 : 150);
    CHECK(rico_world_get_stats(world).bounces > 0);
    CHECK(rico_effect_particle_count(world, effects[RICO_COLLIDE_CACHED]) > 200);
    rico_world_destroy(world);
}

TEST(fields, storms_are_the_same_for_any_number_of_workers_and_every_isa)
{
    rico_effect_id effects[RICO_COLLISION_MODE_COUNT];
    rico_world *world = stormy_world(1, effects, 60);
    uint64_t expected = rico_world_hash(world);
    rico_world_destroy(world);
    world = stormy_world(3, effects, 60);
    CHECK_EQ(rico_world_hash(world), expected);
    rico_world_destroy(world);
    for (int isa = -1; on_next_isa(&isa);) {
        world = stormy_world(1, effects, 60);
        CHECK_MSG(rico_world_hash(world) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
        rico_world_destroy(world);
    }
}

/* Four planes form a trough that is open along y. A vortex throws particles at all of them, so
 * each particle must watch the plane that it is pushed to. */
TEST(fields, particles_with_planes_of_their_own_watch_the_one_that_they_are_pushed_to)
{
    static crowd c;
    rico_world *world = small_world(1, false);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_FIXED);
    const rico_vec3 normals[4] = {
        {1.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, -1.0f}};
    r.plane_count = 4;
    for (int i = 0; i < 4; ++i)
        r.planes[i] = (rico_plane){normals[i], -1.0f};
    r.friction = 0.0f;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    rico_field_def def = some_field(RICO_FORCE_VORTEX, 1);
    def.size.x = 50.0f;
    def.force.strength = -30.0f;
    def.force.axis = (rico_vec3){0.0f, 1.0f, 0.0f};
    def.transform = at(0.0f, 0.0f, 0.0f);
    def.layers = 2;
    CHECK(rico_world_add_field(world, &def).index1 != 0);
    for (int n = 0; n < 240; ++n) {
        rico_world_step(world, DT);
        look_at(world, e, &c);
        for (uint32_t i = 0; i < c.count; ++i)
            CHECK_MSG(fabsf(c.p[i][0]) < 1.2f && fabsf(c.p[i][2]) < 1.2f, "step %d: %g, %g", n,
                      (double)c.p[i][0], (double)c.p[i][2]);
    }
    rico_world_destroy(world);
}

/* --- Rest --------------------------------------------------------------------------------- */

static uint32_t asleep_after(rico_world *world, int steps)
{
    run_steps(world, steps);
    return rico_world_get_stats(world).sleeping;
}

TEST(fields, wake_sleepers_that_they_would_move_and_no_others)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                                RICO_COLLIDE_EXACT};
    for (int m = 0; m < 6; ++m) {
        rico_world *world = small_world(1, true);
        rico_recipe r = feeling_recipe(modes[m % 3]);
        if (m >= 3) { /* the drag changes over life */
            r.drag = 0.2f;
            r.drag_over_life = (rico_curve){.key_count = 2, .at = {0, 1}, .value = {1, 2}};
        }
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.8f};
        r.speed = (rico_range){0.1f, 0.3f};
        r.friction = 0.6f;
        r.queries_per_frame = 50.0f;
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 1.2f));
        uint32_t all = asleep_after(world, 240);
        CHECK_MSG(all == 60, "mode %d: %u sleep", m, all);
        rico_field_def def = rico_field_def_default();
        def.force.kind = RICO_FORCE_DIRECTION;
        def.force.axis = (rico_vec3){1.0f, 0.0f, 0.0f};
        def.force.strength = 3.0f; /* friction holds: 3 against 9.81 */
        def.size = (rico_vec3){3.0f, 3.0f, 3.0f};
        def.layers = 2;
        rico_field_id id = rico_world_add_field(world, &def);
        CHECK_EQ(asleep_after(world, 1), 60);
        def.force.strength = 8.0f; /* 0.13 m/s in a step, less than rest_speed */
        def.layers = 1;
        rico_world_change_field(world, id, &def);
        CHECK_EQ(asleep_after(world, 1), 60);
        def.layers = 2;
        rico_world_change_field(world, id, &def);
        CHECK_EQ(asleep_after(world, 1), 0);
        CHECK_EQ(asleep_after(world, 5), 0); /* no particle rests in the field */
        def.force.strength = 0.0f;
        rico_world_change_field(world, id, &def);
        CHECK_MSG(asleep_after(world, 400) > 0, "mode %d", m);
        rico_world_destroy(world);
    }
}

/* A paused effect knows its paths for a turbulence that has scrolled on since then. */
TEST(fields, that_scroll_are_missed_by_who_is_paused_and_feels_them)
{
    for (int feels = 0; feels < 2; ++feels)
        for (int scrolls = 0; scrolls < 2; ++scrolls) {
            rico_world *world = small_world(1, true);
            rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
            r.field_layers = feels ? 6 : 0;
            rico_effect_id e =
                rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 1.2f));
            rico_field_def def = some_field(RICO_FORCE_TURBULENCE, 1);
            def.layers = 2;
            def.force.scroll.x = scrolls ? 0.7f : 0.0f;
            def.force.scroll.y = def.force.scroll.z = 0.0f;
            CHECK(rico_world_add_field(world, &def).index1 != 0);
            run_steps(world, 2);
            CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
            run_steps(world, 1);
            CHECK_EQ(world->effects[e.index1 - 1].missed_edits, feels && scrolls);
            rico_world_destroy(world);
        }
}

TEST(fields, do_not_move_who_has_stopped_or_sticks)
{
    for (int m = RICO_ON_COLLISION_STOP; m <= RICO_ON_COLLISION_STICK; ++m) {
        rico_world *world = small_world(1, true);
        rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
        r.on_collision = (rico_on_collision)m;
        r.queries_per_frame = 50.0f;
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 1.2f));
        CHECK_EQ(asleep_after(world, 240), 60);
        rico_field_def def = rico_field_def_default();
        def.force.kind = RICO_FORCE_DIRECTION;
        def.force.strength = 50.0f;
        def.size = (rico_vec3){9.0f, 9.0f, 9.0f};
        def.layers = 2;
        CHECK(rico_world_add_field(world, &def).index1 != 0);
        CHECK_MSG(asleep_after(world, 2) == 60, "response %d", m);
        rico_world_destroy(world);
    }
}

/* --- Paths -------------------------------------------------------------------------------- */

/* The paths of particles are known to meet nothing, and then a field begins to push them down,
 * or one that held them up goes. */
TEST(fields, end_known_paths_when_they_come_and_go)
{
    for (int goes = 0; goes < 2; ++goes) {
        rico_world *world = small_world(1, true);
        rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
        r.gravity = (rico_vec3){0.0f, 0.0f, goes ? -40.0f : 0.0f};
        r.spread = 0.3f;
        r.speed = (rico_range){0.5f, 1.0f};
        r.queries_per_frame = 50.0f;
        rico_field_def def = rico_field_def_default();
        def.force.kind = RICO_FORCE_DIRECTION;
        def.force.axis = (rico_vec3){0.0f, 0.0f, goes ? 1.0f : -1.0f};
        def.force.strength = 40.0f;
        def.size = (rico_vec3){20.0f, 20.0f, 20.0f};
        def.falloff = 0.0f;
        def.layers = 2;
        rico_field_id id = {0};
        if (goes)
            id = rico_world_add_field(world, &def);
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(3, 3, 3));
        run_steps(world, 42); /* they look anew at 0.63 s */
        CHECK_EQ(rico_world_get_stats(world).bounces, 0);
        if (goes)
            CHECK_EQ(rico_world_remove_field(world, id), RICO_OK);
        else
            CHECK(rico_world_add_field(world, &def).index1 != 0);
        uint32_t bounces = 0;
        for (int n = 0; n < 90; ++n) {
            run_steps(world, 1);
            bounces += rico_world_get_stats(world).bounces;
            CHECK_EQ(count_below(world, e, 0.05f), 0);
        }
        CHECK_MSG(rico_world_get_stats(world).particles == 60 && bounces >= 60, "%u", bounces);
        rico_world_destroy(world);
    }
}

/* The start of a path says nothing about the rest: the particles go over the top of a circle
 * and down into the ground. */
TEST(fields, paths_that_turn_are_followed_to_where_they_lead)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.spread = 0.02f;
    r.speed = (rico_range){6.2f, 6.6f};
    r.queries_per_frame = 50.0f;
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_ORBIT;
    r.forces[0].axis = (rico_vec3){0.0f, 1.0f, 0.0f};
    r.forces[0].position = (rico_vec3){-3.2f, 0.0f, 0.0f};
    r.forces[0].speed = -2.0f;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(3.2f, 4.0f, 3.0f));
    uint32_t bounces = 0;
    for (int n = 0; n < 180; ++n) {
        run_steps(world, 1);
        bounces += rico_world_get_stats(world).bounces;
        CHECK_EQ(count_below(world, e, 0.05f), 0);
    }
    CHECK(bounces >= 60);
    rico_world_destroy(world);
}

/* --- On the host's rays ------------------------------------------------------------------- */

static uint32_t fallen_on_rays(host_kind kind, float *lives)
{
    host h = terrain_host(kind);
    bool deferred = kind == HOST_LAZY;
    rico_world *world = world_on_budget(deferred ? one_frame_later(&h) : at_once(&h), 1, 2000);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_CACHED);
    r.rate = 60.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.queries_per_frame = 500.0f;
    r.forces[0] = some_force(RICO_FORCE_TURBULENCE, 1);
    r.forces[0].strength = 5.0f;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(-2, 0, 2));
    rico_field_def def = some_field(RICO_FORCE_VORTEX, 1);
    def.layers = 2;
    def.size.x = 3.0f;
    rico_field_id id = rico_world_add_field(world, &def);
    for (int n = 0; n < 150; ++n) {
        if (n % 10 == 0)
            CHECK_EQ(rico_world_move_field(world, id, at((float)(n % 5) - 2.0f, 0, 0)),
                     RICO_OK);
        rico_world_step(world, DT);
    }
    *lives = (float)rico_effect_particle_count(world, e);
    uint32_t fallen = count_below(world, e, 0.08f);
    CHECK(rico_world_get_stats(world).bounces > 0);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    return fallen;
}

TEST(fields, storms_blow_few_through_the_ground_on_the_hosts_rays)
{
    float lives;
    uint32_t fallen = fallen_on_rays(HOST_PLAIN, &lives);
    CHECK_MSG((float)fallen <= 0.015f * lives, "%u of %g", fallen, (double)lives);
    fallen = fallen_on_rays(HOST_LAZY, &lives);
    CHECK_MSG((float)fallen <= 0.02f * lives, "deferred: %u of %g", fallen, (double)lives);
}

/* --- Births ------------------------------------------------------------------------------- */

/* A field that covers everything must do the same as an equal force of the recipe. */
TEST(fields, births_follow_them_for_the_rest_of_their_step)
{
    static crowd a, b;
    rico_world *world = small_world(1, false);
    rico_recipe r = feeling_recipe(RICO_COLLIDE_NONE), other = r;
    r.shape = other.shape = RICO_EMIT_SPHERE;
    r.size.x = other.size.x = 2.0f;
    r.rate = other.rate = 300.0f;
    rico_field_def def = rico_field_def_default();
    def.force = some_force(RICO_FORCE_DIRECTION, 1);
    def.size = (rico_vec3){50.0f, 50.0f, 50.0f};
    def.layers = 2;
    r.forces[2] = def.force;
    r.field_layers = 0;
    CHECK(rico_world_add_field(world, &def).index1 != 0);
    rico_effect_def effect = rico_effect_def_default();
    effect.seed = 9;
    rico_effect_id e = rico_effect_spawn_def(world, rico_world_add_recipe(world, &r), &effect);
    rico_effect_id f =
        rico_effect_spawn_def(world, rico_world_add_recipe(world, &other), &effect);
    for (int n = 1; n <= 20; ++n) {
        rico_effect_move(world, e, at((float)n * 0.2f, 0.0f, 0.0f));
        rico_effect_move(world, f, at((float)n * 0.2f, 0.0f, 0.0f));
        rico_world_step(world, DT);
    }
    look_at(world, e, &a);
    look_at(world, f, &b);
    CHECK(a.count == b.count && a.count > 100);
    CHECK(memcmp(a.p, b.p, a.count * sizeof a.p[0]) == 0);
    rico_world_destroy(world);
}
