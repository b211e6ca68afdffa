/* force_list.h - what forces do to the particles of a block, as the kernel takes it.
 *
 * The force pass runs before a block's own pass, and changes velocities only: to gravity, planes and
 * contacts it is as if particles had come with them. So it costs nothing where there are none.
 */
#ifndef RICO_FORCE_LIST_H
#define RICO_FORCE_LIST_H

#include <ricochet/force.h>

#include <stdbool.h>
#include <stdint.h>

/* m/s along each axis: so fast forces and emitters make a particle at most. Squares of what follows from it are
 * numbers. */
#define RICO__MOST_SPEED 1.0e6f

#define RICO__MOST_FIELDS 256u
#define RICO__MOST_FORCES (RICO_MAX_FORCES + RICO__MOST_FIELDS)

/* Curl noise of vectors whose components are 1 or -1 has this root mean square; and so many times that
 * are the most that it can be, and the most by which it can change per cell (both searched for, over
 * places and directions). */
#define RICO__SWIRL_MEAN 1.04775f
#define RICO__SWIRL_MOST 2.65f
#define RICO__SWIRL_CHANGE 10.3f

/* Nearer than this to a place or an axis, directions to it and around it fade. Metres. */
#define RICO__FORCE_CORE 0.05f

/* Uneven steps: drag that makes falls end otherwise, in 1/s. Less makes who falls for half a second in steps of 4 to
 * 33 ms no more than a centimetre late. */
#define RICO__STRONG_DRAG 0.25f

/* A stall is given no more than so many times its gravity: it leads off all paths anyway. */
#define RICO__MOST_GRAVITY 8.0f

/* A force in the world's space. */
typedef struct rico__force {
    rico_force_kind kind;
    bool everywhere, ball; /* where it acts: else in a box */
    float strength, speed;
    float most; /* what it may speed a particle up by, m/s^2; orbit: per metre from the axis */
    rico_vec3 center, axis;
    /* Turbulence: the cell of a place p is floor(p per_metre - shift) - cells. */
    float per_metre;
    rico_vec3 shift; /* 0..1 */
    int32_t cells[3];
    /* Where it acts: (p - middle) in half extents, by rows; the border is at 1, and the strength falls
     * off towards it by `fade` per half extent. */
    rico_vec3 middle, rows[3];
    float fade;
    /* For bounds: the half extents, the least of them, the share of them without falloff. */
    rico_vec3 half;
    float least, plateau;
    float hurry; /* turbulence: the speed of its scroll */
} rico__force;

typedef struct rico__forces {
    rico__force own[RICO_MAX_FORCES];
    const rico__force *items[RICO__MOST_FORCES]; /* own ones first */
    uint32_t count, own_count;
    float dt;
    /* Of the recipe. */
    rico_vec3 wind;
    float drag_quadratic, limit_speed; /* 0 = none */
    const float *drags; /* over life, as in rico__tables; NULL = it is in factor */
    float air;          /* what drag towards the wind may speed a particle up by, m/s^2 */
    rico_vec3 push; /* what the step adds and then multiplies by, before it moves anything */
    float factor;
    /* Uneven steps: falls against drag end as in even ones of so many seconds. 0 = they are even. */
    float even_dt;
    rico_vec3 gravity;
} rico__forces;

#endif
