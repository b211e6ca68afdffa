/* effect_file.h - loads, parses, frees and saves effects as JSON files.
 *
 * examples/effects/README.md has the fields of a file. This header is part of
 * libricochet-effects, a static library beside libricochet (on Windows also a DLL).
 * libricochet-effects needs jansson; the DLL contains it.
 *
 * A file has the fields of rico_recipe, by the same names. A field that it leaves out has the
 * value of rico_recipe_default. Ranges are the library's own (rico_recipe_check). A file that
 * has anything that the library does not know, for example a field, is refused.
 *
 * Numbers have decimal points, in files and in messages, whatever locale the program has set.
 *
 * Paths are in UTF-8, on Windows, too, where argv and most functions of the system have others.
 * There a directory may end with \ as well as with /.
 *
 * Pointers must not be NULL unless stated otherwise. This holds for effect_links.h,
 * effect_group.h and effect_source.h, too.
 *
 * Threads: the functions have no state; any number of loads may run at once.
 */
#ifndef RIO_EFFECT_FILE_H
#define RIO_EFFECT_FILE_H

#include <ricochet/recipe.h>
#include <ricochet/result.h>
#include <stddef.h>

/* What a DLL of this library exports on Windows. */
#if defined(_WIN32) && defined(RICO_EXPORTS) /* while the library itself is built */
#define RIO_API __declspec(dllexport)
#else
#define RIO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Sizes -------------------------------------------------------------------------------- */

/* A buffer long enough for any message of these functions. A shorter buffer cuts the message.
 * Without a buffer (NULL, or 0 bytes) there is no message. */
#define RIO_EFFECT_ERROR_BYTES 1024

/* Longest comment, in Unicode characters, as schemas count; and its buffer, in UTF-8 with a
 * terminating zero. */
#define RIO_EFFECT_COMMENT_CHARACTERS 1023u
#define RIO_EFFECT_COMMENT_BYTES (4 * RIO_EFFECT_COMMENT_CHARACTERS + 1)

#define RIO_EFFECT_SCHEMA_BYTES 1024 /* with the terminating zero */
#define RIO_EFFECT_IDLE_BYTES 512    /* with the terminating zero */
#define RIO_DIRECTORY_BYTES 1024     /* of a path, with its final / and the terminating zero */

/* --- Effects ------------------------------------------------------------------------------ */

/* A name of another file without .json: letters, digits, _ and -, and the terminating zero. */
#define RIO_SUB_NAME_BYTES 64

/* The files that sub-emitters name. */
typedef struct rio_sub_names {
    char items[RICO_MAX_SUB_EMITTERS][RIO_SUB_NAME_BYTES];
} rio_sub_names;

/* An effect of another file that is spawned together with the file's own (effect_group.h). That
 * file must not have a `with` of its own. */
#define RIO_MOST_WITH 8u
typedef struct rio_with {
    char effect[RIO_SUB_NAME_BYTES]; /* name of the file, as in rio_sub_names */
    rico_transform place;            /* in the space of the effect that has the `with` */
} rio_with;

/* A place in a file. Both count from 1. Columns are bytes; a byte order mark counts as none. */
typedef struct rio_effect_place {
    uint32_t line, column;
} rio_effect_place;

/* A loaded effect. The caller owns it: release it with rio_effect_free. */
typedef struct rio_effect {
    /* Its mesh points to the two arrays below. Its sub-emitters have no recipe yet:
     * effect_links.h gives them theirs. */
    rico_recipe recipe;

    rio_sub_names subs;                                 /* the files of its sub-emitters */
    rio_effect_place sub_places[RICO_MAX_SUB_EMITTERS]; /* where the file has these names */

    rio_with with[RIO_MOST_WITH];
    uint32_t with_count;
    rio_effect_place with_places[RIO_MOST_WITH]; /* where the file has their names */

    char name[1024]; /* of the file, as in errors */

    /* Directory that the file was loaded from, with its final /. rio_effect_link looks there
     * for the files that this one names. "" = the process's working directory. */
    char directory[RIO_DIRECTORY_BYTES];

    char comment[RIO_EFFECT_COMMENT_BYTES]; /* what the file says about itself */
    char schema[RIO_EFFECT_SCHEMA_BYTES];   /* its "$schema", for editors; "" = none, or one that
                                               is too long */

    /* One line about the first field of the file that does nothing because of what its other
     * fields are, or that asks for more births than max_particles has room for. For example:
     *     fire.json:7:11: wind does nothing: there is no drag (and 1 more)
     * The place is that of the field's value.
     * "" = there is none. This is no error: the field may be meant for later. Not all fields
     * that do nothing are found. */
    char idle[RIO_EFFECT_IDLE_BYTES];

    float *positions;  /* of recipe.mesh */
    uint32_t *indices; /* of recipe.mesh */

    /* The text of the file's "host", an object for your own use, for example
     *     {"texture": "spark.png", "blend": "add"}
     * It is as the file has it, in memory from malloc (of this library, which frees it); NULL =
     * none. This library does not read it; any JSON parser can. */
    char *host;
} rio_effect;

