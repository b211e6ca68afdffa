/* scenery.h - the world, its particles and lines, in OpenGL 2.1 without extensions. */
#ifndef RICOCHET_SCENERY_H
#define RICOCHET_SCENERY_H

#include "painter.h"
#include "sprites.h"

/* Owner: the caller, while the window's context is current; zeroed to begin with. */
typedef struct scenery {
    const rio_mesh *mesh; /* that list has */
    unsigned list,
        discs[2]; /* names of OpenGL's: the world's triangles; a hard disc, a soft one */
    float reach;  /* metres: how far there is something to be seen */
} scenery;

/* Makes what is drawn of that mesh, unless it is there already. */
void scenery_set(scenery *s, const rio_mesh *mesh);
/* The mesh is about to go. */
void scenery_forget(scenery *s);

/* Clears the window and draws. width, height: pixels. */
void scenery_draw(const scenery *s, const fly *camera, int width, int height,
                  const sprites *particles, const rio_line *lines, uint32_t line_count);

#endif
