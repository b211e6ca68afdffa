/* scene_query.h - questions to a scene: rays, paths, sweeps, nearest points, boxes.
 *
 * Queries allocate nothing, keep no state, and may run on any number of threads while nobody
 * edits. Answers do not depend on how the scene is stored, on the order of edits, or on whether
 * a question was asked alone or in a batch, or on how the thread computes with floats (world.h); a caller may split a batch over threads as it likes.
 * They take up to 80 KiB of stack (gcc 12: 75, for a batch of paths).
 *
 * A collider that moves is met where its last rico_scene_move put it. What lies beyond 1e9 m there
 * may not be met; of triangles, those with a corner beyond.
 */
#ifndef RICOCHET_SCENE_QUERY_H
#define RICOCHET_SCENE_QUERY_H

#include <ricochet/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a query does not see, and how it wants its answers. Where a filter is taken, NULL stands
 * for rico_filter_default(): everything, from both sides. */
typedef struct rico_filter {
    uint32_t layers;      /* colliders that have none of these bits are not there [all] */
    bool skip_back_faces; /* surfaces are not there from behind [false] */
    bool
        smooth_normals; /* normals of meshes with a smooth_angle vary over a triangle [false] */
    uint32_t ignored_layers; /* colliders that have one of these bits are not there [none] */
} rico_filter;

RICO_API rico_filter rico_filter_default(void);

#define RICO_NO_TRIANGLE UINT32_MAX

/* --- rays --- */

/* A segment: from origin along direction (any length > 0) for 0 <= t <= t_max, where a point is
 * origin + t * direction. */
typedef struct rico_ray {
    rico_vec3 origin;
    float t_max;
    rico_vec3 direction;
    uint32_t ignore; /* slot of a collider that is not there, 0 = none */
} rico_ray;

/* The closest hit. Among equal t the smaller collider slot, then the smaller triangle wins. */
typedef struct rico_hit {
    float t;           /* the ray's t_max when nothing was hit */
    uint32_t collider; /* collider slot (rico_collider_id.index1), 0 = no hit */
    uint32_t triangle; /* index in the mesh, RICO_NO_TRIANGLE = no hit, or a shape without
                         * triangles */
    uint16_t surface;  /* rico_mesh.surfaces or rico_shape_def.surface */
    bool back_face;    /* hit from behind */
    bool moving;       /* velocity is not zero */
    rico_vec3 normal;  /* unit, towards the ray's origin; (0,0,0) = no hit */
    uint32_t steps; /* the cost: bricks, nodes and bundles of triangles met; depends on how the
                         * scene is stored, and on whether the ray was asked alone */
    rico_vec3 velocity; /* of the surface at the hit, m/s */
} rico_hit;

/* Closest hits; the bits are those of testing every triangle. No ray passes between triangles of a
 * shape that share an edge or corner (Woop, Benthin and Wald 2013).
 * Rays hit nothing that are not finite, start beyond 1e9 m, or have t_max <= 0 or NaN (it may be
 * infinite), or a direction whose largest component is not in 1e-30..1e30; for a shape that a
 * collider places, this holds in the shape's space, too.
 * Rays that start more than a few thousand cells outside the scene are slow.
 * The batch takes half the time of single calls, with some tens of rays or more. */
RICO_API rico_hit rico_scene_raycast(const rico_scene *scene, const rico_filter *filter,
                                     const rico_ray *ray);
RICO_API void rico_scene_raycast_batch(const rico_scene *scene, const rico_filter *filter,
                                       const rico_ray *rays, rico_hit *hits, uint32_t count);

/* Any hit: whether the ray meets something at all; cheaper than the closest. */
RICO_API bool rico_scene_blocked(const rico_scene *scene, const rico_filter *filter,
                                 const rico_ray *ray);
RICO_API void rico_scene_blocked_batch(const rico_scene *scene, const rico_filter *filter,
                                       const rico_ray *rays, bool *blocked, uint32_t count);

/* Closest hits with one collider alone (its slot), by rays of its shape's own space, before the
 * transform: what moves in the world may so be met where it is in between. Answers are in that
 * space, without velocity; collider is the slot. No layers, both sides; hits nothing by a slot
 * that is free or was made by rico_scene_add_mesh. */
RICO_API void rico_scene_raycast_collider(const rico_scene *scene, uint32_t slot,
                                          const rico_ray *rays, rico_hit *hits, uint32_t count);

/* Occupancy (rico_scene_occupied) of one collider alone, by a box of its shape's space. */
RICO_API bool rico_scene_collider_occupied(const rico_scene *scene, uint32_t slot,
                                           const rico_box *box);

/* --- paths --- */

/* Chords from point to point, walked from the first on. */
typedef struct rico_polyline {
    const rico_vec3 *points; /* count of them */
    const float *times;      /* when each is reached, not falling; NULL = 0, 1, 2, ... */
    uint32_t count;          /* 2..RICO_POLYLINE_MAX */
    uint32_t ignore;         /* as in rico_ray */
} rico_polyline;

