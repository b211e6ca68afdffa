/* scene.h - the collision world: shapes, and colliders that place them. scene_query.h asks it.
 *
 * A shape is geometry in a space of its own, prepared once: a sparse grid of its triangles, or a
 * formula. A collider places a shape in the world; many may place the same one. Colliders move
 * without their shape being touched, so moving one costs the same whatever its shape.
 *
 * Edits (add, move, remove, merge) are single-threaded and exclude queries; those that allocate
 * say so, and leave the scene as it was when they fail. The scene starts no threads; a host that
 * has some may lend them to builds (rico_scene_runner).
 */
#ifndef RICOCHET_SCENE_H
#define RICOCHET_SCENE_H

#include <ricochet/export.h>
#include <ricochet/hooks.h>
#include <ricochet/result.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_scene rico_scene;

/* Something placed in the scene. Zero is null; an id is stale after its removal. */
typedef struct rico_collider_id {
    uint32_t index1;     /* its slot, from 1: rico_hit.collider and the like name it */
    uint32_t generation; /* counts the uses of the slot */
} rico_collider_id;

/* Geometry that colliders place. Zero is null; an id is stale after its removal. */
typedef struct rico_shape_id {
    uint32_t index1;
    uint32_t generation;
} rico_shape_id;

/* How the host runs what can run in parallel: the ranges into which edits cut the checking of
 * meshes and the building of grids (shapes, added meshes, merges, shifts of the origin). run calls range(context, index) once
 * for every index below count, 2..64, in any order, on any threads, and returns when all have
 * returned; an index that it leaves out runs on the editing thread. Ranges take about equal time,
 * wait for nothing, allocate nothing, and may be run one after the other. The scene is the same, to
 * the bit, however they are run.
 * Threads: run is called by the editing thread, during the edit. */
typedef void rico_scene_range_fn(void *context, uint32_t index);
typedef struct rico_scene_runner {
    void (*run)(void *user, uint32_t count, rico_scene_range_fn *range, void *context);
    void *user;
} rico_scene_runner;

typedef struct rico_scene_def {
    uint32_t cookie; /* set by rico_scene_def_default */
    float
        cell_size; /* metres, 0.01..100; 0 = chosen for each shape from its triangles [0]. Larger
                      * ones are used where there would be more than 16 per triangle plus 65,536,
                      * or 32768 along an axis: rico_scene_stats tells. */
    rico_scene_runner runner; /* run NULL = edits use one thread, the host's [NULL] */
    rico_allocator allocator;
    rico_log log;
} rico_scene_def;

RICO_API rico_scene_def rico_scene_def_default(void);

/* Errors: RICO_UNINITIALIZED_DEF, RICO_NOT_FINITE or RICO_OUT_OF_RANGE (cell_size), RICO_OUT_OF_MEMORY;
 * *out is then NULL. */
RICO_API rico_result rico_scene_create(const rico_scene_def *def, rico_scene **out);
RICO_API void rico_scene_destroy(rico_scene *scene); /* NULL is ignored */

/* --- shapes --- */

/* An indexed triangle mesh. Give the indices in one of the two widths; the other pointer is NULL. */
typedef struct rico_mesh {
    const float *positions; /* 3 floats per vertex: x y z, metres */
    uint32_t vertex_count;
    const uint32_t *indices; /* 3 per triangle, counter-clockwise from the front */
    uint32_t triangle_count;
    const uint16_t *indices16; /* the same in 16 bits, when indices is NULL */
    const uint16_t *surfaces;  /* a number of the host's per triangle, for answers; NULL = 0 */
    float
        smooth_angle; /* radians, 0..pi: where faces that share a corner turn by less, normals can
                         * be smooth (rico_filter.smooth_normals); costs 12 bytes per triangle [0] */
} rico_mesh;

/* What became of a mesh. Dropped triangles are counted once, under the first reason. */
typedef struct rico_mesh_report {
    uint32_t kept;
    uint32_t dropped_index; /* an index >= vertex_count */
    uint32_t
        dropped_not_finite; /* a vertex NaN, infinite or beyond 1e6 m after the transform */
} rico_mesh_report;

/* Heights over a rectangle from the origin along +x and +y; the front is up. Two triangles per
 * square, cut from its (x, y) to its (x + 1, y + 1) corner; triangle 2 * square is the one towards
 * +x; squares row by row. */
