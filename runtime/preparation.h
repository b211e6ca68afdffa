/* preparation.h - making a recipe ready for frames. */
#ifndef RICO_PREPARATION_H
#define RICO_PREPARATION_H

#include "limit.h"
#include "state.h"

/* emitter_check.c: rico_recipe_check of its emission. */
rico_result rico__emission_check(const rico_recipe *recipe, const rico_log *log);

/* A number of a definition and its range. */
typedef struct rico__bound {
    const char *field;
    float value, lo, hi;
} rico__bound;
/* owner: what the call's caller calls the definition. */
rico_result rico__check_numbers(const char *call, const char *owner, const rico__bound *bounds,
                                size_t count, const rico_log *log);
/* Of a recipe. */
rico_result rico__check_bounds(const rico__bound *bounds, size_t count, const rico_log *log);

/* Field layout, block size, baked curves. The recipe has been checked. */
void rico__recipe_prepare(rico__recipe *out, const rico_recipe *recipe);

/* Its particles have size or colour of those that they are born of (looks.h): the layout again. None of them lives. */
void rico__recipe_inherit(rico__recipe *recipe, uint32_t inherits);

/* A step of so many seconds, but for `ahead`. cell_size: of the record cache. */
rico__step rico__recipe_step(const rico__recipe *recipe, float dt, float cell_size);

/* What the recipe's drag leaves of a velocity in so many seconds. */
float rico__drag_factor(const rico__recipe *recipe, float dt);

/* Forces act on velocities for so many seconds in it. */
void rico__step_kick(rico__step *step, const rico__recipe *recipe, float dt);

/* Where drag changes over life (recipe.drag_varies): what it is for a step that begins at that age. And the
 * step in which it is that, for paths that are followed on from there. */
float rico__drag_at(const rico__recipe *recipe, float age, float life, float dt);
void rico__step_at(rico__step *step, const rico__recipe *recipe, float age, float life);

/* What gravity and wind come to in steps of so many seconds, as an acceleration: drag makes what it
 * gives less with time. */
rico_vec3 rico__pull(const rico__recipe *recipe, float dt);

/* The step of the effect's blocks. In place: simulate.c, find_streams. */
static inline void rico__effect_step(rico__step *step, const rico__recipe *recipe,
                                     const rico__effect *effect, float cell_size)
{
    *step = recipe->step;
    if (effect->dt != step->dt)
        *step = rico__recipe_step(recipe, effect->dt, cell_size);
    step->ahead = RICO__DT_TOLERANCE * effect->path_dt;
}

#endif
