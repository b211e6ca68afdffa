/* bench_update - nanoseconds per particle and frame, in a steady state of births, bounces and
 * deaths, beside the streaming limit and the loop that a user writes. The three are measured in
 * turns, so that a noisy moment hits all of them; medians are reported. The peers have one
 * thread: with more than one for us, rows have no peer.
 *
 * Where osgParticle is installed, the cases plane/<n> are also measured against it
 * (osg_contest.h). That is done in turns of their own, because its particles are too large to
 * share a cache with the others'. two_threads/<n> compares plane/<n> on two threads with one,
 * and the streaming limit on two threads with one.
 */
#include "aos_loop.h"
#include "machine.h"
#include "median.h"
#ifdef BENCH_OSGPARTICLE
#include "osg_contest.h"
#endif
#include "rest_case.h"
#include "row.h"
#include "stream_limit.h"
#include "update_case.h"
#include "update_gain.h"
#include <ricochet/output.h>
#include <stdio.h>
#include <stdlib.h>

#define DT (1.0f / 60.0f)
#define MAX_SAMPLES 8192u

#define MOST_FRAMES (MAX_SAMPLES / 8u) /* samples of a case that is no contest */

typedef struct update_row update_row;

/* A case: its name, the function that measures it, and its parameters. */
struct update_row {
    const char *name;
    void (*measure)(bench *b, const update_row *r);
    update_kind kind;
    uint32_t particles;
};

static uint32_t rounds_of(const bench *b)
{
    return b->quick ? 15u : 45u;
}

/* One measured case with all contestants. Samples are single frames, ns per particle. Their
 * median ignores frames in which another program had the core. */
typedef struct contest {
    update_case *ours;
    stream_limit *limit; /* NULL: the peers are left out */
    aos_loop *aos;
    aos_loop_work aos_before;   /* what the loop had done before the first round */
    uint32_t particles, frames; /* frames: per round */
    uint32_t count;             /* samples of each contestant */
    double ours_ns[MAX_SAMPLES], limit_ns[MAX_SAMPLES], aos_ns[MAX_SAMPLES];
} contest;

static void contest_close(contest *c)
{
    if (!c)
        return;
    update_case_destroy(c->ours);
    stream_limit_destroy(c->limit);
    aos_loop_destroy(c->aos);
    free(c);
}

static bool open_peers(contest *c, update_kind kind)
{
    c->limit = stream_limit_create(c->particles);
    c->aos = aos_loop_create(c->particles, update_case_normal(kind), kind == UPDATE_CURVES);
    if (!c->limit || !c->aos)
        return false;
    /* Past the longest life, like ours: a loop is faster before the bounces start. */
    for (uint32_t i = 0; i < 300u; ++i)
        aos_loop_step(c->aos, DT);
    c->aos_before = aos_loop_done(c->aos);
    return true;
}

static contest *contest_open(update_kind kind, uint32_t particles, uint32_t threads)
{
    contest *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->particles = particles;
    c->ours = update_case_create(kind, particles, 1, threads);
    /* A round is about a million particle steps. */
    c->frames = 1000000u / particles + 4u;
    if (!c->ours || (threads == 1 && !open_peers(c, kind))) {
        contest_close(c);
        return NULL;
    }
    return c;
}

/* Each contestant runs a few frames in turn, so that its data is in cache as it would be alone.
 * The first frame of a turn, which loads the cache, is not counted. */
static void contest_round(contest *c)
{
    uint32_t first = c->count, frames = c->frames;
    uint64_t steps;
    update_case_run(c->ours, 1, &steps);
    for (uint32_t i = 0; i < frames && first + i < MAX_SAMPLES; ++i) {
        double ns = update_case_run(c->ours, 1, &steps);
        c->ours_ns[first + i] = steps > 0 ? ns / (double)steps : 0.0;
        c->count = first + i + 1;
    }
    if (!c->limit)
        return;
    stream_limit_pass(c->limit);
    for (uint32_t i = first; i < c->count; ++i) {
        uint64_t begin = machine_clock_ns();
        stream_limit_pass(c->limit);
        c->limit_ns[i] = (double)(machine_clock_ns() - begin) / (double)c->particles;
    }
    aos_loop_step(c->aos, DT);
    for (uint32_t i = first; i < c->count; ++i) {
        uint64_t begin = machine_clock_ns();
        aos_loop_step(c->aos, DT);
        c->aos_ns[i] = (double)(machine_clock_ns() - begin) / (double)c->particles;
    }
}

/* Whether two shares are the same within that part of ours. */
static bool is_near(double theirs, double ours, double part)
{
    return theirs >= (1.0 - part) * ours && theirs <= (1.0 + part) * ours;
}

