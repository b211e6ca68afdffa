/* Who may meet bodies (movers.h), and which: particles that a step holds back from the block's pass. */
#include "ride.h"

#include "four.h"

#include <string.h>

static bool is_within(const rico_box *box, rico_vec3 p, float reach)
{
    return p.x + reach >= box->lo.x && p.x - reach <= box->hi.x && p.y + reach >= box->lo.y &&
           p.y - reach <= box->hi.y && p.z + reach >= box->lo.z && p.z - reach <= box->hi.z;
}

/* Planes without end: where one was and where it will be. */
static bool is_near_plane(const rico__mover *body, rico_vec3 p, float reach)
{
    float before = rico__pose_into(&body->from, p).z * body->from.scale;
    float after = rico__pose_into(&body->to, p).z * body->to.scale;
    return (before < 0.0f) != (after < 0.0f) || __builtin_fabsf(before) <= reach ||
           __builtin_fabsf(after) <= reach;
}

bool rico__is_near(const rico__mover *body, rico_vec3 p, float reach)
{
    return body->endless ? is_near_plane(body, p, reach) : is_within(&body->reach, p, reach);
}

float rico__ride_reach(const rico__step *step, float vx, float vy, float vz)
{
    float speed = vx + vy + vz + step->fall * step->dt; /* of absolute values: no less */
    return speed * step->dt + step->radius;
}

static float largest(v4 a)
{
    return float_max(float_max(a[0], a[1]), float_max(a[2], a[3]));
}

/* Of a stream: the greatest value of it or, with `sign` -1, of its opposite; 0 = of either. Streams are
 * as long as vectors, but what is past the count is anything. */
static float greatest(const float *stream, uint32_t count, float sign)
{
    uint32_t whole = count & ~3u;
    float best = -RICO__NEVER;
    v4 most = v4_set(-RICO__NEVER);
    for (uint32_t i = 0; i < whole; i += 4) {
        v4 x = v4_load(stream + i);
        /* A NaN, as the first operand, is left out. */
        most = v4_max(sign != 0.0f ? x * v4_set(sign) : v4_abs(x), most);
    }
    for (uint32_t i = whole; i < count; ++i)
        best = float_max(sign != 0.0f ? stream[i] * sign : __builtin_fabsf(stream[i]), best);
    return float_max(best, largest(most));
}

/* Downwards, as far as what holds it up can be. */
static rico_vec3 way_down(const rico__step *step)
{
    float radii = 1.0f / float_max(step->hold_cosine, 1.0f / RICO__SUPPORT_RADII);
    float length = radii * step->radius + RICO__SUPPORT_SKIN;
    return vec3_scale(vec3(step->hold_x, step->hold_y, step->hold_z), -length);
}

#define DIAGONAL 1.7320509f

uint32_t rico__ways_to_hold(const rico__block_context *c, rico_vec3 ways[RICO__MOST_WAYS])
{
    ways[0] = way_down(&c->step);
    if (c->recipe->def.on_collision != RICO_ON_COLLISION_STICK)
        return 1;
    float length = DIAGONAL * c->step.radius + RICO__SUPPORT_SKIN;
    for (uint32_t k = 0; k < RICO__MOST_WAYS; ++k) {
        float way = k % 2 == 0 ? -length : length;
        ways[k] =
            vec3(k / 2 == 2 ? way : 0.0f, k / 2 == 1 ? way : 0.0f, k / 2 == 0 ? way : 0.0f);
    }
    return RICO__MOST_WAYS;
}

/* Of sleepers: what may hold them. */
static float reach_to_hold(const rico__block_context *c)
{
    rico_vec3 ways[RICO__MOST_WAYS];
    rico__ways_to_hold(c, ways);
    return vec3_length(ways[0]);
}

