#include "placement.h"

static float sum(rico_vec3 v)
{
    return v.x + v.y + v.z;
}

rico__middle rico__middle_of(const rico_box *box)
{
    rico__middle m;
    m.center = vec3_mad(box->lo, vec3_sub(box->hi, box->lo), 0.5f);
    m.half = vec3_max(vec3_sub(box->hi, m.center), vec3_sub(m.center, box->lo));
    m.reach = sum(rico__vec3_abs(m.center)) + sum(m.half);
    return m;
}

rico_box rico__placement_box_back(const rico__placement *p, const rico_box *world)
{
    rico__middle m = rico__middle_of(world);
    rico_vec3 half = vec3(vec3_dot(rico__vec3_abs(p->column[0]), m.half),
                          vec3_dot(rico__vec3_abs(p->column[1]), m.half),
                          vec3_dot(rico__vec3_abs(p->column[2]), m.half));
    /* The rounding of the position and of the coordinates counts, too: it is divided by the
     * scale with them. */
    float reach = m.reach + sum(rico__vec3_abs(p->position));
    return rico__box_grown(rico__placement_point_back(p, m.center),
                           vec3_scale(half, p->inverse_scale),
                           reach * p->inverse_scale * RICO_PLACED_REACH);
}
