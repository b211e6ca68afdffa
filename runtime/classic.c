/* Mode classic: the published scheme. Each particle has one plane, looked up by cell and
 * principal direction of flight, at birth and after each bounce. Rays along the velocity of
 * random particles feed the cache (query.c). */
#include "simulate.h"

void rico__classic_look_up(rico__block_context *c, uint32_t i, bool newborn)
{
    rico_world *world = c->world;
    rico_cache_key key = rico_cache_key_at(world->planes, block_position(c, i),
                                           rico_cache_direction(block_velocity(c, i)));
    rico_cache_info info;
    const rico_plane *plane =
        key == RICO_NO_KEY ? NULL : rico_cache_find(world->planes, key, c->cells.worker, &info);
    c->scratch->tally.lookups += 1;
    if (plane != NULL && info.version == world->scene_version) {
        c->scratch->tally.lookup_hits += 1;
        block_set_plane(c, i, *plane);
    } else if (newborn) {
        block_set_plane(c, i, no_plane());
    }
}
