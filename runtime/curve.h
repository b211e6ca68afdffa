/* curve.h - curves and gradients of recipes: what they may be, their values, and what tables hold of them. */
#ifndef RICO_CURVE_H
#define RICO_CURVE_H

#include "kernel.h"

#include <ricochet/recipe.h>

/* What the values of a recipe's curves may be. Those between the keys of RICO_CUBIC are held within it. */
#define RICO__FACTORS ((rico_range){0.0f, 100.0f})
#define RICO__SIZES ((rico_range){0.0f, 1000.0f})
#define RICO__FRAMES ((rico_range){0.0f, 65535.0f})
#define RICO__TURNS ((rico_range){-1000.0f, 1000.0f})
#define RICO__SHARES ((rico_range){0.0f, 1.0f})

/* For rico_recipe_check. name: of the field. */
rico_result rico__check_curve(const char *name, const rico_curve *curve, rico_range values,
                              const rico_log *log);
rico_result rico__check_gradient(const char *name, const rico_gradient *gradient,
                                 const rico_log *log);

/* Works out the slopes of one that is smooth, which rico__curve_at takes from there. It has been checked. */
void rico__curve_prepare(rico_curve *curve);
/* At x in 0..1; held within `values` where it is cubic. */
float rico__curve_at(const rico_curve *curve, float x, rico_range values);

/* The same for kernels, which evaluate it in floats. */
void rico__curve_keys(const rico_curve *curve, rico_range values, rico__keys *out);

/* Packed as in rico_view: bytes, of channels within 0..1. */
uint32_t rico__pack_color(rico_color color);
rico_color rico__unpack_color(uint32_t packed);

/* Packed, too. The second: the recipe's colour over life, with its alpha over life; whether it
 * changes. */
uint32_t rico__gradient_at(const rico_gradient *gradient, float x);
uint32_t rico__color_at(const rico_recipe *recipe, float x);
bool rico__color_varies(const rico_recipe *recipe);

/* Sizes and colours. The recipe's curves are prepared. */
void rico__bake_looks(rico__tables *tables, const rico_recipe *recipe);

/* The tables' rows, from their columns. */
void rico__lay_rows(rico__tables *tables);

#endif
