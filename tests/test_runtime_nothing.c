/* Worlds without geometry, or without geometry that records hold. */
#include "runtime_movers.h"

#include "state.h"

#define LIFE 2.0f

/* For how many seconds the least known path of a burst of mode cached is known. */
static float least_known(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 100;
    r.speed = (rico_range){4.0f, 5.0f};
    r.lifetime = (rico_range){LIFE, LIFE};
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 9.0f))
              .index1 != 0);
    for (int k = 0; k < 2; ++k)
        rico_world_step(world, DT);
    const rico__block *block = &world->blocks[world->effects[0].first_block];
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block), least = LIFE;
    const float *until = rico__stream(recipe, data, FIELD_UNTIL),
                *age = rico__stream(recipe, data, FIELD_AGE);
    CHECK_EQ(block->count, 100);
    for (uint32_t i = 0; i < block->count; ++i)
        least = fminf(least, until[i] - age[i]);
    return least;
}

/* Paths must be known for almost a whole life. A particle that searched for its path in each
 * step would take fifty times as long. */
TEST(nothing, is_known_to_be_in_the_way_where_there_is_none)
{
    rico_world *bare = bare_world(1), *plane = bare_world(1), *was = bare_world(1);
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id shape;
    def.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_world_add_shape(plane, &def, NULL, &shape), RICO_OK);
    place_shape(plane, shape, at(0.0f, 0.0f, -90.0f));
    const rico_collider_id box = add_box(was, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 0.0f));
    rico_world_step(was, DT);
    CHECK_EQ(rico_world_remove_collider(was, box), RICO_OK);
    rico_world *worlds[] = {bare, plane, was};
    for (int i = 0; i < 3; ++i) {
        const float least = least_known(worlds[i]);
        CHECK_MSG(least > 0.95f * LIFE, "world %d: %g s", i, (double)least);
        rico_world_destroy(worlds[i]);
    }
}
