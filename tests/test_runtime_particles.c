/* What particles do: birth, flight, bounces, rest, death and events. */
#include "runtime_terrain.h"

#include "state.h"

typedef struct sample {
    rico_vec3 p, v;
    float age, life, size;
    uint32_t color, id;
} sample;

/* Up to `capacity` particles of the effect, in order. */
static uint32_t collect(const rico_world *world, rico_effect_id effect, sample *out,
                        uint32_t capacity)
{
    uint32_t n = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count && n < capacity; ++i)
            out[n++] = (sample){{v.px[i], v.py[i], v.pz[i]},
                                {v.vx[i], v.vy[i], v.vz[i]},
                                v.age[i],
                                v.lifetime[i],
                                v.size ? v.size[i] : v.constant_size,
                                v.color ? v.color[i] : v.constant_color,
                                v.id ? v.id[i] : 0};
    return n;
}

/* One particle without speed, which lives 1000 s. */
static rico_recipe one_particle(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 1;
    r.spread = 0.0f;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){1000.0f, 1000.0f};
    r.radius = 0.01f;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    return r;
}

static rico_effect_id start(rico_world *world, const rico_recipe *recipe, rico_transform where)
{
    rico_effect_id id = rico_effect_spawn(world, rico_world_add_recipe(world, recipe), where);
    CHECK(id.index1 != 0);
    return id;
}

TEST(runtime, falls_as_gravity_and_drag_say)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = one_particle(RICO_COLLIDE_NONE);
    r.drag = 0.5f;
    rico_effect_id e = start(world, &r, at(1.0f, 2.0f, 100.0f));
    sample s;
    rico_world_step(world, 0.0f + 1.0e-6f); /* the birth */
    for (int i = 0; i < 2000; ++i)
        rico_world_step(world, 0.001f);
    CHECK_EQ(collect(world, e, &s, 1), 1);
    /* v = -g/k (1 - exp(-k t)), z = z0 - g/k (t - (1 - exp(-k t)) / k) at t = 2 */
    double k = 0.5, g = 9.81, decay = 1.0 - exp(-k * 2.0);
    CHECK_NEAR(s.v.z, -g / k * decay, 0.02);
    CHECK_NEAR(s.p.z, 100.0 - g / k * (2.0 - decay / k), 0.03);
    CHECK(s.p.x == 1.0f && s.p.y == 2.0f);
    rico_world_destroy(world);
}

/* Speeds that only become smaller end as denormal numbers, which are slow on CPUs. Such
 * particles must stop before that. After half a minute, e^-60 = 1e-26 m/s would be left. */
TEST(runtime, stops_who_has_almost_stopped)
{
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode) {
        rico_world *world = small_world(1, false);
        rico_recipe r = one_particle(mode);
        r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
        r.spread = 1.0f;
        r.speed = (rico_range){1.0f, 1.0f};
        r.drag = 2.0f;
        r.rest_speed = 0.0f;
        rico_effect_id e = start(world, &r, at(0.0f, 0.0f, 9.0f));
        sample s = {0};
        for (int i = 0; i < 1800; ++i)
            rico_world_step(world, 1.0f / 60.0f);
        CHECK_EQ(collect(world, e, &s, 1), 1);
        CHECK_MSG(s.v.x == 0.0f && s.v.y == 0.0f && s.v.z == 0.0f, "mode %d: %g %g %g",
                  (int)mode, (double)s.v.x, (double)s.v.y, (double)s.v.z);
        CHECK(fabsf(s.p.x) + fabsf(s.p.y) + fabsf(s.p.z - 9.0f) > 0.3f);
        rico_world_destroy(world);
    }
}

/* How high a particle that is dropped from 2 m rises after its first bounce. */
static float rebound(rico_collision_mode mode, float dt)
{
    rico_world *world = small_world(1, false);
    const float floor[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = floor, .vertex_count = 4, .indices = quad, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = one_particle(mode);
    r.restitution = 0.6f;
    rico_effect_id e = start(world, &r, at(0.1f, 0.2f, 2.0f));
    float top = 0.0f, lowest = 2.0f;
    bool bounced = false;
    for (float t = 0.0f; t < 1.1f; t += dt) {
        rico_world_step(world, dt);
        sample s;
        CHECK_EQ(collect(world, e, &s, 1), 1);
        bounced |= s.v.z > 0.0f;
        lowest = s.p.z < lowest ? s.p.z : lowest;
        if (bounced && s.p.z > top)
            top = s.p.z;
    }
    CHECK_MSG(lowest > 0.0f, "sank to %g", (double)lowest);
    rico_world_destroy(world);
    return top;
}

TEST(runtime, bounces_at_the_time_of_impact_in_every_colliding_mode)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                                RICO_COLLIDE_CLASSIC, RICO_COLLIDE_EXACT};
    for (size_t m = 0; m < 4; ++m) {
        /* e^2 h for a drop of 1.99 m. Without the time of impact the error would be v dt = 10
         * cm. */
        CHECK_NEAR(rebound(modes[m], 1.0f / 240.0f), 0.36f * 1.99f + 0.01f, 0.001f);
        CHECK_NEAR(rebound(modes[m], 1.0f / 60.0f), 0.36f * 1.99f + 0.01f, 0.003f);
        CHECK_NEAR(rebound(modes[m], 1.0f / 30.0f), 0.36f * 1.99f + 0.01f, 0.006f);
    }
}

