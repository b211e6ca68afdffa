#include "births.h"

#include "trig.h"
#include "vec.h"

static float centred(float u)
{
    return 2.0f * u - 1.0f;
}

/* The point on the circle of radius r around +z, u of the way round. */
static rico_vec3 around(float u, float r, float z)
{
    float x, y;
    rico__circle(u, &x, &y);
    return vec3(r * x, r * y, z);
}

/* Uniform over the directions whose z is at least `lowest`. */
static rico_vec3 cone_direction(const rico__birth *b, float lowest)
{
    rico__random_pair draw = rico__draw(b, USE_DIRECTION);
    float z = 1.0f - draw.second * (1.0f - lowest);
    float r = __builtin_sqrtf(float_max(1.0f - z * z, 0.0f));
    return around(draw.first, r, z);
}

/* Uniform over the disc, or over its rim. */
static rico_vec3 disc_or_rim(const rico__birth *b, float radius)
{
    rico__random_pair draw = rico__draw(b, USE_PLACE);
    if (!b->recipe->def.surface)
        radius *= __builtin_sqrtf(draw.second);
    return around(draw.first, radius, 0.0f);
}

/* Uniform in the ball: the largest of three uniform numbers is spread as the cube root of
 * one. */
static float ball_radius(const rico__birth *b, float radius)
{
    if (b->recipe->def.surface)
        return radius;
    rico__random_pair draw = rico__draw(b, USE_PLACE);
    float u = float_max(draw.first, draw.second);
    return radius * float_max(u, rico__draw(b, USE_PLACE_Z).first);
}

static rico_vec3 box_place(const rico__birth *b)
{
    const rico_vec3 half = b->recipe->def.size;
    rico__random_pair xy = rico__draw(b, USE_PLACE), z = rico__draw(b, USE_PLACE_Z);
    float at[3] = {half.x * centred(xy.first), half.y * centred(xy.second),
                   half.z * centred(z.first)};
    if (b->recipe->def.surface) {
        const float side[3] = {half.y * half.z, half.x * half.z, half.x * half.y};
        float f = centred(z.second), u = __builtin_fabsf(f);
        u *= side[0] + side[1] + side[2];
        uint32_t axis = u < side[0] ? 0 : (u < side[0] + side[1] ? 1 : 2);
        const float to[3] = {half.x, half.y, half.z};
        at[axis] = f < 0.0f ? -to[axis] : to[axis];
    }
    return vec3(at[0], at[1], at[2]);
}

/* Uniform over the tube around a circle, or over its surface. Places farther from the ring's
 * axis have more volume or area, so a place is mirrored in the middle of the tube as often as
 * makes up for that. */
static rico_vec3 ring_place(const rico__birth *b)
{
    float radius = b->recipe->def.size.x, tube = b->recipe->def.size.y;
    if (!(radius > 0.0f))
        return vec3(0.0f, 0.0f, 0.0f);
    rico__random_pair draw = rico__draw(b, USE_PLACE), in_tube = rico__draw(b, USE_PLACE_Z);
    if (!b->recipe->def.surface)
        tube *= __builtin_sqrtf(draw.second);
    rico_vec3 at = around(in_tube.first, tube, 0.0f);
    if (in_tube.second >= 0.5f * (1.0f + at.x / radius))
        at.x = -at.x;
    return around(draw.first, radius + at.x, at.y);
}

/* The cube root of x, which lies between lo and hi (lo^3 <= x <= hi^3), by Newton's method from
 * above. */
static float cube_root(float x, float lo, float hi)
{
    float r = hi;
    for (uint32_t n = 0; n < 32 && r > lo; ++n) {
        float next = r - (r * r * r - x) / (3.0f * r * r);
        if (!(next < r))
            break;
        r = next;
    }
    return float_max(r, lo);
}

/* The cone is cut off at its narrow end. A place along it is drawn by the radius that the cone
 * has there, because the share of volume or of lateral area depends on the radius. */
