#include "space.h"

#include "host_rays.h"
#include "response.h"
#include "stages.h"
#include "vec.h"

#include <string.h>

/* The carriage from one transform to another, in doubles. So a move leaves only the rounding of
 * its result, which has no bias, and not that of the way there. `turn` is the rows of a matrix,
 * q the same rotation as a quaternion. */
typedef struct carriage {
    double from[3], to[3], turn[3][3], q[4], scale;
} carriage;

/* b times the conjugate of a, scaled to length 1. The host's rotations have that length to
 * 0.1 % only, and the error would grow with each move. */
static void turn_between(rico_quat a, rico_quat b, double q[4])
{
    const double ax = (double)a.x, ay = (double)a.y, az = (double)a.z, aw = (double)a.w;
    const double bx = (double)b.x, by = (double)b.y, bz = (double)b.z, bw = (double)b.w;
    q[0] = bx * aw - bw * ax - by * az + bz * ay;
    q[1] = by * aw - bw * ay - bz * ax + bx * az;
    q[2] = bz * aw - bw * az - bx * ay + by * ax;
    q[3] = bw * aw + bx * ax + by * ay + bz * az;
    double length = __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
        q[k] /= length;
}

static void set_turn(carriage *c, const double q[4])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
        {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
        {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)},
    };
    memcpy(c->turn, turn, sizeof turn);
}

static carriage carriage_between(const rico_transform *a, const rico_transform *b)
{
    carriage c = {.scale = (double)b->scale / (double)a->scale};
    const float from[3] = {a->position.x, a->position.y, a->position.z};
    const float to[3] = {b->position.x, b->position.y, b->position.z};
    for (int k = 0; k < 3; ++k) {
        c.from[k] = (double)from[k];
        c.to[k] = (double)to[k];
    }
    turn_between(a->rotation, b->rotation, c.q);
    set_turn(&c, c.q);
    return c;
}

/* Carries one vector: turns it around `from`, and puts it to `to`. */
static inline void carry_vector(const carriage *c, float *x, float *y, float *z,
                                const double from[3], const double to[3], double scale)
{
    double dx = scale * ((double)*x - from[0]), dy = scale * ((double)*y - from[1]);
    double dz = scale * ((double)*z - from[2]);
    *x = (float)(to[0] + (c->turn[0][0] * dx + c->turn[0][1] * dy + c->turn[0][2] * dz));
    *y = (float)(to[1] + (c->turn[1][0] * dx + c->turn[1][1] * dy + c->turn[1][2] * dz));
    *z = (float)(to[2] + (c->turn[2][0] * dx + c->turn[2][1] * dy + c->turn[2][2] * dz));
}

/* Carries `count` vectors in three streams. */
static void carry_vectors(const carriage *c, float *x, float *y, float *z, uint32_t count,
                          const double from[3], const double to[3], double scale)
{
    for (uint32_t i = 0; i < count; ++i)
        carry_vector(c, x + i, y + i, z + i, from, to, scale);
}

/* For particles that roll. */
static void carry_rotations(const carriage *c, const rico__recipe *recipe, float *data,
                            uint32_t count)
{
    float *qx = rico__stream(recipe, data, FIELD_QX),
          *qy = rico__stream(recipe, data, FIELD_QY);
    float *qz = rico__stream(recipe, data, FIELD_QZ),
          *qw = rico__stream(recipe, data, FIELD_QW);
    const double x = c->q[0], y = c->q[1], z = c->q[2], w = c->q[3];
    for (uint32_t i = 0; i < count; ++i) {
        double a = (double)qx[i], b = (double)qy[i], d = (double)qz[i], e = (double)qw[i];
        qx[i] = (float)(w * a + x * e + y * d - z * b);
        qy[i] = (float)(w * b + y * e + z * a - x * d);
        qz[i] = (float)(w * d + z * e + x * b - y * a);
        qw[i] = (float)(w * e - x * a - y * b - z * d);
    }
}

/* On a host's rays, answers come after a step, for the next one, and the next move would take
 * their planes away. So planes are believed as long as the effect does not jump. */
static void forget_paths(const rico__recipe *recipe, float *data, rico__block *block)
{
    for (uint32_t i = 0; i < block->count; ++i)
        rico__host_forget_path(recipe, data + i);
    memset(block->rebound, 0, sizeof block->rebound);
}

/* Mode classic would keep its planes, which no edit takes away. Mode cached asks again when it
 * is told to. */
