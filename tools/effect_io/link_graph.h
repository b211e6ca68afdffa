/* link_graph.h - which recipes of a list name which others, as the world has them (private to effect files).
 *
 * Sets of recipes are bits: bit i is items[i].
 */
#ifndef RIO_LINK_GRAPH_H
#define RIO_LINK_GRAPH_H

#include "effect_group.h"

/* That is no item's number. */
#define RIO_NO_LINK RIO_MOST_LINKS

/* The file's number, by name and directory. Not one that is there for older effects only: that is not followed, and
 * may be another file by now. */
uint32_t rio_links_find(const rio_links *links, const char *directory, const char *name);

/* Those that the recipe's sub-emitters name. */
uint32_t rio_links_named(const rico_world *world, const rio_links *links,
                         rico_recipe_id recipe);

/* The set, those that it names, those that these name, and so on. levels: 1 = the set names none, and so on;
 * 0 = it is empty. */
uint32_t rio_links_reached(const rico_world *world, const rio_links *links, uint32_t set,
                           uint32_t *levels);

/* How many sub-emitters below the host's effects the item is at most; 0 = not at all. beside, below: those that are spawned
 * with the file's own effect, and those that its sub-emitters name. */
uint32_t rio_links_depth(const rico_world *world, const rio_links *links, uint32_t beside,
                         uint32_t below, uint32_t item);

/* Those that are in the group. */
uint32_t rio_links_grouped(const rio_links *links, const rio_group *group);

/* Takes those of the set that it can from the world and the list, those that name before those that are named.
 * quietly: not those that the world would refuse, with a line in its log. Errors: rico_world_remove_recipe's, of the
 * last that could not be; RICO_IN_USE of those that others name. */
rico_result rio_links_drop(rico_world *world, rio_links *links, uint32_t set, bool quietly);

#endif
