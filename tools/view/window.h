/* window.h - a window that OpenGL 2.1 draws into, and what is done with keys and mouse. */
#ifndef RICOCHET_WINDOW_H
#define RICOCHET_WINDOW_H

#include "fly.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SDL_Window SDL_Window;

/* Owner: the caller; window_close. */
typedef struct window {
    SDL_Window *sdl;
    void *context;
    int width, height; /* pixels that can be drawn */
} window;

typedef enum window_action {
    ACTION_QUIT,
    ACTION_PAUSE,
    ACTION_STEP,
    ACTION_SLOWER,
    ACTION_FASTER,
    ACTION_RESTART,
    ACTION_NEXT,
    ACTION_PREVIOUS,
    ACTION_FIRST,
    ACTION_FEWER_WORKERS,
    ACTION_MORE_WORKERS,
    ACTION_GRID,
    ACTION_OCCUPANCY,
    ACTION_LEAVES,
    ACTION_COLLIDERS,
    ACTION_PLANES,
    ACTION_RAY,
    ACTION_QUERIES,
    ACTION_SLEEPERS,
    ACTION_GRAPH,
    ACTION_HELP,
    ACTION_COUNT
} window_action;

/* Since the last poll. */
typedef struct window_input {
    uint32_t times[ACTION_COUNT]; /* keys pressed */
    fly_input fly;
    float speed; /* factor on the camera's */
} window_input;

/* unattended: of a fixed size, and as fast as it can; else there must be a display. On false, error is one line; call window_close either
 * way. */
bool window_open(uint32_t width, uint32_t height, bool unattended, window *out, char *error,
                 size_t error_bytes);
void window_close(window *w);

/* seconds: since the last one, for what turns while its key is held. */
void window_poll(window *w, float seconds, window_input *out);
void window_show(window *w, const char *title); /* what was drawn */

/* "SPACE  pause", ...: a line per action; NULL after the last. */
const char *window_help(uint32_t line);

#endif
