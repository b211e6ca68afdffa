#include "limit.h"

#include "vec.h"

#include <stdio.h>

rico_result rico__limit_number(const rico_log *log, const char *call, const char *name,
                               float value, float lo, float hi)
{
    if (!float_is_finite(value)) {
        if (!float_is_finite(lo) || !float_is_finite(hi))
            return rico__fail(log, RICO_NOT_FINITE, call, "%s is %g, expected a finite number",
                              name, (double)value);
        return rico__fail(log, RICO_NOT_FINITE, call, "%s is %g, expected %g to %g", name,
                          (double)value, (double)lo, (double)hi);
    }
    if (value >= lo && value <= hi)
        return RICO_OK;
    return rico__fail(log, RICO_OUT_OF_RANGE, call, "%s is %g, expected %g to %g", name,
                      (double)value, (double)lo, (double)hi);
}

bool rico__is_within(rico_vec3 v, float most)
{
    return vec3_is_finite(v) && __builtin_fabsf(v.x) <= most && __builtin_fabsf(v.y) <= most &&
           __builtin_fabsf(v.z) <= most;
}

bool rico__is_placed(const rico_transform *transform)
{
    return transform_is_valid(transform) &&
           rico__is_within(transform->position, RICO__MOST_COORDINATE);
}

rico_result rico__limit_vec3(const rico_log *log, const char *call, const char *name,
                             rico_vec3 v, float most)
{
    const float numbers[3] = {v.x, v.y, v.z};
    rico_result result = RICO_OK;
    for (int a = 0; a < 3 && result == RICO_OK; ++a) {
        char axis[96];
        snprintf(axis, sizeof axis, "%s.%c", name, "xyz"[a]);
        result = rico__limit_number(log, call, axis, numbers[a], -most, most);
    }
    return result;
}

static rico_result limit_rotation(const rico_log *log, const char *call, const char *name,
                                  rico_quat q)
{
    const float numbers[4] = {q.x, q.y, q.z, q.w};
    float length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (quat_is_unit(q))
        return RICO_OK;
    for (int a = 0; a < 4; ++a)
        if (!float_is_finite(numbers[a]))
            return rico__fail(log, RICO_NOT_FINITE, call,
                              "%s.rotation.%c is %g, expected a finite number", name, "xyzw"[a],
                              (double)numbers[a]);
    return rico__fail(log, RICO_OUT_OF_RANGE, call, "%s.rotation has length %g, expected 1",
                      name, (double)__builtin_sqrtf(length2));
}

rico_result rico__limit_transform(const rico_log *log, const char *call, const char *name,
                                  const rico_transform *transform)
{
    char member[80];
    if (transform_is_valid(transform))
        return RICO_OK;
    snprintf(member, sizeof member, "%s.position", name);
    rico_result result =
        rico__limit_vec3(log, call, member, transform->position, __builtin_inff());
    if (result == RICO_OK)
        result = limit_rotation(log, call, name, transform->rotation);
    if (result != RICO_OK)
        return result;
    result = float_is_finite(transform->scale) ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE;
    return rico__fail(log, result, call, "%s.scale is %g, expected more than 0 and at most %g",
                      name, (double)transform->scale, (double)RICO__MOST_SCALE);
}
