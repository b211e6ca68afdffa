/* What a contact does: stop, stick, die, take lifetime, kill by speed, randomness and surfaces. */
#include "runtime_host.h"
#include "runtime_isa.h"
#include "runtime_room.h"

typedef struct tally {
    uint32_t collisions, deaths;
    float slowest, fastest; /* of collisions */
} tally;

static void step_and_count(rico_world *world, float dt, tally *t)
{
    uint32_t count;
    rico_world_step(world, dt);
    const rico_event *e = rico_world_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        t->deaths += e[i].type == RICO_EVENT_DEATH;
        if (e[i].type != RICO_EVENT_COLLISION)
            continue;
        t->slowest = t->collisions == 0 || e[i].speed < t->slowest ? e[i].speed : t->slowest;
        t->fastest = e[i].speed > t->fastest ? e[i].speed : t->fastest;
        t->collisions += 1;
    }
}

static tally run_counted(rico_world *world, int steps)
{
    tally t = {0};
    for (int i = 0; i < steps; ++i)
        step_and_count(world, DT, &t);
    CHECK_EQ(rico_world_get_stats(world).events_dropped, 0);
    return t;
}

/* Counts particles at the floor, at the ceiling and elsewhere. */
typedef struct places {
    uint32_t floor, ceiling, elsewhere;
    float fastest;
} places;

static places find_places(const rico_world *world, rico_effect_id e, float ceiling)
{
    places p = {0};
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            float speed = fabsf(v.vx[i]) + fabsf(v.vy[i]) + fabsf(v.vz[i]);
            bool low = fabsf(v.pz[i] - RADIUS) < 0.002f;
            bool high = fabsf(v.pz[i] - (ceiling - RADIUS)) < 0.002f;
            p.floor += low;
            p.ceiling += high;
            p.elsewhere += !low && !high;
            p.fastest = speed > p.fastest ? speed : p.fastest;
        }
    return p;
}

TEST(response, particles_die_on_impact_in_every_mode)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(modes[m]);
        r.on_collision = RICO_ON_COLLISION_DIE;
        r.rate = 30.0f;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        tally t = run_counted(world, 90);
        CHECK_EQ(rico_effect_stop(world, e), RICO_OK);
        tally u = run_counted(world, 120);
        CHECK_MSG(t.collisions + u.collisions == t.deaths + u.deaths, "mode %u: %u, %u", m,
                  t.collisions + u.collisions, t.deaths + u.deaths);
        CHECK(t.deaths + u.deaths == 40 + 45);
        CHECK(!rico_effect_is_alive(world, e));
        rico_world_destroy(world);
    }
}

TEST(response, who_is_born_before_a_surface_dies_of_it_in_the_same_step)
{
    const rico_collision_mode both[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 2; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(both[m]);
        r.on_collision = RICO_ON_COLLISION_DIE;
        r.burst_count = 0;
        r.rate = 900.0f;
        r.size.z = 0.0f;
        r.spread = 0.0f;
        r.speed = (rico_range){-20.0f, -20.0f};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.12f));
        tally t = run_counted(world, 10);
        uint32_t left = rico_effect_particle_count(world, e);
        CHECK_MSG(t.deaths == 150 - left && t.collisions == t.deaths && left < 8,
                  "mode %u: %u deaths, %u left", m, t.deaths, left);
        places p = find_places(world, e, 2.0f);
        CHECK(p.floor == 0 && rico_world_get_stats(world).sleeping == 0);
        rico_world_destroy(world);
    }
}

/* Throws half of the particles at the ceiling and half at the floor. */
static rico_effect_id throw_both_ways(rico_world *world, rico_collision_mode mode,
                                      rico_on_collision what)
{
    rico_recipe r = drops(mode);
    r.on_collision = what;
    r.size.z = 0.0f;
    r.spread = 0.3f;
    r.speed = (rico_range){-7.0f, 7.0f};
    return begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
}

