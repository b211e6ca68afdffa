/* sub_emitters.h - births at the events of other particles.
 *
 * Report walks the step's raw events, in effect order, and leaves a seed for each that a sub-emitter
 * answers; the seeds of one recipe are one after the other (rico__feed). In the next step they are the
 * births of that recipe's fed effect, which plan places as those of any other. So nothing is born where
 * jobs run, and the cost is that of the events.
 */
#ifndef RICO_SUB_EMITTERS_H
#define RICO_SUB_EMITTERS_H

#include "log.h"
#include "state.h"

#define RICO__EVENT_BIT(type) (1u << ((uint32_t)(type)-1u))
#define RICO__EVENT_BITS                                                                       \
    (RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH | RICO_EVENT_BIT_BIRTH)

/* rico_recipe_check of them: all but their recipes, which only a world knows. */
rico_result rico__sub_emitters_check(const rico_recipe *recipe, const rico_log *log);

/* The events that they wait for. */
uint32_t rico__sub_emitter_bits(const rico_recipe *recipe);

/* Whether the recipe may be number `index` of the world, by what its sub-emitters name; takes the memory
 * for seeds. The reason is told. */
rico_result rico__sub_emitters_link(rico_world *world, const rico_recipe *recipe,
                                    uint32_t index, const char *call);

/* Begins the effects that its sub-emitters fill; after a link, does not fail. */
void rico__sub_emitters_feed(rico_world *world, const rico_recipe *recipe);

/* The memory for seeds, and the recipe's effect that they fill, unless they are there; the second takes one of
 * max_effects. */
rico_result rico__seeds_reserve(rico_world *world, const char *call);
void rico__fed_begin(rico_world *world, uint32_t recipe);

/* Whether any of the recipe's particles has a place. */
bool rico__has_blocks(const rico_world *world, uint32_t recipe);

/* A fed recipe's rates do not say how many of its particles there will be: blocks as for most of
 * max_particles, unless some live. */
void rico__sub_emitters_resize(const rico_world *world, rico__recipe *recipe);

/* In report, before effects are tidied: the seeds for the next step. */
void rico__sub_emitters_sow(rico_world *world);

/* In plan, before a step of all effects: what the host has emitted comes behind the seeds of events. */
void rico__seeds_gather(rico_world *world);

/* Around an effect that is run by itself, with others along: births that wait for the world's next step are
 * put aside; then those that were left for it by the run come behind them, recipe by recipe. Returns how
 * many births did not fit. */
void rico__seeds_put_aside(rico_world *world);
uint32_t rico__seeds_join(rico_world *world);

/* The seed of birth `number` of the recipe's feed, which has more than so many. */
const rico__seed *rico__seed_at(const rico_world *world, const rico__recipe *recipe,
                                uint32_t number);

void rico__sub_emitters_free(rico_world *world);

#endif
