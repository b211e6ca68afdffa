/* sub_emitters.h - births at the events of other particles.
 *
 * Report walks the step's raw events in effect order, and leaves a seed for each that a
 * sub-emitter answers. The seeds of one recipe lie side by side (rico__feed). In the next step
 * they are the births of that recipe's fed effect, and plan places them like those of any other
 * effect. So no particle is born in jobs that raise events, and the cost is that of the
 * events.
 */
#ifndef RICO_SUB_EMITTERS_H
#define RICO_SUB_EMITTERS_H

#include "log.h"
#include "state.h"

#define RICO__EVENT_BIT(type) (1u << ((uint32_t)(type)-1u))
#define RICO__EVENT_BITS                                                                       \
    (RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH | RICO_EVENT_BIT_BIRTH)

/* The part of rico_recipe_check about sub-emitters: all but their recipes, which only a world
 * knows. */
rico_result rico__sub_emitters_check(const rico_recipe *recipe, const rico_log *log);

/* The events that the recipe's sub-emitters wait for, as bits. */
uint32_t rico__sub_emitter_bits(const rico_recipe *recipe);

/* Checks that the recipe may be number `index` of the world, by what its sub-emitters name.
 * Takes the memory for seeds. Logs the reason of a failure. */
rico_result rico__sub_emitters_link(rico_world *world, const rico_recipe *recipe,
                                    uint32_t index, const char *call);

/* After a link: begins the effects that the recipe's sub-emitters fill; does not fail. */
void rico__sub_emitters_feed(rico_world *world, const rico_recipe *recipe);

/* Take the memory for seeds, and begin the recipe's effect that seeds fill, unless they are
 * there. The effect takes one of max_effects. */
rico_result rico__seeds_reserve(rico_world *world, const char *call);
void rico__fed_begin(rico_world *world, uint32_t recipe);

/* Whether any effect of the recipe has a block. */
bool rico__has_blocks(const rico_world *world, uint32_t recipe);

/* Lays blocks out as for max_particles, unless the recipe has blocks. The rates of a fed recipe
 * do not say how many particles it will have. */
void rico__sub_emitters_resize(const rico_world *world, rico__recipe *recipe);

/* In report, before effects are tidied: makes the seeds for the next step. */
void rico__sub_emitters_sow(rico_world *world);

/* In plan, before a step of all effects: puts what the host has emitted behind the seeds of
 * events. */
void rico__seeds_gather(rico_world *world);

/* Around an effect that is run by itself, with others along. The births that wait for the
 * world's next step are put aside. Afterwards, those that the run has left for that step join
 * behind them, recipe by recipe. Returns how many births did not fit. */
void rico__seeds_put_aside(rico_world *world);
uint32_t rico__seeds_join(rico_world *world);

/* The seed of birth `number` of the recipe's feed, which has more births than that. */
const rico__seed *rico__seed_at(const rico_world *world, const rico__recipe *recipe,
                                uint32_t number);

void rico__sub_emitters_free(rico_world *world);

#endif
