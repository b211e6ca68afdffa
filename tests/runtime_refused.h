/* runtime_refused.h - recipes that every world refuses. */
#ifndef RICO_TESTS_RUNTIME_REFUSED_H
#define RICO_TESTS_RUNTIME_REFUSED_H

#include "runtime_terrain.h"

/* A small world. */
static inline rico_world *world_with_log(rico_log log)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 100;
    def.max_effects = 16;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.worker_count = 1;
    def.log = log;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

/* A small world whose last message is kept. */
static inline rico_world *heard_world(kept_log *log)
{
    return world_with_log(kept_log_hook(log));
}

/* Adds a recipe of at most ten particles, of which several effects fit into that world. */
static inline rico_recipe_id add_small_recipe(rico_world *world)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.max_particles = 10;
    return rico_world_add_recipe(world, &recipe);
}

static inline rico_effect_id lone_effect(rico_world *world, rico_recipe_id recipe)
{
    rico_effect_id id = rico_effect_spawn(world, recipe, at(0.0f, 0.0f, 1.0f));
    CHECK(id.index1 != 0);
    return id;
}

/* Checks that adding the recipe fails with this result, and that the message names the field.
 * log: the world's log. */
static inline void refuse_here(rico_world *world, kept_log *log, const rico_recipe *recipe,
                               const char *field, rico_result result)
{
    *log = (kept_log){.text = ""};
    CHECK_EQ(rico_world_add_recipe(world, recipe).index1, 0);
    CHECK_MSG(rico_world_last_result(world) == result, "%s", field);
    CHECK_MSG(strstr(log->text, field) != NULL, "'%s' names not %s", log->text, field);
    CHECK_MSG(strstr(log->text, "rico_world_add_recipe: ") != NULL, "'%s'", log->text);
}

static inline void refuse(const rico_recipe *recipe, const char *field, rico_result result)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    refuse_here(world, &log, recipe, field, result);
    rico_world_destroy(world);
}

#endif
