/* movers.h - colliders that move: where each is at any time of a step, and which particles meet it.
 *
 * Bodies are in no record and not in coverage. In each step the particles that may come near one
 * are taken out of the block's pass and moved one by one (ride.c), against what stands still and
 * against bodies. A path is tested in the body's own space, from where it begins as the body is then to
 * where it ends as the body is then: so it is without gaps from step to step, however the body
 * moves, and nothing can pass between.
 *
 * Owner: the world. Threads: written in edits, plan and report; read-only in simulate.
 * Order: by the order in which they became bodies; ties of contacts go to the first.
 */
#ifndef RICO_MOVERS_H
#define RICO_MOVERS_H

#include "box_tree.h"
#include "vec.h"

#include <ricochet/world.h>

/* So many are asked one by one; more make a tree of what they reach, in plan. */
#define RICO__FEW_MOVERS 16u

/* A body that was not moved for so many steps stands still again, and goes into records: where coverage holds it. Else it
 * waits for an edit that makes coverage anew, as a step has no time for that. */
#define RICO__MOVER_PATIENCE 60u

typedef rico_transform rico__pose; /* rotation: of length 1 */

typedef struct rico__mover {
    rico_collider_id id;
    uint32_t layers; /* as the host gave them */
    bool endless;    /* a plane: never in records */
    bool moved;      /* in this step */
    uint32_t still_steps;
    uint32_t next_endless; /* number + 1 of the next plane; 0 = none */
    float
        bulge; /* how far a chord of this step's turn is from its arc, per metre from the position */
    rico__pose from, to; /* at the start and the end of the step */
    rico_box from_box, box;
    rico__pose kept_to; /* while an effect is run by itself: of the world's next step */
    rico_box kept_box;
    rico_box
        reach; /* of this step: around all that it may touch, without particles' own ways */
} rico__mover;

typedef struct rico__movers {
    rico__mover *items;
    uint32_t *table; /* by slot: movers.c */
    uint32_t count, capacity;
    uint32_t gone;  /* of those, have been dropped */
    rico_box reach; /* of all */
    bool any_moved; /* in this step */
    bool stand;     /* all that follows is as rico__movers_halt has found it, and no body has changed since */
    /* As plan has them; between steps there is no tree. */
    uint32_t first_endless; /* as next_endless */
    rico__box_tree tree;    /* of the others; without levels: there are few */
    bool one_by_one;        /* what tests compare with: there is no tree */
} rico__movers;

/* To stand still again. */
static inline bool rico__mover_waits(const rico__mover *body)
{
    return body->id.index1 != 0 && !body->endless && body->still_steps == RICO__MOVER_PATIENCE;
}

struct rico_world;
struct rico__recipe;
typedef struct rico__block_context rico__block_context;

/* NULL: the slot (index1) is no body's. */
rico__mover *rico__movers_find(const rico__movers *bodies, uint32_t slot);

/* Room for so many more; false = no memory. */
bool rico__movers_reserve(rico__movers *bodies, rico__memory *memory, uint32_t more);
void rico__movers_free(rico__movers *bodies, rico__memory *memory);

/* The collider as the scene has it becomes a body; there is room. */
rico__mover *rico__movers_add(struct rico_world *world, rico_collider_id id, uint32_t layers);
/* It is not found any more, and stays in its place, with no id, until rico__movers_tidy: before anybody walks them, and
 * when half of them are gone. The order of the others stays. */
void rico__movers_drop(rico__movers *bodies, rico__mover *body);
void rico__movers_tidy(rico__movers *bodies);
/* All from that number on, which are there, are none any more. */
void rico__movers_cut(rico__movers *bodies, uint32_t count);

/* The scene has moved it. jumps: nothing is pushed on the way. */
void rico__mover_follow(struct rico_world *world, rico__mover *body, bool jumps);

/* While an effect is run by itself they stand where the world's next step finds them, and their ways, which
 * are kept, are for that step. */
void rico__movers_halt(struct rico_world *world);
void rico__movers_go_on(struct rico_world *world);

/* In plan; and after the step. */
void rico__movers_begin(struct rico_world *world);
void rico__movers_end(struct rico_world *world);

/* Calls visit for the numbers of bodies whose reach meets the box (to_moved: of those that have moved), until it
 * returns true: then true. In no order. In a step, after plan has begun it. */
bool rico__movers_each(const rico__movers *bodies, const rico_box *box, bool to_moved, rico__box_fn *visit,
                       void *user);

/* Where the body is at a part 0..1 of the step. */
rico__pose rico__mover_pose(const rico__mover *body, float part);

/* Out of the body's space and into it; vectors are only turned. */
static inline rico_vec3 rico__pose_out_of(const rico__pose *pose, rico_vec3 local)
{
    return vec3_mad(pose->position, quat_rotate(pose->rotation, local), pose->scale);
}

static inline rico_vec3 rico__pose_turn_into(const rico__pose *pose, rico_vec3 v)
{
    const rico_quat *q = &pose->rotation;
    return quat_rotate((rico_quat){-q->x, -q->y, -q->z, q->w}, v);
}

/* Of a plane that is placed so. */
static inline rico_vec3 rico__pose_normal(const rico__pose *pose)
{
    return quat_rotate(pose->rotation, vec3(0.0f, 0.0f, 1.0f));
}

static inline rico_vec3 rico__pose_into(const rico__pose *pose, rico_vec3 p)
{
    return vec3_scale(rico__pose_turn_into(pose, vec3_sub(p, pose->position)),
                      1.0f / pose->scale);
}

/* A length in the body's space, at its least size in this step: no less than at any time of it. */
static inline float rico__mover_length(const rico__mover *body, float length)
{
    return length / float_min(body->from.scale, body->to.scale);
}

/* Particles of the block that may meet bodies, in c->near; false = none. Holds them back
 * from the pass (ride_near.c); then moves them (ride.c). */
bool rico__movers_hold(rico__block_context *c);
void rico__movers_move(rico__block_context *c);

/* Births. Moving bodies are not in records, and rays see them where they end. Modes none and fixed know none. Whether
 * one who is born at p may meet bodies on the way; for who ignores no layers, whether it is where there are some. */
bool rico__movers_may_meet(const struct rico_world *world, const struct rico__recipe *recipe,
                           rico_vec3 p, rico_vec3 to);
/* Mode cached: whether a body may go over anybody who is born in the box. */
bool rico__movers_may_sweep(const rico__block_context *c, const rico_box *births);

/* A newborn, for the seconds that are left to the end of the step, which may be more than the step has: at velocity v,
 * with which it goes on unless it meets something. Before the step bodies stand as it begins. True when that was so:
 * it has moved, as put there. False: it is where it was. */
bool rico__movers_meet_newborn(rico__block_context *c, uint32_t i, rico_vec3 v, float seconds);

#endif
