#include "sight.h"

#include "host_rays.h"

/* Hits that effects are spawned at are off their surface by rounding, to either side. Metres. */
#define SKIN 0.001f

/* Who would come to lie nearly along a surface goes back by so many radii at most. */
#define LEAST_COSINE 0.1f

static bool may_ask(const rico__block_context *c)
{
    return !c->world->def.ray_caster.deferred && !rico__is_blind(&c->recipe->def, c->effect);
}

/* How far from the eye somebody comes who is on the way there. */
static float clear_way(const rico__block_context *c, rico_vec3 eye, rico_vec3 direction,
                       float length)
{
    const float radius = c->step.radius;
    const rico_ray ray = {eye, length + radius, direction, 0};
    rico_hit hit;
    if (!may_ask(c))
        return 0.0f;
    rico__cast_rays(c->world, c->recipe, &ray, &hit, 1);
    c->scratch->tally.contact_rays += 1;
    if (hit.collider == 0)
        return length;
    const float cosine = __builtin_fabsf(vec3_dot(hit.normal, direction));
    return float_clamp(hit.t - radius / float_max(cosine, LEAST_COSINE), 0.0f, length);
}

void rico__birth_in_sight(rico__block_context *c, uint32_t i, const rico_transform *from)
{
    const rico_vec3 up = quat_rotate(from->rotation, vec3(0.0f, 0.0f, 1.0f));
    const rico_vec3 eye = vec3_mad(from->position, up, c->step.radius + SKIN);
    const rico_vec3 place = block_position(c, i), way = vec3_sub(place, eye);
    const float length = vec3_length(way);
    if (!(length > 0.0f) || rico__way_is_free(c, eye, place))
        return;
    const rico_vec3 direction = vec3_scale(way, 1.0f / length);
    const float clear = clear_way(c, eye, direction, length);
    if (clear < length)
        block_set_position(c, i, vec3_mad(eye, direction, clear));
}
