/* Which known paths an edit touches: all that lead through it, and hardly another. */
#include "runtime_movers.h"

#include "edits.h"
#include "own_plane.h"
#include "random.h"
#include "state.h"
#include "vec.h"

#define GRAINS 120u
#define STEPS 100u

/* What bends paths. */
typedef struct weather {
    float dt;
    float drag, lean; /* 1/s; m/s^2 along x */
    rico_vec3 wind;
    float turbulence, air;
} weather;

static const weather all[] = {{.dt = DT},
                              {.dt = DT, .drag = 0.5f},
                              {.dt = DT, .drag = 5.0f},
                              {.dt = DT, .drag = 0.3f, .lean = 8.0f},
                              {.dt = DT, .drag = 2.0f, .wind = {9.0f, -6.0f, 3.0f}},
                              {.dt = 0.05f, .lean = 20.0f},
                              {.dt = 0.05f, .drag = 1.0f, .lean = 20.0f},
                              {.dt = DT, .turbulence = 3.0f},
                              {.dt = DT, .air = 0.5f}};

#define WEATHERS (sizeof all / sizeof *all)

static void go(rico_world *world, const weather *w, uint32_t steps)
{
    for (uint32_t k = 0; k < steps; ++k)
        rico_world_step(world, w->dt);
}

static rico_force turbulence(float strength)
{
    rico_force force = rico_force_default();
    force.kind = RICO_FORCE_TURBULENCE;
    force.strength = strength;
    return force;
}

/* Grains that fly over nothing for seconds: the floor is far below. */
static rico_world *high_grains(const weather *w)
{
    rico_world *world = bare_world(1);
    add_box(world, 30.0f, 30.0f, 0.1f, at(0.0f, 0.0f, -400.0f));
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){10.0f, 10.0f, 10.0f};
    r.rate = 0.0f;
    r.burst_count = GRAINS;
    r.max_particles = GRAINS;
    r.spread = 3.0f;
    r.speed = (rico_range){0.0f, 15.0f};
    r.lifetime = (rico_range){10.0f, 10.0f};
    r.gravity.x = w->lean;
    r.drag = w->drag;
    r.wind = w->wind;
    r.drag_quadratic = w->air;
    if (w->turbulence > 0.0f)
        r.forces[0] = turbulence(w->turbulence);
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 0.0f))
              .index1 != 0);
    go(world, w, 2);
    return world;
}

static rico__block *only_block(rico_world *world)
{
    rico__block *block = &world->blocks[world->effects[0].first_block];
    CHECK(block->count == GRAINS || block->count == 1);
    return block;
}

static rico_vec3 place_of(const rico_world *world, const rico__block *block, uint32_t i)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    return vec3(rico__stream(recipe, data, FIELD_PX)[i],
                rico__stream(recipe, data, FIELD_PY)[i],
                rico__stream(recipe, data, FIELD_PZ)[i]);
}

/* Where the grains come, in a world without edits. */
static rico_vec3 ways[STEPS][GRAINS];

static void follow(const weather *w)
{
    rico_world *world = high_grains(w);
    for (uint32_t k = 0; k < STEPS; ++k) {
        rico__block *block = only_block(world);
        for (uint32_t i = 0; i < GRAINS; ++i)
            ways[k][i] = place_of(world, block, i);
        go(world, w, 1);
    }
    rico_world_destroy(world);
}

/* Which grains look again after an edit in the box, and so many others. */
static void ask(rico_world *world, const rico_box *edit, uint32_t others, bool looks[GRAINS])
{
    rico__block *block = only_block(world), before = *block;
    float *until = rico__stream(&world->recipes[block->recipe], rico__block_data(world, block),
                                FIELD_UNTIL),
          kept[GRAINS];
    memcpy(kept, until, sizeof kept);
    for (uint32_t k = 0; k < others; ++k) {
        const float x = rico__random_range(6, k, 0, -9.0f, 9.0f);
        const rico_vec3 p = {x, -x, 9.0f};
        rico__edit_paths(world, &(rico_box){p, p});
    }
    rico__edit_paths(world, edit);
    rico__edits_settle(world, &world->memory);
    rico__edits_reach(world, block);
    for (uint32_t i = 0; i < GRAINS; ++i) {
        looks[i] = rico__bit(block->waits, i);
        CHECK(!looks[i] || until[i] == 0.0f);
    }
    memcpy(until, kept, sizeof kept);
    *block = before;
    rico__edit_boxes_clear(&world->edits.list);
}

/* For how long its path is known. */
static uint32_t known_steps(rico_world *world, uint32_t i, float dt)
{
    const rico__block *block = only_block(world);
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    const float time =
        rico__stream(recipe, data, FIELD_UNTIL)[i] - rico__stream(recipe, data, FIELD_AGE)[i];
    return 1 + (uint32_t)fminf(time / dt, (float)(STEPS - 1));
}