TEST(runtime, loses_tangential_speed_to_friction)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = one_particle(RICO_COLLIDE_FIXED);
    r.restitution = 0.0f;
    r.friction = 0.25f;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){2.0f, 2.0f};
    r.rest_speed = 0.0f;
    rico_transform down = at(0.0f, 0.0f, 0.5f);
    down.rotation = (rico_quat){0.923879533f, 0.0f, 0.0f, 0.382683432f}; /* +z to (0, -s, -s) */
    rico_effect_id e = start(world, &r, down);
    run_steps(world, 60);
    sample s;
    CHECK_EQ(collect(world, e, &s, 1), 1);
    CHECK_NEAR(s.v.y, -1.41421356f * 0.75f, 1.0e-4f);
    CHECK_NEAR(s.v.z, 0.0f, 1.0e-5f);
    CHECK_NEAR(s.p.z, 0.01f, 1.0e-4f);
    rico_world_destroy(world);
}

TEST(runtime, comes_to_rest_and_stays_without_jitter)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                                RICO_COLLIDE_EXACT};
    for (size_t m = 0; m < 3; ++m) {
        rico_world *world = small_world(1, true);
        rico_recipe r = one_particle(modes[m]);
        r.planes[0].offset = 0.8f; /* the table's top */
        rico_effect_id e = start(world, &r, at(0.3f, 0.2f, 1.6f));
        run_steps(world, 240);
        sample a, b;
        CHECK_EQ(collect(world, e, &a, 1), 1);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 1);
        run_steps(world, 60);
        CHECK_EQ(collect(world, e, &b, 1), 1);
        CHECK(memcmp(&a.p, &b.p, sizeof a.p) == 0);
        CHECK_NEAR(a.p.z, 0.81f, 1.0e-3f);
        rico_world_destroy(world);
    }
}

/* Throws sparks in all directions over the terrain. Returns how many percent of those alive are
 * below it. */
static double percent_below(rico_collision_mode mode, float queries, int steps)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 100.0f;
    r.spread = 3.0f;
    r.speed = (rico_range){1.0f, 4.0f};
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.queries_per_frame = queries;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id effects[16];
    for (int i = 0; i < 16; ++i)
        effects[i] = rico_effect_spawn(
            world, id, at((float)(i % 4) * 3.0f - 4.5f, (float)(i / 4) * 3.0f - 4.5f, 1.6f));
    run_steps(world, steps);
    uint32_t below = 0, total = 0;
    sample *s = malloc(1000 * sizeof *s);
    for (int i = 0; i < 16; ++i) {
        uint32_t n = collect(world, effects[i], s, 1000);
        for (uint32_t k = 0; k < n; ++k) {
            if (fabsf(s[k].p.x) > 9.5f || fabsf(s[k].p.y) > 9.5f)
                continue;
            total += 1;
            below += s[k].p.z < terrain_height(s[k].p.x, s[k].p.y) - 0.2f;
        }
    }
    free(s);
    rico_world_destroy(world);
    CHECK(total > 2000);
    return 100.0 * below / total;
}

TEST(runtime, keeps_exact_particles_above_ground)
{
    CHECK_NEAR(percent_below(RICO_COLLIDE_EXACT, 0.0f, 240), 0.0, 0.0);
}

TEST(runtime, keeps_cached_particles_above_ground_once_the_cache_is_warm)
{
    double below = percent_below(RICO_COLLIDE_CACHED, 4.0f, 600);
    CHECK_MSG(below < 1.0, "%.2f %% are below", below);
}

TEST(runtime, lets_particles_without_collision_fall)
{
    CHECK(percent_below(RICO_COLLIDE_NONE, 0.0f, 240) > 30.0);
}

