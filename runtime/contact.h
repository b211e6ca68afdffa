/* contact.h - the response to one contact, for one particle. The kernels' plane pass is the
 * same for many. */
#ifndef RICO_CONTACT_H
#define RICO_CONTACT_H

#include "simulate.h"

/* Where a path meets a surface. */
struct rico__contact {
    float time;       /* 0..1 of the path */
    rico_vec3 normal; /* unit, towards the particle */
    float offset;     /* of the plane, world space */
    float distance;   /* of the path's begin from the plane; only where a ray has met it */
    uint32_t collider, triangle;
    uint16_t surface; /* as a ray said; rico__contact_surface */
    bool by_way;      /* all three are of where a ray along its way met it, which is `met` (rico__name_touched) */
    rico_vec3 met;
    float when;       /* seconds since the step began; for the event */
};

/* The number of the surface, where there is a collider. */
uint32_t rico__contact_surface(const rico_world *world, const rico__contact *contact);

/* v after forces for one step. */
rico_vec3 rico__accelerate(rico_vec3 v, const rico__step *step);

/* The v of who has stood still until now, before that: after a step that was far longer, forces would act on it from the
 * middle of that on, when it still stood. */
static inline rico_vec3 rico__late_start(const rico__step *step)
{
    const float late = step->kick - step->dt;
    const float share = step->middle > 0.5f * step->dt ? -late / step->kick : 0.0f;
    return vec3(share * step->gx, share * step->gy, share * step->gz);
}

/* Contact of the path p .. p + v * dt with a plane: at distance radius, approaching, not from
 * behind by more than the step's depth. */
bool rico__plane_contact(rico_plane plane, rico_vec3 p, rico_vec3 v, float dt,
                         const rico__step *step, rico__contact *contact);

/* The same against the scene by one ray; counts it. */
bool rico__ray_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                       rico__contact *contact);

/* Where the path p .. p + v * dt makes contact. Who is nearer than the radius is put out (RICO__PUT_OUT). */
rico_vec3 rico__contact_place(rico_vec3 p, rico_vec3 v, float dt, const rico__contact *contact,
                              float radius);

/* A ray for rico__ray_contact's question. This and what follows is asked for each ray of mode exact: inline. */
static inline rico_ray rico__contact_ray(rico_vec3 p, rico_vec3 v, float dt, float radius)
{
    float length = vec3_length(v) * dt;
    return (rico_ray){.origin = p,
                      .t_max =
                          length > 0.0f ? 1.0f + RICO__RAY_REACH_RADII * radius / length : 0.0f,
                      .direction = vec3_scale(v, dt)};
}

/* Whose the contact's surface is. by_way: rico__contact. */
static inline void rico__contact_name(rico__contact *contact, const rico_hit *hit, bool by_way)
{
    contact->collider = hit->collider;
    contact->triangle = hit->triangle;
    contact->surface = hit->surface;
    contact->by_way = by_way;
}

/* With a plane, so far from where the way begins, and so much nearer to its end; up to `last` of the way. */
static inline bool rico__meets_plane(rico_plane plane, float distance, float nearer, float last,
                                     float radius, rico__contact *contact)
{
    /* The normal points to the ray's origin, so that a hit is always an approach; rounding at a
     * grazing angle may say otherwise, and then there is nothing to reflect. */
    if (!(nearer > 0.0f && distance - nearer * last < radius))
        return false;
    contact->time = float_clamp((distance - radius) / nearer, 0.0f, last);
    contact->normal = plane.normal;
    contact->offset = plane.offset;
    contact->distance = distance;
    return true;
}

/* The contact that a ray's hit means for who goes that way. */
static inline bool rico__hit_contact(const rico_hit *hit, const rico_ray *ray, rico_vec3 way,
                                     float radius, rico__contact *contact)
{
    if (hit->collider == 0)
        return false;
    contact->met = vec3_mad(ray->origin, ray->direction, hit->t);
    const float distance = -hit->t * vec3_dot(hit->normal, ray->direction);
    const rico_plane plane = {hit->normal, vec3_dot(hit->normal, contact->met)};
    if (!rico__meets_plane(plane, distance, -vec3_dot(hit->normal, way), 1.0f, radius, contact))
        return false;
    rico__contact_name(contact, hit, true);
    return true;
}

/* How far a contact at that place may put out. */
static inline float rico__put_out(rico_vec3 at)
{
    rico_vec3 far = vec3_max(at, vec3_neg(at));
    return float_max(float_max(far.x, far.y), far.z) * RICO__PUT_OUT;
}

/* Of the radius: where rounding is more, it decides which way a particle goes along a surface, and the rounded place of a
 * contact may be behind something else. */
#define RICO__COARSE (1.0f / 64.0f)

static inline bool rico__is_coarse(rico_vec3 at, float radius)
{
    return rico__put_out(at) > RICO__COARSE * radius;
}

/* A contact is where the ball touches the hit surface's plane, which may be far in front of the hit: where something
 * else is below it there, because the surface bends, it becomes a contact with that, but for what is touched no sooner than
 * the hit surface's edge; where nothing is, it is moved to that edge. False: that is farther than the path goes, so there
 * is none. It is never as late as the hit: nothing is between the path's begin and it. */
