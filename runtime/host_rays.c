#include "host_rays.h"

#include "ballistic.h"
#include "contact.h"
#include "preparation.h"
#include "stages.h"

#include "bits.h"
#include "random.h"

#include <string.h>

#define USE_HOST_PICK 200u
#define GRAIN 16u /* queries per call of an immediate caster at most: 64 rays, 5 KiB */

/* A chord may be this far from the arc that it stands for. Metres. */
#define CHORD_SAG 0.02f
#define CHORD_SECONDS 0.5f /* at most */
#define CHORD_STEPS 64u    /* at most */

/* A path whose end comes in sight is asked about so many steps before, as others may be asked
 * first. */
#define SPARE_STEPS 4.0f

/* Steps after the expected impact in which it may still come: as in forecast.c. */
#define LATE_STEPS 1.5f

/* A particle nearer than this to its plane that is back on it before so many seconds slides. */
#define SLIDE_GAP 0.02f
#define SLIDE_HOP 0.1f

/* How far ahead a slide is looked at: seconds, metres. */
#define SLIDE_SECONDS 0.25f
#define SLIDE_MOST 0.5f
#define SLIDE_LEAST 0.02f

/* The surface under a slide may be so much lower or higher than its plane. Metres. */
#define PROBE_DEPTH 0.02f
#define PROBE_FLAT 0.01f

/* --- Answers ------------------------------------------------------------------------------ */

#define UNIT_TOLERANCE 1.0e-3f /* of a normal's length */
#define SHORTEST_NORMAL 1.0e-6f

/* A normal at right angles to the ray may point either way for rounding: as the scene's may. */
#define AWAY_COSINE 1.0e-3f

