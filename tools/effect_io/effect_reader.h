/* effect_reader.h - where a load is, and how it says what is wrong (private to effect files). */
#ifndef RIO_EFFECT_READER_H
#define RIO_EFFECT_READER_H

#include "effect_fields.h"
#include "effect_file.h"
#include "json_place.h"
#include "nearest_name.h"
#include <jansson.h>

#define RIO_MOST_STEPS 8u

/* What a number is read as that has more than 64 bits: one beyond a float, and of a few characters. */
#define RIO_BLUNTED 9e99

/* Owner: rio_effect_parse. */
typedef struct rio_reader {
    const char *name; /* of the file */
    const char *text;
    size_t bytes;
    rio_json_step way[RIO_MOST_STEPS]; /* to the value that is being read */
    size_t steps;
    rio_effect *out;
    char *error;
    size_t error_bytes;
    bool out_of_memory;
    bool blunted; /* some numbers are not those of the text */
    /* The first number that is beyond its C type, a count or a float, and the way to it; NULL = none. */
    const json_t *overflow;
    bool overflow_is_count;
    rio_json_step overflow_way[RIO_MOST_STEPS];
    size_t overflow_steps;
} rio_reader;

/* One step down; the caller takes it back with rio_reader_leave. */
void rio_reader_enter(rio_reader *r, const char *key);
void rio_reader_enter_index(rio_reader *r, size_t index);
void rio_reader_leave(rio_reader *r);

/* "FILE:LINE:COLUMN: FIELD: text", of where the reader is. Returns false. */
bool rio_reader_fail(rio_reader *r, const char *format, ...) RICO_PRINTF(2, 3);
/* The same, of the member's name that the last step goes by. */
bool rio_reader_fail_key(rio_reader *r, const char *format, ...) RICO_PRINTF(2, 3);

/* Of the text that the reader is at, which is none of the names: says those, and which is near. */
bool rio_reader_fail_name(rio_reader *r, const char *text, const char *const *names,
                          size_t count);
/* Of the member that the last step goes by, and which is none of the names. */
bool rio_reader_fail_field(rio_reader *r, const char *key, const char *const *names,
                           size_t count);

/* How many bytes of a text are shown: at most so many, and whole characters. For "%.*s". */
int rio_shown_bytes(const char *text, size_t most);

/* "text", "null", a number as it is: what was found instead. */
const char *rio_json_describe(const json_t *value, char *text, size_t bytes);

/* The number that the reader is at: as the text has it, if it is a large one. */
const char *rio_reader_number(const rio_reader *r, const json_t *value, char *text, size_t bytes);

/* Into base + field->offset. The reader is at the value. */
bool rio_read_field(rio_reader *r, const json_t *value, const rio_field *field, void *base);

/* The effects that are spawned together with the file's own. The reader is at "with". */
bool rio_read_with(rio_reader *r, const json_t *value);

#endif
