/* scene.h - the collision scene: shapes, and the colliders that place them in the world.
 *
 * scene_query.h has the queries: rays, sweeps, nearest points, boxes.
 *
 * A shape is geometry in its own local space. It is prepared once, as a sparse grid of its
 * triangles or as a formula. A collider places a shape in the world. Any number of colliders
 * may place the same shape. Moving a collider does not touch its shape, so it costs the same
 * whatever the shape is.
 *
 * An edit is a call that adds, changes, moves, shifts, removes or merges something. Edits that
 * allocate memory say "Allocates." in their comments.
 *
 * Units: metres, seconds and radians.
 * Threads: one thread edits at a time, and no query may run during an edit. The scene starts no
 *   threads. A host that has threads may lend them to edits (rico_scene_runner).
 * Errors: an edit that allocates leaves the scene as it was when it fails.
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

/* The id of a collider. All zero is the null id. An id is stale once its collider was
 * removed. */
typedef struct rico_collider_id {
    uint32_t index1;     /* slot of the collider, from 1; rico_hit.collider and others name it */
    uint32_t generation; /* counts how often the slot has been used */
} rico_collider_id;

/* The id of a shape. All zero is the null id. An id is stale once its shape was removed. */
typedef struct rico_shape_id {
    uint32_t index1;
    uint32_t generation;
} rico_shape_id;

/* --- scene -------------------------------------------------------------------------------- */

/* Does one part of an edit's work: the range with this index. `context` is the value that
 * rico_scene_runner.run was given. */
typedef void rico_scene_range_fn(void *context, uint32_t index);

/* How the host runs the parts of an edit that can run in parallel.
 *
 * Edits divide two kinds of work into ranges: the checks of meshes, and the building of grids.
 * Grids are built for shapes, for added meshes, by merges and by shifts of the origin.
 *
 * `run` calls range(context, index) once for each index below `count`, which is 2..64. It may
 * do so in any order and on any threads. It returns when all these calls have returned. An
 * index that it leaves out runs on the editing thread.
 *
 * Ranges take about equal time, wait for nothing and allocate nothing. They may run one after
 * the other.
 *
 * Threads: the editing thread calls `run`, during the edit.
 * Determinism: the scene has the same bits, whatever the order and the threads of the ranges.
 */
typedef struct rico_scene_runner {
    void (*run)(void *user, uint32_t count, rico_scene_range_fn *range, void *context);
    void *user;
} rico_scene_runner;

typedef struct rico_scene_def {
    uint32_t cookie; /* set by rico_scene_def_default */

    /* Edge of a grid's cells; metres; 0.01..100, or 0. With 0, the size is chosen for each
     * shape from its triangles. A triangle has an entry in each cell that it touches. Cells are
     * larger than asked for where a grid would otherwise have more entries than 16 per triangle
     * plus 65,536, or more than 32768 cells along an axis. Far from the origin, cells are at
     * least 2^-20 of the grid's farthest coordinate: 1 m at about 1000 km.
     * rico_scene_stats.cell_size tells the size in use by the grid with the most triangles.
     * [0] */
    float cell_size;

    rico_scene_runner runner; /* run NULL: edits use the calling thread alone [NULL] */
    rico_allocator allocator; /* hooks.h */
    rico_log log;             /* hooks.h */
} rico_scene_def;

/* Returns a definition with all fields at their defaults. */
RICO_API rico_scene_def rico_scene_def_default(void);

/* Creates an empty scene. On failure *out is NULL.
 *
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_scene_def_default.
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: cell_size.
 *   RICO_OUT_OF_RANGE: the allocator has only one of its two functions.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_scene_create(const rico_scene_def *def, rico_scene **out);

/* Destroys the scene. NULL is ignored. */
RICO_API void rico_scene_destroy(rico_scene *scene);

/* --- shapes ------------------------------------------------------------------------------- */

/* An indexed triangle mesh. Give the indices in one of the two widths; the other pointer is
 * NULL. */
