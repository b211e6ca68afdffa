#include "embree_peer.h"

#include "machine.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

struct embree_peer {
    RTCDevice device;
    RTCScene scene;
    float *positions; /* with the padding that Embree reads beyond the last vertex */
    double build_ms;
    int64_t bytes;
};

bool embree_peer_exists(void)
{
    return true;
}

static bool count_bytes(void *user, ssize_t bytes, bool post)
{
    embree_peer *peer = user;
    (void)post;
    peer->bytes += bytes;
    return true;
}

static bool attach_mesh(embree_peer *peer, const rico_mesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               peer->positions, 0, 3 * sizeof(float), mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               mesh->indices, 0, 3 * sizeof(uint32_t), mesh->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(peer->scene, geometry);
    rtcReleaseGeometry(geometry);
    return rtcGetDeviceError(peer->device) == RTC_ERROR_NONE;
}

embree_peer *embree_peer_create(const rico_mesh *mesh, embree_mode mode)
{
    embree_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->device = rtcNewDevice("threads=1");
    peer->positions = malloc(((size_t)mesh->vertex_count * 3 + 4) * sizeof(float));
    if (!peer->device || !peer->positions) {
        embree_peer_destroy(peer);
        return NULL;
    }
    memcpy(peer->positions, mesh->positions, (size_t)mesh->vertex_count * 3 * sizeof(float));
    memset(peer->positions + (size_t)mesh->vertex_count * 3, 0, 4 * sizeof(float));
    rtcSetDeviceMemoryMonitorFunction(peer->device, count_bytes, peer);
    uint64_t begin = machine_clock_ns();
    peer->scene = rtcNewScene(peer->device);
    rtcSetSceneBuildQuality(peer->scene, RTC_BUILD_QUALITY_MEDIUM);
    rtcSetSceneFlags(peer->scene,
                     mode == EMBREE_ROBUST ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_NONE);
    bool ok = attach_mesh(peer, mesh);
    rtcCommitScene(peer->scene);
    peer->build_ms = (double)(machine_clock_ns() - begin) * 1.0e-6;
    if (!ok || rtcGetDeviceError(peer->device) != RTC_ERROR_NONE) {
        embree_peer_destroy(peer);
        return NULL;
    }
    return peer;
}

void embree_peer_destroy(embree_peer *peer)
{
    if (!peer)
        return;
    if (peer->scene)
        rtcReleaseScene(peer->scene);
    if (peer->device)
        rtcReleaseDevice(peer->device);
    free(peer->positions);
    free(peer);
}

double embree_peer_build_ms(const embree_peer *peer)
{
    return peer->build_ms;
}

uint64_t embree_peer_bytes(const embree_peer *peer)
{
    return peer->bytes > 0 ? (uint64_t)peer->bytes : 0;
}

/* Sets flush-to-zero and denormals-are-zero. Returns the former state. */
static unsigned flush_denormals(void)
{
#ifdef __SSE__
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    return before;
#else
    return 0;
#endif
}

static void restore_denormals(unsigned before)
{
#ifdef __SSE__
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

void embree_peer_cast1(const embree_peer *peer, const rico_ray *rays, ray_answer *hits,
                       uint32_t count)
{
    unsigned before = flush_denormals();
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (uint32_t i = 0; i < count; ++i) {
        const rico_ray *from = &rays[i];
        struct RTCRayHit r;
        r.ray.org_x = from->origin.x;
        r.ray.org_y = from->origin.y;
        r.ray.org_z = from->origin.z;
        r.ray.tnear = 0.0f;
        r.ray.dir_x = from->direction.x;
        r.ray.dir_y = from->direction.y;
        r.ray.dir_z = from->direction.z;
        r.ray.time = 0.0f;
        r.ray.tfar = from->t_max;
        r.ray.mask = UINT32_MAX;
        r.ray.id = 0;
        r.ray.flags = 0;
        r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(peer->scene, &context, &r);
        bool hit = r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        hits[i] = (ray_answer){r.ray.tfar, hit ? r.hit.primID : RICO_NO_TRIANGLE};
    }
    restore_denormals(before);
}

/* --- Packets ------------------------------------------------------------------------------- */

enum { LANES = 16 };

struct embree_packets {
    struct RTCRay16 *rays;
};

static void pack_ray(struct RTCRay16 *packet, uint32_t lane, const rico_ray *from)
{
    packet->org_x[lane] = from->origin.x;
    packet->org_y[lane] = from->origin.y;
    packet->org_z[lane] = from->origin.z;
    packet->tnear[lane] = 0.0f;
    packet->dir_x[lane] = from->direction.x;
    packet->dir_y[lane] = from->direction.y;
    packet->dir_z[lane] = from->direction.z;
    packet->time[lane] = 0.0f;
    packet->tfar[lane] = from->t_max;
    packet->mask[lane] = UINT32_MAX;
    packet->id[lane] = 0;
    packet->flags[lane] = 0;
}

embree_packets *embree_packets_create(const rico_ray *rays, uint32_t count)
{
    embree_packets *packets = calloc(1, sizeof *packets);
    uint32_t packet_count = count / LANES;
    if (!packets)
        return NULL;
    packets->rays =
        aligned_alloc(_Alignof(struct RTCRay16), packet_count * sizeof *packets->rays);
    if (!packets->rays) {
        free(packets);
        return NULL;
    }
    for (uint32_t i = 0; i < packet_count * LANES; ++i)
        pack_ray(&packets->rays[i / LANES], i % LANES, &rays[i]);
    return packets;
}

void embree_packets_destroy(embree_packets *packets)
{
    if (!packets)
        return;
    free(packets->rays);
    free(packets);
}

void embree_peer_cast16(const embree_peer *peer, const embree_packets *packets, uint32_t first,
                        uint32_t count, ray_answer *hits)
{
    static const _Alignas(64)
        int32_t all[LANES] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    unsigned before = flush_denormals();
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (uint32_t p = 0; p < count / LANES; ++p) {
        struct RTCRayHit16 r;
        r.ray = packets->rays[first / LANES + p];
        memset(r.hit.geomID, 0xff, sizeof r.hit.geomID);
        memset(r.hit.instID, 0xff, sizeof r.hit.instID);
        rtcIntersect16(all, peer->scene, &context, &r);
        for (uint32_t i = 0; i < LANES; ++i) {
            bool hit = r.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
            hits[p * LANES + i] =
                (ray_answer){r.ray.tfar[i], hit ? r.hit.primID[i] : RICO_NO_TRIANGLE};
        }
    }
    restore_denormals(before);
}
