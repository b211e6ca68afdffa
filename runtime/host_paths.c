/* Mode cached on the host's rays: the path of one particle as rays, and what their answers
 * mean. */
#include "ballistic.h"
#include "contact.h"
#include "forces.h"
#include "host_rays.h"
#include "preparation.h"
#include "stages.h"

#include <string.h>

/* A chord may be this far from the arc that it stands for. Metres. */
#define CHORD_SAG 0.02f
#define CHORD_SECONDS 0.5f /* at most */
#define CHORD_STEPS 64u    /* at most */

/* A path is asked about this many steps before what is known of it ends, because others may be
 * asked about first. */
#define SPARE_STEPS 4.0f

/* Steps after the expected impact in which it may still come, as in forecast.h. */
#define LATE_STEPS 1.5f

/* A particle slides if it is this near to its plane, neither approaches nor leaves it faster
 * than this, and is back on it after this many seconds at most. Metres, m/s, seconds. */
#define SLIDE_GAP 0.02f
#define SLIDE_SPEED 0.3f
#define SLIDE_HOP 0.1f

/* How far ahead a slide is looked at: seconds; metres; how many times as far as steps lead;
 * metres at least. It is looked at farther than steps lead, because the time for which that is
 * known is reckoned as if nothing slowed the particle down. */
#define SLIDE_SECONDS 0.5f
#define SLIDE_MOST 0.5f
#define SLIDE_BEYOND 2.0f
#define SLIDE_LEAST 0.02f

/* A sliding particle is taken to stay on its plane for this many steps at least. With one step,
 * nothing would be left of it at the bounce within the step, and the particle would stay where
 * it is. Under forces that change, it is one step all the same, because the particle may be
 * pushed to where no ray has looked. */
#define SLIDE_STEPS 1.5f

/* A particle lies on two planes if it is this near to its own one and, on its way down that
 * one, this near to the second. Metres. */
#define PROP_GAP 0.004f

/* How far a probe reaches below the plane of a slide; how far above its place it begins; how
 * much lower or higher than the plane the surface may be. Metres. */
#define PROBE_DEPTH 0.02f
#define PROBE_ABOVE 0.03f
#define PROBE_FLAT 0.01f

/* A particle may be in a surface if its centre is this near to it, in radii. */
#define SUNK_SHARE 0.5f

/* What a way along the plane meets is ground that bends up, not a wall, if the cosine between
 * the normals is more than this. */
#define BENDING_COSINE 0.5f

/* --- The path of a particle --------------------------------------------------------------- */

/* The particle that a query is about, as it is at the end of the step. */
typedef struct subject {
    const rico__recipe *recipe;
    float *data;
    uint32_t lane;
    rico__step step;
    float age, life;
    rico_vec3 p, v, a;
    rico_plane own;
    float trust; /* for how long forces are taken to stay as they are */
    bool sticks;
    bool knows_own; /* false: others have left it, or it was forgotten */
} subject;

static float *number(const subject *s, rico__field field)
{
    return rico__stream(s->recipe, s->data, field) + s->lane;
}

static rico_vec3 load(const subject *s, rico__field x, rico__field y, rico__field z)
{
    return vec3(*number(s, x), *number(s, y), *number(s, z));
}

/* A deferred caster answers when fields may have changed already. So the way that it is asked
 * about must not depend on fields, and is short. */
#define LEAST_PUSH 4.0f /* m/s^2: fields are taken to push by this much at least */

static void push(const rico_world *world, const rico__effect *effect, subject *s)
{
    rico__aim aim;
    if (world->def.ray_caster.deferred) {
        float most = float_max(rico__forces_own_most(s->recipe), LEAST_PUSH);
        s->trust = __builtin_sqrtf(RICO__MOST_DRIFT / most);
        return;
    }
    const rico__pushed who = {s->p, s->v, s->age, s->life};
    rico__forces_aim_one(world, effect, &s->step, &who, &aim);
    s->trust = aim.trust;
    s->step.gx += aim.kick.x;
    s->step.gy += aim.kick.y;
    s->step.gz += aim.kick.z;
    s->step.fall += aim.most;
}

