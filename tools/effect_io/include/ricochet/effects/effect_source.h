/* effect_source.h - an effect file that runs in a world, and follows what is written to it. */
#ifndef RIO_EFFECT_SOURCE_H
#define RIO_EFFECT_SOURCE_H

#include <ricochet/effects/effect_group.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_SOURCE_RECIPES 8u

/* Owner: the host; rio_effect_source_close, or the world's end. The path must outlive it. */
typedef struct rio_effect_source {
    const char *path;
    rico_recipe_id recipe; /* for effects that are spawned from now on */
    rio_group group;       /* the same recipe, and those of its `with`: for rio_group_spawn from now on */
    /* All that were made of the file: while particles of one live that a change does not suit, the
     * change is another's. */
    rico_recipe_id recipes[RIO_SOURCE_RECIPES];
    uint32_t recipe_count;
    /* Files that it names, and those that their sub-emitters name: followed, too. One that it no longer leads to is
     * not, and goes, with its recipe, when its particles are gone and no older recipe of the source's names it; named
     * again before, it is there twice. */
    rio_links links;
    rio_file_stamp stamp; /* private, like what follows */
    rio_obstacles obstacles;
    bool has_room; /* a file has gone: who did not fit may do now */
    bool waits;    /* its own file does, for particles of those that it names */
    bool lacks_recipe; /* its own file was refused as no recipe was left for it */
} rio_effect_source;

/* Of several files that have changed at once the one that comes last here is told. */
typedef enum rio_source_news {
    RIO_SOURCE_SAME, /* no file has changed, and nothing is said: error is not touched */
    /* All effects run by the new one; its host object may be another, too: rio_effect_load. error is the file's
     * rio_effect.idle, or that of one that it names and did not before, or empty. */
    RIO_SOURCE_CHANGED,
    /* Of a file that is named by others: when none of its particles lives; error says for which field. Of one whose births
     * are to inherit sizes or colours: when none lives of any that are named. error says which. */
    RIO_SOURCE_WAITS,
    RIO_SOURCE_ADDED, /* those that are spawned from now on: the recipe or the group is another; live ones have what they had. error says
                         for which field; else it is the group, and error as of RIO_SOURCE_CHANGED */
    RIO_SOURCE_REFUSED /* a file is gone, or no effect: error says why, and nothing of it changes */
} rio_source_news;

/* Loads the file and those that it names, and adds their recipes; none of them stays when it fails. Errors:
 * rio_effect_load's, rio_effect_link's, rico_world_add_recipe's. Without one, error is the file's rio_effect.idle, or that of one that
 * it names, or empty. */
rico_result rio_effect_source_open(const char *path, rico_world *world, rio_effect_source *out,
                                   char *error, size_t error_bytes);

/* Looks whether the file, or one that it leads to, has changed (a call to the system for each), and makes
 * the world follow. Call it between steps, a few times a second. A change that particles which live have no memory
 * for (rico_world_change_recipe) goes to effects that are spawned later: spawn with source->group (or recipe); of a file
 * that sub-emitters name, which have but one recipe of it, it waits until none of its particles lives. Births of those can inherit
 * a size or a colour for the first time when none of them lives, too (rico_sub_emitter.inherit_size): it waits for that. Another `with` is
 * for effects that are spawned later, too; whose file is no longer in it goes on until the host stops it. A file that is
 * refused is read again when it changes, or one that it leads to appears or changes, and when it was refused for the
 * sake of others (a circle, a full world), with any change of theirs, and when one of them goes; for want of a recipe, when no
 * particle of one that it has been lives. The world takes
 * files one by one: of those that change at once and are good together, but in no order one by one, some stay refused.
 * Sources of one directory have recipes of their own. */
rio_source_news rio_effect_source_poll(rio_effect_source *source, rico_world *world,
                                       char *error, size_t error_bytes);

/* Removes all recipes that were made of the file, and those of the files that it names, from the world. Errors:
 * rico_world_remove_recipe's, of the last that could not be: RICO_IN_USE while effects run or births live. Those
 * stay in the source, which is then closed again later. */
rico_result rio_effect_source_close(rio_effect_source *source, rico_world *world);

#ifdef __cplusplus
}
#endif

#endif