typedef struct rico_mesh {
    const float *positions; /* x y z per vertex; metres */
    uint32_t vertex_count;

    const uint32_t *indices; /* 3 per triangle, counter-clockwise seen from the front */
    uint32_t triangle_count;
    const uint16_t *indices16; /* the same in 16 bits, used when indices is NULL */

    /* A surface number of the host's choice per triangle, which answers return. NULL stands for
     * 0 everywhere. */
    const uint16_t *surfaces;

    /* Crease angle of smooth normals; radians; 0..pi. Normals can be smooth where the faces
     * that share a corner turn by less than this angle; rico_filter.smooth_normals asks for
     * them. A value above 0 costs 12 bytes per triangle. [0] */
    float smooth_angle;
} rico_mesh;

/* What became of a mesh's triangles. A dropped triangle is counted once, under the first reason
 * that applies. */
typedef struct rico_mesh_report {
    uint32_t kept;
    uint32_t dropped_index; /* an index is not below vertex_count */

    /* A vertex is NaN or infinite, or a coordinate is beyond 1e6 m after the transform. */
    uint32_t dropped_not_finite;
} rico_mesh_report;

/* A height field: heights over a rectangle that begins at the origin and extends along +x and
 * +y. The front is up.
 *
 * Each square between four samples has two triangles. They are divided by the line from the
 * square's (x, y) corner to its (x + 1, y + 1) corner. Triangle 2 * square is the one towards
 * +x. Squares are numbered row by row.
 */
typedef struct rico_height_field {
    const float *heights;       /* columns * rows, x fastest; metres; NaN: a hole around it */
    uint32_t columns, rows;     /* number of samples; 2..65536 each, fewer than 2^26 squares */
    float spacing_x, spacing_y; /* distance between samples; metres; 1e-3..1e4 */
} rico_height_field;

/* The convex hull of points. It is closed, with its fronts outside. */
typedef struct rico_hull {
    const float *points;  /* x y z per point; metres; -1e6..1e6 */
    uint32_t point_count; /* 4..65536; the points must not all lie in one plane */
} rico_hull;

typedef enum rico_shape_kind {
    RICO_SHAPE_MESH,
    RICO_SHAPE_HEIGHT_FIELD,
    RICO_SHAPE_HULL,
    RICO_SHAPE_BOX,     /* centred on the origin */
    RICO_SHAPE_SPHERE,  /* centred on the origin */
    RICO_SHAPE_CAPSULE, /* around a segment of the z axis whose middle is the origin */
    RICO_SHAPE_PLANE    /* z = 0, infinite; the front is +z */
} rico_shape_kind;

/* What a shape is made from. Only the fields of its kind matter, and `surface`. The call copies
 * what mesh, height_field and hull point to: the host's memory is not used after it. */
typedef struct rico_shape_def {
    uint32_t cookie; /* set by rico_shape_def_default */
    rico_shape_kind kind;

    rico_mesh mesh;
    rico_height_field height_field;
    rico_hull hull;
    rico_vec3 half_size; /* half edges of a box; metres; 1e-4..1e5 */
    float radius;        /* of a sphere or a capsule; metres; 1e-4..1e5 */
    float half_length;   /* half the length of a capsule's segment; metres; 0..1e5 */

    /* Surface number that answers return. A mesh may have numbers per triangle instead
     * (rico_mesh.surfaces). [0] */
    uint16_t surface;
} rico_shape_def;

/* Returns the definition of a mesh without triangles, with all other fields at their
 * defaults. */
RICO_API rico_shape_def rico_shape_def_default(void);

/* Prepares a shape and returns its id in *id. Allocates.
 *
 * Small triangles are kept, and so are triangles without area, which nothing ever hits. A
 * triangle keeps its index in the mesh in every answer. `report` counts triangles; it may be
 * NULL.
 *
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_shape_def_default.
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: a field of def, which the log names.
 *   RICO_EMPTY_MESH: no triangle is left, or a hull has no volume.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 *   RICO_FULL: the scene would have more than 2^27 triangles.
 */
