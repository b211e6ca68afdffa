/* Which particles may meet movers (movers.h), and which movers: the step holds these particles
 * back from the block's pass. */
#include "ride.h"

#include "bits.h"
#include "four.h"

#include <string.h>

static bool is_within(const rico_box *box, rico_vec3 p, float reach)
{
    return p.x + reach >= box->lo.x && p.x - reach <= box->hi.x && p.y + reach >= box->lo.y &&
           p.y - reach <= box->hi.y && p.z + reach >= box->lo.z && p.z - reach <= box->hi.z;
}

/* Times a sum of coordinates, this is more than the rounding of a place's distance from a
 * plane. */
#define FRONT_ROUNDING (1.0f / 524288.0f)

/* For planes without end: where one was and where it will be. */
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

/* What forces add to a speed before the step moves by it. After a far longer step they act for
 * more than this step's length. */
static float speed_to_come(const rico__step *step)
{
    return step->fall * float_max(step->kick, step->dt);
}

float rico__ride_reach(const rico__step *step, float vx, float vy, float vz)
{
    float speed = vx + vy + vz + speed_to_come(step); /* a sum of absolute values: no less */
    return speed * step->dt + step->radius;
}

/* Four of a stream from i on. Streams are as long as vectors, but hold anything past the count:
 * the last number stands in for those. */
static v4 four_of(const float *stream, uint32_t i, uint32_t count)
{
    if (count - i >= 4)
        return v4_load(stream + i);
    float last[4];
    for (uint32_t k = 0; k < 4; ++k)
        last[k] = stream[uint_min(i + k, count - 1)];
    return v4_load(last);
}

/* A NaN as the first operand is left out. */
static inline void widen(v4 x, v4 *lo, v4 *hi)
{
    *lo = v4_min(x, *lo);
    *hi = v4_max(x, *hi);
}

/* Down to as far as what holds a particle up can be. */
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

/* For sleeping particles: how far away what may hold them can be. */
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
    const uint32_t n = c->block->count;
    const v4 never = v4_set(RICO__NEVER), zero = v4_set(0.0f);
    v4 lo[3] = {never, never, never}, hi[3] = {-never, -never, -never};
    v4 speed[3] = {zero, zero, zero};
    for (uint32_t i = 0; i < n; i += 4) {
        widen(four_of(s->px, i, n), &lo[0], &hi[0]);
        widen(four_of(s->py, i, n), &lo[1], &hi[1]);
        widen(four_of(s->pz, i, n), &lo[2], &hi[2]);
        speed[0] = v4_max(v4_abs(four_of(s->vx, i, n)), speed[0]);
        speed[1] = v4_max(v4_abs(four_of(s->vy, i, n)), speed[1]);
        speed[2] = v4_max(v4_abs(four_of(s->vz, i, n)), speed[2]);
    }
    float reach = rico__ride_reach(&c->step, v4_most(speed[0])[0], v4_most(speed[1])[0],
                                   v4_most(speed[2])[0]);
    if (rico__bit_count(c->block->asleep, c->block->count) > 0)
        reach = float_max(reach, reach_to_hold(c));
    return (rico_box){
        vec3(v4_least(lo[0])[0] - reach, v4_least(lo[1])[0] - reach,
             v4_least(lo[2])[0] - reach),
        vec3(v4_most(hi[0])[0] + reach, v4_most(hi[1])[0] + reach, v4_most(hi[2])[0] + reach)};
}

/* Whether cells of the mover are on the particle's way, in the mover's space. Most of a mover's
 * box is empty. */
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

/* How far each particle of the block may come, and between which places that is, by axes. */
typedef struct spans {
    _Alignas(16) float reach[RICO__MAX_BLOCK];
    _Alignas(16) float lo[3][RICO__MAX_BLOCK], hi[3][RICO__MAX_BLOCK];
} spans;

static inline void span(const float *place, v4 reach, float *lo, float *hi)
{
    v4_store(lo, v4_load(place) - reach);
    v4_store(hi, v4_load(place) + reach);
}

