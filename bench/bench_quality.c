/* bench_quality - do particles stay on their side of the floor, and what does it cost?
 *
 * For each scene, mode and query budget, every step of every followed particle is compared with
 * the truth (quality_truth.h, quality_judge.h). A second run without the truth is timed.
 */
#include "quality_run.h"
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EFFECTS 1000u

typedef struct quality_bench {
    bench b; /* first: the options' handlers get it */
    ray_scenes files;
    const char *charges_path;
    FILE *charges;
    const char *trace;
    uint32_t trace_emitter, trace_id;
    uint32_t effects, particles, sample; /* 0 = as the scene and --quick choose */
    bool kinds;                          /* a table by kind of emitter, on standard error */
} quality_bench;

typedef struct mode_case {
    const char *name;
    rico_collision_mode mode;
    float budget;
} mode_case;

static const mode_case mode_cases[] = {
    {"exact", RICO_COLLIDE_EXACT, 0.0f},      {"cached", RICO_COLLIDE_CACHED, 0.25f},
    {"cached", RICO_COLLIDE_CACHED, 1.0f},    {"cached", RICO_COLLIDE_CACHED, 8.0f},
    {"cached", RICO_COLLIDE_CACHED, 32.0f},   {"classic", RICO_COLLIDE_CLASSIC, 0.25f},
    {"classic", RICO_COLLIDE_CLASSIC, 1.0f},  {"classic", RICO_COLLIDE_CLASSIC, 8.0f},
    {"classic", RICO_COLLIDE_CLASSIC, 32.0f},
};

#define MODE_CASES (sizeof mode_cases / sizeof *mode_cases)

static const char *phase_of(uint32_t phase)
{
    const quality_setup unbaked = {.baked = false};
    return quality_phase_name(&unbaked, (quality_phase)phase);
}

static void name_case(const quality_scene_info *info, const char *mode, float budget,
                      const char *phase, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s/%s/%g/%s", info->name, mode, (double)budget, phase);
}

/* --- Rows ---------------------------------------------------------------------------------- */

static void add_row(quality_bench *q, const char *name, const char *metric, double value,
                    const char *unit)
{
    bench_add(&q->b, (bench_row){.name = name, .metric = metric, .value = value, .unit = unit});
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void add_tally(quality_bench *q, const char *name, const quality_setup *setup,
                      const quality_tally *t)
{
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c) {
        char metric[32];
        snprintf(metric, sizeof metric, "%s_pct", quality_charge_name(c));
        add_row(q, name, metric, percent(t->charged[c], t->lives), "%");
    }
    double frames = (double)t->frames * (double)setup->effects;
    add_row(q, name, "units_per_effect_frame", (double)t->units / frames, "units");
    add_row(q, name, "rays_per_effect_frame", (double)t->rays / frames, "rays");
    if (t->lookups > 0) {
        add_row(q, name, "hit_pct", percent(t->hits, t->lookups), "%");
        add_row(q, name, "cache_bytes", t->cache_bytes, "B");
    }
    if (setup->scene->info->question == QUALITY_ASK_INSIDE)
        add_row(q, name, "rest_inside_pct", percent(t->rested, t->inside), "%");
    if (setup->scene->info->question == QUALITY_ASK_RIDE)
        add_row(q, name, "ride_pct", percent(t->rode, t->boarded), "%");
    /* The judge has not seen the bounces of dropped events. */
    if (t->events_dropped > 0)
        add_row(q, name, "unreported_pct",
                percent(t->events_dropped, t->events + t->events_dropped), "%");
    add_row(q, name, "lives", (double)t->lives, "lives");
}

static void print_kinds(const char *name, const quality_tally *t)
{
    fprintf(stderr, "%s\n", name);
    for (uint32_t k = 0; k < QUALITY_KIND_COUNT; ++k) {
        fprintf(stderr, "  %-10s", quality_kind_name((quality_kind)k));
        for (uint32_t c = 0; c < QUALITY_CHARGES; ++c)
            fprintf(stderr, " %s %.2f", quality_charge_name(c),
                    percent(t->kind_charged[k][c], t->kind_lives[k]));
        fputc('\n', stderr);
    }
}

