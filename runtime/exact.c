/* Mode exact: the scene is asked about the path of every awake particle, in batches, as often
 * as the particle bounces within the step. Particles that the pass has moved already, because
 * nothing is near them, are left out. */
#include "contact.h"
#include "host_rays.h"
#include "response.h"

#include "bits.h"

#include <string.h>

typedef struct exact_round {
    uint32_t count; /* particles that still have some of their step to go, in scratch->lane */
} exact_round;

/* Places are rounded, and so are ways. Far from the origin these lead elsewhere than the
 * velocity. So what is asked about is the way that is made, from a rounded place to a rounded
 * place. kernel_exact.h does the same. */
static rico_vec3 way_made(rico_vec3 p, rico_vec3 way)
{
    return vec3_sub(vec3_add(p, way), p);
}

static rico_vec3 whole_way(const rico__block_context *c, uint32_t i)
{
    return vec3_scale(block_velocity(c, i), c->step.dt);
}

static bool path_is_free(const rico__block_context *c, rico_vec3 p, rico_vec3 to)
{
    rico_box box = rico__contact_box(&c->step, p, to);
    return !rico__may_touch(c->world, c->recipe, &box);
}

static void ask_for_cell(rico__block_context *c, rico_vec3 p)
{
    rico__block *block = c->block;
    rico__request *requests = rico__block_requests(c->world, block);
    uint64_t cell;
    uint32_t n = 0;
    if (!rico__extents_lack(&c->world->extents, p, &cell))
        return;
    while (n < block->request_count && requests[n].lack.key != cell)
        ++n;
    if (n < block->request_count || n == c->recipe->request_capacity)
        return;
    requests[block->request_count++].lack.key = cell;
    c->scratch->tally.extents += 1;
}

/* Nothing is known of what is near the particle's path. Asks for its cells, and asks the scene
 * whether anything is there. */
static bool is_free_by_scene(rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i), v = block_velocity(c, i);
    rico_vec3 to = vec3_mad(p, v, c->step.dt);
    if (rico__is_blind(&c->recipe->def, c->effect))
        return path_is_free(c, p, to);
    ask_for_cell(c, p);
    ask_for_cell(c, vec3_mad(p, v, 0.5f * c->step.dt));
    ask_for_cell(c, to);
    return path_is_free(c, p, to);
}

static void set_way(rico__ways *ways, uint32_t k, rico_vec3 p, rico_vec3 way)
{
    const float place[3] = {p.x, p.y, p.z}, along[3] = {way.x, way.y, way.z};
    for (int a = 0; a < 3; ++a) {
        ways->p[a][k] = place[a];
        ways->way[a][k] = along[a];
    }
}

static rico_vec3 way_of(const rico__ways *ways, uint32_t k)
{
    return vec3(ways->way[0][k], ways->way[1][k], ways->way[2][k]);
}

static void add(rico__block_context *c, exact_round *round, uint32_t i, float left,
                rico_vec3 way)
{
    rico__scratch *s = c->scratch;
    s->lane[round->count] = (uint16_t)i;
    s->remaining[round->count] = left;
    set_way(&s->ways, round->count, block_position(c, i), way);
    round->count += 1;
}

static void move_on(rico__block_context *c, uint32_t i, rico_vec3 way)
{
    block_set_position(c, i, vec3_add(block_position(c, i), way));
}

/* As far as a contact ray can tell, nothing is on the particle's way. There may only be ground
 * that it touches. made: as by way_made. */
static void pass_over(rico__block_context *c, uint32_t i, rico_vec3 way, rico_vec3 made,
                      rico__mask below)
{
    if (rico__bit(c->masks.ground, i) && rico__may_graze(made, &c->step))
        rico__bit_set(below, i, true);
    else
        move_on(c, i, way);
}

/* Round 0: the particles whose path comes near geometry. below: those that may touch ground. */
static exact_round start(rico__block_context *c, rico__mask below)
{
    exact_round round = {0};
    const bool blind = rico__is_blind(&c->recipe->def, c->effect);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w] | c->masks.ground[w]; bits != 0;
             bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (rico__bit(c->masks.look, i) && is_free_by_scene(c, i)) {
                move_on(c, i, whole_way(c, i));
            } else if (blind) {
                block_set_velocity(c, i, vec3(0.0f, 0.0f, 0.0f));
            } else if (!rico__bit(c->masks.hit, i)) {
                const rico_vec3 way = whole_way(c, i);
                pass_over(c, i, way, way_made(block_position(c, i), way), below);
            } else {
                add(c, &round, i, c->step.dt, whole_way(c, i));
            }
        }
    memset(c->masks.hit, 0, sizeof c->masks.hit); /* no particle is left to be moved */
    return round;
}

/* A share of the radius, and one of coordinates: more than the rounding of places. */
#define NEARLY 0.9f
#define PLACE_ROUNDING (1.0f / 2097152.0f)

