#include "falls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE 2048u /* slots of the hash of followed ids: four times the sample */
#define EMPTY UINT32_MAX
#define LOST_DEPTH 0.5 /* metres behind the crossed plane */

/* Owner: falls. Order: slots belong to an effect of the sample, slot / slots_per_effect. */
typedef struct track {
    bool used, seen;   /* seen: found in this frame's view */
    bool steady;       /* born after the warm-up */
    bool behind, fell; /* behind: crossed a surface and has not come back */
    uint32_t id;
    double position[3];
    double normal[3]; /* of the crossed plane, towards the side it came from */
    double offset;
} track;

struct falls {
    const rio_truth *truth;
    const show *show;
    uint32_t *effects; /* indices into show->effects */
    uint32_t effect_count, slots_per_effect, track_count;
    track *tracks;
    uint32_t frame;
    falls_segment_fn *watch; /* NULL = none */
    void *watch_user;
    falls_count counts[SHOW_MAX_KINDS], steady;
    uint32_t table[TABLE_SIZE]; /* track slots by effect and id; rebuilt every frame */
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_sampled(const show *s, uint32_t effect)
{
    return s->plan.recipes[s->effects[effect].kind].mode != RICO_COLLIDE_NONE;
}

/* Takes one effect of each stride of colliding effects. Kinds are interleaved evenly, so the
 * sample has them in proportion unless the stride follows their pattern. A random jump inside
 * each stride prevents that. */
static void choose_effects(falls *f, uint32_t colliding, uint64_t seed)
{
    uint32_t wanted = f->effect_count, seen = 0, taken = 0;
    uint64_t random = seed * 2862933555777941757ULL + 3037000493ULL;
    uint64_t pick = 0;
    for (uint32_t i = 0; i < f->show->effect_count && taken < wanted; ++i) {
        if (!is_sampled(f->show, i))
            continue;
        uint64_t begin = (uint64_t)taken * colliding / wanted;
        uint64_t end = (uint64_t)(taken + 1) * colliding / wanted;
        if (seen == begin) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            pick = begin + (random >> 33) % (end - begin);
        }
        if (seen == pick)
            f->effects[taken] = i;
        if (++seen == end)
            ++taken;
    }
}

rico_result falls_create(const show *s, const rio_truth *truth, uint64_t seed, falls **out)
{
    *out = NULL;
    falls *f = calloc(1, sizeof *f);
    if (!f)
        return RICO_OUT_OF_MEMORY;
    uint32_t colliding = 0;
    for (uint32_t i = 0; i < s->effect_count; ++i)
        colliding += is_sampled(s, i) ? 1u : 0u;
    f->truth = truth;
    f->show = s;
    f->effect_count = colliding < 128u ? colliding : 128u;
    f->slots_per_effect = f->effect_count > 0 ? FALLS_SAMPLE / f->effect_count : 0;
    f->track_count = f->effect_count * f->slots_per_effect;
    f->effects = calloc(f->effect_count + 1u, sizeof *f->effects);
    f->tracks = calloc(f->track_count + 1u, sizeof *f->tracks);
    if (!f->effects || !f->tracks) {
        falls_destroy(f);
        return RICO_OUT_OF_MEMORY;
    }
    if (f->effect_count > 0)
        choose_effects(f, colliding, seed);
    *out = f;
    return RICO_OK;
}

void falls_destroy(falls *f)
{
    if (!f)
        return;
    free(f->effects);
    free(f->tracks);
    free(f);
}

/* --- Following a path --------------------------------------------------------------------- */

/* Handles one crossing, at `point`, of a particle that moves along `move`. */
static void cross(track *t, const rio_truth_hit *hit, const double move[3],
                  const double point[3])
{
    /* The surface's normal, turned against the motion. */
    double sign = dot(hit->normal, move) > 0.0 ? -1.0 : 1.0;
    double normal[3] = {sign * hit->normal[0], sign * hit->normal[1], sign * hit->normal[2]};
    if (!t->behind) {
        t->behind = true;
        memcpy(t->normal, normal, sizeof normal);
        t->offset = dot(normal, point);
    } else if (dot(normal, t->normal) < -0.3) {
        t->behind = false; /* back through the same surface, or its neighbour on a curve */
    } else {
        t->fell = true;
    }
}

