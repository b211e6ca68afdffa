/* quality_judge.h - what went wrong in the life of one particle, held against the truth.
 *
 * A life is its path: per frame the places of its bounces, in order, then where the frame ended.
 * What a particle may be charged with:
 *   fell     its centre crossed a surface without a bounce, and then went through a second one, or
 *            is 0.5 m or more behind
 *   leaked   the same, but 5 cm behind are enough
 *   mid-air  a bounce with nothing within 5 cm
 *   hovered  at rest with nothing within 5 cm (and three radii) under it
 *   late     an impact 2 cm, or a frame, from the true one
 *   jitter   over 1 mm per frame at rest
 *
 * "Behind" is measured along the path: a crossing back out, through the same surface or its
 * neighbour on a curve, makes good; how deep is what lies between the particle and the first surface
 * on the way back, so that rolling 2 mm under a convex hill stays 2 mm. What is less than 5 mm deep
 * is not late, however long it lasts.
 * A bounce may also be early: more than 2 cm (and the radius) off anything, or more than 5 mm and a
 * frame.
 * At rest is who has no speed, or who stays within a cube of 1 cm for half a second. Who loses its
 * speed in that half second is at rest from then on: the hops before, however short, led to it.
 * On the moving body is who is within 5 cm of it; at rest on it, who is there without speed, or slower
 * than 10 cm/s as seen from the body for a quarter of a second. Whoever lies and is moved by it, or by
 * its passing, is not charged with jitter.
 */
#ifndef RICO_BENCH_QUALITY_JUDGE_H
#define RICO_BENCH_QUALITY_JUDGE_H

#include "quality_space.h"

typedef enum quality_charge {
    QUALITY_FELL = 1,
    QUALITY_LEAKED = 2,
    QUALITY_MIDAIR = 4,
    QUALITY_HOVERED = 8,
    QUALITY_LATE = 16,
    QUALITY_JITTER = 32,
    /* Not charges. */
    QUALITY_BOARDED = 64,  /* came to rest on the moving body, once */
    QUALITY_SETTLED = 128, /* is at rest now */
    QUALITY_RIDES = 256    /* is on the moving body now, and moves with it within 2 cm/s */
} quality_charge;

#define QUALITY_CHARGES 6u

/* "fell", ... of bit 0, ... */
const char *quality_charge_name(uint32_t bit);

typedef struct quality_judge {
    quality_space space;
    double dt; /* seconds per frame */
} quality_judge;

/* Owner: the caller. Plain data; quality_life_begin fills it. */
typedef struct quality_life {
    uint32_t charges; /* bits of quality_charge */
    double radius;
    double p[3];
    double time; /* of p, seconds; of a birth, when that frame began, ... */
    double lead; /* ... and how much later it was born; 0 from the first frame's end on */

    /* Behind a surface that was crossed: its plane, towards the side that the path came from, in
     * the body's frame when the surface is the body's. */
    bool behind, behind_body;
    double normal[3], offset;
    double since, deepest;
    double crossing[3]; /* the last one */

    /* Nothing of what stands still is within `free` of here. */
    double middle[3], free;
    int ball_wait;

    /* At rest: the cube since `rest_frames`, and the way made in it. */
    double rest_lo[3], rest_hi[3], rest_way;
    uint32_t rest_frames, still_frames;

    /* Of the moving body: so long slow beside it, and since it came to rest there. */
    uint32_t slow_frames, ridden_frames;

    /* Where each charge was made first, for whoever looks into it. */
    double where[QUALITY_CHARGES][3];
} quality_life;

/* Born at p, `lead` seconds after the beginning of a frame, which is at `time`. */
void quality_life_begin(quality_life *life, const double p[3], double time, double lead,
                        double radius);

/* One frame, the first from the birth on: `count` - 1 bounces, then the place at its end, which is at life->time + dt. times: of
 * the bounces, seconds since the frame began; NULL = as their parts of the way say. still: it has no
 * speed at the end. */
void quality_life_frame(const quality_judge *judge, quality_life *life,
                        const double (*points)[3], const double *times, uint32_t count,
                        bool still);

#endif
