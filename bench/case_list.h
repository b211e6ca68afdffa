/* case_list.h - the cases of a benchmark by name, and which of them --case asks for. */
#ifndef RICO_BENCH_CASE_LIST_H
#define RICO_BENCH_CASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the name of case number `index`: "plane/10000". For a group of many cases it writes the
 * beginning of their names with the '/' at the end: "sponza/". False: there is no such case. */
typedef bool case_namer(const void *bench, size_t index, char *out, size_t bytes);

/* Room for a name. */
#define CASE_NAME_BYTES 128

/* True when `name` begins with `only`, without cutting a number: "plane" and "plane/10000"
 * select "plane/10000", but "plane/1000" does not. NULL selects everything. */
bool case_is_named(const char *name, const char *only);

/* The same for a beginning of names ("sponza/"), when `only` may be longer: "sponza/cached/1". */
bool case_may_be_named(const char *name, const char *only);

/* True when `only` selects something in the list. */
bool case_list_has(case_namer *namer, const void *bench, const char *only);

/* All names, separated by commas, on lines of at most 78 columns, indented by two blanks. */
void case_list_print(FILE *out, case_namer *namer, const void *bench);

#endif
