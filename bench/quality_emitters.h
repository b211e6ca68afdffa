/* quality_emitters.h - the effects of bench_quality: six kinds, at places in free space. */
#ifndef RICO_BENCH_QUALITY_EMITTERS_H
#define RICO_BENCH_QUALITY_EMITTERS_H

#include "quality_scenes.h"
#include <ricochet/recipe.h>

typedef enum quality_kind {
    QUALITY_FOUNTAIN, /* up, 4..6 m/s */
    QUALITY_BURST,    /* all directions at once, every second, 2..6 m/s */
    QUALITY_RAIN,     /* down, at its terminal speed; does not bounce */
    QUALITY_SHRAPNEL, /* all directions, 30 m/s */
    QUALITY_GRAVEL,   /* all directions, 0.5..2 m/s */
    QUALITY_CASINGS,  /* sideways, 2.2..3.6 m/s; little friction: they roll */
    QUALITY_KIND_COUNT
} quality_kind;

const char *quality_kind_name(quality_kind kind);

typedef struct quality_emitter {
    quality_kind kind;
    rico_transform transform;
    rico_plane floor; /* the face below it, for mode fixed */
    float room;       /* metres to the nearest surface, at most 1 */
} quality_emitter;

/* Places `count` emitters, all kinds in turn, above points spread evenly over faces that look up
 * (slopes of at most 60 degrees). They are 1.5 m up where that is free (rain: 4 m), else half
 * way to the surface above. Places are left out within 15 cm of a surface, near the border of
 * the scene, inside bodies (back faces are seen there), and where particles could fall into the
 * void. The result is the same in every run. False: there are too few places. */
bool quality_emitters_place(const quality_scene *scene, quality_emitter *emitters,
                            uint32_t count);

/* About `particles` alive after three seconds; lives of 2 to 4 s. */
rico_recipe quality_recipe(const quality_emitter *emitter, uint32_t particles,
                           rico_collision_mode mode, float budget);

#endif
