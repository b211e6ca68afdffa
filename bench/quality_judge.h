/* quality_judge.h - compares the life of one particle with the truth, and charges it with
 * errors.
 *
 * A life is its path: per frame the places of its bounces, in order, then its place at the end
 * of the frame. The possible charges:
 *   fell     its centre crossed a surface without a bounce, and then went through a second one,
 *            or is 0.5 m or more behind
 *   leaked   the same, but 5 cm behind are enough
 *   mid-air  a bounce with no surface within 5 cm
 *   hovered  at rest with no surface within 5 cm (and three radii) below it
 *   late     an impact 2 cm, or a frame, from the true one
 *   jitter   over 1 mm per frame at rest
 *
 * "Behind" is measured along the path. A crossing back out, through the same surface or its
 * neighbour on a curve, ends it. The depth is the distance from the particle to the first
 * surface on the way back, so that rolling 2 mm under a convex hill stays 2 mm. A depth below 5
 * mm is not late, however long it lasts.
 * A bounce may also be early: more than 2 cm (and the radius) off any surface, or more than 5 mm
 * and a frame.
 * A particle is at rest when it has no speed, or stays within a cube of 1 cm for half a second.
 * If it loses its speed in that half second, it is at rest from then on: the hops before,
 * however short, led to it.
 * A particle is on the moving body when it is within 5 cm of it. It is at rest on it when it has
 * no speed there, or is slower than 10 cm/s relative to the body for a quarter of a second. A
 * particle at rest that is moved by the body, or by its passing, is not charged with jitter.
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
    /* These are not charges. */
    QUALITY_BOARDED = 64,  /* has come to rest on the moving body */
    QUALITY_SETTLED = 128, /* is at rest now */
    QUALITY_RIDES = 256    /* is on the moving body and moves with it within 2 cm/s */
} quality_charge;

#define QUALITY_CHARGES 6u

/* The name of bit 0, 1, ...: "fell", ... */
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
    double time; /* seconds, at p; for a birth, the beginning of that frame, ... */
    double lead; /* ... and how much later it was born; 0 after the first frame */

    /* Behind a surface that was crossed. The plane's normal points to the side that the path
     * came from. It is in the body's frame when the surface is the body's. */
    bool behind, behind_body;
    double normal[3], offset;
    double since, deepest;
    double crossing[3]; /* the last crossing */

    /* No surface of the still mesh is within `free` of this point. */
    double middle[3], free;
    int ball_wait;

    /* At rest: the cube of places since `rest_frames`, and the length of the path in it. */
    double rest_lo[3], rest_hi[3], rest_way;
    uint32_t rest_frames, still_frames;

    /* On the moving body: frames slow beside it, and frames since it came to rest there. */
    uint32_t slow_frames, ridden_frames;

    /* The place of each first charge, for closer inspection. */
    double where[QUALITY_CHARGES][3];
} quality_life;

/* Begins a life: born at p, `lead` seconds after the beginning of a frame, which is at `time`. */
void quality_life_begin(quality_life *life, const double p[3], double time, double lead,
                        double radius);

/* Judges one frame; the first one lasts from birth on. points: `count` - 1 bounces, then the
 * place at the frame's end, which is at life->time + dt. times: seconds of the bounces since the
 * frame began; NULL = in proportion to the path. still: the particle has no speed at the end. */
void quality_life_frame(const quality_judge *judge, quality_life *life,
                        const double (*points)[3], const double *times, uint32_t count,
                        bool still);

#endif