/* Whether the loop did about our work, per particle and step. It bounces 0.309 times, ours 0.276,
 * because contact is another (aos_loop.h). Returns NULL, or what differs. */
static const char *check_aos(const contest *c)
{
    aos_loop_work done = aos_loop_done(c->aos);
    double steps = (double)(done.particle_steps - c->aos_before.particle_steps);
    double respawns = (double)(done.respawns - c->aos_before.respawns) / steps;
    double bounces = (double)(done.bounces - c->aos_before.bounces) / steps;
    double our_steps = (double)c->ours->particle_steps;
    if (!is_near(respawns, (double)c->ours->births / our_steps, 0.1))
        return "aos_loop does not respawn as often as particles are born with us";
    if (!is_near(bounces, (double)c->ours->bounces / our_steps, 0.25))
        return "aos_loop does not bounce about as often as our particles";
    return NULL;
}

static void fail_row(bench *b, const update_row *r, const char *why)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s", r->name, why);
    bench_fail(b, text);
}

/* A row for each peer, or one without. */
static void add_contest(bench *b, const update_row *r, contest *c)
{
    bench_row row = {.name = r->name,
                     .metric = "ns_per_particle",
                     .value = median(c->ours_ns, c->count),
                     .unit = "ns"};
    if (!c->limit) {
        bench_add(b, row);
        return;
    }
    row.peer = "stream_limit";
    row.peer_value = median(c->limit_ns, c->count);
    bench_add(b, row);
    const char *why = check_aos(c);
    if (why) {
        fail_row(b, r, why);
        return;
    }
    row.peer = "aos_loop";
    row.peer_value = median(c->aos_ns, c->count);
    bench_add(b, row);
}

static void measure_contest(bench *b, const update_row *r)
{
    const char *why;
    contest *c = contest_open(r->kind, r->particles, b->threads);
    if (!c) {
        bench_fail(b, "a case could not be set up");
        return;
    }
    for (uint32_t i = 0; i < rounds_of(b); ++i)
        contest_round(c);
    if (!update_case_is_steady(c->ours, &why))
        fail_row(b, r, why);
    add_contest(b, r, c);
    contest_close(c);
}

static void measure_plane(bench *b, const update_row *r)
{
    measure_contest(b, r);
#ifdef BENCH_OSGPARTICLE
    if (b->threads == 1)
        osg_contest_run(b, r->particles);
#endif
}

/* Always with two threads, whatever --threads is. */
static void measure_gain(bench *b, const update_row *r)
{
    update_gain gain;
    const char *why;
    if (!update_gain_measure(r->particles, rounds_of(b), &gain, &why)) {
        bench_fail(b, why);
        return;
    }
    const uint32_t threads = b->threads;
    b->threads = 2;
    bench_add(b, (bench_row){.name = r->name,
                             .metric = "speedup",
                             .value = gain.ours,
                             .unit = "x",
                             .peer = "stream_limit",
                             .peer_value = gain.stream});
    b->threads = threads;
}

/* --- Pairs --- */

#define PAIR_FRAMES 4u /* of a world in its turn */

/* Two worlds in turns. In every second round the second one goes first. */
typedef struct pair {
    update_case *worlds[2];
    double ns[2][MOST_FRAMES], steps[2][MOST_FRAMES]; /* of single frames; particle steps */
    uint32_t count;
} pair;

/* The first frame of a turn, which loads the cache, is not counted. */
static void pair_round(pair *p, uint32_t round)
{
    uint64_t steps;
    for (uint32_t turn = 0; turn < 2; ++turn) {
        uint32_t which = (turn + round) % 2u;
        update_case_run(p->worlds[which], 1, &steps);
        for (uint32_t i = p->count; i < p->count + PAIR_FRAMES; ++i) {
            p->ns[which][i] = update_case_run(p->worlds[which], 1, &steps);
            p->steps[which][i] = (double)steps;
        }
    }
    p->count += PAIR_FRAMES;
}

/* Measures and closes the two worlds. NULL: the run has failed. Else free it. */
static pair *pair_run(bench *b, const update_row *r, update_case *first, update_case *second)
{
    const char *why = "the worlds could not be created";
    pair *p = calloc(1, sizeof *p);
    bool ok = p && first && second;
    if (ok) {
        *p = (pair){.worlds = {first, second}};
        for (uint32_t i = 0; i < 2u * rounds_of(b); ++i)
            pair_round(p, i);
        ok = update_case_is_steady(first, &why) && update_case_is_steady(second, &why);
    }
    update_case_destroy(first);
    update_case_destroy(second);
    if (ok)
        return p;
    fail_row(b, r, why);
    free(p);
    return NULL;
}

/* The median of nanoseconds per particle of a world. */
static double pair_ns(const pair *p, uint32_t which)
{
    double each[MOST_FRAMES];
    for (uint32_t i = 0; i < p->count; ++i)
        each[i] = p->ns[which][i] / p->steps[which][i];
    return median(each, p->count);
}

