/* effects_fixture.h - effect files for tests: all examples, and a comparison of recipes. */
#ifndef RICO_EFFECTS_FIXTURE_H
#define RICO_EFFECTS_FIXTURE_H

#include "testing.h"

#include "effect_fields.h"
#include <ricochet/effects/effect_file.h>
#include <ricochet/effects/effect_group.h>
#include <ricochet/effects/effect_source.h>
#include <ricochet/ricochet.h>

#if defined(_WIN32)
#include <direct.h>
#include <fcntl.h>
#include <io.h>
/* Directories have no mode. What is read from a pipe has line ends as on other systems. */
#define mkdir(path, mode) _mkdir(path)
#define pipe(ends) _pipe(ends, 4096, _O_TEXT)
#endif

#define FORMAT_LINE "{\"format\": \"ricochet effect 1\""

/* The names of all examples, without .json; NULL ends them. */
extern const char *const example_names[];
const char *example_path(const char *name, char *path, size_t bytes);

/* Returns the whole file with a zero byte after it; the caller frees it. */
char *read_text(const char *path);

/* Sets when the file was written last: a number of seconds. */
void set_time_of(const char *path, long seconds);

/* Loads the text. Ends the test when it is refused. */
rio_effect load_text(const char *text);

/* Ends the test when the text is accepted, or the error does not begin with `error`. */
void check_refused(const char *text, const char *error);
/* The error must be exactly that text. */
void check_refused_as(const char *text, const char *error);

/* Compares the fields in use, bit by bit. Returns NULL when they are equal, else the name of the
 * first different field. */
const char *first_difference(const rico_recipe *a, const rico_recipe *b);

#endif
