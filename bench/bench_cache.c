/* bench_cache - the cost of a look-up, a deposit and its merge.
 *
 * Look-ups: rico_cache_find_many with 256 keys at a time. Hits are counted; payloads are not
 * read (`read`: payloads are prefetched and their first words read). `near` keys have an order
 * like that of particles: clusters that wander over neighbouring cells. `random` keys lie
 * anywhere in the table.
 * Merges: the deposits of a frame, which are records of new cells with the lengths of a world's,
 * and their merge, per record. The table fills up (`merge`), or is full, so that each record
 * evicts others (`merge_full`). One thread and all threads are measured in turns, with the same
 * table.
 */
#include "cache_case.h"
#include "machine.h"
#include "median.h"
#include "row.h"

#include <ricochet/jobs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256u
#define KEYS 65536u    /* per run: 0.5 MiB of keys, read in order */
#define DEPOSITS 4096u /* per frame */
#define MERGE_MEBIBYTES 64u
#define MOST_RUNS 201u

/* --- Look-ups ------------------------------------------------------------------------------ */

typedef enum order { ORDER_NEAR, ORDER_RANDOM } order;

/* Blocks of 256 particles, each around a place of its own. A particle is a few cells to either
 * side of that place; half of the particles are in the cell of the one before. */
static uint32_t near_cell(uint32_t i, uint32_t cells)
{
    uint32_t place = cache_case_random(i / 256u, cells);
    uint32_t group = cache_case_random(0x100000000u + i / 2u, 1024);
    uint32_t cell = place + group % 8u + 64u * (group / 8u % 8u) + 4096u * (group / 64u % 2u);
    return cell % cells;
}

static void choose_keys(const cache_case *c, order how, bool hits, rico_cache_key *keys)
{
    for (uint32_t i = 0; i < KEYS; ++i) {
        uint32_t cell = how == ORDER_NEAR ? near_cell(i, c->filled)
                                          : cache_case_random(7u * KEYS + i, c->filled);
        keys[i] = cache_case_key(hits ? cell : cell + c->filled);
    }
}

/* One pass over the keys; returns the number found. */
static uint32_t look_up(rico_cache *cache, const rico_cache_key *keys, uint64_t *words)
{
    const void *payloads[BATCH];
    uint32_t found = 0;
    (void)words;
    for (uint32_t at = 0; at < KEYS; at += BATCH) {
        rico_cache_find_many(cache, keys + at, BATCH, 0, payloads);
        for (uint32_t i = 0; i < BATCH; ++i)
            found += payloads[i] != NULL;
    }
    return found;
}

/* The same, and the first word of each payload is read. */
static uint32_t look_up_and_read(rico_cache *cache, const rico_cache_key *keys, uint64_t *words)
{
    const void *payloads[BATCH];
    uint32_t found = 0;
    for (uint32_t at = 0; at < KEYS; at += BATCH) {
        rico_cache_find_many(cache, keys + at, BATCH, 0, payloads);
        for (uint32_t i = 0; i < BATCH; ++i)
            __builtin_prefetch(payloads[i]);
        for (uint32_t i = 0; i < BATCH; ++i) {
            const uint64_t *payload = payloads[i];
            found += payload != NULL;
            *words += payload != NULL ? *payload : 0;
        }
    }
    return found;
}

static void measure_look_ups(bench *b, const cache_case *c, const char *name, order how,
                             bool hits, bool read)
{
    static rico_cache_key keys[KEYS];
    static double ns[MOST_RUNS];
    uint32_t runs = b->quick ? 41u : MOST_RUNS, least = KEYS, most = 0;
    uint64_t words = 0;
    if (!bench_wants(b, name))
        return;
    choose_keys(c, how, hits, keys);
    for (uint32_t r = 0; r < runs; ++r) {
        uint64_t begin = machine_clock_ns();
        uint32_t found = (read ? look_up_and_read : look_up)(c->cache, keys, &words);
        ns[r] = (double)(machine_clock_ns() - begin) / KEYS;
        least = found < least ? found : least;
        most = found > most ? found : most;
    }
    bench_add(b, (bench_row){.name = name,
                             .metric = "ns_per_lookup",
                             .value = median(ns, runs),
                             .unit = "ns"});
    if (hits ? least < KEYS / 10u * 9u : most > 0)
        bench_fail(b, "look-ups missed records that are in the cache");
}

