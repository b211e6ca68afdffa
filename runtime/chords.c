/* Paths through cells that no record describes: the scene is asked about them. */
#include "contact.h"
#include "forecast.h"
#include "preparation.h"

#include "trig.h"

/* A path through a cell without a usable record is asked of the scene in chords of at most this
 * many seconds. A particle of a few m/s has left the cell after four of them. */
#define CHORD_SECONDS 0.2f

/* A chord is shorter where the arc would be farther from it than this share of what a path may
 * be off. Otherwise the chord would miss what the ball meets. */
#define MOST_BULGE 0.25f

/* A path from some point on. Drag reduces the acceleration, but does not turn it. */
typedef struct arc {
    rico_vec3 p, v, a;
    float drag, dt;
} arc;

/* What becomes of an acceleration in a time: the share that is left of it, and its integrals
 * once (speed) and twice (way). */
typedef struct share {
    float left, speed, way;
} share;

/* If drag times time is less than this, a series is used. */
#define LITTLE 0.25f

/* As the steps add it up: with strong drag that is another sum than in continuous time. arc.v
 * belongs to the middle of the step that begins there. */
static share share_at(const arc *from, float time)
{
    const float x = from->drag * time;
    if (x < LITTLE) {
        const float third = 1.0f / 6.0f - x * (1.0f / 24.0f - x * (1.0f / 120.0f));
        const float way = 0.5f - x * third, speed = 1.0f - x * way;
        return (share){1.0f - x * speed, time * speed, time * time * way};
    }
    const float left = rico__exp(-x), step = rico__exp(-from->drag * from->dt);
    const float each = from->dt / (1.0f - step), half = 0.5f * from->dt;
    return (share){left, (1.0f - left) * (each - half),
                   (time - step * (1.0f - left) * each) * each - time * half};
}

/* For how long the arc stays near its chord. Either the acceleration is so small that its
 * direction does not matter, or the arc hardly bends; then it may not turn round. At least a
 * step, which is a chord itself. */
static float chord_seconds(const rico__flight *f, const arc *from)
{
    const float most = 8.0f * MOST_BULGE * rico__most_drift(f->radius), least = 0.01f;
    const float speed = float_max(vec3_length(from->v), RICO__LEAST_RATE);
    const float along = vec3_dot(from->v, from->a) / speed;
    const float across = vec3_length(vec3_mad(from->a, from->v, -along / speed));
    const float turning = 0.5f * speed / float_max(-along, least);
    /* Up to `turning`, the chord's speed is at least three quarters of `speed`. */
    const float straight =
        float_min(__builtin_sqrtf(0.75f * most / float_max(across, least)), turning);
    const float any = __builtin_sqrtf(most / float_max(vec3_length(from->a), least));
    return float_min(float_max(float_max(any, straight), from->dt), CHORD_SECONDS);
}

static rico_vec3 column_vec(float field[3][RICO__FLIGHT_COLUMNS], uint32_t column)
{
    return vec3(field[0][column], field[1][column], field[2][column]);
}

/* Follows the arc to the end of the chord. Returns the chord's velocity. */
static rico_vec3 follow(arc *a, float chord)
{
    const share part = share_at(a, chord);
    const rico_vec3 mean = vec3_mad(a->v, a->a, part.way / chord);
    a->p = vec3_mad(a->p, mean, chord);
    a->v = vec3_mad(a->v, a->a, part.speed);
    a->a = vec3_scale(a->a, part.left);
    return mean;
}

/* The arc from the start of the path. Kernels treat drag as acting continuously, and are off by
 * the difference. */
static arc arc_of(rico__wave *w, uint32_t column)
{
    rico__flights *paths = &w->paths;
    arc a = {column_vec(paths->p, column), column_vec(paths->v, column),
             column_vec(paths->a, column), paths->drag[column], paths->dt[column]};
    if (paths->time[column] > 0.0f)
        follow(&a, paths->time[column]);
    return a;
}

/* Takes the plane that the ray of a chord has met. Rays reach beyond their chords, because the
 * ball may touch something sooner. But there the path may bend away, to something else. So what
 * was met beyond the chord is watched only for as long as the path is known: its impact counts
 * as late. */
static void choose(rico__flight *f, const rico_ray *ray, const rico_hit *hit, float begin,
                   float end)
{
    const rico_vec3 point = vec3_mad(ray->origin, ray->direction, hit->t);
    const float time =
        hit->t > 1.0f ? end - RICO__LATE_STEPS * f->dt : begin + (end - begin) * hit->t;
    f->owner = (rico__owner){hit->collider, hit->triangle};
    f->choice = (rico__choice){{hit->normal, vec3_dot(hit->normal, point)}, time, 0.0f, 0};
}

