/* effect_links.h - loads the files that an effect names, in sub_emitters and in `with`, into a
 * world.
 */
#ifndef RIO_EFFECT_LINKS_H
#define RIO_EFFECT_LINKS_H

#include <ricochet/effects/effect_file.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_MOST_LINKS 16u

/* The state of a file when it was read last. All 0: it was not there. */
typedef struct rio_file_stamp {
    int64_t seconds, nanoseconds, status_seconds, status_nanoseconds, bytes, inode;
} rio_file_stamp;

/* Private, like everything below that is marked so; for rio_effect_source_poll. When a file was
 * refused because of others: the files that it led to and that are in no list. */
#define RIO_MOST_OBSTACLES (1u + RICO_MAX_SUB_DEPTH)
typedef struct rio_obstacles {
    struct {
        char name[RIO_SUB_NAME_BYTES];
        rio_file_stamp stamp;
    } files[RIO_MOST_OBSTACLES];
    uint32_t file_count;
    bool any;
} rio_obstacles;

/* A host's own source of files, for example an archive.
 * Threads: the thread that links. Neither function may link. */
typedef struct rio_files {
    /* Returns the text of the file at `path`, and its length in *bytes. The path is
     * effect->directory, a name, and ".json". NULL = there is no such file, or it cannot be
     * read. The text must stay as it is until it is released. Each text is released, once. */
    const char *(*read)(void *user, const char *path, size_t *bytes);

    /* Releases a text. NULL = there is nothing to release. */
    void (*release)(void *user, const char *text);

    void *user; /* the host's; passed to both */
} rio_files;

/* A host's own changes to the recipes of files: what depends on the host rather than on the
 * effect, for example interpolate, particle_ids, events or distances of detail.
 *
 * Threads: the thread that opens, links or polls. */
typedef struct rio_adapter {
    /* Changes effect->recipe, but for its sub_emitters, each time that a file was read and
     * before the world gets it. effect->name is its path. The rest of *effect is for looking
     * at. What is then out of range the world refuses. */
    void (*adapt)(void *user, rio_effect *effect);

    void *user; /* the host's; passed to it */
} rio_adapter;

/* The recipes that were made of files, by the files' names and directories. The host owns it.
 * Zero it before the first use, except for `files` and `adapter`. */
typedef struct rio_links {
    struct {
        char name[RIO_SUB_NAME_BYTES];
        char directory[RIO_DIRECTORY_BYTES]; /* as in rio_effect */
        rico_recipe_id recipe;
        rio_file_stamp stamp; /* private, like what follows */
        bool waits, waits_for_all, unnamed;
        rio_obstacles obstacles;
    } items[RIO_MOST_LINKS];
    uint32_t count;
    const rio_files *files; /* where rio_effect_link reads from; NULL = the file system */

    /* For the files that rio_effect_link loads, not for the effect that it is given; NULL =
     * recipes are as their files say. */
    const rio_adapter *adapter;
} rio_links;

/* Loads the files that an effect names, and gives the sub-emitters of `recipe` their recipes.
 *
 * `recipe` is the effect's own, or what the host has made of it. The files in the effect's
 * `with` get their recipes, too, for rio_effect_group.
 *
 * - A file that is in `links` by name and directory is taken from there.
 * - Any other file is loaded from effect->directory, by links->files if that is set, and added
 *   to `links` and to the world. Files that it names are added before it.
 * - Names are spelled as the files are, capitals and all, on Windows, too.
 * - rio_effect_parse leaves effect->directory "", which is the process's working directory. Set
 *   it first.
 *
 * error: without an error, the first rio_effect.idle of the files that were loaded, or empty.
 *
 * Errors: those of rio_effect_load and rico_world_add_recipe, and the two below. error is then
 *   one line that begins with FILE:LINE:COLUMN: of what is wrong, in a file that was named, or
 *   of the name; or with FILE: if the named file cannot be read. The recipes that the call has
 *   added are removed again.
 *   RICO_FULL: more than RIO_MOST_LINKS files.
 *   RICO_OUT_OF_RANGE: files name each other more than RICO_MAX_SUB_DEPTH deep, or in a circle;
 *     or a file that is named has a `with` itself. */
RIO_API rico_result rio_effect_link(rico_world *world, const rio_effect *effect,
                                    rio_links *links, rico_recipe *recipe, char *error,
                                    size_t error_bytes);

/* Removes the recipes of all files from the list and from the world that they were added to.
 *
 * Errors: those of rico_world_remove_recipe, of the last recipe that could not be removed.
 *   These recipes stay in the list, except after RICO_STALE_ID. */
RIO_API rico_result rio_links_remove(rico_world *world, rio_links *links);

#ifdef __cplusplus
}
#endif

#endif