TEST(response, who_sticks_falls_when_that_is_gone_and_who_was_stopped_stays)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        for (int stick = 0; stick < 2; ++stick) {
            rico_collider_id ids[2];
            rico_world *world = room_world(1, ids);
            rico_effect_id e = throw_both_ways(
                world, modes[m], stick ? RICO_ON_COLLISION_STICK : RICO_ON_COLLISION_STOP);
            run_steps(world, 100);
            places p = find_places(world, e, 2.0f);
            CHECK_MSG(p.floor > 5 && p.ceiling > 5 && p.elsewhere == 0,
                      "mode %u: %u below, %u above, %u elsewhere", m, p.floor, p.ceiling,
                      p.elsewhere);
            CHECK(p.fastest == 0.0f && rico_world_get_stats(world).sleeping == 40);
            /* Colliders change there, and nothing may happen. */
            add_slab(world, -0.08f, 0.05f, 0); /* within the others, near the particles */
            rico_collider_id above = add_slab(world, 2.08f, 0.05f, 0);
            run_steps(world, 5);
            places same = find_places(world, e, 2.0f);
            CHECK(same.floor == p.floor && same.ceiling == p.ceiling && same.fastest == 0.0f);
            if (modes[m] != RICO_COLLIDE_FIXED) {
                CHECK_EQ(rico_world_remove_collider(world, ids[1]), RICO_OK);
                CHECK_EQ(rico_world_remove_collider(world, above), RICO_OK);
                run_steps(world, 100);
                places after = find_places(world, e, 2.0f);
                CHECK_MSG(after.ceiling == (stick ? 0 : p.ceiling) &&
                              after.floor == (stick ? 40 : p.floor),
                          "mode %u: %u below, %u above, %u elsewhere", m, after.floor,
                          after.ceiling, after.elsewhere);
            }
            rico_world_destroy(world);
        }
    }
}

TEST(response, who_sticks_goes_with_the_collider_and_who_was_stopped_does_not)
{
    const rico_collision_mode both[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 2; ++m)
        for (int stick = 0; stick < 2; ++stick) {
            rico_collider_id ids[2];
            rico_world *world = room_world(1, ids);
            rico_effect_id e = throw_both_ways(
                world, both[m], stick ? RICO_ON_COLLISION_STICK : RICO_ON_COLLISION_STOP);
            if (!stick) /* otherwise it moves off while they come */
                run_steps(world, 100);
            uint32_t held = find_places(world, e, 2.0f).ceiling;
            for (int n = 1; n <= 120; ++n) {
                rico_motion up = {.transform = at(0.0f, 0.0f, 2.5f + 0.01f * (float)n)};
                CHECK_EQ(rico_world_move_colliders(world, &ids[1], &up, 1), RICO_OK);
                run_steps(world, 1);
            }
            places p = find_places(world, e, stick ? 3.2f : 2.0f);
            CHECK(p.ceiling > 5);
            held = stick ? p.ceiling : held;
            CHECK_MSG(p.ceiling == held && p.elsewhere == 0, "mode %u: %u of %u, %u elsewhere",
                      m, p.ceiling, held, p.elsewhere);
            rico_world_destroy(world);
        }
}

TEST(response, a_contact_takes_a_share_of_the_life_that_is_left)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(modes[m]);
        r.size.z = 0.0f;
        r.speed = (rico_range){0.0f, 0.0f};
        r.rest_speed = 0.0f;
        r.lifetime_loss = 0.25f;
        r.lifetime = (rico_range){10.0f, 10.0f};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        double life = 10.0;
        born b[40];
        for (int i = 0; i < 60; ++i) {
            tally t = {0};
            step_and_count(world, DT, &t);
            CHECK_EQ(collect_born(world, e, b, 40), 40);
            CHECK(t.collisions % 40 == 0);
            for (uint32_t k = 0; k < t.collisions / 40; ++k)
                life = b[0].age + (life - b[0].age) * 0.75;
            CHECK_MSG(fabs(b[7].life - life) < 1.0e-4, "mode %u: %g, expected %g", m, b[7].life,
                      life);
        }
        CHECK(life < 8.5);
        rico_world_destroy(world);
    }
}