TEST(runtime, does_not_bounce_beyond_the_edge_of_a_table)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = one_particle(RICO_COLLIDE_CACHED);
    rico_effect_id e = start(world, &r, at(1.2f, 0.0f, 1.5f)); /* the table ends at x = 1 */
    bool bounced_in_the_air = false;
    for (int i = 0; i < 60; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        sample s;
        CHECK_EQ(collect(world, e, &s, 1), 1);
        bounced_in_the_air |= s.v.z > 0.0f && s.p.z > 0.6f;
    }
    CHECK(!bounced_in_the_air);
    rico_world_destroy(world);
}

TEST(runtime, forgets_a_collider_that_was_removed)
{
    rico_world *world = small_world(1, false);
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    rico_collider_id ground = rico_world_add_mesh(world, &t->mesh, RICO_TRANSFORM_IDENTITY);
    free(t);
    rico_recipe r = one_particle(RICO_COLLIDE_CACHED);
    rico_effect_id e = start(world, &r, at(0.3f, 0.2f, 1.6f));
    run_steps(world, 240);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 1);
    CHECK_EQ(rico_world_remove_collider(world, ground), RICO_OK);
    run_steps(world, 60);
    sample s;
    CHECK_EQ(collect(world, e, &s, 1), 1);
    CHECK(s.p.z < -2.0f);
    rico_world_destroy(world);
}

TEST(runtime, emits_at_its_rate_and_in_bursts)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 90.0f;
    r.burst_count = 7;
    r.burst_interval = 0.5f;
    r.lifetime = (rico_range){100.0f, 100.0f};
    rico_effect_id e = start(world, &r, at(0, 0, 0));
    for (int i = 0; i < 64; ++i)
        rico_world_step(world, 1.0f / 32.0f); /* 2 s, exactly representable */
    /* bursts at 0, 0.5, 1, 1.5 and 2 s */
    CHECK_EQ(rico_effect_particle_count(world, e), 180 + 5 * 7);
    rico_world_destroy(world);
}

TEST(runtime, stops_and_destroys_effects_as_told)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.lifetime = (rico_range){0.5f, 0.5f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    r.duration = 0.25f;
    rico_recipe_id brief = rico_world_add_recipe(world, &r);
    rico_effect_id stopped = rico_effect_spawn(world, id, at(0, 0, 0));
    rico_effect_id finite = rico_effect_spawn(world, brief, at(0, 0, 0));
    rico_effect_id destroyed = rico_effect_spawn(world, id, at(0, 0, 0));
    run_steps(world, 20);
    CHECK_EQ(rico_effect_stop(world, stopped), RICO_OK);
    CHECK_EQ(rico_effect_destroy(world, destroyed), RICO_OK);
    CHECK(!rico_effect_is_alive(world, destroyed));
    CHECK(rico_effect_particle_count(world, stopped) > 0);
    run_steps(world, 10);
    CHECK(rico_effect_is_alive(world, finite)); /* its particles are still alive */
    run_steps(world, 30);
    CHECK(!rico_effect_is_alive(world, stopped));
    CHECK(!rico_effect_is_alive(world, finite));
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK_EQ(stats.effects, 0);
    CHECK_EQ(stats.particles, 0);
    CHECK_EQ(stats.blocks, 0);
    rico_world_destroy(world);
}

TEST(runtime, follows_curves_over_life)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 300.0f;
    /* A kink where a part of the table begins, but not where one of half the size would. */
    const float kink = 65.0f / 128.0f;
    r.particle_size =
        (rico_curve){.key_count = 3, .at = {0.0f, kink, 1.0f}, .value = {1, 3, 0}};
    r.color = (rico_gradient){
        .key_count = 2, .at = {0.0f, 1.0f}, .rgba = {{1, 0, 0, 1}, {0, 0, 1, 0}}};
    rico_effect_id e = start(world, &r, at(0, 0, 0));
    run_steps(world, 120);
    for (int step = 0; step < 20; ++step) {
        sample s[600];
        uint32_t n = collect(world, e, s, 600);
        CHECK(n > 300);
        for (uint32_t i = 0; i < n; ++i) {
            float x = s[i].age / s[i].life;
            CHECK_NEAR(s[i].size,
                       x < kink ? 1.0f + 2.0f * x / kink : 3.0f * (1.0f - x) / (1.0f - kink),
                       1e-5);
            /* Half of a step of 255 / 128, and half of one for rounding. */
            CHECK_NEAR(s[i].color & 0xff, 255.0f * (1.0f - x), 1.4975);
            CHECK_NEAR(s[i].color >> 16 & 0xff, 255.0f * x, 1.4975);
            CHECK_NEAR(s[i].color >> 24, 255.0f * (1.0f - x), 1.4975);
        }
        run_steps(world, 1);
    }
    rico_world_destroy(world);
}