static subject subject_of(const rico_world *world, const rico__query *query)
{
    const rico__effect *effect = &world->effects[query->effect];
    subject s = {.recipe = &world->recipes[effect->recipe], .lane = query->lane};
    s.data = rico__block_data(world, &world->blocks[query->block]);
    rico__effect_step(&s.step, s.recipe, effect, world->def.cell_size);
    s.age = *number(&s, FIELD_AGE);
    s.life = *number(&s, FIELD_LIFE);
    s.p = load(&s, FIELD_PX, FIELD_PY, FIELD_PZ);
    s.v = load(&s, FIELD_VX, FIELD_VY, FIELD_VZ);
    s.trust = RICO__NEVER;
    rico__step_at(&s.step, s.recipe, s.age, s.life);
    if (s.recipe->pushed)
        push(world, effect, &s);
    s.a = vec3_scale(vec3_sub(rico__accelerate(s.v, &s.step), s.v), 1.0f / s.step.dt);
    s.own = rico__watched_plane(s.data + s.lane, s.recipe->stream_floats);
    s.knows_own = rico__known(s.data + s.lane, s.recipe->stream_floats) != 0;
    s.sticks = rico__sticks_by_query(world, s.recipe) &&
               rico__bit(world->blocks[query->block].asleep, query->lane);
    return s;
}

static float gap_to(const subject *s, rico_plane plane)
{
    return vec3_dot(plane.normal, s->p) - plane.offset - s->step.radius;
}

/* When the particle, which may be on the plane, comes down on it; false: that cannot be
 * foreseen. */
static bool landing_time(const subject *s, rico_plane plane, float *time)
{
    return ballistic_time(float_max(gap_to(s, plane), 0.0f), vec3_dot(plane.normal, s->v),
                          vec3_dot(plane.normal, s->a), time);
}

/* Also if it is hardly off its plane. */
static bool touches(const subject *s)
{
    float gap = gap_to(s, s->own);
    return s->own.offset != RICO_NO_PLANE_OFFSET && gap <= SLIDE_GAP && gap > -s->step.depth;
}

static bool slides(const subject *s)
{
    float time;
    return touches(s) && s->knows_own &&
           __builtin_fabsf(vec3_dot(s->own.normal, s->v)) < SLIDE_SPEED &&
           landing_time(s, s->own, &time) && time < SLIDE_HOP;
}

static uint32_t steps_per_chord(const subject *s)
{
    float accel = vec3_length(s->a), seconds = CHORD_SECONDS;
    if (accel * CHORD_SECONDS * CHORD_SECONDS > 8.0f * CHORD_SAG)
        seconds = __builtin_sqrtf(8.0f * CHORD_SAG / accel);
    seconds = float_min(seconds, s->trust);
    float steps = float_clamp(seconds / s->step.dt, 1.0f, (float)CHORD_STEPS), time;
    /* Two chords per hop: a chord that goes on below the plane does not tell where the particle
     * comes down, and beside what. */
    if (s->knows_own && touches(s) && landing_time(s, s->own, &time) && time < 2.0f * seconds)
        steps = float_clamp(0.5f * time / s->step.dt + 0.5f, 1.0f, steps);
    return (uint32_t)steps;
}

/* From point to point and some radii further, because contact comes before the centre is there.
 * A way up and back again may end where it began, but a ray needs a direction. */
static rico_ray chord(rico_vec3 from, rico_vec3 to, float radius)
{
    rico_vec3 way = vec3_sub(to, from);
    if (!(vec3_dot(way, way) > 1.0e-12f))
        way = vec3(0.0f, 0.0f, -1.0e-6f);
    return rico__contact_ray(from, way, 1.0f, radius);
}

/* A ray down to what the particle has bounced off or slides on. An arc comes down beyond where
 * its chord does, but its plane is that of the chord's place. Where the ground bends up, the
 * particle is in it then. So a probe begins above the place that it is about. */
