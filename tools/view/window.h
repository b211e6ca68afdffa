/* window.h - a window for OpenGL 2.1, and the actions of keys and mouse. */
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
    int width, height; /* pixels of the drawing area */
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

/* Input since the last poll. */
typedef struct window_input {
    uint32_t times[ACTION_COUNT]; /* keys pressed */
    fly_input fly;
    float speed; /* factor on the camera's speed */
} window_input;

/* unattended: the window has a fixed size, and frames are as fast as possible; otherwise there
 * must be a display. On false, error is one line; call window_close either way. */
bool window_open(uint32_t width, uint32_t height, bool unattended, window *out, char *error,
                 size_t error_bytes);
void window_close(window *w);

/* seconds: time since the last poll, for the camera's turns while a key is held. */
void window_poll(window *w, float seconds, window_input *out);
void window_show(window *w, const char *title); /* shows what was drawn */

/* "SPACE  pause", ...: a line per action; NULL after the last. */
const char *window_help(uint32_t line);

#endif