static float distance_of_way(uint32_t i, rico_vec3 p)
{
    float nearest = 1.0e9f;
    for (uint32_t k = 0; k < STEPS; ++k)
        nearest = fminf(nearest, vec3_length(vec3_sub(ways[k][i], p)));
    return nearest;
}

TEST(edits, are_news_to_every_path_that_leads_through_them_and_to_few_others)
{
    for (uint32_t w = 0; w < WEATHERS; ++w) {
        uint32_t longest = 0, beside = 0, others = 0;
        follow(&all[w]);
        rico_world *world = high_grains(&all[w]);
        for (uint32_t i = 0; i < GRAINS; i += test_few_rounds(1, 3)) {
            const uint32_t steps = known_steps(world, i, all[w].dt);
            const uint32_t k = rico__random_u32(5, w * GRAINS + i, 0) % steps;
            const rico_vec3 p = ways[k][i], half = {0.01f, 0.01f, 0.01f};
            const rico_box edit = {vec3_sub(p, half), vec3_add(p, half)};
            bool looks[GRAINS];
            ask(world, &edit, i % 4 == 0 ? (i % 8 == 0 ? 20 : 100) : 0, looks);
            CHECK_MSG(looks[i], "weather %u: grain %u after %u of %u steps", w, i, k, steps);
            longest = steps > longest ? steps : longest;
            for (uint32_t j = 0; j < GRAINS && i % 4 != 0; ++j)
                if (distance_of_way(j, p) > 2.0f) {
                    beside += looks[j];
                    others += 1;
                }
        }
        /* What nobody foresees may take it anywhere on its way. */
        CHECK_MSG(beside * 100 < others || all[w].turbulence + all[w].air > 0.0f,
                  "weather %u: %u of %u", w, beside, others);
        CHECK_MSG(longest > 5, "weather %u: %u steps", w, longest);
        rico_world_destroy(world);
    }
}

/* As if all had come by something: nothing is within so many metres of their paths, or, for every third, which is about to
 * bounce, nothing is nearer than it comes at so many metres a second. */
static void know_clearances(rico_world *world, float clearance)
{
    rico__block *block = only_block(world);
    const size_t stride = world->recipes[block->recipe].stream_floats;
    float *data = rico__block_data(world, block);
    for (uint32_t i = 0; i < GRAINS; ++i) {
        rico__set_known(data + i, stride, rico__known_clearance(clearance));
        rico__bit_set(block->rebound, i, i % 3 == 0);
    }
}

/* As ask, of a grain that has the block for itself. */
static bool asks_alone(rico_world *world, const rico_box *edit, uint32_t grain)
{
    float kept[FIELD_COUNT];
    rico__block *block = only_block(world), before = *block;
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const size_t stride = recipe->stream_floats;
    float *data = rico__block_data(world, block);
    bool looks[GRAINS];
    for (uint32_t k = 0; k < recipe->stream_count; ++k) {
        kept[k] = data[k * stride];
        data[k * stride] = data[k * stride + grain];
    }
    rico__bit_set(block->asleep, 0, rico__bit(block->asleep, grain));
    rico__bit_set(block->rebound, 0, rico__bit(block->rebound, grain));
    block->count = 1;
    ask(world, edit, 0, looks);
    for (uint32_t k = 0; k < recipe->stream_count; ++k)
        data[k * stride] = kept[k];
    *block = before;
    return looks[0];
}

/* A block is held against edits as a whole first. That of all grains is as large as all that they come by; that of one,
 * no larger than it must be. */
TEST(edits, are_no_less_news_to_who_is_alone_in_its_block)
{
    uint32_t near = 0, beyond = 0;
    for (uint32_t w = 0; w < WEATHERS; ++w) {
        follow(&all[w]);
        rico_world *world = high_grains(&all[w]);
        know_clearances(world, 0.8f);
        for (uint32_t n = 0; n < 8 * GRAINS; ++n) {
            const uint32_t i = n % GRAINS, key = w * GRAINS * 8 + n;
            const uint32_t steps = known_steps(world, i, all[w].dt);
            const rico_vec3 p = ways[rico__random_u32(7, key, 3) % steps][i];
            const rico_vec3 q = {p.x + rico__random_range(7, key, 0, -1.5f, 1.5f),
                                 p.y + rico__random_range(7, key, 1, -1.5f, 1.5f),
                                 p.z + rico__random_range(7, key, 2, -1.5f, 1.5f)};
            const rico_box edit = {q, q};
            bool among[GRAINS];
            ask(world, &edit, 0, among);
            CHECK_MSG(asks_alone(world, &edit, i) == among[i], "weather %u: grain %u, edit %u",
                      w, i, n);
            near += among[i];
            beyond += !among[i];
        }
        rico_world_destroy(world);
    }
    CHECK_MSG(near > 1000 && beyond > 1000, "%u and %u", near, beyond);
}
