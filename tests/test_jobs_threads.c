/* test_jobs_threads.c - the pool's threads: their names, where they run, and what happens when
 * some of them stand still. */
#define _GNU_SOURCE /* sched_getaffinity, pthread_getname_np */

#include "jobs_fixture.h"

#include "atomics.h"
#include "cpu_quota.h"
#include "thread.h"
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef __linux__

typedef struct started {
    rico__atomic32 count, workers;
} started;

static void note_start(void *user, uint32_t worker)
{
    started *s = user;
    rico__atomic_fetch_or32(&s->workers, 1u << worker);
    rico__atomic_fetch_add32(&s->count, 1);
}

/* Writes a file below the root and makes the directories that lead there. */
static void write_below(const char *root, const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    fputs(text, file);
    fclose(file);
}

/* Returns the quota once that file exists. */
static uint32_t quota_with(const char *root, const char *path, const char *text)
{
    write_below(root, path, text);
    return rico__cpu_quota(root);
}

static void remove_root(const char *root)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK_EQ(system(command), 0);
}

TEST(jobs, takes_the_least_cpu_quota_of_control_groups_of_version_2)
{
    static const char groups[] = "proc/self/cgroup", whole[] = "sys/fs/cgroup/cpu.max",
                      outer[] = "sys/fs/cgroup/outer/cpu.max",
                      inner[] = "sys/fs/cgroup/outer/inner/cpu.max";
    char root[] = "/tmp/rico-quota-XXXXXX";
    CHECK(mkdtemp(root) != NULL);
    CHECK_EQ(rico__cpu_quota(root), 0);
    CHECK_EQ(quota_with(root, groups, "0::/outer/inner\n"), 0);
    CHECK_EQ(quota_with(root, inner, "max 100000\n"), 0);
    CHECK_EQ(quota_with(root, inner, "350000 100000\n"), 4);
    CHECK_EQ(quota_with(root, outer, "200000 100000\n"), 2);
    CHECK_EQ(quota_with(root, whole, "900000 100000\n"), 2);
    CHECK_EQ(quota_with(root, whole, "5000 100000\n"), 1);
    write_below(root, whole, "1 2 3 nonsense\n");
    write_below(root, outer, "-5 0\n");
    CHECK_EQ(quota_with(root, inner, "nonsense\n"), 1);
    /* "::" stands for a group of version 2, the root */
    CHECK_EQ(quota_with(root, groups, "nonsense\n0:\n::\n"), 1);
    remove_root(root);
}

