/* scene_query.h - queries of a scene: rays, paths, sweeps, nearest points and boxes.
 *
 * Queries allocate nothing and keep no state. An answer does not depend on:
 *
 * - how the scene is stored, or the order of its edits;
 * - whether the query was made alone or in a batch, so that a caller may split a batch over
 *   threads as it likes;
 * - how the calling thread is set to compute with floats (world.h).
 *
 * A moving collider is met where its last rico_scene_move put it. Geometry beyond 1e9 m, where
 * its collider places it, may not be met. A triangle counts as beyond 1e9 m when one of its
 * corners is.
 *
 * Answers name a collider by its slot, which is rico_collider_id.index1. 0 stands for none.
 *
 * Units: metres.
 * Threads: any number of threads may query at once, while no thread edits.
 * Cost: up to 80 KiB of stack. A batch of paths takes most: 75 KiB when built by gcc 12.
 */
#ifndef RICOCHET_SCENE_QUERY_H
#define RICOCHET_SCENE_QUERY_H

#include <ricochet/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a query ignores, and the kind of normals that it returns. Where a call takes a filter,
 * NULL stands for rico_filter_default(): all that has a layer is seen, from both sides. */
typedef struct rico_filter {
    uint32_t layers;      /* colliders with none of these bits are ignored [all] */
    bool skip_back_faces; /* surfaces are ignored where they are met from behind [false] */

    /* Normals of meshes with a smooth_angle vary over a triangle. It has an effect on rays and
     * paths only. [false] */
    bool smooth_normals;

    uint32_t ignored_layers; /* colliders with one of these bits are ignored [none] */
} rico_filter;

/* Returns a filter with all fields at their defaults. */
RICO_API rico_filter rico_filter_default(void);

/* Stands for "no triangle" in answers. */
#define RICO_NO_TRIANGLE UINT32_MAX

/* --- rays --------------------------------------------------------------------------------- */

/* A ray: the segment of points origin + t * direction, for 0 <= t <= t_max. */
typedef struct rico_ray {
    rico_vec3 origin;
    float t_max;
    rico_vec3 direction; /* of any length above 0 */
    uint32_t ignore;     /* slot of a collider to ignore; 0: none */
} rico_ray;

/* The closest hit of a ray. Among hits with equal t, the one with the smaller collider slot
 * wins; then the one with the smaller triangle. */
typedef struct rico_hit {
    float t;           /* place on the ray; its t_max when nothing was hit */
    uint32_t collider; /* slot of the collider; 0: no hit */

    /* Index in the mesh. RICO_NO_TRIANGLE when nothing was hit, or a shape without
     * triangles. */
    uint32_t triangle;

    uint16_t surface; /* from rico_mesh.surfaces or rico_shape_def.surface */
    bool back_face;   /* the surface was hit from behind */
    bool moving;      /* the collider has a velocity or an angular velocity */
    rico_vec3 normal; /* unit vector, towards the ray's origin; (0, 0, 0): no hit */

    /* The cost of the query: how many bricks and bundles of triangles the ray met, and shapes
     * without triangles that it was tested against. It depends on how the scene is stored, and
     * on whether the ray was cast alone. */
    uint32_t steps;

    rico_vec3 velocity; /* of the surface at the hit; m/s */
} rico_hit;

/* Returns the closest hit of a ray.
 *
 * The answer has the same bits as a test of every triangle. No ray passes between two triangles
 * of a shape that share an edge or a corner.
 *
 * A ray hits nothing in these cases:
 *
 * - It is not finite; t_max alone may be infinite.
 * - A coordinate of its origin is beyond 1e9 m.
 * - t_max is NaN, or not above 0.
 * - The largest component of its direction is not within 1e-30..1e30.
 *
 * For a shape that a collider places, these limits hold in the shape's local space, too.
 *
 * Cost: rays that start more than a few thousand cells outside the scene are slow.
 * Source: Woop, Benthin and Wald, Watertight Ray/Triangle Intersection, 2013.
 */
