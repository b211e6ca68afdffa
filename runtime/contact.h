/* contact.h - the response to one contact, for one particle. The kernels' plane pass does the
 * same for many. */
#ifndef RICO_CONTACT_H
#define RICO_CONTACT_H

#include "simulate.h"

/* Where a path meets a surface. */
struct rico__contact {
    float time;       /* 0..1 of the path */
    rico_vec3 normal; /* unit, towards the particle */
    float offset;     /* of the plane, world space */
    float distance;   /* from the plane to the path's start; only where a ray has met it */
    uint32_t collider, triangle;
    uint16_t surface; /* as a ray reported it; see rico__contact_surface */
    /* True: collider, triangle and surface are those that a ray along the path met, at `met`
     * (rico__name_touched). */
    bool by_way;
    rico_vec3 met;
    float when;       /* seconds since the step began; for the event */
    float into;       /* the step's velocity into the surface before the response; for the event */
};

/* The number of the surface. The contact must have a collider. */
uint32_t rico__contact_surface(const rico_world *world, const rico__contact *contact);

/* v after the forces of one step. */
rico_vec3 rico__accelerate(rico_vec3 v, const rico__step *step);

/* The velocity, before this step's forces, of a particle that has stood still until now. After a
 * step that was far longer, forces act from the middle of that step on, when the particle still
 * stood: this takes their excess away. */
static inline rico_vec3 rico__late_start(const rico__step *step)
{
    const float late = step->kick - step->dt;
    const float share = step->middle > 0.5f * step->dt ? -late / step->kick : 0.0f;
    return vec3(share * step->gx, share * step->gy, share * step->gz);
}

/* Whether the path p .. p + v * dt makes contact with a plane: it comes within the radius, it
 * approaches, and it begins behind the plane by no more than the step's depth. */
bool rico__plane_contact(rico_plane plane, rico_vec3 p, rico_vec3 v, float dt,
                         const rico__step *step, rico__contact *contact);

/* The same against the scene, by rays, which it counts: a contact ray and, where the path may
 * graze the ground, one straight down. Where a hit is in doubt, one more confirms it. */
bool rico__ray_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                       rico__contact *contact);

/* Where the path p .. p + v * dt makes contact. A particle that is nearer to the plane than the
 * radius is put out (RICO__PUT_OUT). */
rico_vec3 rico__contact_place(rico_vec3 p, rico_vec3 v, float dt, const rico__contact *contact,
                              float radius);

/* The ray for rico__ray_contact's question. Mode exact uses this and the functions below for
 * each of its rays, so they are inline. */
static inline rico_ray rico__contact_ray(rico_vec3 p, rico_vec3 v, float dt, float radius)
{
    float length = vec3_length(v) * dt;
    return (rico_ray){.origin = p,
                      .t_max =
                          length > 0.0f ? 1.0f + RICO__RAY_REACH_RADII * radius / length : 0.0f,
                      .direction = vec3_scale(v, dt)};
}

/* Notes whose surface the contact is with. by_way: see rico__contact. */
static inline void rico__contact_name(rico__contact *contact, const rico_hit *hit, bool by_way)
{
    contact->collider = hit->collider;
    contact->triangle = hit->triangle;
    contact->surface = hit->surface;
    contact->by_way = by_way;
}

/* Finds the contact with a plane of a way that begins at `distance` from it and ends `nearer`
 * nearer to it; at `last` of the way at the latest. False: there is none. */
static inline bool rico__meets_plane(rico_plane plane, float distance, float nearer, float last,
                                     float radius, rico__contact *contact)
{
    /* The normal points to the ray's origin, so a hit is always an approach. At a grazing angle
     * rounding may say otherwise; then there is nothing to reflect. */
    if (!(nearer > 0.0f && distance - nearer * last < radius))
        return false;
    contact->time = float_clamp((distance - radius) / nearer, 0.0f, last);
    contact->normal = plane.normal;
    contact->offset = plane.offset;
    contact->distance = distance;
    return true;
}

/* Finds the contact that a ray's hit means for a particle that goes `way`. False: there is
 * none. */
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

/* How far a contact at `at` may put a particle out. */
static inline float rico__put_out(rico_vec3 at)
{
    rico_vec3 far = vec3_max(at, vec3_neg(at));
    return float_max(float_max(far.x, far.y), far.z) * RICO__PUT_OUT;
}

/* As a share of the radius. Where rounding is more, it decides which way a particle goes along
 * a surface, and the rounded place of a contact may be behind something else. */
#define RICO__COARSE (1.0f / 64.0f)

static inline bool rico__is_coarse(rico_vec3 at, float radius)
{
    return rico__put_out(at) > RICO__COARSE * radius;
}

/* Corrects the contact that a ray's hit means. The contact is where the ball touches the hit
 * surface's plane, which may be far in front of the hit.
 * - If something else is below the ball there, because the surface bends, the contact becomes
 *   one with that. The exception is what the ball would touch no sooner than the hit surface's
 *   edge.
 * - Otherwise the contact is moved to that edge.
 *
 * False: the edge is farther than the path goes, so there is no contact. A contact is never as
 * late as the hit, because nothing is between the path's start and the hit.
 */
bool rico__confirm_contact(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                           rico__contact *contact);

/* What a ball touches may be farther away than its radius by this much, through rounding or
 * where a surface bends. The sum of a share of the radius and a length in metres. */
#define RICO__TOUCHING_RADII 0.05f
#define RICO__TOUCHING 0.001f

static inline float rico__touching(float radius)
{
    return radius * (1.0f + RICO__TOUCHING_RADII) + RICO__TOUCHING;
}

/* Two places that are this near to each other along the plane are one place: records know edges
 * no better. Metres. */
#define RICO__SAME_SPOT 0.004f

