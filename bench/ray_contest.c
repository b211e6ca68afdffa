#include "ray_contest.h"

#include "machine.h"
#include "median.h"
#include "ray_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS (RAY_COUNT / RAY_CHUNK)

/* Buffers hold one chunk: they stay in cache, as a host's would. */
typedef struct contest {
    const ray_contestants *who;
    const rico_ray *rays;
    ray_call call;
    uint32_t sides;
    embree_packets *packets;
    rico_hit *hits;
    peer_hit *peer_hits, *reference;
    bool known;
    double *samples[RAY_SIDE_COUNT];
    uint32_t sample_count[RAY_SIDE_COUNT];
    ray_result *out;
} contest;

const char *ray_side_name(ray_side side)
{
    static const char *const names[RAY_SIDE_COUNT] = {"ours", "embree1", "embree1_robust",
                                                      "embree16"};
    return names[side];
}

static void cast_ours(const contest *c, uint32_t first)
{
    const rico_ray *rays = c->rays + first;
    if (c->call == RAY_CALL_SINGLE) {
        for (uint32_t i = 0; i < RAY_CHUNK; ++i)
            c->hits[i] = rico_scene_raycast(c->who->scene, &rays[i]);
        return;
    }
    for (uint32_t i = 0; i < RAY_CHUNK; i += RAY_BATCH)
        rico_scene_raycast_batch(c->who->scene, rays + i, c->hits + i, RAY_BATCH);
}

static void cast(const contest *c, ray_side side, uint32_t first)
{
    switch (side) {
    case RAY_OURS:
        cast_ours(c, first);
        break;
    case RAY_EMBREE1:
        embree_peer_cast1(c->who->embree, c->rays + first, c->peer_hits, RAY_CHUNK);
        break;
    case RAY_EMBREE1_ROBUST:
        embree_peer_cast1(c->who->robust, c->rays + first, c->reference + first, RAY_CHUNK);
        break;
    default:
        embree_peer_cast16(c->who->embree, c->packets, first, RAY_CHUNK, c->peer_hits);
    }
}

static bool differs(const rico_hit *ours, const peer_hit *theirs)
{
    bool hit = ours->collider != 0, their_hit = theirs->triangle != RICO_NO_TRIANGLE;
    float apart = fabsf(ours->t - theirs->t);
    return hit != their_hit || (hit && !(apart <= 1.0e-4f * fmaxf(1.0f, theirs->t)));
}

static void compare(contest *c, uint32_t first)
{
    for (uint32_t i = 0; i < RAY_CHUNK; ++i)
        c->out->mismatches += differs(&c->hits[i], &c->reference[first + i]) ? 1u : 0u;
    c->out->compared += RAY_CHUNK;
}

/* Each side begins as often as the others: the first one fetches the rays. */
static void run_chunk(contest *c, uint32_t chunk, uint32_t round)
{
    uint32_t first = chunk * RAY_CHUNK;
    for (uint32_t i = 0; i < RAY_SIDE_COUNT; ++i) {
        ray_side side = (ray_side)((i + chunk + round) % RAY_SIDE_COUNT);
        if (!(c->sides & 1u << side))
            continue;
        uint64_t begin = machine_clock_ns();
        cast(c, side, first);
        double ns = (double)(machine_clock_ns() - begin);
        c->samples[side][c->sample_count[side]++] = ns / (double)RAY_CHUNK;
    }
    if (round == 0 && (c->known || c->sides & 1u << RAY_EMBREE1_ROBUST))
        compare(c, first);
}

static bool allocate(contest *c, uint32_t rounds)
{
    bool ok = true;
    c->hits = calloc(RAY_CHUNK, sizeof *c->hits);
    c->peer_hits = calloc(RAY_CHUNK, sizeof *c->peer_hits);
    for (uint32_t i = 0; i < RAY_SIDE_COUNT; ++i) {
        c->samples[i] = malloc(rounds * CHUNKS * sizeof(double));
        ok = ok && c->samples[i];
    }
    if (c->sides & 1u << RAY_EMBREE16)
        c->packets = embree_packets_create(c->rays, RAY_COUNT);
    return ok && c->hits && c->peer_hits && (c->packets || !(c->sides & 1u << RAY_EMBREE16));
}

static void release(contest *c)
{
    for (uint32_t i = 0; i < RAY_SIDE_COUNT; ++i)
        free(c->samples[i]);
    free(c->hits);
    free(c->peer_hits);
    embree_packets_destroy(c->packets);
}

static uint32_t present(const ray_contestants *who, uint32_t sides)
{
    if (!who->embree)
        sides &= ~(1u << RAY_EMBREE1 | 1u << RAY_EMBREE16);
    if (!who->robust)
        sides &= ~(1u << RAY_EMBREE1_ROBUST);
    return sides;
}

bool ray_contest_run(const ray_contestants *who, const rico_ray *rays, ray_call call,
                     uint32_t sides, uint32_t rounds, peer_hit *reference, bool known,
                     ray_result *out)
{
    contest c = {.who = who,
                 .rays = rays,
                 .call = call,
                 .sides = present(who, sides),
                 .reference = reference,
                 .known = known,
                 .out = out};
    memset(out, 0, sizeof *out);
    bool ok = allocate(&c, rounds);
    for (uint32_t round = 0; ok && round < rounds; ++round)
        for (uint32_t chunk = 0; chunk < CHUNKS; ++chunk)
            run_chunk(&c, chunk, round);
    for (uint32_t i = 0; ok && i < RAY_SIDE_COUNT; ++i)
        if (c.sample_count[i] > 0)
            out->ns[i] = median(c.samples[i], c.sample_count[i]);
    release(&c);
    return ok;
}
