/* overlay.h - text and the graph of frames over the picture. */
#ifndef RICOCHET_OVERLAY_H
#define RICOCHET_OVERLAY_H

#include <ricochet/world.h>

#define OVERLAY_HISTORY 240u

/* Times of the last frames, in a ring. */
typedef struct frame_history {
    float stage_ms[OVERLAY_HISTORY][RICO_STAGE_COUNT];
    float draw_ms[OVERLAY_HISTORY]; /* all but the step */
    uint32_t frames;                /* so far */
} frame_history;

void frame_history_add(frame_history *h, const rico_world_stats *stats, float draw_ms);

/* Between these, places are pixels from the top left, and what was drawn before is underneath. */
void overlay_begin(int width, int height);
void overlay_end(void);

/* One line, or more of them, where it would go beyond right, and right is not 0. Returns the y of the next.
 * rgba: r lowest. */
int overlay_text(int x, int y, int right, const char *text, uint32_t rgba);
int overlay_width(int letters); /* pixels */

/* The stages of the last frames, one on the other, with what a frame of 1/60 s has as a line. Its lower
 * right corner is at x, y. Nothing where that is too little room. */
void overlay_graph(const frame_history *h, int x, int y);

#endif
