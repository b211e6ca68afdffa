/* json_mistake.h - what somebody whose text is no JSON most often did. */
#ifndef RIO_JSON_MISTAKE_H
#define RIO_JSON_MISTAKE_H

#include <stddef.h>

/* What to add to "expected JSON" where jansson stopped: at the last byte of what it did not expect, line and column
 * from 1. Such as " without the comma before this"; "" = none of those that are known. said: by jansson, such as
 * "'}' expected near". */
const char *rio_json_mistake(const char *text, size_t bytes, size_t line, size_t column,
                             const char *said);

#endif