/* Moves it back to where it was born; nothing has turned it meanwhile. */
static void take_back(sample *s)
{
    s->p.x -= s->v.x * s->age;
    s->p.y -= s->v.y * s->age;
    s->p.z -= s->v.z * s->age;
}

static void check_shape(rico_emitter_shape shape, const sample *s)
{
    float r2 = s->p.x * s->p.x + s->p.y * s->p.y;
    float speed = sqrtf(s->v.x * s->v.x + s->v.y * s->v.y + s->v.z * s->v.z);
    CHECK(speed > 1.999f && speed < 3.001f);
    bool in_cone = s->v.z / speed >= cosf(0.5f) - 1.0e-4f;
    switch (shape) {
    case RICO_EMIT_SPHERE:
        CHECK(r2 + s->p.z * s->p.z <= 1.0001f);
        CHECK(s->p.x * s->v.x + s->p.y * s->v.y + s->p.z * s->v.z >= 0.0f);
        break;
    case RICO_EMIT_BOX:
        CHECK(fabsf(s->p.x) <= 1.0001f && fabsf(s->p.y) <= 2.0001f && fabsf(s->p.z) <= 3.0001f);
        CHECK(in_cone);
        break;
    case RICO_EMIT_POINT:
        CHECK(r2 < 1.0e-12f && fabsf(s->p.z) < 1.0e-6f);
        CHECK(in_cone);
        break;
    default:
        CHECK(r2 <= 1.0001f && fabsf(s->p.z) < 1.0e-6f);
        CHECK(in_cone);
        break;
    }
}

TEST(runtime, emits_from_its_shape_into_its_cone)
{
    rico_world *world = small_world(1, false);
    for (int shape = 0; shape <= RICO_EMIT_DISC; ++shape) {
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_NONE;
        r.shape = (rico_emitter_shape)shape;
        r.size = (rico_vec3){1.0f, 2.0f, shape == RICO_EMIT_BOX ? 3.0f : 0.0f};
        r.spread = 0.5f;
        r.speed = (rico_range){2.0f, 3.0f};
        r.rate = 0.0f;
        r.burst_count = 900;
        r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
        rico_effect_id e = start(world, &r, at(0, 0, 0));
        rico_world_step(world, 1.0e-3f);
        sample s[900];
        CHECK_EQ(collect(world, e, s, 900), 900);
        double mean_x = 0.0;
        for (int i = 0; i < 900; ++i) {
            take_back(&s[i]);
            check_shape(r.shape, &s[i]);
            mean_x += (double)s[i].v.x / 900.0;
        }
        CHECK_NEAR(mean_x, 0.0, 0.2);
    }
    rico_world_destroy(world);
}

TEST(runtime, pauses_and_scales_time_per_effect)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = one_particle(RICO_COLLIDE_NONE);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id slow = rico_effect_spawn(world, id, at(0, 0, 0));
    rico_effect_id paused = rico_effect_spawn(world, id, at(0, 0, 0));
    rico_world_step(world, 0.01f);
    rico_effect_set_time_scale(world, slow, 0.5f);
    rico_effect_set_time_scale(world, paused, 0.0f);
    for (int i = 0; i < 100; ++i)
        rico_world_step(world, 0.01f);
    sample a, b;
    CHECK_EQ(collect(world, slow, &a, 1), 1);
    CHECK_EQ(collect(world, paused, &b, 1), 1);
    CHECK_NEAR(a.age, 0.51f, 1.0e-4);
    CHECK_NEAR(a.v.z, -9.81f * (0.51f + 0.0025f),
               1.0e-3); /* of half a step before, now of a shorter one */
    CHECK_NEAR(b.age, 0.01f, 1.0e-6);
    CHECK_NEAR(b.v.z, -9.81f * 0.01f, 1.0e-6);
    rico_world_destroy(world);
}

/* No event may come twice, and nothing may happen to the dead. */
static void check_once(const rico_event *events, uint32_t count, bool dead[9][2048])
{
    for (uint32_t e = 0; e < count; ++e) {
        const rico_event *event = &events[e];
        CHECK(event->effect.index1 < 9 && event->particle < 2048);
        bool *is_dead = &dead[event->effect.index1][event->particle];
        CHECK(!*is_dead);
        *is_dead = event->type == RICO_EVENT_DEATH;
        for (uint32_t k = 0; k < e; ++k)
            CHECK(events[k].particle != event->particle || events[k].time != event->time ||
                  events[k].effect.index1 != event->effect.index1 ||
                  events[k].type != event->type);
    }
}

