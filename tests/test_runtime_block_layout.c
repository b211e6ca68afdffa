/* The size of blocks: as many particles as are expected alive, and room for all that is
 * written. */
#include "block_layout.h"
#include "runtime_terrain.h"

#include <string.h>

static uint32_t capacity_of(rico_world *world, const rico_recipe *r)
{
    rico_recipe_id id = rico_world_add_recipe(world, r);
    CHECK(id.index1 != 0);
    return world->recipes[id.index1 - 1].block_capacity;
}

TEST(block_layout, fits_what_an_effect_is_expected_to_have_alive)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.lifetime = (rico_range){1.5f, 2.5f};
    r.rate = 10.0f; /* 20, and four more */
    CHECK_EQ(capacity_of(world, &r), 32);
    r.rate = 80.0f; /* 160, three of a step, and three deviations of 3.7 */
    CHECK_EQ(capacity_of(world, &r), 176);
    r.duration = 0.5f; /* only 40 are ever born, and as much above them */
    CHECK_EQ(capacity_of(world, &r), 64);
    r.duration = 0.0f;
    r.max_particles = 100;
    CHECK_EQ(capacity_of(world, &r), 112);
    r.max_particles = 1000000;
    r.rate = 1000.0f; /* 2,072: nine blocks */
    CHECK_EQ(capacity_of(world, &r), 240);
    r.rate = 130.0f; /* 279: two */
    CHECK_EQ(capacity_of(world, &r), 144);
    rico_world_destroy(world);
}

TEST(block_layout, fits_bursts_with_those_that_came_before)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.lifetime = (rico_range){1.5f, 2.5f};
    r.rate = 0.0f;
    r.burst_count = 96;
    CHECK_EQ(capacity_of(world, &r), 96); /* one burst: the number is known */
    r.burst_interval = 2.0f;              /* half of the last one, give or take 3 x 4.9 */
    CHECK_EQ(capacity_of(world, &r), 160);
    r.burst_interval = 0.01f; /* 96 and 200 times as many: max_particles, in five blocks */
    CHECK_EQ(capacity_of(world, &r), 208);
    r.burst_count = 0;
    r.bursts[1] = (rico_burst){.count = 100, .cycles = 1, .probability = 0.5f};
    CHECK_EQ(capacity_of(world, &r), 64); /* 50, and 15 % of them */
    rico_world_destroy(world);
}

/* Compares the positions of streams modulo a page, in lines of 16 floats, as they are read. */
TEST(block_layout, has_no_two_streams_at_the_same_place_of_a_page)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    rico_world_add_recipe(world, &r);
    rico__recipe *recipe = &world->recipes[0];
    for (uint32_t streams = 8; streams <= FIELD_COUNT; ++streams)
        for (uint32_t capacity = 32; capacity <= RICO__MAX_BLOCK; capacity += 16) {
            recipe->stream_count = streams;
            rico__block_lay_out(recipe, capacity);
            uint64_t taken = 0;
            for (uint32_t s = 0; s < streams; ++s) {
                uint64_t line = (uint64_t)1 << s * recipe->stream_floats / 16 % 64;
                CHECK_MSG((taken & line) == 0, "stream %u of %u, capacity %u", s, streams,
                          capacity);
                taken |= line;
            }
            CHECK(capacity % 64 == 0 || recipe->stream_floats == capacity);
        }
    rico_world_destroy(world);
}

/* Streams and requests must not overlap, and all must lie within the block's units. */
TEST(block_layout, has_room_for_all_that_is_written)
{
    rico_world *world = small_world(1, false);
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = rico_recipe_default();
        r.mode = (rico_collision_mode)mode;
        r.rolls = mode == RICO_COLLIDE_EXACT;
        r.particle_size.key_count = r.color.key_count = 1 + (uint32_t)mode % 2;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        CHECK(id.index1 != 0);
        rico__recipe *recipe = &world->recipes[id.index1 - 1];
        for (uint32_t capacity = 32; capacity <= RICO__MAX_BLOCK; capacity += 16) {
            CHECK_EQ(rico__block_capacity(capacity), capacity);
            CHECK_EQ(rico__block_capacity(capacity - 15), capacity);
            rico__block_lay_out(recipe, capacity);
            CHECK(recipe->stream_floats >= capacity && recipe->stream_floats % 16 == 0);
            rico__block *block = &world->blocks[0];
            block->recipe = (uint16_t)(id.index1 - 1);
            const char *begin = (const char *)block;
            const char *data = (const char *)rico__block_data(world, block);
            const char *requests = (const char *)rico__block_requests(world, block);
            size_t streams = sizeof(float) * recipe->stream_count * recipe->stream_floats;
            CHECK_EQ((size_t)(data - begin), sizeof *block);
            CHECK_EQ((size_t)(requests - data), streams);
            size_t end =
                (size_t)(requests - begin) + recipe->request_capacity * sizeof(rico__request);
            CHECK(end >= RICO__LEAST_BLOCK_BYTES && end <= RICO__MOST_BLOCK_BYTES);
            CHECK(end <= (size_t)recipe->block_units * RICO__UNIT_BYTES);
            CHECK_EQ(recipe->request_capacity > 0,
                     mode == RICO_COLLIDE_CACHED || mode == RICO_COLLIDE_EXACT);
        }
    }
    rico_world_destroy(world);
}

TEST(block_layout, gives_most_effects_in_a_steady_state_one_block)
{
    enum { EFFECTS = 200, STEPS = 400 };
    rico_world *world = small_world(2, true); /* with room for two blocks each */
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.lifetime = (rico_range){0.5f, 1.5f};
    r.rate = 60.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(world->recipes[0].block_capacity, 80); /* 62, and 9.5 */
    for (uint32_t i = 0; i < EFFECTS; ++i)
        CHECK(rico_effect_spawn(world, id, at((float)i, 0.0f, 5.0f)).index1 != 0);
    run_steps(world, 120);
    uint32_t blocks = 0;
    for (uint32_t step = 0; step < STEPS; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        blocks += rico_world_get_stats(world).blocks;
    }
    CHECK_MSG(blocks < EFFECTS * STEPS * 101 / 100, "%u too many of %u",
              blocks - EFFECTS * STEPS, EFFECTS * STEPS);
    rico_world_destroy(world);
}

/* Without queries all cells stay unknown, and paths lead to more cells than the block has room
 * to request. */
TEST(block_layout, asks_for_as_many_cells_as_there_is_room_for)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 32;
    r.spread = 1.5f;
    r.speed = (rico_range){10.0f, 20.0f};
    r.queries_per_frame = 0.0f;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r),
                                         at(0.0f, 0.0f, terrain_height(0.0f, 0.0f) + 1.0f));
    CHECK_EQ(world->recipes[0].request_capacity, RICO__LEAST_REQUESTS);
    uint32_t most = 0;
    for (int step = 0; step < 20; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        const rico__block *block = &world->blocks[world->effects[e.index1 - 1].first_block];
        most = block->request_count > most ? block->request_count : most;
    }
    CHECK_EQ(most, RICO__LEAST_REQUESTS);
    rico_world_destroy(world);
}
