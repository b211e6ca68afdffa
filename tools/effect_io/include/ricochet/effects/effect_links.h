/* effect_links.h - effects that name other files, in sub_emitters and in `with`: all of them, in a world. */
#ifndef RIO_EFFECT_LINKS_H
#define RIO_EFFECT_LINKS_H

#include <ricochet/effects/effect_file.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIO_MOST_LINKS 16u

/* What a file was when it was read last; all 0: it was not there. */
typedef struct rio_file_stamp {
    int64_t seconds, nanoseconds, status_seconds, status_nanoseconds, bytes, inode;
} rio_file_stamp;

#define RIO_MOST_OBSTACLES (1u + RICO_MAX_SUB_DEPTH) /* private */
/* Private, like all that is named so here: for rio_effect_source_poll. Of a file that was refused for the sake of
 * others, those that are in no list, which it led to. */
typedef struct rio_obstacles {
    struct {
        char name[RIO_SUB_NAME_BYTES];
        rio_file_stamp stamp;
    } files[RIO_MOST_OBSTACLES];
    uint32_t file_count;
    bool any;
} rio_obstacles;

/* Files of a host's own, such as an archive's. Called on the thread that links; neither may link. */
typedef struct rio_files {
    /* The text of the file at that path: effect->directory, a name, ".json". NULL: there is none, or it cannot be
     * read. Stays as it is until it is released, which each is, once. */
    const char *(*read)(void *user, const char *path, size_t *bytes);
    void (*release)(void *user, const char *text); /* NULL = nothing to release */
    void *user;
} rio_files;

/* Recipes that files have become, by name and directory. Owner: the host; zero to begin with, but for `files`. */
typedef struct rio_links {
    struct {
        char name[RIO_SUB_NAME_BYTES];
        char directory[RIO_DIRECTORY_BYTES]; /* as rio_effect has it */
        rico_recipe_id recipe;
        rio_file_stamp stamp; /* private, like what follows */
        bool waits, waits_for_all, unnamed;
        rio_obstacles obstacles;
    } items[RIO_MOST_LINKS];
    uint32_t count;
    const rio_files *files; /* where rio_effect_link has them from; NULL = the file system's */
} rio_links;

/* Gives the sub-emitters of `recipe` (effect's own, or what the host has made of it) their recipes, and those that the effect
 * is spawned with theirs, for rio_effect_group: files in effect->directory ("", as rio_effect_parse leaves it: the process's working
 * directory; set it first) are loaded, from links->files where that is set, and added, those that they name before them;
 * those that links has by name and directory are taken from there. Errors: rio_effect_load's and rico_world_add_recipe's; RICO_FULL:
 * more than RIO_MOST_LINKS files; RICO_OUT_OF_RANGE: they name each other more than
 * RICO_MAX_SUB_DEPTH deep, or in a circle, or one that is named has `with` itself. error is then one line that begins with FILE:LINE:COLUMN: of what
 * is wrong: in a file that was named, or of the name. The recipes that it has added are removed again then. Without an error
 * it is the first rio_effect.idle of the files that it has loaded, or empty. */
rico_result rio_effect_link(rico_world *world, const rio_effect *effect, rio_links *links,
                            rico_recipe *recipe, char *error, size_t error_bytes);

/* Removes the files' recipes from the world that they were added to, and from the list. Errors, of the last that
 * could not be: rico_world_remove_recipe's; those stay in the list, but for RICO_STALE_ID. */
rico_result rio_links_remove(rico_world *world, rio_links *links);

#ifdef __cplusplus
}
#endif

#endif
