/* Which known paths an edit touches: all that lead through it, and few others. */
#include "runtime_movers.h"

#include "edits.h"
#include "own_plane.h"
#include "random.h"
#include "state.h"
#include "vec.h"

#define GRAINS 120u
#define STEPS 100u

/* All that bends paths. */
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

/* Grains that fly freely for seconds; the floor is far below. */
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

/* Where the grains are in each step, in a world without edits. */
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

/* Finds which grains look again after an edit in the box and `others` further edits. */
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

/* For how many steps the grain's path is known. */
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
        /* Forces that cannot be foreseen may take a particle anywhere near its way. */
        CHECK_MSG(beside * 100 < others || all[w].turbulence + all[w].air > 0.0f,
                  "weather %u: %u of %u", w, beside, others);
        CHECK_MSG(longest > 5, "weather %u: %u steps", w, longest);
        rico_world_destroy(world);
    }
}

static rico_plane plane_below(rico_vec3 p, uint32_t i)
{
    const rico_vec3 n = {0.36f, -0.48f, 0.8f};
    return (rico_plane){n, vec3_dot(n, p) - 0.1f * (float)(i % 7)};
}

/* Sets what grains know as if they had passed something. No surface is within `clearance`
 * metres of their paths. Every third grain is about to bounce, and no surface is nearer than a
 * particle comes at that many metres per second. */
static void know_clearances(rico_world *world, float clearance)
{
    rico__block *block = only_block(world);
    const size_t stride = world->recipes[block->recipe].stream_floats;
    float *data = rico__block_data(world, block);
    float *life = data + FIELD_LIFE * stride;
    const float *age = data + FIELD_AGE * stride;
    for (uint32_t i = 0; i < GRAINS; ++i) {
        if (i % 3 == 0)
            rico__watch(data + i, stride, plane_below(place_of(world, block, i), i), 0);
        rico__set_known(data + i, stride, rico__known_clearance(clearance));
        rico__bit_set(block->rebound, i, i % 3 == 0);
        if (i % 9 == 0) /* these die before that */
            life[i] = 0.01f * (float)i + age[i];
    }
}

/* The same as `ask`, for a grain that is alone in the block. */
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

/* A block is first compared with edits as a whole. The box of a block with all grains is large;
 * that of a block with one grain is as small as possible. The answer for the grain must be the
 * same. */
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

/* --- Particles that hop ----------------------------------------------------------------- */

/* A sheet of 6 m by 6 m. */
static rico_collider_id add_sheet(rico_world *world, float z)
{
    static const float corners[] = {-3, -3, 0, 3, -3, 0, 3, 3, 0, -3, 3, 0};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_collider_id id = rico_world_add_mesh(world, &mesh, at(0.0f, 0.0f, z));
    CHECK(id.index1 != 0);
    return id;
}

/* The sheet with three posts on it, and grains that fall on it from 60 cm. */
static rico_world *hopping_grains(float life, float restitution, float friction,
                                  rico_collider_id *sheet, rico_effect_id *effect)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 1024;
    def.max_effects = def.max_recipes = 2;
    def.worker_count = 1;
    def.cell_size = 2.0f;
    def.cache_bytes = def.classic_cache_bytes = 256 << 10;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    *sheet = add_sheet(world, 0.0f);
    rico_shape_id post = add_box_shape(world, 0.02f, 0.02f, 2.0f);
    place_shape(world, post, at(0.9f, 0.3f, 0.0f));
    place_shape(world, post, at(-0.7f, 1.0f, 0.0f));
    place_shape(world, post, at(-0.4f, -1.1f, 0.0f));
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){2.0f, 2.0f, 0.02f};
    r.rate = 0.0f;
    r.burst_count = 200;
    r.spread = 3.0f;
    r.speed = (rico_range){0.0f, 1.0f};
    r.lifetime = (rico_range){life, 2.0f * life};
    r.radius = 0.005f;
    r.restitution = restitution;
    r.friction = friction;
    r.queries_per_frame = 64.0f;
    r.particle_ids = true;
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    *effect = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 0.6f));
    return world;
}

static bool is_on_sheet(const rico_view *v, uint32_t i, const void *user)
{
    const float z = *(const float *)user;
    return v->pz[i] > z && fabsf(v->px[i]) < 2.9f && fabsf(v->py[i]) < 2.9f;
}

/* What grains know of the sheet holds from hop to hop, for longer than they live and over the
 * height of a hop. When the sheet is removed, none may go on hopping. */
TEST(edits, are_news_to_who_hops_however_short_it_lives_and_high_it_is)
{
    const float below = -0.05f;
    const struct {
        float life, restitution, friction;
    } kinds[] = {{1.5f, 0.95f, 0.0f}, {1.5f, 0.7f, 0.9f}, {20.0f, 0.95f, 0.0f}};
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        uint32_t lived = 0;
        for (uint32_t steps = 20; steps < 70; steps += TEST_IS_SLOW ? 16 : 4) {
            rico_collider_id sheet;
            rico_effect_id e;
            rico_world *world = hopping_grains(kinds[k].life, kinds[k].restitution,
                                               kinds[k].friction, &sheet, &e);
            run_steps(world, (int)steps);
            CHECK_EQ(rico_world_remove_collider(world, sheet), RICO_OK);
            run_steps(world, 56);
            const uint32_t hang = count_grains(world, e, is_on_sheet, &below);
            lived += rico_effect_particle_count(world, e);
            CHECK_MSG(hang == 0, "kind %u, %u steps: %u hop where nothing is", k, steps, hang);
            rico_world_destroy(world);
        }
        CHECK_MSG(lived > 200, "%u", lived);
    }
}

/* Notes in out[id] which grains are above the lid. Returns how many were not in `in`. */
static uint32_t note_above(const rico_world *world, rico_effect_id effect, float lid,
                           const bool in[200], bool out[200])
{
    uint32_t others = 0;
    rico_view v = rico_effect_view(world, effect);
    memset(out, 0, 200);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            CHECK(v.id[i] < 200);
            out[v.id[i]] = is_on_sheet(&v, i, &lid);
            others += out[v.id[i]] && !in[v.id[i]];
        }
    return others;
}

/* A particle that has just bounced is not near the new lid, but reaches it before it dies. None
 * may pass the lid. */
TEST(edits, above_who_hops_are_news_to_it_however_short_it_lives)
{
    const float lid = 0.35f;
    const bool none[200] = {false};
    uint32_t above = 0, lived = 0, below = 0;
    for (uint32_t steps = 20; steps < 40; steps += TEST_IS_SLOW ? 8 : 4) {
        rico_collider_id sheet;
        rico_effect_id e;
        rico_world *world = hopping_grains(0.8f, 0.95f, 0.0f, &sheet, &e);
        run_steps(world, (int)steps);
        bool before[200], after[200];
        below += rico_effect_particle_count(world, e) - note_above(world, e, lid, none, before);
        add_sheet(world, lid);
        for (int n = 0; n < 15; ++n) {
            run_steps(world, 1);
            above += note_above(world, e, lid, before, after);
        }
        lived += rico_effect_particle_count(world, e);
        rico_world_destroy(world);
    }
    CHECK_MSG(above == 0 && below > 200 && lived > 200, "%u of %u went through", above, below);
}
