/* sleep.h - effects in which nothing happens: all of their particles are at rest and no birth is due, or
 * their time stands still. They are in none of a step's walks, and cost it nothing.
 *
 * What they miss is only age, which is made up for when somebody looks (rico__sleep_settle), to the bit: a
 * step adds its dt to a float, so the steps that were slept through are remembered as runs of equal dt. So a
 * world whose effects sleep is the same as one whose effects do not, but for two things: who sleeps puts
 * its recipe's units into the pool of queries and saves none, and its pace does not follow uneven steps.
 *
 * An effect goes on when its first particle is due to die, when an edit's box or a moving body comes near, at
 * any call that changes it, and with all others when the scene as a whole, fields, volumes or the origin
 * change.
 *
 * Effects are looked at sixteen at a time (a place, as in world->sums), of which a word says who sleeps.
 * Owner: the world. Threads: edits and the stepping thread; need_range's jobs write the items of their own
 * slots, plan's settle theirs. Order: places and slots.
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

/* So many are remembered. A sleeper is settled well before the run that it sleeps since is forgotten. */
#define RICO__MOST_RUNS 256u

/* What is to be known of an effect while it sleeps. */
typedef struct rico__sleeper {
    double wake_at; /* of the world's clock: the step that reaches it may see its first death */
    rico_box box;   /* around its particles, with all that can touch them */
    uint32_t run, steps; /* its ages are those after so many steps of that run */
    uint32_t unrest;     /* rico__sleep.unrest then */
    bool rests;          /* else its time stands still */
} rico__sleeper;

typedef struct rico__place_mask {
    uint16_t alive, asleep; /* bit per slot */
    bool walked;            /* somebody was awake in the last step: its sums may not be 0 */
    bool along; /* somebody in it runs along with an effect that is run by itself (along.h) */
} rico__place_mask;

typedef struct rico__sleep {
    rico__sleeper *items;    /* by slot */
    rico__place_mask *masks; /* by place, like all below */
    double *wake_at;         /* the least of those that rest, or less */
    rico_box *boxes;         /* around those that rest, or larger */
    uint32_t *active;        /* places with somebody awake, in this step, in order */
    uint32_t active_count;
    double clock; /* seconds of steps, but for those of effects that are run alone */
    rico__run runs[RICO__MOST_RUNS];
    uint32_t run;   /* number of the last one */
    uint32_t sweep; /* the place that is settled next */
    float least_dt; /* that wake_at takes into account, of who falls asleep now */
    float recent_dt; /* the least of the last so many steps */
    uint32_t recent_steps;
    uint32_t
        unrest; /* counts steps in which something changed that awake effects would have to forget */
    uint32_t effects;            /* that sleep */
    uint64_t particles, resting; /* in them; of those that rest */
    uint64_t left_out;           /* particles of the others, while one effect is run by itself */
    uint64_t units;              /* query units per step of those that share, in 2^-16 */
    bool off;                    /* nobody falls asleep: for tests, set before the first step */
} rico__sleep;

struct rico_world;

/* Alive, and awake: a bit per slot of the place. */
static inline uint32_t rico__sleep_walkers(const rico__sleep *sleep, uint32_t place)
{
    const rico__place_mask *mask = &sleep->masks[place];
    return mask->alive & ~(uint32_t)mask->asleep;
}

/* Slots that begin and end. */
void rico__sleep_enter(struct rico_world *world, uint32_t slot);
void rico__sleep_leave(struct rico_world *world, uint32_t slot);

/* Who runs along with an effect that is run by itself is in the walks of its steps. */
void rico__sleep_along(struct rico_world *world, uint32_t slot, bool along);

/* In plan, before effects begin their step: wakes who has to, and lists the places that are walked. */
void rico__sleep_begin(struct rico_world *world);

/* In plan, when all effects have begun: the step's time is gone by for those who sleep. */
void rico__sleep_pass(struct rico_world *world);

/* At the end of simulate, by the job that has the slot: whether it may sleep from now on. Then its item is filled. */
bool rico__sleep_wanted(struct rico_world *world, uint32_t slot);

/* Then, serially: it does. */
void rico__sleep_fall(struct rico_world *world, uint32_t slot);

/* It takes part in the next step. May be called for who does not sleep. */
void rico__sleep_wake(struct rico_world *world, uint32_t slot);
void rico__sleep_wake_all(struct rico_world *world);

/* Ages, and what follows from them, as they are now. Before anything reads them; may be called for anybody.
 * Of a world that is only looked at, too: nothing that a step reads depends on who looked. */
void rico__sleep_settle(const struct rico_world *world, uint32_t slot);
void rico__sleep_settle_all(const struct rico_world *world);

/* a + b, and so on, n times, each time rounded. a >= 0, b >= 0. Exact, and takes about as long as there are
 * powers of two on the way. */
float rico__sum_of_steps(float a, float b, uint32_t n);

#endif