/* Found by a ray down the slope. */
static bool is_propped(rico__block_context *c, rico_vec3 p, rico_vec3 v,
                       const rico__contact *contact)
{
    rico_vec3 down;
    if (!rico__slides_slowly(v, contact, &c->step, &down))
        return false;
    rico_ray ray = rico__contact_ray(p, down, RICO__PROP_WAY, c->step.radius);
    rico_hit hit = rico__cast_ray(c, &ray);
    rico__contact prop;
    return rico__hit_contact(&hit, &ray, ray.direction, c->step.radius, &prop) &&
           rico__hold_together(contact->normal, prop.normal, &c->step);
}

/* Whether the ray met something within the box of the step. Occupancy would say so. */
static bool meets_nearby(const rico__block_context *c, const rico_ray *ray, const rico_hit *hit)
{
    rico_vec3 p = ray->origin;
    float far = __builtin_fabsf(p.x) + __builtin_fabsf(p.y) + __builtin_fabsf(p.z);
    float reach = c->step.radius * NEARLY - far * PLACE_ROUNDING;
    rico_vec3 beyond = vec3_scale(ray->direction, hit->t - 1.0f);
    return hit->t <= 1.0f ||
           (__builtin_fabsf(beyond.x) < reach && __builtin_fabsf(beyond.y) < reach &&
            __builtin_fabsf(beyond.z) < reach);
}

/* As !path_is_free, along a ray that has hit something at t. The hit mostly tells that cells near
 * the path are occupied. */
static bool path_has_cells(const rico__block_context *c, const rico_ray *ray, float t)
{
    const rico_world *world = c->world;
    const rico_vec3 from = ray->origin, to = vec3_add(from, ray->direction);
    const rico_box box = rico__contact_box(&c->step, from, to);
    const bool told = !rico__has_caster(world) && world->movers.count == 0 &&
                      c->recipe->def.ignored_layers == 0 &&
                      rico_scene_occupied_by_hit(world->scene, &box, ray, t);
    return told || rico__may_touch(world, c->recipe, &box);
}

/* Rays reach beyond the step. In the first round, what they meet there counts only if something
 * may be near the step itself. */
static bool is_contact(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                       bool first, rico__contact *contact)
{
    return rico__hit_contact(hit, ray, ray->direction, c->step.radius, contact) &&
           (!first || meets_nearby(c, ray, hit) || path_has_cells(c, ray, hit->t)) &&
           rico__confirm_contact(c, ray, hit, contact);
}

static bool meets(rico__block_context *c, rico_vec3 p, rico_vec3 way, rico__contact *contact)
{
    rico_ray ray = rico__contact_ray(p, way_made(p, way), 1.0f, c->step.radius);
    rico_hit hit = rico__cast_ray(c, &ray);
    return is_contact(c, &ray, &hit, false, contact);
}

/* Whether the way to `to`, and `further` metres beyond it, is free. */
static bool is_free(rico__block_context *c, rico_vec3 p, rico_vec3 to, float further)
{
    rico_vec3 way = vec3_sub(to, p);
    float length = vec3_length(way);
    rico_ray ray = {.origin = p, .t_max = 1.0f + further / length, .direction = way};
    if (!(length > 0.0f))
        return true;
    return rico__cast_ray(c, &ray).collider == 0;
}

/* Adds the particle to the round if some of its step is left. If it is nearer than its radius,
 * it is put out on the way that is left, about which the scene is asked. If it were put out at
 * once, it might be behind another surface. */
static void bounce(rico__block_context *c, uint32_t i, rico_vec3 way, float left,
                   rico__contact *contact, exact_round *going)
{
    rico_vec3 from = block_position(c, i), v = block_velocity(c, i);
    rico_vec3 p = vec3_mad(from, way, contact->time);
    const float rounding = rico__put_out(from);
    /* This is less far than to the surface that it touches there. */
    const float further = float_min(rounding, 0.5f * c->step.radius);
    if (rico__is_coarse(from, c->step.radius) && !is_free(c, from, p, further))
        p = from; /* this was in front of everything */
    float distance = contact->distance + vec3_dot(contact->normal, vec3_sub(p, from));
    left *= 1.0f - contact->time;
    contact->when = c->step.dt - left;
    bool over = false;
    if (vec3_dot(v, contact->normal) < 0.0f)
        over = rico__meet(c, i, p, &v, contact, false);
    if (!over && is_propped(c, p, v, contact)) {
        v = vec3(0.0f, 0.0f, 0.0f);
        over = true;
    }
    block_set_position(c, i, p);
    block_set_velocity(c, i, v);
    rico__bit_set(c->block->asleep, i, over);
    if (over || !(left > 0.0f))
        return;
    c->scratch->met[i] = contact->normal;
    float out = float_clamp(c->step.radius - distance, 0.0f, rounding);
    add(c, going, i, left, vec3_mad(vec3_scale(v, left), contact->normal, out));
}

