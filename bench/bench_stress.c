/* bench_stress - thousands of effects that come and go, move, starve and exceed all limits.
 *
 * There is one case per kind of stress. Each runs until it is warm and is measured from then on.
 * Frame times are those of rico_world_step alone; edits are reported beside them.
 */
#include "courtyard.h"
#include "machine.h"
#include "ray_scenes.h"
#include "stress_report.h"

#include <string.h>

typedef struct stress_bench {
    bench b; /* first: the options' handlers get it */
    const char *frames_path;
    FILE *frames_file;
    ray_scenes files;
    rio_mesh sponza, courtyard; /* loaded when first needed */
    uint64_t frames;            /* 0 = as --quick and --full choose */
    double duration;            /* seconds per case; 0 = a number of frames */
    uint64_t effects, particles;
    bool full, faults,
        measured; /* measured: a case was measured, so the file of frames has its first line */
} stress_bench;

typedef struct stress_case {
    const char *suffix; /* end of the case's name: "/burst" */
    bool sponza;
    uint32_t what;
    uint32_t effects, particles;
    uint32_t quick_effects, quick_particles;
    uint32_t faults;
} stress_case;

#define EVERYTHING                                                                             \
    (STRESS_CHURN | STRESS_BURST | STRESS_MOVE | STRESS_STREAM | STRESS_TIME | STRESS_MODES)

static const stress_case cases[] = {
    {"", true, STRESS_CHURN, 10000, 1000000, 10000, 1000000, 0},
    {"", false, STRESS_CHURN, 1000, 100000, 1000, 100000, 0},
    {"/one_frame", false, STRESS_CHURN | STRESS_BURST, 5000, 300000, 2000, 60000, 0},
    {"/moving", false, STRESS_CHURN | STRESS_MOVE, 5000, 300000, 2000, 60000, 0},
    {"/streaming", false, STRESS_CHURN | STRESS_STREAM, 5000, 300000, 2000, 60000, 0},
    {"/full", false, STRESS_CHURN | STRESS_FULL | STRESS_MODES, 5000, 300000, 2000, 60000, 0},
    {"/time", false, STRESS_CHURN | STRESS_TIME, 5000, 300000, 2000, 60000, 0},
    {"/everything", false, EVERYTHING, 5000, 300000, 2000, 60000, 0},
    {"/everything_full", false, EVERYTHING | STRESS_FULL, 5000, 300000, 2000, 60000, 0},
    {"", false, STRESS_CHURN, 50000, 2000000, 50000, 400000, 0},
    {"", false, STRESS_CHURN, 50000, 10000000, 20000, 600000, 0},
};

#define MEMORY_AND_FILES (STRESS_FAULT_MEMORY | STRESS_FAULT_FILES)

