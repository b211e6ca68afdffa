/* force.h - forces beside gravity: of a recipe's particles, and of fields in the world. */
#ifndef RICOCHET_FORCE_H
#define RICOCHET_FORCE_H

#include <ricochet/export.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_MAX_FORCES 4u

/* What a particle at p with velocity v is given, per second. r: from `position` to p. Directions
 * fade to nothing within 5 cm of the place or axis that they refer to. */
typedef enum rico_force_kind {
    RICO_FORCE_NONE,
    RICO_FORCE_DIRECTION, /* strength along the axis */
    RICO_FORCE_ATTRACTOR, /* strength towards the position, at any distance; < 0 = away from it */
    RICO_FORCE_VORTEX,    /* strength around the axis, anticlockwise seen from its tip. Nothing
                             holds particles: they leave in spirals */
    RICO_FORCE_ORBIT,     /* onto circles around the axis, at `speed` radians per second: what
                             holds one at its distance, and, of what its velocity across the axis
                             differs from that of the circle, `strength` per second */
    /* strength (u - v), where u is `speed` along the axis: air that stands still, or moves. A step of dt leaves
     * 1 / (1 + strength dt) of what differs from u (implicit Euler: stable at any strength), before it adds gravity:
     * a fall ends at g / strength + g dt, too fast by strength dt. With 2/s that is 3.3 % at steps of 1/60 s and 40 % at
     * 0.2 s. rico_recipe.drag is half as far off, and has what helps; at a fixed dt a strength of
     * k / (1 - k dt) ends at g / k. */
    RICO_FORCE_DRAG,
    RICO_FORCE_TURBULENCE, /* curl noise: swirls of about `scale`, with `strength` the root mean
                              square of the acceleration; never more than 2.7 times that. It has
                              no sources and sinks, stands still in the world or moves with
                              `scroll`, and is the same for all recipes with the same numbers but
                              for the time: that of the effect, or the world's in a field */
    RICO_FORCE_KIND_COUNT
} rico_force_kind;

typedef struct rico_force {
    rico_force_kind kind; /* none: the rest does not matter [none] */
    float strength;       /* m/s^2, -1000..1000, turbulence 0..1000; orbit and drag: 1/s, 0..1000 [0] */
    rico_vec3 position;   /* metres, each within +-1e6 [0, 0, 0] */
    rico_vec3 axis;       /* of length 1 [0, 0, 1] */
    float speed;          /* orbit: rad/s; drag: m/s; -1000..1000 [0] */
    float reach;          /* metres, 0..1e6: fades evenly to nothing so far from the position;
                             0 = everywhere alike [0] */
    float scale;          /* turbulence: metres, 0.05..1e4 [1] */
    rico_vec3 scroll;     /* turbulence: m/s, each within +-1000 [0, 0, 0] */
    bool world_space; /* position and axis are the world's, not the effect's [false]. This and
                             reach are a recipe's: fields have a shape and a place */
} rico_force;

/* The defaults in brackets above. */
RICO_API rico_force rico_force_default(void);

#ifdef __cplusplus
}
#endif
#endif
