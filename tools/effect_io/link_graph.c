#include "link_graph.h"

#include <string.h>

uint32_t rio_links_find(const rio_links *links, const char *directory, const char *name)
{
    for (uint32_t i = 0; i < links->count; ++i)
        if (!links->items[i].unnamed && strcmp(links->items[i].name, name) == 0 &&
            strcmp(links->items[i].directory, directory) == 0)
            return i;
    return RIO_NO_LINK;
}

static bool same_id(rico_recipe_id a, rico_recipe_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

uint32_t rio_links_named(const rico_world *world, const rio_links *links, rico_recipe_id id)
{
    rico_recipe recipe;
    uint32_t named = 0;
    if (!rico_world_get_recipe(world, id, &recipe))
        return 0;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        for (uint32_t i = 0; i < links->count; ++i)
            if (recipe.sub_emitters[k].on != 0 &&
                same_id(recipe.sub_emitters[k].recipe, links->items[i].recipe))
                named |= 1u << i;
    return named;
}

static uint32_t named_by_all(const rico_world *world, const rio_links *links, uint32_t set)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < links->count; ++i)
        if (set >> i & 1u)
            named |= rio_links_named(world, links, links->items[i].recipe);
    return named;
}

/* The loop ends because recipes in a world form no circles and no chain exceeds the allowed
 * depth. */
uint32_t rio_links_reached(const rico_world *world, const rio_links *links, uint32_t set,
                           uint32_t *levels)
{
    uint32_t reached = 0;
    for (*levels = 0; set != 0 && *levels <= RICO_MAX_SUB_DEPTH; ++*levels) {
        reached |= set;
        set = named_by_all(world, links, set);
    }
    return reached;
}

uint32_t rio_links_depth(const rico_world *world, const rio_links *links, uint32_t beside,
                         uint32_t below, uint32_t item)
{
    uint32_t depth = 0, set = named_by_all(world, links, beside) | below;
    for (uint32_t level = 1; set != 0 && level <= RICO_MAX_SUB_DEPTH; ++level) {
        if (set >> item & 1u)
            depth = level;
        set = named_by_all(world, links, set);
    }
    return depth;
}

uint32_t rio_links_grouped(const rio_links *links, const rio_group *group)
{
    uint32_t set = 0;
    for (uint32_t k = 1; k < group->count; ++k)
        for (uint32_t i = 0; i < links->count; ++i)
            if (same_id(group->items[k].recipe, links->items[i].recipe))
                set |= 1u << i;
    return set;
}

void rio_links_adapt(const rio_links *links, rio_effect *effect)
{
    const rio_adapter *adapter = links->adapter;
    if (adapter != NULL && adapter->adapt != NULL)
        adapter->adapt(adapter->user, effect);
}

/* --- Removing from the world ----------------------------------------------------------------- */

static void close_gaps(rio_links *links, uint32_t gone)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < links->count; ++i)
        if (!(gone >> i & 1u))
            links->items[kept++] = links->items[i];
    links->count = kept;
}

rico_result rio_links_drop(rico_world *world, rio_links *links, uint32_t set, bool quietly)
{
    rico_result result = RICO_OK;
    uint32_t left = (1u << links->count) - 1u, tried = 0, next;
    while ((next = set & left & ~tried & ~named_by_all(world, links, left)) != 0)
        for (uint32_t i = 0; i < links->count; ++i) {
            const rico_recipe_id recipe = links->items[i].recipe;
            if (!(next >> i & 1u))
                continue;
            tried |= 1u << i;
            rico_result one = RICO_IN_USE;
            if (!quietly || !rico_world_recipe_in_use(world, recipe))
                one = rico_world_remove_recipe(world, recipe);
            if (one == RICO_OK || one == RICO_STALE_ID) /* stale: the host has removed it */
                left &= ~(1u << i);
            result = one != RICO_OK ? one : result;
        }
    if (result == RICO_OK && (set & left) != 0)
        result = RICO_IN_USE;
    close_gaps(links, ~left);
    return result;
}
