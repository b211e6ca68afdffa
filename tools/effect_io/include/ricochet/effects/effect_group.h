/* effect_group.h - effects that are spawned together: a file's own, and those that it names in `with`. */
#ifndef RIO_EFFECT_GROUP_H
#define RIO_EFFECT_GROUP_H

#include <ricochet/effects/effect_links.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_MOST_GROUP (1u + RIO_MOST_WITH)

/* Recipes of one world, the file's own first. Owner: none, it is plain data; true for as long as the recipes are there. */
typedef struct rio_group {
    struct {
        rico_recipe_id recipe;
        rico_transform place; /* in the space of the first one's effect */
    } items[RIO_MOST_GROUP];
    uint32_t count; /* 1, where the file has no `with` */
} rio_group;

/* recipe: what the effect's own has become in the world; links: that the effect was linked with (rio_effect_link), or else
 * recipes are null, and spawns RICO_STALE_ID. */
rio_group rio_effect_group(const rio_effect *effect, const rio_links *links,
                           rico_recipe_id recipe);

/* Where the effect of item i is when the first one's is at `where`, whose scale and rotation are those of the whole. So, to
 * move all (or to teleport them):
 *     for (uint32_t i = 0; i < group.count; ++i)
 *         rico_effect_move(world, ids[i], rio_group_place(&group, i, where));
 * Each ends by itself: ids may be stale. Of item 0 it is `where`, bit by bit. */
rico_transform rio_group_place(const rio_group *group, uint32_t i, rico_transform where);

/* Spawns an effect of each item, into ids[0..count): all, or none, and then nothing has changed and these ids are null
 * (rico_effect_spawn_all). def: of the first one, and, but for the place, of all; NULL = rico_effect_def_default(). With a
 * seed of the host's the first one has that, and the others have their own, which follow from it. Errors: RICO_FULL where
 * capacity is below group->count, and ids stay as they are; rico_effect_spawn's. */
rico_result rio_group_spawn(rico_world *world, const rio_group *group,
                            const rico_effect_def *def, rico_effect_id *ids, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