TEST(jobs, takes_the_cpu_quota_of_control_groups_of_version_1)
{
    static const char quota[] = "sys/fs/cgroup/cpu/cpu.cfs_quota_us";
    char root[] = "/tmp/rico-quota-XXXXXX";
    CHECK(mkdtemp(root) != NULL);
    write_below(root, "proc/self/cgroup",
                "9:cpuset:/a\n8:memory:/a\n4:cpuacct,cpu:/docker/1\n3:cpuset,cpux:/a\n");
    write_below(root, "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"); /* another group's */
    CHECK_EQ(quota_with(root, "sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"), 0);
    CHECK_EQ(quota_with(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n"), 0);
    CHECK_EQ(quota_with(root, quota, "-1\n"), 0);
    CHECK_EQ(quota_with(root, quota, "150001\n"), 4);
    remove_root(root);
}

TEST(jobs, keeps_no_more_awake_than_available_cpus_where_no_number_is_given)
{
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs = NULL;
    alarm(WATCHDOG_SECONDS);
    def.worker_count = rico__thread_cpu_count() + 2;
    def.most_awake = 0;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(crew_spare(&jobs->crew), 2);
    CHECK_EQ(run_fib(jobs, 12), 144);
    rico_jobs_destroy(jobs);
}

TEST(jobs, names_its_threads_and_calls_the_hook_on_each)
{
    alarm(WATCHDOG_SECONDS);
    started s = {0};
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 4;
    def.most_awake = 4;
    def.name = "particles-of-x";
    def.thread_start = note_start;
    def.thread_user = &s;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    while (rico__atomic_load32(&s.count) != 3)
        nap(100);
    CHECK_EQ(rico__atomic_load32(&s.workers), 2 + 4 + 8);
    char name[16];
    CHECK_EQ(pthread_getname_np(jobs->workers[2].thread.handle, name, sizeof name), 0);
    CHECK_MSG(strcmp(name, "particles-o-2") == 0, "the name is %s", name);
    rico_jobs_destroy(jobs);
}

static rico__cpu_set cpus_of(const rico_worker *worker)
{
    cpu_set_t cpus;
    rico__cpu_set set = {{0}};
    if (pthread_getaffinity_np(worker->thread.handle, sizeof cpus, &cpus) == 0)
        for (size_t i = 0; i < 64; i++)
            set.words[0] |= (uint64_t)(CPU_ISSET(i, &cpus) != 0) << i;
    return set;
}

TEST(jobs, keeps_its_threads_off_the_callers_cpu_wherever_it_goes)
{
    rico__cpu_set all = rico__thread_cpus();
    if (bits_count64(all.words[0]) < 2)
        return;
    rico_jobs *jobs = create(3, 64, 20);
    for (uint64_t left = all.words[0]; left != 0; left &= left - 1) {
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(bits_lowest64(left), &here);
        CHECK_EQ(sched_setaffinity(0, sizeof here, &here), 0);
        if (left == all.words[0])
            rico_jobs_frame_begin(jobs);
        else
            run_fib(jobs, 5);
        for (uint32_t i = 1; i < 3; i++)
            CHECK_EQ(cpus_of(&jobs->workers[i]).words[0], all.words[0] & ~(left & -left));
    }
    rico_jobs_destroy(jobs);
}

TEST(jobs, leaves_affinity_alone_when_told_to)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 2;
    def.keep_off_caller = false;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(run_fib(jobs, 10), 55);
    CHECK_EQ(cpus_of(&jobs->workers[1]).words[0], rico__thread_cpus().words[0]);
    rico_jobs_destroy(jobs);
}

#endif

static uint32_t asleep(const rico_jobs *jobs)
{
    return crew_asleep(&jobs->crew);
}

TEST(jobs, wakes_every_worker_ahead_of_a_frame_that_is_announced)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 4;
    def.most_awake = 4;
    def.spin_microseconds = 0;
    def.hint_microseconds = 100000;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    for (int round = 0; round < 3; round++) {
        while (asleep(jobs) != 3)
            nap(100);
        rico_jobs_frame_begin(jobs);
        bool all_awake = false; /* at some moment; each worker was woken by the one before */
        for (int i = 0; i < 100000 && !all_awake; i++) {
            all_awake = asleep(jobs) == 0;
            sched_yield();
        }
        CHECK(all_awake);
        CHECK_EQ(run_fib(jobs, 10), 55);
    }
    rico_jobs_destroy(jobs);
}

#if !defined(_WIN32)

/* A thread of the pool is stopped by a signal handler that does not return. SIGSTOP cannot be
 * used: the kernel stops the whole process. */
static rico__atomic32 stopped, may_go_on;

static void stand_still(int signal_number)
{
    (void)signal_number;
    rico__atomic_fetch_add32(&stopped, 1);
    while (rico__atomic_load32(&may_go_on) == 0) {
        const struct timespec a_while = {.tv_nsec = 1000000};
        nanosleep(&a_while, NULL);
    }
}

static void allow_signal(void *user, uint32_t worker)
{
    sigset_t set;
    (void)user, (void)worker;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void add_one(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        ((uint32_t *)context)[i] += 1;
}

TEST(jobs, finishes_frames_while_idle_workers_stand_still)
{
    static uint32_t values[1000];
    struct sigaction action = {.sa_handler = stand_still};
    sigaction(SIGUSR1, &action, NULL);
    for (uint32_t spin = 0; spin <= 10000; spin += 10000) { /* stopped in sleep; in search */
        alarm(WATCHDOG_SECONDS);
        rico_jobs_def def = rico_jobs_def_default();
        def.worker_count = 3;
        def.most_awake = 3;
        def.spin_microseconds = spin;
        def.thread_start = allow_signal;
        rico_jobs *jobs = NULL;
        CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
        nap(2000);
        rico__atomic_store32(&stopped, 0);
        rico__atomic_store32(&may_go_on, 0);
        for (uint32_t i = 1; i < 3; i++)
            pthread_kill(jobs->workers[i].thread.handle, SIGUSR1);
        while (rico__atomic_load32(&stopped) != 2)
            nap(100);
        memset(values, 0, sizeof values);
        for (int frame = 0; frame < 20; frame++)
            rico_jobs_for(jobs, 0, 1000, 10, add_one, values);
        bool right = true;
        for (int i = 0; i < 1000; i++)
            right &= values[i] == 20;
        CHECK(right);
        rico__atomic_store32(&may_go_on, 1);
        rico_jobs_destroy(jobs);
    }
}

#endif
