/* What edits mean for particles: which of them wake, and whose known paths may lead through an
 * edit. */
#include "edits.h"

#include "forces.h"
#include "four.h"
#include "pace.h"
#include "preparation.h"
#include "response.h"
#include "state.h"
#include "trig.h"
#include "vec.h"

/* A path that is known for a second is as long as a room. Its own box meets edits that the path
 * passes at some distance. In this many parts, it meets hardly any edits but those on its
 * way. */
#define PARTS 8u

/* Where a particle can be while its path is known. */
typedef struct path {
    rico_vec3 p, v, pull;
    float time, dt; /* time: known for so long; dt: of its steps, or v's lateness if more */
    float drag;     /* 1/s; acts all the time */
    float push;     /* m/s^2; most that forces add, at any time, in any direction */
    float around;   /* metres; the particle's radius, and what it knows around its path */
    bool anywhere;  /* anywhere within that */
} path;

/* What decides how a frame's edits concern the particles of a block. */
typedef struct reach {
    const rico__recipe *recipe;
    rico__block *block;
    const float *data, *px, *py, *pz, *vx, *vy, *vz, *age, *life;
    float *until; /* NULL: paths are not known */
    path way;     /* what the paths of all of them have in common */
    float radius;
    bool stays; /* sleeping particles sleep on, whatever is edited */
} reach;

static reach reach_of(rico_world *world, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const rico__effect *effect = &world->effects[block->effect];
    const float dt = effect->path_dt, late = 0.5f * rico__pace_lag_before(effect);
    const bool cached = recipe->def.mode == RICO_COLLIDE_CACHED;
    float *data = rico__block_data(world, block);
    return (reach){.recipe = recipe,
                   .block = block,
                   .data = data,
                   .px = rico__stream(recipe, data, FIELD_PX),
                   .py = rico__stream(recipe, data, FIELD_PY),
                   .pz = rico__stream(recipe, data, FIELD_PZ),
                   .vx = rico__stream(recipe, data, FIELD_VX),
                   .vy = rico__stream(recipe, data, FIELD_VY),
                   .vz = rico__stream(recipe, data, FIELD_VZ),
                   .age = rico__stream(recipe, data, FIELD_AGE),
                   .life = rico__stream(recipe, data, FIELD_LIFE),
                   .until = cached ? rico__stream(recipe, data, FIELD_UNTIL) : NULL,
                   .way = {.pull = rico__pull(recipe, dt),
                           .dt = float_max(dt, late),
                           .drag = recipe->drag,
                           .push = rico__forces_most_anywhere(world, recipe)},
                   .radius = recipe->contact_radius,
                   .stays = rico__response_stays(&recipe->def)};
}

/* The room around a particle that hops (kernel.h). It is what is left of what the particle knew
 * where it bounced, and its height above its plane, to which it comes back. What it knew is
 * used up at the rate of its way along the plane, so it does not matter how soon the particle
 * dies. */
static float hop_room(const reach *r, uint32_t i)
{
    const size_t stride = r->recipe->stream_floats;
    const float *own = r->data + i;
    const rico_vec3 n = rico__own_normal(rico__own_word(own, stride, FIELD_NXY),
                                         rico__own_word(own, stride, FIELD_NZ_KNOWN));
    const float height =
        vec3_dot(vec3(r->px[i], r->py[i], r->pz[i]), n) - own[FIELD_ND * stride];
    return rico__clearance(rico__known(own, stride)) *
               float_max(r->until[i] - r->age[i], 0.0f) +
           float_max(height, 0.0f);
}

