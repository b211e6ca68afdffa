/* quality_trace.h - the path of one particle in words, for whoever wonders why it was charged. */
#ifndef RICO_BENCH_QUALITY_TRACE_H
#define RICO_BENCH_QUALITY_TRACE_H

#include "quality_judge.h"
#include <stdio.h>

/* A line: the time of the frame's end, its bounces and its end, each with the distance to the nearest
 * surface, and the first surface that the frame's path crossed, if any. points as
 * quality_life_frame gets them; call it before. */
void quality_trace_frame(FILE *out, const quality_judge *judge, const quality_life *life,
                         const double (*points)[3], uint32_t count);

#endif