/* Lifetimes hold the number of the plane in their lowest bits. */
TEST(response, a_contact_that_takes_all_of_a_life_ends_it_there_whatever_plane_it_was)
{
    for (uint32_t floor = 0; floor < RICO_MAX_PLANES; ++floor) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(RICO_COLLIDE_FIXED);
        r.burst_count = 200;
        r.speed = (rico_range){0.0f, 4.0f};
        r.lifetime_loss = 1.0f;
        r.plane_count = RICO_MAX_PLANES;
        for (uint32_t i = 0; i < RICO_MAX_PLANES; ++i)
            r.planes[i] = (rico_plane){{0.0f, 0.0f, 1.0f}, i == floor ? 0.0f : -100.0f};
        begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        uint32_t deaths = 0;
        for (int i = 0; i < 120; ++i) {
            tally t = {0};
            step_and_count(world, DT, &t);
            CHECK_EQ(t.deaths, t.collisions);
            deaths += t.deaths;
        }
        CHECK_EQ(deaths, 200);
        rico_world_destroy(world);
    }
}

TEST(response, a_contact_that_is_too_slow_or_too_fast_kills)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(modes[m]);
        r.burst_count = 200;
        r.speed = (rico_range){0.0f, 4.0f};
        r.kill_below = 1.5f;
        r.kill_above = 5.0f;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        uint32_t deaths = 0, wrong = 0, killed_fast = 0;
        for (int i = 0; i < 300; ++i) {
            uint32_t count, before = rico_effect_particle_count(world, e);
            rico_world_step(world, DT);
            const rico_event *v = rico_world_events(world, &count);
            uint32_t must_die = 0, died = 0;
            for (uint32_t k = 0; k < count; ++k) {
                died += v[k].type == RICO_EVENT_DEATH;
                if (v[k].type != RICO_EVENT_COLLISION)
                    continue;
                must_die += v[k].speed < 1.5f || v[k].speed > 5.0f;
                killed_fast += v[k].speed > 5.0f;
            }
            wrong += must_die != died;
            CHECK(i == 0 || before - died == rico_effect_particle_count(world, e));
            deaths += died;
        }
        CHECK_MSG(wrong == 0 && deaths == 200 && killed_fast > 10,
                  "mode %u: %u steps wrong, %u deaths, %u fast", m, wrong, deaths, killed_fast);
        rico_world_destroy(world);
    }
}

/* Collects which share of their speed drops keep in each bounce on the floor. */
static uint32_t collect_kept(rico_collision_mode mode, const rico_recipe *recipe, float *kept,
                             uint32_t capacity)
{
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    rico_recipe r = *recipe;
    r.mode = mode;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    uint32_t n = 0;
    float top[40] = {0};
    for (int i = 0; i < 150; ++i) {
        uint32_t count;
        rico_world_step(world, DT);
        const rico_event *v = rico_world_events(world, &count);
        for (uint32_t k = 0; k < count; ++k) {
            if (top[v[k].particle] > 2.0f &&
                n < capacity) /* then a step of gravity matters little */
                kept[n++] = v[k].speed / top[v[k].particle];
            top[v[k].particle] = v[k].speed;
        }
    }
    CHECK(rico_effect_is_alive(world, e));
    rico_world_destroy(world);
    return n;
}

TEST(response, each_bounce_draws_its_own_restitution)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_recipe r = drops(modes[m]);
        float kept[200];
        r.size.z = 0.0f;
        r.speed = (rico_range){0.0f, 0.0f};
        r.rest_speed = 0.0f;
        r.restitution = 0.6f;
        r.restitution_random = 0.2f;
        uint32_t count = collect_kept(modes[m], &r, kept, 200), low = 0, high = 0, alike = 0;
        CHECK(count > 60);
        double sum = 0.0;
        for (uint32_t i = 0; i < count; ++i) {
            CHECK_MSG(kept[i] > 0.3f && kept[i] < 0.9f, "mode %u: %g", m, (double)kept[i]);
            low += kept[i] < 0.5f;
            high += kept[i] > 0.7f;
            sum += (double)kept[i];
            for (uint32_t k = 0; k < i; ++k)
                alike += kept[k] == kept[i];
        }
        CHECK_MSG(fabs(sum / count - 0.6) < 0.04 && low > count / 10 && high > count / 10 &&
                      alike < 20,
                  "mode %u: mean %g, %u low, %u high, %u alike", m, sum / count, low, high,
                  alike);
    }
}

/* Returns the numbers of the surfaces that were hit, as bits. */
static uint32_t run_and_note_surfaces(rico_world *world, int steps)
{
    uint32_t surfaces = 0, count;
    for (int i = 0; i < steps; ++i) {
        run_steps(world, 1);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n)
            surfaces |= 1u << e[n].surface;
    }
    return surfaces;
}