/* The same for four particles, to the bit. clearance: as their words have it. */
static v4 hop_rooms(const reach *r, uint32_t i, v4 clearance)
{
    const size_t stride = r->recipe->stream_floats;
    const v4 none = v4_set(0.0f), unit = v4_set(1.0f / RICO__NORMAL_UNIT);
    const v4i xy = (v4i)v4_load(r->data + i + FIELD_NXY * stride);
    const v4i z = (v4i)v4_load(r->data + i + FIELD_NZ_KNOWN * stride);
    const v4 height = v4_load(r->px + i) * (v4_from_int(xy << 16 >> 16) * unit) +
                      v4_load(r->py + i) * (v4_from_int(xy >> 16) * unit) +
                      v4_load(r->pz + i) * (v4_from_int(z << 16 >> 16) * unit) -
                      v4_load(r->data + i + FIELD_ND * stride);
    return clearance * v4_max(v4_load(r->until + i) - v4_load(r->age + i), none) +
           v4_max(height, none);
}

/* False: no edit matters to the particle. */
static bool find_way(const reach *r, uint32_t i, path *way)
{
    const bool asleep = rico__bit(r->block->asleep, i);
    if (asleep ? r->stays : r->until == NULL)
        return false;
    *way = r->way;
    way->p = vec3(r->px[i], r->py[i], r->pz[i]);
    way->around = r->radius;
    way->anywhere = asleep || rico__bit(r->block->rebound, i);
    if (asleep)
        return true;
    way->v = vec3(r->vx[i], r->vy[i], r->vz[i]);
    way->time = float_max(float_min(r->until[i], r->life[i]) - r->age[i], 0.0f);
    way->around += way->anywhere
                       ? hop_room(r, i)
                       : rico__clearance(rico__known(r->data + i, r->recipe->stream_floats));
    return true;
}

/* How far drag lets a particle come in some time: by a velocity of 1, and by a pull of 1. */
typedef struct share {
    float way, fall;
} share;

/* If drag times time is less than this, a series is used. */
#define LITTLE 0.05f

static share share_at(const path *way, float time)
{
    const float x = way->drag * time;
    if (x < LITTLE)
        return (share){time * (1.0f - x * (0.5f - x * (1.0f / 6.0f))),
                       time * time * (0.5f - x * (1.0f / 6.0f - x * (1.0f / 24.0f)))};
    const float gone = (1.0f - rico__exp(-x)) / way->drag;
    return (share){gone, (time - gone) / way->drag};
}

/* The span along one axis. v and pull count with the least and with the most that may come of
 * each. */
static void find_span(float p, float v, float pull, const share *least, const share *most,
                      float around, float *lo, float *hi)
{
    const float a = v * least->way, b = v * most->way;
    const float c = pull * least->fall, d = pull * most->fall;
    *lo = p - around + float_min(a, b) + float_min(c, d);
    *hi = p + around + float_max(a, b) + float_max(c, d);
}

/* The box of the path between two of its times. Steps add a pull before they move, and let drag
 * act on both. So particles fall farther, and come less far, than in the same time without
 * steps: by anything from no step to two of the mean ones. When forces act is not known. With
 * forces, the particle may therefore be anywhere on its way. */
static rico_box box_between(const path *way, share from, share to, float end)
{
    const float slow = float_max(1.0f - 2.0f * way->drag * way->dt, 0.0f);
    const float around = way->around + 0.5f * way->push * end * (end + 2.0f * way->dt);
    rico_box box;
    from.way *= slow;
    from.fall *= slow;
    if (way->push > 0.0f)
        from.way = from.fall = 0.0f;
    to.fall += 2.0f * way->dt * to.way;
    find_span(way->p.x, way->v.x, way->pull.x, &from, &to, around, &box.lo.x, &box.hi.x);
    find_span(way->p.y, way->v.y, way->pull.y, &from, &to, around, &box.lo.y, &box.hi.y);
    find_span(way->p.z, way->v.z, way->pull.z, &from, &to, around, &box.lo.z, &box.hi.z);
    return box;
}

static rico_box box_of(const path *way)
{
    const share none = {0.0f, 0.0f}, all = {way->time, 0.5f * way->time * way->time};
    if (way->anywhere)
        return box_around(way->p, way->around);
    return box_between(way, none, all, way->time);
}

