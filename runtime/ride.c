/* Particles near movers (movers.h). Each is moved by itself, contact by contact, against static
 * geometry and against movers where they are at that time of the step. A particle that rests on
 * a mover goes with it. */
#include "ride.h"

#include "contact.h"
#include "host_rays.h"
#include "response.h"
#include "space.h"

#include "bits.h"

/* Most contacts of one particle in one step: ground and a mover that pushes may alternate. */
#define MOST_CONTACTS (2u * RICO__CONTACTS_PER_STEP)

/* There is surface within this many radii of a place of contact. */
#define SURFACE_RADII 1.5f

/* At an edge a particle counts as having this share of its radius. */
#define EDGE_RADIUS 0.1f

/* A ball reaches into what is nearer than this share of its radius. The rest may be rounding. */
#define LEAST_DEPTH (63.0f / 64.0f)

/* It touches what is within this share of its radius. For that, so many planes are tried. */
#define MOST_GAP (65.0f / 64.0f)
#define MOST_PLANES 6u

/* What rounding may add to a velocity into a surface, as a share of the whole velocity. */
#define VELOCITY_ROUNDING 1.0e-6f

/* A contact puts a ball that is deeper in a mover out by this share of its radius at most. */
#define MOST_OUT (1.0f / 16.0f)

/* With less of the step left, a surface's velocity is its mean over the whole step. */
#define LEAST_LEFT 0.05f

/* Going along what stops it, a particle moves off by this share, so as not to meet it again. */
#define OFF_WHAT_STOPS 0.001f

/* --- Contacts ----------------------------------------------------------------------------- */

/* What a particle meets next. */
typedef struct meeting {
    rico__contact contact; /* time: as a share of what is left of the step */
    const rico__mover *body;
    rico_vec3 place, surface; /* in the mover's space; its velocity there */
    rico_vec3 normal;         /* of the mover, then; the contact's is that at the step's end */
    float depth;              /* of the ball in the mover then; below 0 outside */
} meeting;

static float time_left(const rico__rider *r)
{
    return (r->end - r->part) * r->c->step.dt;
}

static bool moves(const rico__rider *r, const rico__mover *body)
{
    return body->moved && r->end > 0.0f;
}

/* Where movers lead a particle, nothing has looked ahead for it or asked for records. */
static bool is_led(const rico__rider *r)
{
    return r->led || (r->support != NULL && r->support->moved);
}

static bool stands(const rico__rider *r)
{
    return r->v.x == 0.0f && r->v.y == 0.0f && r->v.z == 0.0f;
}

static bool meet_still(const rico__rider *r, rico__contact *contact)
{
    rico__block_context *c = r->c;
    float left = time_left(r);
    if (stands(r))
        return false;
    if (c->recipe->def.mode == RICO_COLLIDE_CACHED && !is_led(r))
        return rico__cached_contact(c, r->lane, r->p, r->v, left, contact);
    rico_box box = rico__contact_box(&c->step, r->p, vec3_mad(r->p, r->v, left));
    return rico__box_occupied(c->world, &box) &&
           rico__ray_contact(c, r->p, r->v, left, contact);
}

/* The mean velocity of the place from then to the end of the step. */
static rico_vec3 surface_velocity(const rico__mover *body, rico_vec3 place, float part,
                                  float dt)
{
    rico_vec3 end = rico__pose_out_of(&body->to, place);
    float from = 1.0f - part > LEAST_LEFT ? part : 0.0f;
    rico__pose pose = rico__mover_pose(body, from);
    return vec3_scale(vec3_sub(end, rico__pose_out_of(&pose, place)),
                      1.0f / ((1.0f - from) * dt));
}

/* A contact is with the plane of what was hit, which may end before the place of contact, at an
 * edge that the particle flies towards. Whether there is surface under the place. */