RICO_API rico_result rico_scene_add_shape(rico_scene *scene, const rico_shape_def *def,
                                          rico_mesh_report *report, rico_shape_id *id);

/* Removes a shape.
 *
 * Errors:
 *   RICO_STALE_ID: the id names no shape.
 *   RICO_IN_USE: a collider still places the shape.
 */
RICO_API rico_result rico_scene_remove_shape(rico_scene *scene, rico_shape_id id);

/* --- colliders ---------------------------------------------------------------------------- */

#define RICO_LAYER_DEFAULT 1u

/* Where a collider is and how it moves.
 *
 * Errors, of every call that takes a motion; the log names the member:
 *   RICO_NOT_FINITE: a number is NaN or infinite.
 *   RICO_OUT_OF_RANGE: the scale or the length of the rotation is out of range, a coordinate of
 *     the position is beyond 1e6 m, or the transform takes part of the shape beyond 1e6 m.
 */
typedef struct rico_motion {
    rico_transform transform;   /* local to world space; scale 1e-6..1e6, rotation of length 1 */
    rico_vec3 velocity;         /* of the transform's position; m/s */
    rico_vec3 angular_velocity; /* around the position, along world axes; radians/s */
} rico_motion;

typedef struct rico_collider_def {
    uint32_t cookie; /* set by rico_collider_def_default */
    rico_shape_id shape;
    rico_motion motion; /* [at the origin, at rest] */
    uint32_t layers;    /* bits, from which rico_filter.layers chooses [RICO_LAYER_DEFAULT] */
} rico_collider_def;

/* Returns a definition with all fields at their defaults. */
RICO_API rico_collider_def rico_collider_def_default(void);

/* Adds a collider and returns its id in *id. Allocates. `id` may be NULL; *id is null on
 * failure.
 *
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_collider_def_default.
 *   RICO_STALE_ID: def.shape.
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: def.motion, as rico_motion says.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_scene_add(rico_scene *scene, const rico_collider_def *def,
                                    rico_collider_id *id);

/* Adds a static mesh as a collider with a shape of its own. Allocates.
 *
 * The transform places the mesh's corners once, and the scene keeps them in world space. The
 * collider cannot move. Removing it removes its shape, too. `report` and `id` may be NULL.
 *
 * Triangles with a corner beyond 1e6 m after the transform are dropped one by one, and counted
 * in *report.
 *
 * Cost: time by the mesh alone, not by the rest of the scene.
 * Errors:
 *   RICO_NOT_FINITE: transform or smooth_angle.
 *   RICO_OUT_OF_RANGE: transform, smooth_angle, or indices in both widths. A position of the
 *     transform beyond 1e6 m is refused, wherever the corners come to lie.
 *   RICO_EMPTY_MESH: no triangle is left.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 *   RICO_FULL: the scene would have more than 2^27 triangles.
 */
RICO_API rico_result rico_scene_add_mesh(rico_scene *scene, const rico_mesh *mesh,
                                         rico_transform transform, rico_mesh_report *report,
                                         rico_collider_id *id);

/* Gives `count` colliders new motions: all of them, or none on an error.
 *
 * When an id is given twice, its last motion counts. Does not allocate.
 *
 * Cost: about 0.1 us per collider.
 * Errors:
 *   RICO_STALE_ID: an id names no collider.
 *   RICO_NOT_FINITE: a motion.
 *   RICO_OUT_OF_RANGE: a motion, or a collider that rico_scene_add_mesh made.
 */
RICO_API rico_result rico_scene_move(rico_scene *scene, const rico_collider_id *ids,
                                     const rico_motion *motions, uint32_t count);

/* Sets the layers of a collider.
 *
 * Errors: RICO_STALE_ID.
 */
RICO_API rico_result rico_scene_set_layers(rico_scene *scene, rico_collider_id id,
                                           uint32_t layers);

/* Returns the layers of a collider, or 0 for a stale id. */
RICO_API uint32_t rico_scene_collider_layers(const rico_scene *scene, rico_collider_id id);

