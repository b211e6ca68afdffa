/* options.h - command line options from one table, so that parsing and --help cannot disagree. */
#ifndef RICOCHET_OPTIONS_H
#define RICOCHET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one message. */
#define OPTIONS_ERROR_BYTES 512

/* Stores an option's value (NULL for a flag) in the command's settings. On false, error says
 * what was given and what was expected; the option's name is put before it. */
typedef bool option_handler(void *settings, const char *value, char *error, size_t error_bytes);

typedef struct option_spec {
    const char *name;     /* without the dashes */
    const char *argument; /* its name in --help; NULL = a flag */
    const char *help;     /* one line, or several with \n between; defaults in brackets */
    option_handler *handler;
} option_spec;

#define OPTIONS_MAX 64u

/* Parses argv[1..argc); at most OPTIONS_MAX specs. A name may be shortened to a beginning that
 * no other has. Words that are not in the table are errors.
 * Returns false with one line in error. The settings are then incomplete: do not use them. */
bool options_parse(const option_spec *specs, size_t count, int argc, char **argv,
                   void *settings, char *error, size_t error_bytes);

/* Prints the table on standard output, a line or more per option, and how names may be
 * shortened. */
void options_print(const option_spec *specs, size_t count);

/* Whether the whole text is a decimal integer in lo..hi. On false, error has the form "'abc' is
 * not an integer from 1 to 256". */
bool options_integer(const char *text, uint64_t lo, uint64_t hi, uint64_t *out, char *error,
                     size_t error_bytes);

/* The same for a finite number above `above` and up to hi. */
bool options_number(const char *text, double above, double hi, double *out, char *error,
                    size_t error_bytes);

/* Whether the whole text is `count` finite numbers separated by commas. No error is written,
 * because only the caller knows their meaning. */
bool options_floats(const char *text, float *out, size_t count);

/* Checks the name of a file to read or write: it must not be empty, and not "-", which only
 * --json takes. */
bool options_file(const char *text, char *error, size_t error_bytes);

#endif
