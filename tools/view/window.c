#define SDL_MAIN_HANDLED
#include "window.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_PIXEL 0.003f
#define RADIANS_PER_SECOND 1.8f /* turning speed of the arrow keys */

static const struct {
    SDL_Keycode key;
    window_action action;
    const char *help;
} keys[] = {
    {SDLK_SPACE, ACTION_PAUSE, "SPACE: PAUSE"},
    {SDLK_n, ACTION_STEP, "N: SINGLE STEP"},
    {SDLK_LEFTBRACKET, ACTION_SLOWER, "[ OR F7: HALF SPEED"},
    {SDLK_RIGHTBRACKET, ACTION_FASTER, "] OR F8: DOUBLE SPEED"},
    {SDLK_r, ACTION_RESTART, "R: RESTART"},
    {SDLK_PAGEDOWN, ACTION_NEXT, "PAGE DOWN: NEXT EFFECT"},
    {SDLK_PAGEUP, ACTION_PREVIOUS, "PAGE UP: PREVIOUS EFFECT"},
    {SDLK_HOME, ACTION_FIRST, "HOME: BACK TO THE FIRST EFFECT"},
    {SDLK_MINUS, ACTION_FEWER_WORKERS, "-: ONE WORKER LESS (RESTARTS)"},
    {SDLK_EQUALS, ACTION_MORE_WORKERS, "=: ONE WORKER MORE (RESTARTS)"},
    {SDLK_1, ACTION_GRID, "1: GRID"},
    {SDLK_2, ACTION_OCCUPANCY, "2: OCCUPIED CELLS"},
    {SDLK_3, ACTION_LEAVES, "3: LEAVES"},
    {SDLK_4, ACTION_COLLIDERS, "4: COLLIDERS"},
    {SDLK_5, ACTION_PLANES, "5: PLANES IN THE CACHE"},
    {SDLK_6, ACTION_RAY, "6: RAY FROM THE CAMERA"},
    {SDLK_7, ACTION_SLEEPERS, "7: SLEEPING PARTICLES"},
    {SDLK_8, ACTION_QUERIES, "8: QUERIES OF THE LAST SECOND"},
    {SDLK_g, ACTION_GRAPH, "G: GRAPH OF FRAME TIMES"},
    {SDLK_h, ACTION_HELP, "H: KEYS"},
    {SDLK_ESCAPE, ACTION_QUIT, "ESCAPE: QUIT"},
    {SDLK_PLUS, ACTION_MORE_WORKERS, NULL}, /* its place differs by keyboard layout */
    {SDLK_KP_PLUS, ACTION_MORE_WORKERS, NULL},
    {SDLK_KP_MINUS, ACTION_FEWER_WORKERS, NULL},
    {SDLK_F7, ACTION_SLOWER, NULL}, /* many keyboards have no key of their own for a bracket */
    {SDLK_F8, ACTION_FASTER, NULL},
};

#define KEY_COUNT (sizeof keys / sizeof *keys)

const char *window_help(uint32_t line)
{
    static const char *const by_hand[] = {"W A S D Q E: FLY; SHIFT: FASTER; WHEEL: SPEED",
                                          "ARROWS, OR MOUSE WITH A BUTTON HELD: LOOK"};
    if (line < 2)
        return by_hand[line];
    return line - 2u < KEY_COUNT ? keys[line - 2u].help : NULL;
}

static bool fail(char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "view: cannot open a window with OpenGL: %s", SDL_GetError());
    error[strcspn(error, "\n")] = '\0';
    return false;
}

/* Whether one of SDL's drivers without display is in use although the user asked for none. */
static bool is_unseen(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    return getenv("SDL_VIDEODRIVER") == NULL && driver != NULL &&
           (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0);
}