static rico_ray probe(const subject *s, rico_vec3 p, float below)
{
    rico_vec3 n = s->own.normal;
    return (rico_ray){.origin = vec3_mad(p, n, PROBE_ABOVE),
                      .t_max = 1.0f,
                      .direction = vec3_scale(n, -(PROBE_ABOVE + below))};
}

/* Follows the flight as the particle will be moved: step by step. */
static void chart_flight(const subject *s, rico__course *c)
{
    const uint32_t steps = steps_per_chord(s);
    rico_vec3 p = s->p, v = s->v;
    float left = s->life - s->age;
    c->seconds = (float)steps * s->step.dt;
    const bool may_sink = touches(s);
    const uint32_t most = RICO__QUERY_RAYS - may_sink;
    for (; c->count < most && left > 0.0f; left -= c->seconds) {
        if (c->count > 0 && (float)(c->count + 1) * c->seconds > s->trust)
            break;
        rico_vec3 from = p;
        for (uint32_t k = 0; k < steps; ++k) {
            v = rico__accelerate(v, &s->step);
            p = vec3_mad(p, v, s->step.dt);
        }
        c->rays[c->count++] = chord(from, p, s->step.radius);
    }
    c->sounds = may_sink && c->count > 0;
    if (c->sounds)
        c->rays[c->count++] = probe(s, s->p, 0.5f * s->step.radius);
}

static rico_vec3 along(rico_vec3 v, rico_vec3 normal)
{
    return vec3_mad(v, normal, -vec3_dot(v, normal));
}

/* Any direction along the plane. */
static rico_vec3 any_way(rico_vec3 n)
{
    rico_vec3 axis =
        __builtin_fabsf(n.x) < 0.7f ? vec3(1.0f, 0.0f, 0.0f) : vec3(0.0f, 1.0f, 0.0f);
    return along(axis, n);
}

/* Where the particle slides along its plane. It is followed as it will be moved: with a
 * contact, and its friction, in each step. ways: up to half of the time, and up to its end. */
static void find_ways(const subject *s, rico_vec3 ways[2])
{
    rico_vec3 n = s->own.normal, v = along(s->v, n), way = vec3(0.0f, 0.0f, 0.0f);
    const float slip = s->recipe->plain_response ? s->step.slip : 1.0f;
    const float steps = float_clamp(SLIDE_SECONDS / s->step.dt, 4.0f, (float)CHORD_STEPS);
    float length = 0.0f;
    ways[0] = way;
    for (float k = 0.0f; k < steps && length < SLIDE_MOST; k += 1.0f) {
        v = vec3_scale(along(rico__accelerate(v, &s->step), n), slip);
        way = vec3_mad(way, v, s->step.dt);
        length += vec3_length(v) * s->step.dt;
        if (k < 0.5f * steps && length < 0.5f * SLIDE_MOST)
            ways[0] = way;
    }
    const float more =
        float_clamp(SLIDE_MOST / float_max(length, SLIDE_LEAST), 1.0f, SLIDE_BEYOND);
    ways[0] = vec3_scale(ways[0], more);
    ways[1] = way = vec3_scale(way, more);
    if (vec3_length(way) >= SLIDE_LEAST)
        return;
    way = length < 1.0e-6f ? any_way(n) : way;
    ways[1] = vec3_scale(way, SLIDE_LEAST / vec3_length(way));
    ways[0] = vec3_scale(ways[1], 0.5f);
}

/* Asks what is in the particle's way, and whether its plane goes on: here, half way, and at the
 * end. */
static void chart_slide(const subject *s, rico__course *c)
{
    const rico__contact own = {.normal = s->own.normal};
    rico_vec3 n = s->own.normal, ways[2];
    rico_vec3 foot = vec3_mad(s->p, n, -gap_to(s, s->own));
    const float below = s->step.radius + PROBE_DEPTH;
    c->slides = true;
    c->is_slow = rico__slides_slowly(s->v, &own, &s->step, &c->down);
    find_ways(s, ways);
    if (c->is_slow) {
        ways[0] = vec3_scale(c->down, 0.5f * SLIDE_LEAST);
        ways[1] = vec3_scale(c->down, SLIDE_LEAST);
    }
    c->rays[0] = chord(foot, vec3_add(foot, ways[1]), s->step.radius);
    c->rays[1] = probe(s, foot, below);
    c->rays[2] = probe(s, vec3_add(foot, ways[0]), below);
    c->rays[3] = probe(s, vec3_add(foot, ways[1]), below);
    c->count = RICO__QUERY_RAYS;
}