/* Effects of 20 particles: what an effect costs beyond its particles. Theirs is the cost of as
 * many particles in one effect in the turn beside it. */
static void measure_small_effects(bench *b, const update_row *r)
{
    const uint32_t effects = r->particles / 20u;
    double ns[MOST_FRAMES];
    pair *p = pair_run(b, r, update_case_create(r->kind, r->particles, effects, b->threads),
                       update_case_create(r->kind, r->particles, 1, b->threads));
    if (!p)
        return;
    for (uint32_t i = 0; i < p->count; ++i) {
        double particles = p->steps[0][i] * p->ns[1][i] / p->steps[1][i];
        ns[i] = (p->ns[0][i] - particles) / (double)effects;
    }
    bench_add(b, (bench_row){.name = r->name,
                             .metric = "ns_per_effect",
                             .value = median(ns, p->count),
                             .unit = "ns"});
    free(p);
}

/* How much slower particles are with the force than without. */
static void measure_force(bench *b, const update_row *r)
{
    pair *p = pair_run(b, r, update_case_create(r->kind, r->particles, 1, b->threads),
                       update_case_create(UPDATE_NONE, r->particles, 1, b->threads));
    if (!p)
        return;
    bench_add(b, (bench_row){.name = r->name,
                             .metric = "ns_per_particle",
                             .value = pair_ns(p, 0),
                             .unit = "ns",
                             .peer = "no_force",
                             .peer_value = pair_ns(p, 1)});
    free(p);
}

/* --- Output ------------------------------------------------------------------------------- */

/* Size and colour change over life, so that they are stored per particle; constant ones would
 * leave less to read. The world steps in between, so that outputs read data left by a step. */
static void measure_packed(bench *b, const update_row *r)
{
    const uint32_t particles = r->particles;
    const uint32_t frames = 8u * rounds_of(b);
    double ns[MOST_FRAMES];
    size_t bytes = (size_t)particles * 5u / 4u * sizeof(rico_billboard);
    update_case *c = update_case_create(UPDATE_CURVES, particles, 1, b->threads);
    rico_output_def def = rico_output_def_default();
    def.capacity = particles * 5u / 4u;
    def.memory[0] = machine_memory(bytes);
    def.memory[1] = machine_memory(bytes);
    rico_output *output = NULL;
    if (c && def.memory[0] && def.memory[1])
        rico_output_create(c->world, &def, &output);
    rico_output_frame frame;
    for (uint32_t i = 0; output && i < frames; ++i) {
        uint64_t steps;
        update_case_run(c, 1, &steps);
        uint64_t begin = machine_clock_ns();
        rico_output_write(output, &c->first, 1, NULL, &frame);
        ns[i] = (double)(machine_clock_ns() - begin) / (double)frame.count;
    }
    if (!output || frame.count < particles * 9u / 10u || frame.lost > 0)
        bench_fail(b, "packed could not be measured");
    if (output)
        bench_add(b, (bench_row){.name = r->name,
                                 .metric = "ns_per_particle",
                                 .value = median(ns, frames),
                                 .unit = "ns"});
    rico_output_destroy(output);
    update_case_destroy(c);
    free(def.memory[0]);
    free(def.memory[1]);
}

/* --- Rest --------------------------------------------------------------------------------- */

#define REST_EFFECTS 1000u /* in the case of many particles; the other has ten in each */

static void measure_rest(bench *b, const update_row *r)
{
    const uint32_t steps = 8u * rounds_of(b);
    const bool many_effects = r->particles < 1000000u;
    const uint32_t effects = many_effects ? r->particles : REST_EFFECTS;
    const uint32_t each = many_effects ? 10u : r->particles / REST_EFFECTS;
    double ns[MOST_FRAMES];
    const char *why;
    if (!rest_case_measure(effects, each, b->threads, ns, steps, &why)) {
        bench_fail(b, why);
        return;
    }
    bench_add(b, (bench_row){.name = r->name,
                             .metric = "us_per_step",
                             .value = median(ns, steps) * 1.0e-3,
                             .unit = "us"});
}

/* --- Memory ------------------------------------------------------------------------------- */

/* Sparks as in the show: cached planes, colour over life, no ids. */
static rico_recipe make_sparks(void)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 80.0f;
    r.lifetime = (rico_range){1.5f, 2.5f};
    r.max_particles = 256;
    r.color.key_count = 2;
    r.color.at[1] = 1.0f;
    for (int i = 0; i < 4; ++i)
        r.color.rgba[1][i] = 0.1f;
    return r;
}

