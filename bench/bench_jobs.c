/* bench_jobs - the cost of the job pool beside the serial loop, oneTBB and OpenMP.
 *
 * Every case is measured in rounds. In a round each side has a turn of its own: its threads
 * exist for that turn only (oneTBB's sleep in other turns). Medians of all turns are reported.
 */
#define _GNU_SOURCE /* sched_setaffinity */

#include "jobs_side.h"
#include "median.h"
#include "row.h"
#include "trace_case.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAMPLES 4096u
#define MAX_SIDES 4u
#define STAGES 5u
#define FIB_N 32u
#define FIB_SPAWNS 3524577.0 /* calls with n >= 2 */
#define TREE_NODES 500000u
#define UTS_ROOT UINT64_C(54) /* 503,645 nodes, 1,013 deep */
#define LOOP_ITEMS 10000u
#define STAGE_ITEMS 200u

static const jobs_side *const sides[] = {
    &jobs_ours,
    &jobs_serial,
#ifdef BENCH_TBB
    &jobs_tbb,
#endif
#ifdef BENCH_OPENMP
    &jobs_openmp,
#endif
};
#define SIDES (sizeof sides / sizeof *sides)

typedef struct jobs_bench {
    bench b;              /* first: the options' handlers get it */
    uint32_t many;        /* number of workers of the rows with more than one */
    double iterations_us; /* iterations of jobs_work in a microsecond */
    uint64_t uts_nodes;
    uint64_t nodes;      /* of the tree */
    double hint_lead_us; /* serial work of the host between wake-up and first stage */
} jobs_bench;

typedef struct samples {
    double values[MAX_SAMPLES];
    uint32_t count;
} samples;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1.0e6 + (double)t.tv_nsec * 1.0e-3;
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1.0e6 + (double)t.tv_nsec * 1.0e-3;
}

static void nap_us(long us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static void keep(samples *s, double value)
{
    if (s->count < MAX_SAMPLES)
        s->values[s->count++] = value;
}

/* One turn of a side: warms up, then adds samples. */
typedef void turn_fn(jobs_bench *j, const jobs_side *side, samples *out);

typedef struct jobs_case {
    const char *name, *metric, *unit;
    turn_fn *turn;
    uint32_t rounds, quick_rounds;
    bool one_thread;  /* also measured with one worker */
    bool with_serial; /* the serial loop has a row as a peer */
    bool more_is_better;
    double (*value)(const jobs_bench *j, double us, double serial_us, uint32_t threads);
} jobs_case;

static void turn_fib(jobs_bench *j, const jobs_side *side, samples *out)
{
    side->fib(20);
    double start = now_us();
    if (side->fib(FIB_N) != 2178309)
        bench_fail(&j->b, "one side computes wrong Fibonacci numbers");
    keep(out, now_us() - start);
}

static void count_nodes(jobs_bench *j, uint64_t nodes, uint64_t *expected)
{
    if (*expected != 0 && nodes != *expected)
        bench_fail(&j->b, "two sides count a different number of nodes in the same tree");
    *expected = nodes;
}

static void turn_tree(jobs_bench *j, const jobs_side *side, samples *out)
{
    side->tree(1, TREE_NODES);
    for (int i = 0; i < 3; i++) {
        double start = now_us();
        count_nodes(j, side->tree(1, TREE_NODES), &j->nodes);
        keep(out, now_us() - start);
    }
}

static void turn_tree_uts(jobs_bench *j, const jobs_side *side, samples *out)
{
    side->tree_uts(UTS_ROOT, true);
    for (int i = 0; i < 3; i++) {
        double start = now_us();
        count_nodes(j, side->tree_uts(UTS_ROOT, true), &j->uts_nodes);
        keep(out, now_us() - start);
    }
}

static void turn_loop(jobs_bench *j, const jobs_side *side, samples *out, bool one_by_one)
{
    side->loop(LOOP_ITEMS / 10, one_by_one, (uint32_t)j->iterations_us);
    for (int i = 0; i < 5; i++) {
        double start = now_us();
        side->loop(LOOP_ITEMS, one_by_one, (uint32_t)j->iterations_us);
        keep(out, now_us() - start);
    }
}

static void turn_auto(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_loop(j, side, out, false);
}

static void turn_grain1(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_loop(j, side, out, true);
}

static double run_stages(const jobs_bench *j, const jobs_side *side, uint32_t stages,
                         double stage_us)
{
    uint32_t iterations = (uint32_t)(j->iterations_us * stage_us / STAGE_ITEMS);
    double start = now_us();
    for (uint32_t s = 0; s < stages; s++)
        side->loop(STAGE_ITEMS, false, iterations);
    return now_us() - start;
}

static void turn_stages(jobs_bench *j, const jobs_side *side, samples *out, double stage_us)
{
    for (int i = 0; i < 20; i++)
        run_stages(j, side, STAGES, stage_us);
    for (int i = 0; i < 100; i++)
        keep(out, run_stages(j, side, STAGES, stage_us));
}

static void turn_stage_200(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_stages(j, side, out, 200.0);
}

static void turn_stage_20(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_stages(j, side, out, 20.0);
}

/* The host sleeps for 5 ms, does serial work of its own, and then runs the timed frame. */
static void turn_frames(jobs_bench *j, const jobs_side *side, samples *out, bool hint)
{
    run_stages(j, side, STAGES, 200.0);
    for (int i = 0; i < 20; i++) {
        nap_us(5000);
        if (hint && side->hint != NULL)
            side->hint();
        jobs_work((uint32_t)(j->iterations_us * j->hint_lead_us));
        keep(out, run_stages(j, side, STAGES, 200.0));
    }
}

static void turn_wake(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_frames(j, side, out, false);
}

static void turn_wake_hint(jobs_bench *j, const jobs_side *side, samples *out)
{
    turn_frames(j, side, out, true);
}

/* Starts a process that never sleeps, on the last of the CPUs that we may use. */
static pid_t start_hog(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t all, last;
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &all)) {
            CPU_ZERO(&last);
            CPU_SET((size_t)cpu, &last);
        }
    sched_setaffinity(0, sizeof last, &last);
    while (getppid() == parent)
        jobs_work(1000000);
    _exit(0);
}

