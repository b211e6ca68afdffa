/* effect_group.h - effects that are spawned together: a file's own, and those that it names in
 * `with`.
 */
#ifndef RIO_EFFECT_GROUP_H
#define RIO_EFFECT_GROUP_H

#include <ricochet/effects/effect_links.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_MOST_GROUP (1u + RIO_MOST_WITH)

/* Recipes of one world, with the file's own first. It is plain data and owns nothing. It is
 * valid as long as the recipes are in the world. */
typedef struct rio_group {
    struct {
        rico_recipe_id recipe;
        rico_transform place; /* in the space of the first item's effect */
    } items[RIO_MOST_GROUP];
    uint32_t count; /* 1 if the file has no `with` */
} rio_group;

/* Returns the group of an effect.
 *
 * recipe: the effect's own recipe in the world.
 * links: those that the effect was linked with (rio_effect_link). With others, the recipes of
 *   its `with` are null, and spawning the group returns RICO_STALE_ID. */
RIO_API rio_group rio_effect_group(const rio_effect *effect, const rio_links *links,
                                   rico_recipe_id recipe);

/* Returns the place of the effect of item i when the first item's effect is at `where`.
 *
 * The scale and rotation of `where` apply to the whole group. For item 0 the result is `where`,
 * bit by bit. To move all effects (or to teleport them):
 *     for (uint32_t i = 0; i < group.count; ++i)
 *         rico_effect_move(world, ids[i], rio_group_place(&group, i, where));
 * Each effect ends by itself, so ids may be stale. */
RIO_API rico_transform rio_group_place(const rio_group *group, uint32_t i,
                                       rico_transform where);

/* Spawns one effect of each item, into ids[0..count).
 *
 * Either all are spawned or none (rico_effect_spawn_all). If none, nothing has changed and
 * these ids are null.
 *
 * def: of the first effect, and, except for the place, of all. NULL =
 *   rico_effect_def_default(). If def->seed is not 0, the first effect has that seed. The others
 *   then have seeds of their own, which follow from it.
 *
 * Errors: those of rico_effect_spawn, and
 *   RICO_FULL: capacity is below group->count; ids stay as they are. */
RIO_API rico_result rio_group_spawn(rico_world *world, const rio_group *group,
                                    const rico_effect_def *def, rico_effect_id *ids,
                                    uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