RICO_API rico_hit rico_scene_raycast(const rico_scene *scene, const rico_filter *filter,
                                     const rico_ray *ray);

/* Writes the closest hit of rays[i] to hits[i], for `count` rays. Answers are those of
 * rico_scene_raycast.
 *
 * Cost: half the time of single calls, for some tens of rays or more.
 */
RICO_API void rico_scene_raycast_batch(const rico_scene *scene, const rico_filter *filter,
                                       const rico_ray *rays, rico_hit *hits, uint32_t count);

/* Returns whether the ray hits anything at all. It is cheaper than the closest hit. */
RICO_API bool rico_scene_blocked(const rico_scene *scene, const rico_filter *filter,
                                 const rico_ray *ray);

/* Writes whether rays[i] hits anything to blocked[i], for `count` rays. */
RICO_API void rico_scene_blocked_batch(const rico_scene *scene, const rico_filter *filter,
                                       const rico_ray *rays, bool *blocked, uint32_t count);

/* Casts `count` rays at one collider alone, in the local space of its shape.
 *
 * Rays and answers are in the shape's local space, before the collider's transform. So a caller
 * can transform rays itself, and meet a moving collider at any place between two of its moves.
 * hits[i].collider is the slot. No velocity is reported. Layers are ignored, and so is
 * rico_ray.ignore. Both sides of surfaces are seen.
 *
 * A ray hits nothing when the slot is free, or when rico_scene_add_mesh made the collider.
 */
RICO_API void rico_scene_raycast_collider(const rico_scene *scene, uint32_t slot,
                                          const rico_ray *rays, rico_hit *hits, uint32_t count);

/* Returns whether something of one collider may touch a box, in the local space of its shape.
 *
 * Otherwise as rico_scene_occupied. It returns false for a slot that is free, and for a
 * collider that rico_scene_add_mesh made.
 */
RICO_API bool rico_scene_collider_occupied(const rico_scene *scene, uint32_t slot,
                                           const rico_box *box);

/* --- paths -------------------------------------------------------------------------------- */

/* A path: chords from point to point, walked from the first point on. */
typedef struct rico_polyline {
    const rico_vec3 *points; /* `count` points */
    const float *times;      /* when each point is reached, never falling; NULL: 0, 1, 2, ... */
    uint32_t count;          /* number of points; 2..RICO_POLYLINE_MAX */
    uint32_t ignore;         /* as in rico_ray */
} rico_polyline;

#define RICO_POLYLINE_MAX 64u

typedef struct rico_polyline_hit {
    rico_hit hit; /* hit.t is the fraction of the chord, 0..1 */

    /* When nothing was hit, these are of the path's last chord and last point. */
    uint32_t chord;  /* number of the chord that hit, from 0 */
    float time;      /* of the hit, between the times of the chord's two ends */
    rico_vec3 point; /* of the hit */
} rico_polyline_hit;

/* Returns the first hit along a path: the closest hit of the first chord that hits something.
 *
 * Chords of length zero hit nothing. A path whose count is out of range hits nothing, and its
 * answer names no chord, time or point.
 */
RICO_API rico_polyline_hit rico_scene_polyline(const rico_scene *scene,
                                               const rico_filter *filter,
                                               const rico_polyline *line);

/* Writes the first hit along lines[i] to hits[i], for `count` paths. */
RICO_API void rico_scene_polyline_batch(const rico_scene *scene, const rico_filter *filter,
                                        const rico_polyline *lines, rico_polyline_hit *hits,
                                        uint32_t count);

/* --- sweeps ------------------------------------------------------------------------------- */

