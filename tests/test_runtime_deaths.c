/* Dead particles leave their block, and the block's last particles take their places with all
 * that belongs to them. */
#include "runtime_terrain.h"

#include "random.h"
#include "simulate.h"

#include <ricochet/world_cache.h>
#include <string.h>

#define DT (1.0f / 64.0f)
#define MOST_IDS 4096u

/* A particle as it was last seen. */
typedef struct seen {
    bool alive, rested;
    rico_vec3 p;
    float age, life;
} seen;

static seen *seen_create(void)
{
    seen *all = calloc(MOST_IDS, sizeof *all);
    CHECK(all != NULL);
    return all;
}

/* Particles with very different lifetimes, so that the dead are everywhere in a block. */
static rico_effect_id start_short_lives(rico_world *world, rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 600.0f;
    r.speed = (rico_range){0.3f, 1.0f};
    r.restitution = 0.1f;
    r.friction = 0.9f;
    r.lifetime = (rico_range){0.2f, 2.0f};
    r.max_particles = 2000;
    r.particle_ids = true;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0.2f));
    CHECK(e.index1 != 0);
    return e;
}

/* Whether the particle was there before; if so, checks that it is the same one. */
static bool is_the_same(const seen *before, const rico_view *v, uint32_t i)
{
    if (!before->alive)
        return false;
    CHECK(v->lifetime[i] == before->life);
    CHECK(v->age[i] == before->age + DT);
    return true;
}

static void see(seen *now, const rico_view *v, uint32_t i)
{
    now->alive = true;
    now->p = (rico_vec3){v->px[i], v->py[i], v->pz[i]};
    now->age = v->age[i];
    now->life = v->lifetime[i];
}

/* Particles that were seen in the step before but not in this one must have reached their
 * lifetime. Returns how many there are. */
static uint32_t count_missing(const seen *before, const seen *now)
{
    uint32_t missing = 0;
    for (uint32_t id = 0; id < MOST_IDS; ++id) {
        if (!before[id].alive || now[id].alive)
            continue;
        CHECK(before[id].age + DT >= before[id].life);
        missing += 1;
    }
    return missing;
}

TEST(deaths, leave_all_others_whole)
{
    rico_world *world = small_world(1, false);
    rico_effect_id e = start_short_lives(world, RICO_COLLIDE_NONE);
    seen *before = seen_create(), *now = seen_create();
    uint64_t births = 0, deaths = 0, missing = 0;
    for (int step = 0; step < 300; ++step) {
        rico_world_step(world, DT);
        rico_world_stats stats = rico_world_get_stats(world);
        births += stats.births;
        deaths += stats.deaths;
        CHECK_EQ(births - deaths, stats.particles);
        memset(now, 0, MOST_IDS * sizeof *now);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i) {
                uint32_t id = v.id[i];
                CHECK(id < MOST_IDS && !now[id].alive);
                CHECK(v.age[i] < v.lifetime[i]);
                if (is_the_same(&before[id], &v, i))
                    CHECK(v.px[i] == before[id].p.x + v.vx[i] * DT &&
                          v.py[i] == before[id].p.y + v.vy[i] * DT &&
                          v.pz[i] == before[id].p.z + v.vz[i] * DT);
                see(&now[id], &v, i);
            }
        missing += count_missing(before, now);
        memcpy(before, now, MOST_IDS * sizeof *now);
    }
    CHECK_EQ(missing, deaths);
    CHECK(deaths > 1500);
    free(before);
    free(now);
    rico_world_destroy(world);
}

/* Returns how many particles are at rest. */
static uint32_t check_rest(seen *all, const rico_view *v)
{
    uint32_t rested = 0;
    for (uint32_t i = 0; i < v->count; ++i) {
        seen *s = &all[v->id[i]];
        bool still = v->vx[i] == 0.0f && v->vy[i] == 0.0f && v->vz[i] == 0.0f;
        bool stayed =
            s->alive && v->px[i] == s->p.x && v->py[i] == s->p.y && v->pz[i] == s->p.z;
        CHECK(!s->rested || (still && stayed)); /* it stayed asleep */
        CHECK(still || !stayed);                /* it stays only at rest */
        is_the_same(s, v, i);
        see(s, v, i);
        s->rested = still;
        rested += still;
    }
    return rested;
}

TEST(deaths, neither_wake_nor_stop_others)
{
    rico_world *world = small_world(1, true);
    rico_effect_id e = start_short_lives(world, RICO_COLLIDE_CACHED);
    seen *all = seen_create();
    uint64_t rested = 0, deaths = 0;
    for (int step = 0; step < 300; ++step) {
        rico_world_step(world, DT);
        deaths += rico_world_get_stats(world).deaths;
        rico_view v = rico_effect_view(world, e);
        uint32_t now = 0;
        while (rico_view_next(&v))
            now += check_rest(all, &v);
        CHECK_EQ(now, rico_world_get_stats(world).sleeping);
        rested += now;
    }
    CHECK(rested > 10000);
    CHECK(deaths > 1000);
    free(all);
    rico_world_destroy(world);
}

