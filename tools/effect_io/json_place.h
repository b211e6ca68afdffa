/* json_place.h - finds the place of a value in a JSON text, for messages. Parsers do not keep
 * places. */
#ifndef RIO_JSON_PLACE_H
#define RIO_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* A step from the outermost value towards an inner one: into an object or into an array. */
typedef struct rio_json_step {
    const char *key; /* NULL = by index */
    size_t index;
} rio_json_step;

typedef struct rio_json_place {
    size_t line, column; /* from 1; columns are bytes */
} rio_json_place;

/* The place of the value at the end of the way, or of the last value on the way that exists.
 * at_key: the place of the value's key, where it is a member of an object. The text must be JSON
 * that a parser has accepted. For other texts the place means nothing, but nothing is read
 * beyond `bytes`. */
rio_json_place rio_json_find(const char *text, size_t bytes, const rio_json_step *way,
                             size_t steps, bool at_key);

/* The text of that value, *length bytes long. */
const char *rio_json_text(const char *text, size_t bytes, const rio_json_step *way,
                          size_t steps, size_t *length);

#endif