static void cone_place(const rico__birth *b, rico_vec3 *place, rico_vec3 *direction)
{
    const rico_recipe *def = &b->recipe->def;
    const float base = def->size.x, slope = rico__sin(def->spread) / b->recipe->lowest;
    const float wide = base + slope * def->size.z, u = rico__draw(b, USE_PLACE_Z).first;
    float radius = base, z = def->size.z * u; /* if it hardly widens, it is a cylinder */
    if (wide > base * 1.001f) {
        radius =
            def->surface
                ? __builtin_sqrtf(base * base + (wide * wide - base * base) * u)
                : cube_root(base * base * base + (wide * wide * wide - base * base * base) * u,
                            base, wide);
        z = float_clamp((radius - base) / slope, 0.0f, def->size.z);
    }
    rico__random_pair draw = rico__draw(b, USE_PLACE);
    float out = def->surface ? 1.0f : __builtin_sqrtf(draw.second);
    rico_vec3 on_unit = around(draw.first, out, 0.0f);
    float lean = def->spread * out, flat = out > 0.0f ? rico__sin(lean) / out : 0.0f;
    *place = vec3(on_unit.x * radius, on_unit.y * radius, z);
    *direction = vec3(on_unit.x * flat, on_unit.y * flat, rico__cos(lean));
}

/* Turns v so that +z becomes the unit vector n. */
static rico_vec3 turn_up_to(rico_vec3 n, rico_vec3 v)
{
    rico_vec3 x, y;
    vec3_axes(n, &x, &y);
    return vec3_mad(vec3_mad(vec3_scale(x, v.x), y, v.y), n, v.z);
}

static void mesh_place(const rico__birth *b, rico_vec3 *place, rico_vec3 *direction)
{
    const rico__face *face =
        rico__face_pick(b->recipe, rico__random_u32(b->seed, b->serial, USE_FACE));
    rico__random_pair draw = rico__draw(b, USE_PLACE);
    float u = draw.first, v = draw.second;
    if (u + v > 1.0f) {
        u = 1.0f - u;
        v = 1.0f - v;
    }
    *place = vec3_mad(vec3_mad(face->corner, face->u, u), face->v, v);
    *direction = turn_up_to(face->normal, cone_direction(b, b->recipe->lowest));
}

/* The farther out on the disc a place is, the more the direction leans, up to spread. */
static rico_vec3 leaning_direction(const rico__birth *b, rico_vec3 place, float radius)
{
    float spread = b->recipe->def.spread;
    if (!(radius > 0.0f))
        return cone_direction(b, b->recipe->lowest);
    float r = __builtin_sqrtf(place.x * place.x + place.y * place.y);
    float lean = spread * float_min(r / radius, 1.0f);
    float out = r > 0.0f ? rico__sin(lean) / r : 0.0f;
    return vec3(place.x * out, place.y * out, rico__cos(lean));
}

bool rico__birth_goes_up(const rico_recipe *def)
{
    return def->shape != RICO_EMIT_SPHERE && def->shape != RICO_EMIT_CONE &&
           def->shape != RICO_EMIT_MESH;
}

rico_vec3 rico__birth_spot(const rico__birth *b)
{
    const rico_recipe *def = &b->recipe->def;
    switch (def->shape) {
    case RICO_EMIT_BOX:
        return box_place(b);
    case RICO_EMIT_DISC:
        return disc_or_rim(b, def->size.x);
    case RICO_EMIT_LINE:
        return vec3(def->size.x * centred(rico__draw(b, USE_PLACE).first), 0.0f, 0.0f);
    case RICO_EMIT_RING:
        return ring_place(b);
    default:
        return vec3(0.0f, 0.0f, 0.0f);
    }
}

void rico__birth_place(const rico__birth *b, rico_vec3 *place, rico_vec3 *direction)
{
    const rico_recipe *def = &b->recipe->def;
    *place = vec3(0.0f, 0.0f, 0.0f);
    switch (def->shape) {
    case RICO_EMIT_SPHERE:
        *direction = cone_direction(b, -1.0f);
        *place = vec3_scale(*direction, ball_radius(b, def->size.x));
        return;
    case RICO_EMIT_CONE:
        if (def->size.z > 0.0f) {
            cone_place(b, place, direction);
            return;
        }
        *place = disc_or_rim(b, def->size.x);
        *direction = leaning_direction(b, *place, def->size.x);
        return;
    case RICO_EMIT_MESH:
        mesh_place(b, place, direction);
        return;
    default:
        *place = rico__birth_spot(b);
        *direction = cone_direction(b, b->recipe->lowest);
        return;
    }
}
