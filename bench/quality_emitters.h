/* quality_emitters.h - the effects of bench_quality: six kinds, and places in free space. */
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
    rico_plane floor; /* of the face below it, for mode fixed */
    float room;       /* metres to the nearest surface, at most 1 */
} quality_emitter;

/* `count` emitters, all kinds in turn: above points that are spread evenly over what faces up
 * (steeper than 60 degrees does not), 1.5 m up where it is free (rain: 4 m), else half way to what
 * is above. Left out are places within 15 cm of a surface, near the border of the scene, inside of
 * bodies (they see back faces) and those from which one could fall into the void. The same for every
 * run. False: there are not enough such places. */
bool quality_emitters_place(const quality_scene *scene, quality_emitter *emitters,
                            uint32_t count);

/* About `particles` alive after three seconds; lives of 2 to 4 s. */
rico_recipe quality_recipe(const quality_emitter *emitter, uint32_t particles,
                           rico_collision_mode mode, float budget);

#endif