static void turn_stolen_core(jobs_bench *j, const jobs_side *side, samples *out)
{
    pid_t hog = start_hog();
    if (hog < 0) {
        bench_fail(&j->b, "fork failed");
        return;
    }
    nap_us(20000);
    double end = now_us() + 300000.0;
    for (int i = 0; i < 5; i++)
        run_stages(j, side, 1, 200.0);
    /* The mean, because few stages meet the other process's time slices, but those take
     * milliseconds. */
    double sum = 0.0, count = 0.0;
    for (; now_us() < end; count += 1.0)
        sum += run_stages(j, side, 1, 200.0);
    if (count > 0.0)
        keep(out, sum / count);
    kill(hog, SIGKILL);
    waitpid(hog, NULL, 0);
}

/* Measures once all threads sleep: the system knows a thread's use only then. */
static void turn_idle(jobs_bench *j, const jobs_side *side, samples *out)
{
    run_stages(j, side, STAGES, 200.0);
    nap_us(20000);
    double wall = now_us(), cpu = cpu_us();
    nap_us(j->b.quick ? 300000 : 1000000);
    keep(out, 100.0 * (cpu_us() - cpu) / (now_us() - wall));
}

static double per_spawn(const jobs_bench *j, double us, double serial_us, uint32_t threads)
{
    (void)j, (void)serial_us, (void)threads;
    return us * 1000.0 / FIB_SPAWNS;
}

static double speedup(const jobs_bench *j, double us, double serial_us, uint32_t threads)
{
    (void)j, (void)threads;
    return serial_us / us;
}

static double efficiency(const jobs_bench *j, double us, double serial_us, uint32_t threads)
{
    (void)j;
    return serial_us / (us * threads);
}

static double overhead(const jobs_bench *j, double us, double serial_us, uint32_t threads)
{
    (void)j;
    return (us - serial_us / threads) / STAGES;
}

static double as_is(const jobs_bench *j, double value, double serial, uint32_t threads)
{
    (void)j, (void)serial, (void)threads;
    return value;
}

static const jobs_case cases[] = {
    {"fib", "ns_per_spawn", "ns", turn_fib, 9, 3, true, true, false, per_spawn},
    {"tree", "speedup", "x", turn_tree, 9, 3, true, false, true, speedup},
    {"tree_uts", "speedup", "x", turn_tree_uts, 9, 3, true, false, true, speedup},
    {"for_auto", "efficiency", "share", turn_auto, 9, 3, false, false, true, efficiency},
    {"for_grain1", "efficiency", "share", turn_grain1, 9, 3, false, false, true, efficiency},
    {"stage_200us", "overhead_us", "us", turn_stage_200, 12, 3, false, false, false, overhead},
    {"stage_20us", "overhead_us", "us", turn_stage_20, 12, 5, false, false, false, overhead},
    {"wake", "frame_us", "us", turn_wake, 9, 3, false, true, false, as_is},
    {"wake_hint", "frame_us", "us", turn_wake_hint, 9, 3, false, true, false, as_is},
    {"stolen_core", "frame_us", "us", turn_stolen_core, 9, 3, false, true, false, as_is},
    {"idle", "cpu_pct", "%", turn_idle, 3, 1, false, false, false, as_is},
};

