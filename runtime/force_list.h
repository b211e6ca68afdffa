/* force_list.h - the forces on the particles of a block, in the form that the kernel takes.
 *
 * The force pass runs before a block's own pass, and changes velocities only. To gravity,
 * planes and contacts it is as if particles had come with these velocities. So it costs nothing
 * where there are no forces.
 */
#ifndef RICO_FORCE_LIST_H
#define RICO_FORCE_LIST_H

#include <ricochet/force.h>

#include <stdbool.h>
#include <stdint.h>

/* m/s along each axis: forces and emitters make a particle no faster than this. Squares of what
 * follows from it are finite. */
#define RICO__MOST_SPEED 1.0e6f

#define RICO__MOST_FIELDS 256u
#define RICO__MOST_FORCES (RICO_MAX_FORCES + RICO__MOST_FIELDS)

/* Curl noise of vectors whose components are 1 or -1 has the root mean square RICO__SWIRL_MEAN.
 * RICO__SWIRL_MOST times that is the most that it can be, and RICO__SWIRL_CHANGE times that the
 * most by which it can change per cell. Both were searched for, over places and directions. */
#define RICO__SWIRL_MEAN 1.04775f
#define RICO__SWIRL_MOST 2.65f
#define RICO__SWIRL_CHANGE 10.3f

/* Nearer than this to a place or an axis, directions to it and around it fade. Metres. */
#define RICO__FORCE_CORE 0.05f

/* Uneven steps: drag from which on it matters to how falls end, 1/s. With less, a particle that
 * falls for half a second in steps of 4 to 33 ms is no more than a centimetre late. */
#define RICO__STRONG_DRAG 0.25f

/* A stall is given no more than this many times its gravity: it leads off all paths anyway. */
#define RICO__MOST_GRAVITY 8.0f

/* A force in world space. */
typedef struct rico__force {
    rico_force_kind kind;
    bool everywhere, ball; /* where it acts; neither: in a box */
    float strength, speed;
    /* The most that it may speed a particle up by, m/s^2; of an orbit, at the farthest place
     * from its axis that was asked about. */
    float most;
    rico_vec3 center, axis;
    /* Turbulence: place p is in cell floor(p per_metre - shift) - cells. */
    float per_metre;
    rico_vec3 shift; /* 0..1 */
    int32_t cells[3];
    /* Where it acts: `rows` take p - middle to half extents. The border is at 1, and the
     * strength falls off towards it by `fade` per half extent. */
    rico_vec3 middle, rows[3];
    float fade;
    /* For bounds: the half extents, the least of them, and the share of them without falloff. */
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
    const float *drags; /* over life, as in rico__tables; NULL = drag is in factor */
    float air;          /* the most that drag towards the wind may speed up by, m/s^2 */
    /* What the step adds to velocities, and the factor that it then applies, before it moves
     * anything. */
    rico_vec3 push;
    float factor;
    /* Uneven steps: falls against drag end as in even steps of this many seconds. 0 = steps are
     * even. */
    float even_dt;
    rico_vec3 gravity;
} rico__forces;

#endif
