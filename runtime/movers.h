/* movers.h - colliders that move: where each is during a step, and which particles meet it.
 *
 * A collider that was moved is a mover, and so is a plane without end from the start (`body` in
 * the code). Movers are in no record and not in coverage. In each step the particles that may
 * come near one are taken out of the block's pass. They are moved one by one (ride.c), against
 * static geometry and movers. A path is tested in the mover's own space: from its beginning to
 * its end, each with the mover's pose at that time. So it has no gaps from step to step,
 * however the mover moves, and nothing can pass through.
 *
 * Owner: the world. Threads: written in edits, in plan and after report; read-only in
 * simulate. Order: by the order in which they became movers; ties of contacts go to the first.
 */
#ifndef RICO_MOVERS_H
#define RICO_MOVERS_H

#include "box_tree.h"
#include "vec.h"

#include <ricochet/world.h>

/* Up to this many movers are tested one by one. For more, plan makes a tree of their reaches. */
#define RICO__FEW_MOVERS 16u

/* A mover that was not moved for this many steps becomes static again and goes into records, if
 * it lies where coverage has room. Otherwise it waits for an edit that makes coverage anew,
 * because a step has no time for that; or until more than RICO__FEW_MOVERS wait. */
#define RICO__MOVER_PATIENCE 60u

typedef rico_transform rico__pose; /* rotation: of length 1 */

typedef struct rico__mover {
    rico_collider_id id;
    uint32_t layers; /* as the host gave them */
    bool endless;    /* a plane without end: never in records */
    bool moved;      /* in this step */
    uint32_t still_steps;
    uint32_t next_endless; /* number + 1 of the next plane; 0 = none */
    /* How far a chord of this step's turn is from its arc, per metre from the position. */
    float bulge;
    rico__pose from, to; /* at the start and the end of the step */
    rico_box from_box, box;
    rico__pose kept_to; /* while an effect is run by itself: `to` of the world's next step */
    rico_box kept_box;
    rico_box reach; /* in this step: around all that it may touch, without particles' own paths */
} rico__mover;

typedef struct rico__movers {
    rico__mover *items;
    uint32_t *table; /* by slot: movers.c */
    uint32_t count, capacity;
    uint32_t gone;  /* of `count`, dropped and not tidied away yet */
    rico_box reach; /* of all */
    bool any_moved; /* in this step */
    /* What is derived of all movers is as rico__movers_halt made it, and no mover has changed
     * since. */
    bool stand;
    /* As plan makes them; not valid between steps. */
    uint32_t first_endless; /* as next_endless */
    rico__box_tree tree;    /* of the movers that are not endless; without levels: there are few */
    bool one_by_one;        /* for tests to compare with: no tree, and no riders together */
} rico__movers;

/* Whether the mover waits to become static again. */
static inline bool rico__mover_waits(const rico__mover *body)
{
    return body->id.index1 != 0 && !body->endless && body->still_steps == RICO__MOVER_PATIENCE;
}

struct rico_world;
struct rico__recipe;
typedef struct rico__block_context rico__block_context;

/* The mover of a collider's slot (index1); NULL = the collider is none. */
rico__mover *rico__movers_find(const rico__movers *bodies, uint32_t slot);

/* Makes room for `more` movers; false = no memory. */
bool rico__movers_reserve(rico__movers *bodies, rico__memory *memory, uint32_t more);
void rico__movers_free(rico__movers *bodies, rico__memory *memory);

/* Makes a mover of the collider, where the scene has it. There must be room. */
rico__mover *rico__movers_add(struct rico_world *world, rico_collider_id id, uint32_t layers);
/* The mover is not found any more. It keeps its place, without an id, until rico__movers_tidy.
 * That is called before anything walks the list, and when more than half of the movers are
 * gone. The order of the others stays. */
void rico__movers_drop(rico__movers *bodies, rico__mover *body);
void rico__movers_tidy(rico__movers *bodies);
/* Removes the movers from number `count` on. None of them may have been dropped. */
void rico__movers_cut(rico__movers *bodies, uint32_t count);

/* The scene has moved the mover, which takes over its pose. jumps: nothing is pushed on the
 * way. */
void rico__mover_follow(struct rico_world *world, rico__mover *body, bool jumps);

/* While an effect is run by itself, movers stand where the world's next step will find them.
 * Their moves are kept for that step. */
void rico__movers_halt(struct rico_world *world);
void rico__movers_go_on(struct rico_world *world);

/* In plan; after the step. */
void rico__movers_begin(struct rico_world *world);
void rico__movers_end(struct rico_world *world);

/* Calls visit with the numbers of movers whose reach meets the box (to_moved: only of those
 * that have moved), until it returns true; then returns true. In no particular order. In a
 * step, after rico__movers_begin. */
bool rico__movers_each(const rico__movers *bodies, const rico_box *box, bool to_moved, rico__box_fn *visit,
                       void *user);

/* The mover's pose at a part 0..1 of the step. */
rico__pose rico__mover_pose(const rico__mover *body, float part);

/* From the mover's space to world space, and back. Vectors are only turned. */
static inline rico_vec3 rico__pose_out_of(const rico__pose *pose, rico_vec3 local)
{
    return vec3_mad(pose->position, quat_rotate(pose->rotation, local), pose->scale);
}

static inline rico_vec3 rico__pose_turn_into(const rico__pose *pose, rico_vec3 v)
{
    const rico_quat *q = &pose->rotation;
    return quat_rotate((rico_quat){-q->x, -q->y, -q->z, q->w}, v);
}

/* The normal of a plane with this pose. */
static inline rico_vec3 rico__pose_normal(const rico__pose *pose)
{
    return quat_rotate(pose->rotation, vec3(0.0f, 0.0f, 1.0f));
}

static inline rico_vec3 rico__pose_into(const rico__pose *pose, rico_vec3 p)
{
    return vec3_scale(rico__pose_turn_into(pose, vec3_sub(p, pose->position)),
                      1.0f / pose->scale);
}

/* A length in the mover's space, at its smallest scale in this step: no less than at any time
 * of it. */
static inline float rico__mover_length(const rico__mover *body, float length)
{
    return length / float_min(body->from.scale, body->to.scale);
}

/* Finds the particles of the block that may meet movers (c->near), and holds them back from the
 * pass (ride_near.c). False: there are none. rico__movers_move moves them (ride.c). */
bool rico__movers_hold(rico__block_context *c);
void rico__movers_move(rico__block_context *c);

/* Births. Movers are not in records, and rays see them where they end. Modes none and fixed
 * know no movers. Returns whether a particle that is born at p may meet movers on the way to
 * `to`. For recipes that ignore no layers, this only tests the box around all movers' reaches. */
bool rico__movers_may_meet(const struct rico_world *world, const struct rico__recipe *recipe,
                           rico_vec3 p, rico_vec3 to);
/* Mode cached: whether a mover may pass over a particle that is born in the box. */
bool rico__movers_may_sweep(const rico__block_context *c, const rico_box *births);

/* Moves a newborn through the seconds that are left to the end of the step, at velocity v,
 * which it keeps unless it meets something. The seconds may be more than the step has: before
 * the step, movers stand as it begins. True: it met something, and has moved. False: it is
 * where it was. */
bool rico__movers_meet_newborn(rico__block_context *c, uint32_t i, rico_vec3 v, float seconds);

#endif
