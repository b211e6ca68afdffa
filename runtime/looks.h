/* looks.h - the size and colour that births at events inherit from their parents.
 *
 * If one of a recipe's sub-emitters hands on size or colour, the look of the particle is noted
 * beside the event. The seed of the births gets it next (sub_emitters.c). The newborns multiply
 * it with the size and colour that they draw for themselves, in the streams of these. So steps,
 * outputs and views need not know of it. The memory for looks exists from the first recipe on
 * that hands anything on: 8 bytes beside each raw event, and beside each seed.
 */
#ifndef RICO_LOOKS_H
#define RICO_LOOKS_H

#include "simulate.h"
#include "sub_emitters.h"

/* What a particle without a parent inherits. */
#define RICO__OWN_LOOK ((rico__look){1.0f, 0xffffffffu})

/* What is handed on, as bits. */
#define RICO__HANDS_ON_SIZE 1u
#define RICO__HANDS_ON_COLOR 2u

/* The events at which the recipe's sub-emitters hand something on, as RICO_EVENT_BIT_ bits. */
uint32_t rico__look_bits(const rico_recipe *recipe);

/* What the recipes that are alive hand on to recipe number `index` of the world. */
uint32_t rico__looks_handed_on(const rico_world *world, uint32_t index);

/* Checks that each recipe that `recipe`'s sub-emitters name has memory for what is handed on to
 * it, or can have it. Takes the world's memory for looks. Logs the reason of a failure:
 * RICO_IN_USE, RICO_OUT_OF_MEMORY. */
rico_result rico__looks_link(rico_world *world, const rico_recipe *recipe, const char *call);

/* The field for which the link would return RICO_IN_USE; NULL = none. */
const char *rico__looks_conflict(const rico_world *world, const rico_recipe *recipe);

/* After a link: the named recipes have that memory from now on, until they are changed while
 * none of their particles is alive. */
void rico__looks_feed(rico_world *world, const rico_recipe *recipe);

void rico__looks_free(rico_world *world);

/* In simulate: notes the look of particle i at that age, beside the event that was raised last.
 * rico__look_note_at does so only if looks are handed on at events of this type. */
void rico__look_note(rico__block_context *c, uint32_t i, float age, float life);
static inline void rico__look_note_at(rico__block_context *c, uint32_t i, rico_event_type type,
                                      float age, float life)
{
    if ((c->recipe->look_bits & RICO__EVENT_BIT(type)) != 0)
        rico__look_note(c, i, age, life);
}

/* The same for a contact `when` seconds after the step began. Passes have already added the
 * step to the particle's age. */
static inline void rico__look_note_contact(rico__block_context *c, uint32_t i, float when)
{
    rico__look_note_at(c, i, RICO_EVENT_COLLISION, c->streams.age[i] - (c->step.dt - when),
                       c->streams.life[i]);
}

/* The look that the seed of the sub-emitter's births gets: what `sub` inherits of `drawn`, with
 * the tint of the parent's effect. */
rico__look rico__look_of_seed(const rico_sub_emitter *sub, const rico__effect *effect,
                              rico__look drawn);

/* What the particles that are born of the seed inherit. */
static inline rico__look rico__look_inherited(const rico_world *world, const rico__seed *seed)
{
    return world->seed_looks != NULL ? world->seed_looks[seed - world->seeds] : RICO__OWN_LOOK;
}

/* Writes what size and colour over life are multiplied with, for `count` particles from number
 * `first` on. Where size or colour is constant over life, writes the product. */
void rico__looks_set(const rico__recipe *recipe, float *data, uint32_t first, uint32_t count,
                     rico__look look);

#endif
