/* json_mistake.h - guesses the usual mistake in a text that is not valid JSON. */
#ifndef RIO_JSON_MISTAKE_H
#define RIO_JSON_MISTAKE_H

#include <stddef.h>

/* Returns the text to add after "expected JSON" where jansson stopped, for example " without the
 * comma before this"; "" when no known mistake fits. Line and column count from 1 and give the
 * last byte of what jansson did not expect. said: jansson's message, for example "'}' expected
 * near". */
const char *rio_json_mistake(const char *text, size_t bytes, size_t line, size_t column,
                             const char *said);

#endif
