/* limit.h - what numbers and transforms of the host's may be: one rule for all who take them.
 *
 * NaN and infinities are RICO_NOT_FINITE; what else is out of range is RICO_OUT_OF_RANGE. The log names the
 * member as in C, what it is, and what was expected. A NULL log is standard error.
 */
#ifndef RICO_LIMIT_H
#define RICO_LIMIT_H

#include "log.h"

#include <ricochet/types.h>

#include <stdbool.h>

#define RICO__MOST_COORDINATE 1.0e6f /* of what is placed in a scene, metres */
#define RICO__MOST_SCALE 1.0e6f

/* lo and hi belong to the range; with infinite ones any finite number does. */
rico_result rico__limit_number(const rico_log *log, const char *call, const char *name,
                               float value, float lo, float hi);

/* Each of x, y, z: -most..most. */
rico_result rico__limit_vec3(const rico_log *log, const char *call, const char *name,
                             rico_vec3 v, float most);

/* A finite position, a rotation of length 1 within 1e-3, a scale above 0 and up to RICO__MOST_SCALE. */
rico_result rico__limit_transform(const rico_log *log, const char *call, const char *name,
                                  const rico_transform *transform);

/* The same two without a word and without names, which take 0.1 us each to put together. */
bool rico__is_within(rico_vec3 v, float most);
bool rico__is_placed(
    const rico_transform *transform); /* position: within RICO__MOST_COORDINATE */

#endif
