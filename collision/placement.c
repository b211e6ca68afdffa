#include "placement.h"

#define GROW_REACH (64.0f / 16777216.0f)
#define GROW_COORDINATE (4.0f / 16777216.0f)

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

static rico_box grown(rico_vec3 center, rico_vec3 half, float reach)
{
    rico_vec3 far = vec3_add(rico__vec3_abs(center), half);
    half = vec3_mad(half, far, GROW_COORDINATE);
    half = vec3_add(half, vec3(reach, reach, reach));
    return (rico_box){vec3_sub(center, half), vec3_add(center, half)};
}

rico_box rico__placement_box(const rico__placement *p, const rico__middle *local)
{
    rico_vec3 half = vec3_scale(rico__vec3_abs(p->column[0]), local->half.x);
    half = vec3_mad(half, rico__vec3_abs(p->column[1]), local->half.y);
    half = vec3_mad(half, rico__vec3_abs(p->column[2]), local->half.z);
    return grown(rico__placement_point(p, local->center), vec3_scale(half, p->scale),
                 local->reach * p->scale * GROW_REACH);
}

rico_box rico__placement_box_back(const rico__placement *p, const rico_box *world)
{
    rico__middle m = rico__middle_of(world);
    rico_vec3 half = vec3(vec3_dot(rico__vec3_abs(p->column[0]), m.half),
                          vec3_dot(rico__vec3_abs(p->column[1]), m.half),
                          vec3_dot(rico__vec3_abs(p->column[2]), m.half));
    /* What the position and the coordinates are rounded by counts too: it is divided by the
     * scale with them. */
    float reach = m.reach + sum(rico__vec3_abs(p->position));
    return grown(rico__placement_point_back(p, m.center), vec3_scale(half, p->inverse_scale),
                 reach * p->inverse_scale * GROW_REACH);
}
