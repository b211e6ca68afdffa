#include "quality_run.h"

#include "quality_trace.h"
#include "quality_vec.h"
#include <stdlib.h>

#define MOST_BOUNCES 8u                 /* of one particle in a frame */
#define LONGEST_LIFE 4u                 /* seconds */
#define RIDE_FRAMES (QUALITY_RATE / 2u) /* a ride begins at least this long before its end */
#define NOBODY UINT32_MAX

_Static_assert(QUALITY_STEADY_FRAME >=
                   QUALITY_COLD_FRAMES + LONGEST_LIFE * QUALITY_RATE + QUALITY_TURN_FRAMES,
               "lives of the cold start have ended before costs are measured");

/* A particle being followed. */
typedef struct track {
    quality_life life;
    quality_phase phase;
    uint32_t emitter, id;
    uint32_t born, seen;    /* frames */
    uint32_t inside_frames; /* the number of frames without a break in a gutter */
    uint32_t point_count;
    double points[MOST_BOUNCES + 1][3]; /* the points of this frame */
    double times[MOST_BOUNCES + 1];
} track;

/* Owner: quality_run. Order: tracks are in the order of birth; the last one fills a gap. */
typedef struct run {
    const quality_setup *setup;
    const quality_options *options;
    quality_result *result;
    quality_judge judge;
    quality_world world;
    track *tracks;
    uint32_t track_count, track_capacity;
    uint32_t *slots; /* track by emitter and id / sample, or NOBODY */
    uint32_t ids;    /* ids per emitter */
    uint32_t warm_frame, end;
    quality_world fixed;     /* beside the cold phase, when that is timed; else closed */
    quality_sum cold, plain; /* of world so far; of fixed */
} run;

static uint32_t *slot_of(const run *r, uint32_t emitter, uint32_t id)
{
    uint32_t sample = r->options->sample;
    if (id % sample != 0 || id / sample >= r->ids)
        return NULL;
    return &r->slots[(size_t)emitter * r->ids + id / sample];
}

/* The phase whose lives begin in this frame; QUALITY_PHASES = none. */
static quality_phase phase_of_frame(const run *r, uint32_t frame)
{
    if (frame <= QUALITY_COLD_FRAMES)
        return QUALITY_COLD;
    if (frame > r->warm_frame && frame <= r->warm_frame + r->options->warm_frames)
        return QUALITY_WARM;
    return QUALITY_PHASES;
}

/* --- Lives --------------------------------------------------------------------------------- */

static void begin_life(run *r, uint32_t emitter, const rico_event *e, uint32_t *slot)
{
    quality_phase phase = phase_of_frame(r, r->world.frame);
    if (phase == QUALITY_PHASES || r->track_count == r->track_capacity)
        return;
    track *t = &r->tracks[r->track_count];
    t->phase = phase;
    t->emitter = emitter;
    t->id = e->particle;
    t->born = t->seen = r->world.frame - 1u;
    t->point_count = t->inside_frames = 0;
    rico_recipe recipe = quality_recipe(&r->setup->emitters[emitter], r->setup->particles,
                                        r->setup->mode, r->setup->budget);
    const double p[3] = {(double)e->position.x, (double)e->position.y, (double)e->position.z};
    quality_life_begin(&t->life, p, (double)t->born * r->judge.dt, (double)e->time,
                       (double)recipe.radius);
    *slot = r->track_count++;
}

const char *quality_phase_name(const quality_setup *setup, quality_phase phase)
{
    if (phase == QUALITY_COLD)
        return setup->baked ? "baked" : "cold";
    return "warm";
}

/* Prints a line per charge: the case, the particle, the charge and the place. */
static void print_charges(const run *r, const track *t)
{
    if (!r->options->charges)
        return;
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c)
        if (t->life.charges >> c & 1u)
            fprintf(r->options->charges, "%s %d %g %s %u %s %u %s %.4f %.4f %.4f\n",
                    r->setup->scene->info->name, (int)r->setup->mode, (double)r->setup->budget,
                    quality_phase_name(r->setup, t->phase), t->emitter,
                    quality_kind_name(r->setup->emitters[t->emitter].kind), t->id,
                    quality_charge_name(c), t->life.where[c][0], t->life.where[c][1],
                    t->life.where[c][2]);
}