bool rico__confirm_contact(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                           rico__contact *contact);

/* So much farther than its radius may be what a ball touches: by rounding, or where a surface bends. Of the radius;
 * metres. */
#define RICO__TOUCHING_RADII 0.05f
#define RICO__TOUCHING 0.001f

static inline float rico__touching(float radius)
{
    return radius * (1.0f + RICO__TOUCHING_RADII) + RICO__TOUCHING;
}

/* So near to each other, along the plane, they are one place: as near as records know edges. Metres. */
#define RICO__SAME_SPOT 0.004f

/* Whether the ball, its centre at `at`, touches something else than what a ray along its way has met, for all that is
 * known: if that is farther than `spot` from it. */
static inline bool rico__may_touch_other(const rico__contact *contact, rico_vec3 at, float spot)
{
    const rico_vec3 apart = vec3_sub(at, contact->met), n = contact->normal;
    const rico_vec3 along = vec3_mad(apart, n, -vec3_dot(apart, n));
    return contact->by_way && vec3_dot(along, along) > spot * spot;
}

/* A ray along the way names what the centre meets, which may be far beside what the ball touches, its centre at `at`:
 * names that. One more ray, where those are not one place, for recipes that ask for names (rico__response_names). */
void rico__name_touched(rico__block_context *c, rico_vec3 at, rico__contact *contact);

/* Where a contact ray found none: whether the ball may yet touch ground, and sink into it, because its path is
 * nearly along that; and the ray that tells. */
static inline bool rico__may_graze(rico_vec3 way, const rico__step *step)
{
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z);
    float rise = vec3_dot(up, way);
    return vec3_dot(up, up) > 0.0f &&
           rise * rise < RICO__GRAZING_SINE * RICO__GRAZING_SINE * vec3_dot(way, way);
}

static inline rico_vec3 rico__way_down(const rico__step *step)
{
    return vec3_scale(vec3(step->hold_x, step->hold_y, step->hold_z),
                      -RICO__GROUND_RADII * step->radius);
}

static inline rico_ray rico__ground_ray(rico_vec3 p, const rico__step *step)
{
    return (rico_ray){.origin = p, .t_max = 1.0f, .direction = rico__way_down(step)};
}

/* What lies below the step's begin: whether it goes on to where a ball that goes that way touches its plane, or ends
 * before: at an edge that it flies over, or at the crest of a slope. */
bool rico__confirm_ground(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                          rico_vec3 way, rico__contact *contact);

/* The box in which both may meet something. */
rico_box rico__contact_box(const rico__step *step, rico_vec3 from, rico_vec3 to);

/* The speed off a surface that is met with `into`. A step's velocity is that of its middle, on the parabola which
 * its steps are chords of. So the impact is as much slower or faster as gravity makes it from when the
 * contact is to the middle, and what comes back is changed the other way round: heights neither grow nor shrink
 * by where in a step an impact falls, and who lies on the ground, met by nothing but a step's fall, stays there. Who
 * is too slow to leave the surface within half a step gets no faster than twice that. */
float rico__rebound_speed(float into, const rico__contact *contact, const rico__step *step);

/* Velocity after the contact, contact->when included; true when the particle comes to rest there (then
 * zero). */
bool rico__respond(rico_vec3 *v, const rico__contact *contact, const rico__step *step);

/* One that is slow enough for rest slides no farther than this to a surface that holds it together
 * with the one it touches. Metres. */
#define RICO__PROP_WAY 0.002f

/* Whether the particle is slow enough for that. What a step's fall gives it again does not count: in a V it is
 * never slower. */
static inline bool rico__is_slow(rico_vec3 v, const rico__step *step)
{
    float fall = step->fall * step->kick;
    return step->rest_speed2 > 0.0f &&
           vec3_dot(v, v) < 2.0f * (step->rest_speed2 + fall * fall);
}

/* Whether the particle is so slow, on a surface too steep for rest; then the direction in which it
 * would slide down. */
bool rico__slides_slowly(rico_vec3 v, const rico__contact *contact, const rico__step *step,
                         rico_vec3 *down);

/* Whether two surfaces, touched at once, hold up what neither does alone, as in a V. Normals are
 * towards the particle. */
bool rico__hold_together(rico_vec3 n, rico_vec3 m, const rico__step *step);

/* Leaves of a velocity what goes along both surfaces: in a V, along its bottom. False: they are nearly parallel, and
 * nothing is changed. */
bool rico__along_both(rico_vec3 *v, rico_vec3 n, rico_vec3 m);

/* The same, and a thousandth of it off both, so that a ball that goes there does not meet them. */
rico_vec3 rico__way_between(rico_vec3 v, rico_vec3 n, rico_vec3 m);

/* The same off a plane that is only believed, as no surface is known: no particle comes to rest there,
 * for nobody would wake it when the plane proves wrong. False. */
bool rico__respond_awake(rico_vec3 *v, const rico__contact *contact, const rico__step *step);

/* Counts the bounce and, if the recipe asks, records the event. speed: of all the velocity before it; after: the
 * velocity then. */
void rico__record_bounce(rico__block_context *c, uint32_t i, rico_vec3 position, float speed,
                         rico_vec3 after, const rico__contact *contact);

#endif