/* --- Edits near a block --------------------------------------------------------------------- */

/* Most blocks are small, and near few of a frame's edits, or none. Then particles are tested
 * against only these. */
#define FEW 16u

typedef struct nearby {
    const rico__edit_boxes *list;
    uint32_t ignored; /* layers */
    uint32_t edits[FEW], count;
    bool many; /* there are more: all edits are asked */
} nearby;

static bool add_near(void *user, uint32_t edit)
{
    nearby *near = user;
    if (!rico__edit_concerns(&near->list->items[edit], near->ignored))
        return false;
    near->many = near->count == FEW;
    if (!near->many)
        near->edits[near->count++] = edit;
    return near->many;
}

/* As rico__edit_boxes_each, only for edits that concern the block. */
static bool each_near(const nearby *near, const rico_box *box, bool to_wake,
                      rico__box_fn *visit, void *user)
{
    if (near->many)
        return rico__edit_boxes_each(near->list, box, to_wake, visit, user);
    for (uint32_t i = 0; i < near->count; ++i) {
        const rico__edit_box *edit = &near->list->items[near->edits[i]];
        if ((edit->wakes || !to_wake) && boxes_meet(&edit->box, box) &&
            visit(user, near->edits[i]))
            return true;
    }
    return false;
}

/* --- Particles ---------------------------------------------------------------------------- */

/* A path that is tested against the edits that its box meets. */
typedef struct seeker {
    const nearby *near;
    const path *way;
    rico_box parts[PARTS];
    bool parted;
} seeker;

static void find_parts(seeker *s)
{
    const float part = s->way->time * (1.0f / (float)PARTS);
    share from = {0.0f, 0.0f};
    for (uint32_t k = 0; k < PARTS; ++k) {
        const float end = part * (float)(k + 1);
        const share to = share_at(s->way, end);
        s->parts[k] = box_between(s->way, from, to, end);
        from = to;
    }
    s->parted = true;
}

static bool part_meets(void *user, uint32_t number)
{
    seeker *s = user;
    const rico__edit_box *edit = &s->near->list->items[number];
    if (!rico__edit_concerns(edit, s->near->ignored))
        return false;
    if (s->way->anywhere || s->way->push > 0.0f)
        return true; /* parts would be no smaller */
    if (!s->parted)
        find_parts(s);
    for (uint32_t k = 0; k < PARTS; ++k)
        if (boxes_meet(&edit->box, &s->parts[k]))
            return true;
    return false;
}

/* For four particles along one axis: as find_span from the beginning of their paths, joined to
 * *lo and *hi. */
static void join_spans(v4 p, v4 v, float pull, v4 time, v4 fall, v4 around, v4i lanes, v4 *lo,
                       v4 *hi)
{
    const v4 none = v4_set(0.0f), a = v * time, c = v4_set(pull) * fall;
    const v4 least = p - around + v4_min(a, none) + v4_min(c, none);
    const v4 most = p + around + v4_max(a, none) + v4_max(c, none);
    *lo = v4_min(v4_select(lanes, least, *lo), *lo);
    *hi = v4_max(v4_select(lanes, most, *hi), *hi);
}

/* For the paths of four particles, at most: how long they are known, how far a pull of 1 makes
 * them fall in that time, and what is around them. */
static void find_ways(const reach *r, uint32_t i, v4 *time, v4 *fall, v4 *around)
{
    const v4 none = v4_set(0.0f);
    const float *own = r->data + i + FIELD_NZ_KNOWN * r->recipe->stream_floats;
    v4 room = v4_max((v4)((v4i)v4_load(own) & (int32_t)0xffff0000), none); /* rico__clearance */
    const v4 t =
        v4_max(v4_min(v4_load(r->until + i), v4_load(r->life + i)) - v4_load(r->age + i), none);
    const v4 twice = v4_set(2.0f * r->way.dt);
    const int32_t hops = (int32_t)(r->block->rebound[i / 64] >> i % 64 & 15);
    if (hops != 0)
        room = v4_select(((v4i){hops, hops, hops, hops} & (v4i){1, 2, 4, 8}) != 0,
                         hop_rooms(r, i, room), room);
    *time = t;
    *fall = v4_set(0.5f) * t * t + twice * t;
    *around = v4_set(r->radius) + room + v4_set(0.5f * r->way.push) * t * (t + twice);
}

