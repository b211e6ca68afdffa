/* embree_absent.c - embree_peer.h for builds without Embree. */
#include "embree_peer.h"

bool embree_peer_exists(void)
{
    return false;
}

embree_peer *embree_peer_create(const rico_mesh *mesh, embree_mode mode)
{
    (void)mesh, (void)mode;
    return NULL;
}

void embree_peer_destroy(embree_peer *peer)
{
    (void)peer;
}

double embree_peer_build_ms(const embree_peer *peer)
{
    (void)peer;
    return 0.0;
}

uint64_t embree_peer_bytes(const embree_peer *peer)
{
    (void)peer;
    return 0;
}

void embree_peer_cast1(const embree_peer *peer, const rico_ray *rays, ray_answer *hits,
                       uint32_t count)
{
    (void)peer, (void)rays, (void)hits, (void)count;
}

embree_packets *embree_packets_create(const rico_ray *rays, uint32_t count)
{
    (void)rays, (void)count;
    return NULL;
}

void embree_packets_destroy(embree_packets *packets)
{
    (void)packets;
}

void embree_peer_cast16(const embree_peer *peer, const embree_packets *packets, uint32_t first,
                        uint32_t count, ray_answer *hits)
{
    (void)peer, (void)packets, (void)first, (void)count, (void)hits;
}
