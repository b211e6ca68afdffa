/* test_jobs_trace.c - traces: which events are kept, and that the output is well-formed. */
#include "jobs_fixture.h"

#include <ricochet/jobs_trace.h>

typedef struct trace_text {
    char text[200000];
    size_t bytes;
    unsigned calls, stop_after;
} trace_text;

static bool keep(void *user, const char *text, size_t bytes)
{
    trace_text *t = user;
    if (++t->calls == t->stop_after || t->bytes + bytes >= sizeof t->text)
        return false;
    memcpy(t->text + t->bytes, text, bytes);
    t->bytes += bytes;
    t->text[t->bytes] = '\0';
    return true;
}

static rico_jobs *create_traced(uint32_t workers, uint32_t capacity)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.most_awake = workers;
    def.spin_microseconds = 5;
    def.trace_capacity = capacity;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

static void mark_zone(rico_worker *worker, void *context)
{
    (void)context;
    uint64_t zone = rico_worker_zone_begin(worker);
    rico_worker_zone_end(worker, "a \"zone\"", zone);
}

TEST(jobs, traces_named_work_zones_and_sleep)
{
    static trace_text t;
    rico_jobs *jobs = create_traced(2, 1024);
    nap(2000);
    rico_jobs_name_work(jobs, "first");
    rico_jobs_run(jobs, mark_zone, NULL);
    rico_jobs_name_work(jobs, "second");
    run_fib(jobs, 22);
    CHECK(rico_jobs_write_trace(jobs, keep, &t));
    CHECK_EQ(count_of(t.text, "\"first\""), 1);
    CHECK(count_of(t.text, "\"second\"") >= 1);
    CHECK_EQ(count_of(t.text, "\"a ?zone?\""), 1);
    CHECK_EQ(count_of(t.text, "thread_name"), 2);
    CHECK_EQ(count_of(t.text, "{"), count_of(t.text, "}"));
    CHECK(strncmp(t.text, "{\"displayTimeUnit\"", 18) == 0);
    CHECK(strcmp(t.text + t.bytes - 3, "]}\n") == 0);
    CHECK(strstr(t.text, ",\n]") == NULL && strstr(t.text, "[,") == NULL);
    rico_jobs_destroy(jobs);
}

TEST(jobs, keeps_the_newest_events_of_a_trace)
{
    static trace_text t;
    rico_jobs *jobs = create_traced(1, 16);
    for (int i = 0; i < 100; i++) {
        rico_jobs_name_work(jobs, i < 84 ? "old" : "new");
        run_fib(jobs, 3);
    }
    CHECK(rico_jobs_write_trace(jobs, keep, &t));
    CHECK_EQ(count_of(t.text, "\"old\""), 0);
    CHECK_EQ(count_of(t.text, "\"new\""), 16);
    t = (trace_text){.stop_after = 5};
    CHECK(!rico_jobs_write_trace(jobs, keep, &t));
    CHECK_EQ(t.calls, 5);
    rico_jobs_destroy(jobs);
}

TEST(jobs, writes_an_empty_trace_when_none_is_kept)
{
    static trace_text t;
    rico_jobs *jobs = create_traced(2, 0);
    rico_jobs_run(jobs, mark_zone, NULL);
    CHECK(rico_jobs_write_trace(jobs, keep, &t));
    CHECK_EQ(count_of(t.text, "\"ph\""), 0);
    rico_jobs_destroy(jobs);
}
