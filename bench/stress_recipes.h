/* stress_recipes.h - recipes of effects whose sizes follow Zipf's law.
 *
 * The effect of rank r (from 0) holds 1 / (r + 1) of the particles of the largest one. Ranks
 * within a factor of two share a class and the recipes of that class: sparks, rain, gravel, and
 * where all modes are wanted also smoke and casings.
 */
#ifndef RICO_BENCH_STRESS_RECIPES_H
#define RICO_BENCH_STRESS_RECIPES_H

#include <ricochet/world.h>

#define STRESS_CLASSES 20u /* 2^20 effects at most */
#define STRESS_KINDS 5u    /* the first three use mode cached */
#define STRESS_LONGEST_LIFE 4.0f

/* floor(log2(rank + 1)). */
uint32_t stress_class_of(uint32_t rank);

/* Particles alive in each effect of the class, when `effects` effects hold `particles` in all. */
double stress_class_size(uint32_t effects, uint32_t particles, uint32_t class_index);

/* A recipe whose effects hold `alive` particles in the steady state. */
rico_recipe stress_recipe_make(uint32_t kind, double alive, bool events);

/* Few particles that end within a second and a half, for effects started by the thousand. */
rico_recipe stress_recipe_burst(void);

#endif
