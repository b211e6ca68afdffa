/* truth.h - an independent, slow answer to "does this segment cross the mesh?".
 *
 * Shares no code with collision/: double precision, a median-split tree, its own triangle test.
 * Tests and the quality bench use it to find particles that fell through or hang in mid-air.
 *
 * Tolerance: a triangle is widened by 1e-9 of its barycentric coordinates, and a segment by
 * 1e-12 of its length at either end. So a segment cannot slip through an edge that two triangles
 * share. Triangles are left out if they have no area, bad indices or corners that are not
 * finite. Segments in a triangle's plane do not cross it.
 */
#ifndef RIO_TRUTH_H
#define RIO_TRUTH_H

#include <ricochet/result.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rio_truth rio_truth;

typedef struct rio_truth_hit {
    double t;          /* 0..1 along the segment */
    uint32_t triangle; /* the smaller one among equal t */
    double normal[3];  /* unit, of the triangle's counter-clockwise side */
    bool back_face;    /* the segment came from behind */
} rio_truth_hit;

/* Copies what it needs. Errors: RICO_EMPTY_MESH (no usable triangle), RICO_OUT_OF_MEMORY; *out
 * is then NULL. */
rico_result rio_truth_create(const float *positions, uint32_t vertex_count,
                             const uint32_t *indices, uint32_t triangle_count, rio_truth **out);
void rio_truth_destroy(rio_truth *truth); /* NULL is ignored */

/* Finds the closest crossing from `from` to `to`, two-sided. false = none; *hit is then
 * untouched. hit may be NULL. Threads: any number at once. */
bool rio_truth_segment(const rio_truth *truth, const double from[3], const double to[3],
                       rio_truth_hit *hit);

/* Distance from a point to the nearest triangle, up to limit, which is returned when none is
 * nearer. triangle may be NULL. */
double rio_truth_distance(const rio_truth *truth, const double point[3], double limit,
                          uint32_t *triangle);

#endif
