/* view_options.h - what `ricochet view` can be asked for. */
#ifndef RICOCHET_VIEW_OPTIONS_H
#define RICOCHET_VIEW_OPTIONS_H

#include "run_options.h"

typedef struct view_options {
    run_options run;        /* first: the options that run has, too, write into it */
    const char *screenshot; /* NULL = none */
    uint32_t width, height; /* pixels */
    uint32_t frames;        /* 0 = until the window is closed */
    bool sleepers;          /* marked */
    bool bare;              /* nothing but the world */
} view_options;

/* false: one line in error. */
bool view_options_parse(int argc, char **argv, view_options *out, char *error,
                        size_t error_bytes);
void view_options_print(void);

#endif