static void find_spans(const rico__block_context *c, float to_hold, spans *out)
{
    const rico__streams *s = &c->streams;
    for (uint32_t i = 0; i < c->block->count; i += 4) {
        /* As rico__ride_reach. */
        v4 speed = v4_abs(v4_load(s->vx + i)) + v4_abs(v4_load(s->vy + i)) +
                   v4_abs(v4_load(s->vz + i));
        speed += v4_set(speed_to_come(&c->step));
        const int32_t asleep = (int32_t)(c->block->asleep[i / 64] >> (i % 64) & 15u);
        const v4i rests = ((v4i){1, 2, 4, 8} & asleep) != 0;
        const v4 least = (v4)((v4i)v4_set(to_hold) & rests);
        const v4 reach = v4_max(speed * v4_set(c->step.dt) + v4_set(c->step.radius), least);
        v4_store(out->reach + i, reach);
        span(s->px + i, reach, out->lo[0] + i, out->hi[0] + i);
        span(s->py + i, reach, out->lo[1] + i, out->hi[1] + i);
        span(s->pz + i, reach, out->lo[2] + i, out->hi[2] + i);
    }
}

/* Of a word of the block's particles, those that exist. */
static uint64_t word_of_all(const rico__block_context *c, uint32_t w)
{
    const uint32_t left = c->block->count - w * 64;
    return left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

/* As is_within, for a word of particles. Bits of particles that do not exist may be anything. */
static uint64_t word_within(const rico_box *box, const spans *s, uint32_t w, uint32_t count)
{
    const uint32_t first = w * 64, end = uint_min(first + 64, count);
    const v4 lo[3] = {v4_set(box->lo.x), v4_set(box->lo.y), v4_set(box->lo.z)};
    const v4 hi[3] = {v4_set(box->hi.x), v4_set(box->hi.y), v4_set(box->hi.z)};
    uint64_t word = 0;
    for (uint32_t i = first; i < end; i += 4) {
        v4i all = v4_load(s->hi[0] + i) >= lo[0];
        all &= v4_load(s->lo[0] + i) <= hi[0];
        all &= v4_load(s->hi[1] + i) >= lo[1];
        all &= v4_load(s->lo[1] + i) <= hi[1];
        all &= v4_load(s->hi[2] + i) >= lo[2];
        all &= v4_load(s->lo[2] + i) <= hi[2];
        word |= (uint64_t)v4_bits(all) << (i - first);
    }
    return word;
}

/* A plane without end, as a step finds and leaves it. A place's height above it is its product
 * with the normal, less the offset. */
typedef struct front {
    rico_vec3 normal[2];
    float offset[2];
    float rounding; /* of heights found in this way, besides the place's own; metres */
} front;

static front front_of(const rico__mover *body)
{
    const rico__pose *poses[2] = {&body->from, &body->to};
    front f = {.rounding = 0.0f};
    for (int k = 0; k < 2; ++k) {
        const rico_vec3 at = poses[k]->position;
        f.normal[k] = rico__pose_normal(poses[k]);
        f.offset[k] = vec3_dot(f.normal[k], at);
        f.rounding += __builtin_fabsf(at.x) + __builtin_fabsf(at.y) + __builtin_fabsf(at.z);
    }
    f.rounding *= FRONT_ROUNDING;
    return f;
}

/* All particles that is_near_plane would find, or more. Bits of particles that do not exist may
 * be anything. */
static uint64_t word_at_front(const rico__block_context *c, const front *plane, const spans *s,
                              uint32_t w)
{
    const uint32_t first = w * 64, end = uint_min(first + 64, c->block->count);
    uint64_t word = 0;
    for (uint32_t i = first; i < end; i += 4) {
        const v4 x = v4_load(c->streams.px + i), y = v4_load(c->streams.py + i),
                 z = v4_load(c->streams.pz + i);
        const v4 far = v4_abs(x) + v4_abs(y) + v4_abs(z);
        const v4 reach = v4_load(s->reach + i) + far * FRONT_ROUNDING + plane->rounding;
        v4 above[2];
        for (int k = 0; k < 2; ++k) {
            const rico_vec3 n = plane->normal[k];
            above[k] = x * n.x + y * n.y + z * n.z - plane->offset[k];
        }
        const v4i beside = ((above[0] > reach) & (above[1] > reach)) |
                           ((above[0] < -reach) & (above[1] < -reach));
        word |= (uint64_t)(~v4_bits(beside) & 15u) << (i - first);
    }
    return word;
}

/* Sleeping particles have nothing to do with movers that stand still, and stopped ones have
 * nothing to do with any. */
static uint64_t word_for(const rico__block_context *c, const rico__mover *body, uint32_t w)
{
    const bool stops = c->recipe->def.on_collision == RICO_ON_COLLISION_STOP;
    const uint64_t all = word_of_all(c, w);
    return body->moved && !stops ? all : all & ~c->block->asleep[w];
}

static rico_vec3 place_of_one(const rico__block_context *c, uint32_t i)
{
    return vec3(c->streams.px[i], c->streams.py[i], c->streams.pz[i]);
}

static bool may_meet(const rico__block_context *c, const rico__mover *body, const spans *s,
                     uint32_t i)
{
    const rico_vec3 p = place_of_one(c, i);
    const float reach = s->reach[i];
    return (!body->endless || is_near_plane(body, p, reach)) &&
           is_on_its_way(c, body, p, reach);
}

/* Tests particles against the movers that are listed. */
static uint64_t held_by_list(const rico__block_context *c, const front *fronts, const spans *s,
                             uint32_t w)
{
    uint64_t held = 0;
    for (uint32_t b = 0; b < c->body_count; ++b) {
        const rico__mover *body = &c->world->movers.items[c->bodies[b]];
        uint64_t who = word_for(c, body, w) & ~held;
        who &= body->endless ? word_at_front(c, &fronts[b], s, w)
                             : word_within(&body->reach, s, w, c->block->count);
        for (; who != 0; who &= who - 1)
            held |= (uint64_t)may_meet(c, body, s, w * 64 + bits_lowest64(who))
                    << bits_lowest64(who);
    }
    return held;
}

/* One particle of the block, against the movers around it. */
typedef struct one {
    const rico__block_context *c;
    const spans *s;
    uint32_t i;
} one;

static bool holds_one(void *user, uint32_t number)
{
    const one *o = user;
    const rico__mover *body = &o->c->world->movers.items[number];
    return rico__is_there(o->c->recipe, body->layers) &&
           (word_for(o->c, body, o->i / 64) >> (o->i % 64) & 1u) != 0 &&
           may_meet(o->c, body, o->s, o->i);
}

static uint64_t held_by_place(const rico__block_context *c, const spans *s, uint32_t w)
{
    uint64_t held = 0;
    for (uint64_t who = word_of_all(c, w); who != 0; who &= who - 1) {
        one o = {c, s, w * 64 + bits_lowest64(who)};
        const rico_box box = box_around(place_of_one(c, o.i), s->reach[o.i]);
        held |= (uint64_t)rico__movers_each(&c->world->movers, &box, false, holds_one, &o)
                << bits_lowest64(who);
    }
    return held;
}

/* Adds a mover that the recipe sees to the list; true: there are more than it holds. */
static bool list_body(void *user, uint32_t number)
{
    rico__block_context *c = user;
    if (!rico__is_there(c->recipe, c->world->movers.items[number].layers))
        return false;
    if (c->body_count == RICO__BODIES_NEAR)
        return true;
    uint32_t at = c->body_count++;
    for (; at > 0 && c->bodies[at - 1] > number; --at)
        c->bodies[at] = c->bodies[at - 1];
    c->bodies[at] = number;
    return false;
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
    c->body_count = 0;
    if (rico__movers_each(bodies, &c->reach, false, list_body, c))
        c->body_count = RICO__ANY_BODY;
    front fronts[RICO__BODIES_NEAR];
    for (uint32_t b = 0; b < c->body_count && c->body_count != RICO__ANY_BODY; ++b)
        if (bodies->items[c->bodies[b]].endless)
            fronts[b] = front_of(&bodies->items[c->bodies[b]]);
    spans s;
    if (c->body_count > 0)
        find_spans(c, reach_to_hold(c), &s);
    for (uint32_t w = 0; w * 64 < c->block->count && c->body_count > 0; ++w)
        c->near[w] = c->body_count == RICO__ANY_BODY ? held_by_place(c, &s, w)
                                                     : held_by_list(c, fronts, &s, w);
    uint64_t any = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        any |= c->near[w];
        c->near_asleep[w] = c->near[w] & c->block->asleep[w];
        c->block->asleep[w] |= c->near[w];
        c->masks.asleep[w] |= c->near[w];
    }
    return any != 0;
}