/* More effects than fit a budget, and the smallest budget that there is. */
#define MEMORY_BUDGET ((uint64_t)8 << 20)
#define LEAST_BUDGET ((uint64_t)64 << 10)
#define MEMORY_EFFECTS 2000u

/* Computes the bytes of a world whose particles have that budget, and the most that were ever
 * alive in it. False: it could not be made, or all found room. */
static bool fill_budget(uint64_t budget, uint64_t *bytes, uint32_t *alive)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1u << 20;
    def.particle_bytes = budget;
    def.worker_count = 1;
    rico_world *world;
    if (rico_world_create(&def, &world) != RICO_OK)
        return false;
    rico_recipe recipe = make_sparks();
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    for (uint32_t i = 0; i < MEMORY_EFFECTS; ++i)
        rico_effect_spawn(world, id, where);
    *alive = 0;
    for (uint32_t frame = 0; frame < 240u; ++frame) {
        rico_world_step(world, DT);
        uint32_t now = rico_world_get_stats(world).particles;
        *alive = now > *alive ? now : *alive;
    }
    *bytes = rico_world_get_stats(world).bytes;
    bool full = rico_world_get_stats(world).births_starved > 0;
    rico_world_destroy(world);
    return full;
}

/* Everything that grows with the budget (streams, block headers and requests, slack in partly
 * filled blocks, lists of blocks), divided by the particles that found room in it. */
static void measure_memory(bench *b, const update_row *r)
{
    uint64_t full, least;
    uint32_t alive, few;
    if (!fill_budget(MEMORY_BUDGET, &full, &alive) ||
        !fill_budget(LEAST_BUDGET, &least, &few) || alive <= few ||
        full - least < MEMORY_BUDGET - LEAST_BUDGET - 1024u) {
        bench_fail(b, "sparks/memory could not be measured");
        return;
    }
    bench_add(b, (bench_row){.name = r->name,
                             .metric = "bytes_per_particle",
                             .value = (double)(full - least) / (double)(alive - few),
                             .unit = "B"});
}

/* --- Cases -------------------------------------------------------------------------------- */

static const update_row rows[] = {
    {"plane/10000", measure_plane, UPDATE_PLANE, 10000},
    {"plane/100000", measure_plane, UPDATE_PLANE, 100000},
    {"plane/1000000", measure_plane, UPDATE_PLANE, 1000000},
    {"tilted/100000", measure_contest, UPDATE_TILTED, 100000},
    {"tilted/1000000", measure_contest, UPDATE_TILTED, 1000000},
    {"none/10000", measure_contest, UPDATE_NONE, 10000},
    {"none/100000", measure_contest, UPDATE_NONE, 100000},
    {"none/1000000", measure_contest, UPDATE_NONE, 1000000},
    {"curves/10000", measure_contest, UPDATE_CURVES, 10000},
    {"curves/100000", measure_contest, UPDATE_CURVES, 100000},
    {"curves/1000000", measure_contest, UPDATE_CURVES, 1000000},
    {"small_effects/10000", measure_small_effects, UPDATE_PLANE, 200000},
    {"turbulence/100000", measure_force, UPDATE_TURBULENCE, 100000},
    {"turbulence/1000000", measure_force, UPDATE_TURBULENCE, 1000000},
    {"vortex_field/100000", measure_force, UPDATE_VORTEX, 100000},
    {"vortex_field/1000000", measure_force, UPDATE_VORTEX, 1000000},
    {"two_threads/100000", measure_gain, UPDATE_PLANE, 100000},
    {"two_threads/1000000", measure_gain, UPDATE_PLANE, 1000000},
    {"packed/1000000", measure_packed, UPDATE_CURVES, 1000000},
    {"sleeping_effects/100000", measure_rest, UPDATE_PLANE, 100000},
    {"resting/10000000", measure_rest, UPDATE_PLANE, 10000000},
    {"sparks/memory", measure_memory, UPDATE_NONE, 0},
};

#define ROWS (sizeof rows / sizeof *rows)

static bool name_case(const void *settings, size_t index, char *out, size_t bytes)
{
    (void)settings;
    if (index < ROWS)
        snprintf(out, bytes, "%s", rows[index].name);
    return index < ROWS;
}

int main(int argc, char **argv)
{
    static const bench_about about = {.name = "update",
                                      .text = "Measures nanoseconds per particle and frame.",
                                      .name_case = name_case};
    bench b;
    int status = bench_begin(&b, &about, argc, argv);
    if (status >= 0)
        return status;
    if (b.threads > 1)
        fprintf(stderr, "bench_update: the peers have one thread and are left out; "
                        "two_threads/<n> has one for two\n");
    for (size_t i = 0; i < ROWS; ++i)
        if (bench_wants(&b, rows[i].name))
            rows[i].measure(&b, &rows[i]);
    return bench_end(&b);
}