typedef struct rico_height_field {
    const float *heights;       /* columns * rows, metres, x fastest; NaN = a hole around it */
    uint32_t columns, rows;     /* of samples, 2..65536 each, fewer than 2^26 squares */
    float spacing_x, spacing_y; /* metres between samples, 1e-3..1e4 */
} rico_height_field;

/* The convex hull of points, closed, fronts outside. */
typedef struct rico_hull {
    const float *points;  /* 3 floats each, metres */
    uint32_t point_count; /* 4..65536; not all in one plane */
} rico_hull;

typedef enum rico_shape_kind {
    RICO_SHAPE_MESH,
    RICO_SHAPE_HEIGHT_FIELD,
    RICO_SHAPE_HULL,
    RICO_SHAPE_BOX,     /* around the origin */
    RICO_SHAPE_SPHERE,  /* around the origin */
    RICO_SHAPE_CAPSULE, /* around a segment on the z axis, the origin in its middle */
    RICO_SHAPE_PLANE    /* z = 0, without end, the front is +z */
} rico_shape_kind;

typedef struct rico_shape_def {
    uint32_t cookie; /* set by rico_shape_def_default */
    rico_shape_kind kind;
    rico_mesh mesh;                 /* the host's memory is not kept after the call */
    rico_height_field height_field; /* likewise */
    rico_hull hull;                 /* likewise */
    rico_vec3 half_size;            /* of a box, metres, 1e-4..1e5 */
    float radius;                   /* of a sphere or capsule, metres, 1e-4..1e5 */
    float half_length;              /* of a capsule's segment, metres, 0..1e5 */
    uint16_t surface; /* for answers; meshes may have their own per triangle [0] */
} rico_shape_def;

RICO_API rico_shape_def rico_shape_def_default(void); /* a mesh of nothing */

/* Prepares a shape. Allocates. Small and zero-area triangles are kept (the latter are never hit). A
 * triangle keeps its index in the mesh in every answer. report (may be NULL) counts triangles.
 * Errors: RICO_UNINITIALIZED_DEF, RICO_NOT_FINITE, RICO_OUT_OF_RANGE, RICO_EMPTY_MESH (no triangle left, or a hull
 * without volume), RICO_OUT_OF_MEMORY, RICO_FULL (over 2^27 triangles). */
RICO_API rico_result rico_scene_add_shape(rico_scene *scene, const rico_shape_def *def,
                                          rico_mesh_report *report, rico_shape_id *id);

/* Errors: RICO_STALE_ID; RICO_IN_USE while a collider places it. */
RICO_API rico_result rico_scene_remove_shape(rico_scene *scene, rico_shape_id id);

/* --- colliders --- */

#define RICO_LAYER_DEFAULT 1u

/* Where something is and how it moves. NaN and infinities are RICO_NOT_FINITE; RICO_OUT_OF_RANGE are other
 * scales and rotations, a coordinate of the position beyond 1e6 m, and a shape that the transform takes
 * beyond that. The log names the member. */
typedef struct rico_motion {
    rico_transform transform;   /* scale 1e-6..1e6; the rotation has length 1 */
    rico_vec3 velocity;         /* of the transform's position, m/s */
    rico_vec3 angular_velocity; /* around the position, radians/s, world axes */
} rico_motion;

typedef struct rico_collider_def {
    uint32_t cookie; /* set by rico_collider_def_default */
    rico_shape_id shape;
    rico_motion motion; /* [at the origin, at rest] */
    uint32_t layers;    /* bits; rico_filter.layers chooses [RICO_LAYER_DEFAULT] */
} rico_collider_def;

RICO_API rico_collider_def rico_collider_def_default(void);

/* Allocates. Errors: RICO_UNINITIALIZED_DEF, RICO_STALE_ID (shape), RICO_NOT_FINITE or
 * RICO_OUT_OF_RANGE (motion), RICO_OUT_OF_MEMORY. id may be NULL, and is null on failure. */
RICO_API rico_result rico_scene_add(rico_scene *scene, const rico_collider_def *def,
                                    rico_collider_id *id);

/* A mesh of its own, for what stays where it is: its corners are placed by the transform and kept
 * so, and its shape goes with it. Allocates; takes time by the mesh alone.
 * Errors: RICO_NOT_FINITE and RICO_OUT_OF_RANGE (transform: a position beyond 1e6 m, too, wherever the corners
 * come to; smooth_angle, two widths of indices), RICO_EMPTY_MESH (none left: triangles that are beyond 1e6 m then
 * are dropped one by one, and counted), RICO_OUT_OF_MEMORY, RICO_FULL; report and id may be NULL. */
