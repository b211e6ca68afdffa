/* Particles that rest near movers (movers.h): what holds each, and where that takes it. */
#include "ride.h"

#include "contact.h"
#include "host_rays.h"
#include "response.h"
#include "space.h"

#include "bits.h"

/* What a particle lies on or sticks to is a radius away, up to how exactly surfaces are known. */
static float gap_if_held(const rico__step *step, const rico_ray *ray, const rico_hit *hit,
                         float scale)
{
    if (hit->collider == 0)
        return RICO__NEVER;
    float gap = -hit->t * scale * vec3_dot(hit->normal, ray->direction);
    float slack =
        float_min(RICO__SLACK_RADII * step->radius, RICO__MOST_SLACK) + RICO__SUPPORT_SKIN;
    return gap <= step->radius + slack ? gap : RICO__NEVER;
}

/* The gap to static geometry that holds the particle; RICO__NEVER = nothing does. */
static float gap_to_still(rico__block_context *c, rico_vec3 p)
{
    rico_vec3 ways[RICO__MOST_WAYS];
    uint32_t count = rico__ways_to_hold(c, ways);
    rico_box box = {p, p};
    for (uint32_t k = 0; k < count; ++k) {
        box.lo = vec3_min(box.lo, vec3_add(p, ways[k]));
        box.hi = vec3_max(box.hi, vec3_add(p, ways[k]));
    }
    float least = RICO__NEVER;
    if (!rico__box_occupied(c->world, &box))
        return least; /* as for most that ride */
    for (uint32_t k = 0; k < count; ++k) {
        rico_ray ray = {.origin = p, .t_max = 1.0f, .direction = ways[k]};
        rico_hit hit = rico__cast_ray(c, &ray);
        least = float_min(least, gap_if_held(&c->step, &ray, &hit, 1.0f));
    }
    return least;
}

/* What holds a sleeping particle up: the surface's place and normal in the mover's space. */
typedef struct support {
    rico_vec3 place, normal;
} support;

