#include "sight.h"

#include "host_rays.h"

/* Hits at which effects are spawned are off their surface by rounding, to either side. Metres. */
#define SKIN 0.001f

/* A particle whose way is nearly along a surface goes back by at most this many radii:
 * 1 / LEAST_COSINE. */
#define LEAST_COSINE 0.1f

static bool may_ask(const rico__block_context *c)
{
    return !c->world->def.ray_caster.deferred && !rico__is_blind(&c->recipe->def, c->effect);
}

typedef struct way {
    rico_vec3 eye, direction;
    float length;
} way;

static way way_to(rico_vec3 eye, rico_vec3 place)
{
    const rico_vec3 all = vec3_sub(place, eye);
    const float length = vec3_length(all);
    return (way){eye, length > 0.0f ? vec3_scale(all, 1.0f / length) : all, length};
}

/* Planes without end are movers. One that stands still hides particles behind it, if the way
 * meets it before the hit. */
static void meet_plane(const rico__mover *plane, const way *w, rico_hit *hit)
{
    const rico_vec3 normal = rico__pose_normal(&plane->to);
    const float height = vec3_dot(vec3_sub(w->eye, plane->to.position), normal);
    const float rate = -vec3_dot(w->direction, normal);
    if (!(rate > 0.0f) || height < 0.0f || height >= hit->t * rate)
        return;
    hit->t = height / rate;
    hit->normal = normal;
    hit->collider = plane->id.index1;
}

/* asks: casts a ray. Otherwise only planes may be in the way. */
static bool meets(const rico__block_context *c, const way *w, bool asks, rico_hit *hit)
{
    const rico__movers *bodies = &c->world->movers;
    const rico_ray ray = {w->eye, w->length + c->step.radius, w->direction, 0};
    *hit = asks ? rico__cast_ray(c, &ray) : (rico_hit){.t = ray.t_max};
    for (uint32_t i = bodies->first_endless; i != 0; i = bodies->items[i - 1].next_endless)
        if (!bodies->items[i - 1].moved &&
            rico__is_there(c->recipe, bodies->items[i - 1].layers))
            meet_plane(&bodies->items[i - 1], w, hit);
    return hit->collider != 0;
}

/* Where a particle on this way is stopped. */
static rico_vec3 stop(const rico__block_context *c, const way *w, const rico_hit *hit)
{
    const float cosine = __builtin_fabsf(vec3_dot(hit->normal, w->direction));
    const float back = c->step.radius / float_max(cosine, LEAST_COSINE);
    return vec3_mad(w->eye, w->direction, float_clamp(hit->t - back, 0.0f, w->length));
}

/* The place, put straight off the surface in between, to where the particle touches it. */
static rico_vec3 put_off(const rico__block_context *c, const way *w, const rico_hit *hit,
                         rico_vec3 place)
{
    const float side = vec3_dot(hit->normal, w->direction) > 0.0f ? -1.0f : 1.0f;
    const rico_vec3 normal = vec3_scale(hit->normal, side);
    const rico_vec3 met = vec3_mad(w->eye, w->direction, hit->t);
    return vec3_mad(place, normal, c->step.radius - vec3_dot(vec3_sub(place, met), normal));
}

void rico__birth_in_sight(rico__block_context *c, uint32_t i, const rico_transform *from)
{
    const rico_vec3 up = quat_rotate(from->rotation, vec3(0.0f, 0.0f, 1.0f));
    const rico_vec3 eye = vec3_mad(from->position, up, c->step.radius + SKIN);
    const rico_vec3 place = block_position(c, i);
    const way straight = way_to(eye, place);
    rico_hit hit;
    if (!(straight.length > 0.0f))
        return;
    const bool near = !rico__way_is_free(c, eye, place);
    if (near && !may_ask(c)) {
        block_set_position(c, i, eye);
        return;
    }
    if (!meets(c, &straight, near, &hit))
        return;
    const rico_vec3 beside = put_off(c, &straight, &hit, place);
    const way along = way_to(eye, beside);
    block_set_position(c, i,
                       meets(c, &along, may_ask(c), &hit) ? stop(c, &along, &hit) : beside);
}
