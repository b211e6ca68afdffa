/* Which changes of a recipe make known paths wrong, and which do not. */
#include "runtime_terrain.h"

#include "state.h"

#define AT(field) offsetof(rico_recipe, field)

static rico_recipe blown(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_FIXED;
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.lifetime_loss = 0.1f; /* handled particle by particle: no contact is plain */
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.field_layers = 1;
    return r;
}

typedef struct tried {
    rico_world *world;
    rico_recipe_id id;
} tried;

static void begin(tried *t, const rico_recipe *recipe)
{
    t->world = small_world(1, false);
    t->id = rico_world_add_recipe(t->world, recipe);
    CHECK(rico_effect_spawn(t->world, t->id, at(0.0f, 0.0f, 1.5f)).index1 != 0);
    run_steps(t->world, 1);
}

/* Checks whether the effect looks at its paths again after its recipe changes, and after it
 * changes back. */
static void check_looks(const tried *t, uint32_t k, const rico_recipe *to, bool expected)
{
    const rico_recipe from = blown();
    for (int back = 0; back <= 1; ++back) {
        CHECK(!t->world->effects[0].missed_edits);
        CHECK_MSG(rico_world_change_recipe(t->world, t->id, back ? &from : to) == RICO_OK,
                  "change %u", k);
        CHECK_MSG(t->world->effects[0].missed_edits == expected, "change %u", k);
        run_steps(t->world, 1);
    }
}

static void check_numbers(const size_t *places, uint32_t count, bool expected)
{
    tried t;
    const rico_recipe from = blown();
    begin(&t, &from);
    for (uint32_t k = 0; k < count; ++k) {
        rico_recipe to = from;
        *(float *)(void *)((char *)&to + places[k]) += 0.125f;
        check_looks(&t, k, &to, expected);
    }
    rico_world_destroy(t.world);
}

TEST(runtime, looks_at_paths_again_when_a_number_that_moves_particles_changes)
{
    static const size_t numbers[] = {
        AT(gravity.x),
        AT(gravity.z),
        AT(drag),
        AT(drag_quadratic),
        AT(limit_speed),
        AT(drag_over_life.value[0]),
        AT(wind.x),
        AT(radius),
        AT(restitution),
        AT(friction),
        AT(rest_speed),
        AT(rolling_friction),
        AT(planes[0].offset),
        AT(forces[0].strength),
        AT(forces[0].speed),
        AT(forces[0].reach),
        AT(forces[0].scale),
        AT(forces[0].position.y),
        AT(forces[0].scroll.x),
        AT(forces[0].scroll.z),
    };
    check_numbers(numbers, sizeof numbers / sizeof *numbers, true);
}

TEST(runtime, looks_at_no_path_again_when_a_number_that_moves_nobody_changes)
{
    static const size_t numbers[] = {AT(rate),          AT(lifetime.hi),
                                     AT(lifetime_loss), AT(particle_size.value[0]),
                                     AT(speed.hi),      AT(forces[1].strength)};
    check_numbers(numbers, sizeof numbers / sizeof *numbers, false);
}

TEST(runtime, looks_at_paths_again_when_a_choice_that_moves_particles_changes)
{
    tried t;
    rico_recipe from = blown(), to[8];
    for (int k = 0; k < 8; ++k)
        to[k] = from;
    to[0].by_surface = true;
    to[1].on_collision = RICO_ON_COLLISION_SLIDE;
    to[2].plane_count = 0;
    to[3].field_layers = 2;
    to[4].forces[0].world_space = !from.forces[0].world_space;
    to[5].forces[0].kind = RICO_FORCE_DRAG;
    to[6].forces[0].axis = (rico_vec3){0.0f, 1.0f, 0.0f};
    to[7].lifetime_loss = 0.0f; /* makes contacts plain, and so foreseen */
    begin(&t, &from);
    for (uint32_t k = 0; k < 8; ++k)
        check_looks(&t, k, &to[k], true);
    rico_world_destroy(t.world);
}
