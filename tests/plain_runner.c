/* plain_runner.c - runs each test in a process of its own, or some together in one process, one
 * after the other.
 *
 * usage: NAME [OPTION...] [FILTER...]
 *   FILTER      run tests whose "suite/name" contains one of the filters
 *   --list      print the names of the tests that would run
 *   --part I/N  of these, run every N-th, beginning with the I-th
 *   --times     print beside each name the CPU seconds of its process, all threads together
 *   --together N  run N tests per process, 1 to 64 [1]. When a process fails, each of its
 *               tests is run again by itself, and that run decides whether it fails. The
 *               joint failure is reported on standard error
 * The last line is "N passed, N failed"; the exit status is 0 when none failed. A test fails
 * when its process does not end with status 0: by a failed check, a signal, a sanitizer's
 * report, or a leak (LeakSanitizer's exit status).
 */
#include "testing.h"

#if defined(_WIN32)
#include <errno.h>
#include <process.h>
#include <time.h>
#else
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static plain_test *first_test;

void plain_register(plain_test *test)
{
    plain_test **link = &first_test;
    while (*link != NULL)
        link = &(*link)->next;
    *link = test;
}

#define MOST_TOGETHER 64u

/* Tests that share a process. */
typedef struct group {
    const plain_test *tests[MOST_TOGETHER];
    unsigned count;
} group;

#if defined(_WIN32)

/* Windows has no fork: the program starts itself, once for each test. */
static const char *own_path;
#define MOST_STARTS 5

static bool run(const plain_test *const *tests, unsigned count)
{
    fflush(NULL);
    for (unsigned i = 0; i < count; ++i) {
        char name[256];
        snprintf(name, sizeof name, "%s/%s", tests[i]->suite, tests[i]->name);
        intptr_t status = -1;
        errno = EINVAL;
        /* When errno is set nothing was started; this happens under wine now and then on a busy
         * machine. */
        for (int attempt = 0; attempt < MOST_STARTS && status == -1 && errno != 0; ++attempt) {
            errno = 0;
            status = _spawnl(_P_WAIT, own_path, own_path, "--inside", name, NULL);
        }
        if (status != 0 && status != 1) /* 1: a check failed and was reported */
            fprintf(stderr, "%s: ended with %llx, errno %d\n", name, (unsigned long long)status,
                    errno);
        if (status != 0)
            return false;
    }
    return true;
}

/* Runs, in the process that was started for it, the test of that name. */
static int run_inside(const char *wanted)
{
    for (const plain_test *test = first_test; test != NULL; test = test->next) {
        char name[256];
        snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
        if (strcmp(name, wanted) != 0)
            continue;
        test->body();
        return 0;
    }
    return 1;
}

/* Uses the clock: Windows does not add up the times of child processes. */
static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#else

static bool run(const plain_test *const *tests, unsigned count)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        for (unsigned i = 0; i < count; ++i)
            tests[i]->body();
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (WIFSIGNALED(status) && count == 1)
        fprintf(stderr, "%s/%s: ended by signal %d\n", tests[0]->suite, tests[0]->name,
                WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* CPU seconds of all tests so far. A process counts once it has been waited for. */
static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

#endif

typedef struct choice {
    bool list, times;
    unsigned part, parts, seen, together;
    char **filters;
} choice;

static bool choose(char **argv, choice *out)
{
    *out = (choice){.part = 1, .parts = 1, .together = 1};
    bool good = true;
    for (; good && *argv != NULL && strncmp(*argv, "--", 2) == 0; ++argv) {
        if (strcmp(*argv, "--list") == 0)
            out->list = true;
        else if (strcmp(*argv, "--times") == 0)
            out->times = true;
        else if (strcmp(*argv, "--together") == 0)
            good = *++argv != NULL && sscanf(*argv, "%u", &out->together) == 1 &&
                   out->together >= 1 && out->together <= MOST_TOGETHER;
        else
            good = strcmp(*argv, "--part") == 0 && *++argv != NULL &&
                   sscanf(*argv, "%u/%u", &out->part, &out->parts) == 2 && out->part >= 1 &&
                   out->part <= out->parts;
    }
    out->filters = argv;
    return good;
}

static bool is_wanted(const char *name, choice *c)
{
    bool wanted = *c->filters == NULL;
    for (char **filter = c->filters; *filter != NULL && !wanted; ++filter)
        wanted = strstr(name, *filter) != NULL;
    return wanted && c->seen++ % c->parts == c->part - 1;
}

typedef struct tally {
    unsigned passed, failed;
} tally;

static void print(const plain_test *test, bool ok, const double *seconds, tally *t)
{
    printf("%s %s/%s", ok ? "ok    " : "FAILED", test->suite, test->name);
    if (seconds != NULL)
        printf(" %.2f s", *seconds);
    putchar('\n');
    t->passed += ok;
    t->failed += !ok;
}

static void run_alone(const group *g, bool times, tally *t)
{
    for (unsigned i = 0; i < g->count; ++i) {
        double before = cpu_seconds();
        bool ok = run(&g->tests[i], 1);
        double seconds = cpu_seconds() - before;
        print(g->tests[i], ok, times ? &seconds : NULL, t);
    }
}

static void run_group(group *g, bool times, tally *t)
{
    if (g->count == 1 || (g->count > 0 && !run(g->tests, g->count))) {
        if (g->count > 1)
            fprintf(stderr, "%s/%s and %u more failed together; now each by itself\n",
                    g->tests[0]->suite, g->tests[0]->name, g->count - 1);
        run_alone(g, times, t);
    } else {
        for (unsigned i = 0; i < g->count; ++i)
            print(g->tests[i], true, NULL, t);
    }
    g->count = 0;
}

#ifdef TEST_COUNTS_ALLOCATIONS
/* Each test is a process, and LeakSanitizer takes a third of its time. Where counting allocators
 * report leaks of the tested code, LeakSanitizer runs with ./dev test --full only. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return getenv("RICO_TEST_FULL") == NULL;
}
#endif

int main(int argc, char **argv)
{
    choice c;
    group g = {.count = 0};
    tally t = {0, 0};
#if defined(_WIN32)
    own_path = argv[0];
    if (argc == 3 && strcmp(argv[1], "--inside") == 0)
        return run_inside(argv[2]);
#endif
    if (argc < 1 || !choose(argv + 1, &c)) {
        fprintf(stderr,
                "usage: %s [--list] [--part I/N] [--times] [--together N] [FILTER...]\n",
                argv[0]);
        return 2;
    }
    for (const plain_test *test = first_test; test != NULL; test = test->next) {
        char name[256];
        snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
        if (!is_wanted(name, &c))
            continue;
        if (c.list) {
            puts(name);
            continue;
        }
        g.tests[g.count++] = test;
        if (g.count == c.together)
            run_group(&g, c.times, &t);
    }
    if (c.list)
        return 0;
    run_group(&g, c.times, &t);
    printf("%u passed, %u failed\n", t.passed, t.failed);
    return t.failed != 0 || t.passed == 0;
}
