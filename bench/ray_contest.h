/* ray_contest.h - the scene of ours and its peers, asked for the same rays in turns. */
#ifndef RICO_BENCH_RAY_CONTEST_H
#define RICO_BENCH_RAY_CONTEST_H

#include "embree_peer.h"

/* Rays between two looks at the clock: every side answers these before the next ones come, so
 * that a noisy moment hits all sides. */
#define RAY_CHUNK 50000u

/* Rays per call of rico_scene_raycast_batch. */
#define RAY_BATCH 2500u

typedef enum ray_side {
    RAY_OURS,
    RAY_EMBREE1,
    RAY_EMBREE1_ROBUST,
    RAY_EMBREE16,
    RAY_SIDE_COUNT
} ray_side;

/* "embree1".. */
const char *ray_side_name(ray_side side);

typedef enum ray_call {
    RAY_CALL_BATCH,
    RAY_CALL_SINGLE /* one ray per call */
} ray_call;

/* Who takes part. Owner: the caller; a peer that is NULL does not take part. */
typedef struct ray_contestants {
    const rico_scene *scene;
    const embree_peer *embree, *robust;
} ray_contestants;

typedef struct ray_result {
    double ns[RAY_SIDE_COUNT]; /* per ray: median over chunks and rounds; 0 = not measured */
    uint64_t compared;         /* answers compared with Embree's robust ones */
    uint64_t mismatches;       /* hit or not differs, or t by over 1e-4 max(1, t) */
} ray_result;

/* Measures RAY_COUNT rays, `rounds` times over, all sides of `sides` (bits 1 << ray_side).
 * reference: RAY_COUNT answers of the robust peer; filled in the first round when known is false.
 * False: out of memory. */
bool ray_contest_run(const ray_contestants *who, const rico_ray *rays, ray_call call,
                     uint32_t sides, uint32_t rounds, peer_hit *reference, bool known,
                     ray_result *out);

#endif
