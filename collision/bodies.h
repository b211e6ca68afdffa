/* bodies.h - the broad phase: which bodies are near a ray or a box.
 *
 * A body is a number and a box. The scene's bodies are the slots of colliders that have a box
 * and do not lie in the merged grid. They are the entries of a B-tree, 16 to a node, in the
 * order of their centres on a Morton curve. Each node has its children's boxes. A body that
 * moves stays in its leaf while the leaf's stretch of the curve holds it. Otherwise it is taken
 * out and put in elsewhere. So the tree is as good after a million moves as when it was made:
 * there is no rebuild, and nothing to tune. Each edit takes a few steps per level; moving a
 * body within its leaf takes one.
 *
 * The curve runs through a fixed grid of 1/2048 m, out to 1e6 m along each axis. Its points are
 * compared axis by axis, without interleaving their bits (Chan, "A Minimalist's Implementation
 * of an Approximate Nearest Neighbor Algorithm", 2006).
 *
 * Answers never depend on the tree: boxes only reject.
 *
 * Owner:   the scene.
 * Threads: written by edits, read by queries.
 * Order:   follows from the history of edits; whatever decides an answer is ordered by the caller.
 */
#ifndef RICO_BODIES_H
#define RICO_BODIES_H

#include "grow.h"

#include <ricochet/types.h>

#include <float.h>

#define RICO_BODY_FAN 16u
#define RICO_BODY_LEVELS 20u /* each has at least three times as many nodes as the one above */

/* A point of the curve. */
typedef struct rico__body_key {
    uint32_t at[3];
} rico__body_key;

typedef struct rico__body_node {
    /* Children's boxes. Those past the count are empty: nothing touches them. */
    float lo[3][RICO_BODY_FAN], hi[3][RICO_BODY_FAN];
    uint32_t child[RICO_BODY_FAN];     /* nodes; in a leaf, bodies */
    rico__body_key key[RICO_BODY_FAN]; /* where a child's stretch begins; a body's own key */
    rico__body_key begin, end;         /* the node's stretch of the curve */
    uint32_t parent;                   /* of the root: unused; of a free node: the next one */
    uint32_t place;                    /* in the parent */
    uint32_t count;
    uint32_t stamp; /* of the last rico__bodies_tighten that reached the node */
} rico__body_node;

typedef struct rico__bodies {
    rico__body_node *nodes;
    uint32_t node_capacity, node_high; /* nodes from node_high on were never used */
    uint32_t free_node;                /* + 1; 0 = none */
    uint32_t *where;                   /* by body: leaf * 16 + place */
    uint32_t *moved;                   /* bodies whose leaves changed since the last tighten */
    uint32_t where_capacity, moved_capacity, moved_count;
    uint32_t root, level; /* level: of the root; leaves have level 0 */
    uint32_t count;
    uint32_t stamp;
} rico__bodies;

/* Room for bodies with numbers 0..body, and for `count` of them in the tree. */
typedef struct rico__bodies_room {
    rico__grown nodes, where, moved;
} rico__bodies_room;

bool rico__bodies_prepare(const rico__bodies *bodies, rico__memory *memory, uint32_t body,
                          uint32_t count, rico__bodies_room *room);
void rico__bodies_commit(rico__bodies *bodies, rico__memory *memory, rico__bodies_room *room);
void rico__bodies_abandon(rico__memory *memory, rico__bodies_room *room);
void rico__bodies_release(rico__bodies *bodies, rico__memory *memory);

/* Forgets all bodies, and keeps the room. */
void rico__bodies_clear(rico__bodies *bodies);

/* Puts a body into the tree. There is room for it, and it is not in the tree. */
void rico__bodies_put(rico__bodies *bodies, uint32_t body, const rico_box *box);

/* Takes a body out of the tree. It is in the tree. */
void rico__bodies_take(rico__bodies *bodies, uint32_t body);

/* Moves a body. The boxes above it may stay as they were until rico__bodies_tighten, which must
 * follow the last move. */
void rico__bodies_move(rico__bodies *bodies, uint32_t body, const rico_box *box);

/* Makes the boxes of all nodes above moved bodies exact. */
void rico__bodies_tighten(rico__bodies *bodies);

/* The box around all bodies. There is at least one. */
rico_box rico__bodies_bounds(const rico__bodies *bodies);

/* --- asking --- */

/* Where a ray ends, for a t_max of up to FLT_MAX. For a ray that is not valid: anywhere, or
 * NaN. */
static inline rico_vec3 rico__body_ray_end(const rico_vec3 *origin, const rico_vec3 *direction,
                                           float t_max)
{
    const float t = t_max < FLT_MAX ? t_max : FLT_MAX;
    return (rico_vec3){origin->x + direction->x * t, origin->y + direction->y * t,
                       origin->z + direction->z * t};
}

/* A box of rays' ends, grown by more than all rounding. */
rico_box rico__body_ray_room(const rico_box *ends);

/* The bodies whose boxes touch the box, as the only leaf of a tree. Queries within the box get
 * the same answers from it as from the whole tree. False: they are too many for one leaf. */
bool rico__bodies_near(const rico__bodies *bodies, const rico_box *box, rico__body_node *leaf);

/* Whether the box of any of a node's children touches the box. */
bool rico__body_node_touches(const rico__body_node *node, const rico_box *box);

/* A ray among boxes; s is the distance in metres along its largest axis. */
typedef struct rico__body_ray {
    float ahead[3];  /* the origin plus the pad, along each axis */
    float behind[3]; /* the origin less the pad */
    float inverse[3];
    float s_per_t;
    float limit; /* s of the best hit so far, or of the ray's end; negative = done */
} rico__body_ray;

/* The ray must be valid by rico__ray_frame_init. The result is for boxes inside bounds. */
rico__body_ray rico__body_ray_make(const rico_vec3 *origin, const rico_vec3 *direction,
                                   float t_max, const rico_box *bounds);

/* Whether the ray meets the box before its limit. */
bool rico__body_ray_meets(const rico__body_ray *ray, const rico_box *box);

/* A body that a ray may meet, from s = begin on. */
typedef struct rico__body_entry {
    float begin;
    uint32_t body;
} rico__body_entry;

/* Finds bodies that the ray may meet, in the order of (begin, body): the first `capacity` of
 * those that come after `after` (NULL: from the beginning). If it finds fewer than capacity,
 * there are no more. */
uint32_t rico__bodies_on_ray(const rico__bodies *bodies, const rico__body_ray *ray,
                             const rico__body_entry *after, rico__body_entry *found,
                             uint32_t capacity);

/* Finds bodies whose boxes touch the box, in ascending order: the first `capacity` of those
 * from `first` on. */
uint32_t rico__bodies_in_box(const rico__bodies *bodies, const rico_box *box, uint32_t first,
                             uint32_t *found, uint32_t capacity);

/* Calls visit for bodies whose boxes touch the box, in no order, until visit returns true; then
 * returns true. */
typedef bool rico__body_fn(void *user, uint32_t body);
bool rico__bodies_each(const rico__bodies *bodies, const rico_box *box, rico__body_fn *visit,
                       void *user);

/* The same for a leaf of rico__bodies_near. The box of that call must hold this one. */
bool rico__body_leaf_each(const rico__body_node *leaf, const rico_box *box,
                          rico__body_fn *visit, void *user);

#endif
