/* recipe_curve.h - ranges, curves and colour gradients: the values that a recipe is made of.
 *
 * All types are plain data, and the functions are pure. A recipe is checked as a whole by
 * rico_recipe_check (recipe.h), which names the member that is wrong.
 */
#ifndef RICOCHET_RECIPE_CURVE_H
#define RICOCHET_RECIPE_CURVE_H

#include <ricochet/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number that is drawn at random, uniformly between lo and hi. lo <= hi. */
typedef struct rico_range {
    float lo, hi;
} rico_range;

/* Most keys of a curve or gradient. */
#define RICO_MAX_KEYS 8u

/* How a curve runs between two of its keys. */
typedef enum rico_interpolation {
    RICO_LINEAR, /* a straight line */

    /* A monotone cubic.
     * - Between two keys it never leaves the range of their two values.
     * - It has no kink at a key.
     * - It is flat where it turns, and where a held part begins or ends (see rico_curve).
     * - Two keys at 0 and 1 give a straight line.
     * Source: the slopes are those of M. Steffen, A simple method for monotonic interpolation
     * in one dimension, Astronomy and Astrophysics 239 (1990), 443-450. */
    RICO_SMOOTH,

    /* A Hermite cubic with the slopes that the curve gives for its keys. It may leave the range
     * of the two values, but it is clamped to the range of the field that it belongs to. */
    RICO_CUBIC,

    RICO_INTERPOLATION_COUNT
} rico_interpolation;

/* A curve through up to RICO_MAX_KEYS keys, over a particle's life unless the field says
 * otherwise.
 *
 * Key i has the place at[i] and the value value[i]. Places do not decrease from key to key. Two
 * keys at the same place are a jump. Before the first key the curve is held at the first value,
 * after the last key at the last value. A curve of one key is constant.
 *
 * For sizes, drag and alpha over life the runtime does not evaluate the curve itself, but keeps
 * a table of 128 entries. For sizes the table divides the life into 128 equal parts:
 * - A size is exact where a part begins, and linear within the part.
 * - At a kink it is off by at most 1/512 of the change of slope there (slopes are values per
 *   whole life). A kink at a multiple of 1/128 of the life costs no accuracy.
 * - Elsewhere it is off by at most 1/131072 of the curve's second derivative.
 * - A jump takes as long as the part that it lies in. At a multiple of 1/128 it takes no
 *   time. */
typedef struct rico_curve {
    uint32_t key_count;               /* 1..RICO_MAX_KEYS */
    float at[RICO_MAX_KEYS];          /* places, 0..1, not decreasing */
    float value[RICO_MAX_KEYS];       /* unit and range: see the field */
    rico_interpolation interpolation; /* [linear] */

    /* For RICO_CUBIC: the slope just before and just after each key, value per whole life,
     * -1e6..1e6 [0]. Ignored with the other interpolations. */
    float slope_in[RICO_MAX_KEYS], slope_out[RICO_MAX_KEYS];
} rico_curve;

/* A colour with straight (not premultiplied) alpha. Each channel: 0..1. */
typedef struct rico_color {
    float r, g, b, a;
} rico_color;

/* A curve of colours: keys as in rico_curve, each with the four channels r, g, b, a, 0..1. A
 * gradient over life changes in 128 steps. */
typedef struct rico_gradient {
    uint32_t key_count;               /* 1..RICO_MAX_KEYS */
    float at[RICO_MAX_KEYS];          /* places, 0..1, not decreasing */
    float rgba[RICO_MAX_KEYS][4];     /* 0..1 each */
    rico_interpolation interpolation; /* of each channel: RICO_LINEAR or RICO_SMOOTH [linear] */
} rico_gradient;

/* Returns a curve of one key. */
RICO_API rico_curve rico_curve_constant(float value);

/* Returns a gradient of one key. */
RICO_API rico_gradient rico_gradient_constant(float r, float g, float b, float a);

#ifdef __cplusplus
}
#endif
#endif
