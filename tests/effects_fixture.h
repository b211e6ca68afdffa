/* effects_fixture.h - effect files for tests: all examples, and comparing recipes. */
#ifndef RICO_EFFECTS_FIXTURE_H
#define RICO_EFFECTS_FIXTURE_H

#include "testing.h"

#include "effect_fields.h"
#include <ricochet/effects/effect_file.h>
#include <ricochet/effects/effect_group.h>
#include <ricochet/effects/effect_source.h>
#include <ricochet/ricochet.h>

#define FORMAT_LINE "{\"format\": \"ricochet effect 1\""

/* The names of all examples, without .json; NULL ends them. */
extern const char *const example_names[];
const char *example_path(const char *name, char *path, size_t bytes);

/* The whole file, with a zero behind it; the caller frees it. */
char *read_text(const char *path);

/* Ends the test when the text is refused. */
rio_effect load_text(const char *text);

/* Ends the test when the text is accepted, or the error does not begin with `error`. */
void check_refused(const char *text, const char *error);
/* The error is that, and no more. */
void check_refused_as(const char *text, const char *error);

/* Field by field and bit by bit, as far as a field is in use. NULL = the same; else its name. */
const char *first_difference(const rico_recipe *a, const rico_recipe *b);

#endif
