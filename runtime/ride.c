/* Particles near bodies (movers.h): each is moved by itself, contact by contact, against what stands
 * still and against bodies where they are at that time of the step. Who rests on a body goes with
 * it. */
#include "contact.h"
#include "host_rays.h"
#include "response.h"

#include "bits.h"
#include "four.h"

/* Contacts of one particle in one step: with the ground and a body that pushes, each twice as often
 * as without. */
#define MOST_CONTACTS (2u * RICO__CONTACTS_PER_STEP)

/* What holds a sleeper up is looked for so many radii under it, and no more. */
#define SUPPORT_RADII 8.0f
#define SUPPORT_SKIN 0.002f

/* A place of contact has surface within so many radii. */
#define SURFACE_RADII 1.5f

/* At an edge a particle is so much of its radius large. */
#define EDGE_RADIUS 0.1f

/* With less of the step left, the surface's mean velocity is taken for its velocity. */
#define LEAST_LEFT 0.05f

/* --- Who is near -------------------------------------------------------------------------- */

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

static bool is_near(const rico__mover *body, rico_vec3 p, float reach)
{
    return body->endless ? is_near_plane(body, p, reach) : is_within(&body->reach, p, reach);
}

/* How far a particle may come in the step, and its radius. */
static float reach_of(const rico__step *step, float vx, float vy, float vz)
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

/* The box of all that the block's particles may reach. */
static rico_box block_reach(const rico__block_context *c)
{
    const rico__streams *s = &c->streams;
    uint32_t n = c->block->count;
    rico_vec3 lo = vec3(-greatest(s->px, n, -1.0f), -greatest(s->py, n, -1.0f),
                        -greatest(s->pz, n, -1.0f));
    rico_vec3 hi =
        vec3(greatest(s->px, n, 1.0f), greatest(s->py, n, 1.0f), greatest(s->pz, n, 1.0f));
    float reach = reach_of(&c->step, greatest(s->vx, n, 0.0f), greatest(s->vy, n, 0.0f),
                           greatest(s->vz, n, 0.0f));
    return (rico_box){vec3_sub(lo, vec3(reach, reach, reach)),
                      vec3_add(hi, vec3(reach, reach, reach))};
}

static float reach_of_lane(const rico__block_context *c, uint32_t i)
{
    return reach_of(&c->step, __builtin_fabsf(c->streams.vx[i]),
                    __builtin_fabsf(c->streams.vy[i]), __builtin_fabsf(c->streams.vz[i]));
}

/* In the body's space: the cells on its way. Most of a body's box is empty. */
static bool is_on_its_way(const rico__block_context *c, const rico__mover *body, rico_vec3 p,
                          float reach)
{
    rico_vec3 a = rico__pose_into(&body->from, p), b = rico__pose_into(&body->to, p);
    float by = rico__mover_length(body, reach) + SUPPORT_SKIN + vec3_length(a) * body->bulge;
    rico_vec3 grow = {by, by, by};
    rico_box box = {vec3_sub(vec3_min(a, b), grow), vec3_add(vec3_max(a, b), grow)};
    return rico_scene_collider_occupied(c->world->scene, body->id.index1, &box);
}