/* Removes a collider. Does not allocate.
 *
 * A merged mesh leaves a hole in the merged grid. The next merge gives back the hole's memory
 * (rico_scene_stats.hole_count).
 *
 * Cost: of a merged mesh, time by its triangles.
 * Errors: RICO_STALE_ID.
 */
RICO_API rico_result rico_scene_remove(rico_scene *scene, rico_collider_id id);

/* Merges everything that rico_scene_add_mesh added into one grid. Allocates.
 *
 * Queries then meet one structure instead of many. Call it at the end of loading. Answers do
 * not change, nor does rico_scene_version. Occupancy may change, within its contract
 * (rico_scene_occupied).
 *
 * Cost: time by all triangles that were added as meshes.
 * Errors: RICO_OUT_OF_MEMORY.
 */
RICO_API rico_result rico_scene_merge(rico_scene *scene);

/* Makes `origin` the new (0, 0, 0): subtracts it from all positions in the scene. Allocates.
 *
 * The corners of merged and added meshes move without rounding wherever corner - origin is
 * exact as a float: where it is a multiple of a power of two that the corner has bits for.
 *
 * Errors:
 *   RICO_NOT_FINITE: origin.
 *   RICO_OUT_OF_RANGE: a collider would be beyond 1e6 m.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_scene_shift_origin(rico_scene *scene, rico_vec3 origin);

/* --- state -------------------------------------------------------------------------------- */

/* Returns how many edits have changed what queries can answer. A host may keep answers while
 * the number stays the same. */
RICO_API uint32_t rico_scene_version(const rico_scene *scene);

/* Returns the scene's version when the collider in `slot` (rico_hit.collider) last changed or
 * was removed. Returns 0 for a slot that was never used. */
RICO_API uint32_t rico_scene_collider_version(const rico_scene *scene, uint32_t slot);

/* Returns the surface number of a triangle of the collider in `slot`, as answers name both:
 * from rico_mesh.surfaces or rico_shape_def.surface. Returns 0 for a free slot, and for a
 * triangle that is not in rico_mesh.surfaces. */
RICO_API uint16_t rico_scene_surface_number(const rico_scene *scene, uint32_t slot,
                                            uint32_t triangle);

/* Returns the layers of the collider in `slot`, or 0 when the slot is free. */
RICO_API uint32_t rico_scene_slot_layers(const rico_scene *scene, uint32_t slot);

/* Returns the id of the collider in `slot`, or the null id when the slot is free. */
RICO_API rico_collider_id rico_scene_collider_id(const rico_scene *scene, uint32_t slot);

/* Gets the world-space box of a placed collider, and its motion. `box` and `motion` may be
 * NULL.
 *
 * Errors: RICO_STALE_ID.
 */
RICO_API rico_result rico_scene_collider_state(const rico_scene *scene, rico_collider_id id,
                                               rico_box *box, rico_motion *motion);

typedef struct rico_scene_stats {
    uint32_t shape_count;
    uint32_t collider_count;
    uint32_t triangle_count; /* of shapes and added meshes, each counted once */

    /* Triangles removed from the merged grid. The next merge gives back their memory. */
    uint32_t hole_count;

    uint32_t cell_count;      /* cells that hold triangles */
    uint64_t reference_count; /* triangle entries in bricks of 8 x 8 x 8 cells */

    /* Nodes, bundles of triangles and levels of the bricks' trees. Levels are those of the
     * deepest tree. */
    uint32_t node_count, bundle_count, level_count;

    uint64_t bytes;    /* all memory of the scene */
    uint64_t build_ns; /* time of the last shape, added mesh or merge; nanoseconds */
    float cell_size;   /* of the grid with the most triangles; metres */
    rico_box bounds;   /* of all colliders but planes; lo > hi when there are none */
} rico_scene_stats;

/* Returns the scene's statistics. */
RICO_API rico_scene_stats rico_scene_get_stats(const rico_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
