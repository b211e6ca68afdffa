/* quality_space.h - the truth of a scene in which one body may move: the mesh that stands still,
 * and a body that goes where its pose says.
 *
 * Paths are followed in each one's own frame, so that a body that passes over a particle is a
 * crossing like any other.
 */
#ifndef RICO_BENCH_QUALITY_SPACE_H
#define RICO_BENCH_QUALITY_SPACE_H

#include "quality_truth.h"

/* Turned about z, then moved. */
typedef struct quality_pose {
    double position[3];
    double cosine, sine;
} quality_pose;

typedef struct quality_space {
    const quality_truth *still; /* NULL = there is only the body */
    const quality_truth *body;  /* NULL = nothing moves */
    quality_pose (*pose)(double time);
} quality_space;

/* In world space, at its time. */
typedef struct quality_crossing {
    double t;         /* 0..1 along the way */
    double normal[3]; /* unit, towards where the way came from, as the surface sees it */
    bool back_face;   /* it came from the clockwise side */
    bool body;        /* it is the moving body's */
} quality_crossing;

/* The first surface on the way from `from` at time t0 to `to` at time t1. */
bool quality_space_cross(const quality_space *space, const double from[3], double t0,
                         const double to[3], double t1, quality_crossing *crossing);

/* Metres to the nearest surface at that time; limit when none is nearer. */
double quality_space_distance(const quality_space *space, const double point[3], double time,
                              double limit);

/* Into the body's frame and out of it; directions turn, points are moved as well. */
void quality_pose_to_body(const quality_pose *pose, const double point[3], double out[3]);
void quality_pose_turn(const quality_pose *pose, const double direction[3], double out[3]);
void quality_pose_turn_back(const quality_pose *pose, const double direction[3], double out[3]);

#endif
