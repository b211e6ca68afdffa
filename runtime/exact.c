/* Mode exact: every awake particle's path is asked of the scene, in batches, as often as it
 * bounces within the step; but for those that the pass has moved already, because nothing is near. */
#include "contact.h"
#include "host_rays.h"
#include "response.h"

#include "bits.h"

#include <string.h>

typedef struct exact_round {
    uint32_t count; /* particles that still have some of their step to go, in scratch->lane */
} exact_round;

static bool path_is_free(const rico__block_context *c, rico_vec3 p, rico_vec3 to)
{
    rico_box box = rico__contact_box(&c->step, p, to);
    return !rico__may_touch(c->world, c->recipe, &box);
}

static void ask_for_cell(rico__block_context *c, rico_vec3 p)
{
    rico__block *block = c->block;
    rico__request *requests = rico__block_requests(c->world, block);
    uint32_t cell, n = 0;
    if (!rico__extents_lack(&c->world->extents, p, &cell))
        return;
    while (n < block->request_count && requests[n].lack.key != cell)
        ++n;
    if (n < block->request_count || n == c->recipe->request_capacity)
        return;
    requests[block->request_count++].lack.key = cell;
    c->scratch->tally.extents += 1;
}

/* Nothing is known of what is near the particle's path: its cells are asked for, and the scene whether
 * anything is there. */
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

static void add(rico__scratch *s, exact_round *round, uint32_t i, float left)
{
    s->lane[round->count] = (uint16_t)i;
    s->remaining[round->count] = left;
    round->count += 1;
}

static void move_on(rico__block_context *c, uint32_t i, float left)
{
    block_set_position(c, i, vec3_mad(block_position(c, i), block_velocity(c, i), left));
}

/* Nothing is on its way, so far as a contact ray would tell: only ground that it touches may be. */
static void pass_over(rico__block_context *c, uint32_t i, rico__mask below)
{
    rico_ray ray = rico__contact_ray(block_position(c, i), block_velocity(c, i), c->step.dt,
                                     c->step.radius);
    if (rico__bit(c->masks.ground, i) && rico__may_graze(&ray, &c->step))
        rico__bit_set(below, i, true);
    else
        move_on(c, i, c->step.dt);
}

/* Round 0: the particles whose path comes near geometry; in below, those that may touch ground. */
static exact_round start(rico__block_context *c, rico__mask below)
{
    exact_round round = {0};
    const bool blind = rico__is_blind(&c->recipe->def, c->effect);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w] | c->masks.ground[w]; bits != 0;
             bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (rico__bit(c->masks.look, i) && is_free_by_scene(c, i)) {
                move_on(c, i, c->step.dt);
            } else if (blind) {
                block_set_velocity(c, i, vec3(0.0f, 0.0f, 0.0f));
            } else if (!rico__bit(c->masks.hit, i)) {
                pass_over(c, i, below);
            } else {
                add(c->scratch, &round, i, c->step.dt);
            }
        }
    memset(c->masks.hit, 0, sizeof c->masks.hit); /* nobody is left to be moved */
    return round;
}

/* Of the radius; and of coordinates: more than what places are rounded by. */
#define NEARLY 0.9f
#define PLACE_ROUNDING (1.0f / 2097152.0f)