/* --- Loading ------------------------------------------------------------------------------ */

/* Loads an effect from a file. path may be NULL, which is an error.
 *
 * Errors: *out is zeroed. error is then one line that begins with FILE: or FILE:LINE:COLUMN:
 *   (without a path, with neither), and says what is wrong: of a field, its name and what was
 *   expected.
 *   RICO_NOT_FOUND: there is no such file, or it cannot be opened; or it is not a regular file,
 *     but for example a directory or a pipe; or path is NULL.
 *   RICO_OUT_OF_MEMORY
 *   RICO_BAD_FILE: it is no valid effect, cannot be read, or has 64 MiB or more; or its
 *     directory's path has RIO_DIRECTORY_BYTES or more. */
RIO_API rico_result rio_effect_load(const char *path, rio_effect *out, char *error,
                                    size_t error_bytes);

/* Loads an effect from a text in memory. `name` is the file's name in errors.
 *
 * The effect has no directory. Set effect.directory before rio_effect_link; otherwise the files
 * that it names are looked for in the process's working directory.
 *
 * Errors: as rio_effect_load, except RICO_NOT_FOUND. */
RIO_API rico_result rio_effect_parse(const char *name, const char *text, size_t bytes,
                                     rio_effect *out, char *error, size_t error_bytes);

/* Releases the arrays and the host text, and zeroes the struct. NULL is ignored. */
RIO_API void rio_effect_free(rio_effect *effect);

/* --- Saving ------------------------------------------------------------------------------- */

/* Returns a recipe without sub-emitters as the text of a file. comment may be NULL.
 *
 * Fields that are as in rico_recipe_default are left out. Loading the text gives the same
 * recipe, bit for bit, in everything that is in use. What is not in use is lost:
 * - of bursts of count 0 and forces of kind none, everything but their place;
 * - sub-emitters that are off, together with their place: later ones move up;
 * - slopes of curves that are not cubic;
 * - keys and planes beyond their count;
 * - the mesh, where shape is another.
 *
 * Lifetime: the caller releases the text with rio_effect_text_free. It is from malloc, so that
 *   free does, too, in programs that have the library's malloc. Those that use a DLL may have
 *   another.
 * Errors: returns NULL. If memory ran out, nothing is said. Otherwise a line in the log
 *   (log NULL = standard error) names the field:
 *   - the recipe does not pass rico_recipe_check, or has sub-emitters;
 *   - its mesh has no area;
 *   - the comment has more than RIO_EFFECT_COMMENT_CHARACTERS, or is not UTF-8. */
RIO_API char *rio_effect_text(const rico_recipe *recipe, const char *comment,
                              const rico_log *log);

/* Returns a recipe with sub-emitters, which name the files in `subs`, as the text of a file.
 *
 * Errors: as rio_effect_text. Also NULL if sub-emitters have no names (subs NULL), or a name is
 *   not as rio_sub_names says. */
RIO_API char *rio_effect_text_with(const rico_recipe *recipe, const rio_sub_names *subs,
                                   const char *comment, const rico_log *log);

/* Returns an effect that was loaded, and perhaps changed since, as the text of a file, with all
 * that it has.
 *
 * Errors: as rio_effect_text_with. Also NULL if host is no JSON object, if schema is not UTF-8,
 *   or if a name or place in `with` is not valid. */
RIO_API char *rio_effect_text_of(const rio_effect *effect, const rico_log *log);

/* Releases a text of the three functions above. NULL is ignored. */
RIO_API void rio_effect_text_free(char *text);

/* Writes the text of rio_effect_text to a file: all of it or nothing.
 *
 * - An effect file that is there keeps its "host", its "with" and its "$schema". If it has no
 *   "$schema", or one that is too long for rio_effect.schema, or is new, that is
 *   "effect.schema.json".
 * - Links are followed. A file that is there keeps its mode. On Windows it keeps its attributes
 *   "hidden" and "system", and has the permissions that new files of its directory have.
 * - For a moment the new file lies next to the old one, as PATH.*.tmp.
 *
 * Threads: any number may save at once.
 * Errors: error holds one line.
 *   RICO_BAD_FILE: there is no text, as with rio_effect_text.
 *   RICO_NOT_WRITTEN: it cannot be written; path is NULL; or at path is something that is no
 *     regular file, or a link to nothing, which stay as they are. */
RIO_API rico_result rio_effect_save(const char *path, const rico_recipe *recipe,
                                    const char *comment, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
