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
#define MOST_ROUNDS 100u

/* The whole stream runs on the caller's thread, or its second half on a thread of its own at the
 * same time. */
typedef struct stream_pair {
    stream_limit *halves[2];
    double second_ns; /* per pass of the second half, beside the first */
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

/* Runs a frame and returns its nanoseconds. */
typedef double frame_fn(void *context);

/* The mean time of a frame. All that is compared here is measured so. It is not the median: when
 * two threads share a core for a while, that ignores the time in which one of them waits. */
static double take_turn(frame_fn *frame, void *context)
{
    double spent = 0.0;
    uint32_t count = 0;
    while (spent < (double)WARM_NS)
        spent += frame(context);
    for (spent = 0.0; count < 3 || spent < (double)TURN_NS; ++count)
        spent += frame(context);
    return spent / (double)count;
}

static double run_world(void *context)
{
    uint64_t steps;
    return update_case_run(context, 1, &steps);
}

static double run_half(void *context)
{
    uint64_t begin = machine_clock_ns();
    stream_limit_pass(context);
    return (double)(machine_clock_ns() - begin);
}

/* One core has all of the stream in its caches, as it has all of the world on one worker. */
static double run_whole(void *context)
{
    stream_pair *s = context;
    uint64_t begin = machine_clock_ns();
    stream_limit_pass(s->halves[0]);
    stream_limit_pass(s->halves[1]);
    return (double)(machine_clock_ns() - begin);
}

static void *run_second(void *context)
{
    stream_pair *s = context;
    while (sem_wait(&s->go) == 0 && !s->over) {
        s->second_ns = take_turn(run_half, s->halves[1]);
        sem_post(&s->done);
    }
    return NULL;
}

/* One thread's time divided by that of two. The other thread wakes up while frames do not count
 * yet. */
static double stream_turn(stream_pair *s)
{
    double alone = take_turn(run_whole, s);
    sem_post(&s->go);
    double first_ns = take_turn(run_half, s->halves[0]);
    sem_wait(&s->done);
    return 0.5 * alone * (1.0 / first_ns + 1.0 / s->second_ns);
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
        double one = take_turn(run_world, c->one);
        c->ours[i] = one / take_turn(run_world, c->two);
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
