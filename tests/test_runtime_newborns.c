/* Births in vectors ("litters"): they give the same bits as births one by one, and they do
 * occur. */
#include "runtime_births.h"
#include "runtime_isa.h"

#include "kernel.h"
#include "state.h"

#define MOST 16384u

static born in_lanes[MOST], one_by_one[MOST];

/* Replaces the kernel for births and counts what goes through it. */
static rico__kernels counted;
static uint32_t (*bear)(rico__newborns *, uint32_t, const rico__step *);
static uint32_t litters, births, alone;

static uint32_t count_and_bear(rico__newborns *newborns, uint32_t count, const rico__step *step)
{
    uint32_t bits = bear(newborns, count, step);
    litters += 1;
    births += count;
    alone += (uint32_t)__builtin_popcount(bits);
    return bits;
}

static void count_litters(rico_world *world)
{
    litters = births = alone = 0;
    counted = *world->kernels;
    bear = counted.bear;
    counted.bear = count_and_bear;
    world->kernels = &counted;
}

/* Some particles die in the step in which they are born, and some meet the plane in it. */
static rico_recipe short_lives(rico_collision_mode mode, rico_emitter_shape shape, float drag)
{
    rico_recipe r = still_recipe(mode);
    r.shape = shape;
    r.size = (rico_vec3){0.5f, 0.2f, 0.1f};
    r.spread = 3.0f;
    r.rate = 4001.0f;
    r.speed = (rico_range){1.0f, 9.0f};
    r.lifetime = (rico_range){0.01f, 0.9f};
    r.gravity = (rico_vec3){0.3f, -0.2f, -9.81f};
    r.drag = drag;
    if (mode == RICO_COLLIDE_FIXED) {
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{0.0f, 0.6f, 0.8f}, -0.1f};
    }
    return r;
}

/* Whether the rate or the host asks for births. */
typedef enum by { BY_RATE, BY_HOST } by;

static void emit_some(rico_world *world, rico_recipe_id recipe, rico_transform where,
                      uint32_t step)
{
    rico_birth places[5];
    for (uint32_t i = 0; i < 5; ++i) {
        where.position.x = 0.1f * (float)i;
        where.scale = 1.0f + 0.5f * (float)i;
        where.rotation.x = i % 2 == 0 ? 0.5f : -0.5f;
        places[i] = (rico_birth){where, {(float)i, -2.0f, 0.5f}, 1 + (i * 7 + step) % 37};
    }
    CHECK_EQ(rico_world_emit(world, recipe, places, 5), RICO_OK);
}

/* Collects particles after some steps. Births that are reported as events are begun one by one. */
static uint32_t run_births(const rico_recipe *recipe, by who, bool reported, born *out)
{
    rico_recipe r = *recipe;
    rico_world *world = small_world(1, false);
    r.events = reported ? RICO_EVENT_BIT_BIRTH : 0;
    r.rate = who == BY_RATE ? r.rate : 0.0f;
    rico_transform where = at(0.1f, 0.2f, 0.3f);
    where.rotation = (rico_quat){0.5f, -0.1f, 0.7f, 0.5f}; /* its length is 1 */
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    count_litters(world);
    rico_effect_id e = rico_effect_spawn(world, id, where);
    for (uint32_t step = 0; step < 25; ++step) {
        if (who == BY_HOST)
            emit_some(world, id, where, step);
        run_steps(world, 1);
    }
    uint32_t count =
        collect_born(world, who == BY_RATE ? e : rico_world_sub_effect(world, id), out, MOST);
    rico_world_destroy(world);
    return count;
}

static void compare_births(const rico_recipe *r, by who)
{
    uint32_t count = run_births(r, who, false, in_lanes);
    CHECK_MSG(births > 1000 && litters >= births / 16, "%u births in lanes", births);
    CHECK(alone > 0);
    CHECK_EQ(run_births(r, who, true, one_by_one), count);
    CHECK_EQ(births, 0);
    CHECK(count > 500);
    for (uint32_t i = 0; i < MOST; ++i)
        CHECK_MSG(in_lanes[i].alive == one_by_one[i].alive &&
                      (!in_lanes[i].alive ||
                       memcmp(in_lanes[i].p, one_by_one[i].p, sizeof(double[8])) == 0),
                  "particle %u", i);
}

TEST(newborns, are_in_lanes_what_they_are_one_by_one_on_every_isa)
{
    static const rico_emitter_shape shapes[] = {RICO_EMIT_POINT, RICO_EMIT_LINE, RICO_EMIT_BOX,
                                                RICO_EMIT_DISC, RICO_EMIT_RING};
    static const rico_collision_mode kinds[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_FIXED,
                                                RICO_COLLIDE_CACHED};
    static const float drags[] = {0.0f, 0.4f, 9.0f}; /* the last is too strong for the series */
    for (int isa = -1; on_next_isa(&isa);) {
        for (uint32_t i = 0; i < test_few_rounds(15, 5); ++i) {
            rico_recipe r = short_lives(kinds[i % 3], shapes[i % 5], drags[i % 7 % 3]);
            compare_births(&r, i % 2 == 0 ? BY_RATE : BY_HOST);
        }
    }
}

TEST(newborns, come_in_litters_to_an_effect_of_many_blocks)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 4000.0f;
    r.lifetime = (rico_range){1.5f, 2.5f};
    begin_effect(world, &r, at(0, 0, 0));
    run_steps(world, 300);
    count_litters(world);
    run_steps(world, 60);
    CHECK_MSG(births > 3900, "%u", births);
    CHECK_MSG((double)births / litters > 8.0, "%u births in %u litters", births, litters);
    uint32_t alive = world->effects[0].particle_count;
    uint32_t room = world->effects[0].block_count * world->recipes[0].block_capacity - alive;
    CHECK_MSG(room < alive / 10, "room for %u beside %u", room, alive);
    rico_world_destroy(world);
}

/* Without memory for more blocks, births must use every free place, however few each block has.
 * So the free places after a step are those of particles that died in it. */
TEST(newborns, leave_no_room_in_a_world_that_is_full)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 65536;
    def.max_effects = 4;
    def.particle_bytes = 600000;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 1.0e6f;
    r.lifetime = (rico_range){1.0f, 2.0f};
    begin_effect(world, &r, at(0, 0, 0));
    run_steps(world, 200);
    for (int i = 0; i < 20; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        const rico__effect *e = &world->effects[0];
        uint32_t slots = e->block_count * world->recipes[0].block_capacity;
        CHECK(slots > 4096);
        CHECK_EQ(slots - e->particle_count, rico_world_get_stats(world).deaths);
    }
    rico_world_destroy(world);
}
