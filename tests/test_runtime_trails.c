/* Trails and what moves or begins anew without the particles' own doing. */
#include "runtime_terrain.h"

#define POINTS 8u
#define ROOM 200u

typedef struct tail {
    rico_world *world;
    rico_effect_id effect;
    rico_output *output;
    _Alignas(64) rico_trail_vertex vertices[ROOM][2 * POINTS];
} tail;

static void tail_begin(tail *t)
{
    t->world = small_world(1, false);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_NONE;
    recipe.particle_ids = true;
    recipe.rate = 200.0f;
    rico_recipe_id id = rico_world_add_recipe(t->world, &recipe);
    t->effect = rico_effect_spawn(t->world, id, RICO_TRANSFORM_IDENTITY);
    rico_output_def def = rico_output_def_default();
    def.kind = RICO_OUTPUT_TRAILS;
    def.trail_points = POINTS;
    def.capacity = ROOM;
    def.memory[0] = def.memory[1] = t->vertices;
    CHECK_EQ(rico_output_create(t->world, &def, &t->output), RICO_OK);
}

static void tail_end(tail *t)
{
    rico_output_destroy(t->output);
    rico_world_destroy(t->world);
}

/* Of the ways from point to point of all trails. */
static float longest_way(tail *t)
{
    const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    rico_output_frame frame;
    float most = 0.0f;
    CHECK_EQ(rico_output_write(t->output, &t->effect, 1, &eye, &frame), RICO_OK);
    CHECK(frame.count > 0);
    for (uint32_t i = 0; i < frame.count; ++i)
        for (uint32_t k = 0; k + 2 < 2 * POINTS; ++k)
            for (int a = 0; a < 3; ++a)
                most = fmaxf(most, fabsf(t->vertices[i][k + 2].position[a] -
                                         t->vertices[i][k].position[a]));
    return most;
}

static void run_and_write(tail *t, int count)
{
    for (int i = 0; i < count; ++i) {
        run_steps(t->world, 1);
        CHECK(longest_way(t) < 0.5f);
    }
}

TEST(trails, go_along_with_the_origin_whenever_it_was_moved)
{
    static tail t;
    tail_begin(&t);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){77.0f, 0.0f, 0.0f}), RICO_OK);
    run_and_write(&t, 20);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){1000.0f, -300.0f, 20.0f}), RICO_OK);
    float way = longest_way(&t);
    CHECK_MSG(way > 0.01f && way < 0.5f, "%g m", (double)way);
    run_and_write(&t, 3);
    for (int i = 0; i < 5; ++i) /* several between two writes */
        CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){500.0f, 100.5f, -64.0f}),
                 RICO_OK);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){NAN, 0.0f, 0.0f}), RICO_NOT_FINITE);
    run_and_write(&t, 10);
    tail_end(&t);
}

TEST(trails, of_an_effect_that_is_started_anew_begin_anew)
{
    static tail t;
    tail_begin(&t);
    run_and_write(&t, 20);
    rico_transform far = RICO_TRANSFORM_IDENTITY;
    far.position.x = 500.0f;
    CHECK_EQ(rico_effect_teleport(t.world, t.effect, far), RICO_OK);
    CHECK_EQ(rico_effect_seek(t.world, t.effect, 0.5f, 1.0f / 60.0f), RICO_OK);
    CHECK(longest_way(&t) == 0.0f); /* each a point */
    run_and_write(&t, 3);
    CHECK(longest_way(&t) > 0.0f);
    tail_end(&t);
}
