#include "machine_probe.h"

#include "median.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* A world and its thread. The first world's thread is the caller. */
typedef struct seat {
    stress_world world;
    const stress_setup *setup;
    const cpus *c;
    uint32_t place;
    uint64_t step_ns; /* of its last frame */
    bool opened, leaves;
    sem_t go, done;
    pthread_t thread;
} seat;

struct machine_probe {
    stress_setup setup;
    uint32_t count; /* seats in use */
    seat seats[];
};

static void step(seat *s)
{
    frame_entry entry;
    stress_world_frame(&s->world, &entry);
    s->step_ns = entry.step_ns;
}

/* Runs on the seat's CPU, so that the world's memory is near it. */
static void open_world(seat *s)
{
    cpus_pin(s->c, s->place);
    s->opened = stress_world_open(&s->world, s->setup);
    for (uint32_t f = 0; s->opened && f < STRESS_WARM_UP; ++f)
        step(s);
}

static void *sit(void *context)
{
    seat *s = context;
    open_world(s);
    sem_post(&s->done);
    while (sem_wait(&s->go) == 0 && !s->leaves) {
        step(s);
        sem_post(&s->done);
    }
    return NULL;
}

/* Returns true when the seat has a thread. */
static bool take_seat(seat *s, machine_probe *probe, const cpus *c)
{
    s->setup = &probe->setup;
    s->c = c;
    s->place = probe->count;
    sem_init(&s->go, 0, 0);
    sem_init(&s->done, 0, 0);
    bool ok = s->place == 0 || pthread_create(&s->thread, NULL, sit, s) == 0;
    probe->count += ok;
    return ok;
}

machine_probe *machine_probe_open(const stress_setup *each, const cpus *c, uint32_t count)
{
    machine_probe *probe = calloc(1, sizeof *probe + count * sizeof *probe->seats);
    bool ok = probe != NULL;
    if (!ok)
        return NULL;
    probe->setup = *each;
    probe->setup.threads = 1;
    probe->setup.pins = NULL; /* its one worker is the seat's thread */
    for (uint32_t i = 0; ok && i < count; ++i)
        ok = take_seat(&probe->seats[i], probe, c);
    open_world(&probe->seats[0]);
    for (uint32_t i = 0; i < probe->count; ++i) {
        if (i > 0)
            sem_wait(&probe->seats[i].done);
        ok = ok && probe->seats[i].opened;
    }
    if (ok)
        return probe;
    machine_probe_close(probe);
    return NULL;
}

void machine_probe_close(machine_probe *probe)
{
    for (uint32_t i = 0; probe && i < probe->count; ++i) {
        seat *s = &probe->seats[i];
        s->leaves = true;
        if (i > 0) {
            sem_post(&s->go);
            pthread_join(s->thread, NULL);
        }
        stress_world_close(&s->world);
        sem_destroy(&s->go);
        sem_destroy(&s->done);
    }
    free(probe);
}

static void step_all(machine_probe *probe)
{
    for (uint32_t i = 1; i < probe->count; ++i)
        sem_post(&probe->seats[i].go);
    step(&probe->seats[0]);
    for (uint32_t i = 1; i < probe->count; ++i)
        sem_wait(&probe->seats[i].done);
}

static void add_together(machine_turn *turn, machine_probe *probe)
{
    double per_ns = 0.0;
    step_all(probe);
    for (uint32_t i = 0; i < probe->count; ++i) {
        double took = (double)probe->seats[i].step_ns;
        per_ns += 1.0 / took;
        turn->together_ns = took > turn->together_ns ? took : turn->together_ns;
    }
    turn->gain = per_ns; /* per time alone, which may be measured afterwards */
}

machine_turn machine_probe_turn(machine_probe *probe, bool alone_first)
{
    machine_turn turn = {0};
    if (!alone_first)
        add_together(&turn, probe);
    step(&probe->seats[0]);
    turn.alone_ns = (double)probe->seats[0].step_ns;
    if (alone_first)
        add_together(&turn, probe);
    turn.gain *= turn.alone_ns;
    return turn;
}

/* Turns longer than the fast ones by more than this factor were disturbed. */
#define FULL_SPEED 1.05

uint32_t machine_turns_at_full_speed(const machine_turn *turns, uint32_t count, bool *marked)
{
    uint32_t full = 0;
    double *alone = count > 0 ? malloc(2 * (size_t)count * sizeof *alone) : NULL;
    if (alone == NULL)
        return 0;
    double *together = alone + count;
    for (uint32_t i = 0; i < count; ++i) {
        alone[i] = turns[i].alone_ns;
        together[i] = turns[i].together_ns;
    }
    double most_alone = FULL_SPEED * percentile(alone, count, 10);
    double most_together = FULL_SPEED * percentile(together, count, 10);
    for (uint32_t i = 0; i < count; ++i) {
        marked[i] = turns[i].alone_ns <= most_alone && turns[i].together_ns <= most_together;
        full += marked[i];
    }
    free(alone);
    return full;
}
