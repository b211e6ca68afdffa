/* effect_reader.h - where a load is in the text, and how it reports errors (private to effect
 * files). */
#ifndef RIO_EFFECT_READER_H
#define RIO_EFFECT_READER_H

#include "effect_fields.h"
#include "effect_file.h"
#include "json_place.h"
#include "nearest_name.h"
#include <jansson.h>

#define RIO_MOST_STEPS 8u

/* The value that replaces a number of more than 64 bits: beyond a float, with few characters. */
#define RIO_BLUNTED 9e99

/* Owner: rio_effect_parse. */
typedef struct rio_reader {
    const char *name; /* the file's name */
    const char *text;
    size_t bytes;
    rio_json_step way[RIO_MOST_STEPS]; /* from the root to the value that is being read */
    size_t steps;
    rio_effect *out;
    char *error;
    size_t error_bytes;
    bool out_of_memory;
    bool blunted; /* some numbers of the text were replaced by RIO_BLUNTED */
    /* The first number beyond its C type (a count or a float), and the way to it. NULL = none. */
    const json_t *overflow;
    bool overflow_is_count;
    rio_json_step overflow_way[RIO_MOST_STEPS];
    size_t overflow_steps;
} rio_reader;

/* Steps into a member. The caller steps out again with rio_reader_leave. */
void rio_reader_enter(rio_reader *r, const char *key);
void rio_reader_enter_index(rio_reader *r, size_t index);
void rio_reader_leave(rio_reader *r);

/* Reports "FILE:LINE:COLUMN: FIELD: text" for the reader's place. Returns false. */
bool rio_reader_fail(rio_reader *r, const char *format, ...) RICO_PRINTF(2, 3);
/* The same for the name of the member that the last step entered. */
bool rio_reader_fail_key(rio_reader *r, const char *format, ...) RICO_PRINTF(2, 3);

/* Reports that the text at the reader's place is not one of the names. Lists the names and
 * suggests the nearest. */
bool rio_reader_fail_name(rio_reader *r, const char *text, const char *const *names,
                          size_t count);
/* Reports that the member entered by the last step has none of the names. */
bool rio_reader_fail_field(rio_reader *r, const char *key, const char *const *names,
                           size_t count);

/* The number of bytes of a text to print: at most `most`, and whole characters only. For "%.*s". */
int rio_shown_bytes(const char *text, size_t most);

/* Describes a value in an error as it was found: "text", "null", or a number. */
const char *rio_json_describe(const json_t *value, char *text, size_t bytes);

/* The number at the reader's place; a large one is quoted as the text has it. */
const char *rio_reader_number(const rio_reader *r, const json_t *value, char *text, size_t bytes);

/* Reads into base + field->offset. The reader is at the value. */
bool rio_read_field(rio_reader *r, const json_t *value, const rio_field *field, void *base);

/* Reads the effects that are spawned together with the file's own. The reader is at "with". */
bool rio_read_with(rio_reader *r, const json_t *value);

#endif
