/* trace.h - what each worker did when: a ring of events per worker, of which the newest are
 * kept.
 *
 * Owner: the pool. Threads: each worker writes its own ring; any thread may read. An event that
 * is being overwritten meanwhile may come out mixed, but each of its fields is one that was
 * written.
 * Order: by time, per worker.
 */
#ifndef RICO_TRACE_H
#define RICO_TRACE_H

#include "atomics.h"

#include <stddef.h>

typedef struct rico__event {
    rico__atomic_ptr name;     /* a constant string of the host or the library */
    rico__atomic64 begin, end; /* ns of rico__clock_ns */
} rico__event;

typedef struct rico__trace {
    rico__event *events;  /* NULL: no trace is kept */
    uint32_t capacity;    /* a power of two */
    rico__atomic64 count; /* events since creation */
} rico__trace;

static inline bool trace_is_on(const rico__trace *trace)
{
    return trace->events != NULL;
}

/* Adds an event. Only while the trace is on. */
void rico__trace_add(rico__trace *trace, const char *name, uint64_t begin, uint64_t end);

#endif
