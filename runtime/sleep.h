/* sleep.h - effects in which nothing happens: all of their particles are at rest and no birth
 * is due, or their time stands still. They are in none of a step's walks, and cost it nothing.
 *
 * What they miss is only age. It is made up for, to the bit, when something looks
 * (rico__sleep_settle). A step adds its dt to a float, so the steps that were slept through are
 * remembered as runs of equal dt. Settling makes up for pace and credit, too (the latter as if
 * no effect had owed). So a world whose effects sleep is the same as one whose effects do not,
 * except for queries: a sleeping effect puts its recipe's units into the pool of these.
 *
 * An effect wakes when its first particle is due to die, when an edit's box or a mover comes
 * near, and at any call that changes it. All wake when the scene as a whole, fields, volumes or
 * the origin change; in a step far shorter than those before; in a long one while movers move.
 *
 * Effects are looked at sixteen at a time (a place, as in world->sums); a word says which of
 * them sleep.
 * Owner: the world. Threads: edits and the stepping thread; need_range's jobs write the items
 * of their own slots, and settling in plan does so with its own. Order: places and slots.
 */
#ifndef RICO_SLEEP_H
#define RICO_SLEEP_H

#include <ricochet/scene.h>
#include <stdbool.h>
#include <stdint.h>

/* Steps of the same length, one after the other. */
typedef struct rico__run {
    float dt;
    uint32_t steps;
} rico__run;

/* Runs that are remembered. A sleeping effect is settled well before the run that its item
 * names is forgotten. */
#define RICO__MOST_RUNS 256u

/* What is kept of an effect while it sleeps. */
typedef struct rico__sleeper {
    double wake_at; /* on `clock`: the step that reaches it may see its first death */
    rico_box box;   /* around its particles, with all that can touch them */
    uint32_t run, steps; /* its ages are those after so many steps of that run */
    uint32_t unrest;     /* rico__sleep.unrest when it fell asleep */
    bool rests;          /* false: its time stands still */
} rico__sleeper;

typedef struct rico__place_mask {
    uint16_t alive, asleep; /* bit per slot */
    bool walked;            /* an effect was awake in the last step: its sums may not be 0 */
    bool along; /* an effect of it runs along with one that is run by itself (along.h) */
} rico__place_mask;

typedef struct rico__sleep {
    rico__sleeper *items;    /* by slot */
    rico__place_mask *masks; /* by place, like all below */
    double *wake_at;         /* the least of the effects that rest, or less */
    rico_box *boxes;         /* around the effects that rest, or larger */
    uint32_t *active;        /* places with an effect awake in this step, in order */
    uint32_t active_count;
    double clock; /* seconds of steps, without those of effects that are run by themselves */
    rico__run runs[RICO__MOST_RUNS];
    uint32_t run;   /* number of the last one */
    uint32_t sweep; /* the place that is settled next */
    float least_dt; /* that wake_at takes into account, for effects that fall asleep now */
    float recent_dt; /* the shortest of the last recent_steps steps */
    uint32_t recent_steps;
    /* Counts steps with changes for which awake effects would forget what they know. */
    uint32_t unrest;
    uint32_t effects;            /* that sleep */
    uint64_t particles, resting; /* of sleeping effects; of those that rest */
    uint64_t left_out;           /* particles of effects left out while one is run by itself */
    uint64_t units;              /* query units per step of sleeping effects that share, in 2^-16 */
    bool off;                    /* no effect falls asleep: for tests, set before the first step */
} rico__sleep;

struct rico_world;

/* The slots of the place that are alive and awake, a bit each. */
static inline uint32_t rico__sleep_walkers(const rico__sleep *sleep, uint32_t place)
{
    const rico__place_mask *mask = &sleep->masks[place];
    return mask->alive & ~(uint32_t)mask->asleep;
}

/* A slot begins; it ends. */
void rico__sleep_enter(struct rico_world *world, uint32_t slot);
void rico__sleep_leave(struct rico_world *world, uint32_t slot);

/* An effect that runs along with one that is run by itself is in the walks of its steps. */
void rico__sleep_along(struct rico_world *world, uint32_t slot, bool along);

/* In plan, before effects begin their step: wakes those that have to, and lists the places that
 * are walked. */
void rico__sleep_begin(struct rico_world *world);

/* In plan, when all effects have begun: the step's time goes by for sleeping effects. */
void rico__sleep_pass(struct rico_world *world);

/* At the end of simulate, by the job that has the slot: whether the effect may sleep from now
 * on. If so, its item is filled. */
bool rico__sleep_wanted(struct rico_world *world, uint32_t slot);

/* After that, serially: it falls asleep. */
void rico__sleep_fall(struct rico_world *world, uint32_t slot);

/* It takes part in the next step. May be called for an effect that is awake. */
void rico__sleep_wake(struct rico_world *world, uint32_t slot);
void rico__sleep_wake_all(struct rico_world *world);

/* Brings ages, and what follows from them, up to date. To be called before anything reads them;
 * may be called for any effect, and for a world that is only looked at. Nothing that a step
 * reads depends on these calls. */
void rico__sleep_settle(const struct rico_world *world, uint32_t slot);
void rico__sleep_settle_all(const struct rico_world *world);

/* a + b + b ..., n times, rounded each time. a >= 0, b >= 0. Exact; takes about as long as
 * there are powers of two on the way. */
float rico__sum_of_steps(float a, float b, uint32_t n);

#endif