/* ---- One block, and all that belongs to a particle ------------------------------------- */

#define STREAMS 3u
#define STRIDE (RICO__MAX_BLOCK + 16u)
#define BIT_MASKS 4u

typedef struct small_block {
    rico_world world;
    rico__recipe recipe;
    rico__block block;
    rico__scratch scratch;
    rico__block_context context;
    float data[STREAMS * STRIDE];
} small_block;

/* Numbers and bits from which the particle can be told: of lane i in stream s, and in mask m. */
static float number_of(uint32_t i, uint32_t s)
{
    return (float)(i * STREAMS + s);
}

static bool bit_of(uint32_t round, uint32_t i, uint32_t m)
{
    return (rico__random_u32(round, i, m) & 1) != 0;
}

static uint64_t *bit_mask(small_block *b, uint32_t m)
{
    uint64_t *const masks[BIT_MASKS] = {b->block.asleep, b->block.waits,
                                        b->context.masks.rebound, b->context.masks.look};
    return masks[m];
}

static void fill_block(small_block *b, uint32_t round, uint32_t count)
{
    b->block.count = (uint16_t)count;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t s = 0; s < STREAMS; ++s)
            b->data[s * STRIDE + i] = number_of(i, s);
        for (uint32_t m = 0; m < BIT_MASKS; ++m)
            rico__bit_set(bit_mask(b, m), i, bit_of(round, i, m));
    }
}

/* Returns which particle is at place i, and checks that all of its numbers and bits belong to
 * it. */
static uint32_t check_place(small_block *b, uint32_t round, uint32_t i)
{
    uint32_t who = (uint32_t)b->data[i] / STREAMS;
    for (uint32_t s = 0; s < STREAMS; ++s)
        CHECK(b->data[s * STRIDE + i] == number_of(who, s));
    for (uint32_t m = 0; m < BIT_MASKS; ++m)
        CHECK(rico__bit(bit_mask(b, m), i) == bit_of(round, who, m));
    return who;
}

static void check_compact(small_block *b, uint32_t round)
{
    const uint32_t count = 1 + rico__random_u32(9, round, 1) % RICO__MAX_BLOCK;
    const uint32_t share = rico__random_u32(9, round, 2) % 5; /* of four, so many die */
    memset(b, 0, sizeof *b);
    b->recipe.stream_count = STREAMS;
    b->recipe.stream_floats = STRIDE;
    b->context.world = &b->world;
    b->context.recipe = &b->recipe;
    b->context.block = &b->block;
    b->context.scratch = &b->scratch;
    b->context.data = b->data;
    fill_block(b, round, count);
    uint32_t alive = 0;
    bool found[RICO__MAX_BLOCK] = {false};
    for (uint32_t i = 0; i < count; ++i) {
        bool dies = rico__random_u32(round, i, 99) % 4 < share;
        rico__bit_set(b->context.masks.dead, i, dies);
        alive += !dies;
    }
    rico__compact(&b->context);
    CHECK_EQ(b->block.count, alive);
    CHECK_EQ(b->scratch.tally.deaths, count - alive);
    for (uint32_t i = 0; i < alive; ++i) {
        uint32_t who = check_place(b, round, i);
        CHECK(who < count && !found[who] && !rico__bit(b->context.masks.dead, who));
        found[who] = true;
    }
    for (uint32_t i = alive; i < RICO__MAX_BLOCK; ++i) /* births find clean places */
        for (uint32_t m = 0; m < BIT_MASKS; ++m)
            CHECK(!rico__bit(bit_mask(b, m), i));
}

TEST(deaths, move_all_that_belongs_to_a_particle)
{
    small_block *b = malloc(sizeof *b);
    for (uint32_t round = 0; round < 500; ++round)
        check_compact(b, round);
    free(b);
}

static void add_floor(rico_world *world)
{
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){8.0f, 8.0f, 0.5f};
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform = at(0.0f, 0.0f, -0.5f);
    CHECK(rico_world_add_collider(world, &def).index1 != 0);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
}

/* Some particles would meet the floor in the step in which they die. Their deaths must be
 * reported in front of the floor. */
