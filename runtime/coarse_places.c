/* Mode cached, far from the origin, where floats are so coarse that rounding decides which way
 * a particle goes. */
#include "forecast.h"

#include "contact.h"

static float *number(const rico__flight *f, rico__field field)
{
    return f->numbers + (size_t)field * f->stride;
}

static rico_vec3 load(const rico__flight *f, rico__field x)
{
    return vec3(*number(f, x), *number(f, x + 1), *number(f, x + 2));
}

static float kept_speed(float p, float v, float push, const rico__step *step)
{
    if (!(step->dt > 0.0f) || (v + push) * step->drag_factor != v)
        return v;
    return ((p + v * step->dt) - p) / step->dt;
}

void rico__keep_to_places(const rico__flight *f, const rico__step *step)
{
    rico_vec3 p = load(f, FIELD_PX), v = load(f, FIELD_VX);
    *number(f, FIELD_VX) = kept_speed(p.x, v.x, step->gx, step);
    *number(f, FIELD_VY) = kept_speed(p.y, v.y, step->gy, step);
    *number(f, FIELD_VZ) = kept_speed(p.z, v.z, step->gz, step);
}

/* By how much rounding may move a place along the normal. That is nothing if only ways along
 * the plane are coarse. */
static float coarse_height(rico_vec3 n, rico_vec3 p)
{
    return (__builtin_fabsf(n.x * p.x) + __builtin_fabsf(n.y * p.y) +
            __builtin_fabsf(n.z * p.z)) *
           (RICO__PUT_OUT / RICO__NORMAL_UNIT);
}

void rico__touch_coarsely(const rico__flight *f)
{
    const uint32_t xy = rico__own_word(f->numbers, f->stride, FIELD_NXY);
    const uint32_t z = rico__own_word(f->numbers, f->stride, FIELD_NZ_KNOWN);
    const rico_vec3 n = vec3_scale(rico__own_normal(xy, z), RICO__NORMAL_UNIT);
    const float height = vec3_dot(n, load(f, FIELD_PX)) * (1.0f / RICO__NORMAL_UNIT);
    float *offset = number(f, FIELD_ND);
    const float most = coarse_height(n, load(f, FIELD_PX)), gap = height - *offset - f->radius;
    if (gap > -0.25f * most && gap < most)
        *offset = height - f->radius + 0.25f * most;
}
