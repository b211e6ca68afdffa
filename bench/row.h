/* row.h - what every benchmark prints: a table for people, or JSON Lines for tools.
 *
 * A benchmark is: bench_begin, bench_add per measured row, bench_end.
 */
#ifndef RICO_BENCH_ROW_H
#define RICO_BENCH_ROW_H

#include "options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct bench_row {
    const char *name;   /* "plane/10000" */
    const char *metric; /* "ns_per_particle" */
    double value;
    const char *text; /* in the value's place, where that is no number; NULL = none */
    const char *unit; /* "ns" */
    const char *peer; /* NULL = none */
    double peer_value;
    bool more_is_better; /* a speed-up, an efficiency; most metrics are times or costs */
} bench_row;

/* Owner: the benchmark's main. */
typedef struct bench {
    const char *name; /* "update"; NULL while the options are read: --help was given */
    bool quick;
    uint32_t threads; /* 1 unless asked for */
    const char *json; /* file, "-" or NULL */
    char *lines;      /* what the file will hold */
    size_t bytes, capacity;
    bool failed; /* a row could not be kept, or bench_fail was called */
    char machine[256];
} bench;

/* Reads the options. Returns -1 to go on, or the exit status to leave with (help, bad input). */
int bench_begin(bench *b, const char *name, const char *about, int argc, char **argv);

/* The same for a benchmark with options of its own. Their handlers get b as settings: b is then
 * the first member of a larger struct, whose rest the caller has filled with defaults. */
int bench_begin_with(bench *b, const char *name, const char *about, const option_spec *more,
                     size_t more_count, int argc, char **argv);

/* Prints a row, or keeps it for the file. The ratio (above 1: we are ahead of the peer) is worked
 * out here: peer / value, or value / peer where more is better. */
void bench_add(bench *b, bench_row row);

/* A check of the measurement itself failed: one line on standard error; the status will be 1. */
void bench_fail(bench *b, const char *what);

/* Writes the file. Returns the exit status. */
int bench_end(bench *b);

#endif
