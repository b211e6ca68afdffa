/* quality_run.h - one run of a setup, every followed particle judged. */
#ifndef RICO_BENCH_QUALITY_RUN_H
#define RICO_BENCH_QUALITY_RUN_H

#include "quality_cost.h"
#include "quality_judge.h"
#include "quality_world.h"
#include <stdio.h>

typedef struct quality_options {
    uint32_t sample;      /* one particle of so many is followed */
    uint32_t warm_frames; /* births so long after QUALITY_WARM_FRAME are followed */
    bool steady;          /* no cache: warm is after 9 s */
    quality_base *base; /* NULL, or time this run, too: cold among the truth's own work, warm in
                           * the frames before the warm phase */
    bool trace;         /* print the path of one particle on standard error, ... */
    uint32_t trace_emitter, trace_id;
    FILE *charges; /* NULL, or where each charge is written, a line each */
} quality_options;

/* Over the lives of a phase; sums over its frames. */
typedef struct quality_tally {
    uint64_t lives, charged[QUALITY_CHARGES];
    uint64_t steps;        /* frames that were judged, of all lives, the one of birth, too */
    uint64_t bounces_lost; /* more of one particle in a frame than a path has room for */
    uint64_t boarded,
        rode; /* at rest on the moving body at least half a second before their end;
                               of these, on it and moving with it at their end, and never lost */
    uint64_t inside,
        rested; /* the last two seconds in a gutter, or lost; of these, at rest in it */
    uint64_t frames, units, rays, lookups, hits;
    uint64_t events, events_dropped, births_starved;
    uint64_t kind_lives[QUALITY_KIND_COUNT], kind_charged[QUALITY_KIND_COUNT][QUALITY_CHARGES];
    double cache_bytes; /* of the records at the end of the phase */
} quality_tally;

typedef struct quality_result {
    quality_tally phase[QUALITY_PHASES];
    quality_cost cost; /* with options.base */
} quality_result;

/* Of a baked setup cold is all that is run. False: out of memory, or the world refused something. */
bool quality_run(const quality_setup *setup, const quality_options *options,
                 quality_result *result);

/* "cold", "warm"; of a baked setup's first phase "baked". */
const char *quality_phase_name(const quality_setup *setup, quality_phase phase);

#endif
