#include "quality_judge.h"

#include "quality_vec.h"

#define LEAK_DEPTH 0.05
#define LOST_DEPTH 0.5
#define SHALLOW 0.005 /* shallower depths are never late */
#define LATE_WAY 0.02
#define MIDAIR_WAY 0.05
#define BALL 0.5    /* free space is searched this far */
#define BALL_WAIT 8 /* ways without a search, near a surface */
#define REST_CUBE 0.01
#define REST_FRAMES 30u
#define JITTER_WAY 0.001
#define HOVER_PERIOD 10u /* frames between checks below a particle at rest; bodies move away */
#define BOARD_SPEED 0.1  /* m/s, relative to the body */
#define BOARD_FRAMES 15u
#define RIDE_SPEED 0.02
#define SAME_PLACE 1.0e-6
#define SHORTEST 1.0e-6    /* seconds of a frame; a particle may be born at its very end */
#define MOST_CROSSINGS 16u /* per way; more would be a heap of sheets */

/* A part of a frame's path. */
typedef struct way {
    double from[3], to[3];
    double t0, t1;
    double speed; /* m/s, approximately */
} way;

const char *quality_charge_name(uint32_t bit)
{
    static const char *const names[] = {"fell", "leaked", "midair", "hover", "late", "jitter"};
    return bit < QUALITY_CHARGES ? names[bit] : "unknown";
}

void quality_life_begin(quality_life *life, const double p[3], double time, double lead,
                        double radius)
{
    memset(life, 0, sizeof *life);
    qv_copy(life->p, p);
    qv_copy(life->middle, p);
    qv_copy(life->rest_lo, p);
    qv_copy(life->rest_hi, p);
    life->crossing[0] = INFINITY;
    life->time = time;
    life->lead = lead;
    life->radius = radius;
}

static void charge(quality_life *life, uint32_t what, const double p[3])
{
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c)
        if ((what & ~life->charges) >> c & 1u)
            qv_copy(life->where[c], p);
    life->charges |= what;
}

/* --- Behind a surface ------------------------------------------------------------------------- */

/* How far p is behind the plane that was crossed, and the way back to that side. */
static double plane_depth(const quality_judge *judge, const quality_life *life,
                          const double p[3], double time, double back[3])
{
    double at[3];
    qv_copy(at, p);
    qv_copy(back, life->normal);
    if (life->behind_body) {
        quality_pose pose = judge->space.pose(time);
        quality_pose_to_body(&pose, p, at);
        quality_pose_turn(&pose, life->normal, back);
    }
    return life->offset - qv_dot(life->normal, at);
}

/* The distance from p to the first surface on the way back, at most the plane's depth. */
static double depth_of(const quality_judge *judge, const quality_life *life, const double p[3],
                       double time)
{
    double back[3], end[3];
    double depth = plane_depth(judge, life, p, time, back);
    if (depth < SHALLOW)
        return qv_max(depth, 0.0);
    double reach = qv_min(depth, LOST_DEPTH);
    quality_crossing c;
    qv_mad(p, reach, back, end);
    if (quality_space_cross(&judge->space, p, time, end, time, &c))
        return c.t * reach;
    return depth;
}

static bool too_late(const quality_judge *judge, const quality_life *life, double time)
{
    return life->deepest > LATE_WAY ||
           (life->deepest > SHALLOW && time - life->since > judge->dt);
}

static void go_behind(const quality_judge *judge, quality_life *life, const quality_crossing *c,
                      const double point[3], double time)
{
    double at[3];
    qv_copy(at, point);
    qv_copy(life->normal, c->normal);
    if (c->body) {
        quality_pose pose = judge->space.pose(time);
        quality_pose_to_body(&pose, point, at);
        quality_pose_turn_back(&pose, c->normal, life->normal);
    }
    life->behind = true;
    life->behind_body = c->body;
    life->offset = qv_dot(life->normal, at);
    life->since = time;
    life->deepest = 0.0;
}

static void take_crossing(const quality_judge *judge, quality_life *life,
                          const quality_crossing *c, const double point[3], double time)
{
    if (!life->behind) {
        go_behind(judge, life, c, point, time);
        return;
    }
    double back[3];
    plane_depth(judge, life, point, time, back);
    if (qv_dot(c->normal, back) < -0.3) {
        life->behind = false;
        if (too_late(judge, life, time))
            charge(life, QUALITY_LATE, point);
    } else {
        charge(life, QUALITY_FELL | QUALITY_LEAKED, point);
    }
}

/* --- The path ------------------------------------------------------------------------------ */

/* Avoids a search for each way while the particle stays in a ball that is known to be free.
 * Balls that the particle would leave at once are not computed. */
