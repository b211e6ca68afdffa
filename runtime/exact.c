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
    float reach = c->step.radius;
    rico_vec3 margin = {reach, reach, reach};
    rico_box box = {vec3_sub(vec3_min(p, to), margin), vec3_add(vec3_max(p, to), margin)};
    return !rico__box_occupied(c->world, &box);
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
static bool is_free_by_scene(rico__block_context *c, uint32_t i, rico_vec3 *to)
{
    rico_vec3 p = block_position(c, i), v = block_velocity(c, i);
    *to = vec3_mad(p, v, c->step.dt);
    if (rico__is_blind(&c->recipe->def, c->effect))
        return path_is_free(c, p, *to);
    ask_for_cell(c, p);
    ask_for_cell(c, vec3_mad(p, v, 0.5f * c->step.dt));
    ask_for_cell(c, *to);
    return path_is_free(c, p, *to);
}

/* Round 0: the particles whose path comes near geometry. */
static exact_round start(rico__block_context *c)
{
    exact_round round = {0};
    const bool blind = rico__is_blind(&c->recipe->def, c->effect);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            rico_vec3 to;
            if (rico__bit(c->masks.look, i) && is_free_by_scene(c, i, &to)) {
                block_set_position(c, i, to);
                continue;
            }
            if (blind) {
                block_set_velocity(c, i, vec3(0.0f, 0.0f, 0.0f));
                continue;
            }
            c->scratch->lane[round.count] = (uint16_t)i;
            c->scratch->remaining[round.count] = c->step.dt;
            round.count += 1;
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
    rico__cast_rays(c->world, &ray, &hit, 1);
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

/* The ray's answer for one particle; true when some of its step is left. first: of the step. */
static bool advance(rico__block_context *c, uint32_t i, const rico_ray *ray,
                    const rico_hit *hit, bool first, float *left)
{
    rico_vec3 p = ray->origin;
    rico_vec3 v = block_velocity(c, i);
    rico__contact contact;
    if (!is_contact(c, ray, hit, v, *left, first, &contact)) {
        block_set_position(c, i, vec3_mad(p, v, *left));
        return false;
    }
    p = vec3_mad(p, v, *left * contact.time);
    *left *= 1.0f - contact.time;
    contact.when = c->step.dt - *left;
    bool over = rico__meet(c, i, p, &v, &contact, false);
    if (!over && is_propped(c, p, v, &contact)) {
        v = vec3(0.0f, 0.0f, 0.0f);
        over = true;
    }
    block_set_position(c, i, p);
    block_set_velocity(c, i, v);
    rico__bit_set(c->block->asleep, i, over);
    return !over && *left > 0.0f;
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
    for (uint32_t k = 0; k < round.count; ++k) {
        uint32_t i = s->lane[k];
        if (rico__bit(clear, k)) {
            block_set_position(
                c, i, vec3_mad(block_position(c, i), block_velocity(c, i), s->remaining[k]));
            continue;
        }
        s->lane[left.count] = (uint16_t)i;
        s->remaining[left.count] = s->remaining[k];
        left.count += 1;
    }
    return left;
}

void rico__exact_move(rico__block_context *c)
{
    rico__scratch *s = c->scratch;
    exact_round round = start(c);
    for (uint32_t n = 0; n < RICO__CONTACTS_PER_STEP && round.count > 0; ++n) {
        for (uint32_t k = 0; k < round.count; ++k)
            s->rays[k] =
                rico__contact_ray(block_position(c, s->lane[k]), block_velocity(c, s->lane[k]),
                                  s->remaining[k], c->step.radius);
        rico__cast_rays(c->world, s->rays, s->hits, round.count);
        s->tally.contact_rays += round.count;
        uint32_t going = 0;
        for (uint32_t k = 0; k < round.count; ++k) {
            float left = s->remaining[k];
            if (!advance(c, s->lane[k], &s->rays[k], &s->hits[k], n == 0, &left))
                continue;
            s->lane[going] = s->lane[k];
            s->remaining[going] = left;
            going += 1;
        }
        round = go_on(c, (exact_round){going});
    }
}
