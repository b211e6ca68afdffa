/* runtime_forces.h - a second implementation of forces: slow, and in double precision. */
#ifndef RUNTIME_FORCES_H
#define RUNTIME_FORCES_H

#include "runtime_terrain.h"

/* Where a force acts. */
typedef struct slow_place {
    rico_transform space;
    bool everywhere, ball;
    double half[3], falloff;
} slow_place;

/* Velocity of curl noise at strength 1, per second: the curl of a potential, by finite
 * differences. */
void slow_swirl(const rico_force *force, const double p[3], double clock, double out[3]);

/* Changes v as the force alone does within dt. */
void slow_force(const rico_force *force, const slow_place *place, const double p[3],
                double v[3], double clock, double dt);

/* Which share of the force acts at p, 0..1. */
double slow_presence(const rico_force *force, const slow_place *place, const double p[3]);

/* Does one whole step of a recipe whose effect is at `space`, and changes p and v. fields:
 * force fields of the world. */
typedef struct slow_field {
    rico_force force;
    slow_place place;
} slow_field;

void slow_step(const rico_recipe *recipe, const rico_transform *space, const slow_field *fields,
               int field_count, double clock, double dt, double p[3], double v[3]);

/* Places and velocities of all particles of an effect. */
typedef struct crowd {
    uint32_t count;
    float p[1024][3], v[1024][3], age[1024];
    uint32_t id[1024];
} crowd;

void look_at(const rico_world *world, rico_effect_id effect, crowd *out);

/* A force of this kind with random, moderate numbers. */
rico_force some_force(rico_force_kind kind, uint32_t serial);

#endif
