#include "contact.h"

#include "host_rays.h"
#include "looks.h"
#include "planes.h"

#include "bits.h"

rico_vec3 rico__accelerate(rico_vec3 v, const rico__step *step)
{
    return vec3((v.x + step->gx) * step->drag_factor, (v.y + step->gy) * step->drag_factor,
                (v.z + step->gz) * step->drag_factor);
}

bool rico__plane_contact(rico_plane plane, rico_vec3 p, rico_vec3 v, float dt,
                         const rico__step *step, rico__contact *contact)
{
    float distance = vec3_dot(plane.normal, p) - plane.offset;
    float speed = vec3_dot(plane.normal, v);
    if (!(distance + speed * dt < step->radius && speed < 0.0f && distance > -step->depth))
        return false;
    contact->time = float_clamp((step->radius - distance) / (speed * dt), 0.0f, 1.0f);
    contact->normal = plane.normal;
    contact->offset = plane.offset;
    contact->collider = 0;
    contact->triangle = RICO_NO_TRIANGLE;
    contact->by_way = false;
    return true;
}

rico_vec3 rico__contact_place(rico_vec3 p, rico_vec3 v, float dt, const rico__contact *contact,
                              float radius)
{
    rico_vec3 at = vec3_mad(p, v, dt * contact->time);
    float depth = radius + contact->offset - vec3_dot(contact->normal, at);
    return vec3_mad(at, contact->normal, float_clamp(depth, 0.0f, rico__put_out(at)));
}

/* Records know the triangle. On the host's rays, what a ray reported is all that is known. */
uint32_t rico__contact_surface(const rico_world *world, const rico__contact *contact)
{
    if (rico__has_caster(world))
        return contact->surface;
    return rico_scene_surface_number(world->scene, contact->collider, contact->triangle);
}

/* A surface that was met within the radius and this, along the path from the contact on, is what
 * the ball touches there. Farther off, a ray asks what is there. Metres. */
#define SAME_PLACE 0.02f

static rico_hit ask_below(rico__block_context *c, rico_vec3 at, rico_vec3 normal, float reach)
{
    const rico_ray down = {.origin = at, .t_max = reach, .direction = vec3_neg(normal)};
    return rico__cast_ray(c, &down);
}

/* For a contact with a plane: whether something is below the ball, its centre at the contact,
 * up to `reach`. The contact is then with that. If the ball does not touch it yet, because the
 * surface bends away from the plane, the contact is with its plane, later on the way. False
 * also if that is later than `last`. */
static bool meets_below(rico__block_context *c, rico_vec3 from, rico_vec3 way, float last,
                        float reach, rico__contact *contact)
{
    const rico_vec3 at = vec3_mad(from, way, contact->time), n = contact->normal;
    const rico_hit below = ask_below(c, at, n, reach);
    if (below.collider == 0)
        return false;
    const float gap = below.t * vec3_dot(below.normal, n);
    if (below.t > rico__touching(c->step.radius) && gap > c->step.radius) {
        const rico_vec3 point = vec3_mad(at, n, -below.t);
        const rico_plane plane = {below.normal, vec3_dot(below.normal, point)};
        const float nearer = -vec3_dot(below.normal, way);
        if (!rico__meets_plane(plane, gap + nearer * contact->time, nearer, last,
                               c->step.radius, contact))
            return false;
    }
    rico__contact_name(contact, &below, false);
    return true;
}

bool rico__confirm_contact(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                           rico__contact *contact)
{
    const float reach = c->step.radius + SAME_PLACE, length = vec3_length(ray->direction);
    const float edge = hit->t - reach / length;
    if (!((hit->t - contact->time) * length > reach) ||
        meets_below(c, ray->origin, ray->direction, float_min(edge, 1.0f), reach, contact))
        return true;
    contact->time = edge;
    return contact->time <= 1.0f;
}

bool rico__confirm_ground(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                          rico_vec3 way, rico__contact *contact)
{
    rico_vec3 at = vec3_mad(ray->origin, way, contact->time);
    rico_vec3 apart = vec3_sub(at, vec3_mad(ray->origin, ray->direction, hit->t));
    float reach = c->step.radius + SAME_PLACE;
    return !(vec3_dot(apart, apart) > reach * reach) ||
           meets_below(c, ray->origin, way, 1.0f, reach, contact);
}