TEST(deaths, are_told_of_in_front_of_what_would_have_been_met_next)
{
    for (uint32_t k = 0; k < 4; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = rico_recipe_default();
        uint32_t count, deaths = 0, near = 0;
        r.mode = k % 2 == 0 ? RICO_COLLIDE_CACHED : RICO_COLLIDE_EXACT;
        r.rate = 2000.0f;
        r.spread = 3.0f;
        r.lifetime = (rico_range){0.3f, 1.0f};
        r.max_particles = 3000;
        r.lifetime_loss = k < 2 ? 0.0f : 0.1f;
        r.events = RICO_EVENT_BIT_DEATH;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        add_floor(world);
        CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 1.0f)).index1 != 0);
        for (int i = 0; i < 60; ++i) {
            rico_world_step(world, 1.0f / 30.0f);
            const rico_event *e = rico_world_events(world, &count);
            for (uint32_t n = 0; n < count; ++n) {
                CHECK_MSG(e[n].position.z > 0.009f, "%u: at %g", k, (double)e[n].position.z);
                near += e[n].position.z < 0.2f;
            }
            deaths += count;
        }
        CHECK(deaths > 1000 && near > 100);
        rico_world_destroy(world);
    }
}

/* Particles die within the step in which they are born, so their death is all that the host
 * learns of them. It must be reported at the floor, not below it. */
static void check_short_lives(rico_collision_mode mode, bool moves)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    uint32_t count, deaths = 0, met = 0;
    r.mode = mode;
    r.rate = 4000.0f;
    r.spread = 3.0f;
    r.speed = (rico_range){0.0f, 15.0f};
    r.lifetime = (rico_range){0.01f, 0.04f};
    r.events = RICO_EVENT_BIT_DEATH;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.interpolate = moves; /* born one by one */
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    add_floor(world);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.1f));
    CHECK(effect.index1 != 0);
    for (int i = 0; i < 30; ++i) {
        if (moves)
            rico_effect_move(world, effect, at(0.1f * (float)i, 0.0f, 0.1f));
        rico_world_step(world, 1.0f / 30.0f);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n) {
            CHECK_MSG(e[n].position.z > 0.0099f, "mode %d: at %g", (int)mode,
                      (double)e[n].position.z);
            met += e[n].position.z < 0.0101f;
        }
        deaths += count;
    }
    CHECK_MSG(deaths > 3000 && met > 100, "mode %d: %u deaths, %u at the floor", (int)mode,
              deaths, met);
    rico_world_destroy(world);
}

TEST(deaths, in_the_step_of_birth_are_told_of_where_something_was_met)
{
    const rico_collision_mode those[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                         RICO_COLLIDE_EXACT};
    for (uint32_t k = 0; k < 6; ++k)
        check_short_lives(those[k % 3], k >= 3);
}

/* Steps vary at random from half to one and a half times the mean. So the step in which a
 * particle dies may be half as long again as its path expects. */
TEST(deaths, are_told_of_in_front_of_what_is_there_in_uneven_steps)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    uint32_t count, deaths = 0;
    r.rate = 3000.0f;
    r.spread = 3.0f;
    r.speed = (rico_range){0.0f, 8.0f};
    r.lifetime = (rico_range){0.03f, 0.1f};
    r.events = RICO_EVENT_BIT_DEATH;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    add_floor(world);
    CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.3f)).index1 != 0);
    for (uint32_t i = 0; i < 300; ++i) {
        rico_world_step(world, (0.5f + rico__random_units(7, i, 0).first) / 30.0f);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n)
            CHECK_MSG(e[n].position.z > 0.0f, "at %g", (double)e[n].position.z);
        deaths += count;
    }
    CHECK(deaths > 20000);
    rico_world_destroy(world);
}

/* A trough is narrower than the way of one step. A particle that bounces off one side in its
 * last step would be past the other side. */
TEST(deaths, between_planes_are_told_of_in_front_of_all_of_them)
{
    for (uint32_t k = 0; k < 2; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = rico_recipe_default();
        uint32_t count, deaths = 0;
        r.mode = RICO_COLLIDE_FIXED;
        r.rate = 3000.0f;
        r.spread = 3.0f;
        r.speed = (rico_range){2.0f, 8.0f};
        r.lifetime = (rico_range){0.1f, 0.3f};
        r.restitution = 0.9f;
        r.kill_above = k == 0 ? 0.0f : 1.0e5f; /* kills none, but not in vectors */
        r.events = RICO_EVENT_BIT_DEATH;
        r.plane_count = 3;
        r.planes[0] = (rico_plane){{1.0f, 0.0f, 0.0f}, -0.1f};
        r.planes[1] = (rico_plane){{-0.8f, 0.0f, 0.6f}, -0.1f};
        r.planes[2] = (rico_plane){{0.0f, 0.6f, 0.8f}, -0.1f};
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f)).index1 != 0);
        for (uint32_t i = 0; i < 60; ++i) {
            rico_world_step(world, 1.0f / 60.0f);
            const rico_event *e = rico_world_events(world, &count);
            for (uint32_t n = 0; n < count; ++n)
                for (uint32_t p = 0; p < r.plane_count; ++p)
                    CHECK_MSG(vec3_dot(r.planes[p].normal, e[n].position) >
                                  r.planes[p].offset + r.radius - 1.0e-5f,
                              "%u: behind plane %u", k, p);
            deaths += count;
        }
        CHECK(deaths > 2000);
        rico_world_destroy(world);
    }
}