/* Asks from a little above the place where the particle touches its plane to as far below. */
static void chart_hold(const subject *s, rico__course *c)
{
    const float above = PROBE_DEPTH - gap_to(s, s->own);
    c->sticks = true;
    c->rays[0] = (rico_ray){
        .origin = vec3_mad(s->p, s->own.normal, above),
        .t_max = 1.0f,
        .direction = vec3_scale(s->own.normal, -(s->step.radius + 2.0f * PROBE_DEPTH))};
    c->count = 1;
}

static rico__course chart(const subject *s)
{
    rico__course c = {0};
    if (s->sticks)
        chart_hold(s, &c);
    else if (slides(s))
        chart_slide(s, &c);
    else
        chart_flight(s, &c);
    return c;
}

/* --- What the answers mean ---------------------------------------------------------------- */

static rico_plane plane_of(const rico_ray *ray, const rico_hit *hit)
{
    rico_vec3 point = vec3_mad(ray->origin, ray->direction, hit->t);
    return (rico_plane){hit->normal, vec3_dot(hit->normal, point)};
}

/* What clearance and until are: kernel.h. hit: on the plane; NULL = there is none. */
static void settle(const subject *s, rico_plane plane, uint32_t known, float until,
                   const rico_hit *hit)
{
    float *first = s->data + s->lane;
    const rico__owner owner =
        hit != NULL ? (rico__owner){hit->collider, hit->triangle} : rico__nobody();
    rico__watch(first, s->recipe->stream_floats, plane, known);
    if (rico__names_owners(s->recipe))
        rico__set_plane_owner(first, s->recipe->stream_floats, owner);
    *number(s, FIELD_UNTIL) = until;
}

static void settle_impact(const subject *s, rico_plane plane, float time, const rico_hit *hit)
{
    settle(s, plane, RICO__SURE, s->age + time + LATE_STEPS * s->step.dt, hit);
}

/* Nothing is in the way up to `time`. */
static void settle_free(const subject *s, float time)
{
    static const rico_plane none = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    float known = time - float_min(SPARE_STEPS * s->step.dt, 0.25f * time);
    settle(s, none, 0, s->age + time < s->life ? s->age + known : RICO__NEVER, NULL);
}

/* The particle is on the plane, and nothing else is near for `clearance` along its way: it is
 * treated as after a bounce. */
static void settle_slide(const subject *s, rico_plane plane, float clearance,
                         const rico_hit *hit)
{
    float speed = vec3_length(s->v) + 0.5f * s->step.fall * s->step.dt;
    float root = __builtin_sqrtf(speed * speed + 2.0f * s->step.fall * clearance);
    float rate = float_max(0.5f * (speed + root), RICO__LEAST_RATE);
    bool plain = s->recipe->plain_response;
    settle(s, plane, plain ? rico__known_clearance(rate) : RICO__SURE,
           s->age + clearance / rate, hit);
}

/* The arc comes down later than its chord, but by no more than the time of a chord. */
static float impact_time(const subject *s, rico_plane plane, float by_chord, float seconds)
{
    float time;
    if (!landing_time(s, plane, &time))
        return by_chord;
    return float_clamp(time, by_chord, by_chord + seconds);
}

/* Leaves the plane, as a ray of mode classic does, for other particles that come by and are not
 * served. */
static void share(rico_world *world, const subject *s, rico_plane plane, float time,
                  const rico_hit *hit)
{
    rico_cache_key key = rico_cache_key_at(world->planes, s->p, rico_cache_direction(s->v));
    rico__plane_deposit(world, key, plane, time, hit);
}