void rico__name_touched(rico__block_context *c, rico_vec3 at, rico__contact *contact)
{
    if (!rico__may_touch_other(contact, at, RICO__SAME_SPOT))
        return;
    const rico_hit below = ask_below(c, at, contact->normal, rico__touching(c->step.radius));
    if (below.collider != 0) /* else it touches an edge or a corner */
        rico__contact_name(contact, &below, false);
}

rico_box rico__contact_box(const rico__step *step, rico_vec3 from, rico_vec3 to)
{
    rico_vec3 reach = {step->radius, step->radius, step->radius}, down = rico__way_down(step);
    rico_vec3 lo = vec3_min(from, to), hi = vec3_max(from, to);
    return (rico_box){vec3_min(vec3_sub(lo, reach), vec3_add(lo, down)),
                      vec3_max(vec3_add(hi, reach), vec3_add(hi, down))};
}

static rico_hit cast(rico__block_context *c, const rico_ray *ray)
{
    c->scratch->tally.contact_rays += 1;
    return rico_scene_raycast(c->world->scene, rico__recipe_filter(c->world, c->recipe), ray);
}

/* After a contact ray without a contact. Ground that bends away may be beside what the ray met
 * farther on, however steeply it fell: a large ball touches it first. */
static bool may_touch_ground(const rico__step *step, rico_vec3 way, const rico_hit *ahead)
{
    return rico__may_graze(way, step) ||
           (ahead->collider != 0 && step->radius > RICO__LARGE_BALL &&
            vec3_dot(rico__way_down(step), way) > 0.0f);
}

bool rico__ray_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                       rico__contact *contact)
{
    rico_ray ray = rico__contact_ray(p, v, dt, c->step.radius);
    const rico_vec3 way = ray.direction;
    rico_hit hit = cast(c, &ray);
    if (rico__hit_contact(&hit, &ray, way, c->step.radius, contact) &&
        rico__confirm_contact(c, &ray, &hit, contact))
        return true;
    if (!may_touch_ground(&c->step, way, &hit))
        return false;
    ray = rico__ground_ray(p, &c->step);
    hit = cast(c, &ray);
    return rico__hit_contact(&hit, &ray, way, c->step.radius, contact) &&
           rico__confirm_ground(c, &ray, &hit, way, contact);
}

bool rico__slides_slowly(rico_vec3 v, const rico__contact *contact, const rico__step *step,
                         rico_vec3 *down)
{
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z), n = contact->normal;
    if (!rico__is_slow(v, step))
        return false;
    *down = vec3_mad(vec3_neg(up), n, vec3_dot(up, n));
    float slope = vec3_length(*down);
    if (!(slope > 0.1f))
        return false;
    *down = vec3_scale(*down, 1.0f / slope);
    return true;
}

/* Tests whether pushes of both surfaces, each away from its own side, can add up to one that is
 * nearer to upright than the normal of the steepest surface that holds. */
bool rico__hold_together(rico_vec3 n, rico_vec3 m, const rico__step *step)
{
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z);
    float a = vec3_dot(n, up), b = vec3_dot(m, up), c = vec3_dot(n, m);
    float spread = 1.0f - c * c, of_n = a - c * b, of_m = b - c * a;
    if (!(of_n > 0.0f && of_m > 0.0f))
        return false;
    /* (of_n a + of_m b) / spread is the squared cosine of the best push. */
    return of_n * a + of_m * b > step->hold_cosine * step->hold_cosine * spread;
}

bool rico__along_both(rico_vec3 *v, rico_vec3 n, rico_vec3 m)
{
    const rico_vec3 crease = vec3_cross(n, m);
    const float sine2 = vec3_dot(crease, crease);
    if (!(sine2 > 1.0e-4f))
        return false;
    *v = vec3_scale(crease, vec3_dot(*v, crease) / sine2);
    return true;
}