static void run_look_ups(bench *b, uint64_t mebibytes)
{
    static const struct {
        const char *suffix;
        order how;
        bool hits, read;
    } cases[] = {{"", ORDER_RANDOM, true, false},
                 {"/random_miss", ORDER_RANDOM, false, false},
                 {"/near_hit", ORDER_NEAR, true, false},
                 {"/near_miss", ORDER_NEAR, false, false},
                 {"/random_hit_read", ORDER_RANDOM, true, true},
                 {"/near_hit_read", ORDER_NEAR, true, true}};
    cache_case c = {0};
    char name[64];
    snprintf(name, sizeof name, "lookup/%u/", (unsigned)mebibytes);
    if (!bench_wants(b, name))
        return;
    if (!cache_case_open(&c, mebibytes, DEPOSITS, 1)) {
        bench_fail(b, "out of memory");
        return;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(name, sizeof name, "lookup/%u%s", (unsigned)mebibytes, cases[i].suffix);
        measure_look_ups(b, &c, name, cases[i].how, cases[i].hits, cases[i].read);
    }
    cache_case_close(&c);
}

/* --- Merges -------------------------------------------------------------------------------- */

typedef struct frame_work {
    cache_case *c;
    uint32_t first; /* cell */
} frame_work;

static void deposit_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const frame_work *work = context;
    for (uint32_t i = begin; i < end; ++i)
        cache_case_deposit(work->c, work->first + i, rico_worker_index(worker));
}

static void merge_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    rico_cache_merge_range(context, begin, end);
}

/* Deposits and merges a frame's records of new cells; returns nanoseconds. */
static double run_frame(cache_case *c, rico_jobs *jobs, uint32_t first)
{
    frame_work work = {c, first};
    uint64_t begin = machine_clock_ns();
    rico_jobs_for(jobs, 0, c->deposits, 64, deposit_range, &work);
    rico_cache_merge_begin(c->cache, c->frame);
    rico_jobs_for(jobs, 0, rico_cache_shard_count(c->cache), 1, merge_range, c->cache);
    rico_cache_merge_end(c->cache);
    c->frame += 1;
    return (double)(machine_clock_ns() - begin);
}

/* Makes the cells and bytes of deposits without depositing them, to measure that part. */
static void make_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const frame_work *work = context;
    uint64_t payload[CACHE_CASE_MOST_BYTES / 8u], sum = 0;
    (void)worker;
    for (uint32_t i = work->first + begin; i < work->first + end; ++i) {
        memset(payload, (int)(i & 255u), cache_case_bytes(i));
        __asm__ volatile("" : : "r"(payload) : "memory");
        sum += cache_case_key(i);
    }
    __asm__ volatile("" : : "r"(sum));
}

/* Called just before the frame, so that all workers are awake, as they are in the frames of a
 * world. */
static double make_records(rico_jobs *jobs, uint32_t first)
{
    frame_work work = {NULL, first};
    uint64_t begin = machine_clock_ns();
    rico_jobs_for(jobs, 0, DEPOSITS, 64, make_range, &work);
    return (double)(machine_clock_ns() - begin);
}

/* Nanoseconds per record over `runs` frames from cell `first` on, without the time for making
 * the records. */
static double time_frames(bench *b, cache_case *c, rico_jobs *jobs, uint32_t first,
                          uint32_t runs, double *ns)
{
    uint64_t inserted = rico_cache_get_stats(c->cache).inserted;
    for (uint32_t r = 0; r < runs; ++r, first += DEPOSITS) {
        double made = make_records(jobs, first);
        ns[r] = (run_frame(c, jobs, first) - made) / DEPOSITS;
    }
    if (rico_cache_get_stats(c->cache).inserted - inserted <
        (uint64_t)runs * DEPOSITS / 10u * 9u)
        bench_fail(b, "records were not merged into the cache");
    return median(ns, runs);
}