/* An ellipsoid that moves along a straight line without turning. */
typedef struct rico_sweep {
    rico_vec3 center; /* at the start */

    /* Half axes; metres; 1e-4..1e3. The largest is at most 100 times the smallest. Three equal
     * half axes make a sphere. */
    rico_vec3 radii;

    rico_quat rotation; /* of the half axes; of length 1, within 0.001 */
    rico_vec3 motion;   /* metres; length at most 1e4; zero: what the ellipsoid touches at rest */
    uint32_t ignore;    /* as in rico_ray */
} rico_sweep;

/* The first contact of a sweep. Among contacts with equal t, the deeper overlap wins: the one
 * whose point is closest to the centre, measured in radii of the ellipsoid. Then the smaller
 * collider slot wins, then the smaller triangle. */
typedef struct rico_sweep_hit {
    float t;           /* fraction of the motion, 0..1; 1 when nothing was met */
    uint32_t collider; /* slot of the collider; 0: nothing was met */
    uint32_t triangle; /* as in rico_hit */
    uint16_t surface;  /* as in rico_hit */

    bool overlaps;   /* the ellipsoid touched something before it moved: t is 0 */
    bool moving;     /* as in rico_hit */
    rico_vec3 point; /* of contact, on the surface */

    /* Unit vector, from the surface to the ellipsoid. It is at right angles to the ellipsoid at
     * the point of contact. At an edge or a corner it lies between the normals of the adjacent
     * faces. */
    rico_vec3 normal;

    float depth;        /* of the overlap at t, along normal; metres; 0 without overlap */
    uint32_t steps;     /* as in rico_hit, with nodes of trees in the place of bricks */
    rico_vec3 velocity; /* of the surface at the point; m/s */
} rico_sweep_hit;

/* Returns the first contact of an ellipsoid that moves.
 *
 * Surfaces are sheets without thickness: an ellipsoid wholly inside a closed mesh meets it from
 * within. A surface that is touched at the start is met even when the motion leads away from
 * it.
 *
 * - t is never late. Up to t, nothing reaches into the ellipsoid by more than 1e-6 of its
 *   radius there.
 * - t is never early. At t, what was met is no farther away than that, or than one float's step
 *   of t.
 *
 * A sweep meets nothing when a field is out of the range that rico_sweep names, when a number
 * is not finite, or when a coordinate of its centre is beyond 1e9 m.
 */
RICO_API rico_sweep_hit rico_scene_sweep(const rico_scene *scene, const rico_filter *filter,
                                         const rico_sweep *sweep);

/* Writes the first contact of sweeps[i] to hits[i], for `count` sweeps. */
RICO_API void rico_scene_sweep_batch(const rico_scene *scene, const rico_filter *filter,
                                     const rico_sweep *sweeps, rico_sweep_hit *hits,
                                     uint32_t count);

/* --- nearest points ----------------------------------------------------------------------- */

/* The closest point of a surface. */
typedef struct rico_nearest {
    float distance;    /* metres; the radius that was given when nothing is within it */
    uint32_t collider; /* slot of the collider; 0: nothing is within the radius */
    uint32_t triangle; /* as in rico_hit */
    uint16_t surface;  /* as in rico_hit */
    bool back_face;    /* the given point is behind the surface */

    bool moving;        /* as in rico_hit */
    rico_vec3 point;    /* on the surface */
    rico_vec3 normal;   /* unit vector, of the surface, on its front */
    rico_vec3 velocity; /* of the surface at the point; m/s */
} rico_nearest;

/* Returns the surface point that is closest to `point`, at most `radius` away.
 *
 * `ignore` is the slot of a collider to ignore; 0: none. Among equal distances, the smaller
 * collider slot wins, then the smaller triangle. Triangles without area are never found. With
 * rico_filter.skip_back_faces, a triangle is ignored when the point is behind its plane.
 *
 * Nothing is found for a point that is not finite, or that has a coordinate beyond 1e9 m.
 *
 * Range: radius > 0; metres; it may be infinite.
 */
RICO_API rico_nearest rico_scene_nearest(const rico_scene *scene, const rico_filter *filter,
                                         rico_vec3 point, float radius, uint32_t ignore);

