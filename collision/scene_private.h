/* scene_private.h - what a scene consists of.
 *
 *     colliders[slot] -> shapes[i] .part    geometry in its own space, or placed already
 *                     -> bodies             those with a box of their own
 *                     -> merged             all that was merged into one grid
 */
#ifndef RICO_SCENE_PRIVATE_H
#define RICO_SCENE_PRIVATE_H

#include "bodies.h"
#include "cast.h"
#include "memory.h"
#include "part.h"
#include "placement.h"
#include "smooth.h"

#include <ricochet/scene_query.h>

/* A shape. index1 in shape ids is its place + 1. */
typedef struct rico__shape {
    uint32_t generation; /* of its present or next use, from 1 */
    bool used;
    /* By rico_scene_add_mesh: it is placed already, goes with its collider, and has no id. */
    bool added;
    rico_shape_kind kind;
    uint16_t surface;
    uint32_t user_count;       /* colliders that place it */
    float radius, half_length; /* of spheres and capsules */
    rico__smooth_face *smooth; /* by face of the part; NULL = none */
    uint32_t smooth_count;
    uint16_t *surfaces; /* by triangle of the mesh; NULL = `surface` for all of them */
    uint32_t surface_count;
    uint32_t triangle_count; /* of the part, or of its share of the merged part */
    rico_box bounds;         /* lo > hi: the shape is unbounded */
    rico__middle middle;     /* of the bounds */
    rico__part part;         /* empty when merged, or without triangles */
} rico__shape;

/* A slot for a collider. index1 in ids is the slot's number + 1. */
typedef struct rico__collider {
    uint32_t generation; /* of its present or next use, from 1 */
    uint32_t version;    /* the scene's version when the collider last changed */
    bool used;
    bool placed; /* its triangles are in world space already: no transform */
    bool merged; /* its triangles are in the scene's merged part, not in its shape's */
    bool moving; /* has a velocity */
    uint32_t shape;
    uint32_t face_first, vertex_first, vertex_count; /* in the merged part */
    rico_box box;                                    /* of its geometry in the world */
    rico__placement placement;                       /* only if not placed */
    rico_motion motion;
} rico__collider;

/* Owner:   the host, through rico_scene_create and _destroy.
 * Threads: written by edits only, which exclude everything else; read by queries.
 * Order:   the lowest free slot is used first. */
struct rico_scene {
    rico__memory memory;
    rico_log log;
    rico__grid_options grid_options;
    const rico__cast_kernel *cast;

    rico__shape *shapes;
    uint32_t shape_capacity;
    uint32_t shape_count; /* with ids */
    rico__collider *colliders;
    uint32_t *layers; /* by slot, as long as colliders */
    uint32_t collider_capacity, layer_capacity;
    uint32_t collider_count; /* used slots */
    uint32_t triangle_count; /* without holes */

    rico__part merged;
    uint32_t merged_count;  /* colliders in it */
    uint32_t merged_end;    /* slots from there on are not in it */
    uint32_t merged_layers; /* layer bits that all of them have */
    rico__bodies bodies;    /* all other colliders with a box, by slot */
    uint32_t *planes;       /* slots of unbounded colliders, ascending */
    uint32_t plane_capacity, plane_count;
    uint32_t dressed_count; /* shapes with surface numbers or smooth normals */

    /* Computed after every edit. */
    /* The part, when it is all of the scene and needs no transform; else NULL. */
    const rico__part *only;
    uint32_t only_layers; /* layer bits that all of it has */
    /* There is an `only`, and answers need nothing that the kernels do not fill in. */
    bool plain;
    uint32_t free_slot, free_shape; /* no slot or place below is free */

    uint32_t version;
    uint64_t build_ns;
};

/* The slot of a live id, or RICO_NO_SLOT. */
#define RICO_NO_SLOT UINT32_MAX
uint32_t rico__collider_slot(const rico_scene *scene, rico_collider_id id);
uint32_t rico__shape_slot(const rico_scene *scene, rico_shape_id id);

/* Ends an edit: computes anew all that follows from the rest of the scene. */
void rico__scene_settle(rico_scene *scene);

/* Makes a shape whose part is the mesh, with `kept` valid triangles; all else of it is empty.
 * transform NULL: corners stay as they are. collider: slot + 1 when placed, else any number but
 * 0. On an error the shape owns nothing. */
rico_result rico__shape_make(rico_scene *scene, rico__shape *shape, const rico_mesh *mesh,
                             const rico_transform *transform, uint32_t kept, uint32_t collider);
void rico__shape_release(rico_scene *scene, rico__shape *shape);

/* Checks a mesh. Returns what is wrong with it, or RICO_OK and how many triangles are kept. */
rico_result rico__mesh_check(const rico_scene *scene, const char *call, const rico_mesh *mesh,
                             const rico_transform *transform, rico_mesh_report *report);

/* Where the next shape goes, with room for it. rico__shape_commit commits the room. */
uint32_t rico__shape_prepare(rico_scene *scene, rico__grown *room);
void rico__shape_commit(rico_scene *scene, uint32_t at, const rico__shape *shape,
                        rico__grown *room);
void rico__shape_remove(rico_scene *scene, uint32_t at);

/* The box of the collider's body: the collider's own, with room for the rounding of rays. */
rico_box rico__collider_body_box(const rico__collider *c);

/* Computes the box, the placement, and whether the collider moves. */
void rico__collider_place(const rico_scene *scene, rico__collider *c,
                          const rico_motion *motion);

/* Spheres, capsules and planes are queried by formula. If they have triangles, these are for
 * gathers. */
static inline bool rico__shape_is_formula(const rico__shape *shape)
{
    return shape->kind == RICO_SHAPE_SPHERE || shape->kind == RICO_SHAPE_CAPSULE ||
           shape->kind == RICO_SHAPE_PLANE;
}

static inline uint16_t rico__shape_surface(const rico__shape *shape, uint32_t triangle)
{
    return shape->surfaces != NULL ? shape->surfaces[triangle] : shape->surface;
}

/* The velocity of the surface at a point. */
static inline rico_vec3 rico__collider_velocity(const rico__collider *c, rico_vec3 p)
{
    if (!c->moving)
        return vec3(0.0f, 0.0f, 0.0f);
    rico_vec3 arm = vec3_sub(p, c->motion.transform.position);
    return vec3_add(c->motion.velocity, vec3_cross(c->motion.angular_velocity, arm));
}

static inline bool rico__layers_pass(const rico_scene *scene, const rico_filter *filter,
                                     uint32_t slot)
{
    return rico__bits_pass(scene->layers[slot], filter->layers, filter->ignored_layers);
}

static inline const rico__part *rico__collider_part(const rico_scene *scene,
                                                    const rico__collider *c)
{
    return c->merged ? &scene->merged : &scene->shapes[c->shape].part;
}

#endif