/* The cases with --faults, in place of the others. */
static const stress_case fault_cases[] = {
    {"/faults_threads", false, EVERYTHING, 2000, 100000, 1000, 30000,
     MEMORY_AND_FILES | STRESS_FAULT_STALL},
    {"/faults_host_jobs", false, EVERYTHING | STRESS_FULL, 2000, 100000, 1000, 30000,
     MEMORY_AND_FILES | STRESS_FAULT_HOST_JOBS},
    {"/faults_rays", false, EVERYTHING & ~STRESS_STREAM, 2000, 100000, 1000, 30000,
     STRESS_FAULT_FILES | STRESS_FAULT_STALL | STRESS_FAULT_RAYS},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- Options ------------------------------------------------------------------------------ */

static bool set_scenes(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((stress_bench *)settings)->files.dir = value;
    return true;
}

static bool set_full(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((stress_bench *)settings)->full = true;
    return true;
}

static bool set_faults(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((stress_bench *)settings)->faults = true;
    return true;
}

static bool set_frames(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((stress_bench *)settings)->frames;
    return options_integer(value, 1, 100000000, out, error, error_bytes);
}

static bool set_duration(void *settings, const char *value, char *error, size_t error_bytes)
{
    double *out = &((stress_bench *)settings)->duration;
    return options_number(value, 0.0, 1.0e6, out, error, error_bytes);
}

static bool set_effects(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((stress_bench *)settings)->effects;
    return options_integer(value, 100, 500000, out, error, error_bytes);
}

static bool set_particles(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((stress_bench *)settings)->particles;
    return options_integer(value, 1000, 30000000, out, error, error_bytes);
}

static bool set_frames_file(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((stress_bench *)settings)->frames_path = value;
    return true;
}

/* Opens files before the first case, so that an error does not come after hours. */
static bool open_files(void *settings, char *error, size_t error_bytes)
{
    stress_bench *s = settings;
    file_list read = {.items = NULL};
    ray_scenes_list(&s->files, &read);
    bool apart = bench_files_are_apart(&s->b, &read, "--frames-file", s->frames_path, error,
                                       error_bytes);
    file_list_free(&read);
    if (!apart || s->frames_path == NULL)
        return apart;
    s->frames_file = fopen(s->frames_path, "w");
    if (!s->frames_file)
        snprintf(error, error_bytes, "--frames-file: %s: cannot be written", s->frames_path);
    return s->frames_file != NULL;
}

static const option_spec options[] = {
    {"effects", "N", "number of effects in every case, 100 to 500000", set_effects},
    {"particles", "N", "number of particles in every case, 1000 to 30000000", set_particles},
    {"frames", "N", "measured frames per case [600; --quick 100, --full 3600]", set_frames},
    {"duration", "SECONDS", "measured seconds per case, instead of --frames", set_duration},
    {"full", NULL, "measure one minute of frames per case", set_full},
    {"faults", NULL,
     "run cases with faults instead: edits get no memory, threads stand still for 50 ms, the\n"
     "host's jobs run late and in any order, its rays answer NaN, effect files are damaged",
     set_faults},
    {"frames-file", "FILE",
     "write one line per frame as CSV: times of the stages, counts and memory",
     set_frames_file},
    {"scenes", "DIR", "directory of sponza.obj [$RICO_SCENES, else ../shared/scenes]",
     set_scenes},
};

/* --- Cases -------------------------------------------------------------------------------- */

static const rio_mesh *mesh_of(stress_bench *s, const stress_case *c, char *why, size_t bytes)
{
    rio_mesh *mesh = c->sponza ? &s->sponza : &s->courtyard;
    if (mesh->positions)
        return mesh;
    if (c->sponza)
        return ray_scenes_make(&s->files, "sponza", mesh, why, bytes) ? mesh : NULL;
    snprintf(why, bytes, "out of memory");
    return rio_courtyard_create(1, mesh) == RICO_OK ? mesh : NULL;
}

static bool is_over(const stress_bench *s, const frame_log *log, uint64_t start)
{
    if (s->duration > 0.0)
        return log->count > 0 && (double)(machine_clock_ns() - start) * 1.0e-9 >= s->duration;
    uint64_t frames = s->frames > 0 ? s->frames : s->b.quick ? 100 : s->full ? 3600 : 600;
    return log->count >= frames;
}

static bool measure(stress_bench *s, stress_world *w, frame_log *log)
{
    frame_entry entry;
    for (uint32_t i = 0; i < STRESS_WARM_UP; ++i)
        stress_world_frame(w, &entry);
    w->bare_bytes = stress_world_bare_bytes(w);
    uint64_t start = machine_clock_ns();
    while (!is_over(s, log, start)) {
        stress_world_frame(w, &entry);
        if (!frame_log_add(log, &entry))
            return false;
    }
    return true;
}

static void run(stress_bench *s, const char *name, const stress_setup *setup)
{
    stress_world w;
    frame_log log = {0};
    if (!stress_world_open(&w, setup)) {
        bench_fail(&s->b, "the world of a case could not be created");
        return;
    }
    if (measure(s, &w, &log)) {
        stress_report(&s->b, name, &w, &log);
        if (s->frames_file)
            stress_write_frames(s->frames_file, !s->measured, name, &log);
        s->measured = true;
    } else {
        bench_fail(&s->b, "out of memory");
    }
    frame_log_free(&log);
    stress_world_close(&w);
}

static stress_setup setup_of(const stress_bench *s, const stress_case *c)
{
    stress_setup setup = {.effects = s->b.quick ? c->quick_effects : c->effects,
                          .particles = s->b.quick ? c->quick_particles : c->particles,
                          .threads = s->b.threads,
                          .what = c->what,
                          .faults = c->faults,
                          .seed = 1};
    if (s->effects > 0)
        setup.effects = (uint32_t)s->effects;
    if (s->particles > 0)
        setup.particles = (uint32_t)s->particles;
    return setup;
}

/* Names depend on --faults, --quick, --effects and --particles. */
static bool name_case(const void *settings, size_t index, char *out, size_t bytes)
{
    const stress_bench *s = settings;
    if (index >= (s->faults ? COUNT(fault_cases) : COUNT(cases)))
        return false;
    const stress_case *c = s->faults ? &fault_cases[index] : &cases[index];
    stress_setup setup = setup_of(s, c);
    snprintf(out, bytes, "%ux%u%s", setup.effects, setup.particles, c->suffix);
    return true;
}

static void run_case(stress_bench *s, const stress_case *c, const char *name)
{
    char why[RIO_ERROR_BYTES];
    stress_setup setup = setup_of(s, c);
    setup.mesh = mesh_of(s, c, why, sizeof why);
    if (setup.mesh)
        run(s, name, &setup);
    else
        bench_fail(&s->b, why);
}

int main(int argc, char **argv)
{
    static const bench_about about = {
        .name = "stress",
        .text = "Measures thousands of effects that start, end, move and run out of room.",
        .name_case = name_case,
        .more = options,
        .more_count = COUNT(options),
        .open_files = open_files};
    static stress_bench s;
    int status = bench_begin(&s.b, &about, argc, argv);
    if (status >= 0)
        return status;
    char name[CASE_NAME_BYTES];
    for (size_t i = 0; name_case(&s, i, name, sizeof name); ++i)
        if (bench_wants(&s.b, name))
            run_case(&s, s.faults ? &fault_cases[i] : &cases[i], name);
    if (s.frames_file && fclose(s.frames_file) != 0)
        bench_fail(&s.b, "the file of --frames-file could not be written");
    rio_mesh_free(&s.sponza);
    rio_mesh_free(&s.courtyard);
    ray_scenes_free(&s.files);
    return bench_end(&s.b);
}