static bool is_free(const quality_judge *judge, quality_life *life, const way *w)
{
    if (judge->space.body || !judge->space.still)
        return false;
    if (qv_distance(life->middle, w->from) < life->free &&
        qv_distance(life->middle, w->to) < life->free)
        return true;
    double step = qv_distance(w->from, w->to);
    if (4.0 * step > BALL || life->ball_wait-- > 0)
        return false;
    life->free = quality_truth_distance(judge->space.still, w->from, BALL) - SAME_PLACE;
    life->ball_wait = life->free < 4.0 * step ? BALL_WAIT : 0;
    qv_copy(life->middle, w->from);
    return step < life->free;
}

static void follow(const quality_judge *judge, quality_life *life, const way *w)
{
    double along[3], from[3], done = 0.0;
    double length = qv_distance(w->from, w->to);
    qv_sub(w->to, w->from, along);
    qv_copy(from, w->from);
    for (uint32_t n = 0; n < MOST_CROSSINGS && !(life->charges & QUALITY_FELL); ++n) {
        quality_crossing c;
        double t0 = w->t0 + done * (w->t1 - w->t0);
        if (!quality_space_cross(&judge->space, from, t0, w->to, w->t1, &c))
            return;
        double at = done + c.t * (1.0 - done), point[3];
        qv_mad(w->from, at, along, point);
        /* The end of a way is the start of the next, so a crossing there counts once. */
        bool again = qv_distance(point, w->from) < SAME_PLACE &&
                     qv_distance(point, life->crossing) < SAME_PLACE;
        if (!again)
            take_crossing(judge, life, &c, point, w->t0 + at * (w->t1 - w->t0));
        qv_copy(life->crossing, point);
        /* Continue a micrometre further, so that an edge of two faces is one crossing. */
        done = at + (length > SAME_PLACE ? SAME_PLACE / length : 1.0);
        if (done >= 1.0)
            return;
        qv_mad(w->from, done, along, from);
    }
}

static void look_behind(const quality_judge *judge, quality_life *life, const way *w)
{
    if (!life->behind || (life->charges & QUALITY_FELL) != 0)
        return;
    double depth = depth_of(judge, life, w->to, w->t1);
    life->deepest = qv_max(life->deepest, depth);
    if (depth >= LEAK_DEPTH)
        charge(life, QUALITY_LEAKED, w->to);
    if (depth >= LOST_DEPTH)
        charge(life, QUALITY_FELL, w->to);
}

/* A particle that stands still has no way, but a body may pass over it. */
static void go(const quality_judge *judge, quality_life *life, const way *w)
{
    bool moves = judge->space.body || qv_distance(w->from, w->to) > 0.0;
    if (moves && !(life->charges & QUALITY_FELL) && !is_free(judge, life, w))
        follow(judge, life, w);
    look_behind(judge, life, w);
    qv_copy(life->p, w->to);
}

/* --- Bounces ------------------------------------------------------------------------------- */

static bool near_body(const quality_judge *judge, const double p[3], double time)
{
    quality_space only = judge->space;
    only.still = NULL;
    return only.body && quality_space_distance(&only, p, time, MIDAIR_WAY) < MIDAIR_WAY;
}

/* A host may move a body before the step or during it. Both are right. */
static double bounce_distance(const quality_judge *judge, const quality_life *life,
                              const way *w)
{
    double reach = MIDAIR_WAY + SAME_PLACE;
    double distance = quality_space_distance(&judge->space, w->to, w->t1, reach);
    if (!judge->space.body)
        return distance;
    return quality_space_distance(&judge->space, w->to, life->time + judge->dt, distance);
}

/* Judges the bounce at the end of the way. */
static void judge_bounce(const quality_judge *judge, quality_life *life, const way *w)
{
    double distance = bounce_distance(judge, life, w);
    if (distance > MIDAIR_WAY) {
        charge(life, QUALITY_MIDAIR, w->to);
        return;
    }
    if (life->charges & QUALITY_FELL)
        return;
    if (life->behind) {
        if (too_late(judge, life, w->t1))
            charge(life, QUALITY_LATE, w->to);
        life->since = w->t1;
        life->deepest = 0.0;
        return;
    }
    double early = distance - life->radius;
    if (early > LATE_WAY || (early > SHALLOW && early > w->speed * judge->dt))
        charge(life, QUALITY_LATE, w->to);
}

/* --- Rest ---------------------------------------------------------------------------------- */

/* Looks down from the centre and from four places around it: a particle at an edge has the
 * surface below one of its sides. */
static bool hovers(const quality_judge *judge, const quality_life *life)
{
    static const double around[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int i = 0; i < 5; ++i) {
        double top[3], end[3];
        qv_copy(top, life->p);
        top[0] += around[i][0] * (life->radius + LATE_WAY);
        top[1] += around[i][1] * (life->radius + LATE_WAY);
        qv_copy(end, top);
        top[2] += LATE_WAY;
        end[2] -= MIDAIR_WAY + 3.0 * life->radius;
        quality_crossing c;
        if (quality_space_cross(&judge->space, top, life->time, end, life->time, &c))
            return false;
    }
    return true;
}