static void make_miss(const rico_ray *ray, rico_hit *hit)
{
    *hit = (rico_hit){.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
}

/* A hit that cannot be is a miss; one that means well is repaired. What a scene answers stays as
 * it is. */
static void check_hit(const rico_ray *ray, rico_hit *hit)
{
    float length = vec3_length(hit->normal);
    bool possible = hit->collider != 0 && hit->collider != RICO_NOT_ANSWERED &&
                    hit->t >= 0.0f && hit->t <= ray->t_max && length >= SHORTEST_NORMAL &&
                    float_is_finite(length);
    if (!possible) {
        make_miss(ray, hit);
        return;
    }
    if (__builtin_fabsf(length - 1.0f) > UNIT_TOLERANCE)
        hit->normal = vec3_scale(hit->normal, 1.0f / length);
    if (vec3_dot(hit->normal, ray->direction) > AWAY_COSINE * vec3_length(ray->direction))
        hit->normal = vec3_neg(hit->normal);
}

static void ask(const rico_world *world, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    const rico_ray_caster *caster = &world->def.ray_caster;
    const rico_filter filter = rico_filter_default();
    for (uint32_t i = 0; i < count; ++i) {
        make_miss(&rays[i], &hits[i]);
        hits[i].collider = RICO_NOT_ANSWERED;
    }
    if (count > 0)
        caster->cast(caster->user, &filter, rays, hits, count);
}

void rico__host_cast(const rico_world *world, const rico_ray *rays, rico_hit *hits,
                     uint32_t count)
{
    ask(world, rays, hits, count);
    for (uint32_t i = 0; i < count; ++i)
        check_hit(&rays[i], &hits[i]);
}

static bool all_answered(const rico_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (hits[i].collider == RICO_NOT_ANSWERED)
            return false;
    return true;
}

/* --- The path of a particle --------------------------------------------------------------- */

/* A particle that a query is about, as it is at the end of the step. */
typedef struct subject {
    const rico__recipe *recipe;
    float *data;
    uint32_t lane;
    rico__step step;
    float age, life;
    rico_vec3 p, v, a;
    rico_plane own;
} subject;

/* Where it will go, as rays. */
typedef struct course {
    rico_ray rays[RICO__QUERY_RAYS];
    uint32_t count;
    float seconds; /* of a chord */
    bool slides;
} course;

static float *number(const subject *s, rico__field field)
{
    return rico__stream(s->recipe, s->data, field) + s->lane;
}

static rico_vec3 load(const subject *s, rico__field x, rico__field y, rico__field z)
{
    return vec3(*number(s, x), *number(s, y), *number(s, z));
}

static subject subject_of(const rico_world *world, const rico__query *query)
{
    const rico__effect *effect = &world->effects[query->effect];
    subject s = {.recipe = &world->recipes[effect->recipe], .lane = query->lane};
    s.data = rico__block_data(world, &world->blocks[query->block]);
    s.step = rico__recipe_step(s.recipe, effect, world->def.cell_size);
    s.age = *number(&s, FIELD_AGE);
    s.life = *number(&s, FIELD_LIFE);
    s.p = load(&s, FIELD_PX, FIELD_PY, FIELD_PZ);
    s.v = load(&s, FIELD_VX, FIELD_VY, FIELD_VZ);
    s.a = vec3_scale(vec3_sub(rico__accelerate(s.v, &s.step), s.v), 1.0f / s.step.dt);
    s.own = (rico_plane){load(&s, FIELD_NX, FIELD_NY, FIELD_NZ), *number(&s, FIELD_ND)};
    return s;
}

static float gap_to(const subject *s, rico_plane plane)
{
    return vec3_dot(plane.normal, s->p) - plane.offset - s->step.radius;
}

/* When it comes down on the plane, or is on it; false = not to be foreseen. */
static bool landing_time(const subject *s, rico_plane plane, float *time)
{
    return ballistic_time(float_max(gap_to(s, plane), 0.0f), vec3_dot(plane.normal, s->v),
                          vec3_dot(plane.normal, s->a), time);
}

static bool slides(const subject *s)
{
    float gap = gap_to(s, s->own), time;
    return s->own.offset != RICO_NO_PLANE_OFFSET && gap <= SLIDE_GAP && gap > -s->step.depth &&
           landing_time(s, s->own, &time) && time < SLIDE_HOP;
}

static uint32_t steps_per_chord(const subject *s)
{
    float accel = vec3_length(s->a), seconds = CHORD_SECONDS;
    if (accel * CHORD_SECONDS * CHORD_SECONDS > 8.0f * CHORD_SAG)
        seconds = __builtin_sqrtf(8.0f * CHORD_SAG / accel);
    return (uint32_t)float_clamp(seconds / s->step.dt, 1.0f, (float)CHORD_STEPS);
}

/* From point to point, and some radii further: contact is before the centre is there. A way up and
 * back again may end where it began; a ray needs a direction. */
static rico_ray chord(rico_vec3 from, rico_vec3 to, float radius)
{
    rico_vec3 way = vec3_sub(to, from);
    if (!(vec3_dot(way, way) > 1.0e-12f))
        way = vec3(0.0f, 0.0f, -1.0e-6f);
    return rico__contact_ray(from, way, 1.0f, radius);
}

/* Its flight, as it will be moved: step by step. */
static void chart_flight(const subject *s, course *c)
{
    uint32_t steps = steps_per_chord(s);
    rico_vec3 p = s->p, v = s->v;
    float left = s->life - s->age;
    c->seconds = (float)steps * s->step.dt;
    for (; c->count < RICO__QUERY_RAYS && left > 0.0f; left -= c->seconds) {
        rico_vec3 from = p;
        for (uint32_t k = 0; k < steps; ++k) {
            v = rico__accelerate(v, &s->step);
            p = vec3_mad(p, v, s->step.dt);
        }
        c->rays[c->count++] = chord(from, p, s->step.radius);
    }
}

static rico_vec3 along(rico_vec3 v, rico_vec3 normal)
{
    return vec3_mad(v, normal, -vec3_dot(v, normal));
}

/* The way that it slides along its plane. */
static rico_vec3 slide_way(const subject *s)
{
    rico_vec3 n = s->own.normal;
    float time = float_max(SLIDE_SECONDS, 4.0f * s->step.dt);
    rico_vec3 way =
        vec3_mad(vec3_scale(along(s->v, n), time), along(s->a, n), 0.5f * time * time);
    float length = vec3_length(way);
    if (length < 1.0e-6f) { /* anywhere along the plane */
        way = along(
            __builtin_fabsf(n.x) < 0.7f ? vec3(1.0f, 0.0f, 0.0f) : vec3(0.0f, 1.0f, 0.0f), n);
        length = vec3_length(way);
    }
    return vec3_scale(way, float_clamp(length, SLIDE_LEAST, SLIDE_MOST) / length);
}

/* What is in its way, and whether its plane goes on: here, half way, and at the end. */
static void chart_slide(const subject *s, course *c)
{
    rico_vec3 n = s->own.normal, way = slide_way(s);
    rico_vec3 foot = vec3_mad(s->p, n, -gap_to(s, s->own));
    c->slides = true;
    c->rays[0] = chord(foot, vec3_add(foot, way), s->step.radius);
    for (uint32_t k = 1; k < RICO__QUERY_RAYS; ++k)
        c->rays[k] = (rico_ray){.origin = vec3_mad(foot, way, 0.5f * (float)(k - 1)),
                                .t_max = 1.0f,
                                .direction = vec3_scale(n, -(s->step.radius + PROBE_DEPTH))};
    c->count = RICO__QUERY_RAYS;
}

static course chart(const subject *s)
{
    course c = {0};
    if (slides(s))
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

/* kernel.h says what clearance and until are. */
static void settle(const subject *s, rico_plane plane, float clearance, float until)
{
    *number(s, FIELD_NX) = plane.normal.x;
    *number(s, FIELD_NY) = plane.normal.y;
    *number(s, FIELD_NZ) = plane.normal.z;
    *number(s, FIELD_ND) = plane.offset;
    *number(s, FIELD_CLEARANCE) = clearance;
    *number(s, FIELD_UNTIL) = until;
}

static void settle_impact(const subject *s, rico_plane plane, float time)
{
    settle(s, plane, RICO__SURE_CONTACT, s->age + time + LATE_STEPS * s->step.dt);
}

/* Nothing is in the way up to `time`. */
static void settle_free(const subject *s, float time)
{
    static const rico_plane none = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    float known = time - float_min(SPARE_STEPS * s->step.dt, 0.25f * time);
    settle(s, none, 0.0f, s->age + time < s->life ? s->age + known : RICO__NEVER);
}

/* It is on the plane, and nothing else is near for `clearance` along its way: as after a bounce. */
static void settle_slide(const subject *s, rico_plane plane, float clearance)
{
    float speed = vec3_length(s->v) + 0.5f * s->step.fall * s->step.dt;
    float root = __builtin_sqrtf(speed * speed + 2.0f * s->step.fall * clearance);
    float rate = float_max(0.5f * (speed + root), RICO__LEAST_RATE);
    settle(s, plane, rate, s->age + clearance / rate);
}

/* The arc comes down later than its chord, but within its time. */
static float impact_time(const subject *s, rico_plane plane, float by_chord, float seconds)
{
    float time;
    if (!landing_time(s, plane, &time))
        return by_chord;
    return float_clamp(time, by_chord, by_chord + seconds);
}

static void take_flight(const subject *s, const course *c, const rico_hit *hits)
{
    for (uint32_t n = 0; n < c->count; ++n) {
        if (hits[n].collider == 0)
            continue;
        rico_plane plane = plane_of(&c->rays[n], &hits[n]);
        float by_chord = c->seconds * ((float)n + float_min(hits[n].t, 1.0f));
        settle_impact(s, plane, impact_time(s, plane, by_chord, c->seconds));
        return;
    }
    settle_free(s, c->seconds * (float)c->count);
}

/* How far the surface under the particle goes on in the plane. */
static float length_of_plane(const course *c, const rico_hit *hits, rico_plane plane,
                             float length)
{
    for (uint32_t k = 2; k < RICO__QUERY_RAYS; ++k) {
        rico_vec3 point = vec3_mad(c->rays[k].origin, c->rays[k].direction, hits[k].t);
        float off = vec3_dot(plane.normal, point) - plane.offset;
        if (hits[k].collider == 0 || !(__builtin_fabsf(off) <= PROBE_FLAT))
            return 0.5f * length * (float)(k - 2);
    }
    return length;
}

/* True when it stays on its plane. What it meets in the next step is what it watches. */
static bool take_slide(const subject *s, const course *c, const rico_hit *hits)
{
    if (hits[1].collider == 0) { /* over the edge */
        settle_free(s, 0.0f);
        return false;
    }
    rico_plane plane = plane_of(&c->rays[1], &hits[1]);
    float length = vec3_length(c->rays[0].direction);
    float step = (vec3_length(s->v) + s->step.fall * s->step.dt) * s->step.dt;
    float known = float_max(length_of_plane(c, hits, plane, length), step);
    if (hits[0].collider != 0) {
        float room = hits[0].t * length - s->step.radius;
        if (room <= step) {
            settle_impact(s, plane_of(&c->rays[0], &hits[0]), 0.0f);
            return false;
        }
        known = float_min(known, room);
    }
    settle_slide(s, plane, known);
    return true;
}

/* --- Queries ------------------------------------------------------------------------------ */

static uint32_t rays_of(const rico_world *world, const rico__query *query, rico_ray *rays)
{
    if (query->kind == QUERY_RAY) {
        rays[0] = rico__query_ray(query);
        return 1;
    }
    subject s = subject_of(world, query);
    course c = chart(&s);
    memcpy(rays, c.rays, c.count * sizeof *rays);
    return c.count;
}

/* hits belong to rays_of(query). Writes nothing but the particle's numbers and the query. */
static void take(rico_world *world, rico__query *query, const rico_ray *rays, rico_hit *hits,
                 uint32_t count, rico__scratch *scratch)
{
    query->answered = all_answered(hits, count);
    if (!query->answered)
        return;
    for (uint32_t i = 0; i < count; ++i)
        check_hit(&rays[i], &hits[i]);
    query->units = 1;
    scratch->tally.rays += count;
    if (query->kind == QUERY_RAY) {
        rico__query_take(world, query, &rays[0], &hits[0]);
        return;
    }
    subject s = subject_of(world, query);
    course c = chart(&s);
    if (c.slides)
        query->rebound = take_slide(&s, &c, hits);
    else
        take_flight(&s, &c, hits);
}

/* Particles of a block share words of bits, so that they are set when the jobs are done. */
static void finish(rico_world *world)
{
    for (uint32_t q = 0; q < world->query_count; ++q) {
        const rico__query *query = &world->queries[q];
        rico__block *block = &world->blocks[query->block];
        if (query->kind != QUERY_PATH || !query->answered)
            continue;
        rico__bit_set(block->waits, query->lane, false);
        rico__bit_set(block->rebound, query->lane, query->rebound);
    }
    rico__query_charge(world);
}

static void answer_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    rico__scratch *scratch = &world->scratch[rico_worker_index(worker)];
    rico_ray rays[GRAIN * RICO__QUERY_RAYS];
    rico_hit hits[GRAIN * RICO__QUERY_RAYS];
    uint32_t first[GRAIN + 1] = {0};
    for (uint32_t q = begin; q < end; ++q)
        first[q - begin + 1] =
            first[q - begin] + rays_of(world, &world->queries[q], rays + first[q - begin]);
    ask(world, rays, hits, first[end - begin]);
    for (uint32_t q = begin; q < end; ++q) {
        uint32_t at = first[q - begin];
        take(world, &world->queries[q], rays + at, hits + at, first[q - begin + 1] - at,
             scratch);
    }
}

/* One call for all, at the step's end. */
static void hand_over(rico_world *world)
{
    rico__host_rays *host = &world->host;
    host->ray_count = 0;
    for (uint32_t q = 0; q < world->query_count; ++q) {
        const rico__query *query = &world->queries[q];
        rico__asked *asked = &host->asked[q];
        asked->first = host->ray_count;
        asked->generation = world->effects[query->effect].generation;
        asked->count = rays_of(world, query, host->rays + asked->first);
        host->ray_count += asked->count;
    }
    host->pending = world->query_count > 0;
    ask(world, host->rays, host->hits, host->ray_count);
}

void rico__host_query(rico_world *world)
{
    if (world->def.ray_caster.deferred) {
        hand_over(world);
        return;
    }
    rico_jobs_for(world->jobs, 0, world->query_count, GRAIN, answer_range, world);
    finish(world);
}

void rico__host_abandon(rico_world *world)
{
    const rico_ray_caster *caster = &world->def.ray_caster;
    if (world->host.pending && world->host.ray_count > 0 && caster->collect != NULL)
        caster->collect(caster->user);
    world->host.pending = false;
}

/* Nothing has moved since the rays were handed over; but effects may be gone. */
void rico__host_take(rico_world *world)
{
    rico__host_rays *host = &world->host;
    if (!world->def.ray_caster.deferred)
        return;
    if (!host->pending)
        world->query_count = 0;
    rico__host_abandon(world);
    for (uint32_t q = 0; q < world->query_count; ++q) {
        rico__query *query = &world->queries[q];
        const rico__asked *asked = &host->asked[q];
        const rico__effect *effect = &world->effects[query->effect];
        if (effect->alive && effect->generation == asked->generation)
            take(world, query, host->rays + asked->first, host->hits + asked->first,
                 asked->count, &world->scratch[0]);
    }
    finish(world);
}

/* --- Waiting ------------------------------------------------------------------------------ */

void rico__host_reset_block(rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    if (recipe->def.mode != RICO_COLLIDE_CACHED ||
        !(world->scene_changed || effect->path_dt_changed))
        return;
    float *until = rico__stream(recipe, rico__block_data(world, block), FIELD_UNTIL);
    for (uint32_t i = 0; i < block->count; ++i)
        until[i] = 0.0f;
    memset(block->rebound, 0, sizeof block->rebound);
}

/* Who still waits is due again in each step: nobody needs to be kept from the last one. */
void rico__host_look_ahead(rico__block_context *c)
{
    memcpy(c->block->waits, c->masks.look, sizeof c->block->waits);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        c->scratch->tally.requests += bits_count64(c->block->waits[w]);
}

uint32_t rico__host_waiting(const rico_world *world, const rico__effect *effect)
{
    uint32_t count = 0;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            count += bits_count64(world->blocks[b].waits[w]);
    return count;
}

/* A run of the effect's waiting particles, around from the last to the first. */
typedef struct turn {
    bool planeless; /* of those without a plane, or of the others */
    uint32_t waiting, start, grant;
    uint32_t seen;
} turn;

static void choose_lane(rico_world *world, uint32_t slot, uint32_t b, uint32_t lane, turn *t)
{
    uint32_t place = t->seen++ + t->waiting - t->start;
    if ((place >= t->waiting ? place - t->waiting : place) >= t->grant)
        return;
    world->queries[world->query_count++] = (rico__query){
        .kind = QUERY_PATH, .effect = slot, .key = RICO_NO_KEY, .block = b, .lane = lane};
}

/* Goes through the particles of the turn's kind; counts them, too, while t->grant is 0. */
static void choose_turn(rico_world *world, uint32_t slot, turn *t)
{
    const rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    t->seen = 0;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        const rico__block *block = &world->blocks[b];
        const float *offset = rico__stream(recipe, rico__block_data(world, block), FIELD_ND);
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            for (uint64_t bits = block->waits[w]; bits != 0; bits &= bits - 1) {
                uint32_t lane = w * 64 + bits_lowest64(bits);
                if ((offset[lane] == RICO_NO_PLANE_OFFSET) == t->planeless)
                    choose_lane(world, slot, b, lane, t);
            }
    }
}

void rico__host_choose(rico_world *world, uint32_t slot, uint32_t grant)
{
    const rico__effect *effect = &world->effects[slot];
    for (int kind = 0; kind < 2 && grant > 0; ++kind) {
        turn t = {.planeless = kind == 0};
        choose_turn(world, slot, &t);
        if (t.seen == 0)
            continue;
        t.waiting = t.seen;
        t.grant = uint_min(grant, t.waiting);
        if (t.grant < t.waiting)
            t.start = rico__random_u32(effect->seed, world->frame, USE_HOST_PICK) % t.waiting;
        choose_turn(world, slot, &t);
        grant -= t.grant;
    }
}
