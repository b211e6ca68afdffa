/* collision_crowd.h - a scene of many bodies, and what a plain list of them answers.
 *
 * The oracle tests every triangle of every collider in turn: of a placed shape in its own space, of
 * an added mesh in the world. It shares the placement and the test of one triangle with the scene.
 */
#ifndef COLLISION_CROWD_H
#define COLLISION_CROWD_H

#include "collision_fixture.h"
#include "scene_private.h"

enum { CROWD_SHAPES = 4, CROWD_MOST = 400 };

/* A mesh as the oracle has it. */
typedef struct model {
    fixture_mesh mesh;
    rico__vertex *vertices; /* as they are, and after these as placed last */
    rico__face *faces;
    uint16_t *surfaces;
    rico_shape_id shape;
} model;

/* What the oracle knows of a collider. */
typedef struct member {
    rico_collider_id id;
    uint32_t model, layers, version;
    rico_motion motion;
    bool used, placed;
} member;

typedef struct crowd {
    rico_scene *scene;
    fixture_random random;
    model models[CROWD_SHAPES];
    member members[CROWD_MOST]; /* by slot */
    uint32_t hits;              /* of rays that the tests saw hit */
} crowd;

/* Shapes, but nothing placed yet. */
crowd *crowd_create(uint64_t seed);
void crowd_destroy(crowd *c);
rico_mesh crowd_view(const model *m);

/* placed: an added mesh; else a shape that is placed. */
void crowd_add(crowd *c, bool placed);
void crowd_remove(crowd *c);
/* Moves one in so many, to elsewhere or by a little. */
void crowd_move(crowd *c, uint32_t one_in);

/* Inside the crowd or beside it; some are not valid, some ignore a collider. */
rico_ray crowd_ray(crowd *c);

/* Rays, boxes and the book of colliders as brute force has them. round: chooses the filter and the
 * instruction set. */
void crowd_check(crowd *c, int round);

/* Everything but the cost. */
bool answers_equal(const rico_hit *a, const rico_hit *b);

#endif