static void end_life(run *r, const track *t)
{
    quality_tally *tally = &r->result->phase[t->phase];
    uint32_t charges = t->life.charges;
    quality_kind kind = r->setup->emitters[t->emitter].kind;
    tally->lives += 1;
    tally->steps += t->seen - t->born;
    tally->kind_lives[kind] += 1;
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c) {
        tally->charged[c] += charges >> c & 1u;
        tally->kind_charged[kind][c] += charges >> c & 1u;
    }
    bool lost = (charges & (QUALITY_FELL | QUALITY_LEAKED)) != 0;
    if (t->life.ridden_frames > RIDE_FRAMES) {
        tally->boarded += 1;
        tally->rode += !lost && (charges & QUALITY_RIDES) ? 1u : 0u;
    }
    bool inside = t->inside_frames >= 2u * QUALITY_RATE;
    tally->inside += inside || lost ? 1u : 0u;
    tally->rested += inside && !lost && (charges & QUALITY_SETTLED) ? 1u : 0u;
    print_charges(r, t);
}

static void end_unseen(run *r)
{
    for (uint32_t i = 0; i < r->track_count;) {
        track *t = &r->tracks[i];
        if (t->seen == r->world.frame) {
            ++i;
            continue;
        }
        end_life(r, t);
        *slot_of(r, t->emitter, t->id) = NOBODY;
        *t = r->tracks[--r->track_count];
        if (i < r->track_count)
            *slot_of(r, t->emitter, t->id) = i;
    }
}

/* --- A frame ------------------------------------------------------------------------------- */

static void take_bounce(run *r, track *t, const rico_event *e)
{
    if (t->point_count == MOST_BOUNCES) {
        r->result->phase[t->phase].bounces_lost += 1;
        return;
    }
    t->times[t->point_count] = (double)e->time;
    double *at = t->points[t->point_count++];
    at[0] = (double)e->position.x;
    at[1] = (double)e->position.y;
    at[2] = (double)e->position.z;
}

/* A particle's birth comes before its other events of that step. */
static void take_events(run *r)
{
    uint32_t count;
    const rico_event *events = rico_world_events(r->world.world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const rico_event *e = &events[i];
        uint32_t emitter = r->world.emitter_of[e->effect.index1];
        uint32_t *slot = slot_of(r, emitter, e->particle);
        if (slot && e->type == RICO_EVENT_BIRTH && *slot == NOBODY)
            begin_life(r, emitter, e, slot);
        else if (slot && e->type == RICO_EVENT_COLLISION && *slot != NOBODY)
            take_bounce(r, &r->tracks[*slot], e);
    }
}

static void take_place(run *r, uint32_t emitter, const rico_view *v, uint32_t i)
{
    uint32_t *slot = slot_of(r, emitter, v->id[i]);
    if (!slot || *slot == NOBODY)
        return;
    double p[3] = {(double)v->px[i], (double)v->py[i], (double)v->pz[i]};
    track *t = &r->tracks[*slot];
    bool still = v->vx[i] == 0.0f && v->vy[i] == 0.0f && v->vz[i] == 0.0f;
    qv_copy(t->points[t->point_count++], p);
    if (r->options->trace && t->emitter == r->options->trace_emitter &&
        t->id == r->options->trace_id)
        quality_trace_frame(stderr, &r->judge, &t->life, (const double(*)[3])t->points,
                            t->point_count);
    quality_life_frame(&r->judge, &t->life, (const double(*)[3])t->points, t->times,
                       t->point_count, still);
    t->point_count = 0;
    if (r->setup->scene->info->question == QUALITY_ASK_INSIDE)
        t->inside_frames = quality_scene_in_gutter(p) ? t->inside_frames + 1u : 0u;
    t->seen = r->world.frame;
}

