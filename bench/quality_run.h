/* quality_run.h - one run of a setup, in which every followed particle is judged. */
#ifndef RICO_BENCH_QUALITY_RUN_H
#define RICO_BENCH_QUALITY_RUN_H

#include "quality_cost.h"
#include "quality_judge.h"
#include "quality_world.h"
#include <stdio.h>

typedef struct quality_options {
    uint32_t sample;      /* one particle of this many is followed */
    uint32_t warm_frames; /* births are followed for this long after QUALITY_WARM_FRAME */
    bool steady;          /* no cache: the warm phase begins after 9 s */
    quality_base *base; /* NULL, or this run is timed, too: cold during the truth's own work,
                         * warm in the frames before the warm phase */
    bool trace;         /* print the path of one particle on standard error: this one */
    uint32_t trace_emitter, trace_id;
    FILE *charges; /* NULL, or receives one line per charge */
} quality_options;

/* Over the lives of a phase; also sums over its frames. */
typedef struct quality_tally {
    uint64_t lives, charged[QUALITY_CHARGES];
    uint64_t steps;        /* frames judged, of all lives, including the frame of birth */
    uint64_t bounces_lost; /* more bounces of a particle in a frame than a path has room for */
    uint64_t boarded,
        rode; /* boarded: at rest on the moving body at least half a second before their end;
               * rode: of these, on it and moving with it at their end, never lost */
    uint64_t inside,
        rested; /* inside: in a gutter for the last two seconds, or lost; rested: of these,
                 * at rest in it */
    uint64_t frames, units, rays, lookups, hits;
    uint64_t events, events_dropped, births_starved;
    uint64_t kind_lives[QUALITY_KIND_COUNT], kind_charged[QUALITY_KIND_COUNT][QUALITY_CHARGES];
    double cache_bytes; /* in all records at the end of the phase */
} quality_tally;

typedef struct quality_result {
    quality_tally phase[QUALITY_PHASES];
    quality_cost cost; /* with options.base */
} quality_result;

/* Runs a setup. Of a baked setup only the cold phase is run. False: out of memory, or the world
 * refused something. */
bool quality_run(const quality_setup *setup, const quality_options *options,
                 quality_result *result);

/* "cold" or "warm"; "baked" for the first phase of a baked setup. */
const char *quality_phase_name(const quality_setup *setup, quality_phase phase);

#endif
