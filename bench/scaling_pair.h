/* scaling_pair.h - the same world twice: on one worker or a few, and on another number of
 * workers.
 *
 * The two are stepped in turns, frame by frame, so that a slow moment of the machine hits both.
 * Each goes first in every second frame, because the second one is faster (8 %). After every
 * frame their hashes are compared.
 */
#ifndef RICO_BENCH_SCALING_PAIR_H
#define RICO_BENCH_SCALING_PAIR_H

#include "stress_world.h"

/* Owner: the code that ran it; scaling_result_free. */
typedef struct scaling_result {
    frame_log few, many;
    rico_worker_stats work; /* of all workers of `many`, over the measured frames */
    double wall_ns;         /* of that world's steps */
    uint64_t hash;          /* after the last frame */
    bool same;              /* in every frame, including the warm-up */
    char difference[256];   /* the first difference, else empty */
} scaling_result;

/* Called after both frames, before the worlds are compared. */
typedef void scaling_between(void *user, stress_world *many, uint32_t frame);

/* Runs setup on `few` workers of a pool's own, and on setup->threads workers. between: NULL =
 * nothing. False: out of memory. */
bool scaling_pair_run(const stress_setup *setup, uint32_t few, uint32_t frames,
                      scaling_between *between, void *user, scaling_result *out);
void scaling_result_free(scaling_result *r);

#endif
