/* effect_source.h - runs an effect file in a world, and follows the file when it changes. */
#ifndef RIO_EFFECT_SOURCE_H
#define RIO_EFFECT_SOURCE_H

#include <ricochet/effects/effect_group.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_SOURCE_RECIPES 8u

/* A file that is followed. The host owns it, until rio_effect_source_close or the end of the
 * world. */
typedef struct rio_effect_source {
    const char *path;      /* must outlive the source */
    rico_recipe_id recipe; /* for effects that are spawned from now on */
    rio_group group;       /* the same recipe, and those of its `with`: for rio_group_spawn from now
                              on */

    /* All recipes that were made of the file. While living particles of one have no memory for
     * a change, the change goes to another. */
    rico_recipe_id recipes[RIO_SOURCE_RECIPES];
    uint32_t recipe_count;

    /* The files that this one names, and those that their sub-emitters name. They are followed,
     * too. A file that the source no longer leads to is not followed. It is removed, with its
     * recipe, when its particles are gone and no older recipe of the source names it. If it is
     * named again before that, it is there twice. */
    rio_links links;

    rio_file_stamp stamp; /* private, like what follows */
    rio_obstacles obstacles;
    bool has_room;     /* a file has gone: a file that did not fit may fit now */
    bool waits;        /* its own file waits for particles of the files that it names */
    bool lacks_recipe; /* its own file was refused because no recipe was left for it */
} rio_effect_source;

/* What rio_effect_source_poll found. If several files have changed at once, it is the news that
 * comes last in this list. */
typedef enum rio_source_news {
    /* No file has changed. Nothing is said: error is not touched. */
    RIO_SOURCE_SAME,

    /* All effects run by the new file. Its host object may be another, too: rio_effect_load
     * reads it. error is the rio_effect.idle of the file, or of one that it names and did not
     * name before, or empty. */
    RIO_SOURCE_CHANGED,

    /* The change is made later.
     * - For a file that sub-emitters name: when none of its particles lives. error says which
     *   field waits.
     * - For a file whose births are to inherit sizes or colours: when no particle lives of any
     *   file that is named. error says which file waits. */
    RIO_SOURCE_WAITS,

    /* The change is for effects that are spawned from now on: source->recipe or source->group
     * is another. Living effects keep what they had. error names the field that is the reason.
     * If no field is (only `with` has changed), error is the rio_effect.idle of a file that this
     * one names and did not name before, or empty. */
    RIO_SOURCE_ADDED,

    /* A file is gone, is no valid effect, or is refused by the world; or no recipe is left for it.
     * error says why. Nothing of it changes. */
    RIO_SOURCE_REFUSED
} rio_source_news;

/* Loads a file and the files that it names, and adds their recipes to the world.
 *
 * error: without an error, the rio_effect.idle of the file, or of one that it names, or empty.
 *
 * Errors: those of rio_effect_load, rio_effect_link and rico_world_add_recipe. None of the
 *   recipes stays in the world then. */
RIO_API rico_result rio_effect_source_open(const char *path, rico_world *world,
                                           rio_effect_source *out, char *error,
                                           size_t error_bytes);

/* The same, with changes of the host's own to all of these recipes, now and whenever a file is
 * read again. `adapter` must outlive the source; NULL = none. */
RIO_API rico_result rio_effect_source_open_with(const char *path, rico_world *world,
                                                const rio_adapter *adapter,
                                                rio_effect_source *out, char *error,
                                                size_t error_bytes);

/* Checks whether the file, or one that it leads to, has changed, and makes the world follow.
 * Call it a few times a second.
 *
 * What becomes of a change:
 * - Usually all effects take it (RIO_SOURCE_CHANGED).
 * - Living particles may have no memory for it (rico_world_change_recipe). Then it goes to
 *   effects that are spawned later: spawn with source->group (or source->recipe).
 * - A file that sub-emitters name has only one recipe. There it waits until none of that file's
 *   particles lives.
 * - Births of files that are named can begin to inherit a size or a colour only when no
 *   particle of those files lives (rico_sub_emitter.inherit_size). The change waits for that.
 * - Another `with` is for effects that are spawned later, too. An effect whose file is no
 *   longer in `with` goes on until the host stops it.
 *
 * A file that was refused is read again:
 * - when it changes, or when a file that it leads to appears or changes;
 * - if it was refused because of others (a circle, a full world), when any of these changes or
 *   goes;
 * - if it was refused because no recipe was left, when one of the recipes that were made of it
 *   has no living particle.
 *
 * The world takes files one by one. If several change at once, and are valid together but not
 * one by one in any order, some stay refused.
 *
 * Sources share no recipes, even if they are in one directory.
 *
 * Planes, and forces in world space, are where a file says in the space that the world has when
 * the file is read. After rico_world_shift_origin that is another; an adapter can move them.
 *
 * Threads: between steps.
 * Cost: one call to the system for each file; on Windows, a few. */
RIO_API rio_source_news rio_effect_source_poll(rio_effect_source *source, rico_world *world,
                                               char *error, size_t error_bytes);

/* Removes all recipes that were made of the file and of the files that it names from the world.
 *
 * Errors: those of rico_world_remove_recipe, of the last recipe that could not be removed.
 *   RICO_IN_USE: effects run it, or births of it live. It stays in the source; close the source
 *     again later.
 *   RICO_STALE_ID: the host had removed it already. It does not stay. */
RIO_API rico_result rio_effect_source_close(rio_effect_source *source, rico_world *world);

#ifdef __cplusplus
}
#endif

#endif