/* Returns the closest point of one collider alone, in the local space of its shape.
 *
 * The point, the radius and the answer are in that space, and the slot is as for
 * rico_scene_raycast_collider. Both sides of surfaces are seen. No velocity is reported.
 * Otherwise as rico_scene_nearest.
 */
RICO_API rico_nearest rico_scene_nearest_collider(const rico_scene *scene, uint32_t slot,
                                                  rico_vec3 point, float radius);

/* --- boxes -------------------------------------------------------------------------------- */

/* A triangle of the scene, in world space.
 *
 * Shapes without triangles of their own return triangles that stand for their surface. These
 * are within 1 % of the shape's size of the surface. Those of spheres and capsules are within
 * 4 mm of it where the radius is at most 11.8 m, and within .034 % of the radius beyond. The
 * limits are in the shape's local space: a collider's scale enlarges the distances, too.
 */
typedef struct rico_triangle {
    rico_vec3 a, b, c;
    uint32_t collider; /* slot of the collider, as in rico_hit */
    uint32_t triangle; /* index in the mesh */
} rico_triangle;

/* Gathers the triangles that touch a box, and returns how many they are.
 *
 * The overlap test is exact; touching counts. Each triangle is gathered once, in the order of
 * (collider, triangle). Triangles without area are among them.
 *
 * At most `capacity` triangles are written. When more touch the box, the first `capacity` in
 * that order are written, and the number that is returned is larger than `capacity`.
 *
 * A box that is not finite, or that has lo > hi, touches nothing. rico_filter.skip_back_faces
 * and rico_filter.smooth_normals have no effect.
 */
RICO_API uint32_t rico_scene_gather(const rico_scene *scene, const rico_filter *filter,
                                    const rico_box *box, rico_triangle *triangles,
                                    uint32_t capacity);

/* Gathers the first triangles that touch a box, and returns how many it wrote.
 *
 * As rico_scene_gather, but it stops as soon as `capacity` triangles are written. When it
 * returns `capacity`, there may be more.
 */
RICO_API uint32_t rico_scene_gather_first(const rico_scene *scene, const rico_filter *filter,
                                          const rico_box *box, rico_triangle *triangles,
                                          uint32_t capacity);

/* A group of triangles in one plane: what a particle sees of a floor, for example. */
typedef struct rico_surface {
    rico_plane plane;  /* its normal is on the front */
    rico_box box;      /* around the part of the group that lies in the box that was given */
    uint32_t first;    /* index of its first triangle; the triangles are reordered by group */
    uint32_t count;    /* number of its triangles */
    uint32_t collider; /* slot of the collider of all its triangles */
    uint16_t surface;  /* surface number of all its triangles */
} rico_surface;

#define RICO_SURFACES_MAX 256u

/* Groups gathered triangles by plane, and returns the number of groups.
 *
 * The triangles of a group have the same collider and surface number, and face the same way.
 * Their parts in the box are within `flatness` of one plane. Triangles without area form groups
 * with a zero normal.
 *
 * The call reorders `triangles`: groups are in the order of their first triangle, and the
 * triangles of a group stay in order. surfaces[0..capacity) get the first groups. When there
 * are more groups than `capacity`, the triangles of the others come last, in order. The call
 * returns RICO_SURFACES_MAX + 1 when there are more groups than RICO_SURFACES_MAX.
 *
 * It makes no groups for a box that is not finite or has lo > hi, nor for a flatness out of
 * range.
 *
 * Range: flatness 0..0.1; metres.
 * Threads: any; nothing but the arguments is touched.
 */
RICO_API uint32_t rico_scene_surfaces(const rico_scene *scene, const rico_box *box,
                                      float flatness, rico_triangle *triangles, uint32_t count,
                                      rico_surface *surfaces, uint32_t capacity);

/* Returns whether something may touch a box: its occupancy.
 *
 * false: certainly nothing touches the box. true: something may. Every collider that has a
 * layer is seen.
 *
 * Cost: a few nanoseconds for boxes of up to a few cells.
 */
