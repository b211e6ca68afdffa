#include "rotation.h"
#include "check.h"

#include "births.h"
#include "curve.h"
#include "float_mode.h"
#include "stages.h"

#include "bits.h"
#include "trig.h"
#include "vec.h"

#define LONGEST_VECTOR 16u /* floats of the longest vector */
#define WHOLE_TURN_EXACTLY 6.283185307179586

static bool turns_over_life(const rico_recipe *def)
{
    return def->rotation_over_life.key_count > 1 || def->rotation_over_life.value[0] != 0.0f;
}

bool rico__rotates(const rico_recipe *def)
{
    return def->start_rotation.lo != 0.0f || def->start_rotation.hi != 0.0f ||
           def->spin.lo != 0.0f || def->spin.hi != 0.0f || turns_over_life(def);
}

bool rico__rotation_draws(const rico_recipe *def)
{
    return def->start_rotation.lo != def->start_rotation.hi || def->spin.lo != def->spin.hi;
}

/* The angle in 0..2 pi. */
static float less_whole_turns(float angle)
{
    float turns = angle * (1.0f / RICO__WHOLE_TURN);
    float whole = (float)(int32_t)float_clamp(turns, -1.0e9f, 1.0e9f);
    angle -= (turns < whole ? whole - 1.0f : whole) * RICO__WHOLE_TURN;
    return float_clamp(angle, 0.0f, RICO__WHOLE_TURN);
}

/* A particle's rotation without rotation_over_life. */
static float angle_of(const rico__recipe *recipe, uint64_t seed, uint32_t id, float age)
{
    const rico_range *start = &recipe->def.start_rotation, *spin = &recipe->def.spin;
    const rico__birth b = {recipe, seed, id};
    rico__random_pair draw = rico__draw(&b, USE_ROTATION);
    return start->lo + (start->hi - start->lo) * draw.first +
           (spin->lo + (spin->hi - spin->lo) * draw.second) * age;
}

static bool is_within_turn(float lo, float hi)
{
    return lo >= 0.0f && hi < RICO__WHOLE_TURN;
}

/* Whether angles may be negative, or a whole turn and more. */
static bool wraps(const rico__turning *t)
{
    const rico__keys *keys = &t->over_life;
    bool within =
        !t->begun && t->spin == 0.0f && (keys->count > 0 || is_within_turn(t->start, t->start));
    for (uint32_t k = 0; k < keys->count; ++k)
        within = within && is_within_turn(t->start + keys->lo[k], t->start + keys->hi[k]);
    return !within;
}

/* Kept with the recipe. What is written just before it is read in vectors has to reach the
 * cache first, and then waits for all that is on its way to memory. */
void rico__rotation_prepare(rico__recipe *recipe)
{
    const rico_recipe *def = &recipe->def;
    recipe->turning = (rico__turning){.start = def->start_rotation.lo,
                                      .spin = def->spin.lo,
                                      .begun = rico__rotation_draws(def)};
    if (turns_over_life(def))
        rico__curve_keys(&def->rotation_over_life, RICO__TURNS, &recipe->turning.over_life);
    recipe->turning.wraps = wraps(&recipe->turning);
}

void rico__rotations(const rico_world *world, const rico__block *block,
                     const rico__packed_from *from, float out[RICO__MAX_BLOCK])
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const uint64_t seed = world->effects[block->effect].seed;
    float *data = rico__block_data(world, block);
    const uint32_t *id = (const uint32_t *)(const void *)rico__stream(recipe, data, FIELD_ID);
    for (uint32_t i = 0; recipe->turning.begun && i < block->count; ++i)
        out[i] = angle_of(recipe, seed, id[i], from->age[i]);
    world->kernels->turn(from, block->count, &recipe->turning, out);
}

float rico_particle_rotation(const rico_world *world, rico_effect_id id, uint32_t particle,
                             float age)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return 0.0f;
    const rico__effect *effect = rico__effect_find(world, id);
    if (effect == NULL)
        return 0.0f;
    return less_whole_turns(
        angle_of(&world->recipes[effect->recipe], effect->seed, particle, age));
}