static void forget_planes(const rico__recipe *recipe, float *data, rico__block *block)
{
    float *offset = rico__stream(recipe, data, FIELD_ND);
    float *until = rico__stream(recipe, data, FIELD_UNTIL);
    for (uint32_t i = 0; offset != NULL && i < block->count; ++i)
        offset[i] = RICO_NO_PLANE_OFFSET;
    for (uint32_t i = 0; until != NULL && i < block->count; ++i)
        until[i] = 0.0f;
    memset(block->rebound, 0, sizeof block->rebound);
}

/* For recipes with interpolate: notes the places from which particles are carried away. */
static void keep_places(const rico__recipe *recipe, float *data, uint32_t count)
{
    for (uint32_t k = 0; k < 3; ++k)
        memcpy(rico__stream(recipe, data, (rico__field)(FIELD_LAST_PX + k)),
               rico__stream(recipe, data, (rico__field)(FIELD_PX + k)), count * sizeof(float));
}

static void carry_block(rico_world *world, const rico__recipe *recipe, rico__block *block,
                        const carriage *c, bool jumped)
{
    static const double zero[3];
    float *data = rico__block_data(world, block);
    if (recipe->def.interpolate)
        keep_places(recipe, data, block->count);
    carry_vectors(c, rico__stream(recipe, data, FIELD_PX), rico__stream(recipe, data, FIELD_PY),
                  rico__stream(recipe, data, FIELD_PZ), block->count, c->from, c->to, c->scale);
    carry_vectors(c, rico__stream(recipe, data, FIELD_VX), rico__stream(recipe, data, FIELD_VY),
                  rico__stream(recipe, data, FIELD_VZ), block->count, zero, zero, c->scale);
    if (recipe->def.rolls) {
        carry_vectors(c, rico__stream(recipe, data, FIELD_WX),
                      rico__stream(recipe, data, FIELD_WY),
                      rico__stream(recipe, data, FIELD_WZ), block->count, zero, zero, 1.0);
        carry_rotations(c, recipe, data, block->count);
    }
    if (rico__has_caster(world) && recipe->def.mode == RICO_COLLIDE_CACHED && !jumped)
        forget_paths(recipe, data, block);
    else
        forget_planes(recipe, data, block);
    if (recipe->def.mode == RICO_COLLIDE_FIXED)
        rico__choose_planes(world, recipe, block, !rico__response_stays(&recipe->def));
}

void rico__space_carry(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const bool jumped = effect->jumped;
    effect->came_from = effect->place;
    effect->jumped = false;
    if (memcmp(&effect->place, &effect->transform, sizeof effect->place) == 0)
        return;
    if (!jumped)
        effect->ways = RICO__RODE;
    const carriage c = carriage_between(&effect->place, &effect->transform);
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        carry_block(world, recipe, &world->blocks[b], &c, jumped);
    effect->place = effect->transform;
    effect->missed_edits = true; /* nothing that is known of paths is true any more */
}

void rico__space_begin(rico__effect *effect)
{
    effect->place = effect->came_from = effect->transform;
    effect->jumped = false;
    effect->ways = RICO__STOOD;
}

void rico__space_stand(rico__effect *effect)
{
    effect->came_from = effect->place;
    effect->ways = RICO__STOOD;
}

void rico__space_ride(rico__block_context *c)
{
    const uint32_t first = c->first_born;
    const carriage back = carriage_between(&c->effect->place, &c->effect->came_from);
    carry_vectors(&back, rico__stream(c->recipe, c->data, FIELD_LAST_PX) + first,
                  rico__stream(c->recipe, c->data, FIELD_LAST_PY) + first,
                  rico__stream(c->recipe, c->data, FIELD_LAST_PZ) + first,
                  c->block->count - first, back.from, back.to, back.scale);
}

rico_transform rico__space_drawn(const rico_world *world, const rico__effect *effect, float f)
{
    if (!world->recipes[effect->recipe].def.interpolate || effect->ways != RICO__RODE)
        return effect->place;
    return f < 1.0f ? transform_mix(&effect->came_from, &effect->place, f) : effect->place;
}

void rico__space_carry_points(const rico_transform *from, const rico_transform *to,
                              rico_vec3 *points, uint32_t count)
{
    const carriage c = carriage_between(from, to);
    for (uint32_t i = 0; i < count; ++i)
        carry_vector(&c, &points[i].x, &points[i].y, &points[i].z, c.from, c.to, c.scale);
}
