/* response.h - what a contact does to a particle, beyond a plain bounce: randomness, surfaces,
 * loss of life, stop, stick, slide, roll, die.
 *
 * Contacts of recipes with a plain response are made by kernels and contact.c; rico__meet only
 * hands them on. No contact of other recipes is made in vectors. In mode cached, forecasts
 * leave them no clearance. In modes fixed and classic the guard pass, which does not bounce
 * without clearance, takes the place of their own (with several planes, `planes` does, which
 * then bounces none).
 */
#ifndef RICO_RESPONSE_H
#define RICO_RESPONSE_H

#include "simulate.h"

/* Whether contacts of the recipe, which has been checked, are plain bounces. */
bool rico__response_is_plain(const rico_recipe *def);
/* Whether contacts draw random numbers, for which particles need their ids. */
bool rico__response_draws(const rico_recipe *def);
/* The cosine of the steepest slope that holds a particle. */
float rico__response_hold_cosine(const rico_recipe *def);

/* Whether a contact needs to know whose the surface is: for the host, or for what it does. */
static inline bool rico__response_names(const rico_recipe *def)
{
    return def->by_surface || (def->events & RICO_EVENT_BIT_COLLISION) != 0;
}

/* Whether particles stay where they are because of what they met, not because they are slow. */
static inline bool rico__response_stays(const rico_recipe *def)
{
    return def->on_collision == RICO_ON_COLLISION_STOP ||
           def->on_collision == RICO_ON_COLLISION_STICK;
}

/* Makes a contact of the particle, which is at p: changes its velocity, counts the bounce and
 * records the event. contact->when is set; velocities are relative to the surface. True: its
 * step is over, as it rests, stays or has died (masks.dead; its velocity is then as before).
 * guessed: the plane is only assumed, so the particle does not come to rest there. */
bool rico__meet(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 *v,
                rico__contact *contact, bool guessed);

/* Recipes that roll: sets the spin, radians/s. */
void rico__response_set_spin(rico__block_context *c, uint32_t i, rico_vec3 spin);

/* The clearance that a recipe without a plain response leaves of a forecast's: kernel.h. */
static inline float rico__response_clearance(const rico_recipe *def, float clearance)
{
    if (def->by_surface) /* the record is asked whose the surface is */
        return 0.0f;
    return clearance > 0.0f ? RICO__SURE_CONTACT : clearance;
}

/* Modes cached, exact and classic, recipes that stick, before a step: wakes the particles whose
 * hold is gone. In mode cached these wait for a look ahead. */
void rico__unstick(rico__block_context *c);

#endif