static bool is_over_surface(const rico__rider *r, const rico__mover *body, rico_vec3 place,
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

/* Asks one mover by a ray from a along `way`. Returns whether the path along v makes contact
 * with what the ray meets. All in the mover's space. */
static bool ask(const rico__rider *r, const rico__mover *body, rico_vec3 a, rico_vec3 way,
                rico_vec3 v, rico__contact *contact)
{
    rico__block_context *c = r->c;
    float left = time_left(r), radius = rico__mover_length(body, c->step.radius);
    rico_ray ray = rico__contact_ray(a, way, left, radius);
    rico_hit hit;
    rico_scene_raycast_collider(c->world->scene, body->id.index1, &ray, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    if (!rico__hit_contact(&hit, &ray, vec3_scale(v, left), radius, contact))
        return false;
    rico_vec3 point = vec3_mad(ray.origin, ray.direction, hit.t);
    rico_vec3 place = vec3_mad(a, v, contact->time * left);
    if (is_over_surface(r, body, place, point, contact, radius))
        return true;
    /* Past the edge, the centre may still meet the surface. */
    rico_ray path = rico__contact_ray(a, v, left, radius);
    path.t_max = 1.0f;
    rico_scene_raycast_collider(c->world->scene, body->id.index1, &path, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    return rico__hit_contact(&hit, &path, vec3_scale(v, left), EDGE_RADIUS * radius, contact);
}

/* The point of a mover nearest to the place, and the plane through it that touches a ball
 * there. False: none is nearer than `reach`. */
static bool find_nearest(const rico__rider *r, const rico__mover *body, rico_vec3 place,
                         float reach, rico_vec3 from, rico__contact *contact)
{
    rico__block_context *c = r->c;
    const float radius = rico__mover_length(body, c->step.radius);
    const rico_nearest near =
        rico_scene_nearest_collider(c->world->scene, body->id.index1, place, reach);
    c->scratch->tally.contact_rays += 1;
    if (near.collider == 0)
        return false;
    rico_vec3 n = near.normal, away = vec3_sub(place, near.point);
    const float distance = vec3_length(away);
    if (distance > EDGE_RADIUS * radius)
        n = vec3_scale(away, 1.0f / distance);
    else if (vec3_dot(n, vec3_sub(from, near.point)) < 0.0f)
        n = vec3_neg(n);
    contact->normal = n;
    contact->met = near.point;
    contact->offset = vec3_dot(n, near.point);
    contact->distance = vec3_dot(n, from) - contact->offset;
    contact->collider = near.collider;
    contact->triangle = near.triangle;
    contact->surface = near.surface;
    contact->by_way = false;
    return true;
}

/* A ray along a path nearly parallel to a surface meets it only when the centre is much nearer
 * than the radius, or never. So this asks what the ball reaches into at the path's end. From
 * there it looks, plane by plane, for where the ball came to touch: a plane is touched before
 * its surface. */
static bool reach_into(const rico__rider *r, const rico__mover *body, rico_vec3 a, rico_vec3 v,
                       rico__contact *contact)
{
    const rico_vec3 way = vec3_scale(v, time_left(r));
    const float radius = rico__mover_length(body, r->c->step.radius);
    rico_vec3 place = vec3_add(a, way);
    float reach = LEAST_DEPTH * radius;
    for (uint32_t n = 0; n < MOST_PLANES; ++n) {
        if (!find_nearest(r, body, place, reach, a, contact))
            return n > 0;
        const float nearer = -vec3_dot(contact->normal, way);
        if (!(nearer > 0.0f))
            return false;
        contact->time = float_clamp((contact->distance - radius) / nearer, 0.0f, 1.0f);
        place = vec3_mad(a, way, contact->time);
        reach = vec3_length(vec3_sub(place, contact->met));
        if (reach <= MOST_GAP * radius)
            return true;
    }
    return true;
}

/* Along the path as the mover sees it; otherwise at the path's end. */
static bool find_contact(const rico__rider *r, const rico__mover *body, rico_vec3 a,
                         rico_vec3 v, rico__contact *contact)
{
    return ask(r, body, a, v, v, contact) || reach_into(r, body, a, v, contact);
}

/* rico__name_touched, for a mover. All in the mover's space. */
static void name_touched(const rico__rider *r, const rico__mover *body, rico_vec3 place,
                         rico__contact *contact)
{
    const float reach = rico__mover_length(body, rico__touching(r->c->step.radius));
    if (!rico__may_touch_other(contact, place, rico__mover_length(body, RICO__SAME_SPOT)))
        return;
    rico_ray down = {.origin = place, .t_max = reach, .direction = vec3_neg(contact->normal)};
    rico_hit hit;
    rico_scene_raycast_collider(r->c->world->scene, body->id.index1, &down, &hit, 1);
    r->c->scratch->tally.contact_rays += 1;
    if (hit.collider != 0)
        rico__contact_name(contact, &hit, false);
}

/* Whether anything of the mover is where the path from a to b may make contact. Most movers
 * whose boxes are near have nothing there. */
static bool is_in_the_way(const rico__rider *r, const rico__mover *body, rico_vec3 a,
                          rico_vec3 b)
{
    float by = rico__mover_length(body, SURFACE_RADII * r->c->step.radius + RICO__SUPPORT_SKIN);
    rico_vec3 grow = {by, by, by};
    rico_box box = {vec3_sub(vec3_min(a, b), grow), vec3_add(vec3_max(a, b), grow)};
    return rico_scene_collider_occupied(r->c->world->scene, body->id.index1, &box);
}

static void meet_body(const rico__rider *r, const rico__mover *body, meeting *m)
{
    float left = time_left(r);
    if (stands(r) && !moves(r, body))
        return;
    rico__pose pose = rico__mover_pose(body, r->part), end = rico__mover_pose(body, r->end);
    rico_vec3 a = rico__pose_into(&pose, r->p);
    rico_vec3 b = rico__pose_into(&end, vec3_mad(r->p, r->v, left));
    rico_vec3 v = vec3_scale(vec3_sub(b, a), 1.0f / left);
    rico__contact contact;
    if (!is_in_the_way(r, body, a, b) || !find_contact(r, body, a, v, &contact))
        return;
    if (m->body == NULL ? contact.time > m->contact.time : contact.time >= m->contact.time)
        return;
    float part = r->part + contact.time * (r->end - r->part);
    m->body = body;
    m->place = vec3_mad(a, v, contact.time * left);
    m->surface = vec3(0.0f, 0.0f, 0.0f);
    if (moves(r, body))
        m->surface = surface_velocity(body, m->place, part, r->c->step.dt);
    if (rico__response_names(&r->c->recipe->def))
        name_touched(r, body, m->place, &contact);
    contact.by_way = false;
    pose = rico__mover_pose(body, part);
    m->depth =
        r->c->step.radius - pose.scale * (vec3_dot(contact.normal, m->place) - contact.offset);
    m->normal = quat_rotate(pose.rotation, contact.normal);
    contact.normal = quat_rotate(end.rotation, contact.normal);
    m->contact = contact;
}

/* False: nothing in the rest of the step. moving: movers that are moved count, too. */
static bool meet(const rico__rider *r, bool moving, meeting *m)
{
    rico_vec3 middle = vec3_mad(r->p, r->v, 0.5f * time_left(r));
    float reach = rico__ride_reach(&r->c->step, __builtin_fabsf(r->v.x),
                                   __builtin_fabsf(r->v.y), __builtin_fabsf(r->v.z)) *
                  float_max(r->end - r->part, 1.0f);
    *m = (meeting){.contact = {.time = 2.0f}};
    if (!meet_still(r, &m->contact))
        m->contact.time = 2.0f;
    rico__near near;
    rico__near_begin(&near, r->c, middle, reach);
    for (const rico__mover *body; (body = rico__near_next(&near)) != NULL;)
        if (body != r->support && (moving || !moves(r, body)) &&
            rico__is_there(r->c->recipe, body->layers))
            meet_body(r, body, m);
    return m->contact.time <= 1.0f;
}

/* To `to` by the step's end, up to what stands still, unmoved movers included; true: stopped. */
static bool go_to(rico__rider *r, rico_vec3 to, rico__contact *contact)
{
    float left = time_left(r);
    if (!(left > 0.0f))
        return false;
    meeting m;
    r->v = vec3_scale(vec3_sub(to, r->p), 1.0f / left);
    bool stopped = !stands(r) && meet(r, false, &m);
    if (!stopped) {
        r->p = to;
        return false;
    }
    r->p = vec3_mad(r->p, r->v, left * m.contact.time);
    *contact = m.contact;
    return true;
}

/* With the mover that it met last. It goes on along what stops it, a little off that, as along
 * the floor that it lies on in front of a wall. */
static bool go_along(rico__rider *r, rico__contact *contact)
{
    const rico_vec3 to = rico__pose_out_of(&r->pushed->to, r->place);
    rico__contact second;
    if (!go_to(r, to, contact))
        return false;
    const rico_vec3 left = vec3_sub(to, r->p), n = contact->normal;
    const float off = OFF_WHAT_STOPS * vec3_length(left) - vec3_dot(left, n);
    go_to(r, vec3_add(r->p, vec3_mad(left, n, off)), &second);
    return true;
}

/* To where it meets the mover. Its path is straight in the mover's space. If that turns or
 * grows, it ends beside the path tested against static geometry: the way from there is new. */
static void go_to_body(rico__rider *r, const meeting *m, float way)
{
    rico__contact contact;
    rico_vec3 v = r->v;
    rico__pose pose = rico__mover_pose(m->body, r->part);
    rico_vec3 place = rico__pose_out_of(&pose, m->place);
    r->led = true;
    if (moves(r, m->body)) {
        r->pushed = m->body;
        r->place = m->place;
    }
    bool bends = moves(r, m->body) &&
                 (m->body->bulge > 0.0f || m->body->from.scale != m->body->to.scale);
    r->p = bends ? vec3_mad(r->p, v, way) : place;
    go_to(r, place, &contact);
    r->v = v;
}

/* What has met a mover is put out of it by what rounding may take, and by how deep it is. The
 * way out is looked at where it is longer than rounding. */
static void go_out(rico__rider *r, const meeting *m)
{
    const float rounding = rico__put_out(r->p);
    const float out = float_min(m->depth, MOST_OUT * r->c->step.radius);
    const rico_vec3 v = r->v;
    rico__contact contact;
    if (out > rounding)
        go_to(r, vec3_mad(r->p, m->contact.normal, out), &contact);
    else
        r->p = vec3_mad(r->p, m->contact.normal, rounding);
    r->v = v;
}

/* A particle that was stopped or is dead is not taken along. */
static bool stays_behind(const rico__rider *r)
{
    return r->c->recipe->def.on_collision == RICO_ON_COLLISION_STOP ||
           rico__bit(r->c->masks.dead, r->lane);
}

/* Whether all that goes into the surface is rounding, so that nothing is to be met there. */
static bool goes_along(rico_vec3 v, rico_vec3 normal)
{
    return vec3_dot(v, normal) > -VELOCITY_ROUNDING * vec3_length(v);
}

/* To the place of contact, and off it. True: nothing can follow in this step. A particle that
 * comes to rest on static geometry is in the way of movers as before.
 *
 * A particle that leaves a mover along its surface must not meet it again at once: it would be
 * the same contact, up to MOST_CONTACTS times. Two things see to that. The response is made with
 * the surface as it is at the step's end, because the surface's velocity is the mean until then:
 * what goes along a surface that turns would else be behind it at the end. And the particle is
 * put out by what rounding may take. */
static bool bounce(rico__rider *r, meeting *m)
{
    rico__block_context *c = r->c;
    const rico_vec3 still = {0.0f, 0.0f, 0.0f};
    rico_vec3 surface = m->body != NULL ? m->surface : still;
    float left = time_left(r);
    r->part += m->contact.time * (r->end - r->part);
    if (m->body != NULL) {
        go_to_body(r, m, left * m->contact.time);
    } else {
        r->p = rico__contact_place(r->p, r->v, left, &m->contact, c->step.radius);
        if (goes_along(r->v, m->contact.normal)) {
            r->p = vec3_mad(r->p, m->contact.normal, rico__put_out(r->p));
            return false;
        }
    }
    rico_vec3 after = vec3_sub(r->v, surface);
    bool guessed = m->body == NULL && m->contact.collider == 0;
    m->contact.when = float_max(r->part, 0.0f) * c->step.dt;
    const rico__event_arena *arena = &c->scratch->events;
    uint32_t events = arena->used;
    bool over = rico__meet(c, r->lane, r->p, &after, &m->contact, guessed);
    r->v = vec3_add(after, surface);
    if (arena->used > events) { /* so far the event has what the response was made with */
        arena->events[events].velocity = r->v;
        if (m->body != NULL)
            arena->events[events].normal = m->normal;
    }
    r->support = NULL;
    r->touched = true;
    r->rests = over;
    r->between |= m->body == NULL || !moves(r, m->body);
    if (!over && !r->between)
        go_out(r, m);
    if (!over || stays_behind(r))
        return over;
    if (m->body == NULL || !moves(r, m->body)) {
        r->v = still;
        return false;
    }
    go_along(r, &m->contact);
    return true;
}

/* Its contacts are used up, between a mover and something else. It goes along with the mover,
 * as fast as what it met there, up to what stands still; then the mover passes over it. A way
 * over the rest of the step, which may be next to nothing, gives no velocity. */
static void squeeze(rico__rider *r)
{
    rico__contact contact;
    if (r->pushed == NULL || !(time_left(r) > 0.0f))
        return;
    const rico_vec3 surface = surface_velocity(r->pushed, r->place, r->part, r->c->step.dt);
    const rico__pose pose = rico__mover_pose(r->pushed, r->part);
    r->place = rico__pose_into(&pose, r->p);
    const bool stopped = go_along(r, &contact);
    r->v = surface;
    if (!stopped)
        return;
    contact.when = r->c->step.middle; /* no gravity in this velocity */
    rico__respond(&r->v, &contact, &r->c->step);
}

bool rico__ride_go(rico__rider *r)
{
    for (uint32_t n = 0; n < MOST_CONTACTS && r->part < r->end; ++n) {
        meeting m;
        if (!meet(r, true, &m)) {
            r->p = vec3_mad(r->p, r->v, time_left(r));
            return r->rests;
        }
        if (bounce(r, &m))
            return r->rests;
    }
    squeeze(r);
    r->rests = false;
    return false;
}

/* --- The block ---------------------------------------------------------------------------- */

void rico__ride_put(rico__rider *r, bool rests)
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
    rico__rider r = {.c = c, .lane = i, .end = 1.0f};
    r.p = block_position(c, i);
    r.v = block_velocity(c, i);
    if (rico__bit(c->near_asleep, i)) {
        rico__ride_put(&r, rico__ride_asleep(&r));
        return;
    }
    r.v = rico__accelerate(r.v, &c->step);
    rico__ride_put(&r, rico__ride_go(&r));
}

/* A particle born at an event may be older than the step: it first lives until that begins. */
bool rico__movers_meet_newborn(rico__block_context *c, uint32_t i, rico_vec3 v, float seconds)
{
    rico__rider r = {.c = c, .lane = i, .p = block_position(c, i), .v = v};
    r.part = float_min(1.0f - seconds / c->step.dt, 1.0f);
    if (r.part < 0.0f) {
        rico__ride_go(&r);
        r.part = 0.0f;
    }
    r.end = 1.0f;
    if (!r.rests || !stays_behind(&r))
        rico__ride_go(&r);
    if (r.touched)
        rico__ride_put(&r, r.rests);
    return r.touched;
}

void rico__movers_move(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        const uint64_t all = c->near[w] & ~c->masks.dead[w], asleep = all & c->near_asleep[w];
        uint64_t bits = all;
        if (asleep != 0)
            bits = (all & ~asleep) | rico__ride_together(c, w, asleep);
        for (; bits != 0; bits &= bits - 1)
            move_one(c, w * 64 + bits_lowest64(bits));
    }
}
