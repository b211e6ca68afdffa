/* report.h - the figures of a run, and the two ways to show them. */
#ifndef RICOCHET_REPORT_H
#define RICOCHET_REPORT_H

#include "falls.h"
#include "frame_profile.h"
#include "samples.h"
#include <ricochet/world.h>
#include <stdio.h>

/* Times are those of rico_world_step alone, over all frames. Means per frame are over the steady
 * frames: those after SHOW_WARM_UP, or the second half of a run too short for that. */
typedef struct report {
    /* What ran. */
    const char *world;
    uint32_t triangles, cells;
    uint64_t scene_bytes,
        duplicates;  /* listings of triangles in bricks beyond their first brick */
    uint32_t levels; /* of the deepest brick's tree */
    double build_ms;
    uint32_t effects, effects_refused, threads, frames;
    uint64_t seed;
    char machine[256];
    const char *compiler, *isa;
    /* What it cost. */
    samples frame_ms, stage_ms[RICO_STAGE_COUNT];
    rico_worker_stats workers[RICO_JOBS_MAX_WORKERS]; /* over the steps of all frames */
    frame_profile profile;                            /* of some steady frames */
    frame_cost cost;                                  /* its median */
    uint64_t world_bytes;
    /* What happened: means per steady frame. */
    double particles, births, bounces, sleeping;
    double units, wanted, granted, starved, rays, gathers, lookups, lookup_hits;
    /* Over the whole run. */
    uint64_t particle_steps, births_starved;
    uint64_t cache_records, cache_capacity, cache_bytes, cache_evicted;
    falls_count falls, falls_steady, falls_by_kind[SHOW_MAX_KINDS];
    const show_cast *cast; /* the cast whose kinds these are */
    uint64_t state_hash;
} report;

/* Cache hits in percent, 0..100; 0 when nothing was looked up. */
double report_hit_pct(const report *r);
double report_fell_pct(falls_count count);
/* Particles stepped per second of step time. */
double report_particles_per_second(const report *r);

/* The worker's busy time as a share of the time of all steps, in percent. */
double report_busy_pct(const report *r, uint32_t worker);
/* In report_workers.c: its part of the table, and the value of "scaling" in the JSON. */
void report_print_workers(const report *r, FILE *file);
void report_print_scaling(const report *r, FILE *file);
#define REPORT_PREDICTED 8u /* 1, 2, 4, ..., 128 workers */

void report_print_table(const report *r, FILE *file);

/* Returns one JSON object with a newline at its end, from malloc. NULL = out of memory. */
char *report_to_json(const report *r);

#endif
