#include "effect_links.h"

#include "effect_linker.h"
#include "link_graph.h"

rico_result rio_effect_link(rico_world *world, const rio_effect *effect, rio_links *links,
                            rico_recipe *recipe, char *error, size_t error_bytes)
{
    rio_obstacles obstacles; /* not used: nothing waits for them to change */
    const rio_linker l = {
        world, effect->directory, links, &obstacles, error, error != NULL ? error_bytes : 0};
    const rio_chain first = rio_chain_begin(effect->name, effect);
    return rio_link_all(&l, &first, recipe);
}

rico_result rio_links_remove(rico_world *world, rio_links *links)
{
    return rio_links_drop(world, links, UINT32_MAX, false);
}