/* --- Cases --------------------------------------------------------------------------------- */

/* Scenes that are run in mode cached at one query only. */
static bool is_special(const quality_scene_info *info)
{
    return strcmp(info->name, info->world) != 0;
}

/* One particle of this many is followed. */
static uint32_t sample_of(const quality_bench *q, const quality_setup *setup)
{
    uint32_t particles = setup->particles * setup->effects;
    if (q->sample != 0)
        return q->sample;
    if (!q->b.quick || setup->scene->info->quick_effects == 0)
        return setup->scene->info->sample;
    return particles > 10000u ? 6u : particles > 2000u ? 2u : 1u;
}

/* Checks that there were as many lives as there should be, at all times. */
static void check_lives(quality_bench *q, const quality_setup *setup,
                        const quality_options *options, const quality_tally *t)
{
    double born = (double)setup->effects * (double)(setup->particles / 3u) * (double)t->frames /
                  (double)QUALITY_RATE / (double)options->sample;
    if (t->births_starved > 0)
        bench_fail(&q->b, "births did not happen for lack of room");
    if ((double)t->lives < 0.7 * born || (double)t->lives > 1.3 * born)
        bench_fail(&q->b, "the number of particle lives is not the expected one");
    if (t->bounces_lost > 0)
        bench_fail(&q->b, "some bounces were not judged: a particle had too many in one frame");
}

static void add_case(quality_bench *q, const quality_setup *setup, const mode_case *m,
                     quality_phase phase, const quality_result *result)
{
    char name[96];
    name_case(setup->scene->info, m->name, m->budget, quality_phase_name(setup, phase), name,
              sizeof name);
    if (!bench_wants(&q->b, name))
        return;
    add_tally(q, name, setup, &result->phase[phase]);
    add_row(q, name, "ns_per_particle",
            phase == QUALITY_COLD ? result->cost.cold : result->cost.warm, "ns");
    if (phase == QUALITY_WARM)
        add_row(q, name, "fixed_ns_per_particle", result->cost.fixed, "ns");
    if (q->kinds)
        print_kinds(name, &result->phase[phase]);
}

static void run_mode(quality_bench *q, const quality_setup *like, const mode_case *m,
                     quality_base *base)
{
    quality_setup setup = *like, plain;
    setup.mode = m->mode;
    setup.budget = m->budget;
    plain = setup;
    plain.watched = false;
    bool exact = m->mode == RICO_COLLIDE_EXACT;
    quality_options options = {
        .sample = sample_of(q, &setup),
        .warm_frames = (q->b.quick ? 2u : 4u) * QUALITY_RATE,
        .steady = exact,
        .base = q->b.quick ? base : NULL,
        .trace = q->trace != NULL,
        .trace_emitter = q->trace_emitter,
        .trace_id = q->trace_id,
        .charges = q->charges,
    };
    quality_result result;
    bool ok = quality_run(&setup, &options, &result);
    if (ok && !q->b.quick)
        ok = quality_cost_measure(&plain, base, QUALITY_WARM_FRAME, &result.cost);
    if (!ok)
        bench_fail(&q->b, "a world could not be created");
    for (uint32_t p = QUALITY_COLD; ok && p < QUALITY_PHASES; ++p) {
        check_lives(q, &setup, &options, &result.phase[p]);
        add_case(q, &setup, m, (quality_phase)p, &result);
    }
}

/* Runs mode cached with all records in the cache from the first frame on. */
static void run_baked(quality_bench *q, const quality_setup *like, const mode_case *m,
                      quality_base *base)
{
    char name[96];
    quality_setup setup = *like, plain;
    setup.mode = m->mode;
    setup.budget = m->budget;
    setup.baked = true;
    plain = setup;
    plain.watched = false;
    name_case(like->scene->info, m->name, m->budget, "baked", name, sizeof name);
    if (m->mode != RICO_COLLIDE_CACHED || (q->b.quick && m->budget != 1.0f) ||
        !bench_wants(&q->b, name))
        return;
    quality_options options = {.sample = sample_of(q, &setup),
                               .base = q->b.quick ? base : NULL,
                               .charges = q->charges};
    quality_result result;
    bool ok = quality_run(&setup, &options, &result);
    if (ok && !q->b.quick)
        ok = quality_cost_measure(&plain, base, 0, &result.cost);
    if (!ok) {
        bench_fail(&q->b, "a world could not be created");
        return;
    }
    check_lives(q, &setup, &options, &result.phase[QUALITY_COLD]);
    add_case(q, &setup, m, QUALITY_COLD, &result);
}