RICO_API bool rico_scene_occupied(const rico_scene *scene, const rico_box *box);

/* Returns whether something of certain layers may touch a box.
 *
 * As rico_scene_occupied, but without colliders that have none of the bits of `layers`. These
 * colliders may count all the same when they are merged, or are alone in the scene.
 */
RICO_API bool rico_scene_occupied_layers(const rico_scene *scene, uint32_t layers,
                                         const rico_box *box);

/* Returns whether a ray's hit alone tells that rico_scene_occupied is true for a box.
 *
 * true: rico_scene_occupied returns true. false: it may return either. It is true for most boxes
 * that are not farther from the hit than a cell's edge, in a scene of one grid.
 *
 * ray, t: a ray that has hit the scene, and where. The scene has not been edited since.
 *
 * Cost: a fraction of rico_scene_occupied.
 * Threads: any, while nothing edits the scene.
 */
RICO_API bool rico_scene_occupied_by_hit(const rico_scene *scene, const rico_box *box,
                                         const rico_ray *ray, float t);

/* Returns whether something of certain layers may touch a box, with a closer look where cells
 * are coarse. Large triangles make coarse cells.
 *
 * false: rico_scene_gather finds nothing in the box by these layers.
 *
 * The call begins as rico_scene_occupied_layers. When that says that something may touch the
 * box, it makes a larger box, with `room` around the given one. It looks closer when that
 * larger box has an edge that is shorter than a cell's edge, in the local space of what it
 * looks at. Then it tests the triangles nearby one by one, until one touches the larger box.
 *
 * Range: room >= 0; metres.
 * Cost: as rico_scene_occupied_layers where cells are small.
 */
RICO_API bool rico_scene_occupied_closely(const rico_scene *scene, uint32_t layers,
                                          const rico_box *box, float room);

/* Writes to occupied[i] what rico_scene_occupied_closely returns for boxes[i], for `count`
 * boxes.
 *
 * The boxes must be valid and near each other: the call looks only once for what is near all of
 * them.
 */
RICO_API void rico_scene_occupied_row(const rico_scene *scene, uint32_t layers,
                                      const rico_box *boxes, uint32_t count, float room,
                                      bool *occupied);

#define RICO_LATTICE_PARTS 4u
#define RICO_LATTICE_EDGE_MAX 1.0e5f

/* A lattice: a cube of parts x parts x parts boxes in rows, from `lo` on. Each box is a cube
 * with edges of `edge`, enlarged by room * edge on all sides. */
typedef struct rico_lattice {
    rico_vec3 lo;
    float edge;     /* metres; greater than 0, up to RICO_LATTICE_EDGE_MAX */
    float room;     /* fraction of an edge; 0..1 */
    uint32_t parts; /* boxes per axis; 1..RICO_LATTICE_PARTS */
} rico_lattice;

/* Finds the extent of the geometry in each box of a lattice, and returns how many boxes hold
 * some.
 *
 * extents[x + parts * (y + parts * z)] is the extent in box (x, y, z) of the lattice. It is the
 * smallest box around the geometry in that box, or a slightly larger one, and does not go
 * beyond that box. A ray that stays within box (x, y, z) meets nothing outside the extent.
 * Where there is certainly no geometry, the extent has lo > hi and is not counted.
 *
 * Shapes without triangles of their own count as the boxes around them. An infinite plane fills
 * each box that it touches. A lattice that is not finite or is out of range holds nothing, and
 * no extent is written.
 * rico_filter.skip_back_faces and rico_filter.smooth_normals have no effect.
 *
 * Cost: slower than occupancy, since it looks at every triangle in the cube.
 */
RICO_API uint32_t rico_scene_extents(const rico_scene *scene, const rico_filter *filter,
                                     const rico_lattice *lattice, rico_box *extents);

#ifdef __cplusplus
}
#endif
#endif
