/* embree_peer.h - Intel's Embree, given the same rays. One thread, closest hit.
 *
 * It is built with Embree (Debian: libembree-dev) or without; embree_peer_create then returns
 * NULL.
 *
 * The loops do what a user has to do for each ray: fill Embree's record from ours, cast, and
 * store distance and triangle. Denormals are flushed meanwhile, as Embree's manual advises.
 */
#ifndef RICO_BENCH_EMBREE_PEER_H
#define RICO_BENCH_EMBREE_PEER_H

#include <ricochet/scene_query.h>

typedef struct embree_peer embree_peer;

typedef enum embree_mode {
    EMBREE_DEFAULT,
    EMBREE_ROBUST /* no ray passes between neighbours, which rico_scene promises, too */
} embree_mode;

/* The answer that every side stores per ray, within its measured time. */
typedef struct ray_answer {
    float t;           /* the ray's t_max when nothing was hit */
    uint32_t triangle; /* RICO_NO_TRIANGLE = nothing */
} ray_answer;

/* True when built with Embree. */
bool embree_peer_exists(void);

/* Builds the scene in medium ("default") quality. The mesh must outlive the peer. NULL: no
 * Embree, or it failed. */
embree_peer *embree_peer_create(const rico_mesh *mesh, embree_mode mode);
void embree_peer_destroy(embree_peer *peer); /* NULL is ignored */

/* For the last build: the time from an empty scene with its vertices in place to a committed
 * one; and the memory that it allocated and kept, without vertices and indices, which are shared
 * with us. */
double embree_peer_build_ms(const embree_peer *peer);
uint64_t embree_peer_bytes(const embree_peer *peer);

/* rtcIntersect1 for each ray. */
void embree_peer_cast1(const embree_peer *peer, const rico_ray *rays, ray_answer *hits,
                       uint32_t count);

/* rtcIntersect16. Rays are in Embree's own layout, 16 to a packet. Packing them is not measured. */
typedef struct embree_packets embree_packets;
embree_packets *embree_packets_create(const rico_ray *rays, uint32_t count);
void embree_packets_destroy(embree_packets *packets); /* NULL is ignored */
/* first and count: rays, multiples of 16. */
void embree_peer_cast16(const embree_peer *peer, const embree_packets *packets, uint32_t first,
                        uint32_t count, ray_answer *hits);

#endif
