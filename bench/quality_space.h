/* quality_space.h - the truth of a scene in which one body may move. The scene is a mesh that
 * stands still and a body that follows its pose.
 *
 * Paths are followed in the frame of each of the two. So a body that passes over a particle is a
 * crossing like any other.
 */
#ifndef RICO_BENCH_QUALITY_SPACE_H
#define RICO_BENCH_QUALITY_SPACE_H

#include "quality_truth.h"

/* A turn about z, then a move. */
typedef struct quality_pose {
    double position[3];
    double cosine, sine;
} quality_pose;

typedef struct quality_space {
    const quality_truth *still; /* NULL = there is only the body */
    const quality_truth *body;  /* NULL = nothing moves */
    quality_pose (*pose)(double time);
} quality_space;

/* In world space, at the time of the crossing. */
typedef struct quality_crossing {
    double t;         /* 0..1 along the way */
    double normal[3]; /* unit, to the side of `from`, as the surface sees it */
    bool back_face;   /* the path came from the clockwise side */
    bool body;        /* it is a surface of the moving body */
} quality_crossing;

/* Finds the first surface on the way from `from` at time t0 to `to` at time t1. */
bool quality_space_cross(const quality_space *space, const double from[3], double t0,
                         const double to[3], double t1, quality_crossing *crossing);

/* Metres to the nearest surface at that time; limit when none is nearer. */
double quality_space_distance(const quality_space *space, const double point[3], double time,
                              double limit);

/* Convert into the body's frame and out of it. Directions are turned; points are moved as well. */
void quality_pose_to_body(const quality_pose *pose, const double point[3], double out[3]);
void quality_pose_turn(const quality_pose *pose, const double direction[3], double out[3]);
void quality_pose_turn_back(const quality_pose *pose, const double direction[3], double out[3]);

#endif
