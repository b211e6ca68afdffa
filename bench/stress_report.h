/* stress_report.h - the rows of a world under stress, and its frames one by one. */
#ifndef RICO_BENCH_STRESS_REPORT_H
#define RICO_BENCH_STRESS_REPORT_H

#include "row.h"
#include "stress_world.h"

/* Adds the case's rows. The log holds the measured frames, at least one. Steps that allocated,
 * lost effects, and memory that grew under a constant load fail the benchmark. */
void stress_report(bench *b, const char *name, stress_world *w, const frame_log *log);

/* Writes one line per frame. When `first`, a line with the names of the columns comes before. */
void stress_write_frames(FILE *file, bool first, const char *name, const frame_log *log);

#endif
