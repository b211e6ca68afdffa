#include "trace_case.h"

#include "jobs_side.h"
#include "machine.h"
#include "median.h"
#include <ricochet/jobs_trace.h>

#define STAGES 5u
#define ITEMS 200u
#define STAGE_US 200.0
#define FRAMES 8u /* per turn */
#define MOST_ROUNDS 256u
#define ZONES 1000000u
#define EVENTS                                                                                 \
    4096u /* as many events as stay in the cache; a full ring costs as much as a new one */

enum { OFF, ON, OFF_AGAIN, POOLS };

typedef struct trace_bench {
    rico_jobs *pools[POOLS];
    uint32_t iterations; /* per item */
} trace_bench;

static void work(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        jobs_work(((const trace_bench *)context)->iterations);
}

/* Returns the nanoseconds of a frame. */
static double turn(trace_bench *t, rico_jobs *pool)
{
    uint64_t start = 0;
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        if (frame ==
            1) /* the first is for the caches, and for other pools' threads to fall asleep */
            start = machine_clock_ns();
        for (uint32_t s = 0; s < STAGES; s++)
            rico_jobs_for(pool, 0, ITEMS, 0, work, t);
    }
    return (double)(machine_clock_ns() - start) / FRAMES;
}

static bool open_pools(trace_bench *t, uint32_t threads)
{
    bool ok = true;
    for (uint32_t i = 0; i < POOLS; i++) {
        rico_jobs_def def = rico_jobs_def_default();
        def.worker_count = threads;
        def.trace_capacity = i == ON ? EVENTS : 0;
        ok = rico_jobs_create(&def, &t->pools[i]) == RICO_OK && ok;
    }
    return ok;
}

static void add(bench *b, const char *name, const char *metric, double value, const char *unit)
{
    bench_add(b, (bench_row){.name = name, .metric = metric, .value = value, .unit = unit});
}

/* Medians of the rounds' ratios, because a slow moment of the machine spoils only one round. */
static void compare(bench *b, trace_bench *t)
{
    static double on[MOST_ROUNDS], again[MOST_ROUNDS];
    uint32_t rounds = b->quick ? 60 : MOST_ROUNDS;
    for (uint32_t round = 0; round < rounds; round++) {
        double ns[POOLS];
        for (uint32_t i = 0; i < POOLS; i++) {
            uint32_t pool = (i + round) % POOLS; /* no pool is always first */
            ns[pool] = turn(t, t->pools[pool]);
        }
        on[round] = ns[ON] / ns[OFF];
        again[round] = ns[OFF_AGAIN] / ns[OFF];
    }
    add(b, "trace", "cost_pct", 100.0 * (median(on, rounds) - 1.0), "%");
    add(b, "trace", "noise_pct", 100.0 * (median(again, rounds) - 1.0), "%");
}

static void mark(rico_worker *worker, void *context)
{
    uint64_t start = machine_clock_ns();
    for (uint32_t i = 0; i < ZONES; i++) {
        uint64_t zone = rico_worker_zone_begin(worker);
        rico_worker_zone_end(worker, "zone", zone);
    }
    *(double *)context = (double)(machine_clock_ns() - start) / ZONES;
}

static void measure_zones(bench *b, trace_bench *t)
{
    static const char *const metrics[] = {"ns_off", "ns_on"};
    for (uint32_t i = OFF; i <= ON; i++) {
        double ns[5];
        for (uint32_t round = 0; round < 5; round++)
            rico_jobs_run(t->pools[i], mark, &ns[round]);
        add(b, "trace_zone", metrics[i], median(ns, 5), "ns");
    }
}

void trace_case_run(bench *b, uint32_t threads, double iterations_us)
{
    trace_bench t = {.iterations = (uint32_t)(iterations_us * STAGE_US / ITEMS)};
    uint32_t before = b->threads;
    b->threads = threads;
    if (open_pools(&t, threads)) {
        compare(b, &t);
        if (threads == 1)
            measure_zones(b, &t);
    } else {
        bench_fail(b, "a pool could not be created");
    }
    for (uint32_t i = 0; i < POOLS; i++)
        rico_jobs_destroy(t.pools[i]);
    b->threads = before;
}
