/* emitter.h - when particles are born.
 *
 * Plan advances an effect's emitter by the effect's own step. That gives the births of the
 * step, as spans that say when in the step each of them is due. The code that writes the births
 * walks the spans.
 */
#ifndef RICO_EMITTER_H
#define RICO_EMITTER_H

#include <ricochet/recipe.h>

/* Most bursts of a recipe: rico_recipe.bursts, and burst_count. */
#define RICO__BURSTS (RICO_MAX_BURSTS + 1u)

/* In one step of one effect, at most this many groups of births are told apart. Births of
 * further groups are due with the last. */
#define RICO__SPANS 8u

/* `count` births of one step. Number k is due (k / group) * interval seconds after `first`,
 * which is a time within the step. */
typedef struct rico__span {
    uint32_t count, group;
    float first, interval;
    /* Asked for by the host: born where the emitter is told to be, not on its way. */
    bool at_hand;
} rico__span;

/* Owner: its effect. Threads: written by plan and by edits; read in simulate. */
typedef struct rico__emitter {
    /* Fractions of births, carried over. As floats, they would lose steps of less than 2^-25 of
     * a birth, and a part of other steps. */
    double rate_credit, distance_credit;
    float rate_scale;      /* the host's factor for both */
    uint32_t manual;       /* births that the host asked for */
    uint32_t first_serial; /* of the births of this step */
    uint32_t span_count;
    rico__span spans[RICO__SPANS];
    /* Counted down by steps, of which there may be millions: as floats these would be off by 1
     * in 200 after an hour. */
    double delay_left;               /* own time until the emission begins */
    double time_left;                /* of this run through the duration */
    double burst_wait[RICO__BURSTS]; /* own time until the burst fires next */
    uint32_t loops_left;             /* this run included; 0 = no end */
    /* Of this run: births by rate so far; what was carried over into it; the rate. due_base
     * plus due_rate times the run's time is what is due by then, whatever the rate was before
     * it was changed. */
    uint64_t run_births;
    double due_base;
    float due_rate;
    /* time_left when this step's emission began, and when in the step that was. */
    float phase_time, phase_begin;
    uint32_t burst_fired[RICO__BURSTS]; /* in this run */
    uint32_t burst_draws[RICO__BURSTS]; /* draws for bursts with a probability, so far */
} rico__emitter;

/* What plan needs of a recipe in each step. */
#define RICO__ENDLESS UINT32_MAX
typedef struct rico__emission {
    rico_burst bursts[RICO__BURSTS]; /* those with a count, in order */
    uint32_t firings[RICO__BURSTS];  /* of each, in a run; RICO__ENDLESS = no end */
    uint32_t burst_count;
    bool plain; /* by rate alone, without delay or end */
} rico__emission;

/* Prepares the emission's part of a recipe that has been checked. */
void rico__emission_prepare(rico__emission *out, const rico_recipe *def);

/* The emitter of a new effect. */
rico__emitter rico__emitter_start(const rico__emission *emission, const rico_recipe *def,
                                  float rate_scale);

/* Advances the emitter by `dt` seconds of the effect's own time, in which it moves by
 * `distance`. Sets the spans and returns how many births they have. *emitting becomes false
 * when the last loop ends. first_serial is not set.
 *
 * The result of a run through the duration does not depend on how it is cut into steps. When it
 * ends, births by rate are as many as rate times duration says, and the fraction left over is
 * carried into the next run. Bursts have fired as often as their own times fall before its end.
 */
uint32_t rico__emitter_step(rico__emitter *emitter, const rico__emission *emission,
                            const rico_recipe *def, uint64_t seed, float dt, float distance,
                            bool *emitting);

/* Whether no burst will fire any more. Not for recipes with a duration, whose loops begin anew. */
bool rico__emitter_is_spent(const rico__emitter *emitter, const rico__emission *emission);

/* How far through the duration the emitter is at a time within the step, 0..1; 0 without a
 * duration. */
float rico__emitter_phase(const rico__emitter *emitter, const rico_recipe *def, float time);

/* A walk over the births of a step. */
typedef struct rico__due {
    const rico__span *span;
    uint32_t number; /* in the span */
} rico__due;

/* Begins the walk at birth number `number` of the step, which has more births than that. */
static inline rico__due rico__due_at(const rico__emitter *emitter, uint32_t number)
{
    rico__due due = {emitter->spans, number};
    while (due.number >= due.span->count) {
        due.number -= due.span->count;
        due.span += 1;
    }
    return due;
}

/* When the birth is due: seconds into the step, 0..dt. */
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
