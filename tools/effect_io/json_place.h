/* json_place.h - where in a JSON text a value is: for messages about values, whose places a parser
 * does not keep. */
#ifndef RIO_JSON_PLACE_H
#define RIO_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* A step on the way from the outermost value to an inner one: into an object, or into an array. */
typedef struct rio_json_step {
    const char *key; /* NULL = by index */
    size_t index;
} rio_json_step;

typedef struct rio_json_place {
    size_t line, column; /* from 1; columns are bytes */
} rio_json_place;

/* Of the value at the end of the way, or of the last one on it that is there. at_key: of its key,
 * where it is a member of an object. The text must be JSON that a parser has accepted; of any other
 * the place means nothing, but nothing is read beyond `bytes`. */
rio_json_place rio_json_find(const char *text, size_t bytes, const rio_json_step *way,
                             size_t steps, bool at_key);

/* That value's own text, *length bytes of it. */
const char *rio_json_text(const char *text, size_t bytes, const rio_json_step *way,
                          size_t steps, size_t *length);

#endif