static void judge_frame(run *r)
{
    if (r->track_count == 0 && phase_of_frame(r, r->world.frame) == QUALITY_PHASES)
        return;
    take_events(r);
    for (uint32_t e = 0; e < r->setup->effects; ++e) {
        rico_view v = rico_effect_view(r->world.world, r->world.effects[e]);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                take_place(r, e, &v, i);
    }
    end_unseen(r);
}

static void add_stats(run *r)
{
    rico_world_stats s = rico_world_get_stats(r->world.world);
    quality_phase phase = phase_of_frame(r, r->world.frame);
    if (phase == QUALITY_PHASES)
        return;
    quality_tally *t = &r->result->phase[phase];
    t->frames += 1;
    t->units += s.query_units;
    t->rays += s.rays;
    t->lookups += s.lookups;
    t->hits += s.lookup_hits;
    t->events += s.events;
    t->events_dropped += s.events_dropped;
    t->births_starved += s.births_starved;
    t->cache_bytes = (double)s.cache_record_bytes;
}

/* --- The run ------------------------------------------------------------------------------- */

static bool open_run(run *r)
{
    const quality_setup *s = r->setup;
    uint32_t sample = r->options->sample;
    r->warm_frame = r->options->steady ? QUALITY_STEADY_FRAME : QUALITY_WARM_FRAME;
    r->end = r->warm_frame + r->options->warm_frames + LONGEST_LIFE * QUALITY_RATE + 2u;
    if (s->baked)
        r->end = QUALITY_COLD_FRAMES + LONGEST_LIFE * QUALITY_RATE + 2u;
    r->ids = (s->particles / 3u + 2u) * (r->end / QUALITY_RATE + 2u) / sample + 1u;
    r->track_capacity = s->effects * (2u * s->particles / sample + 16u);
    r->slots = malloc((size_t)s->effects * r->ids * sizeof *r->slots);
    r->tracks = malloc(r->track_capacity * sizeof *r->tracks);
    r->judge = (quality_judge){s->scene->space, quality_dt()};
    if (!r->slots || !r->tracks || !quality_world_open(&r->world, s))
        return false;
    memset(r->slots, 0xff, (size_t)s->effects * r->ids * sizeof *r->slots);
    return !r->options->base || quality_world_open(&r->fixed, &r->options->base->setup);
}

/* In the first two seconds mode fixed takes turns with the run, frame by frame: each of the two
 * comes first after the truth's work in every second frame. */
static void step(run *r, bool *ok)
{
    bool beside = r->fixed.world != NULL, later = r->world.frame % 2 != 0;
    if (beside && !later)
        quality_sum_step(&r->plain, &r->fixed, ok);
    quality_sum_step(&r->cold, &r->world, ok);
    if (beside && later)
        quality_sum_step(&r->plain, &r->fixed, ok);
    if (beside && r->world.frame == QUALITY_COLD_FRAMES) {
        r->result->cost.cold = quality_sum_ns(&r->cold) - quality_sum_ns(&r->plain);
        quality_world_close(&r->fixed);
    }
}

/* No particle is followed then. */
static void time_warm(run *r, bool *ok)
{
    quality_base *base = r->options->base;
    if (base && r->world.frame + QUALITY_TURN_FRAMES == r->warm_frame)
        quality_cost_turns(&r->world, base, &r->result->cost, ok);
}

bool quality_run(const quality_setup *setup, const quality_options *options,
                 quality_result *result)
{
    run r = {.setup = setup, .options = options, .result = result};
    memset(result, 0, sizeof *result);
    bool ok = open_run(&r);
    while (ok && r.world.frame < r.end) {
        step(&r, &ok);
        judge_frame(&r);
        add_stats(&r);
        time_warm(&r, &ok);
    }
    quality_world_close(&r.world);
    quality_world_close(&r.fixed);
    free(r.slots);
    free(r.tracks);
    return ok;
}