static bool mode_is_wanted(quality_bench *q, const quality_scene_info *info, const mode_case *m)
{
    char name[96];
    bool usual = m->mode == RICO_COLLIDE_CACHED && m->budget == 1.0f;
    if (is_special(info) && !usual)
        return false;
    name_case(info, m->name, m->budget, "", name, sizeof name);
    return bench_wants(&q->b, name);
}

/* False when --case names only the mode's baked row. */
static bool mode_runs(quality_bench *q, const quality_scene_info *info, const mode_case *m)
{
    char name[96];
    for (uint32_t p = 0; p < QUALITY_PHASES; ++p) {
        name_case(info, m->name, m->budget, phase_of(p), name, sizeof name);
        if (bench_wants(&q->b, name))
            return true;
    }
    return false;
}

static void run_scene(quality_bench *q, const quality_scene *scene, bool fixed)
{
    static quality_emitter emitters[MOST_EFFECTS];
    const quality_scene_info *info = scene->info;
    bool quick = q->b.quick && info->quick_effects > 0;
    uint32_t effects = quick ? info->quick_effects : info->effects;
    uint32_t particles = quick ? info->quick_particles : info->particles;
    quality_setup setup = {
        .scene = scene,
        .emitters = emitters,
        .effects = q->effects ? q->effects : effects,
        .particles = q->particles ? q->particles : particles,
        .cache_bytes = info->cache_bytes,
        .threads = q->b.threads,
        .watched = true,
    };
    if (!quality_emitters_place(scene, emitters, setup.effects)) {
        bench_fail(&q->b, "a scene has no free place for its emitters");
        return;
    }
    quality_base base;
    quality_setup like = setup;
    like.watched = q->b.quick; /* with --quick timed in the same run, else in one of its own */
    if (!quality_base_open(&base, &like)) {
        bench_fail(&q->b, "a world could not be created");
        quality_base_close(&base);
        return;
    }
    for (uint32_t p = 0; fixed && p < QUALITY_PHASES; ++p) {
        char name[96];
        name_case(scene->info, "fixed", 0.0f, phase_of(p), name, sizeof name);
        if (bench_wants(&q->b, name))
            add_row(q, name, "ns_per_particle",
                    p == QUALITY_COLD ? base.cost.cold : base.cost.warm, "ns");
    }
    for (uint32_t m = 0; m < MODE_CASES; ++m)
        if (mode_is_wanted(q, scene->info, &mode_cases[m])) {
            if (mode_runs(q, scene->info, &mode_cases[m]))
                run_mode(q, &setup, &mode_cases[m], &base);
            run_baked(q, &setup, &mode_cases[m], &base);
        }
    quality_base_close(&base);
}

static void run_info(quality_bench *q, const quality_scene_info *info)
{
    char why[RIO_ERROR_BYTES], name[96];
    quality_scene scene;
    name_case(info, "fixed", 0.0f, "", name, sizeof name);
    bool fixed = !is_special(info) && bench_wants(&q->b, name), any = fixed;
    bool named = q->b.only && strncmp(q->b.only, info->name, strlen(info->name)) == 0;
    if (q->b.quick && info->quick_effects == 0 && !named)
        return;
    for (uint32_t m = 0; m < MODE_CASES; ++m)
        any = any || mode_is_wanted(q, info, &mode_cases[m]);
    if (!any)
        return;
    if (!quality_scene_make(&scene, info, &q->files, why, sizeof why)) {
        bench_leave_out(&q->b, info->name, why);
        return;
    }
    run_scene(q, &scene, fixed);
    quality_scene_free(&scene);
}

