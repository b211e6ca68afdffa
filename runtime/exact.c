/* Mode exact: every awake particle's path is asked of the scene, in batches, as often as it
 * bounces within the step. */
#include "contact.h"
#include "host_rays.h"
#include "response.h"

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

/* Round 0: forces, and the particles whose path comes near geometry. */
static exact_round start(rico__block_context *c)
{
    exact_round round = {0};
    for (uint32_t i = 0; i < c->block->count; ++i) {
        if (rico__bit(c->masks.dead, i) || rico__bit(c->block->asleep, i))
            continue;
        rico_vec3 p = block_position(c, i);
        rico_vec3 v = rico__accelerate(block_velocity(c, i), &c->step);
        rico_vec3 to = vec3_mad(p, v, c->step.dt);
        block_set_velocity(c, i, v);
        if (path_is_free(c, p, to)) {
            block_set_position(c, i, to);
            continue;
        }
        c->scratch->lane[round.count] = (uint16_t)i;
        c->scratch->remaining[round.count] = c->step.dt;
        round.count += 1;
    }
    return round;
}

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

/* The ray's answer for one particle; true when some of its step is left. */
static bool advance(rico__block_context *c, uint32_t i, const rico_ray *ray,
                    const rico_hit *hit, float *left)
{
    rico_vec3 p = ray->origin;
    rico_vec3 v = block_velocity(c, i);
    rico__contact contact;
    if (!rico__hit_contact(hit, ray, v, *left, c->step.radius, &contact)) {
        block_set_position(c, i, vec3_mad(p, v, *left));
        return false;
    }
    rico__confirm_contact(c, ray, hit, &contact);
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
            if (!advance(c, s->lane[k], &s->rays[k], &s->hits[k], &left))
                continue;
            s->lane[going] = s->lane[k];
            s->remaining[going] = left;
            going += 1;
        }
        round.count = going;
    }
}
