/* stress_report.h - the rows of a stressed world, and its frames one by one. */
#ifndef RICO_BENCH_STRESS_REPORT_H
#define RICO_BENCH_STRESS_REPORT_H

#include "row.h"
#include "stress_world.h"

/* Adds the case's rows. The log holds what was measured, at least one frame. Steps that allocated,
 * lost effects and memory that grew under a constant load fail the bench. */
void stress_report(bench *b, const char *name, stress_world *w, const frame_log *log);

/* One line per frame; begins with the names of the columns when `first`. */
void stress_write_frames(FILE *file, bool first, const char *name, const frame_log *log);

#endif
