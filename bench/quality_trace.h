/* quality_trace.h - prints the path of one particle, to find out why it was charged. */
#ifndef RICO_BENCH_QUALITY_TRACE_H
#define RICO_BENCH_QUALITY_TRACE_H

#include "quality_judge.h"
#include <stdio.h>

/* Prints one line: the time of the frame's end, its bounces and its end. Each has the distance
 * to the nearest surface, and the first surface that the frame's path crossed, if any. points:
 * as for quality_life_frame; call this function before that one. */
void quality_trace_frame(FILE *out, const quality_judge *judge, const quality_life *life,
                         const double (*points)[3], uint32_t count);

#endif
