/* emitter.h - when particles are born.
 *
 * Plan advances an effect's emitter by the effect's own step: that gives the births of the step, as
 * spans that say when in the step each of them is due. Whoever writes the births walks the spans.
 */
#ifndef RICO_EMITTER_H
#define RICO_EMITTER_H

#include <ricochet/recipe.h>

/* What a recipe fires: rico_recipe.bursts, and burst_count. */
#define RICO__BURSTS (RICO_MAX_BURSTS + 1u)

/* More groups of births than that in one step of one effect are told apart no longer: they are due
 * with the last. */
#define RICO__SPANS 8u

/* `count` births of one step; number k is due (k / group) * interval seconds after `first`, which
 * is a time within the step. */
typedef struct rico__span {
    uint32_t count, group;
    float first, interval;
    bool at_hand; /* asked for by hand: where the emitter is told to be, not on its way */
} rico__span;

/* Owner: its effect. Threads: written by plan and by edits; read in simulate. */
typedef struct rico__emitter {
    /* Fractions of births, carried over. As floats, steps of less than 2^-25 of one were lost, of others a part. */
    double rate_credit, distance_credit;
    float rate_scale;      /* the host's factor of both */
    uint32_t manual;       /* births asked for by hand */
    uint32_t first_serial; /* of the births of this step */
    uint32_t span_count;
    rico__span spans[RICO__SPANS];
    /* Counted down by steps, of which there may be millions: as floats they were off by 1 in 200 after an hour. */
    double delay_left;               /* own time until the emission begins */
    double time_left;                /* of this run through the duration */
    double burst_wait[RICO__BURSTS]; /* own time until the burst fires next */
    uint32_t loops_left;             /* this run included; 0 = no end */
    /* Of this run: births by rate so far; the rate; and what was carried over into it, so that due_base plus
     * rate times its time is what is due by then, whatever the rate was before it was changed. */
    uint64_t run_births;
    double due_base;
    float due_rate;
    /* time_left when this step's emission began, and when in the step that was. */
    float phase_time, phase_begin;
    uint32_t burst_fired[RICO__BURSTS]; /* in this run */
    uint32_t burst_draws[RICO__BURSTS]; /* of those with a probability, so far */
} rico__emitter;

/* What plan asks of a recipe in each step. */
#define RICO__ENDLESS UINT32_MAX
typedef struct rico__emission {
    rico_burst bursts[RICO__BURSTS]; /* those with a count, in order */
    uint32_t firings[RICO__BURSTS];  /* of each, in a run; RICO__ENDLESS = no end */
    uint32_t burst_count;
    bool plain; /* by rate alone, without delay and end */
} rico__emission;

/* The emission's part of a recipe that has been checked. */
void rico__emission_prepare(rico__emission *out, const rico_recipe *def);

/* As a new effect has it. */
rico__emitter rico__emitter_start(const rico__emission *emission, const rico_recipe *def,
                                  float rate_scale);

/* A step of `dt` seconds of the effect's own time, in which the emitter moves by `distance`. Sets
 * the spans and returns how many births they are; *emitting becomes false when the last loop ends.
 * When a run through the duration ends, births by rate are as many as rate times duration says, with
 * what is left over carried into the next run, however the run was cut into steps; and bursts have fired as
 * often as their own times are before its end.
 * first_serial is not set. */
uint32_t rico__emitter_step(rico__emitter *emitter, const rico__emission *emission,
                            const rico_recipe *def, uint64_t seed, float dt, float distance,
                            bool *emitting);

/* Whether no burst will fire any more: not of recipes with a duration, whose loops begin anew. */
bool rico__emitter_is_spent(const rico__emitter *emitter, const rico__emission *emission);

/* How far through the duration it is at a time within the step, 0..1; 0 without a duration. */
float rico__emitter_phase(const rico__emitter *emitter, const rico_recipe *def, float time);

/* A walk over the births of a step. */
typedef struct rico__due {
    const rico__span *span;
    uint32_t number; /* in the span */
} rico__due;

/* Stands at birth number `number` of the step, which has more than so many. */
static inline rico__due rico__due_at(const rico__emitter *emitter, uint32_t number)
{
    rico__due due = {emitter->spans, number};
    while (due.number >= due.span->count) {
        due.number -= due.span->count;
        due.span += 1;
    }
    return due;
}

/* Seconds into the step, 0..dt. */
static inline float rico__due_time(const rico__due *due, float dt)
{
    const rico__span *span = due->span;
    uint32_t n = span->group == 1 ? due->number : due->number / span->group;
    float time = span->first + (float)n * span->interval;
    return time > 0.0f ? (time < dt ? time : dt) : 0.0f;
}

static inline void rico__due_next(rico__due *due)
{
    if (++due->number < due->span->count)
        return;
    due->number = 0;
    due->span += 1;
}

#endif