#define RICO_POLYLINE_MAX 64u

typedef struct rico_polyline_hit {
    rico_hit hit;   /* t: fraction of the chord, 0..1 */
    uint32_t chord; /* which, from 0; of the last point when nothing was hit */
    float time; /* at the hit, from the times of the chord's ends; of the last point without */
    rico_vec3 point; /* of the hit; the last one without */
} rico_polyline_hit;

/* The first hit along the path: of the first chord that hits, its closest. Chords of length zero
 * hit nothing, nor does a line whose count is out of range: its answer names no chord, time or
 * point. */
RICO_API rico_polyline_hit rico_scene_polyline(const rico_scene *scene,
                                               const rico_filter *filter,
                                               const rico_polyline *line);
RICO_API void rico_scene_polyline_batch(const rico_scene *scene, const rico_filter *filter,
                                        const rico_polyline *lines, rico_polyline_hit *hits,
                                        uint32_t count);

/* --- sweeps --- */

/* An ellipsoid that moves along a line without turning. */
typedef struct rico_sweep {
    rico_vec3 center; /* at the start */
    rico_vec3
        radii; /* half axes, metres, 1e-4..1e3, the largest at most 100 times the smallest;
                       * all the same = a sphere */
    rico_quat rotation; /* of the half axes */
    rico_vec3 motion;   /* metres, length at most 1e4; zero asks what it touches where it is */
    uint32_t ignore;    /* as in rico_ray */
} rico_sweep;

/* First contact. Among equal t the deeper overlap (whose point is the fewest radii from the
 * centre), then the smaller (collider, triangle) wins. */
typedef struct rico_sweep_hit {
    float t;           /* fraction of motion, 0..1; 1 when nothing was met */
    uint32_t collider; /* slot, 0 = nothing was met */
    uint32_t triangle; /* as in rico_hit */
    uint16_t surface;
    bool overlaps;      /* touched something before it moved: t is 0 */
    bool moving;        /* velocity is not zero */
    rico_vec3 point;    /* of contact, on the surface */
    rico_vec3 normal;   /* unit, from the surface to the ellipsoid, at right angles to it in the
                         * point of contact; of an edge or corner, between its faces */
    float depth;        /* metres, along normal, by which it overlaps at t; 0 without overlap */
    uint32_t steps;     /* as in rico_hit */
    rico_vec3 velocity; /* of the surface at the point, m/s */
} rico_sweep_hit;

/* Surfaces are sheets: an ellipsoid wholly inside a closed mesh meets it from within. t is never
 * late: up to t, nothing reaches into the ellipsoid by more than 1e-6 of its radius there. Nor is it
 * early: at t, what was met is no farther than that, or than a float's step of t. Where something
 * moves away already, touching at the start counts, too.
 * What is not in range as above, or not finite, or has its center beyond 1e9 m, meets nothing. */
RICO_API rico_sweep_hit rico_scene_sweep(const rico_scene *scene, const rico_filter *filter,
                                         const rico_sweep *sweep);
RICO_API void rico_scene_sweep_batch(const rico_scene *scene, const rico_filter *filter,
                                     const rico_sweep *sweeps, rico_sweep_hit *hits,
                                     uint32_t count);

/* --- nearest points --- */

typedef struct rico_nearest {
    float distance;    /* metres; the radius asked for when nothing is within it */
    uint32_t collider; /* slot, 0 = nothing within the radius */
    uint32_t triangle; /* as in rico_hit */
    uint16_t surface;
    bool back_face;   /* the point asked about is behind the surface */
    bool moving;      /* velocity is not zero */
    rico_vec3 point;  /* on the surface */
    rico_vec3 normal; /* unit, of the surface, on its front */
    rico_vec3 velocity;
} rico_nearest;

/* The surface point nearest to `point` and at most radius (metres, > 0, may be infinite) away.
 * Among equal distances the smaller (collider, triangle) wins. Nothing is near a point that is not
 * finite or beyond 1e9 m, and triangles without area are not near anything. With skip_back_faces, triangles whose
 * plane the point is behind are not there. */
RICO_API rico_nearest rico_scene_nearest(const rico_scene *scene, const rico_filter *filter,
                                         rico_vec3 point, float radius, uint32_t ignore);

/* The same of one collider alone (its slot), in its shape's space, as rico_scene_raycast_collider: the point, the
 * radius and the answer. Both sides, without velocity. */
RICO_API rico_nearest rico_scene_nearest_collider(const rico_scene *scene, uint32_t slot,
                                                  rico_vec3 point, float radius);

/* --- boxes --- */

/* A triangle of the scene, as placed. Shapes without triangles of their own give ones that are
 * within 1 % of their size of their surface; spheres and capsules within 4 mm, if their radius is at most 12 m, and
 * .034 % of that beyond. A collider's scale is not known to them. */