/* Whether the path, followed to the chord's end, has come to what its ray has met. */
static bool is_met(const rico__flight *f, const rico_ray *ray, const rico_hit *hit,
                   rico_vec3 end)
{
    const rico_vec3 point = vec3_mad(ray->origin, ray->direction, hit->t);
    return hit->t <= 1.0f || vec3_dot(hit->normal, vec3_sub(end, point)) < f->radius;
}

/* A chord of the path, and what may be asked about ground along it. */
typedef struct chord {
    rico_vec3 way, down;
    float begin, seconds;
    bool grazes;
} chord;

static chord chord_of(const rico__flight *f, rico_vec3 way, rico_vec3 push, float begin,
                      float seconds)
{
    const float pull = vec3_length(push), most = RICO__GRAZING_SINE * RICO__GRAZING_SINE;
    const rico_vec3 down = vec3_scale(push, 1.0f / float_max(pull, 1.0e-20f));
    const float sinks = vec3_dot(down, way);
    const bool grazes = f->radius > RICO__LARGE_BALL && pull > 0.0f &&
                        sinks * sinks < most * vec3_dot(way, way);
    return (chord){way, down, begin, seconds, grazes};
}

/* A ball that goes nearly along the ground touches it long before the ray of its centre's chord
 * comes to it. So rays straight down ask for the ground that the ball is in, at a place that is
 * `part` of the chord from its beginning. True: the ground is the plane to watch. */
static bool meets_ground(rico__wave *w, const rico_filter *filter, rico__flight *f,
                         const chord *c, rico_vec3 at, float part)
{
    if (!c->grazes)
        return false;
    const rico_ray ray = {
        .origin = at, .t_max = RICO__GROUND_RADII * f->radius, .direction = c->down};
    const rico_hit hit = rico_scene_raycast(w->cells.world->scene, filter, &ray);
    w->cells.scratch->tally.contact_rays += 1;
    const float gap = -hit.t * vec3_dot(hit.normal, c->down);
    const float nearer = -vec3_dot(hit.normal, c->way);
    const rico_vec3 point = vec3_mad(at, c->down, hit.t);
    const rico_plane plane = {hit.normal, vec3_dot(hit.normal, point)};
    rico__contact contact;
    if (hit.collider == 0 ||
        !rico__meets_plane(plane, gap + part * nearer, nearer, 1.0f, f->radius, &contact))
        return false;
    f->owner = (rico__owner){hit.collider, hit.triangle};
    f->choice = (rico__choice){plane, c->begin + c->seconds * contact.time, 0.0f, 0};
    return true;
}

rico__meeting rico__meet_by_rays(rico__wave *w, uint32_t column, uint32_t most)
{
    rico__flight *f = &w->flights[w->flight[column]];
    const rico_box box = rico__record_box(&w->cell[column], RICO__CELL_ROOM);
    const rico_world *world = w->cells.world;
    const rico_filter *filter = rico__recipe_filter(world, &world->recipes[f->block->recipe]);
    const float end = float_min(rico__believed(f), f->life_left) - w->paths.time[column];
    const rico_vec3 push = column_vec(w->paths.push, column);
    arc at = arc_of(w, column);
    float time = 0.0f;
    bool inside = true;
    for (uint32_t n = 0; n < most && time < end && inside; ++n) {
        const float seconds = float_min(chord_seconds(f, &at), end - time);
        const rico_vec3 from = at.p, mean = follow(&at, seconds);
        const chord c = chord_of(f, vec3_scale(mean, seconds), push, time, seconds);
        if (n == 0 && meets_ground(w, filter, f, &c, from, 0.0f))
            return MEETS_END;
        const rico_ray ray = rico__contact_ray(from, mean, seconds, f->radius);
        const rico_hit hit = rico_scene_raycast(world->scene, filter, &ray);
        const bool any = hit.collider != 0, met = any && is_met(f, &ray, &hit, at.p);
        w->cells.scratch->tally.contact_rays += 1;
        if (met || (any && f->choice.time == RICO__NEVER))
            choose(f, &ray, &hit, time, time + seconds);
        if (met || meets_ground(w, filter, f, &c, at.p, 1.0f))
            return MEETS_END;
        time += seconds;
        inside = box_contains(&box, at.p);
    }
    if (f->choice.time < RICO__NEVER)
        f->choice.time = time - RICO__LATE_STEPS * f->dt;
    else if (inside)
        w->paths.time[column] += time;
    return inside || f->choice.time < RICO__NEVER ? MEETS_END : MEETS_NOTHING;
}
