/* row.h - the output of every benchmark: a table for people, or JSON Lines for tools.
 *
 * A benchmark calls bench_begin, bench_add per measured row, and bench_end.
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
    const char *text; /* replaces the value where that is no number; NULL = none */
    const char *unit; /* "ns" */
    const char *peer; /* NULL = none */
    double peer_value;
    bool more_is_better; /* a speed-up, an efficiency; most metrics are times or costs */
} bench_row;

/* A benchmark's name, cases and options. */
typedef struct bench_about {
    const char *name;      /* "update" */
    const char *text;      /* for --help */
    case_namer *name_case; /* gets the bench; NULL = one case only, no --case */
    const option_spec
        *more; /* the benchmark's own options; their handlers get the bench as settings. It
                * must then be the first member of a larger struct, whose rest the caller
                * fills with defaults */
    size_t more_count;
    /* Called once all options are read. Checks that the benchmark's files are different ones,
     * and opens them. Gets the bench; on false, error is one line, and the status is 2. NULL =
     * no file but that of --json. */
    bool (*open_files)(void *settings, char *error, size_t error_bytes);
} bench_about;

/* Owner: the benchmark's main. */
typedef struct bench {
    const char *name; /* "update"; NULL while options are read and after --help */
    const bench_about *about;
    const char *only; /* --case, or NULL */
    bool any;         /* a case that it asks for was found */
    bool quick;
    uint32_t threads; /* 1 unless asked for */
    const char *json; /* file, "-" or NULL */
    char *lines;      /* future contents of the file */
    size_t bytes, capacity;
    bool failed; /* a row could not be kept, or bench_fail was called */
    char machine[256];
} bench;

/* Reads the options; `about` must outlive b. Returns -1 to go on, or the exit status to leave
 * with (help, bad input, a case that is not in the list). */
int bench_begin(bench *b, const bench_about *about, int argc, char **argv);

/* Whether the file of --json and one of the benchmark's own are different files, and neither is
 * one that it reads. what: the option of the own file; path: NULL = none. For open_files. */
bool bench_files_are_apart(const bench *b, const file_list *read, const char *what,
                           const char *path, char *error, size_t error_bytes);

/* Whether --case asks for the case. For a name that ends in '/': whether it may ask for a case
 * that begins so. */
bool bench_wants(bench *b, const char *name);

/* Prints a row, or keeps it for the file. Also computes the ratio, which is above 1 when we are
 * ahead of the peer: peer / value, or value / peer where more is better. */
void bench_add(bench *b, bench_row row);

/* Reports a failed check of the measurement itself: one line on standard error. The status will
 * be 1. */
void bench_fail(bench *b, const char *what);

/* For a case that bench_wants accepted but that cannot be measured here, because its scene is
 * missing. Prints one line on standard error. It is a failure if --case asks for it. */
void bench_leave_out(bench *b, const char *name, const char *why);

/* Writes the file and returns the exit status. If --case was given and bench_wants was never
 * true, that is a failure. */
int bench_end(bench *b);

#endif