bool window_open(uint32_t width, uint32_t height, bool unattended, window *out, char *error,
                 size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    SDL_SetMainReady();
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return fail(error, error_bytes);
    if (!unattended && is_unseen()) {
        SDL_SetError("there is no display; with --frames N, view runs without one");
        return fail(error, error_bytes);
    }
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 2);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 1);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    uint32_t flags = SDL_WINDOW_OPENGL | (unattended ? 0u : (uint32_t)SDL_WINDOW_RESIZABLE);
    out->sdl = SDL_CreateWindow("ricochet", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                (int)width, (int)height, flags);
    if (out->sdl == NULL)
        return fail(error, error_bytes);
    out->context = SDL_GL_CreateContext(out->sdl);
    if (out->context == NULL)
        return fail(error, error_bytes);
    SDL_GL_SetSwapInterval(unattended ? 0 : 1);
    SDL_GL_GetDrawableSize(out->sdl, &out->width, &out->height);
    return true;
}

void window_close(window *w)
{
    if (w->context != NULL)
        SDL_GL_DeleteContext(w->context);
    if (w->sdl != NULL)
        SDL_DestroyWindow(w->sdl);
    SDL_Quit();
    memset(w, 0, sizeof *w);
}

/* --- Keys and mouse ----------------------------------------------------------------------- */

/* A key that is held repeats single steps, and nothing else. */
static void press(window_input *out, const SDL_KeyboardEvent *event)
{
    for (size_t i = 0; i < KEY_COUNT; ++i)
        if (keys[i].key == event->keysym.sym &&
            (event->repeat == 0 || keys[i].action == ACTION_STEP))
            ++out->times[keys[i].action];
}

static void take(window_input *out, const SDL_Event *event)
{
    if (event->type == SDL_QUIT)
        ++out->times[ACTION_QUIT];
    if (event->type == SDL_KEYDOWN)
        press(out, &event->key);
    if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP)
        SDL_SetRelativeMouseMode(SDL_GetMouseState(NULL, NULL) != 0 ? SDL_TRUE : SDL_FALSE);
    if (event->type == SDL_MOUSEWHEEL && event->wheel.y != 0) /* 0: sideways */
        out->speed *= event->wheel.y > 0 ? 1.25f : 0.8f;
    if (event->type == SDL_MOUSEMOTION && event->motion.state != 0) {
        out->fly.turn += RADIANS_PER_PIXEL * (float)event->motion.xrel;
        out->fly.tilt -= RADIANS_PER_PIXEL * (float)event->motion.yrel;
    }
}

/* Uses places on the keyboard, not letters: WASD lie elsewhere on other layouts. */
static float axis(const Uint8 *down, SDL_Scancode plus, SDL_Scancode minus)
{
    return (float)down[plus] - (float)down[minus];
}

void window_poll(window *w, float seconds, window_input *out)
{
    SDL_Event event;
    memset(out, 0, sizeof *out);
    out->speed = 1.0f;
    while (SDL_PollEvent(&event) != 0)
        take(out, &event);
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    float fast = down[SDL_SCANCODE_LSHIFT] || down[SDL_SCANCODE_RSHIFT] ? 4.0f : 1.0f;
    out->fly.ahead = fast * axis(down, SDL_SCANCODE_W, SDL_SCANCODE_S);
    out->fly.aside = fast * axis(down, SDL_SCANCODE_D, SDL_SCANCODE_A);
    out->fly.upwards = fast * axis(down, SDL_SCANCODE_E, SDL_SCANCODE_Q);
    const float turn = RADIANS_PER_SECOND * seconds;
    out->fly.turn += turn * axis(down, SDL_SCANCODE_RIGHT, SDL_SCANCODE_LEFT);
    out->fly.tilt += turn * axis(down, SDL_SCANCODE_UP, SDL_SCANCODE_DOWN);
    SDL_GL_GetDrawableSize(w->sdl, &w->width, &w->height);
}

void window_show(window *w, const char *title)
{
    SDL_SetWindowTitle(w->sdl, title);
    SDL_GL_SwapWindow(w->sdl);
}
