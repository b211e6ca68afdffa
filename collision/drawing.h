/* drawing.h - the state of a rico_scene_draw, which its two files share.
 *
 * Owner: the call, on its stack. Threads: one. Order: as rico_scene_draw says.
 */
#ifndef RICO_DRAWING_H
#define RICO_DRAWING_H

#include "scene_private.h"

#include <ricochet/scene_draw.h>

#define RICO_DRAW_BRICK_COLOR 0xff787878u
#define RICO_DRAW_EMPTY_COLOR 0xff404040u
#define RICO_DRAW_CELLS_COLOR 0xffd8c820u
#define RICO_DRAW_MERGED_COLOR 0xffffffffu
#define RICO_DRAW_RESTING_COLOR 0xff2090ffu
#define RICO_DRAW_MOVING_COLOR 0xffe040e0u
#define RICO_DRAW_TRIANGLE_COLOR 0xff30d8f0u
#define RICO_DRAW_RAY_COLOR 0xffffffffu
#define RICO_DRAW_HIT_COLOR 0xff3030ffu

typedef struct rico__drawing {
    const rico_scene *scene;
    const rico_draw_request *request;
    const rico_draw *draw;
    rico_draw_report report;

    /* What is being drawn. */
    bool path;
    uint32_t collider;                /* slot, 0 = merged */
    const rico__placement *placement; /* NULL: in the world as it is */
    rico_transform place;
    const rico__grid *grid;
} rico__drawing;

/* From now on, grids and boxes belong to the merged part, or to the collider in the slot. */
void rico__drawing_enter(rico__drawing *d, const rico__part *part, uint32_t slot);

/* Whether a box, in the space of what is being drawn, touches the box of interest. */
bool rico__drawing_shows(const rico__drawing *d, const rico_box *box);

/* Draws a box or a line if it touches the box of interest. False when there is no room for
 * it. */
bool rico__drawing_box(rico__drawing *d, rico_drawn_kind kind, uint32_t rgba, uint32_t number,
                       const rico_box *box);
bool rico__drawing_line(rico__drawing *d, rico_drawn_kind kind, uint32_t rgba, uint32_t number,
                        rico_vec3 a, rico_vec3 b);

uint32_t rico__draw_node_color(uint32_t level);
uint32_t rico__draw_leaf_color(uint32_t count);
uint32_t rico__draw_collider_color(const rico__collider *c);

/* Boxes of bricks and of children, in the space of what is being drawn. */
rico_box rico__draw_brick_box(const rico__grid *grid, uint32_t x, uint32_t y, uint32_t z);
rico_box rico__draw_child_box(const rico__node *node, uint32_t child);

static inline const rico__node *rico__draw_node(const rico__grid *grid, uint32_t unit)
{
    return (const rico__node *)(const void *)(grid->arena + (size_t)unit * RICO_ARENA_UNIT);
}

static inline const rico__bundle *rico__draw_bundle(const rico__grid *grid, uint32_t unit)
{
    return (const rico__bundle *)(const void *)(grid->arena + (size_t)unit * RICO_ARENA_UNIT);
}

/* The number of a bundle's triangles that are no holes. */
uint32_t rico__draw_count(const rico__grid *grid, const rico__bundle *bundle, uint32_t count);

/* Draws the path of the ray. False when there was no room for all of it. */
bool rico__draw_ray(rico__drawing *d);

#endif
