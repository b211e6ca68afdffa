/* forces.h - which forces act on particles, and for how long a path is good that is followed as
 * if they stayed as they are. */
#ifndef RICO_FORCES_H
#define RICO_FORCES_H

#include "simulate.h"

/* Preparation: checks the ranges of a recipe's forces; of any force, `owner` being its name in
 * errors. */
rico_result rico__forces_check(const rico_recipe *recipe, const rico_log *log);
rico_result rico__force_check(const char *call, const char *owner, const rico_force *force,
                              const rico_log *log);

/* rico__force_place: a force in a space, for the kernel. clock: of its turbulence.
 * rico__force_within: adds where it acts; the caller that places the force adds this. */
void rico__force_place(rico__force *out, const rico_force *force, const rico_transform *space,
                       double clock, const double shifted[3]);
void rico__force_within(rico__force *out, const rico_transform *space, rico_vec3 half,
                        bool ball, float falloff);

/* Finds the forces on particles of the effect in the box and this many metres around it. No
 * particle goes farther while it bounces in clearance. */
#define RICO__FORCES_AROUND 2.0f
void rico__forces_find(const rico_world *world, const rico__effect *effect,
                       const rico__step *step, const rico_box *box, rico__forces *out);

/* The most that they may speed a particle up by, m/s^2. */
float rico__forces_most(const rico__forces *forces);
/* The same for any particle of the recipe, anywhere: by its own forces alone; by fields, too. */
float rico__forces_own_most(const rico__recipe *recipe);
float rico__forces_most_anywhere(const rico_world *world, const rico__recipe *recipe);

/* The pass: changes the velocities of the block. Rest follows: no particle comes to rest where
 * a force could move it again. */
void rico__forces_push(rico__block_context *c);

/* After the guard pass: for particles that bounced in clearance, allows for what the forces may
 * do to them. */
void rico__forces_rebound(rico__block_context *c);

/* Whether a surface that holds without forces may hold with a force of `most` m/s^2.
 * *hold_cosine: its cosine then. */
bool rico__forces_hold(const rico__step *step, float most, float *hold_cosine);

/* What the next step would add to the velocity at p of a particle that has just been born. */
rico_vec3 rico__forces_kick(const rico_world *world, const rico__forces *forces, rico_vec3 p,
                            rico_vec3 v);

/* The most that the forces and the air come to for a particle that rests at p. m/s^2 */
float rico__forces_on_sleeper(const rico_world *world, const rico__forces *forces, rico_vec3 p);

/* For a path: by how much the next step pushes; for how long that is good; for how long the
 * particle meets nothing, whatever pushes it. */
typedef struct rico__aim {
    rico_vec3 kick;
    float trust, free;
    float drag; /* at the path's start */
    float most; /* most that forces there may speed it up by, m/s^2 */
} rico__aim;

/* The particle that is asked about. */
typedef struct rico__pushed {
    rico_vec3 p, v;
    float age, life;
} rico__pushed;

/* For one particle. Drag that changes over life is in the step (rico__step_at), not in the
 * kick. */
void rico__forces_aim_one(const rico_world *world, const rico__effect *effect,
                          const rico__step *step, const rico__pushed *who, rico__aim *aim);

/* For the lanes of a block; one worker's. */
typedef struct rico__aims {
    float p[3][RICO__MAX_BLOCK + 16], v[3][RICO__MAX_BLOCK + 16];
    float age[RICO__MAX_BLOCK + 16], life[RICO__MAX_BLOCK + 16];
    rico__aim aim[RICO__MAX_BLOCK]; /* in the order of the lanes */
    float most;
    rico__forces forces;
} rico__aims;

void rico__forces_aim(const rico_world *world, const rico__block *block, const rico__step *step,
                      const uint64_t *lanes, rico__aims *aims);

#endif