/* The mover that holds it as the step begins, from nearer than `least`; NULL = none does. */
static const rico__mover *find_support(rico__block_context *c, rico_vec3 p, float least,
                                       support *at)
{
    const rico__mover *best = NULL;
    rico_vec3 ways[RICO__MOST_WAYS];
    uint32_t count = rico__ways_to_hold(c, ways);
    float reach = vec3_length(ways[0]);
    rico__near near;
    rico__near_begin(&near, c, p, reach);
    for (const rico__mover *body; (body = rico__near_next(&near)) != NULL;) {
        if (!rico__is_there(c->recipe, body->layers))
            continue;
        for (uint32_t k = 0; k < count; ++k) {
            rico_vec3 way = rico__pose_turn_into(&body->from, ways[k]);
            rico_ray ray = {.origin = rico__pose_into(&body->from, p),
                            .t_max = 1.0f,
                            .direction = vec3_scale(way, 1.0f / body->from.scale)};
            rico_hit hit;
            rico_scene_raycast_collider(c->world->scene, body->id.index1, &ray, &hit, 1);
            c->scratch->tally.contact_rays += 1;
            float gap = gap_if_held(&c->step, &ray, &hit, body->from.scale);
            if (!(gap < least))
                continue;
            least = gap;
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
        return false; /* no rays can be cast now */
    return gap_to_still(c, p) < RICO__NEVER || find_support(c, p, RICO__NEVER, &at) != NULL;
}

static bool holds(const rico__mover *body, rico_vec3 normal, const rico__step *step)
{
    rico_vec3 n = quat_rotate(body->to.rotation, normal);
    return vec3_dot(n, vec3(step->hold_x, step->hold_y, step->hold_z)) > step->hold_cosine;
}

/* Where the mover takes it: as far from the surface as before, whatever the mover's scale. In
 * doubles: in floats one that rests would creep, as the rotation's length is rounded each step. */
static rico_vec3 taken_along(const rico__mover *body, const support *at, rico_vec3 p)
{
    rico_vec3 to = p;
    rico__space_carry_points(&body->from, &body->to, &to, 1);
    float grown = body->to.scale - body->from.scale;
    if (grown == 0.0f)
        return to;
    rico_vec3 place = rico__pose_into(&body->from, p);
    rico_vec3 gap = quat_rotate(body->to.rotation, vec3_sub(place, at->place));
    return vec3_mad(to, gap, -grown);
}

/* It goes with what it rests on, unless something is in the way. True while it rests. */
bool rico__ride_asleep(rico__rider *r)
{
    rico__block_context *c = r->c;
    support at;
    rico_vec3 start = r->p;
    float still = gap_to_still(c, r->p);
    r->support = find_support(c, r->p, still, &at);
    if (r->support == NULL && !(still < RICO__NEVER)) {
        r->v = rico__accelerate(rico__late_start(&c->step), &c->step);
        return rico__ride_go(r);
    }
    rico_vec3 to = r->p;
    if (r->support != NULL && r->support->moved) {
        to = taken_along(r->support, &at, r->p);
        r->v = vec3_scale(vec3_sub(to, start), 1.0f / c->step.dt);
    }
    bool held = r->support == NULL || c->recipe->def.on_collision == RICO_ON_COLLISION_STICK ||
                holds(r->support, at.normal, &c->step);
    bool rests = rico__ride_go(r);
    if (r->touched)
        return rests;
    r->p = to;
    return held;
}

/* --- Many on one mover -------------------------------------------------------------------- */

/* Particles of one word of the block that rest near one mover, and near no other. */
typedef struct crowd {
    const rico__mover *body;
    uint32_t count;
    uint32_t lane[64];
    rico_vec3 p[64], to[64]; /* as the step begins, and where the mover takes them */
    rico_ray rays[64];       /* down from p, in the mover's space */
    rico_hit hits[64];
} crowd;

/* The mover near the particle, if it is alone, is moved and keeps its size; NULL otherwise. */
static const rico__mover *only_mover(const rico__block_context *c, uint32_t i, float reach)
{
    rico__near near;
    rico__near_begin(&near, c, block_position(c, i), reach);
    const rico__mover *body = rico__near_next(&near);
    if (body == NULL || rico__near_next(&near) != NULL)
        return NULL;
    const bool rigid = body->moved && body->from.scale == body->to.scale;
    return rigid && rico__is_there(c->recipe, body->layers) ? body : NULL;
}

/* Whether another mover may be in the way, as meet() would look for it. */
static bool may_meet_others(const crowd *all, const rico__block_context *c, rico_vec3 p,
                            rico_vec3 v)
{
    rico__near near;
    if (c->world->movers.count == 1)
        return false;
    const float reach = rico__ride_reach(&c->step, __builtin_fabsf(v.x), __builtin_fabsf(v.y),
                                         __builtin_fabsf(v.z));
    rico__near_begin(&near, c, vec3_mad(p, v, 0.5f * c->step.dt), reach);
    for (const rico__mover *body; (body = rico__near_next(&near)) != NULL;)
        if (body != all->body)
            return true;
    return false;
}

/* Keeps those whose way is free of all but the mover. `boxes` are around all that is asked of
 * static geometry about each: what may hold it instead, and what may stop it. */
static void keep_free(crowd *all, const rico__block_context *c, rico_vec3 down)
{
    rico_box boxes[64], around = {all->p[0], all->p[0]};
    rico_vec3 v[64];
    for (uint32_t n = 0; n < all->count; ++n) {
        const rico_vec3 p = all->p[n], end = vec3_add(p, down);
        v[n] = vec3_scale(vec3_sub(all->to[n], p), 1.0f / c->step.dt);
        boxes[n] = rico__contact_box(&c->step, p, vec3_mad(p, v[n], c->step.dt));
        boxes[n].lo = vec3_min(boxes[n].lo, vec3_min(p, end));
        boxes[n].hi = vec3_max(boxes[n].hi, vec3_max(p, end));
        around = (rico_box){vec3_min(around.lo, boxes[n].lo), vec3_max(around.hi, boxes[n].hi)};
    }
    const bool is_clear = !rico__box_occupied(c->world, &around);
    uint32_t kept = 0;
    for (uint32_t n = 0; n < all->count; ++n) {
        if ((!is_clear && rico__box_occupied(c->world, &boxes[n])) ||
            may_meet_others(all, c, all->p[n], v[n]))
            continue;
        all->lane[kept] = all->lane[n];
        all->p[kept] = all->p[n];
        all->to[kept++] = all->to[n];
    }
    all->count = kept;
}

/* Takes the crowd along. Returns the lanes that this was right for: those of which
 * rico__ride_asleep would have said the same. */
static uint64_t take_crowd(crowd *all, rico__block_context *c, rico_vec3 down)
{
    const rico__mover *body = all->body;
    const rico_vec3 way =
        vec3_scale(rico__pose_turn_into(&body->from, down), 1.0f / body->from.scale);
    uint64_t done = 0;
    rico__space_carry_points(&body->from, &body->to, all->to, all->count);
    keep_free(all, c, down);
    for (uint32_t n = 0; n < all->count; ++n)
        all->rays[n] = (rico_ray){
            .origin = rico__pose_into(&body->from, all->p[n]), .t_max = 1.0f, .direction = way};
    rico_scene_raycast_collider(c->world->scene, body->id.index1, all->rays, all->hits,
                                all->count);
    for (uint32_t n = 0; n < all->count; ++n) {
        const float gap = gap_if_held(&c->step, &all->rays[n], &all->hits[n], body->from.scale);
        if (!(gap < RICO__NEVER) || !holds(body, all->hits[n].normal, &c->step))
            continue;
        rico__rider r = {.c = c, .lane = all->lane[n], .p = all->to[n]};
        rico__ride_put(&r, true);
        done |= UINT64_C(1) << (r.lane % 64);
        c->scratch->tally.contact_rays += 1;
    }
    return done;
}

uint64_t rico__ride_together(rico__block_context *c, uint32_t w, uint64_t lanes)
{
    rico_vec3 ways[RICO__MOST_WAYS];
    const rico__mover *body_of[64];
    if (c->world->movers.one_by_one || rico__ways_to_hold(c, ways) > 1)
        return lanes;
    for (uint64_t bits = lanes; bits != 0; bits &= bits - 1)
        body_of[bits_lowest64(bits)] =
            only_mover(c, w * 64 + bits_lowest64(bits), vec3_length(ways[0]));
    uint64_t left = 0;
    for (uint64_t todo = lanes; todo != 0;) {
        crowd all;
        uint64_t mates = 0;
        all.body = body_of[bits_lowest64(todo)];
        all.count = 0;
        for (uint64_t bits = todo; bits != 0; bits &= bits - 1) {
            const uint32_t k = bits_lowest64(bits);
            if (body_of[k] != all.body)
                continue;
            mates |= UINT64_C(1) << k;
            all.lane[all.count] = w * 64 + k;
            all.p[all.count] = all.to[all.count] = block_position(c, w * 64 + k);
            ++all.count;
        }
        todo &= ~mates;
        left |= all.body != NULL ? mates & ~take_crowd(&all, c, ways[0]) : mates;
    }
    return left;
}
