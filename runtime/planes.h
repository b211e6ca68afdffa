/* planes.h - modes fixed and classic: particles that collide with planes.
 *
 * Mode classic: each particle has one plane, from the cache, and looks for the next one after
 * each contact. Mode fixed: in each step all planes of the recipe count for every particle.
 * With two or more planes, a particle has the number of the one that the pass bounced it off
 * last.
 *
 * The pass makes one contact. Where the rest of the step leads past another plane, the particle
 * goes on here from that contact, one by one. For recipes without a plain response, all
 * contacts are made here.
 */
#ifndef RICO_PLANES_H
#define RICO_PLANES_H

#include "contact.h"

/* Whether the recipe's particles have several planes (mode fixed). */
static inline bool rico__planes_are_many(const rico__recipe *recipe)
{
    return recipe->def.mode == RICO_COLLIDE_FIXED && recipe->def.plane_count > 1;
}

/* Mode fixed: the number to begin with. With a single plane or none it stays for life. */
static inline uint32_t rico__planes_number(const rico__recipe *recipe)
{
    return recipe->def.plane_count > 0 ? 0 : RICO_MAX_PLANES;
}

/* The plane that the pass tests for the particle, or off which it bounced it. */
static inline rico_plane rico__planes_watched(const rico__block_context *c, uint32_t i)
{
    if (c->recipe->def.mode != RICO_COLLIDE_FIXED)
        return block_plane(c, i);
    const rico__palette *palette = c->streams.palette;
    uint32_t number = rico__plane_of_life(c->streams.life[i]);
    return (rico_plane){vec3(palette->x[number], palette->y[number], palette->z[number]),
                        palette->offset[number]};
}

/* The first contact of the path p .. p + v * dt. last: the contact in which it begins; NULL =
 * none. That contact is not made again, as the path leads away from it except for rounding. It
 * may be *contact. */
bool rico__planes_contact(const rico__block_context *c, uint32_t i, const rico__contact *last,
                          rico_vec3 p, rico_vec3 v, float dt, rico__contact *contact);

/* At birth and after a contact: mode classic asks the cache. Mode fixed begins with any number. */
void rico__planes_look_up(rico__block_context *c, uint32_t i, bool newborn);

/* A step of all particles of the block, for recipes without a plain response. */
void rico__planes_step(rico__block_context *c);

/* Does what the pass leaves to do for particles that it bounced. Their times of impact are
 * written. */
void rico__planes_go_on(rico__block_context *c);

#endif