TEST(response, surfaces_have_their_own_restitution_and_friction)
{
    const rico_collision_mode both[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 2; ++m)
        for (int asks = 0; asks < 2; ++asks) {
            rico_collider_id ids[2];
            rico_world *world = room_world(1, ids);
            CHECK_EQ(rico_world_set_surface(world, 1, 0.5f, 0.0f), RICO_OK);
            CHECK_EQ(rico_world_set_surface(world, 2, 100.0f, 2.0f), RICO_OK);
            rico_recipe r = drops(both[m]);
            r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
            r.shape = RICO_EMIT_POINT;
            r.speed = (rico_range){5.0f, 5.0f};
            r.spread = 0.0f;
            r.burst_count = 1;
            r.restitution = 0.4f;
            r.friction = 0.3f;
            r.rest_speed = 0.0f;
            r.by_surface = asks != 0;
            rico_transform down = at(-7.0f, 0.0f, 1.0f); /* 4 m/s towards +x, 3 downwards */
            down.rotation = (rico_quat){0.0f, 0.89442719f, 0.0f, 0.44721360f};
            rico_effect_id e = begin_effect(world, &r, down);
            born b;
            uint32_t surfaces = run_and_note_surfaces(world, 40); /* off the floor */
            CHECK_EQ(collect_born(world, e, &b, 1), 1);
            double vz = asks ? 0.6 : 1.2, vx = asks ? 4.0 : 2.8;
            CHECK_MSG(fabs(b.v[2] - vz) < 1e-3 && fabs(b.v[0] - vx) < 1e-3, "%g %g", b.v[2],
                      b.v[0]);
            CHECK_EQ(surfaces, 1u << 1);                  /* whether it asks or not */
            surfaces = run_and_note_surfaces(world, 220); /* off the ceiling, 0.4 * 100 is 1 */
            CHECK_EQ(surfaces, 1u << 2);
            CHECK_EQ(collect_born(world, e, &b, 1), 1);
            vz = asks ? -0.6 : -0.48;
            vx = asks ? 1.6 : 1.96;
            CHECK_MSG(fabs(b.v[2] - vz) < 1e-3 && fabs(b.v[0] - vx) < 1e-3,
                      "asks %d: %g %g, expected %g %g", asks, b.v[2], b.v[0], vz, vx);
            rico_world_destroy(world);
        }
}

TEST(response, contacts_one_by_one_are_those_in_vectors)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_effect_id e[2];
        rico_world *worlds[2];
        double off = 0.0;
        for (int special = 0; special < 2; ++special) {
            rico_collider_id ids[2];
            worlds[special] = room_world(1, ids);
            rico_recipe r = drops(modes[m]);
            r.kill_above = special ? 1.0e5f : 0.0f; /* kills none: none is so fast */
            e[special] = begin_effect(worlds[special], &r, at(0.0f, 0.0f, 1.0f));
        }
        for (int i = 0; i < 60; ++i) {
            born a[40], b[40];
            run_steps(worlds[0], 1);
            run_steps(worlds[1], 1);
            CHECK_EQ(collect_born(worlds[0], e[0], a, 40), 40);
            CHECK_EQ(collect_born(worlds[1], e[1], b, 40), 40);
            for (int k = 0; k < 40; ++k)
                for (int d = 0; d < 3; ++d)
                    off = fmax(off, fabs(a[k].p[d] - b[k].p[d]));
        }
        CHECK_MSG(off < 2.0e-3, "mode %u: %g m apart", m, off);
        rico_world_destroy(worlds[0]);
        rico_world_destroy(worlds[1]);
    }
}

/* Four planes that are one step's way apart at most. The contacts must be the same, also the
 * second and third of a step. */