float rico_particle_rotation_over_life(const rico_world *world, rico_effect_id id,
                                       uint32_t particle, float age, float lifetime)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL && lifetime > 0.0f))
        return 0.0f;
    const rico__effect *effect = rico__effect_find(world, id);
    if (effect == NULL)
        return 0.0f;
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__turning turning = recipe->turning;
    const float ages[LONGEST_VECTOR] = {age}, lives[LONGEST_VECTOR] = {lifetime};
    const rico__packed_from from = {.age = ages, .life = lives};
    float angles[LONGEST_VECTOR] = {angle_of(recipe, effect->seed, particle, age)};
    turning.begun = true;
    world->kernels->turn(&from, 1, &turning, angles);
    return angles[0];
}

/* --- Rolling ------------------------------------------------------------------------------ */

void rico__rotation_begin(rico__block_context *c, uint32_t i, rico_quat q)
{
    float scale = 1.0f / __builtin_sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    const float parts[4] = {q.x, q.y, q.z, q.w};
    for (int k = 0; k < 4; ++k)
        rico__stream(c->recipe, c->data, (rico__field)(FIELD_QX + k))[i] = parts[k] * scale;
}

/* Whole turns are taken off larger angles, whose sines would know nothing of them. Radians;
 * turns. */
#define MOST_ANGLE 8192.0f
#define MOST_TURNS 1.0e15

static float without_turns(float angle)
{
    if (!(angle > MOST_ANGLE))
        return angle;
    double turns = (double)angle * (1.0 / WHOLE_TURN_EXACTLY);
    return turns < MOST_TURNS
               ? (float)((double)angle - (double)(int64_t)turns * WHOLE_TURN_EXACTLY)
               : 0.0f;
}

/* The factor that makes the length 1, by a step of Newton's method, because the length is
 * nearly that. 0: it is not, and the rotation begins anew. */
static float scale_to_unit(float length2)
{
    return length2 > 0.5f && length2 < 1.5f ? 1.5f - 0.5f * length2 : 0.0f;
}

/* Rotates by the spin at the step's end for all of the step. Where a particle rolls, contacts
 * change its spin little by little. */
static void roll_one(float *const q[4], uint32_t i, rico_vec3 spin, float dt)
{
    float rate = vec3_length(spin), half = without_turns(0.5f * rate * dt);
    float real = rico__cos(half);
    rico_vec3 u = vec3_scale(spin, rico__sin(half) / rate), v = {q[0][i], q[1][i], q[2][i]};
    rico_vec3 way = vec3_add(vec3_cross(u, v), vec3_mad(vec3_scale(u, q[3][i]), v, real));
    float w = real * q[3][i] - vec3_dot(u, v);
    float scale = scale_to_unit(vec3_dot(way, way) + w * w);
    if (scale == 0.0f) {
        way = vec3(0.0f, 0.0f, 0.0f);
        w = scale = 1.0f;
    }
    q[0][i] = way.x * scale;
    q[1][i] = way.y * scale;
    q[2][i] = way.z * scale;
    q[3][i] = w * scale;
}

void rico__rotation_roll(rico__block_context *c)
{
    float *w[3], *q[4];
    for (int k = 0; k < 3; ++k)
        w[k] = rico__stream(c->recipe, c->data, (rico__field)(FIELD_WX + k));
    for (int k = 0; k < 4; ++k)
        q[k] = rico__stream(c->recipe, c->data, (rico__field)(FIELD_QX + k));
    for (uint32_t i = 0; i < c->block->count; ++i) {
        rico_vec3 spin = {w[0][i], w[1][i], w[2][i]};
        if (vec3_dot(spin, spin) > 0.0f && !rico__bit(c->block->asleep, i))
            roll_one(q, i, spin, c->step.dt);
    }
}
