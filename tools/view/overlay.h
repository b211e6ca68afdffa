/* overlay.h - text and the graph of frames over the picture. */
#ifndef RICOCHET_OVERLAY_H
#define RICOCHET_OVERLAY_H

#include <ricochet/world.h>

#define OVERLAY_HISTORY 240u

/* Times of the last frames, in a ring. */
typedef struct frame_history {
    float stage_ms[OVERLAY_HISTORY][RICO_STAGE_COUNT];
    float draw_ms[OVERLAY_HISTORY]; /* without the step */
    uint32_t frames;                /* so far */
} frame_history;

void frame_history_add(frame_history *h, const rico_world_stats *stats, float draw_ms);

/* Between these calls, places are pixels from the top left, and earlier drawing stays visible
 * below. */
void overlay_begin(int width, int height);
void overlay_end(void);

/* Draws one line, or several when it would go beyond `right` and `right` is not 0. Returns the y
 * of the next line. rgba: r lowest. */
int overlay_text(int x, int y, int right, const char *text, uint32_t rgba);
int overlay_width(int letters); /* pixels */

/* Draws the stages of the last frames, stacked, and a line at the time of a frame of 1/60 s. Its
 * lower right corner is at x, y. Draws nothing where there is too little room. */
void overlay_graph(const frame_history *h, int x, int y);

#endif