/* --- Near a place ------------------------------------------------------------------------- */

/* Keeps the least of the numbers from near->from on. */
static bool keep_least(void *user, uint32_t number)
{
    rico__near *near = user;
    uint32_t at = near->count;
    if (number < near->from)
        return false;
    if (at == RICO__NEAR_AT_ONCE) {
        if (number > near->found[at - 1])
            return false;
        --at;
    }
    for (; at > 0 && near->found[at - 1] > number; --at)
        near->found[at] = near->found[at - 1];
    near->found[at] = number;
    near->count += near->count < RICO__NEAR_AT_ONCE;
    return false;
}

static void find_more(rico__near *near)
{
    const rico_box box = box_around(near->p, near->reach);
    near->count = near->next = 0;
    rico__movers_each(&near->c->world->movers, &box, false, keep_least, near);
    near->from =
        near->count < RICO__NEAR_AT_ONCE ? RICO__ANY_BODY : near->found[near->count - 1] + 1;
}

/* Takes the movers near the block, as long as the place and its surroundings are within the
 * block's reach: a particle that was pushed may come farther. */
void rico__near_begin(rico__near *near, const rico__block_context *c, rico_vec3 p, float reach)
{
    const rico__movers *bodies = &c->world->movers;
    const rico_box box = box_around(p, reach);
    near->c = c;
    near->p = p;
    near->reach = reach;
    near->next = 0;
    near->from = RICO__ANY_BODY;
    near->list = NULL;
    near->count = bodies->count;
    if (c->body_count != RICO__ANY_BODY && box_contains(&c->reach, box.lo) &&
        box_contains(&c->reach, box.hi)) {
        near->list = c->bodies;
        near->count = c->body_count;
    } else if (bodies->tree.levels > 0) {
        near->list = near->found;
        near->from = 0;
        find_more(near);
    }
}

