/* looks.h - what children have of the looks of who they come from.
 *
 * The size and the colour that a particle is drawn with when something happens to it are noted beside that event, where one
 * of its recipe's sub-emitters hands them on; the seed of the births has them next (sub_emitters.c), and who is born has them
 * multiplied with what it draws itself, in the streams of that. So steps, outputs and views know nothing of it.
 * What is for it alone is there from the first recipe on that hands anything on: 8 bytes beside each raw event, and
 * beside each seed.
 */
#ifndef RICO_LOOKS_H
#define RICO_LOOKS_H

#include "simulate.h"
#include "sub_emitters.h"

/* Of who comes from nobody. */
#define RICO__OWN_LOOK ((rico__look){1.0f, 0xffffffffu})

/* What is handed on, as bits. */
#define RICO__HANDS_ON_SIZE 1u
#define RICO__HANDS_ON_COLOR 2u

/* The events at which sub-emitters hand something on. */
uint32_t rico__look_bits(const rico_recipe *recipe);

/* What living recipes hand on to number `index` of the world. */
uint32_t rico__looks_handed_on(const rico_world *world, uint32_t index);

/* Whether those that the recipe's sub-emitters name have memory for what is handed on to them, or can have it; takes the
 * world's. The reason is told: RICO_IN_USE, RICO_OUT_OF_MEMORY. */
rico_result rico__looks_link(rico_world *world, const rico_recipe *recipe, const char *call);

/* The field that it would be RICO_IN_USE for; NULL = none. */
const char *rico__looks_conflict(const rico_world *world, const rico_recipe *recipe);

/* After a link: they have it from now on, until they are changed while none lives. */
void rico__looks_feed(rico_world *world, const rico_recipe *recipe);

void rico__looks_free(rico_world *world);

/* In simulate. The looks of particle i at that age, for the event of this type that was raised last. */
void rico__look_note(rico__block_context *c, uint32_t i, float age, float life);
static inline void rico__look_note_at(rico__block_context *c, uint32_t i, rico_event_type type,
                                      float age, float life)
{
    if ((c->recipe->look_bits & RICO__EVENT_BIT(type)) != 0)
        rico__look_note(c, i, age, life);
}

/* The same of a contact that was `when` seconds after the step began. Passes have made it older by the step already. */
static inline void rico__look_note_contact(rico__block_context *c, uint32_t i, float when)
{
    rico__look_note_at(c, i, RICO_EVENT_COLLISION, c->streams.age[i] - (c->step.dt - when),
                       c->streams.life[i]);
}

/* What the seed of the sub-emitter's births has of it: as drawn, with the tint of its effect. */
rico__look rico__look_of_seed(const rico_sub_emitter *sub, const rico__effect *effect,
                              rico__look drawn);

/* What who is born of the seed has of others. */
static inline rico__look rico__look_inherited(const rico_world *world, const rico__seed *seed)
{
    return world->seed_looks != NULL ? world->seed_looks[seed - world->seeds] : RICO__OWN_LOOK;
}

/* What is multiplied with size and colour over life, of `count` particles from number `first` on. */
void rico__looks_set(const rico__recipe *recipe, float *data, uint32_t first, uint32_t count,
                     rico__look look);

#endif