/* By a ray down the slope. */
static bool is_propped(rico__block_context *c, rico_vec3 p, rico_vec3 v,
                       const rico__contact *contact)
{
    rico_vec3 down;
    if (!rico__slides_slowly(v, contact, &c->step, &down))
        return false;
    rico_ray ray = rico__contact_ray(p, down, RICO__PROP_WAY, c->step.radius);
    rico_hit hit;
    rico__contact prop;
    rico__cast_rays(c->world, c->recipe, &ray, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    return rico__hit_contact(&hit, &ray, down, RICO__PROP_WAY, c->step.radius, &prop) &&
           rico__hold_together(contact->normal, prop.normal, &c->step);
}

/* The ray met something within the box of the step: occupancy would say so. */
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

/* Rays go on past the step: what they meet there counts only where something may be near the step
 * itself. */
static bool is_contact(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                       rico_vec3 v, float left, bool first, rico__contact *contact)
{
    return rico__hit_contact(hit, ray, v, left, c->step.radius, contact) &&
           (!first || meets_nearby(c, ray, hit) ||
            !path_is_free(c, ray->origin, vec3_mad(ray->origin, v, left))) &&
           rico__confirm_contact(c, ray, hit, contact);
}

/* True when some of its step is left. */
static bool bounce(rico__block_context *c, uint32_t i, rico__contact *contact, float *left)
{
    rico_vec3 v = block_velocity(c, i);
    rico_vec3 p = rico__contact_place(block_position(c, i), v, *left, contact, c->step.radius);
    *left *= 1.0f - contact->time;
    contact->when = c->step.dt - *left;
    bool over = rico__meet(c, i, p, &v, contact, false);
    if (!over && is_propped(c, p, v, contact)) {
        v = vec3(0.0f, 0.0f, 0.0f);
        over = true;
    }
    block_set_position(c, i, p);
    block_set_velocity(c, i, v);
    rico__bit_set(c->block->asleep, i, over);
    return !over && *left > 0.0f;
}

/* Asks about all of the round; those whose contact rays it were are left in it that have some of their steps
 * left. below: in the first round. */
static exact_round cast(rico__block_context *c, exact_round round, uint64_t *below)
{
    rico__scratch *s = c->scratch;
    exact_round going = {0};
    rico__contact contact;
    for (uint32_t k = 0; k < round.count; ++k)
        s->rays[k] =
            rico__contact_ray(block_position(c, s->lane[k]), block_velocity(c, s->lane[k]),
                              s->remaining[k], c->step.radius);
    rico__cast_rays(c->world, c->recipe, s->rays, s->hits, round.count);
    s->tally.contact_rays += round.count;
    for (uint32_t k = 0; k < round.count; ++k) {
        uint32_t i = s->lane[k];
        float left = s->remaining[k];
        bool met = is_contact(c, &s->rays[k], &s->hits[k], block_velocity(c, i), left,
                              below != NULL, &contact);
        if (!met && below != NULL)
            pass_over(c, i, below);
        else if (!met)
            move_on(c, i, left);
        else if (bounce(c, i, &contact, &left))
            add(s, &going, i, left);
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

/* Asks straight down; those that touch ground, and have some of their steps left, are added to the round. */
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
        float left = c->step.dt;
        rico_vec3 v = block_velocity(c, lanes[k]);
        if (!rico__hit_contact(&s->hits[k], &s->rays[k], v, left, c->step.radius, &contact) ||
            !rico__confirm_ground(c, s->rays[k].origin, v, left, &contact))
            move_on(c, lanes[k], left);
        else if (bounce(c, lanes[k], &contact, &left))
            add(s, round, lanes[k], left);
    }
}

/* After a bounce: most leave the surface, and meet nothing on the rest of their ways. */
static exact_round go_on(rico__block_context *c, exact_round round)
{
    rico__scratch *s = c->scratch;
    rico__mask clear;
    for (uint32_t k = 0; k < round.count; ++k) {
        rico_vec3 p = block_position(c, s->lane[k]), v = block_velocity(c, s->lane[k]);
        const float place[3] = {p.x, p.y, p.z}, speed[3] = {v.x, v.y, v.z};
        for (int a = 0; a < 3; ++a) {
            s->ways.p[a][k] = place[a];
            s->ways.v[a][k] = speed[a];
        }
        s->ways.time[k] = s->remaining[k];
    }
    c->world->kernels->clear_ways(&s->ways, round.count, c->step.radius, &c->world->extents,
                                  clear);
    exact_round left = {0};
    for (uint32_t k = 0; k < round.count; ++k)
        if (rico__bit(clear, k))
            move_on(c, s->lane[k], s->remaining[k]);
        else
            add(s, &left, s->lane[k], s->remaining[k]);
    return left;
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
}
