/* view.h - `ricochet view`: a window on a running world. */
#ifndef RICOCHET_VIEW_H
#define RICOCHET_VIEW_H

/* argv[0] is "view". Returns the exit status: 0, or 2 with one line on standard error. A build
 * without SDL2 and OpenGL always returns 2 (view_missing.c). */
int view_main(int argc, char **argv);
void view_help(void);

#endif