/* Follows all crossings of the frame's segment, in order. */
static void follow(const falls *f, track *t, const double to[3])
{
    double from[3];
    memcpy(from, t->position, sizeof from);
    if (f->watch) {
        float a[3] = {(float)from[0], (float)from[1], (float)from[2]};
        float b[3] = {(float)to[0], (float)to[1], (float)to[2]};
        f->watch(f->watch_user, a, b);
    }
    memcpy(t->position, to, 3 * sizeof *to);
    for (int crossings = 0; crossings < 8 && !t->fell; ++crossings) {
        double move[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        double length = sqrt(dot(move, move));
        rio_truth_hit hit;
        if (length < 1.0e-9 || !rio_truth_segment(f->truth, from, to, &hit))
            break;
        double point[3];
        for (int a = 0; a < 3; ++a)
            point[a] = from[a] + hit.t * move[a];
        cross(t, &hit, move, point);
        /* Continue a micrometre further: an edge that two triangles share is one crossing. */
        double next = hit.t + 1.0e-6 / length;
        if (next >= 1.0)
            break;
        for (int a = 0; a < 3; ++a)
            from[a] += next * move[a];
    }
    if (t->behind && t->offset - dot(t->normal, to) >= LOST_DEPTH)
        t->fell = true;
}

/* --- Finding the sample in the views ------------------------------------------------------ */

static uint32_t table_start(uint32_t effect, uint32_t id)
{
    return (id * 0x9e3779b1u ^ effect * 0x85ebca77u) >> 7;
}

static void table_build(falls *f)
{
    memset(f->table, 0xff, sizeof f->table);
    for (uint32_t slot = 0; slot < f->track_count; ++slot) {
        track *t = &f->tracks[slot];
        t->seen = false;
        if (!t->used)
            continue;
        uint32_t i = table_start(slot / f->slots_per_effect, t->id);
        while (f->table[i % TABLE_SIZE] != EMPTY)
            ++i;
        f->table[i % TABLE_SIZE] = slot;
    }
}

static track *table_find(falls *f, uint32_t effect, uint32_t id)
{
    uint32_t i = table_start(effect, id);
    for (;; ++i) {
        uint32_t slot = f->table[i % TABLE_SIZE];
        if (slot == EMPTY)
            return NULL;
        if (f->tracks[slot].id == id && slot / f->slots_per_effect == effect)
            return &f->tracks[slot];
    }
}

/* A free slot of the effect at or after *slot, or NULL. */
static track *next_free(falls *f, uint32_t effect, uint32_t *slot)
{
    uint32_t end = (effect + 1u) * f->slots_per_effect;
    for (; *slot < end; ++*slot)
        if (!f->tracks[*slot].used)
            return &f->tracks[*slot];
    return NULL;
}

static void start_track(track *t, uint32_t id, bool steady, const double position[3])
{
    memset(t, 0, sizeof *t);
    t->used = t->seen = true;
    t->steady = steady;
    t->id = id;
    memcpy(t->position, position, 3 * sizeof *position);
}

static void finish_lives(falls *f, uint32_t effect)
{
    falls_count *count = &f->counts[f->show->effects[f->effects[effect]].kind];
    for (uint32_t i = 0; i < f->slots_per_effect; ++i) {
        track *t = &f->tracks[effect * f->slots_per_effect + i];
        if (!t->used || t->seen)
            continue;
        ++count->lives;
        count->fell += t->fell ? 1u : 0u;
        f->steady.lives += t->steady ? 1u : 0u;
        f->steady.fell += t->steady && t->fell ? 1u : 0u;
        t->used = false;
    }
}

/* Follows the tracks found among the effect's particles. Newborn particles fill its free slots. */
static void visit_effect(falls *f, const rico_world *world, uint32_t effect, float dt)
{
    uint32_t slot = effect * f->slots_per_effect;
    rico_view v = rico_effect_view(world, show_ids(f->show, f->effects[effect])[0]);
    while (rico_view_next(&v)) {
        for (uint32_t i = 0; v.id && i < v.count; ++i) {
            track *t = table_find(f, effect, v.id[i]);
            bool newborn = !t && v.age[i] <= dt;
            if (!t && !newborn)
                continue;
            double position[3] = {(double)v.px[i], (double)v.py[i], (double)v.pz[i]};
            if (t) {
                t->seen = true;
                follow(f, t, position);
            } else if ((t = next_free(f, effect, &slot)) != NULL) {
                start_track(t, v.id[i], f->frame >= SHOW_WARM_UP, position);
            }
        }
    }
    finish_lives(f, effect);
}

void falls_watch(falls *f, falls_segment_fn *fn, void *user)
{
    f->watch = fn;
    f->watch_user = user;
}

void falls_frame(falls *f, const rico_world *world, float dt)
{
    table_build(f);
    for (uint32_t e = 0; e < f->effect_count; ++e)
        visit_effect(f, world, e, dt);
    ++f->frame;
}

falls_count falls_of_kind(const falls *f, uint32_t kind)
{
    return f->counts[kind];
}

falls_count falls_total(const falls *f)
{
    falls_count total = {0, 0};
    for (uint32_t k = 0; k < SHOW_MAX_KINDS; ++k) {
        total.lives += f->counts[k].lives;
        total.fell += f->counts[k].fell;
    }
    return total;
}

falls_count falls_steady(const falls *f)
{
    return f->steady;
}
