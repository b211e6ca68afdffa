/* Births: where, which way, how fast, how long. Every number is a function of (effect seed,
 * particle serial, use), so births may be written by any job. */
#include "contact.h"

#include "random.h"
#include "trig.h"

#define TURN 6.28318531f

/* One constant per purpose: see random.h. */
enum random_use {
    USE_DIRECTION_AROUND = 1,
    USE_DIRECTION_TILT,
    USE_PLACE_AROUND,
    USE_PLACE_RADIUS,
    USE_PLACE_X,
    USE_PLACE_Y,
    USE_PLACE_Z,
    USE_SPEED,
    USE_LIFETIME
};

typedef struct birth {
    const rico_recipe *def;
    uint64_t seed;
    uint32_t serial;
    float lowest; /* z of a direction: the cosine of the spread */
} birth;

static float draw(const birth *b, enum random_use use)
{
    return rico__random_unit(b->seed, b->serial, (uint32_t)use);
}

static float draw_signed(const birth *b, enum random_use use)
{
    return 2.0f * draw(b, use) - 1.0f;
}

/* A point on the circle of radius r around +z, at a random angle. */
static rico_vec3 around(const birth *b, enum random_use use, float r, float z)
{
    float sine, cosine;
    rico__sincos(TURN * draw(b, use), &sine, &cosine);
    return vec3(r * cosine, r * sine, z);
}

/* Uniform over the directions whose z is at least `lowest`. */
static rico_vec3 cone_direction(const birth *b, float lowest)
{
    float z = 1.0f - draw(b, USE_DIRECTION_TILT) * (1.0f - lowest);
    float r = __builtin_sqrtf(float_max(1.0f - z * z, 0.0f));
    return around(b, USE_DIRECTION_AROUND, r, z);
}

/* Uniform over the disc. */
static rico_vec3 disc_place(const birth *b, float radius)
{
    float r = radius * __builtin_sqrtf(draw(b, USE_PLACE_RADIUS));
    return around(b, USE_PLACE_AROUND, r, 0.0f);
}

/* Uniform in the ball: the cube root of a uniform number, as the largest of three. */
static float ball_radius(const birth *b, float radius)
{
    float u = float_max(draw(b, USE_PLACE_X), draw(b, USE_PLACE_Y));
    return radius * float_max(u, draw(b, USE_PLACE_Z));
}

/* The farther out on the disc, the more the direction leans, up to spread. */
static rico_vec3 leaning_direction(const birth *b, rico_vec3 place, float radius, float spread)
{
    if (!(radius > 0.0f))
        return cone_direction(b, rico__cos(spread));
    float r = __builtin_sqrtf(place.x * place.x + place.y * place.y);
    float lean = spread * float_min(r / radius, 1.0f);
    float out = r > 0.0f ? rico__sin(lean) / r : 0.0f;
    return vec3(place.x * out, place.y * out, rico__cos(lean));
}

static void place_and_direction(const birth *b, rico_vec3 *place, rico_vec3 *direction)
{
    const rico_recipe *def = b->def;
    *place = vec3(0.0f, 0.0f, 0.0f);
    switch (def->shape) {
    case RICO_EMIT_SPHERE:
        *direction = cone_direction(b, -1.0f);
        *place = vec3_scale(*direction, ball_radius(b, def->size.x));
        return;
    case RICO_EMIT_CONE:
        *place = disc_place(b, def->size.x);
        *direction = leaning_direction(b, *place, def->size.x, def->spread);
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
    *direction = cone_direction(b, b->lowest);
}

static void find_plane(rico__block_context *c, uint32_t i)
{
    const rico_recipe *def = &c->recipe->def;
    switch (def->mode) {
    case RICO_COLLIDE_FIXED:
        block_watch_plane(
            c, i,
            rico__first_plane(def, block_position(c, i), block_velocity(c, i), c->step.radius));
        break;
    case RICO_COLLIDE_CLASSIC:
        rico__classic_look_up(c, i, true);
        break;
    case RICO_COLLIDE_CACHED:
        block_set_plane(c, i, no_plane());
        c->streams.until[i] = 0.0f;
        rico__bit_set(c->masks.look, i, true);
        rico__bit_set(c->block->waits, i, false);
        break;
    default:
        break;
    }
}

static void emit_one(rico__block_context *c, uint32_t i, uint32_t serial)
{
    const rico_recipe *def = &c->recipe->def;
    const rico_transform *transform = &c->effect->transform;
    birth b = {def, c->effect->seed, serial, c->recipe->lowest};
    rico_vec3 place, direction;
    place_and_direction(&b, &place, &direction);
    float speed = def->speed.lo + (def->speed.hi - def->speed.lo) * draw(&b, USE_SPEED);
    float life =
        def->lifetime.lo + (def->lifetime.hi - def->lifetime.lo) * draw(&b, USE_LIFETIME);
    block_set_position(c, i, transform_point(transform, place));
    block_set_velocity(c, i, vec3_scale(transform_direction(transform, direction), speed));
    c->streams.age[i] = 0.0f;
    c->streams.life[i] = life;
    uint32_t *id = (uint32_t *)(void *)rico__stream(c->recipe, c->data, FIELD_ID);
    if (id != NULL)
        id[i] = serial;
    rico__bit_set(c->block->asleep, i, false);
    rico__bit_set(c->masks.rebound, i, false);
    find_plane(c, i);
}

void rico__emit(rico__block_context *c)
{
    rico__block *block = c->block;
    for (uint32_t n = 0; n < block->birth_count; ++n)
        emit_one(c, block->count + n, block->birth_serial + n);
    block->count += block->birth_count;
    c->scratch->tally.births += block->birth_count;
    block->birth_count = 0;
}
