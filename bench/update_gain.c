#include "update_gain.h"

#include "machine.h"
#include "median.h"
#include "stream_limit.h"
#include "update_case.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* Nanoseconds at the beginning of a turn that are not measured: threads wake up, and caches
 * fill. */
#define WARM_NS 1000000u
#define TURN_NS 4000000u
#define MOST_FRAMES 512u
#define MOST_ROUNDS 100u

/* One half of the stream runs on a thread of its own, the other half on the caller's. */
typedef struct stream_pair {
    stream_limit *halves[2];
    uint32_t passes; /* per turn; a quarter of that runs before the timing */
    double ns[2];    /* per pass, of each half */
    bool over;
    sem_t go, done;
    pthread_t thread;
    bool has_thread;
} stream_pair;

typedef struct contest {
    update_case *one, *two;
    stream_pair stream;
    double ours[MOST_ROUNDS], streams[MOST_ROUNDS];
} contest;

static double pass_ns(stream_limit *half, uint32_t passes)
{
    uint64_t begin = machine_clock_ns();
    for (uint32_t i = 0; i < passes; ++i)
        stream_limit_pass(half);
    return (double)(machine_clock_ns() - begin) / (double)passes;
}

static void run_half(stream_pair *s, uint32_t which)
{
    pass_ns(s->halves[which], s->passes / 4 + 1); /* the other thread wakes up meanwhile */
    s->ns[which] = pass_ns(s->halves[which], s->passes);
}

static void *run_second(void *context)
{
    stream_pair *s = context;
    while (sem_wait(&s->go) == 0 && !s->over) {
        run_half(s, 1);
        sem_post(&s->done);
    }
    return NULL;
}

/* One thread's time divided by that of two. */
static double stream_turn(stream_pair *s)
{
    double alone = 0.0;
    for (uint32_t half = 0; half < 2; ++half) {
        double first = pass_ns(s->halves[half], 1);
        s->passes = (uint32_t)((double)TURN_NS / (first + 1.0)) + 4u;
        pass_ns(s->halves[half], s->passes / 4 + 1);
        alone += pass_ns(s->halves[half], s->passes / 2);
    }
    sem_post(&s->go);
    run_half(s, 0);
    sem_wait(&s->done);
    return 0.5 * alone * (1.0 / s->ns[0] + 1.0 / s->ns[1]);
}

/* The median time of a step. */
static double world_turn(update_case *c)
{
    double ns[MOST_FRAMES], spent = 0.0;
    uint64_t steps;
    uint32_t count = 0;
    while (spent < (double)WARM_NS)
        spent += update_case_run(c, 1, &steps);
    for (spent = 0.0; count < 3 || (spent < (double)TURN_NS && count < MOST_FRAMES); ++count) {
        ns[count] = update_case_run(c, 1, &steps);
        spent += ns[count];
    }
    return median(ns, count);
}

static bool open_stream(stream_pair *s, uint32_t particles)
{
    sem_init(&s->go, 0, 0);
    sem_init(&s->done, 0, 0);
    for (uint32_t half = 0; half < 2; ++half) {
        s->halves[half] = stream_limit_create(particles / 2);
        if (!s->halves[half])
            return false;
    }
    s->has_thread = pthread_create(&s->thread, NULL, run_second, s) == 0;
    return s->has_thread;
}

static void close_contest(contest *c)
{
    stream_pair *s = &c->stream;
    update_case_destroy(c->one);
    update_case_destroy(c->two);
    s->over = true;
    if (s->has_thread) {
        sem_post(&s->go);
        pthread_join(s->thread, NULL);
    }
    stream_limit_destroy(s->halves[0]);
    stream_limit_destroy(s->halves[1]);
    free(c);
}

static bool run_rounds(contest *c, uint32_t particles, uint32_t rounds, update_gain *out,
                       const char **why)
{
    *why = "the worlds or threads could not be created";
    c->one = update_case_create(UPDATE_PLANE, particles, 1, 1);
    c->two = update_case_create(UPDATE_PLANE, particles, 1, 2);
    if (!open_stream(&c->stream, particles) || !c->one || !c->two)
        return false;
    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    for (uint32_t i = 0; i < rounds; ++i) {
        double one = world_turn(c->one);
        c->ours[i] = one / world_turn(c->two);
        c->streams[i] = stream_turn(&c->stream);
    }
    *out = (update_gain){median(c->ours, rounds), median(c->streams, rounds)};
    return update_case_is_steady(c->one, why) && update_case_is_steady(c->two, why);
}

bool update_gain_measure(uint32_t particles, uint32_t rounds, update_gain *out,
                         const char **why)
{
    contest *c = calloc(1, sizeof *c);
    *why = "out of memory";
    if (!c)
        return false;
    bool ok = run_rounds(c, particles, rounds, out, why);
    close_contest(c);
    return ok;
}
