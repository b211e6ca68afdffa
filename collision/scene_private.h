/* scene_private.h - what a scene is made of. */
#ifndef RICO_SCENE_PRIVATE_H
#define RICO_SCENE_PRIVATE_H

#include "cast.h"
#include "grid.h"
#include "memory.h"

#include <ricochet/scene_query.h>

/* A slot; index1 in ids is its number + 1. */
typedef struct rico__collider {
    uint32_t generation; /* of its present or next use, from 1 */
    bool used;
    uint32_t triangle_first, triangle_count; /* in the scene's faces */
    uint32_t vertex_first, vertex_count;     /* in its vertices */
} rico__collider;

/* Owner:   the host, through rico_scene_create and _destroy.
 * Threads: written by edits only, which exclude everything else; read by queries.
 * Order:   faces lie in the order of (slot, triangle in mesh), vertices in that of (slot, first
 *          use by a face); the lowest free slot is used first. */
struct rico_scene {
    rico__memory memory;
    rico_log log;
    float cell_size; /* asked for; 0 = chosen */

    rico__collider *colliders;
    uint32_t collider_capacity;
    uint32_t collider_count; /* used slots */

    rico__face *faces; /* ids index them */
    rico__vertex *vertices;
    uint32_t face_capacity, vertex_capacity;
    uint32_t triangle_high;  /* ids are below */
    uint32_t triangle_count; /* without holes */
    rico__grid grid;
    const rico__cast_kernel *cast;

    uint32_t version;
    uint64_t build_ns;
};

#endif
