/* row.h - what every benchmark prints: a table for people, or JSON Lines for tools.
 *
 * A benchmark is: bench_begin, bench_add per measured row, bench_end.
 */
#ifndef RICO_BENCH_ROW_H
#define RICO_BENCH_ROW_H

#include "case_list.h"
#include "file_list.h"
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

/* What a benchmark is called, measures and takes. */
typedef struct bench_about {
    const char *name;      /* "update" */
    const char *text;      /* for --help */
    case_namer *name_case; /* gets the bench; NULL = it is one case, there is no --case */
    const option_spec
        *more; /* options of its own. Their handlers get the bench as settings: it is then
                              * the first member of a larger struct, whose rest the caller fills with
                              * defaults. */
    size_t more_count;
    /* Once all options are read: whether its files are apart, and open. Gets the bench; on false, error is one
     * line, and the status 2. NULL = it has none but that of --json. */
    bool (*open_files)(void *settings, char *error, size_t error_bytes);
} bench_about;

/* Owner: the benchmark's main. */
typedef struct bench {
    const char *name; /* "update"; NULL while the options are read: --help was given */
    const bench_about *about;
    const char *only; /* --case, or NULL */
    bool any;         /* something that it asks for was found */
    bool quick;
    uint32_t threads; /* 1 unless asked for */
    const char *json; /* file, "-" or NULL */
    char *lines;      /* what the file will hold */
    size_t bytes, capacity;
    bool failed; /* a row could not be kept, or bench_fail was called */
    char machine[256];
} bench;

/* Reads the options; `about` outlives b. Returns -1 to go on, or the exit status to leave with (help, bad
 * input, a case that is not in the list). */
int bench_begin(bench *b, const bench_about *about, int argc, char **argv);

/* Whether the file of --json and one of the benchmark's own (what: its option; path: NULL = none) are two, and
 * neither is one that it reads. For open_files. */
bool bench_files_are_apart(const bench *b, const file_list *read, const char *what,
                           const char *path, char *error, size_t error_bytes);

/* Whether --case asks for the case, or, where the name ends in '/', may ask for one that begins so. */
bool bench_wants(bench *b, const char *name);

/* Prints a row, or keeps it for the file. The ratio (above 1: we are ahead of the peer) is worked
 * out here: peer / value, or value / peer where more is better. */
void bench_add(bench *b, bench_row row);

/* A check of the measurement itself failed: one line on standard error; the status will be 1. */
void bench_fail(bench *b, const char *what);

/* What bench_wants was true for cannot be measured here, as its scene is not there: one line on standard error. A failure
 * where --case asks for it. */
void bench_leave_out(bench *b, const char *name, const char *why);

/* Writes the file. Returns the exit status; a --case that no bench_wants was true for is a failure. */
int bench_end(bench *b);

#endif
