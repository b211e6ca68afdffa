#include "ray_contest.h"

#include "machine.h"
#include "median.h"
#include "ray_promise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS (RAY_COUNT / RAY_CHUNK)

typedef struct contest {
    const ray_contestants *who;
    const rico_ray *rays;
    ray_call call;
    ray_side order[RAY_SIDE_COUNT]; /* the sides that take part */
    uint32_t side_count;
    embree_packets *packets;
    rico_hit *hits; /* of a batch */
    ray_answer *answers, *reference, *ours;
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

static ray_answer answer_of(const rico_hit *hit)
{
    return (ray_answer){hit->t, hit->triangle};
}

static void cast_single(const rico_scene *scene, const rico_ray *rays, ray_answer *answers,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        rico_hit hit = rico_scene_raycast(scene, NULL, &rays[i]);
        answers[i] = answer_of(&hit);
    }
}

static void cast_batches(const contest *c, const rico_ray *rays, ray_answer *answers,
                         uint32_t count)
{
    for (uint32_t first = 0; first < count; first += RAY_BATCH) {
        rico_scene_raycast_batch(c->who->scene, NULL, rays + first, c->hits, RAY_BATCH);
        for (uint32_t i = 0; i < RAY_BATCH; ++i)
            answers[first + i] = answer_of(&c->hits[i]);
    }
}

static void cast(const contest *c, ray_side side, uint32_t first, uint32_t count,
                 ray_answer *answers)
{
    const rico_ray *rays = c->rays + first;
    if (side == RAY_EMBREE1)
        embree_peer_cast1(c->who->embree, rays, answers, count);
    else if (side == RAY_EMBREE1_ROBUST)
        embree_peer_cast1(c->who->robust, rays, answers, count);
    else if (side == RAY_EMBREE16)
        embree_peer_cast16(c->who->embree, c->packets, first, count, answers);
    else if (c->call == RAY_CALL_SINGLE)
        cast_single(c->who->scene, rays, answers, count);
    else
        cast_batches(c, rays, answers, count);
}

/* One side's turn; ns per ray. */
static double take_turn(const contest *c, ray_side side, uint32_t chunk, ray_answer *answers)
{
    cast(c, side, (chunk + 1) % CHUNKS * RAY_CHUNK, RAY_WARM, answers);
    uint64_t begin = machine_clock_ns();
    cast(c, side, chunk * RAY_CHUNK, RAY_CHUNK, answers);
    return (double)(machine_clock_ns() - begin) / (double)RAY_CHUNK;
}

static bool differs(const ray_answer *ours, const ray_answer *theirs)
{
    bool hit = ours->triangle != RICO_NO_TRIANGLE;
    bool their_hit = theirs->triangle != RICO_NO_TRIANGLE;
    float apart = fabsf(ours->t - theirs->t);
    return hit != their_hit || (hit && !(apart <= 1.0e-4f * fmaxf(1.0f, theirs->t)));
}

static void capture_mismatch(const ray_contestants *who, const rico_ray *ray)
{
    rico_hit hit = rico_scene_raycast(who->scene, NULL, ray);
    capture_keep(who->capture, who->scene, NULL, ray, &hit, who->why);
}

/* The side that begins alternates, too. */
static void run_chunk(contest *c, uint32_t chunk, uint32_t round)
{
    ray_answer *reference = c->reference + chunk * RAY_CHUNK;
    for (uint32_t i = 0; i < c->side_count; ++i) {
        ray_side side = c->order[(i + chunk + round) % c->side_count];
        if (side == RAY_EMBREE16 && (chunk + round) % 2 != 0)
            continue;
        ray_answer *answers = side == RAY_OURS             ? c->ours
                              : side == RAY_EMBREE1_ROBUST ? reference
                                                           : c->answers;
        c->samples[side][c->sample_count[side]++] = take_turn(c, side, chunk, answers);
    }
    if (round > 0 || !c->who->robust)
        return;
    for (uint32_t i = 0; i < RAY_CHUNK; ++i) {
        if (!differs(&c->ours[i], &reference[i]))
            continue;
        const rico_ray *ray = &c->rays[chunk * RAY_CHUNK + i];
        c->out->mismatches += 1;
        if (c->out->mismatches <= RAY_JUDGED &&
            !ray_promise_is_kept(c->who->mesh, ray, c->ours[i]))
            c->out->broken += 1;
        if (c->who->capture)
            capture_mismatch(c->who, ray);
    }
    c->out->compared += RAY_CHUNK;
}

static bool allocate(contest *c, uint32_t rounds)
{
    bool ok = true;
    c->hits = calloc(RAY_BATCH, sizeof *c->hits);
    c->answers = calloc(RAY_CHUNK, sizeof *c->answers);
    c->ours = calloc(RAY_CHUNK, sizeof *c->ours);
    for (uint32_t i = 0; i < c->side_count; ++i) {
        ray_side side = c->order[i];
        c->samples[side] = malloc(rounds * CHUNKS * sizeof(double));
        ok = ok && c->samples[side];
        if (side == RAY_EMBREE16) {
            c->packets = embree_packets_create(c->rays, RAY_COUNT);
            ok = ok && c->packets;
        }
    }
    return ok && c->hits && c->answers && c->ours;
}

static void release(contest *c)
{
    for (uint32_t i = 0; i < RAY_SIDE_COUNT; ++i)
        free(c->samples[i]);
    free(c->hits);
    free(c->answers);
    free(c->ours);
    embree_packets_destroy(c->packets);
}

static void choose_sides(contest *c, uint32_t sides)
{
    if (!c->who->embree)
        sides &= ~(1u << RAY_EMBREE1 | 1u << RAY_EMBREE16);
    if (!c->who->robust)
        sides &= ~(1u << RAY_EMBREE1_ROBUST);
    for (int side = 0; side < RAY_SIDE_COUNT; ++side)
        if (sides & 1u << side)
            c->order[c->side_count++] = (ray_side)side;
}

/* Casts one batch of ours; returns ns per ray. */
static double probe(const contest *c)
{
    uint64_t begin = machine_clock_ns();
    cast(c, RAY_OURS, 0, RAY_BATCH, c->ours);
    return (double)(machine_clock_ns() - begin) / (double)RAY_BATCH;
}

static void run_rounds(contest *c, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds * CHUNKS; ++i)
        run_chunk(c, i % CHUNKS, i / CHUNKS);
    for (uint32_t i = 0; i < c->side_count; ++i) {
        ray_side side = c->order[i];
        c->out->ns[side] = median(c->samples[side], c->sample_count[side]);
    }
    c->out->measured = (uint64_t)rounds * RAY_COUNT;
}

bool ray_contest_run(const ray_contestants *who, const rico_ray *rays, ray_call call,
                     uint32_t sides, uint32_t rounds, ray_answer *reference, ray_result *out)
{
    contest c = {.who = who, .rays = rays, .call = call, .reference = reference, .out = out};
    memset(out, 0, sizeof *out);
    choose_sides(&c, sides | 1u << RAY_OURS);
    bool ok = allocate(&c, rounds);
    if (ok) {
        out->ns[RAY_OURS] = probe(&c);
        out->measured = RAY_BATCH;
        if (out->ns[RAY_OURS] < RAY_TOO_SLOW_NS)
            run_rounds(&c, rounds);
    }
    release(&c);
    return ok;
}
