#include "births.h"

#include "trig.h"
#include "vec.h"

#define TURN 6.28318531f

static float draw_signed(const rico__birth *b, enum rico__random_use use)
{
    return 2.0f * rico__draw(b, use) - 1.0f;
}

/* A point on the circle of radius r around +z, at a random angle. */
static rico_vec3 around(const rico__birth *b, enum rico__random_use use, float r, float z)
{
    float sine, cosine;
    rico__sincos(TURN * rico__draw(b, use), &sine, &cosine);
    return vec3(r * cosine, r * sine, z);
}

/* Uniform over the directions whose z is at least `lowest`. */
static rico_vec3 cone_direction(const rico__birth *b, float lowest)
{
    float z = 1.0f - rico__draw(b, USE_DIRECTION_TILT) * (1.0f - lowest);
    float r = __builtin_sqrtf(float_max(1.0f - z * z, 0.0f));
    return around(b, USE_DIRECTION_AROUND, r, z);
}

/* Uniform over the disc. */
static rico_vec3 disc_place(const rico__birth *b, float radius)
{
    float r = radius * __builtin_sqrtf(rico__draw(b, USE_PLACE_RADIUS));
    return around(b, USE_PLACE_AROUND, r, 0.0f);
}

/* Uniform in the ball: the cube root of a uniform number, as the largest of three. */
static float ball_radius(const rico__birth *b, float radius)
{
    float u = float_max(rico__draw(b, USE_PLACE_X), rico__draw(b, USE_PLACE_Y));
    return radius * float_max(u, rico__draw(b, USE_PLACE_Z));
}

/* The farther out on the disc, the more the direction leans, up to spread. */
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
        *place = disc_place(b, def->size.x);
        *direction = leaning_direction(b, *place, def->size.x);
        return;
    case RICO_EMIT_BOX:
        *place = vec3(def->size.x * draw_signed(b, USE_PLACE_X),
                      def->size.y * draw_signed(b, USE_PLACE_Y),
                      def->size.z * draw_signed(b, USE_PLACE_Z));
        break;
    case RICO_EMIT_DISC:
        *place = disc_place(b, def->size.x);
        break;
    default:
        break;
    }
    *direction = cone_direction(b, b->recipe->lowest);
}
