/* collision_fuzz_world.h - a scene made from bytes, and a plain list of everything in it.
 *
 * The list stores for every triangle its own three corners. So the oracle shares with the scene
 * only the placement, the test of one triangle and the test of one formula. Edits are legal but
 * hostile: scales of 1e-6 and 1e6, positions up to the end of the float range.
 */
#ifndef COLLISION_FUZZ_WORLD_H
#define COLLISION_FUZZ_WORLD_H

#include "collision_fixture.h"
#include "formula.h"
#include "fuzz_bytes.h"

enum { FUZZ_TRIANGLES = 48, FUZZ_BODIES = 20, FUZZ_SHAPES = 24, FUZZ_LISTED = 65536 };

rico_filter take_filter(source *s); /* mostly the default one */

/* --- the list --- */

typedef struct fuzz_shape {
    rico_shape_id id;      /* null for the shape of an added mesh */
    rico__shape formula;   /* kind, radius and half_length */
    bool dressed;          /* has surface numbers */
    uint16_t surface;      /* of the whole shape, when not dressed */
    uint32_t first, count; /* its triangles in the list */
} fuzz_shape;

typedef struct fuzz_body {
    bool used;
    bool added; /* its triangles are stored in the world's space */
    rico_collider_id id;
    uint32_t shape, layers;
    rico_motion motion;
} fuzz_body;

typedef struct world {
    rico_scene *scene;
    fuzz_shape shapes[FUZZ_SHAPES];
    uint32_t shape_count;
    fuzz_body bodies[FUZZ_BODIES]; /* by slot */
    rico__vertex vertices[3 * FUZZ_LISTED];
    rico__face faces[FUZZ_LISTED];
    uint32_t count;
} world;

void world_make(world *w, source *s);
/* Does one edit: adds, places, moves, merges, removes, changes layers or shifts the origin. */
void world_edit(world *w, source *s);

bool body_is_formula(const world *w, const fuzz_body *b);
bool body_is_seen(const fuzz_body *b, const rico_filter *filter, uint32_t slot,
                  uint32_t ignore);

/* The corner in the world, as floats, which is how gathers return it. */
rico_vec3 body_corner(const world *w, const fuzz_body *b, uint32_t i, uint32_t j);

/* A corner of a body, or any point. */
rico_vec3 take_corner(const world *w, source *s);

/* A bound on the steps of a query. No query visits more bricks, nodes and bundles than exist. On
 * its way through a grid it visits at most as many bricks as the sum of the grid's sides. */
uint64_t world_steps(const world *w);

#endif
