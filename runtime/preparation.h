/* preparation.h - making a recipe ready for frames. */
#ifndef RICO_PREPARATION_H
#define RICO_PREPARATION_H

#include "limit.h"
#include "state.h"

/* emitter_check.c: the part of rico_recipe_check about emission. */
rico_result rico__emission_check(const rico_recipe *recipe, const rico_log *log);

/* A number of a definition and its range. */
typedef struct rico__bound {
    const char *field;
    float value, lo, hi;
} rico__bound;
/* Checks numbers by their ranges. owner: what the call's caller calls the definition. */
rico_result rico__check_numbers(const char *call, const char *owner, const rico__bound *bounds,
                                size_t count, const rico_log *log);
/* The same for a recipe. */
rico_result rico__check_bounds(const rico__bound *bounds, size_t count, const rico_log *log);

/* Makes field layout, block size and baked curves. The recipe has been checked. */
void rico__recipe_prepare(rico__recipe *out, const rico_recipe *recipe);

/* The recipe's particles inherit size or colour (looks.h): makes the layout again. None of them
 * is alive. */
void rico__recipe_inherit(rico__recipe *recipe, uint32_t inherits);

/* A step of dt seconds, without `ahead`. cell_size: of the record cache. */
rico__step rico__recipe_step(const rico__recipe *recipe, float dt, float cell_size);

/* The factor by which the recipe's drag reduces a velocity in dt seconds. */
float rico__drag_factor(const rico__recipe *recipe, float dt);

/* Makes forces act on velocities for dt seconds in the step. */
void rico__step_kick(rico__step *step, const rico__recipe *recipe, float dt);

/* Where drag changes over life (recipe.drag_varies): the drag of a step that begins at that
 * age. rico__step_at sets the step's drag to that, for paths that are followed from there on. */
float rico__drag_at(const rico__recipe *recipe, float age, float life, float dt);
void rico__step_at(rico__step *step, const rico__recipe *recipe, float age, float life);

/* Gravity and wind together as an acceleration, in steps of dt seconds. Drag makes what it
 * gives less with time. */
rico_vec3 rico__pull(const rico__recipe *recipe, float dt);

/* The step of the effect's blocks. Written in place: simulate.c, find_streams, says why. */
static inline void rico__effect_step(rico__step *step, const rico__recipe *recipe,
                                     const rico__effect *effect, float cell_size)
{
    *step = recipe->step;
    if (effect->dt != step->dt)
        *step = rico__recipe_step(recipe, effect->dt, cell_size);
    step->ahead = RICO__DT_TOLERANCE * effect->path_dt;
}

#endif
