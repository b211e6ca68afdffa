/* curve.h - curves and gradients of recipes: their ranges, their values, and their tables. */
#ifndef RICO_CURVE_H
#define RICO_CURVE_H

#include "kernel.h"

#include <ricochet/recipe.h>

/* Ranges of the values of a recipe's curves. Values between the keys of RICO_CUBIC are clamped
 * to them. */
#define RICO__FACTORS ((rico_range){0.0f, 100.0f})
#define RICO__SIZES ((rico_range){0.0f, 1000.0f})
#define RICO__FRAMES ((rico_range){0.0f, 65535.0f})
#define RICO__TURNS ((rico_range){-1000.0f, 1000.0f})
#define RICO__SHARES ((rico_range){0.0f, 1.0f})

/* Checks for rico_recipe_check. name: of the field. */
rico_result rico__check_curve(const char *name, const rico_curve *curve, rico_range values,
                              const rico_log *log);
rico_result rico__check_gradient(const char *name, const rico_gradient *gradient,
                                 const rico_log *log);

/* Works out the slopes of a smooth curve, for rico__curve_at. The curve has been checked. */
void rico__curve_prepare(rico_curve *curve);
/* The value at x in 0..1; clamped to `values` where the curve is cubic. */
float rico__curve_at(const rico_curve *curve, float x, rico_range values);

/* The same in the form that kernels evaluate, in floats. */
void rico__curve_keys(const rico_curve *curve, rico_range values, rico__keys *out);

/* A colour packed as in rico_view: bytes, from channels within 0..1; and unpacked. */
uint32_t rico__pack_color(rico_color color);
rico_color rico__unpack_color(uint32_t packed);

/* Packed colours. rico__color_at: the recipe's colour over life, with its alpha over life.
 * rico__color_varies: whether that changes. */
uint32_t rico__gradient_at(const rico_gradient *gradient, float x);
uint32_t rico__color_at(const rico_recipe *recipe, float x);
bool rico__color_varies(const rico_recipe *recipe);

/* Fills the tables of sizes and colours. The recipe's curves are prepared. */
void rico__bake_looks(rico__tables *tables, const rico_recipe *recipe);

/* Fills the tables' rows from their columns. */
void rico__lay_rows(rico__tables *tables);

#endif
