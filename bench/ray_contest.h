/* ray_contest.h - our scene and its peers, given the same rays in turns. */
#ifndef RICO_BENCH_RAY_CONTEST_H
#define RICO_BENCH_RAY_CONTEST_H

#include "capture.h"
#include "embree_peer.h"

#define RAY_COUNT 1000000u

/* Rays per turn: each side answers these before the next ones come, so that a noisy moment hits
 * all sides. A turn begins with RAY_WARM rays of another turn that are not measured, so that
 * each side has its scene in cache as it would alone. Turns are long, because filling the cache
 * takes long. In a pine wood, turns of 50,000 rays without warming cost us 17 % and Embree 8 %
 * (2 MiB of L2). */
#define RAY_CHUNK 250000u
#define RAY_WARM 25000u

/* Rays per call of rico_scene_raycast_batch. */
#define RAY_BATCH 2500u

/* Rays answered otherwise by the peer for which every triangle is tested. It takes milliseconds
 * for each. */
#define RAY_JUDGED 100u

#define RAY_TOO_SLOW_NS 10000.0

typedef enum ray_side {
    RAY_OURS,
    RAY_EMBREE1,
    RAY_EMBREE1_ROBUST,
    RAY_EMBREE16,
    RAY_SIDE_COUNT
} ray_side;

/* For example "embree1". */
const char *ray_side_name(ray_side side);

typedef enum ray_call {
    RAY_CALL_BATCH,
    RAY_CALL_SINGLE /* one ray per call */
} ray_call;

/* The sides that take part. Owner: the caller; a peer that is NULL does not take part. */
typedef struct ray_contestants {
    const rico_scene *scene;
    const rico_mesh *mesh; /* the scene's */
    const embree_peer *embree, *robust;
    capture
        *capture;    /* receives rays that the robust peer answers otherwise; or NULL */
    const char *why; /* the reason that the capture notes for them */
} ray_contestants;

typedef struct ray_result {
    double ns[RAY_SIDE_COUNT]; /* per ray: median over turns; 0 = not measured */
    uint64_t measured;         /* rays, over all rounds */
    uint64_t compared;         /* answers compared with the robust peer's; 0 = there is none */
    uint64_t mismatches;       /* a hit on one side only, or t differs by over 1e-4 max(1, t) */
    uint64_t broken; /* of the first RAY_JUDGED of these: our answer breaks the promise */
} ray_result;

/* Measures RAY_COUNT rays, `rounds` times, with all sides of `sides` (bits 1 << ray_side, ours
 * always). Packets take every second turn only, to save time. When ours takes over
 * RAY_TOO_SLOW_NS, only one batch of ours is cast, so that a cliff is seen without waiting for
 * it. reference: RAY_COUNT answers of the robust peer; written when it takes part, else read.
 * False: out of memory. */
bool ray_contest_run(const ray_contestants *who, const rico_ray *rays, ray_call call,
                     uint32_t sides, uint32_t rounds, ray_answer *reference, ray_result *out);

#endif
