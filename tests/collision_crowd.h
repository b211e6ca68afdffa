/* collision_crowd.h - a scene of many bodies, and the answers of a plain list of them.
 *
 * The oracle tests every triangle of every collider in turn. Triangles of placed shapes are
 * tested in the space of the shape, those of added meshes in the world. The oracle shares the
 * placement and the test of one triangle with the scene.
 */
#ifndef COLLISION_CROWD_H
#define COLLISION_CROWD_H

#include "collision_fixture.h"
#include "scene_private.h"

enum { CROWD_SHAPES = 4, CROWD_MOST = 400 };

/* The oracle's copy of a mesh. */
typedef struct model {
    fixture_mesh mesh;
    rico__vertex *vertices; /* as given, then as placed last */
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
    uint32_t hits;              /* number of rays that hit in the tests */
} crowd;

/* Makes the shapes; places nothing yet. */
crowd *crowd_create(uint64_t seed);
void crowd_destroy(crowd *c);
rico_mesh crowd_view(const model *m);

/* Adds a collider. placed: an added mesh; else a shape that is placed. */
void crowd_add(crowd *c, bool placed);
void crowd_remove(crowd *c);
/* Moves one collider in `one_in`, far away or by a little. */
void crowd_move(crowd *c, uint32_t one_in);

/* A ray inside the crowd or beside it. Some rays are not valid, some ignore a collider. */
rico_ray crowd_ray(crowd *c);

/* Compares rays, boxes and the scene's record of colliders with brute force. round: chooses the
 * filter and the instruction set. */
void crowd_check(crowd *c, int round);

/* Compares all fields but the cost. */
bool answers_equal(const rico_hit *a, const rico_hit *b);

#endif