rico_vec3 rico__way_between(rico_vec3 v, rico_vec3 n, rico_vec3 m)
{
    rico__along_both(&v, n, m);
    return vec3_mad(v, vec3_add(n, m), 1.0e-3f * vec3_length(v));
}

/* What gravity adds to the speed into the surface from the middle of the step to the contact. */
static float late_speed(const rico__contact *contact, const rico__step *step)
{
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z);
    float sink = step->fall * step->drag_factor * vec3_dot(contact->normal, up);
    return sink * (contact->when - step->middle);
}

float rico__rebound_speed(float into, const rico__contact *contact, const rico__step *step)
{
    float late = late_speed(contact, step), off = (late + into) * step->restitution;
    return float_max(off + float_min(late, off), 0.0f);
}

float rico__impact_speed(const rico__contact *contact, const rico__step *step)
{
    return float_max(late_speed(contact, step) + contact->into, 0.0f);
}

bool rico__respond(rico_vec3 *v, const rico__contact *contact, const rico__step *step)
{
    rico_vec3 n = contact->normal;
    float speed = vec3_dot(n, *v), off = rico__rebound_speed(-speed, contact, step);
    *v = vec3_mad(vec3_scale(*v, step->slip), n, off - speed * step->slip);
    bool rests =
        vec3_dot(*v, *v) < step->rest_speed2 &&
        vec3_dot(n, vec3(step->hold_x, step->hold_y, step->hold_z)) > step->hold_cosine;
    if (rests)
        *v = vec3(0.0f, 0.0f, 0.0f);
    return rests;
}

bool rico__respond_awake(rico_vec3 *v, const rico__contact *contact, const rico__step *step)
{
    rico__step restless = *step;
    restless.rest_speed2 = 0.0f;
    return rico__respond(v, contact, &restless);
}

void rico__record_bounce(rico__block_context *c, uint32_t i, rico_vec3 position, float speed,
                         rico_vec3 after, const rico__contact *contact)
{
    c->scratch->tally.bounces += 1;
    if ((c->recipe->event_bits & RICO_EVENT_BIT_COLLISION) == 0)
        return;
    const uint32_t *ids =
        (const uint32_t *)(const void *)rico__stream(c->recipe, c->data, FIELD_ID);
    uint16_t number = 0;
    if (contact->collider != 0)
        number = (uint16_t)rico__contact_surface(c->world, contact);
    *rico__event_raise(&c->scratch->events) = (rico_event){
        .type = RICO_EVENT_COLLISION,
        .particle = ids[i],
        .effect = {c->block->effect + 1, c->effect->generation},
        .position = position,
        .normal = contact->normal,
        .speed = speed,
        .impact_speed = rico__impact_speed(contact, &c->step),
        .time = contact->when,
        .velocity = after,
        .collider = contact->collider,
        .triangle = contact->triangle,
        .surface = number,
    };
}

static void report_bounce(rico__block_context *c, uint32_t i)
{
    rico_plane plane = rico__planes_watched(c, i);
    rico__owner owner = block_plane_owner(c, i);
    float after = (1.0f - c->scratch->impact_time[i]) * c->step.dt;
    rico__contact contact = {.normal = plane.normal,
                             .offset = plane.offset,
                             .collider = owner.collider,
                             .triangle = owner.triangle,
                             .when = c->step.dt - after,
                             .into = c->scratch->impact_into[i]};
    rico_vec3 at = vec3_mad(block_position(c, i), block_velocity(c, i), -after);
    rico__record_bounce(c, i, at, c->scratch->impact_speed[i], block_velocity(c, i), &contact);
    rico__look_note_contact(c, i, contact.when);
}

static void report_each(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.bounced[w] & ~c->masks.dead[w]; bits != 0;
             bits &= bits - 1)
            report_bounce(c, w * 64 + bits_lowest64(bits));
}

void rico__report_bounces(rico__block_context *c)
{
    if ((c->recipe->event_bits & RICO_EVENT_BIT_COLLISION) == 0)
        c->scratch->tally.bounces += c->masks.bounces;
    else
        report_each(c);
}
