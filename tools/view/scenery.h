/* scenery.h - the world, its particles and lines, in OpenGL 2.1 without extensions. */
#ifndef RICOCHET_SCENERY_H
#define RICOCHET_SCENERY_H

#include "painter.h"
#include "sprites.h"

/* Owner: the caller, while the window's context is current. Zero it at the start. */
typedef struct scenery {
    const rio_mesh *mesh; /* the mesh in the display list */
    unsigned list,
        discs[2]; /* OpenGL names: the world's triangles; a hard disc and a soft one */
    float reach;  /* metres: how far there is anything to see */
} scenery;

/* Prepares the drawing of that mesh, unless that is done already. */
void scenery_set(scenery *s, const rio_mesh *mesh);
/* Call before the mesh is freed. */
void scenery_forget(scenery *s);

/* Clears the window and draws. width, height: pixels. */
void scenery_draw(const scenery *s, const fly *camera, int width, int height,
                  const sprites *particles, const rio_line *lines, uint32_t line_count);

#endif
