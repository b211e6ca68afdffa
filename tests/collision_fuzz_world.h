/* collision_fuzz_world.h - a scene made of bytes, and a plain list of all that is in it.
 *
 * The list has of every triangle its own three corners, so the oracle shares nothing with the scene
 * but the tests of one triangle and one formula, and the placement. Edits are legal but hostile:
 * scales of 1e-6 and 1e6, positions up to where floats end.
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
    rico_shape_id id;      /* null for an added mesh's */
    rico__shape formula;   /* kind, radius, half_length */
    bool dressed;          /* has surface numbers */
    uint16_t surface;      /* of all of it, when not dressed */
    uint32_t first, count; /* of its triangles in the list */
} fuzz_shape;

typedef struct fuzz_body {
    bool used;
    bool added; /* its triangles are in the world already */
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
/* Adds, places, moves, merges, removes, changes layers, shifts the origin: one of them. */
void world_edit(world *w, source *s);

bool body_is_formula(const world *w, const fuzz_body *b);
bool body_is_seen(const fuzz_body *b, const rico_filter *filter, uint32_t slot,
                  uint32_t ignore);

/* As floats, as gathers have it. */
rico_vec3 body_corner(const world *w, const fuzz_body *b, uint32_t i, uint32_t j);

/* A corner of something, or any point. */
rico_vec3 take_corner(const world *w, source *s);

/* No question meets more bricks, nodes and bundles than there are, and on its way through a grid
 * as many bricks as it is long, wide and high. */
uint64_t world_steps(const world *w);

#endif