static void begin_rest(quality_life *life)
{
    qv_copy(life->rest_lo, life->p);
    qv_copy(life->rest_hi, life->p);
    life->rest_frames = 0;
    life->rest_way = 0.0;
}

/* True when the particle has been within the cube for long enough. */
static bool stays(quality_life *life, double moved)
{
    for (int a = 0; a < 3; ++a) {
        life->rest_lo[a] = qv_min(life->rest_lo[a], life->p[a]);
        life->rest_hi[a] = qv_max(life->rest_hi[a], life->p[a]);
        if (life->rest_hi[a] - life->rest_lo[a] > REST_CUBE) {
            begin_rest(life);
            life->charges &= ~(uint32_t)QUALITY_SETTLED;
            return false;
        }
    }
    life->rest_frames += 1;
    life->rest_way += moved;
    return life->rest_frames >= REST_FRAMES;
}

/* In the frame that ended, the particle began or ended near the moving body. */
static bool was_near_body(const quality_judge *judge, const quality_life *life,
                          const double start[3])
{
    return near_body(judge, life->p, life->time) ||
           near_body(judge, start, life->time - judge->dt);
}

static void judge_ride(const quality_judge *judge, quality_life *life, const double start[3],
                       bool still)
{
    if (!judge->space.body)
        return;
    quality_pose before = judge->space.pose(life->time - judge->dt);
    quality_pose now = judge->space.pose(life->time);
    double from[3], to[3];
    quality_pose_to_body(&before, start, from);
    quality_pose_to_body(&now, life->p, to);
    double speed = qv_distance(from, to) / judge->dt;
    bool slow = speed < BOARD_SPEED;
    bool beside = (slow || still) && near_body(judge, life->p, life->time);
    life->slow_frames = slow && beside ? life->slow_frames + 1u : 0u;
    if (beside && (still || life->slow_frames >= BOARD_FRAMES))
        life->charges |= QUALITY_BOARDED;
    if (life->charges & QUALITY_BOARDED)
        life->ridden_frames += 1;
    life->charges &= ~(uint32_t)QUALITY_RIDES;
    if (beside && speed < RIDE_SPEED)
        life->charges |= QUALITY_RIDES;
}

static void judge_rest(const quality_judge *judge, quality_life *life, const double start[3],
                       bool still)
{
    double moved = qv_distance(start, life->p);
    bool was_still = life->still_frames > 0;
    bool lies_down = still && !was_still;
    /* The hops that led to rest are no jitter. */
    if (lies_down)
        begin_rest(life);
    bool settled = stays(life, lies_down ? 0.0 : moved);
    if (settled || still)
        life->charges |= QUALITY_SETTLED;
    /* A body may carry, push and wake particles. */
    if (was_still && moved > JITTER_WAY && !was_near_body(judge, life, start))
        charge(life, QUALITY_JITTER, life->p);
    if (settled && life->rest_way > JITTER_WAY * (double)life->rest_frames)
        charge(life, QUALITY_JITTER, life->p);
    if (settled)
        begin_rest(life);
    bool look = settled || (still && life->still_frames == 0);
    if (still && judge->space.body)
        look = look || life->still_frames % HOVER_PERIOD == 0;
    life->still_frames = still ? life->still_frames + 1 : 0;
    if (look && hovers(judge, life))
        charge(life, QUALITY_HOVERED, life->p);
}

void quality_life_frame(const quality_judge *judge, quality_life *life,
                        const double (*points)[3], const double *times, uint32_t count,
                        bool still)
{
    double start[3], length = 0.0, done = 0.0, begin = life->time, lead = life->lead;
    double now = begin + lead, span = qv_max(judge->dt - lead, SHORTEST);
    qv_copy(start, life->p);
    for (uint32_t i = 0; i < count; ++i)
        length += qv_distance(i == 0 ? start : points[i - 1], points[i]);
    for (uint32_t i = 0; i < count; ++i) {
        way w = {.t0 = now, .speed = length / span};
        qv_copy(w.from, life->p);
        qv_copy(w.to, points[i]);
        if (length > 0.0)
            done += qv_distance(w.from, w.to) / length;
        double at = times && i + 1 < count ? times[i] : lead + span * done;
        now = begin + (i + 1 == count ? judge->dt : qv_min(at, judge->dt));
        w.t1 = now;
        go(judge, life, &w);
        if (i + 1 < count)
            judge_bounce(judge, life, &w);
    }
    life->time = begin + judge->dt;
    life->lead = 0.0;
    judge_rest(judge, life, start, still);
    judge_ride(judge, life, start, still);
}
