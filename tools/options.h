/* options.h - command line options from one table: parsing and --help cannot disagree. */
#ifndef RICOCHET_OPTIONS_H
#define RICOCHET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one message. */
#define OPTIONS_ERROR_BYTES 512

/* Takes an option's value (NULL for a flag) into the command's settings. On false, error says
 * what was given and what was expected; the option's name is put before it. */
typedef bool option_handler(void *settings, const char *value, char *error, size_t error_bytes);

typedef struct option_spec {
    const char *name;     /* without the dashes */
    const char *argument; /* what --help calls it; NULL = a flag */
    const char *help;     /* one line, or several with \n between; defaults in brackets */
    option_handler *handler;
} option_spec;

#define OPTIONS_MAX 64u

/* Parses argv[1..argc); at most OPTIONS_MAX specs. A name may be shortened where one alone begins so.
 * Anything that is not in the table is an error.
 * Returns false with one line in error; the settings are then half filled: do not use them. */
bool options_parse(const option_spec *specs, size_t count, int argc, char **argv,
                   void *settings, char *error, size_t error_bytes);

/* The table as text on standard output, a line or more per option, and how names are read. */
void options_print(const option_spec *specs, size_t count);

/* Whole text is a decimal integer in lo..hi; otherwise false and an error in the form
 * "'abc' is not an integer from 1 to 256". */
bool options_integer(const char *text, uint64_t lo, uint64_t hi, uint64_t *out, char *error,
                     size_t error_bytes);

/* The same for a finite number above `above` and up to hi. */
bool options_number(const char *text, double above, double hi, double *out, char *error,
                    size_t error_bytes);

/* Whole text is `count` finite numbers, with commas between. No error is written: the caller knows what they are. */
bool options_floats(const char *text, float *out, size_t count);

/* Names a file to read or write: not empty, and not -, which only --json takes. */
bool options_file(const char *text, char *error, size_t error_bytes);

#endif
