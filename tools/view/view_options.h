/* view_options.h - the options of `ricochet view`. */
#ifndef RICOCHET_VIEW_OPTIONS_H
#define RICOCHET_VIEW_OPTIONS_H

#include "run_options.h"

typedef struct view_options {
    run_options run;        /* first, because options shared with run write into it */
    const char *screenshot; /* NULL = none */
    uint32_t width, height; /* pixels */
    uint32_t frames;        /* 0 = until the window is closed */
    bool sleepers;          /* particles at rest are marked */
    bool bare;              /* shows only the world */
} view_options;

/* On false, error is one line. */
bool view_options_parse(int argc, char **argv, view_options *out, char *error,
                        size_t error_bytes);
void view_options_print(void);

#endif