TEST(response, contacts_one_by_one_are_those_in_vectors_when_a_step_has_several)
{
    rico_effect_id e[2];
    rico_world *worlds[2];
    for (int special = 0; special < 2; ++special) {
        worlds[special] = small_world(1, false);
        rico_recipe r = drops(RICO_COLLIDE_FIXED);
        r.shape = RICO_EMIT_POINT;
        r.speed = (rico_range){10.0f, 30.0f};
        r.restitution = 0.9f;
        r.friction = 0.0f;
        r.plane_count = 4;
        for (int k = 0; k < 4; ++k)
            r.planes[k] = (rico_plane){{k == 0   ? 1.0f
                                        : k == 1 ? -0.8f
                                                 : 0.0f,
                                        0.0f,
                                        k == 1   ? 0.6f
                                        : k == 2 ? 1.0f
                                        : k == 3 ? -1.0f
                                                 : 0.0f},
                                       -0.1f};
        r.kill_above = special ? 1.0e5f : 0.0f; /* kills none: none is so fast */
        e[special] = begin_effect(worlds[special], &r, at(0.0f, 0.0f, 0.0f));
    }
    uint64_t several = 0;
    for (int i = 0; i < 5; ++i) {
        born a[40], b[40];
        run_steps(worlds[0], 1);
        run_steps(worlds[1], 1);
        rico_world_stats s = rico_world_get_stats(worlds[0]);
        rico_world_stats t = rico_world_get_stats(worlds[1]);
        CHECK_MSG(s.bounces == t.bounces && s.events == t.events && s.events == s.bounces,
                  "step %d: %u and %u bounces, %u and %u events", i, (uint32_t)s.bounces,
                  (uint32_t)t.bounces, s.events, t.events);
        several += s.bounces > 40;
        CHECK_EQ(collect_born(worlds[0], e[0], a, 40), 40);
        CHECK_EQ(collect_born(worlds[1], e[1], b, 40), 40);
        for (int k = 0; k < 40; ++k)
            for (int d = 0; d < 3; ++d)
                CHECK_MSG(fabs(a[k].p[d] - b[k].p[d]) < 1.0e-3, "step %d, %d: %g and %g", i, k,
                          a[k].p[d], b[k].p[d]);
    }
    CHECK(several > 0);
    rico_world_destroy(worlds[0]);
    rico_world_destroy(worlds[1]);
}