/* Runs the rounds. us[i] = median of side i, not measured = 0. */
static void measure(jobs_bench *j, const jobs_case *c, uint32_t threads, double us[MAX_SIDES])
{
    static samples all[MAX_SIDES];
    memset(all, 0, sizeof all);
    uint32_t rounds = j->b.quick ? c->quick_rounds : c->rounds;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < SIDES; i++) {
            if (!sides[i]->open(sides[i] == &jobs_serial ? 1 : threads)) {
                bench_fail(&j->b, "one side could not be started");
                continue;
            }
            c->turn(j, sides[i], &all[i]);
            sides[i]->close();
            nap_us(2000); /* a thread that spins after its work sleeps by then */
        }
    for (uint32_t i = 0; i < SIDES; i++)
        us[i] = all[i].count != 0 ? median(all[i].values, all[i].count) : 0.0;
}

static void report(jobs_bench *j, const jobs_case *c, uint32_t threads, const double *us)
{
    uint32_t before = j->b.threads;
    j->b.threads = threads;
    double ours = c->value(j, us[0], us[1], threads);
    for (uint32_t i = 1; i < SIDES; i++)
        if (sides[i] != &jobs_serial || c->with_serial)
            bench_add(&j->b,
                      (bench_row){.name = c->name,
                                  .metric = c->metric,
                                  .value = ours,
                                  .unit = c->unit,
                                  .peer = sides[i]->name,
                                  .peer_value = c->value(j, us[i], us[1], i == 1 ? 1 : threads),
                                  .more_is_better = c->more_is_better});
    if (SIDES == 2 && !c->with_serial)
        bench_add(
            &j->b,
            (bench_row){.name = c->name, .metric = c->metric, .value = ours, .unit = c->unit});
    j->b.threads = before;
}

/* Iterations per microsecond: the fastest of many tries. */
static double calibrate(void)
{
    double best = 1.0e9;
    for (int i = 0; i < 50; i++) {
        double start = now_us();
        jobs_work(1000000);
        double us = now_us() - start;
        best = us < best ? us : best;
    }
    return 1000000.0 / best;
}

#define CASES (sizeof cases / sizeof *cases)

static void run_case(jobs_bench *j, const jobs_case *c)
{
    double us[MAX_SIDES];
    for (uint32_t threads = c->one_thread ? 1 : j->many; threads <= j->many;
         threads += j->many - 1) {
        measure(j, c, threads, us);
        report(j, c, threads, us);
    }
}

/* The cases of trace_case.h come last. Both of them are measured at once. */
static bool name_case(const void *j, size_t index, char *out, size_t bytes)
{
    static const char *const traces[] = {"trace", "trace_zone"};
    (void)j;
    if (index < CASES + 2)
        snprintf(out, bytes, "%s", index < CASES ? cases[index].name : traces[index - CASES]);
    return index < CASES + 2;
}

int main(int argc, char **argv)
{
    static const bench_about about = {.name = "jobs",
                                      .text =
                                          "Compares the job pool with a serial loop, oneTBB "
                                          "and OpenMP. Rows are for one worker, and\n"
                                          "for --threads workers, at least two.",
                                      .name_case = name_case};
    static jobs_bench j = {.hint_lead_us = 100.0};
    int status = bench_begin(&j.b, &about, argc, argv);
    if (status >= 0)
        return status;
    j.many = j.b.threads > 2 ? j.b.threads : 2;
    j.iterations_us = calibrate();
    for (size_t i = 0; i < CASES; i++)
        if (bench_wants(&j.b, cases[i].name))
            run_case(&j, &cases[i]);
    if (bench_wants(&j.b, "trace") || bench_wants(&j.b, "trace_zone")) {
        trace_case_run(&j.b, 1, j.iterations_us);
        trace_case_run(&j.b, j.many, j.iterations_us);
    }
    return bench_end(&j.b);
}
