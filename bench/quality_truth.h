/* quality_truth.h - the ground truth of a mesh: crossings and distances in double precision.
 *
 * Independent of the library: a bounding volume hierarchy of its own, faces two-sided, no shared
 * code. Faces are left out if they have no area, bad indices or corners that are not finite.
 *
 * Tolerance: a face is widened by 1e-9 of its barycentric coordinates, so that a segment cannot
 * slip through an edge that two faces share. A segment in a face's plane does not cross it.
 *
 * Threads: read-only after creation; any number of threads may query.
 */
#ifndef RICO_BENCH_QUALITY_TRUTH_H
#define RICO_BENCH_QUALITY_TRUTH_H

#include <ricochet/scene.h>

typedef struct quality_truth quality_truth;

typedef struct quality_hit {
    double t;         /* 0..1 along the segment */
    double normal[3]; /* unit, towards the side that the segment came from */
    bool back_face;   /* the segment came from the clockwise side */
    uint32_t triangle;
} quality_hit;

/* Copies what it needs. Indices have 32 bits. NULL: out of memory, or no usable face. */
quality_truth *quality_truth_create(const rico_mesh *mesh);
void quality_truth_destroy(quality_truth *truth); /* NULL is ignored */

/* Finds the first face that the segment meets; among equal t, the smaller triangle. false =
 * none, and *hit is unchanged. */
bool quality_truth_segment(const quality_truth *truth, const double from[3], const double to[3],
                           quality_hit *hit);

/* Metres to the nearest face; limit when no face is nearer. */
double quality_truth_distance(const quality_truth *truth, const double point[3], double limit);

#endif