static float least_of(v4 a)
{
    return v4_least(a)[0];
}

static float most_of(v4 a)
{
    return v4_most(a)[0];
}

/* Finds bounds of all places that the block's particles may come to. They hold box_of each
 * particle, to the bit. False: no edit matters to the particles. */
static bool find_bounds(const reach *r, rico_box *bounds)
{
    const bool paths = r->until != NULL;
    const rico_vec3 pull = r->way.pull;
    const float far = __builtin_inff();
    v4 lo[3] = {v4_set(far), v4_set(far), v4_set(far)};
    v4 hi[3] = {v4_set(-far), v4_set(-far), v4_set(-far)};
    if (!paths && (r->stays || rico__bit_count(r->block->asleep, r->block->count) == 0))
        return false;
    for (uint32_t i = 0; i < r->block->count; i += 4) {
        const int32_t left = (int32_t)(r->block->count - i);
        const v4i lanes = (v4i){0, 1, 2, 3} < (v4i){left, left, left, left};
        v4 time = v4_set(0.0f), fall = time, around = v4_set(r->radius);
        if (paths)
            find_ways(r, i, &time, &fall, &around);
        join_spans(v4_load(r->px + i), v4_load(r->vx + i), pull.x, time, fall, around, lanes,
                   &lo[0], &hi[0]);
        join_spans(v4_load(r->py + i), v4_load(r->vy + i), pull.y, time, fall, around, lanes,
                   &lo[1], &hi[1]);
        join_spans(v4_load(r->pz + i), v4_load(r->vz + i), pull.z, time, fall, around, lanes,
                   &lo[2], &hi[2]);
    }
    bounds->lo = vec3(least_of(lo[0]), least_of(lo[1]), least_of(lo[2]));
    bounds->hi = vec3(most_of(hi[0]), most_of(hi[1]), most_of(hi[2]));
    return r->block->count > 0;
}

static void find_near(const reach *r, nearby *near)
{
    rico_box bounds;
    if (find_bounds(r, &bounds))
        rico__edit_boxes_each(near->list, &bounds, false, add_near, near);
}

static void reach_particle(const reach *r, const nearby *near, uint32_t i)
{
    path way;
    if (!find_way(r, i, &way))
        return;
    const bool asleep = rico__bit(r->block->asleep, i);
    const bool classic = r->recipe->def.mode == RICO_COLLIDE_CLASSIC; /* knows no bodies */
    const rico_box box = box_of(&way);
    seeker s;
    s.near = near; /* the rest is written before it is read */
    s.way = &way;
    s.parted = false;
    if (!each_near(near, &box, asleep && !classic, part_meets, &s))
        return;
    rico__bit_set(r->block->asleep, i, false);
    if (r->until != NULL) {
        r->until[i] = 0.0f;
        rico__bit_set(r->block->waits, i, true);
    }
}

void rico__edits_reach(rico_world *world, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const uint32_t ignored = recipe->def.ignored_layers;
    if (recipe->def.mode == RICO_COLLIDE_FIXED || recipe->def.mode == RICO_COLLIDE_NONE ||
        !rico__edit_boxes_concern(&world->edits.list, ignored))
        return;
    const reach r = reach_of(world, block);
    nearby near = {.list = &world->edits.list, .ignored = ignored};
    find_near(&r, &near);
    for (uint32_t i = 0; i < block->count && (near.many || near.count > 0); ++i)
        reach_particle(&r, &near, i);
}