/* Whether the ball, its centre at `at`, may touch something else than what a ray along its way
 * has met: whether that is farther than `spot` from it, along the plane. */
static inline bool rico__may_touch_other(const rico__contact *contact, rico_vec3 at, float spot)
{
    const rico_vec3 apart = vec3_sub(at, contact->met), n = contact->normal;
    const rico_vec3 along = vec3_mad(apart, n, -vec3_dot(apart, n));
    return contact->by_way && vec3_dot(along, along) > spot * spot;
}

/* Names what the ball touches, its centre at `at`. A ray along the way names what the centre
 * meets, which may be far beside that. Casts one more ray where the two are not one place. For
 * recipes that ask for names (rico__response_names). */
void rico__name_touched(rico__block_context *c, rico_vec3 at, rico__contact *contact);

/* After a contact ray that met nothing: whether the ball may still touch ground, and sink into
 * it, because its path is nearly parallel to the ground. rico__ground_ray is the ray that
 * tells. */
static inline bool rico__may_graze(rico_vec3 way, const rico__step *step)
{
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z);
    float rise = vec3_dot(up, way);
    return vec3_dot(up, up) > 0.0f &&
           rise * rise < RICO__GRAZING_SINE * RICO__GRAZING_SINE * vec3_dot(way, way);
}

/* Balls larger than this, in metres, also ask for the ground where only rays along their paths
 * would tell (crowded cells, cells without a record): they could be far into it before their
 * centre's ray meets it. Smaller ones are not worth a second ray. */
#define RICO__LARGE_BALL 0.02f

static inline rico_vec3 rico__way_down(const rico__step *step)
{
    return vec3_scale(vec3(step->hold_x, step->hold_y, step->hold_z),
                      -RICO__GROUND_RADII * step->radius);
}

static inline rico_ray rico__ground_ray(rico_vec3 p, const rico__step *step)
{
    return (rico_ray){.origin = p, .t_max = 1.0f, .direction = rico__way_down(step)};
}

/* After a hit below the step's start: whether the ground goes on to where a ball that goes
 * `way` touches its plane, or whether other ground below the ball takes its place in the
 * contact. False: the ground ends before, at an edge that the ball flies over or at the crest
 * of a slope. */
bool rico__confirm_ground(rico__block_context *c, const rico_ray *ray, const rico_hit *hit,
                          rico_vec3 way, rico__contact *contact);

/* The box in which a contact ray and a ray down may meet something. */
rico_box rico__contact_box(const rico__step *step, rico_vec3 from, rico_vec3 to);

/* The speed at which a particle leaves a surface that it meets at speed `into`.
 *
 * A step's velocity is that of its middle, on the parabola of which the steps are chords. So
 * the impact is slower or faster by what gravity does between the contact and that middle, and
 * the speed after it is changed the other way round. Then heights neither grow nor shrink with
 * where in a step an impact falls. A particle that lies on the ground, met by nothing but a
 * step's fall, stays there. A particle that is too slow to leave the surface within half a step
 * leaves at no more than twice the speed that the bounce gives it.
 */
float rico__rebound_speed(float into, const rico__contact *contact, const rico__step *step);

/* Changes v to the velocity after the contact; contact->when is taken into account. True: the
 * particle comes to rest there, and v is zero. */
bool rico__respond(rico_vec3 *v, const rico__contact *contact, const rico__step *step);

/* A particle that is slow enough for rest slides no farther than this to a surface that holds
 * it together with the one that it touches. Metres. */
#define RICO__PROP_WAY 0.002f

/* Whether the particle is slow enough for that. The speed that each step's fall gives it again
 * does not count: in a V it is never slower than that. */
static inline bool rico__is_slow(rico_vec3 v, const rico__step *step)
{
    float fall = step->fall * step->kick;
    return step->rest_speed2 > 0.0f &&
           vec3_dot(v, v) < 2.0f * (step->rest_speed2 + fall * fall);
}

/* Whether the particle is that slow, on a surface too steep for rest. *down: the direction in
 * which it would slide down. */
bool rico__slides_slowly(rico_vec3 v, const rico__contact *contact, const rico__step *step,
                         rico_vec3 *down);

/* Whether two surfaces that are touched at once hold up what neither holds alone, as in a V.
 * Normals point towards the particle. */
bool rico__hold_together(rico_vec3 n, rico_vec3 m, const rico__step *step);

/* Keeps only the part of a velocity that goes along both surfaces: in a V, along its bottom.
 * False: the surfaces are nearly parallel, and nothing is changed. */
bool rico__along_both(rico_vec3 *v, rico_vec3 n, rico_vec3 m);

/* The same, plus a thousandth of that speed away from both, so that a ball that goes there does
 * not meet them. */
rico_vec3 rico__way_between(rico_vec3 v, rico_vec3 n, rico_vec3 m);

/* As rico__respond, off a plane that is only assumed because no surface is known. No particle
 * comes to rest there, since nothing would wake it when the plane proves wrong. Always false. */
bool rico__respond_awake(rico_vec3 *v, const rico__contact *contact, const rico__step *step);

/* The speed into the surface at the time of the contact, on that parabola. contact->into is set.
 * Of all contacts, in every mode, this is what the event says. */
float rico__impact_speed(const rico__contact *contact, const rico__step *step);

/* Counts the bounce and, if the recipe asks for it, records the event. contact->into is set.
 * speed: of the whole velocity before the bounce; after: the velocity after it. */
void rico__record_bounce(rico__block_context *c, uint32_t i, rico_vec3 position, float speed,
                         rico_vec3 after, const rico__contact *contact);

/* What the bounces of a kernel's pass leave to do: the same for each of them. */
void rico__report_bounces(rico__block_context *c);

#endif