/* The order must be that of one thread. */
static void check_order(const rico_event *a, const rico_event *b, uint32_t count)
{
    for (uint32_t e = 0; e < count; ++e) {
        CHECK(e == 0 || a[e].effect.index1 >= a[e - 1].effect.index1);
        CHECK(a[e].effect.index1 == b[e].effect.index1 && a[e].particle == b[e].particle);
        CHECK(a[e].type == b[e].type && a[e].time == b[e].time);
    }
}

static rico_world *world_with_events(uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_EXACT;
    r.rate = 200.0f;
    r.lifetime = (rico_range){0.5f, 1.5f};
    r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 8; ++i)
        rico_effect_spawn(world, id, at((float)i - 4.0f, 0.3f, 1.2f));
    return world;
}

TEST(runtime, reports_each_collision_and_death_once_and_in_order)
{
    rico_world *world = world_with_events(2), *alone = world_with_events(1);
    static bool dead[9][2048];
    uint64_t collisions = 0;
    for (int f = 0; f < 180; ++f) {
        uint32_t count, same, deaths = 0, bounces = 0;
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_step(alone, 1.0f / 60.0f);
        rico_world_stats stats = rico_world_get_stats(world);
        const rico_event *events = rico_world_events(world, &count);
        CHECK_EQ(stats.events_dropped, 0);
        check_once(events, count, dead);
        const rico_event *others = rico_world_events(alone, &same);
        CHECK_EQ(same, count);
        check_order(events, others, count);
        for (uint32_t e = 0; e < count; ++e) {
            deaths += events[e].type == RICO_EVENT_DEATH;
            bounces += events[e].type == RICO_EVENT_COLLISION;
            if (events[e].type != RICO_EVENT_COLLISION)
                continue;
            CHECK(events[e].collider == 1);
            CHECK(events[e].triangle != RICO_NO_TRIANGLE);
            float n2 = events[e].normal.x * events[e].normal.x +
                       events[e].normal.y * events[e].normal.y +
                       events[e].normal.z * events[e].normal.z;
            CHECK_NEAR(n2, 1.0f, 1.0e-4);
            CHECK(events[e].speed > 0.0f);
        }
        CHECK_EQ(deaths, stats.deaths);
        CHECK_EQ(bounces, stats.bounces);
        collisions += bounces;
    }
    CHECK(collisions > 500);
    rico_world_destroy(world);
    rico_world_destroy(alone);
}

TEST(runtime, cuts_events_in_order_and_counts_what_did_not_fit)
{
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = 10000;
    def.max_events = 50;
    def.worker_count = 2;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.burst_count = 400;
    r.lifetime = (rico_range){0.1f, 0.1f};
    r.events = RICO_EVENT_BIT_DEATH;
    start(world, &r, at(0, 0, 0));
    uint64_t seen = 0, dropped = 0;
    for (int i = 0; i < 30; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        uint32_t count;
        rico_world_events(world, &count);
        CHECK(count <= 50);
        seen += count;
        dropped += rico_world_get_stats(world).events_dropped;
    }
    CHECK_EQ(seen + dropped, 400);
    CHECK_EQ(seen, 50);
    rico_world_destroy(world);
}

TEST(runtime, charges_queries_within_the_budget_of_effect_and_world)
{
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = 20000;
    def.queries_per_frame = 5;
    def.shared_queries_per_frame = 0;
    def.worker_count = 1;
    for (int effects = 1; effects <= 40; effects += 39) {
        rico_world *world;
        CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
        add_terrain(world);
        rico_recipe r = rico_recipe_default();
        r.queries_per_frame = 0.25f;
        r.spread = 3.0f;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        for (int i = 0; i < effects; ++i)
            rico_effect_spawn(world, id,
                              at((float)(i % 8) - 4.0f, (float)(i / 8) - 2.0f, 1.2f));
        uint64_t gathers = 0;
        for (int i = 1; i <= 80; ++i) {
            rico_world_step(world, 1.0f / 60.0f);
            rico_world_stats stats = rico_world_get_stats(world);
            CHECK(stats.gathers <= 5);
            gathers += stats.gathers;
            if (effects == 1)
                CHECK_MSG((float)gathers <= 0.25f * (float)i + 1.0f, "%u in %d steps",
                          (unsigned)gathers, i);
        }
        CHECK(effects == 1 ? gathers > 15 : gathers > 300);
        rico_world_destroy(world);
    }
}
