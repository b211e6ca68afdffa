#include "stress_faults.h"

#include "stress_patch.h"
#include "stress_random.h"
#include "stress_world.h"
#include <signal.h>
#include <string.h>
#include <time.h>

#define FAULTY_HOST_THREADS 2u
#define STALL_INTERVAL 97u /* frames */
#define FILE_INTERVAL 8u
#define CHANGE_INTERVAL 50u

/* --- Threads that stand still ------------------------------------------------------------- */

static void stand_still(int signal_number)
{
    const struct timespec a_while = {.tv_nsec = 50000000};
    (void)signal_number;
    nanosleep(&a_while, NULL);
}

/* The pool's threads take no signal but this one. */
static void note_thread(void *user, uint32_t worker)
{
    stress_faults *faults = user;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    faults->threads[worker] = pthread_self();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_mutex_lock(&faults->lock);
    faults->started[worker] = true;
    pthread_mutex_unlock(&faults->lock);
}

static bool has_started(stress_faults *faults, uint32_t worker)
{
    pthread_mutex_lock(&faults->lock);
    bool started = faults->started[worker];
    pthread_mutex_unlock(&faults->lock);
    return started;
}

static void stall_one(stress_world *w)
{
    uint32_t count = rico_jobs_worker_count(w->jobs);
    if (count < 2 || w->frame % STALL_INTERVAL != STALL_INTERVAL - 1)
        return;
    uint32_t worker = 1 + (uint32_t)(w->faults.stalls % (count - 1));
    if (!has_started(&w->faults, worker))
        return; /* the system has not started it yet */
    w->faults.stalls += 1;
    pthread_kill(w->faults.threads[worker], SIGUSR2);
}

/* --- Setting up the faults ----------------------------------------------------------------- */

bool stress_faults_prepare_jobs(stress_world *w, rico_jobs_def *def)
{
    if (w->setup.faults & STRESS_FAULT_HOST_JOBS) {
        thread_host_open(&w->faults.host, FAULTY_HOST_THREADS, w->setup.seed);
        w->faults.host_open = true;
        def->host = thread_host_jobs(&w->faults.host);
    } else if (w->setup.faults & STRESS_FAULT_STALL) {
        struct sigaction action = {.sa_handler = stand_still, .sa_flags = SA_RESTART};
        sigaction(SIGUSR2, &action, NULL);
        pthread_mutex_init(&w->faults.lock, NULL);
        w->faults.lock_made = true;
        def->thread_start = note_thread;
        def->thread_user = &w->faults;
    }
    return true;
}

static void count_message(void *user, rico_log_level level, const char *text)
{
    (void)level, (void)text;
    ((stress_faults *)user)->messages += 1;
}

bool stress_faults_prepare_world(stress_world *w, rico_world_def *def)
{
    if (w->setup.faults == 0)
        return true;
    def->log = (rico_log){count_message, &w->faults};
    def->max_effects += STRESS_FILE_EFFECTS;
    def->max_recipes += RIO_SOURCE_RECIPES;
    if (!(w->setup.faults & STRESS_FAULT_RAYS))
        return true;
    rico_mesh mesh = rio_mesh_view(w->setup.mesh);
    if (!faulty_rays_open(&w->faults.rays, &mesh, def->allocator))
        return false;
    def->ray_caster = faulty_rays_caster(&w->faults.rays);
    return true;
}

bool stress_faults_open(stress_world *w)
{
    rico_recipe recipe = stress_recipe_make(0, 50.0, true);
    return !(w->setup.faults & STRESS_FAULT_FILES) ||
           faulty_file_open(&w->faults.file, w->world, &recipe);
}

void stress_faults_close(stress_world *w)
{
    faulty_file_close(&w->faults.file);
}

void stress_faults_free(stress_world *w)
{
    faulty_rays_close(&w->faults.rays);
    if (w->faults.host_open)
        thread_host_close(&w->faults.host);
    if (w->faults.lock_made)
        pthread_mutex_destroy(&w->faults.lock);
}

/* --- In a frame --------------------------------------------------------------------------- */

/* The file's effects may end: damage can change a duration and leave the file valid. */
static void keep_file_effects(stress_world *w)
{
    for (uint32_t i = 0; i < STRESS_FILE_EFFECTS; ++i) {
        rico_effect_id *id = &w->faults.file_effects[i];
        if (rico_effect_is_alive(w->world, *id))
            continue;
        rico_transform place = w->effects[i % w->setup.effects].home;
        *id = rico_effect_spawn(w->world, w->faults.file.source.recipe, place);
        if (id->index1 == 0)
            ++w->lost;
    }
}

/* A shape that is prepared and released without being placed. */
static void try_shape(stress_world *w)
{
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id id = {0, 0};
    stress_patch patch;
    def.mesh = stress_patch_make(w->frame, &patch);
    rico_result result = rico_world_add_shape(w->world, &def, NULL, &id);
    if (result == RICO_OK)
        result = rico_world_remove_shape(w->world, id);
    if (result != RICO_OK && !stress_faults_explain(w))
        ++w->lost;
}

void stress_faults_begin_edits(stress_world *w)
{
    uint32_t faults = w->setup.faults;
    if (faults & STRESS_FAULT_MEMORY) {
        w->faults.failed_before = w->memory.failed;
        w->memory.fail_in = stress_random_below(&w->random, 3) == 0
                                ? 1 + stress_random_below(&w->random, 8)
                                : 0;
    }
    if ((faults & STRESS_FAULT_MEMORY) && !(faults & STRESS_FAULT_RAYS) &&
        w->frame % CHANGE_INTERVAL == 0)
        try_shape(w);
    if (faults & STRESS_FAULT_FILES) {
        keep_file_effects(w);
        if (w->frame % FILE_INTERVAL == 0 &&
            !faulty_file_write(&w->faults.file, w->world, &w->random, w->memory.fail_in > 0))
            ++w->lost;
    }
    if ((faults & STRESS_FAULT_RAYS) && w->frame % CHANGE_INTERVAL == 0 &&
        rico_world_ray_caster_changed(w->world) != RICO_OK)
        ++w->lost;
}

void stress_faults_end_edits(stress_world *w)
{
    w->memory.fail_in = 0;
    if (w->setup.faults & STRESS_FAULT_STALL && !(w->setup.faults & STRESS_FAULT_HOST_JOBS))
        stall_one(w);
}

bool stress_faults_explain(const stress_world *w)
{
    return w->memory.failed > w->faults.failed_before &&
           rico_world_last_result(w->world) == RICO_OUT_OF_MEMORY;
}

uint32_t stress_faults_effects(const stress_world *w)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < STRESS_FILE_EFFECTS; ++i)
        alive += rico_effect_is_alive(w->world, w->faults.file_effects[i]);
    return alive;
}
