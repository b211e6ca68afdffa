/* view_missing.c - replaces the view when the program is built without SDL2 or OpenGL. */
#include "view.h"

#include "say.h"

#include <stdio.h>
#include <string.h>

#define WHY                                                                                    \
    "this program was built without its window: install the development packages of SDL2 and " \
    "OpenGL (Debian: libsdl2-dev libgl-dev), then build it again; ./dev view does both"

int view_main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0) {
            view_help();
            return 0;
        }
    say("ricochet: view: " WHY);
    return 2;
}

void view_help(void)
{
    puts("usage: ricochet view [options]\n\n" WHY);
}
