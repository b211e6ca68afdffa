/* scene_lines.h - the output of rico_scene_draw as lines for a picture. */
#ifndef RICOCHET_SCENE_LINES_H
#define RICOCHET_SCENE_LINES_H

#include "camera.h"
#include "painter.h"
#include "query_trail.h"
#include <ricochet/scene_draw.h>
#include <ricochet/world_cache.h>

/* The views asked for on the command line. */
typedef struct scene_view {
    uint32_t what; /* bits of rico_draw_what; 0 = nothing */
    rico_ray ray;  /* for RICO_DRAW_RAY */
    bool planes;   /* the surfaces in the particles' cache */
    bool queries;  /* the scene's queries of the last second */
} scene_view;

/* Adds "grid", "occupancy", "leaves", "colliders", "planes", "queries" or "ray=X,Y,Z,DX,DY,DZ"
 * to the view. On false, error says what was expected. */
bool scene_view_parse(scene_view *view, const char *text, char *error, size_t error_bytes);

/* Whether no view was asked for. */
bool scene_view_is_empty(const scene_view *view);

typedef struct scene_lines {
    rio_line *lines;
    uint32_t count, capacity;
    bool failed; /* out of memory */
    bool cut;    /* there are more lines than fit into a picture */
} scene_lines;

/* Collects boxes around what the camera looks at. They reach a third of the camera's distance to
 * each side, so that they can be told apart. Colliders, rays and queries are collected
 * everywhere. */
void scene_lines_collect(rico_world *world, const scene_view *view, const query_trail *trail,
                         const rio_camera *camera, scene_lines *out);
void scene_lines_free(scene_lines *lines);

#endif
