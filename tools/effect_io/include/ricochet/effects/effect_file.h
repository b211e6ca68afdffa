/* effect_file.h - effects as data: recipes in JSON files (examples/effects/README.md has the fields).
 *
 * Of libricochet-effects, a static library beside libricochet, which needs jansson.
 * A file has the fields of rico_recipe by the same names; what it leaves out is
 * rico_recipe_default()'s. Ranges are the library's own: rico_recipe_check. What a file says and
 * the library has not is refused.
 * Numbers have points, in files and in messages, whatever locale the program has set.
 * Pointers must not be NULL but where it says so; that holds for effect_links.h and effect_source.h, too.
 * Threads: no state; any number of loads may run at once.
 */
#ifndef RIO_EFFECT_FILE_H
#define RIO_EFFECT_FILE_H

#include <ricochet/recipe.h>
#include <ricochet/result.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Long enough for any message of these functions; shorter buffers cut it, and without one (NULL, or of 0 bytes) it
 * is not said. */
#define RIO_EFFECT_ERROR_BYTES 1024
#define RIO_EFFECT_COMMENT_CHARACTERS 1023u /* of Unicode: so schemas count, too */
#define RIO_EFFECT_COMMENT_BYTES (4 * RIO_EFFECT_COMMENT_CHARACTERS + 1) /* UTF-8, and a zero */
#define RIO_EFFECT_SCHEMA_BYTES 1024                                     /* with a zero */
#define RIO_EFFECT_IDLE_BYTES 512
#define RIO_DIRECTORY_BYTES 1024 /* of a path, with its / and a zero */

/* The files that sub-emitters name, without .json: of letters, digits, _ and -, and a zero. */
#define RIO_SUB_NAME_BYTES 64
typedef struct rio_sub_names {
    char items[RICO_MAX_SUB_EMITTERS][RIO_SUB_NAME_BYTES];
} rio_sub_names;

/* Effects of other files that are spawned together with the file's own: effect_group.h. Those files have no `with`. */
#define RIO_MOST_WITH 8u
typedef struct rio_with {
    char effect[RIO_SUB_NAME_BYTES]; /* as in rio_sub_names */
    rico_transform place;            /* in the space of the effect that has it */
} rio_with;

/* Where in a file something is: from 1; columns are bytes, a byte order mark is none. */
typedef struct rio_effect_place {
    uint32_t line, column;
} rio_effect_place;

/* Owner: whoever had it made; rio_effect_free. */
typedef struct rio_effect {
    rico_recipe recipe; /* its mesh's arrays are the two below; sub-emitters have no recipe yet:
                           effect_links.h */
    rio_sub_names subs;
    rio_effect_place sub_places[RICO_MAX_SUB_EMITTERS]; /* of these names */
    rio_with with[RIO_MOST_WITH];
    uint32_t with_count;
    rio_effect_place with_places[RIO_MOST_WITH];        /* of their names */
    char name[1024];                                    /* of the file, as errors have it */
    /* That the file was loaded from, with its / , where rio_effect_link looks for those that it names;
     * "" = the process's working directory. */
    char directory[RIO_DIRECTORY_BYTES];
    char comment[RIO_EFFECT_COMMENT_BYTES]; /* what the file says of itself */
    char schema
        [RIO_EFFECT_SCHEMA_BYTES]; /* its "$schema", for editors; "" = none, or a longer one */
    /* One line: of what the file says, the first field that does nothing beside what else it says, such as
     * "fire.json:7:3: wind does nothing: there is no drag (and 1 more)"; "" = there is none. No error: it may be meant for
     * later. Not all such fields are known. */
    char idle[RIO_EFFECT_IDLE_BYTES];
    float *positions;
    uint32_t *indices;
    /* Its "host": an object of yours, such as {"texture": "spark.png", "blend": "add"}, as the file has it, from
     * malloc; NULL = none. Nothing here reads it: any JSON parser tells you what is in it. */
    char *host;
} rio_effect;

/* Reads a file. Errors: RICO_NOT_FOUND, RICO_OUT_OF_MEMORY, RICO_BAD_FILE. error is then one line
 * that begins with FILE: or FILE:LINE:COLUMN: and names the field, and what was expected; *out is zeroed.
 * RICO_NOT_FOUND: also of what is no regular file, such as a directory or a pipe, and of path NULL. */
rico_result rio_effect_load(const char *path, rio_effect *out, char *error, size_t error_bytes);

/* The same for a text in memory. name: of the file, for the error. The effect has no directory: before
 * rio_effect_link, set effect.directory, or the files that it names are looked for in the process's working
 * directory. */
rico_result rio_effect_parse(const char *name, const char *text, size_t bytes, rio_effect *out,
                             char *error, size_t error_bytes);

/* Releases arrays and host, and zeroes the struct. NULL is ignored. */
void rio_effect_free(rio_effect *effect);

/* The recipe as the text of a file, from malloc; what is as in rico_recipe_default() is left out.
 * comment may be NULL. Loading it gives the same recipe, bit for bit, in all that is in use. What is not is lost: of
 * bursts of count 0 and forces of kind none all but their place, of sub-emitters that are off that, too, so that those
 * behind them move up; slopes of curves that are not cubic, keys and planes beyond their count, and the mesh where
 * shape is another. NULL, and a line in the log (NULL = standard error) that names the field: it does not pass rico_recipe_check, its mesh has
 * no area, or the comment has more than RIO_EFFECT_COMMENT_CHARACTERS or is not UTF-8; or there is no memory, without
 * one. */
char *rio_effect_text(const rico_recipe *recipe, const char *comment, const rico_log *log);
/* The same of one with sub-emitters, by these names; NULL without them, and when one is not as rio_sub_names
 * says. */
char *rio_effect_text_with(const rico_recipe *recipe, const rio_sub_names *subs,
                           const char *comment, const rico_log *log);

/* The same of one that was loaded, and perhaps changed since, with all that it has. NULL also when its host is no
 * JSON object, and when one of `with` has no such name or place. */
char *rio_effect_text_of(const rio_effect *effect, const rico_log *log);

/* Writes that text to a file: all of it or nothing. An effect file that is there keeps its "host", its "with", and its "$schema", which else
 * is "effect.schema.json". Links are followed, a file that is there keeps its mode, and a new one is next to it for a
 * moment, PATH.*.tmp; any number of threads may save. Errors: RICO_BAD_FILE (no text, as above), RICO_NOT_WRITTEN (also
 * of path NULL, and of what is there and no regular file, or a link to what is not there, which stay as they are);
 * error holds one line. */
rico_result rio_effect_save(const char *path, const rico_recipe *recipe, const char *comment,
                            char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