/* The box of all that the block's particles may reach. */
static rico_box block_reach(const rico__block_context *c)
{
    const rico__streams *s = &c->streams;
    uint32_t n = c->block->count;
    rico_vec3 lo = vec3(-greatest(s->px, n, -1.0f), -greatest(s->py, n, -1.0f),
                        -greatest(s->pz, n, -1.0f));
    rico_vec3 hi =
        vec3(greatest(s->px, n, 1.0f), greatest(s->py, n, 1.0f), greatest(s->pz, n, 1.0f));
    float reach = rico__ride_reach(&c->step, greatest(s->vx, n, 0.0f), greatest(s->vy, n, 0.0f),
                                   greatest(s->vz, n, 0.0f));
    if (rico__bit_count(c->block->asleep) > 0)
        reach = float_max(reach, reach_to_hold(c));
    return (rico_box){vec3_sub(lo, vec3(reach, reach, reach)),
                      vec3_add(hi, vec3(reach, reach, reach))};
}

static float reach_of_lane(const rico__block_context *c, uint32_t i)
{
    return rico__ride_reach(&c->step, __builtin_fabsf(c->streams.vx[i]),
                            __builtin_fabsf(c->streams.vy[i]),
                            __builtin_fabsf(c->streams.vz[i]));
}

/* In the body's space: the cells on its way. Most of a body's box is empty. */
static bool is_on_its_way(const rico__block_context *c, const rico__mover *body, rico_vec3 p,
                          float reach)
{
    rico_vec3 a = rico__pose_into(&body->from, p), b = rico__pose_into(&body->to, p);
    float by =
        rico__mover_length(body, reach) + RICO__SUPPORT_SKIN + vec3_length(a) * body->bulge;
    rico_vec3 grow = {by, by, by};
    rico_box box = {vec3_sub(vec3_min(a, b), grow), vec3_add(vec3_max(a, b), grow)};
    return rico_scene_collider_occupied(c->world->scene, body->id.index1, &box);
}

/* Sleepers have nothing to do with bodies that stand still; who was stopped, with none. */
static void hold_by(rico__block_context *c, const rico__mover *body)
{
    const float to_hold = reach_to_hold(c);
    bool stops = c->recipe->def.on_collision == RICO_ON_COLLISION_STOP;
    for (uint32_t i = 0; i < c->block->count; ++i) {
        bool asleep = rico__bit(c->block->asleep, i);
        if (asleep && (!body->moved || stops))
            continue;
        rico_vec3 p = block_position(c, i);
        float reach = float_max(reach_of_lane(c, i), asleep ? to_hold : 0.0f);
        if (rico__is_near(body, p, reach) && is_on_its_way(c, body, p, reach))
            rico__bit_set(c->near, i, true);
    }
}

bool rico__movers_hold(rico__block_context *c)
{
    const rico__movers *bodies = &c->world->movers;
    memset(c->near, 0, sizeof c->near);
    if (c->block->count == 0 || (c->recipe->def.mode != RICO_COLLIDE_CACHED &&
                                 c->recipe->def.mode != RICO_COLLIDE_EXACT))
        return false;
    c->reach = block_reach(c);
    if (!boxes_meet(&c->reach, &bodies->reach))
        return false;
    uint32_t count = 0;
    for (uint32_t b = 0; b < bodies->count; ++b) {
        if (!rico__is_there(c->recipe, bodies->items[b].layers) ||
            !boxes_meet(&c->reach, &bodies->items[b].reach))
            continue;
        hold_by(c, &bodies->items[b]);
        if (count < RICO__BODIES_NEAR)
            c->bodies[count] = (uint16_t)b;
        ++count;
    }
    if (count <= RICO__BODIES_NEAR && bodies->count <= UINT16_MAX)
        c->body_count = count;
    uint64_t any = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        any |= c->near[w];
        c->near_asleep[w] = c->near[w] & c->block->asleep[w];
        c->block->asleep[w] |= c->near[w];
        c->masks.asleep[w] |= c->near[w];
    }
    return any != 0;
}

/* Those near the block do, as long as the place and its surroundings are within the block's reach: who was
 * pushed may come farther. */
rico__candidates rico__candidates_near(const rico__block_context *c, rico_vec3 p, float reach)
{
    const rico__movers *bodies = &c->world->movers;
    rico_vec3 around = {reach, reach, reach};
    rico_vec3 lo = vec3_sub(p, around), hi = vec3_add(p, around);
    if (c->body_count == RICO__ANY_BODY || !box_contains(&c->reach, lo) ||
        !box_contains(&c->reach, hi))
        return (rico__candidates){bodies->items, NULL, bodies->count};
    return (rico__candidates){bodies->items, c->bodies, c->body_count};
}