/* Fills the table from a quarter of its record capacity to half of it, by each pool in turn,
 * several times over: the speed of a shared machine may change within a second. */
static void time_filling(bench *b, cache_case *c, rico_jobs *const pools[2], double ns[2])
{
    static double frames[MOST_RUNS], rounds[2][MOST_RUNS];
    uint32_t count = b->quick ? 5u : 15u, first = c->filled / 2u;
    for (uint32_t r = 0; r < count; ++r)
        for (uint32_t k = 0; k < 2; ++k) {
            cache_case_refill(c, first);
            rounds[k][r] = time_frames(b, c, pools[k], first, first / DEPOSITS, frames);
        }
    for (uint32_t k = 0; k < 2; ++k)
        ns[k] = median(rounds[k], count);
}

#define FULL_FRAMES 20u /* per turn */

/* Goes beyond the whole table until it is full; then times each pool in turn. */
static void time_full(bench *b, cache_case *c, rico_jobs *const pools[2], double ns[2])
{
    static double frames[MOST_RUNS], rounds[2][MOST_RUNS];
    uint32_t count = b->quick ? 3u : 7u, first = c->filled;
    for (; first < 3u * c->filled; first += DEPOSITS)
        run_frame(c, pools[1], first);
    for (uint32_t r = 0; r < count; ++r)
        for (uint32_t k = 0; k < 2; ++k, first += FULL_FRAMES * DEPOSITS)
            rounds[k][r] = time_frames(b, c, pools[k], first, FULL_FRAMES, frames);
    for (uint32_t k = 0; k < 2; ++k)
        ns[k] = median(rounds[k], count);
}

static void add_merge(bench *b, const char *kind, uint32_t threads, double ns, double alone)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%u", kind, threads);
    if (bench_wants(b, name))
        bench_add(b, (bench_row){.name = name,
                                 .metric = "ns_per_record",
                                 .value = ns,
                                 .unit = "ns",
                                 .peer = threads > 1 ? "one_thread" : NULL,
                                 .peer_value = alone});
}

static uint32_t most_threads(const bench *b)
{
    return b->threads > 1 ? b->threads : 2u;
}

static bool open_pools(rico_jobs *pools[2], uint32_t threads)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 1;
    if (rico_jobs_create(&def, &pools[0]) != RICO_OK)
        return false;
    def.worker_count = threads;
    return rico_jobs_create(&def, &pools[1]) == RICO_OK;
}

static void run_merges(bench *b)
{
    uint32_t threads = most_threads(b);
    double filling[2], full[2];
    rico_jobs *pools[2] = {NULL, NULL};
    cache_case c = {0};
    if (!bench_wants(b, "merge/") && !bench_wants(b, "merge_full/"))
        return;
    if (open_pools(pools, threads) && cache_case_open(&c, MERGE_MEBIBYTES, DEPOSITS, threads)) {
        time_filling(b, &c, pools, filling);
        time_full(b, &c, pools, full);
        add_merge(b, "merge", 1, filling[0], 0.0);
        add_merge(b, "merge", threads, filling[1], filling[0]);
        add_merge(b, "merge_full", 1, full[0], 0.0);
        add_merge(b, "merge_full", threads, full[1], full[0]);
    } else {
        bench_fail(b, "out of memory");
    }
    cache_case_close(&c);
    rico_jobs_destroy(pools[1]);
    rico_jobs_destroy(pools[0]);
}

static bool name_case(const void *b, size_t index, char *out, size_t bytes)
{
    static const char *const names[] = {"lookup/16/", "lookup/64/", "merge/", "merge_full/"};
    (void)b;
    if (index < 4)
        snprintf(out, bytes, "%s", names[index]);
    return index < 4;
}

int main(int argc, char **argv)
{
    static const bench_about about = {
        .name = "cache",
        .text = "Measures look-ups, deposits and merges of the cache.",
        .name_case = name_case};
    bench b;
    int status = bench_begin(&b, &about, argc, argv);
    if (status >= 0)
        return status;
    run_look_ups(&b, 16);
    run_look_ups(&b, 64);
    run_merges(&b);
    return bench_end(&b);
}
