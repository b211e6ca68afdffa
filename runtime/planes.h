/* planes.h - modes fixed and classic: particles that go by planes.
 *
 * Mode classic: each particle has one plane, from the cache, and looks for the next one after each contact.
 * Mode fixed: all planes of the recipe count, for everybody in each step. With two or more a particle has the number
 * of the one that it was bounced off last by the pass.
 *
 * The pass makes one contact. Who makes one goes on here, from that on, one by one, where the rest of its
 * step leads past another plane. Recipes without a plain response make all contacts here.
 */
#ifndef RICO_PLANES_H
#define RICO_PLANES_H

#include "contact.h"

/* Whether there is one to choose. */
static inline bool rico__planes_are_many(const rico__recipe *recipe)
{
    return recipe->def.mode == RICO_COLLIDE_FIXED && recipe->def.plane_count > 1;
}

/* Mode fixed: the number to begin with. Of a single plane and of none it is for life. */
static inline uint32_t rico__planes_number(const rico__recipe *recipe)
{
    return recipe->def.plane_count > 0 ? 0 : RICO_MAX_PLANES;
}

/* The plane that the pass tests, or that it bounced the particle off. */
static inline rico_plane rico__planes_watched(const rico__block_context *c, uint32_t i)
{
    if (c->recipe->def.mode != RICO_COLLIDE_FIXED)
        return block_plane(c, i);
    const rico__palette *palette = c->streams.palette;
    uint32_t number = rico__plane_of_life(c->streams.life[i]);
    return (rico_plane){vec3(palette->x[number], palette->y[number], palette->z[number]),
                        palette->offset[number]};
}

/* The first contact of the path p .. p + v * dt. last: the contact in which it begins, which is not made again,
 * as the path leads away from it but for rounding; NULL = none. It may be *contact. */
bool rico__planes_contact(const rico__block_context *c, uint32_t i, const rico__contact *last,
                          rico_vec3 p, rico_vec3 v, float dt, rico__contact *contact);

/* At birth and after a contact: mode classic asks the cache. Mode fixed begins with any number. */
void rico__planes_look_up(rico__block_context *c, uint32_t i, bool newborn);

/* A step of all particles, for recipes without a plain response. */
void rico__planes_step(rico__block_context *c);

/* What the pass leaves to do for those that it bounced, whose times of impact it has written. */
void rico__planes_go_on(rico__block_context *c);

#endif