TEST(response, on_the_hosts_rays_particles_die_stick_and_stop_as_well)
{
    const rico_collision_mode both[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    const rico_on_collision what[] = {RICO_ON_COLLISION_DIE, RICO_ON_COLLISION_STICK,
                                      RICO_ON_COLLISION_STOP};
    for (uint32_t n = 0; n < 6; ++n) {
        host h = ramp_host(HOST_PLAIN); /* its floor is at z = 0 */
        rico_world *world = world_on(at_once(&h), 1);
        rico_recipe r = drops(both[n % 2]);
        r.on_collision = what[n / 2];
        rico_effect_id e = begin_effect(world, &r, at(-5.0f, 0.0f, 1.5f));
        tally t = run_counted(world, 120);
        places p = find_places(world, e, 1000.0f);
        bool die = what[n / 2] == RICO_ON_COLLISION_DIE;
        CHECK_MSG(t.collisions == 40 && t.deaths == (die ? 40 : 0) && p.elsewhere == 0 &&
                      p.floor == (die ? 0 : 40),
                  "case %u: %u collisions, %u deaths, %u there, %u elsewhere", n, t.collisions,
                  t.deaths, p.floor, p.elsewhere);
        CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
        run_steps(world, 3); /* stuck ones are tested, and stay */
        p = find_places(world, e, 1000.0f);
        CHECK(p.floor == (die ? 0 : 40) && p.fastest == 0.0f);
        rico_world_destroy(world);
        rico_scene_destroy(h.scene);
    }
}

/* Every response in every mode with one moving collider, and all of it again on the host's
 * rays. */
static uint64_t hash_of_all(uint32_t workers, bool host_rays)
{
    static const rico_on_collision responses[] = {
        RICO_ON_COLLISION_BOUNCE, RICO_ON_COLLISION_STOP, RICO_ON_COLLISION_STICK,
        RICO_ON_COLLISION_SLIDE, RICO_ON_COLLISION_DIE};
    host h = terrain_host(HOST_PLAIN);
    rico_world *world = host_rays ? world_on(at_once(&h), workers) : small_world(workers, true);
    rico_collider_id lid = {0};
    if (!host_rays)
        lid = add_slab(world, 4.0f, 0.5f, 3);
    rico_world_set_surface(world, 3, 0.5f, 0.5f);
    for (uint32_t m = 0; m < MODES; ++m)
        for (uint32_t k = 0; k < 5; ++k) {
            rico_recipe r = drops(modes[m]);
            r.on_collision = responses[k];
            r.rate = 40.0f;
            r.lifetime = (rico_range){1.0f, 2.0f};
            r.speed = (rico_range){2.0f, 7.0f};
            r.restitution_random = r.friction_random = 0.3f;
            r.lifetime_loss = 0.1f;
            r.kill_above = 8.0f;
            r.kill_below = 0.1f;
            r.by_surface = k % 2 == 0;
            r.rolls = k == 0 && m % 2 == 1;
            begin_effect(world, &r, at((float)m * 2.0f - 3.0f, (float)k * 2.0f - 4.0f, 2.5f));
        }
    uint64_t hash = 0;
    for (int i = 0; i < 40; ++i) {
        rico_motion up = {.transform = at(0.0f, 0.0f, 4.0f - 0.01f * (float)i)};
        if (!host_rays)
            CHECK_EQ(rico_world_move_colliders(world, &lid, &up, 1), RICO_OK);
        run_steps(world, 1);
        hash = hash * 31 + rico_world_hash(world);
    }
    CHECK(rico_world_get_stats(world).particles > 500);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    return hash;
}

TEST(response, is_the_same_for_any_number_of_workers_and_every_isa)
{
    for (int host_rays = 0; host_rays < 2; ++host_rays) {
        uint64_t expected = hash_of_all(1, host_rays != 0);
        CHECK(hash_of_all(3, host_rays != 0) == expected);
        for (int isa = -1; on_next_isa(&isa);)
            CHECK_MSG(hash_of_all(1, host_rays != 0) == expected, "differs with %s",
                      rico__isa_name((rico__isa)isa));
    }
}

static void expect_refused(const rico_recipe *r, const char *text)
{
    kept_log log;
    rico_log hook = kept_log_hook(&log);
    CHECK(rico_recipe_check(r, &hook) != RICO_OK);
    CHECK_MSG(strstr(log.text, text) != NULL, "%s", log.text);
}

TEST(response, speeds_to_die_at_that_leave_none_to_live_at_are_refused)
{
    rico_recipe r = rico_recipe_default();
    r.kill_below = 5.0f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK); /* no upper limit */
    r.kill_above = 5.0f;
    expect_refused(&r, "recipe.kill_below is 5, expected less than kill_above, which is 5");
    r.kill_above = 2.0f;
    expect_refused(&r, "recipe.kill_below is 5, expected less than kill_above, which is 2");
    r.kill_above = 5.5f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK);
    r.kill_below = 0.0f;
    r.kill_above = 1.0e-30f;
    CHECK_EQ(rico_recipe_check(&r, NULL), RICO_OK);
}

TEST(response, fields_out_of_range_are_refused_by_name)
{
    float *numbers[] = {NULL, NULL, NULL, NULL, NULL};
    const char *names[] = {"restitution_random", "friction_random", "lifetime_loss",
                           "kill_below", "kill_above"};
    rico_recipe r = rico_recipe_default();
    numbers[0] = &r.restitution_random;
    numbers[1] = &r.friction_random;
    numbers[2] = &r.lifetime_loss;
    numbers[3] = &r.kill_below;
    numbers[4] = &r.kill_above;
    for (int k = 0; k < 5; ++k) {
        const float bad[] = {-0.1f, k < 3 ? 1.1f : 2.0e5f, NAN};
        for (int i = 0; i < 3; ++i) {
            *numbers[k] = bad[i];
            expect_refused(&r, names[k]);
        }
        *numbers[k] = 0.0f;
    }
    r.on_collision = RICO_ON_COLLISION_COUNT;
    expect_refused(&r, "recipe.on_collision is 5, expected 0 to 4");
    rico_world *world = small_world(1, false);
    CHECK_EQ(rico_world_set_surface(world, RICO_MAX_SURFACES, 1, 1), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_set_surface(world, 0, NAN, 1), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_set_surface(world, 0, -1, 1), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_set_surface(world, 0, 1, 101), RICO_OUT_OF_RANGE);
    rico_world_destroy(world);
}