/* --- Options ------------------------------------------------------------------------------- */

static bool take_scenes(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((quality_bench *)settings)->files.dir = value;
    return true;
}

static bool take_number(uint32_t *out, uint64_t most, const char *value, char *error,
                        size_t error_bytes)
{
    uint64_t number;
    if (!options_integer(value, 1, most, &number, error, error_bytes))
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool take_effects(void *settings, const char *value, char *error, size_t error_bytes)
{
    return take_number(&((quality_bench *)settings)->effects, MOST_EFFECTS, value, error,
                       error_bytes);
}

static bool take_particles(void *settings, const char *value, char *error, size_t error_bytes)
{
    return take_number(&((quality_bench *)settings)->particles, 10000, value, error,
                       error_bytes);
}

static bool take_sample(void *settings, const char *value, char *error, size_t error_bytes)
{
    return take_number(&((quality_bench *)settings)->sample, 10000, value, error, error_bytes);
}

static bool take_trace(void *settings, const char *value, char *error, size_t error_bytes)
{
    quality_bench *q = settings;
    char end;
    q->trace = value;
    if (sscanf(value, "%u/%u%c", &q->trace_emitter, &q->trace_id, &end) == 2)
        return true;
    snprintf(error, error_bytes,
             "'%.80s' is not the numbers of an emitter and a particle, such as 12/3480", value);
    return false;
}

static bool take_kinds(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((quality_bench *)settings)->kinds = true;
    return true;
}

static bool take_charges(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((quality_bench *)settings)->charges_path = value;
    return true;
}

static bool open_files(void *settings, char *error, size_t error_bytes)
{
    quality_bench *q = settings;
    file_list read = {.items = NULL};
    ray_scenes_list(&q->files, &read);
    bool apart =
        bench_files_are_apart(&q->b, &read, "--charges", q->charges_path, error, error_bytes);
    file_list_free(&read);
    if (!apart || q->charges_path == NULL)
        return apart;
    q->charges = fopen(q->charges_path, "w");
    if (!q->charges)
        snprintf(error, error_bytes, "--charges: %s: cannot be written", q->charges_path);
    return q->charges != NULL;
}

static bool name_scene(const void *q, size_t index, char *out, size_t bytes)
{
    (void)q;
    if (index < quality_scene_count)
        snprintf(out, bytes, "%s/", quality_scene_infos[index].name);
    return index < quality_scene_count;
}

int main(int argc, char **argv)
{
    static const option_spec more[] = {
        {"scenes", "DIR",
         "directory of sponza.obj and dungeon.obj [$RICO_SCENES, else\n"
         "../shared/scenes]",
         take_scenes},
        {"effects", "N", "number of effects in each scene, 1 to 1000", take_effects},
        {"particles", "N", "number of particles of each effect, 1 to 10000", take_particles},
        {"sample", "N", "follow one of every N particles, 1 to 10000", take_sample},
        {"kinds", NULL, "also print the shares of each kind of emitter, on standard error",
         take_kinds},
        {"charges", "FILE",
         "write a line for each fault that a particle is charged with: scene, mode,\n"
         "budget, phase, emitter, kind, particle, fault, position",
         take_charges},
        {"trace", "E/P", "print the path of emitter E's particle P on standard error",
         take_trace},
    };
    static const bench_about about = {
        .name = "quality",
        .text =
            "Measures how many particles fall through the world, and what collisions cost.\n"
            "Cases are SCENE/MODE/BUDGET/PHASE, for example sponza/cached/1/cold.",
        .name_case = name_scene,
        .more = more,
        .more_count = sizeof more / sizeof *more,
        .open_files = open_files};
    quality_bench q;
    memset(&q, 0, sizeof q);
    int status = bench_begin(&q.b, &about, argc, argv);
    if (status >= 0)
        return status;
    for (uint32_t i = 0; i < quality_scene_count; ++i)
        run_info(&q, &quality_scene_infos[i]);
    if (q.charges && fclose(q.charges) != 0)
        bench_fail(&q.b, "the file of --charges could not be written");
    ray_scenes_free(&q.files);
    return bench_end(&q.b);
}