typedef struct rico_triangle {
    rico_vec3 a, b, c;
    uint32_t collider; /* slot, as in rico_hit */
    uint32_t triangle; /* index in its mesh */
} rico_triangle;

/* Cell gather: the triangles that touch the box (exact overlap, touching counts), each once,
 * ordered by (collider, triangle), those without area among them. Writes at most capacity of them and returns how many touch,
 * which may be more. A box that is not finite or has lo > hi touches nothing.
 * When more touch than fit, the first capacity in that order are written. skip_back_faces and
 * smooth_normals do not matter. */
RICO_API uint32_t rico_scene_gather(const rico_scene *scene, const rico_filter *filter,
                                    const rico_box *box, rico_triangle *triangles,
                                    uint32_t capacity);

/* The same, but stops as soon as capacity of them are written: returns how many are, and there may be
 * more when that is capacity. */
RICO_API uint32_t rico_scene_gather_first(const rico_scene *scene, const rico_filter *filter,
                                          const rico_box *box, rico_triangle *triangles,
                                          uint32_t capacity);

/* Triangles in one plane: what a particle sees of a floor. */
typedef struct rico_surface {
    rico_plane plane; /* normal on the front */
    rico_box box;     /* around what of it lies in the box that was asked about */
    uint32_t first;   /* in the triangles, which are reordered by surface */
    uint32_t count;
    uint32_t collider; /* slot, of all of them */
    uint16_t surface;
} rico_surface;

#define RICO_SURFACES_MAX 256u

/* Puts gathered triangles in groups: those of a collider and surface number that face the same way
 * and whose parts in the box are within flatness (metres, 0..0.1) of one plane. Groups are in the
 * order of their first triangle, triangles in each stay in order. Returns how many groups there
 * are, RICO_SURFACES_MAX + 1 for all that are more; when they are more than capacity, the triangles
 * of the others come last, in order. Triangles without area are in a group with a zero normal.
 * A box that is not finite or has lo > hi makes no groups, nor does a flatness out of range.
 * Threads: any; nothing but the arguments is touched. */
RICO_API uint32_t rico_scene_surfaces(const rico_scene *scene, const rico_box *box,
                                      float flatness, rico_triangle *triangles, uint32_t count,
                                      rico_surface *surfaces, uint32_t capacity);

/* Occupancy: false = certainly nothing touches the box; true = something may. A few nanoseconds
 * for boxes up to a few cells. Sees every collider. */
RICO_API bool rico_scene_occupied(const rico_scene *scene, const rico_box *box);

/* The same without colliders that have none of the layers' bits; what is merged, or alone in the
 * scene, may count all the same. */
RICO_API bool rico_scene_occupied_layers(const rico_scene *scene, uint32_t layers,
                                         const rico_box *box);

/* The same, more closely where the scene's cells are coarse, as large triangles make them: where these say that something
 * may touch the box, and the box with `room` (metres, 0 or more) around it has an edge that is shorter than a cell's (in the
 * space of what is asked), the triangles near are looked at one by one, until one touches that larger box. False =
 * rico_scene_gather finds nothing in the box by those layers. Where cells are small it takes as long as occupancy. */
RICO_API bool rico_scene_occupied_closely(const rico_scene *scene, uint32_t layers,
                                          const rico_box *box, float room);

/* The same of count valid boxes near each other: what is near all of them is looked for once. */
RICO_API void rico_scene_occupied_row(const rico_scene *scene, uint32_t layers,
                                      const rico_box *boxes, uint32_t count, float room,
                                      bool *occupied);

/* Boxes in rows: a cube of parts x parts x parts of them, from lo on; each has edges of `edge` and
 * holds `room` times that more on all sides. */
#define RICO_LATTICE_PARTS 4u
#define RICO_LATTICE_EDGE_MAX 1.0e5f
typedef struct rico_lattice {
    rico_vec3 lo;
    float edge;     /* metres, greater than 0, up to RICO_LATTICE_EDGE_MAX */
    float room;     /* of an edge, 0..1 */
    uint32_t parts; /* per axis, 1..RICO_LATTICE_PARTS */
} rico_lattice;

/* How far what lies in each of the boxes reaches: extents[x + parts * (y + parts * z)] is the smallest
 * box around that, or a little more, within the lattice's box. No ray within that one meets anything outside
 * of it. Where certainly nothing is: a box with lo > hi. Returns how many others there are. Shapes
 * without triangles of their own count as the boxes around them. Slower than occupancy: every triangle in the
 * cube is looked at. A lattice that is not finite or out of range holds nothing, and no extent is written.
 * skip_back_faces and smooth_normals do not matter. */
RICO_API uint32_t rico_scene_extents(const rico_scene *scene, const rico_filter *filter,
                                     const rico_lattice *lattice, rico_box *extents);

#ifdef __cplusplus
}
#endif
#endif