RICO_API rico_result rico_scene_add_mesh(rico_scene *scene, const rico_mesh *mesh,
                                         rico_transform transform, rico_mesh_report *report,
                                         rico_collider_id *id);

/* Places colliders anew: all of them, or none on an error. Of an id that is given twice the last motion counts. No
 * allocation; about 0.1 us each.
 * Errors: RICO_STALE_ID; RICO_NOT_FINITE and RICO_OUT_OF_RANGE (motion); the latter for one made by
 * rico_scene_add_mesh, too. */
RICO_API rico_result rico_scene_move(rico_scene *scene, const rico_collider_id *ids,
                                     const rico_motion *motions, uint32_t count);

/* Errors: RICO_STALE_ID. */
RICO_API rico_result rico_scene_set_layers(rico_scene *scene, rico_collider_id id,
                                           uint32_t layers);

/* 0 for a stale id. */
RICO_API uint32_t rico_scene_collider_layers(const rico_scene *scene, rico_collider_id id);

/* No allocation. What was merged leaves a hole in the merged grid: it takes time by its triangles,
 * and their memory comes back at the next merge (rico_scene_stats.hole_count). Errors:
 * RICO_STALE_ID. */
RICO_API rico_result rico_scene_remove(rico_scene *scene, rico_collider_id id);

/* Puts all that rico_scene_add_mesh added into one grid: queries then meet one structure instead
 * of many. For the end of loading; takes time by all triangles. Allocates. Answers do not change,
 * nor does the version; occupancy may, within its contract.
 * Errors: RICO_OUT_OF_MEMORY, RICO_FULL (over 2^27 triangles). */
RICO_API rico_result rico_scene_merge(rico_scene *scene);

/* Makes `origin` the new (0, 0, 0): subtracts it from everything. Exact for merged and added meshes
 * where the differences are (multiples of a power of two that corners have bits for). Allocates.
 * Errors: RICO_NOT_FINITE, RICO_OUT_OF_RANGE (a collider would be beyond 1e6 m),
 * RICO_OUT_OF_MEMORY. */
RICO_API rico_result rico_scene_shift_origin(rico_scene *scene, rico_vec3 origin);

/* Number of edits so far: answers may be kept while it stays the same. */
RICO_API uint32_t rico_scene_version(const rico_scene *scene);

/* The scene's version when the collider in the slot (rico_hit.collider) last changed or went; 0 for
 * a slot that never was. */
RICO_API uint32_t rico_scene_collider_version(const rico_scene *scene, uint32_t slot);

/* The number of the surface (rico_mesh.surfaces or rico_shape_def.surface) of a collider's triangle,
 * as answers name them; 0 for a slot that is free, and a triangle that is not in rico_mesh.surfaces. */
RICO_API uint16_t rico_scene_surface_number(const rico_scene *scene, uint32_t slot,
                                            uint32_t triangle);

/* The layers of the collider in the slot; 0 when that is free. */
RICO_API uint32_t rico_scene_slot_layers(const rico_scene *scene, uint32_t slot);

/* Null id when the slot is free. */
RICO_API rico_collider_id rico_scene_collider_id(const rico_scene *scene, uint32_t slot);

/* World box of the collider as placed, and its motion. Errors: RICO_STALE_ID; outputs may be NULL. */
RICO_API rico_result rico_scene_collider_state(const rico_scene *scene, rico_collider_id id,
                                               rico_box *box, rico_motion *motion);

typedef struct rico_scene_stats {
    uint32_t shape_count;
    uint32_t collider_count;
    uint32_t triangle_count; /* of shapes and added meshes, each once */
    uint32_t hole_count; /* removed from the merged grid; their memory comes back at a merge */
    uint32_t cell_count; /* cells that hold triangles */
    uint64_t reference_count; /* triangle entries in bricks of 8 x 8 x 8 cells */
    uint32_t node_count, bundle_count,
        level_count;   /* of bricks' trees; levels: the deepest one */
    uint64_t bytes;    /* all memory of the scene */
    uint64_t build_ns; /* of the last shape, added mesh or merge */
    float cell_size;   /* of the shape with the most triangles */
    rico_box bounds;   /* of all colliders but planes; lo > hi when there are none */
} rico_scene_stats;

RICO_API rico_scene_stats rico_scene_get_stats(const rico_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