const rico__mover *rico__near_next(rico__near *near)
{
    for (;;) {
        if (near->next == near->count && near->from != RICO__ANY_BODY)
            find_more(near);
        if (near->next == near->count)
            return NULL;
        const uint32_t at = near->next++;
        const rico__mover *body =
            &near->c->world->movers.items[near->list != NULL ? near->list[at] : at];
        if (rico__is_near(body, near->p, near->reach))
            return body;
    }
}

/* --- Newborns ----------------------------------------------------------------------------- */

typedef struct seen {
    const rico__movers *bodies;
    const rico__recipe *recipe;
} seen;

static bool is_seen(void *user, uint32_t number)
{
    const seen *s = user;
    return rico__is_there(s->recipe, s->bodies->items[number].layers);
}

bool rico__movers_may_meet(const rico_world *world, const rico__recipe *recipe, rico_vec3 p,
                           rico_vec3 to)
{
    const rico__movers *bodies = &world->movers;
    seen s = {bodies, recipe};
    if (bodies->count == 0 || recipe->def.mode == RICO_COLLIDE_NONE ||
        recipe->def.mode == RICO_COLLIDE_FIXED)
        return false;
    const rico_box way = box_along(p, to, recipe->contact_radius);
    return boxes_meet(&way, &bodies->reach) &&
           (recipe->def.ignored_layers == 0 ||
            rico__movers_each(bodies, &way, false, is_seen, &s));
}

/* Times a coordinate, this is more than the rounding of a birth's place. */
#define ROUNDING (8.0f / 16777216.0f)

/* A mover outside this box is near no newborn, in the way in which rico__movers_meet_newborn
 * looks for movers. */
bool rico__movers_may_sweep(const rico__block_context *c, const rico_box *births)
{
    const rico_vec3 lo = births->lo, hi = births->hi;
    const rico_vec3 far = vec3_max(vec3_max(lo, vec3_neg(lo)), vec3_max(hi, vec3_neg(hi)));
    const float reach = 2.0f * rico__ride_reach(&c->step, 0.0f, 0.0f, 0.0f);
    const rico_vec3 around = vec3_mad(vec3(reach, reach, reach), far, ROUNDING);
    const rico_box box = {vec3_sub(lo, around), vec3_add(hi, around)};
    seen s = {&c->world->movers, c->recipe};
    return rico__movers_each(s.bodies, &box, false, is_seen, &s);
}