/* Moves the particle out of what it has sunk into. */
static void put_out(const subject *s, rico_plane plane)
{
    rico_vec3 p = vec3_mad(s->p, plane.normal, float_max(-gap_to(s, plane), 0.0f));
    *number(s, FIELD_PX) = p.x;
    *number(s, FIELD_PY) = p.y;
    *number(s, FIELD_PZ) = p.z;
}

/* If the particle has sunk into what a probe has found, it is put out. True: its rays began
 * below that surface and say nothing, so it asks again. */
static bool has_sunk(const subject *s, const rico__course *c, uint32_t n, const rico_hit *hit)
{
    rico_plane plane = plane_of(&c->rays[n], hit);
    float above = vec3_dot(plane.normal, c->rays[0].origin) - plane.offset;
    if (hit->collider == 0 || vec3_dot(plane.normal, s->own.normal) < BENDING_COSINE)
        return false;
    put_out(s, plane);
    if (above > SUNK_SHARE * s->step.radius)
        return false;
    settle_impact(s, plane, 0.0f, hit);
    return true;
}

/* When, in chords, the particle touches what its centre would meet on chord n; also if it
 * misses that by no more than a chord is off. Not before the chord begins. */
static float touch_time(const subject *s, const rico__course *c, uint32_t n,
                        const rico_hit *hit)
{
    float into = -vec3_dot(hit->normal, c->rays[n].direction);
    float early = into > 0.0f ? (s->step.radius + CHORD_SAG) / into : 0.0f;
    return (float)n + float_max(hit->t - early, 0.0f);
}

/* The chord on which the particle meets something first; `chords` if it meets nothing. What
 * lies beyond a chord's end counts if the particle touches it before the next chord begins. */
static uint32_t first_met(const subject *s, const rico__course *c, const rico_hit *hits,
                          uint32_t chords)
{
    uint32_t first = chords;
    float soonest = RICO__NEVER;
    for (uint32_t n = 0; n < chords; ++n) {
        if (hits[n].collider == 0)
            continue;
        float time = touch_time(s, c, n, &hits[n]);
        if (hits[n].t <= 1.0f || time < (float)(n + 1)) {
            first = time < soonest ? n : first;
            soonest = float_min(time, soonest);
        }
        if (hits[n].t <= 1.0f)
            break;
    }
    return first;
}

static void take_flight(rico_world *world, const subject *s, const rico__course *c,
                        const rico_hit *hits)
{
    const uint32_t chords = c->count - c->sounds;
    if (c->sounds && has_sunk(s, c, chords, &hits[chords]))
        return;
    const uint32_t n = first_met(s, c, hits, chords);
    if (n == chords) {
        settle_free(s, c->seconds * (float)chords);
        return;
    }
    rico_plane plane = plane_of(&c->rays[n], &hits[n]);
    float by_chord = c->seconds * ((float)n + float_min(hits[n].t, 1.0f));
    settle_impact(s, plane, impact_time(s, plane, by_chord, c->seconds), &hits[n]);
    share(world, s, plane, by_chord, &hits[n]);
}

/* How far the surface may rise above the plane. Where it rises, it comes nearer to the
 * particle's centre. */
static float most_rise(const subject *s)
{
    return float_min(PROBE_FLAT, 0.5f * s->step.radius);
}

static float length_between(const rico_ray *a, const rico_ray *b)
{
    return vec3_length(vec3_sub(b->origin, a->origin));
}

/* How far along the particle's way the surface under it goes on in the plane. A surface that
 * rises is taken to bend evenly. One that the way itself meets has thus risen by the radius. */
