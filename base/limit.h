/* limit.h - the ranges of numbers and transforms that the host gives: one rule for all calls
 * that take them.
 *
 * NaN and infinities are RICO_NOT_FINITE. Other values out of range are RICO_OUT_OF_RANGE. The
 * logged message names the member as it is written in C, its value, and what was expected. With
 * a NULL log, messages go to standard error.
 */
#ifndef RICO_LIMIT_H
#define RICO_LIMIT_H

#include "log.h"

#include <ricochet/types.h>

#include <stdbool.h>

/* Metres: the largest coordinate of anything that is placed in a scene. */
#define RICO__MOST_COORDINATE 1.0e6f
#define RICO__MOST_SCALE 1.0e6f

/* Checks one number. lo and hi belong to the range. If they are infinite, any finite number is
 * in range. */
rico_result rico__limit_number(const rico_log *log, const char *call, const char *name,
                               float value, float lo, float hi);

/* Checks that each of x, y, z is in -most..most. */
rico_result rico__limit_vec3(const rico_log *log, const char *call, const char *name,
                             rico_vec3 v, float most);

/* Checks that the position is finite, that the rotation has length 1 within 1e-3, and that the
 * scale is above 0 and at most RICO__MOST_SCALE. */
rico_result rico__limit_transform(const rico_log *log, const char *call, const char *name,
                                  const rico_transform *transform);

/* The same two checks without messages and without names. (Putting names together takes 0.1 us
 * each.) */
bool rico__is_within(rico_vec3 v, float most);
bool rico__is_placed(
    const rico_transform *transform); /* the position: within RICO__MOST_COORDINATE */

#endif
