/* link_graph.h - which recipes of a list name which others in the world (private to effect
 * files).
 *
 * Sets of recipes are bits: bit i is items[i].
 */
#ifndef RIO_LINK_GRAPH_H
#define RIO_LINK_GRAPH_H

#include "effect_group.h"

/* Stands for "no item". */
#define RIO_NO_LINK RIO_MOST_LINKS

/* The number of the file with that name and directory. An item that is kept for older effects
 * only does not count: it is not followed, and the file may be another one by now. */
uint32_t rio_links_find(const rio_links *links, const char *directory, const char *name);

/* The set of items that the recipe's sub-emitters name. */
uint32_t rio_links_named(const rico_world *world, const rio_links *links,
                         rico_recipe_id recipe);

/* The set, the items that it names, the items that these name, and so on. levels: 1 = the set
 * names no item, and so on; 0 = the set is empty. */
uint32_t rio_links_reached(const rico_world *world, const rio_links *links, uint32_t set,
                           uint32_t *levels);

/* The greatest number of sub-emitter levels from the host's effects down to the item; 0 = it is
 * not reached. beside: items spawned with the file's own effect. below: items that the file's
 * sub-emitters name. */
uint32_t rio_links_depth(const rico_world *world, const rio_links *links, uint32_t beside,
                         uint32_t below, uint32_t item);

/* The items that are in the group. */
uint32_t rio_links_grouped(const rio_links *links, const rio_group *group);

/* Lets the host change an effect that was loaded. */
void rio_links_adapt(const rio_links *links, rio_effect *effect);

/* Removes items of the set from the world and from the list, as far as possible. Items that name
 * others go before those. quietly: skips items that the world would refuse with a line in its
 * log. Errors: rico_world_remove_recipe's, for the last item that could not go; RICO_IN_USE for
 * items that others name. */
rico_result rio_links_drop(rico_world *world, rio_links *links, uint32_t set, bool quietly);

#endif
