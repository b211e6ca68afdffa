/* plain_runner.c - runs each test in a process of its own, one after the other.
 *
 * usage: NAME [OPTION...] [FILTER...]
 *   FILTER      run tests whose "suite/name" contains one of them
 *   --list      print the names of what would run
 *   --part I/N  of these, run every N-th, beginning with the I-th
 *   --times     print beside each name the CPU seconds of its process, all threads together
 * The last line is "N passed, N failed"; the exit status is 0 when none failed. A test fails
 * when its process does not end with status 0: by a failed check, a signal, a sanitizer's
 * report, or a leak (LeakSanitizer's exit status).
 */
#include "testing.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static plain_test *first_test;

void plain_register(plain_test *test)
{
    plain_test **link = &first_test;
    while (*link != NULL)
        link = &(*link)->next;
    *link = test;
}

static bool run_one(const plain_test *test)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        test->body();
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s/%s: ended by signal %d\n", test->suite, test->name,
                WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef struct choice {
    bool list, times;
    unsigned part, parts, seen;
    char **filters;
} choice;

static bool choose(char **argv, choice *out)
{
    *out = (choice){.part = 1, .parts = 1};
    bool good = true;
    for (; good && *argv != NULL && strncmp(*argv, "--", 2) == 0; ++argv) {
        if (strcmp(*argv, "--list") == 0)
            out->list = true;
        else if (strcmp(*argv, "--times") == 0)
            out->times = true;
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

/* Of all tests so far: a process counts when it was waited for. */
static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static bool run_and_print(const plain_test *test, const char *name, bool times)
{
    double before = cpu_seconds();
    bool ok = run_one(test);
    printf("%s %s", ok ? "ok    " : "FAILED", name);
    if (times)
        printf(" %.2f s", cpu_seconds() - before);
    putchar('\n');
    return ok;
}

#ifdef TEST_COUNTS_ALLOCATIONS
/* Each test is a process, and LeakSanitizer takes a third of their time: where counting allocators tell of
 * leaks in what is tested, it looks with ./dev test --full only. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return getenv("RICO_TEST_FULL") == NULL;
}
#endif

int main(int argc, char **argv)
{
    choice c;
    unsigned passed = 0, failed = 0;
    if (argc < 1 || !choose(argv + 1, &c)) {
        fprintf(stderr, "usage: %s [--list] [--part I/N] [--times] [FILTER...]\n", argv[0]);
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
        bool ok = run_and_print(test, name, c.times);
        passed += ok;
        failed += !ok;
    }
    if (c.list)
        return 0;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
