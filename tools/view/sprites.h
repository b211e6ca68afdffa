/* sprites.h - the particles of the stage as quads that face the eye. */
#ifndef RICOCHET_SPRITES_H
#define RICOCHET_SPRITES_H

#include "fly.h"
#include "stage.h"
#include <ricochet/output.h>

typedef struct sprite_vertex {
    float position[3];
    float uv[2]; /* of a disc that fills 0..1 */
    uint32_t rgba;
} sprite_vertex;

/* How quads are drawn, in this order. */
typedef enum sprite_layer {
    SPRITE_SOLID, /* covers, and hides what is behind */
    SPRITE_SMOKE, /* covers */
    SPRITE_LIGHT, /* adds */
    SPRITE_LAYER_COUNT
} sprite_layer;

typedef struct sprite_look {
    sprite_layer layer;
    bool stretched;
    float gain;
} sprite_look;

/* Owner: the caller; zeroed to begin with; sprites_free before its world goes. */
typedef struct sprites {
    const rico_world *world; /* that output is of */
    rico_output *output;
    rico_streak *records;
    sprite_vertex *vertices; /* four a particle, layer by layer */
    uint32_t first[SPRITE_LAYER_COUNT], count[SPRITE_LAYER_COUNT]; /* particles */
    rico_effect_id *ids;
    uint32_t *kinds, *places; /* of the effects' parts */
    sprite_look *looks;
    uint32_t capacity, max_effects;
} sprites;

/* Between steps; on the world's workers. What is at rest is marked on demand. pixel: the angle of one,
 * radians. false: no memory, and nothing to draw. */
bool sprites_build(sprites *s, const stage *from, const fly *camera, float pixel,
                   bool mark_sleepers);
void sprites_free(sprites *s);

#endif
