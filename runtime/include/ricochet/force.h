/* force.h - forces other than gravity, of a recipe's particles (recipe.h) and of fields in the
 * world (world_fields.h).
 */
#ifndef RICOCHET_FORCE_H
#define RICOCHET_FORCE_H

#include <ricochet/export.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most forces of a recipe. */
#define RICO_MAX_FORCES 4u

/* The acceleration that a force gives to a particle at p with velocity v.
 *
 * r is the vector from `position` to p. Directions towards a position or around an axis fade to
 * nothing within 5 cm of that position or axis. Each kind uses only the members that its text
 * names, and `reach` with `position`. Members that it does not use must still be in their
 * ranges, except with RICO_FORCE_NONE. */
typedef enum rico_force_kind {
    RICO_FORCE_NONE, /* no force */

    RICO_FORCE_DIRECTION, /* `strength` along `axis` */

    /* `strength` towards `position`, the same at any distance. Negative: away from it. */
    RICO_FORCE_ATTRACTOR,

    /* `strength` around the axis through `position`, anticlockwise seen from the axis's tip.
     * Nothing holds particles at the axis: they leave in spirals. */
    RICO_FORCE_VORTEX,

    /* Leads particles onto circles around the axis through `position`, at `speed` radians per
     * second. One part of the force holds a particle at its distance. The other part is
     * `strength` times the difference between the velocity on the circle and the particle's
     * velocity perpendicular to the axis. */
    RICO_FORCE_ORBIT,

    /* strength (u - v): drag by air that moves with u, which is `speed` along `axis`; 0 = still
     * air.
     *
     * A step of dt multiplies the difference from u by 1 / (1 + strength dt), before it adds
     * gravity. (This is implicit Euler, which is stable at any strength.) A fall therefore ends
     * at g / strength + g dt, too fast by a share of strength dt. With 2/s that is 3.3 % at
     * steps of 1/60 s and 40 % at 0.2 s. The error of rico_recipe.drag is half as large; its
     * text has remedies. At a fixed dt, a strength of k / (1 - k dt) lets a fall end at
     * g / k. */
    RICO_FORCE_DRAG,

    /* Curl noise: swirls of a size of about `scale`. `strength` is the root mean square of the
     * acceleration, which is never more than 2.7 times that. The noise has no sources and
     * sinks. It stands still in the world, or moves with `scroll`. It is the same for all
     * recipes with the same numbers, except for its time: that of the effect, or in a field
     * that of the world. */
    RICO_FORCE_TURBULENCE,

    RICO_FORCE_KIND_COUNT
} rico_force_kind;

typedef struct rico_force {
    rico_force_kind kind; /* with none all else is ignored [none] */

    /* m/s^2, -1000..1000; turbulence: m/s^2, 0..1000; orbit and drag: 1/s, 0..1000 [0] */
    float strength;

    rico_vec3 position; /* metres, each within +-1e6 [0, 0, 0] */
    rico_vec3 axis;     /* of length 1 [0, 0, 1] */
    float speed;        /* orbit: rad/s; drag: m/s; -1000..1000 [0] */

    /* Distance from `position` over which the force fades linearly to nothing; metres; 0 = the
     * same everywhere; 0..1e6 [0]. Ignored in fields, which have a shape. */
    float reach;

    float scale;      /* turbulence: metres, 0.05..1e4 [1] */
    rico_vec3 scroll; /* turbulence: m/s, each within +-1000 [0, 0, 0] */

    /* `position` and `axis` are in world space instead of the effect's local space [false].
     * Ignored in fields, which have a transform. */
    bool world_space;
} rico_force;

/* Returns a force with the defaults in [ ] above. */
RICO_API rico_force rico_force_default(void);

#ifdef __cplusplus
}
#endif
#endif