/* Casts the contact rays of the round. Particles that made contact and have some of their step
 * left are in the round that is returned. below: only in the first round. */
static exact_round cast(rico__block_context *c, exact_round round, uint64_t *below)
{
    rico__scratch *s = c->scratch;
    exact_round going = {0};
    rico__contact contact;
    for (uint32_t k = 0; k < round.count; ++k) {
        rico_vec3 p = block_position(c, s->lane[k]);
        s->rays[k] =
            rico__contact_ray(p, way_made(p, way_of(&s->ways, k)), 1.0f, c->step.radius);
    }
    rico__cast_rays(c->world, c->recipe, s->rays, s->hits, round.count);
    s->tally.contact_rays += round.count;
    for (uint32_t k = 0; k < round.count; ++k) {
        uint32_t i = s->lane[k];
        rico_vec3 way = way_of(&s->ways, k);
        bool met = is_contact(c, &s->rays[k], &s->hits[k], below != NULL, &contact);
        if (!met && below != NULL)
            pass_over(c, i, way, s->rays[k].direction, below);
        else if (!met)
            move_on(c, i, way);
        else
            bounce(c, i, way, s->remaining[k], &contact, &going);
    }
    return going;
}

static uint32_t lanes_of(const rico__mask mask, uint16_t lanes[RICO__MAX_BLOCK])
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1)
            lanes[n++] = (uint16_t)(w * 64 + bits_lowest64(bits));
    return n;
}

/* Casts rays straight down. Particles that touch ground and have some of their step left are
 * added to the round. */
static void cast_down(rico__block_context *c, const rico__mask below, exact_round *round)
{
    rico__scratch *s = c->scratch;
    uint16_t lanes[RICO__MAX_BLOCK];
    uint32_t n = lanes_of(below, lanes);
    for (uint32_t k = 0; k < n; ++k)
        s->rays[k] = rico__ground_ray(block_position(c, lanes[k]), &c->step);
    rico__cast_rays(c->world, c->recipe, s->rays, s->hits, n);
    s->tally.contact_rays += n;
    for (uint32_t k = 0; k < n; ++k) {
        rico__contact contact;
        const rico_vec3 way = whole_way(c, lanes[k]), p = s->rays[k].origin;
        const rico_vec3 made = way_made(p, way);
        if (!rico__hit_contact(&s->hits[k], &s->rays[k], made, c->step.radius, &contact) ||
            !rico__confirm_ground(c, &s->rays[k], &s->hits[k], made, &contact))
            move_on(c, lanes[k], way);
        else
            bounce(c, lanes[k], way, c->step.dt, &contact, round);
    }
}

/* After a bounce, most particles leave the surface and meet nothing on the rest of their
 * way. */
static exact_round go_on(rico__block_context *c, exact_round round)
{
    rico__scratch *s = c->scratch;
    rico__mask clear;
    c->world->kernels->clear_ways(&s->ways, round.count, c->step.radius, &c->world->extents,
                                  clear);
    exact_round left = {0};
    for (uint32_t k = 0; k < round.count; ++k)
        if (rico__bit(clear, k))
            move_on(c, s->lane[k], way_of(&s->ways, k));
        else
            add(c, &left, s->lane[k], s->remaining[k], way_of(&s->ways, k));
    return left;
}

/* After the last allowed contact. If the particle would meet something again, it goes on along
 * both surfaces (in a V, along its bottom), up to a third surface. Far from the origin, where
 * the place at a third surface may be behind others, it stays where it is. */
static void slip_on(rico__block_context *c, exact_round round)
{
    rico__scratch *s = c->scratch;
    for (uint32_t k = 0; k < round.count; ++k) {
        const uint32_t i = s->lane[k];
        const rico_vec3 p = block_position(c, i);
        rico_vec3 way = way_of(&s->ways, k);
        rico__contact next;
        if (meets(c, p, way, &next)) {
            way = rico__way_between(vec3_scale(block_velocity(c, i), s->remaining[k]),
                                    s->met[i], next.normal);
            if (meets(c, p, way, &next))
                way = vec3_scale(way, rico__is_coarse(p, c->step.radius) ? 0.0f : next.time);
        }
        move_on(c, i, way);
    }
}

void rico__exact_move(rico__block_context *c)
{
    rico__mask below = {0};
    exact_round round = cast(c, start(c, below), below);
    cast_down(c, below, &round);
    for (uint32_t n = 1; n < RICO__CONTACTS_PER_STEP && round.count > 0; ++n) {
        round = go_on(c, round);
        round = cast(c, round, NULL);
    }
    if (round.count > 0)
        slip_on(c, go_on(c, round));
}