/* Sleepers have nothing to do with bodies that stand still; who was stopped, with none. */
static void hold_by(rico__block_context *c, const rico__mover *body)
{
    bool stops = c->recipe->def.on_collision == RICO_ON_COLLISION_STOP;
    for (uint32_t i = 0; i < c->block->count; ++i) {
        if (rico__bit(c->block->asleep, i) && (!body->moved || stops))
            continue;
        rico_vec3 p = block_position(c, i);
        float reach = reach_of_lane(c, i);
        if (is_near(body, p, reach) && is_on_its_way(c, body, p, reach))
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

/* Bodies of which some may be near a place, in their order. */
typedef struct candidates {
    const rico__mover *items;
    const uint16_t *list; /* NULL = all */
    uint32_t count;
} candidates;

/* Those near the block do, as long as the place and its surroundings are within the block's reach: who was
 * pushed may come farther. */
static candidates candidates_near(const rico__block_context *c, rico_vec3 p, float reach)
{
    const rico__movers *bodies = &c->world->movers;
    rico_vec3 around = {reach, reach, reach};
    rico_vec3 lo = vec3_sub(p, around), hi = vec3_add(p, around);
    if (c->body_count == RICO__ANY_BODY || !box_contains(&c->reach, lo) ||
        !box_contains(&c->reach, hi))
        return (candidates){bodies->items, NULL, bodies->count};
    return (candidates){bodies->items, c->bodies, c->body_count};
}

static const rico__mover *candidate(const candidates *near, uint32_t i)
{
    return &near->items[near->list != NULL ? near->list[i] : i];
}

/* --- Contacts ----------------------------------------------------------------------------- */

/* A particle on its way through the step. */
typedef struct rider {
    rico__block_context *c;
    uint32_t lane;
    float part; /* of the step that is over */
    rico_vec3 p, v;
    const rico__mover *support; /* that it goes along with: not in its way */
    const rico__mover *pushed;  /* the body that it met last, and where, in its space */
    rico_vec3 place;
    bool touched;
} rider;

/* What it meets next. */
typedef struct meeting {
    rico__contact contact; /* time: of what is left of the step */
    const rico__mover *body;
    rico_vec3 place, surface; /* in the body's space; its velocity there */
} meeting;

static float time_left(const rider *r)
{
    return (1.0f - r->part) * r->c->step.dt;
}

/* Where bodies lead a particle nobody has looked ahead for it, or asked for records. */
static bool is_led(const rider *r)
{
    return r->pushed != NULL || (r->support != NULL && r->support->moved);
}

static bool meet_still(const rider *r, rico__contact *contact)
{
    rico__block_context *c = r->c;
    float left = time_left(r);
    if (r->v.x == 0.0f && r->v.y == 0.0f && r->v.z == 0.0f)
        return false;
    if (c->recipe->def.mode == RICO_COLLIDE_CACHED && !is_led(r))
        return rico__cached_contact(c, r->lane, r->p, r->v, left, contact);
    rico_box box = rico__contact_box(&c->step, r->p, vec3_mad(r->p, r->v, left));
    return rico__box_occupied(c->world, &box) &&
           rico__ray_contact(c, r->p, r->v, left, contact);
}

/* The velocity that the place has from then on to the end of the step. */
static rico_vec3 surface_velocity(const rico__mover *body, rico_vec3 place, float part,
                                  float dt)
{
    rico_vec3 end = rico__pose_out_of(&body->to, place);
    float from = 1.0f - part > LEAST_LEFT ? part : 0.0f;
    rico__pose pose = rico__mover_pose(body, from);
    return vec3_scale(vec3_sub(end, rico__pose_out_of(&pose, place)),
                      1.0f / ((1.0f - from) * dt));
}

/* A contact is with the plane of what was hit, which may end before the place of contact: at an edge
 * that it flies towards. Whether there is surface under the place. */
static bool is_over_surface(const rider *r, const rico__mover *body, rico_vec3 place,
                            rico_vec3 hit_point, const rico__contact *contact, float radius)
{
    rico_vec3 n = contact->normal;
    float distance = vec3_dot(n, place) - contact->offset;
    rico_vec3 apart = vec3_sub(vec3_mad(place, n, -distance), hit_point);
    if (vec3_dot(apart, apart) <= radius * radius)
        return true;
    rico_ray down = {.origin = place,
                     .t_max = 1.0f,
                     .direction = vec3_scale(n, -SURFACE_RADII * float_max(distance, radius))};
    rico_hit hit;
    rico_scene_raycast_collider(r->c->world->scene, body->id.index1, &down, &hit, 1);
    r->c->scratch->tally.contact_rays += 1;
    return hit.collider != 0;
}

/* Asks one body by a ray from a along `way`; whether the path along v makes contact with what that
 * meets. All in its space. */
static bool ask(const rider *r, const rico__mover *body, rico_vec3 a, rico_vec3 way,
                rico_vec3 v, rico__contact *contact)
{
    rico__block_context *c = r->c;
    float left = time_left(r), radius = rico__mover_length(body, c->step.radius);
    rico_ray ray = rico__contact_ray(a, way, left, radius);
    rico_hit hit;
    rico_scene_raycast_collider(c->world->scene, body->id.index1, &ray, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    if (!rico__hit_contact(&hit, &ray, v, left, radius, contact))
        return false;
    rico_vec3 point = vec3_mad(ray.origin, ray.direction, hit.t);
    rico_vec3 place = vec3_mad(a, v, contact->time * left);
    if (is_over_surface(r, body, place, point, contact, radius))
        return true;
    /* Its middle meets the surface, past the edge. */
    rico_ray path = rico__contact_ray(a, v, left, radius);
    path.t_max = 1.0f;
    rico_scene_raycast_collider(c->world->scene, body->id.index1, &path, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    return rico__hit_contact(&hit, &path, v, left, EDGE_RADIUS * radius, contact);
}

/* Two rays: along its path as the body sees it; and to where the body comes from. Where the path is
 * nearly along the surface, the first would meet it only when the particle is much nearer than its
 * radius. */
static bool find_contact(const rider *r, const rico__mover *body, rico_vec3 a, rico_vec3 v,
                         rico__contact *contact)
{
    rico__contact other;
    bool found = ask(r, body, a, v, v, contact);
    if (!body->moved)
        return found;
    rico_vec3 back = vec3_sub(rico__pose_into(&body->to, r->p), a);
    if (!ask(r, body, a, vec3_scale(back, 1.0f / time_left(r)), v, &other) ||
        (found && contact->time <= other.time))
        return found;
    *contact = other;
    return true;
}

/* Whether anything of the body is where the path from a to b may make contact. Most bodies whose boxes are
 * near have nothing there. */
static bool is_in_the_way(const rider *r, const rico__mover *body, rico_vec3 a, rico_vec3 b)
{
    float by = rico__mover_length(body, SURFACE_RADII * r->c->step.radius + SUPPORT_SKIN);
    rico_vec3 grow = {by, by, by};
    rico_box box = {vec3_sub(vec3_min(a, b), grow), vec3_add(vec3_max(a, b), grow)};
    return rico_scene_collider_occupied(r->c->world->scene, body->id.index1, &box);
}

static void meet_body(const rider *r, const rico__mover *body, meeting *m)
{
    float left = time_left(r);
    rico__pose pose = rico__mover_pose(body, r->part);
    rico_vec3 a = rico__pose_into(&pose, r->p);
    rico_vec3 b = rico__pose_into(&body->to, vec3_mad(r->p, r->v, left));
    rico_vec3 v = vec3_scale(vec3_sub(b, a), 1.0f / left);
    rico__contact contact;
    if (!is_in_the_way(r, body, a, b) || !find_contact(r, body, a, v, &contact))
        return;
    if (m->body == NULL ? contact.time > m->contact.time : contact.time >= m->contact.time)
        return;
    float part = r->part + contact.time * (1.0f - r->part);
    m->body = body;
    m->place = vec3_mad(a, v, contact.time * left);
    m->surface = surface_velocity(body, m->place, part, r->c->step.dt);
    pose = rico__mover_pose(body, part);
    contact.normal = quat_rotate(pose.rotation, contact.normal);
    m->contact = contact;
}

/* False: nothing for the rest of the step. */
static bool meet(const rider *r, meeting *m)
{
    rico_vec3 middle = vec3_mad(r->p, r->v, 0.5f * time_left(r));
    float reach = reach_of(&r->c->step, __builtin_fabsf(r->v.x), __builtin_fabsf(r->v.y),
                           __builtin_fabsf(r->v.z));
    *m = (meeting){.contact = {.time = 2.0f}};
    if (!meet_still(r, &m->contact))
        m->contact.time = 2.0f;
    const candidates near = candidates_near(r->c, middle, reach);
    for (uint32_t i = 0; i < near.count; ++i) {
        const rico__mover *body = candidate(&near, i);
        if (body != r->support && rico__is_there(r->c->recipe, body->layers) &&
            is_near(body, middle, reach))
            meet_body(r, body, m);
    }
    return m->contact.time <= 1.0f;
}

/* To the place of contact, and off it; true when it comes to rest there, or dies. */
static bool bounce(rider *r, meeting *m)
{
    rico__block_context *c = r->c;
    const rico_vec3 still = {0.0f, 0.0f, 0.0f};
    rico_vec3 surface = m->body != NULL ? m->surface : still;
    float left = time_left(r);
    r->part += m->contact.time * (1.0f - r->part);
    if (m->body != NULL) {
        rico__pose pose = rico__mover_pose(m->body, r->part);
        r->p = rico__pose_out_of(&pose, m->place);
        r->pushed = m->body;
        r->place = m->place;
    } else {
        r->p = rico__contact_place(r->p, r->v, left, &m->contact, c->step.radius);
    }
    rico_vec3 after = vec3_sub(r->v, surface);
    bool guessed = m->body == NULL && m->contact.collider == 0;
    m->contact.when = r->part * c->step.dt;
    const rico__event_arena *arena = &c->scratch->events;
    uint32_t events = arena->used;
    bool over = rico__meet(c, r->lane, r->p, &after, &m->contact, guessed);
    r->v = vec3_add(after, surface);
    if (arena->used > events) /* it was told of the velocity that the surface sees */
        arena->events[events].velocity = r->v;
    r->support = NULL;
    r->touched = true;
    bool stays_behind = c->recipe->def.on_collision == RICO_ON_COLLISION_STOP ||
                        rico__bit(c->masks.dead, r->lane);
    if (over && m->body != NULL && !stays_behind)
        r->p = rico__pose_out_of(&m->body->to, m->place);
    return over;
}

/* Contacts are used up: between a body and something else. It goes along with the body, up to what
 * stands still; then the body goes over it. */
static void squeeze(rider *r)
{
    float left = time_left(r);
    rico__contact contact;
    if (r->pushed == NULL || !(left > 0.0f))
        return;
    rico_vec3 to = rico__pose_out_of(&r->pushed->to, r->place);
    r->v = vec3_scale(vec3_sub(to, r->p), 1.0f / left);
    bool stopped = meet_still(r, &contact);
    contact.when = 0.5f * r->c->step.dt; /* no gravity in this velocity */
    r->p = stopped ? vec3_mad(r->p, r->v, left * contact.time) : to;
    if (stopped)
        rico__respond(&r->v, &contact, &r->c->step);
}

/* The rest of the step; true when it rests after it. */
static bool go(rider *r)
{
    for (uint32_t n = 0; n < MOST_CONTACTS && r->part < 1.0f; ++n) {
        meeting m;
        if (!meet(r, &m)) {
            r->p = vec3_mad(r->p, r->v, time_left(r));
            return false;
        }
        if (bounce(r, &m))
            return true;
    }
    squeeze(r);
    return false;
}

/* --- Sleepers ----------------------------------------------------------------------------- */

/* Downwards, as far as what holds it up can be. */
static rico_vec3 way_down(const rico__step *step)
{
    float radii = 1.0f / float_max(step->hold_cosine, 1.0f / SUPPORT_RADII);
    float length = radii * step->radius + SUPPORT_SKIN;
    return vec3_scale(vec3(step->hold_x, step->hold_y, step->hold_z), -length);
}

/* What sticks may do so to a surface that faces any way: one at the radius is met by one of six rays,
 * as far away as along a diagonal. */
#define DIRECTIONS 6u
#define DIAGONAL 1.7320509f

/* The ways on which what holds a sleeper is looked for: so many. */
static uint32_t ways_to_hold(const rico__block_context *c, rico_vec3 ways[DIRECTIONS])
{
    ways[0] = way_down(&c->step);
    if (c->recipe->def.on_collision != RICO_ON_COLLISION_STICK)
        return 1;
    float length = DIAGONAL * c->step.radius + SUPPORT_SKIN;
    for (uint32_t k = 0; k < DIRECTIONS; ++k) {
        float way = k % 2 == 0 ? -length : length;
        ways[k] =
            vec3(k / 2 == 2 ? way : 0.0f, k / 2 == 1 ? way : 0.0f, k / 2 == 0 ? way : 0.0f);
    }
    return DIRECTIONS;
}

static bool is_held_by_still(rico__block_context *c, rico_vec3 p)
{
    rico_vec3 ways[DIRECTIONS];
    uint32_t count = ways_to_hold(c, ways);
    for (uint32_t k = 0; k < count; ++k) {
        rico_ray ray = {.origin = p, .t_max = 1.0f, .direction = ways[k]};
        rico_hit hit;
        rico__cast_rays(c->world, c->recipe, &ray, &hit, 1);
        c->scratch->tally.contact_rays += 1;
        if (hit.collider != 0)
            return true;
    }
    return false;
}

/* What holds a sleeper up: the surface's place and normal in the body's space. */
typedef struct support {
    rico_vec3 place, normal;
} support;

/* The body that holds it, as the step begins; NULL = none does. */
static const rico__mover *find_support(rico__block_context *c, rico_vec3 p, support *at)
{
    const rico__mover *best = NULL;
    rico_vec3 ways[DIRECTIONS];
    uint32_t count = ways_to_hold(c, ways);
    float least = 2.0f, reach = vec3_length(ways[0]);
    const candidates near = candidates_near(c, p, reach);
    for (uint32_t b = 0; b < near.count; ++b) {
        const rico__mover *body = candidate(&near, b);
        if (!rico__is_there(c->recipe, body->layers) || !is_near(body, p, reach))
            continue;
        for (uint32_t k = 0; k < count; ++k) {
            rico_vec3 way = rico__pose_turn_into(&body->from, ways[k]);
            rico_ray ray = {.origin = rico__pose_into(&body->from, p),
                            .t_max = 1.0f,
                            .direction = vec3_scale(way, 1.0f / body->from.scale)};
            rico_hit hit;
            rico_scene_raycast_collider(c->world->scene, body->id.index1, &ray, &hit, 1);
            c->scratch->tally.contact_rays += 1;
            if (hit.collider == 0 || !(hit.t < least))
                continue;
            least = hit.t;
            best = body;
            *at = (support){vec3_mad(ray.origin, ray.direction, hit.t), hit.normal};
        }
    }
    return best;
}

bool rico__is_held(rico__block_context *c, rico_vec3 p)
{
    support at;
    if (rico__has_caster(c->world) && c->world->def.ray_caster.deferred)
        return false; /* nobody can be asked now */
    return is_held_by_still(c, p) || find_support(c, p, &at) != NULL;
}

static bool holds(const rico__mover *body, rico_vec3 normal, const rico__step *step)
{
    rico_vec3 n = quat_rotate(body->to.rotation, normal);
    return vec3_dot(n, vec3(step->hold_x, step->hold_y, step->hold_z)) > step->hold_cosine;
}

/* Where the body takes it: as far from the surface as it was, whatever size the body gets. */
static rico_vec3 taken_along(const rico__mover *body, const support *at, rico_vec3 p)
{
    rico_vec3 place = rico__pose_into(&body->from, p), to = rico__pose_out_of(&body->to, place);
    float grown = body->to.scale - body->from.scale;
    if (grown == 0.0f)
        return to;
    rico_vec3 gap = quat_rotate(body->to.rotation, vec3_sub(place, at->place));
    return vec3_mad(to, gap, -grown);
}

/* It goes with what it rests on, unless something is in the way. True while it rests. */
static bool go_asleep(rider *r)
{
    rico__block_context *c = r->c;
    support at;
    rico_vec3 start = r->p;
    r->support = find_support(c, r->p, &at);
    if (r->support == NULL && !is_held_by_still(c, r->p)) {
        r->v = rico__accelerate(r->v, &c->step);
        return go(r);
    }
    rico_vec3 to = r->p;
    if (r->support != NULL && r->support->moved) {
        to = taken_along(r->support, &at, r->p);
        r->v = vec3_scale(vec3_sub(to, start), 1.0f / c->step.dt);
    }
    bool held = r->support == NULL || c->recipe->def.on_collision == RICO_ON_COLLISION_STICK ||
                holds(r->support, at.normal, &c->step);
    bool rests = go(r);
    if (r->touched)
        return rests;
    r->p = to;
    if (held)
        r->v = vec3(0.0f, 0.0f, 0.0f);
    return held;
}

/* --- The block ---------------------------------------------------------------------------- */

static void put(rider *r, bool rests)
{
    rico__block_context *c = r->c;
    uint32_t i = r->lane;
    if (rests && !rico__bit(c->masks.dead, i))
        r->v = vec3(0.0f, 0.0f, 0.0f);
    block_set_position(c, i, r->p);
    block_set_velocity(c, i, r->v);
    rico__bit_set(c->block->asleep, i, rests);
    rico__bit_set(c->masks.asleep, i, rests);
    if (c->recipe->def.mode != RICO_COLLIDE_CACHED)
        return;
    rico__bit_set(c->masks.look, i, !rests);
    if (!r->touched)
        return;
    rico__bit_set(c->masks.rebound, i, false);
    c->streams.until[i] = 0.0f;
}

static void move_one(rico__block_context *c, uint32_t i)
{
    rider r = {.c = c, .lane = i, .p = block_position(c, i), .v = block_velocity(c, i)};
    if (rico__bit(c->near_asleep, i)) {
        put(&r, go_asleep(&r));
        return;
    }
    r.v = rico__accelerate(r.v, &c->step);
    put(&r, go(&r));
}

bool rico__movers_meet_newborn(rico__block_context *c, uint32_t i, rico_vec3 v, float seconds)
{
    rider r = {.c = c, .lane = i, .p = block_position(c, i), .v = v};
    r.part = float_clamp(1.0f - seconds / c->step.dt, 0.0f, 1.0f);
    const bool rests = go(&r);
    if (r.touched)
        put(&r, rests);
    return r.touched;
}

void rico__movers_move(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->near[w] & ~c->masks.dead[w]; bits != 0; bits &= bits - 1)
            move_one(c, w * 64 + bits_lowest64(bits));
}
