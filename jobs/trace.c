#include "trace.h"

#include "clock.h"
#include "worker.h"

#include <ricochet/jobs_trace.h>
#include <stdio.h>
#include <string.h>

void rico__trace_add(rico__trace *trace, const char *name, uint64_t begin, uint64_t end)
{
    uint64_t count = rico__atomic_load_relaxed64(&trace->count);
    rico__event *event = &trace->events[count & (trace->capacity - 1)];
    rico__atomic_store_relaxed_ptr(&event->name, (void *)(uintptr_t)name);
    rico__atomic_store_relaxed64(&event->begin, begin);
    rico__atomic_store_relaxed64(&event->end, end);
    rico__atomic_store64(&trace->count, count + 1);
}

void rico_jobs_name_work(rico_jobs *pool, const char *name)
{
    /* Relaxed: a worker that sees the name late gives its stretch the name before. */
    rico__atomic_store_relaxed_ptr(&pool->work_name, (void *)(uintptr_t)name);
}

uint64_t rico_worker_zone_begin(const rico_worker *worker)
{
    return trace_is_on(&worker->trace) ? rico__clock_ns() : 0;
}

void rico_worker_zone_end(rico_worker *worker, const char *name, uint64_t begin)
{
    if (trace_is_on(&worker->trace) && name != NULL)
        rico__trace_add(&worker->trace, name, begin, rico__clock_ns());
}

typedef struct trace_text {
    rico_trace_write *write;
    void *user;
    uint64_t origin; /* ns that times count from */
    bool ok, first;
} trace_text;

static void put(trace_text *text, const char *line)
{
    text->ok = text->ok && text->write(text->user, line, strlen(line));
}

/* Quotes, backslashes and all that is not printable ASCII become question marks. */
static void escape(const char *name, char *out, size_t bytes)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < bytes; i++)
        out[i] =
            name[i] < 32 || name[i] > 126 || name[i] == '"' || name[i] == '\\' ? '?' : name[i];
    out[i] = '\0';
}

static void put_event(trace_text *text, const rico__event *event, uint32_t worker)
{
    char name[64], line[256];
    uint64_t begin = rico__atomic_load_relaxed64(&event->begin);
    uint64_t end = rico__atomic_load_relaxed64(&event->end);
    const char *from = rico__atomic_load_relaxed_ptr(&event->name);
    if (from == NULL || end < begin || begin < text->origin)
        return;
    escape(from, name, sizeof name);
    snprintf(
        line, sizeof line,
        "%s\n{\"name\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %llu.%03u, "
        "\"dur\": %llu.%03u}",
        text->first ? "" : ",", name, worker,
        (unsigned long long)((begin - text->origin) / 1000),
        (unsigned)((begin - text->origin) % 1000), (unsigned long long)((end - begin) / 1000),
        (unsigned)((end - begin) % 1000));
    text->first = false;
    put(text, line);
}

static void put_worker(trace_text *text, const rico_worker *worker)
{
    char line[160];
    snprintf(line, sizeof line,
             "%s\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, "
             "\"args\": {\"name\": \"%s %u\"}}",
             text->first ? "" : ",", worker->index, worker->index == 0 ? "caller" : "worker",
             worker->index);
    text->first = false;
    put(text, line);
    /* Acquire: the events that it counts. */
    uint64_t count = rico__atomic_load64(&worker->trace.count);
    uint64_t capacity = worker->trace.capacity;
    for (uint64_t i = count > capacity ? count - capacity : 0; i < count && text->ok; i++)
        put_event(text, &worker->trace.events[i & (capacity - 1)], worker->index);
}

bool rico_jobs_write_trace(const rico_jobs *pool, rico_trace_write *write, void *user)
{
    trace_text text = {
        .write = write, .user = user, .origin = pool->created_ns, .ok = true, .first = true};
    put(&text, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count && trace_is_on(&pool->workers[0].trace); i++)
        put_worker(&text, &pool->workers[i]);
    put(&text, "\n]}\n");
    return text.ok;
}
