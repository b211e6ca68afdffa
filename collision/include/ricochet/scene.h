/* scene.h - the collision world: triangles in a sparse grid, and questions about them.
 *
 * Edits (add, remove) allocate, may fail in the call, and are single-threaded. Queries allocate
 * nothing, keep no state, and may run on any number of threads while nobody edits. The scene
 * starts no threads.
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
    uint32_t index1;     /* slot + 1 */
    uint32_t generation; /* counts the uses of the slot */
} rico_collider_id;

typedef struct rico_scene_def {
    uint32_t cookie; /* set by rico_scene_def_default */
    float cell_size; /* metres, 0.01..100; 0 = chosen from the triangles [0]. Larger ones
                            * are used where there would be more than 16 per triangle plus
                            * 65,536, or 32768 along an axis: rico_scene_stats tells. */
    rico_allocator allocator;
    rico_log log;
} rico_scene_def;

RICO_API rico_scene_def rico_scene_def_default(void);

/* Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE, RICO_OUT_OF_MEMORY; *out is then NULL. */
RICO_API rico_result rico_scene_create(const rico_scene_def *def, rico_scene **out);
RICO_API void rico_scene_destroy(rico_scene *scene); /* NULL is ignored */

/* An indexed triangle mesh; the memory is the host's and is not kept after the call. */
typedef struct rico_mesh {
    const float *positions; /* 3 floats per vertex: x y z, metres */
    uint32_t vertex_count;
    const uint32_t *indices; /* 3 per triangle, counter-clockwise from the front */
    uint32_t triangle_count;
} rico_mesh;

/* What became of a mesh. Dropped triangles are counted once, under the first reason. */
typedef struct rico_mesh_report {
    uint32_t kept;
    uint32_t dropped_index; /* an index >= vertex_count */
    uint32_t
        dropped_not_finite; /* a vertex NaN, infinite or beyond 1e6 m after the transform */
} rico_mesh_report;

/* Adds the mesh's triangles, placed by the transform; the grid holds them when the call
 * returns. Small and zero-area triangles are kept (the latter are never hit). A triangle keeps
 * its index in the mesh in every answer.
 * Errors: RICO_NOT_FINITE (transform), RICO_EMPTY_MESH (none left), RICO_OUT_OF_MEMORY,
 * RICO_FULL (over 2^27 triangles); the scene is then as before. report and id may be NULL. */
RICO_API rico_result rico_scene_add_mesh(rico_scene *scene, const rico_mesh *mesh,
                                         rico_transform transform, rico_mesh_report *report,
                                         rico_collider_id *id);

/* Errors: RICO_STALE_ID, RICO_OUT_OF_MEMORY (the scene is then as before). */
RICO_API rico_result rico_scene_remove(rico_scene *scene, rico_collider_id id);

/* Number of edits so far: answers may be kept while it stays the same. */
RICO_API uint32_t rico_scene_version(const rico_scene *scene);

/* A segment: from origin along direction (any length > 0) for 0 <= t <= t_max, where a point is
 * origin + t * direction. */
typedef struct rico_ray {
    rico_vec3 origin;
    float t_max;
    rico_vec3 direction;
    uint32_t reserved; /* 0 */
} rico_ray;

#define RICO_NO_TRIANGLE UINT32_MAX

/* The closest hit. Among equal t the smaller collider slot, then the smaller triangle wins. */
typedef struct rico_hit {
    float t;            /* the ray's t_max when nothing was hit */
    uint32_t collider;  /* collider slot (rico_collider_id.index1), 0 = no hit */
    uint32_t triangle;  /* index in the mesh, RICO_NO_TRIANGLE = no hit */
    uint32_t back_face; /* 1 = hit from behind */
    rico_vec3 normal;   /* unit, towards the ray's origin; (0,0,0) = no hit */
    uint32_t steps;     /* bricks and bundles of triangles met: the cost; depends on the grid,
                         * and on whether the ray was asked alone */
} rico_hit;

/* Closest hit; two-sided. The bits are those of testing every triangle: cell size and the order
 * of edits do not show. No ray passes between triangles that share an edge or corner (Woop,
 * Benthin and Wald 2013).
 * Rays hit nothing that are not finite, start beyond 1e9 m, or have t_max <= 0 or NaN (it may be
 * infinite), or a direction whose largest component is not in 1e-30..1e30.
 * Rays that start more than a few thousand cells outside the scene are slow.
 * The batch gives the same bits as single calls (but for steps) in about half the time, with
 * some tens of rays or more; a caller may split it over threads as it likes. Both take up to
 * 64 KiB of stack. */
RICO_API rico_hit rico_scene_raycast(const rico_scene *scene, const rico_ray *ray);
RICO_API void rico_scene_raycast_batch(const rico_scene *scene, const rico_ray *rays,
                                       rico_hit *hits, uint32_t count);

/* A triangle of the scene, as placed. */
typedef struct rico_triangle {
    rico_vec3 a, b, c;
    uint32_t collider; /* slot, as in rico_hit */
    uint32_t triangle; /* index in its mesh */
} rico_triangle;

/* Cell gather: the triangles that touch the box (exact overlap, touching counts), each once,
 * ordered by (collider, triangle). Writes at most capacity of them and returns how many touch,
 * which may be more. A box that is not finite or has lo > hi touches nothing.
 * When more touch than fit, the first capacity in that order are written. */
RICO_API uint32_t rico_scene_gather(const rico_scene *scene, const rico_box *box,
                                    rico_triangle *triangles, uint32_t capacity);

/* Occupancy: false = certainly no triangle touches the box; true = one may. A few nanoseconds
 * for boxes up to a few cells. */
RICO_API bool rico_scene_occupied(const rico_scene *scene, const rico_box *box);

typedef struct rico_scene_stats {
    uint32_t collider_count;
    uint32_t triangle_count;
    uint32_t cell_count;      /* cells that hold triangles */
    uint64_t reference_count; /* triangle entries in bricks of 8 x 8 x 8 cells */
    uint64_t bytes;           /* all memory of the scene */
    uint64_t build_ns;        /* last rebuild */
    float cell_size;
    rico_box bounds; /* of all triangles; lo > hi when there are none */
} rico_scene_stats;

RICO_API rico_scene_stats rico_scene_get_stats(const rico_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
