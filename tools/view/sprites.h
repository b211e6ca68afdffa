/* sprites.h - the particles of the stage as quads that face the eye. */
#ifndef RICOCHET_SPRITES_H
#define RICOCHET_SPRITES_H

#include "fly.h"
#include "stage.h"
#include <ricochet/output.h>

typedef struct sprite_vertex {
    float position[3];
    float uv[2]; /* of a disc that fills the square 0..1 */
    uint32_t rgba;
} sprite_vertex;

/* Kinds of quads, in the order of drawing. */
typedef enum sprite_layer {
    SPRITE_SOLID, /* covers, and hides what is behind it */
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
    const rico_world *world; /* the world that output belongs to */
    rico_output *output;
    rico_streak *records;
    sprite_vertex *vertices; /* four per particle, layer by layer */
    uint32_t first[SPRITE_LAYER_COUNT], count[SPRITE_LAYER_COUNT]; /* particles */
    rico_effect_id *ids;
    uint32_t *kinds, *places; /* of the parts of the effects */
    sprite_look *looks;
    uint32_t capacity, max_effects;
} sprites;

/* Builds the quads. Call between steps; runs on the world's workers. Particles at rest are
 * marked on demand. pixel: the angle of a pixel, radians. false: no memory; nothing is drawn. */
bool sprites_build(sprites *s, const stage *from, const fly *camera, float pixel,
                   bool mark_sleepers);
void sprites_free(sprites *s);

#endif