static float way_on_plane(const subject *s, const rico__course *c, const rico_hit *hits,
                          rico_plane plane)
{
    const float rise = most_rise(s);
    float before = 0.0f, way = RICO__NEVER;
    if (hits[0].collider != 0 && vec3_dot(hits[0].normal, plane.normal) > BENDING_COSINE)
        way = hits[0].t * vec3_length(c->rays[0].direction) *
              __builtin_sqrtf(rise / s->step.radius);
    for (uint32_t k = 2; k < RICO__QUERY_RAYS; ++k) {
        const float at = before + length_between(&c->rays[k - 1], &c->rays[k]);
        if (at > way)
            return way;
        rico_vec3 point = vec3_mad(c->rays[k].origin, c->rays[k].direction, hits[k].t);
        float off = vec3_dot(plane.normal, point) - plane.offset;
        if (hits[k].collider == 0 || !(off >= -PROBE_FLAT))
            return before;
        if (off > rise)
            return float_max(before, at * __builtin_sqrtf(rise / off));
        before = at;
    }
    return before;
}

static bool is_propped(const subject *s, const rico__course *c, const rico_hit *hits)
{
    rico__contact prop;
    return c->is_slow && s->recipe->plain_response && gap_to(s, s->own) <= PROP_GAP &&
           rico__hit_contact(&hits[0], &c->rays[0], vec3_scale(c->down, PROP_GAP),
                             s->step.radius, &prop) &&
           rico__hold_together(s->own.normal, prop.normal, &s->step);
}

static void stop(const subject *s)
{
    for (rico__field x = FIELD_VX; x <= FIELD_VZ; ++x)
        *number(s, x) = 0.0f;
}

/* In the next step the particle watches another plane, and must not sink through this one. */
static void carry(const subject *s, rico_plane plane)
{
    const float off = vec3_dot(plane.normal, s->v);
    const float most = -vec3_dot(plane.normal, s->a) * s->step.dt;
    const rico_vec3 v = vec3_mad(s->v, plane.normal, float_max(most - off, 0.0f));
    *number(s, FIELD_VX) = v.x;
    *number(s, FIELD_VY) = v.y;
    *number(s, FIELD_VZ) = v.z;
}

/* True: the particle stays on its plane, held or not. What it meets in the next step, it
 * watches instead. */
static bool take_slide(const subject *s, const rico__course *c, const rico_hit *hits, bool held)
{
    if (hits[1].collider == 0) { /* over the edge */
        settle_free(s, 0.0f);
        return false;
    }
    rico_plane plane = plane_of(&c->rays[1], &hits[1]);
    if (has_sunk(s, c, 1, &hits[1]))
        return false;
    float length = vec3_length(c->rays[0].direction);
    float step = (vec3_length(s->v) + s->step.fall * s->step.dt) * s->step.dt;
    float least = s->recipe->pushed ? step : SLIDE_STEPS * step;
    float known = float_max(way_on_plane(s, c, hits, plane), least);
    if (hits[0].collider != 0 && !held) {
        float room = hits[0].t * length - s->step.radius;
        if (room <= step) {
            carry(s, plane);
            settle_impact(s, plane_of(&c->rays[0], &hits[0]), 0.0f, &hits[0]);
            return false;
        }
        known = float_min(known, room);
    }
    settle_slide(s, plane, known, &hits[1]);
    return true;
}

/* True: the particle stays. One that does not stick any more, by its recipe, is not woken by
 * this query. */
static bool take_hold(const subject *s, const rico__course *c, const rico_hit *hits)
{
    if (!s->sticks)
        return true;
    if (hits[0].collider == 0)
        settle_free(s, 0.0f);
    else
        settle(s, plane_of(&c->rays[0], &hits[0]), RICO__SURE, RICO__NEVER, &hits[0]);
    return hits[0].collider != 0;
}

void rico__host_chart(const rico_world *world, const rico__query *query, rico__course *course)
{
    subject s = subject_of(world, query);
    *course = chart(&s);
}

void rico__host_follow(rico_world *world, rico__query *query, const rico__course *course,
                       const rico_hit *hits)
{
    subject s = subject_of(world, query);
    if (course->sticks) {
        query->rests = take_hold(&s, course, hits);
        return;
    }
    if (!course->slides) {
        take_flight(world, &s, course, hits);
        return;
    }
    const bool held = is_propped(&s, course, hits);
    query->rebound = take_slide(&s, course, hits, held);
    query->rests = query->rebound && held;
    if (query->rests)
        stop(&s);
}
