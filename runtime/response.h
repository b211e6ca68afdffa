/* response.h - what a contact does to a particle, beyond a plain bounce: randomness, surfaces, loss of
 * life, stop, stick, slide, die.
 *
 * Recipes with a plain response never come here: kernels and contact.c answer their contacts. For all
 * others no contact is answered in vectors. In mode cached no forecast leaves them clearance; in modes
 * fixed and classic the guard pass, which does not bounce without clearance, takes the place of
 * theirs.
 */
#ifndef RICO_RESPONSE_H
#define RICO_RESPONSE_H

#include "simulate.h"

/* Of a recipe that has been checked. */
bool rico__response_is_plain(const rico_recipe *def);
/* Whether contacts draw random numbers, for which particles need their ids. */
bool rico__response_draws(const rico_recipe *def);
/* Steeper surfaces do not hold a particle. */
float rico__response_hold_cosine(const rico_recipe *def);

/* Whether it matters, of a contact, whose surface it is: to the host, or to what the contact does. */
static inline bool rico__response_names(const rico_recipe *def)
{
    return def->by_surface || (def->events & RICO_EVENT_BIT_COLLISION) != 0;
}

/* Who stays in its place by what met it, not by being slow. */
static inline bool rico__response_stays(const rico_recipe *def)
{
    return def->on_collision == RICO_ON_COLLISION_STOP ||
           def->on_collision == RICO_ON_COLLISION_STICK;
}

/* The particle, which is at p, makes a contact: changes its velocity, counts the bounce and records the
 * event. True when its step is over: it rests, or stays, or has died (masks.dead; its velocity is then
 * as before). guessed: the plane is only believed: nobody comes to rest there. contact->when is set;
 * velocities are as the surface sees them. */
bool rico__meet(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 *v,
                rico__contact *contact, bool guessed);

/* Of recipes that roll: radians/s. */
void rico__response_set_spin(rico__block_context *c, uint32_t i, rico_vec3 spin);

/* The clearance that such a recipe leaves of a forecast's: kernel.h. */
static inline float rico__response_clearance(const rico_recipe *def, float clearance)
{
    if (def->by_surface) /* the record is asked, for whose the surface is */
        return 0.0f;
    return clearance > 0.0f ? RICO__SURE_CONTACT : clearance;
}

/* Mode cached, exact and classic, recipes that stick, before a step: wakes those whose hold is gone. In mode cached they
 * wait for a look ahead. */
void rico__unstick(rico__block_context *c);

#endif
