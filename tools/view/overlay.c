#include "overlay.h"

#include "font.h"
#include <SDL_opengl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#define DOT 2                          /* pixels of a letter's dot */
#define LINE (DOT * (FONT_HEIGHT + 3)) /* from one line to the next */
#define BAR 2                          /* pixels of a frame in the graph */
#define GRAPH_HEIGHT 120
#define FRAME_MS (1000.0f / 60.0f)

static const uint32_t stage_colors[RICO_STAGE_COUNT + 1] = {
    0xff50c8ffu, 0xff50e070u, 0xffff9040u, 0xffd060ffu, 0xffe0e050u, 0xff909090u};

void frame_history_add(frame_history *h, const rico_world_stats *stats, float draw_ms)
{
    uint32_t at = h->frames++ % OVERLAY_HISTORY;
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        h->stage_ms[at][s] = (float)stats->stage_ns[s] * 1.0e-6f;
    h->draw_ms[at] = draw_ms;
}

void overlay_begin(int width, int height)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0.0, width, height, 0.0, -1.0, 1.0);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBegin(GL_QUADS);
}

void overlay_end(void)
{
    glEnd();
}

static void set_color(uint32_t rgba)
{
    glColor4ub(rgba & 255u, rgba >> 8 & 255u, rgba >> 16 & 255u, (GLubyte)(rgba >> 24));
}

static void put_box(float x, float y, float width, float height)
{
    glVertex2f(x, y);
    glVertex2f(x + width, y);
    glVertex2f(x + width, y + height);
    glVertex2f(x, y + height);
}

static void put_letter(int x, int y, char c)
{
    const uint8_t *rows = font_letter(c);
    for (int row = 0; row < FONT_HEIGHT; ++row)
        for (int column = 0; column < FONT_WIDTH; ++column)
            if (rows[row] >> (FONT_WIDTH - 1 - column) & 1)
                put_box((float)(x + DOT * column), (float)(y + DOT * row), DOT, DOT);
}

int overlay_width(int letters)
{
    return letters * DOT * (FONT_WIDTH + 1);
}

/* The number of letters for a line of at most `most`: up to a space, where there is one. */
static int length_of_line(const char *text, int most)
{
    int length = 0, space = 0;
    while (text[length] != '\0' && length < most) {
        ++length;
        space = text[length] == ' ' ? length : space;
    }
    return text[length] == '\0' || space == 0 ? length : space;
}

int overlay_text(int x, int y, int right, const char *text, uint32_t rgba)
{
    int fit = (right - x) / overlay_width(1), most = fit > 8 ? fit : 8;
    do {
        int length = length_of_line(text, right > 0 ? most : INT_MAX);
        set_color(0x90000000u); /* visible on any background */
        put_box((float)(x - DOT), (float)(y - DOT), (float)(overlay_width(length) + DOT), LINE);
        set_color(rgba);
        for (int i = 0; i < length; ++i)
            put_letter(x + overlay_width(i), y, text[i]);
        text += length + (text[length] == ' ' ? 1 : 0);
        y += LINE;
    } while (text[0] != '\0');
    return y;
}

/* --- The graph ---------------------------------------------------------------------------- */

static float step_ms(const frame_history *h, uint32_t at)
{
    float sum = 0.0f;
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        sum += h->stage_ms[at][s];
    return sum;
}

/* A frame's time rounded up to the next power of two, so that the scale seldom changes. */
static float top_of(const frame_history *h, uint32_t count)
{
    float most = 0.0f, top = FRAME_MS / 8.0f;
    for (uint32_t i = 0; i < count; ++i)
        most = fmaxf(most, step_ms(h, i));
    while (top < most && top < 1.0e4f)
        top *= 2.0f;
    return top;
}

static void put_bar(const frame_history *h, uint32_t at, float x, float y, float per_ms)
{
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s) {
        float height = h->stage_ms[at][s] * per_ms;
        set_color(stage_colors[s]);
        put_box(x, y - height, BAR, height);
        y -= height;
    }
}

/* Means over all frames in the graph. */
static void put_legend(const frame_history *h, uint32_t count, int x, int y, float top)
{
    char line[64];
    for (uint32_t s = 0; s <= RICO_STAGE_COUNT; ++s) {
        float sum = 0.0f;
        for (uint32_t i = 0; i < count; ++i)
            sum += s < RICO_STAGE_COUNT ? h->stage_ms[i][s] : h->draw_ms[i];
        snprintf(line, sizeof line, "%-9s%7.2f",
                 s < RICO_STAGE_COUNT ? rico_stage_name((rico_stage)s) : "drawing",
                 (double)(sum / (float)count));
        y = overlay_text(x, y, 0, line, stage_colors[s]);
    }
    snprintf(line, sizeof line, "top %9.1f ms", (double)top);
    overlay_text(x, y, 0, line, 0xffffffffu);
}

void overlay_graph(const frame_history *h, int x, int y)
{
    uint32_t count = h->frames < OVERLAY_HISTORY ? h->frames : OVERLAY_HISTORY;
    float left = (float)x - (float)(BAR * OVERLAY_HISTORY), bottom = (float)y;
    int legend = (int)left - overlay_width(17);
    if (count == 0 || legend < 0) /* no room */
        return;
    float top = top_of(h, count), per_ms = (float)GRAPH_HEIGHT / top;
    set_color(0x90000000u);
    put_box(left, bottom - GRAPH_HEIGHT, BAR * OVERLAY_HISTORY, GRAPH_HEIGHT);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = h->frames < OVERLAY_HISTORY ? i : (h->frames + i) % OVERLAY_HISTORY;
        put_bar(h, at, left + (float)(BAR * i), bottom, per_ms);
    }
    set_color(0xc0ffffffu);
    if (top >= FRAME_MS)
        put_box(left, bottom - FRAME_MS * per_ms, BAR * OVERLAY_HISTORY, 1.0f);
    put_legend(h, count, legend, y - (int)(RICO_STAGE_COUNT + 2) * LINE, top);
}
