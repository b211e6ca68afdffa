/* recipe.h - what an effect is: emitter, forces, looks, collision.
 *
 * A recipe is given to a world once and is immutable from then on; any number of effects share
 * it. Everything here is plain data: start from rico_recipe_default() and change what matters.
 * Local space: the effect's transform places it; particles leave along its +z axis.
 */
#ifndef RICOCHET_RECIPE_H
#define RICOCHET_RECIPE_H

#include <ricochet/export.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Uniformly random between lo and hi; lo <= hi. */
typedef struct rico_range {
    float lo, hi;
} rico_range;

/* Where particles are born, and which way they leave. `spread` is the half angle of the cone of
 * directions around +z, uniform over its solid angle, unless said otherwise. */
typedef enum rico_emitter_shape {
    RICO_EMIT_POINT,  /* at the origin */
    RICO_EMIT_SPHERE, /* in a ball of radius size.x; directions point away from its centre */
    RICO_EMIT_BOX,    /* in a box of half extents size */
    RICO_EMIT_CONE,   /* on a disc of radius size.x; directions lean outwards, up to spread */
    RICO_EMIT_DISC,   /* on a disc of radius size.x in the xy plane */
    RICO_EMITTER_SHAPE_COUNT
} rico_emitter_shape;

/* How particles find the surfaces they bounce off (design and costs: runtime/README.md). */
typedef enum rico_collision_mode {
    RICO_COLLIDE_NONE,    /* never: smoke */
    RICO_COLLIDE_FIXED,   /* off the recipe's own planes */
    RICO_COLLIDE_CACHED,  /* cell records from budgeted queries, shared by all effects */
    RICO_COLLIDE_CLASSIC, /* one plane per cell and direction from budgeted velocity rays: the
                             published scheme (Frykholm 2012), kept as the baseline */
    RICO_COLLIDE_EXACT,   /* a scene query for every step that comes near geometry */
    RICO_COLLISION_MODE_COUNT
} rico_collision_mode;

#define RICO_MAX_PLANES 4u
#define RICO_MAX_KEYS 8u

/* A piecewise linear curve over life: at[i] in 0..1, rising; held before the first key and
 * after the last. 1..RICO_MAX_KEYS keys. */
typedef struct rico_curve {
    uint32_t key_count;
    float at[RICO_MAX_KEYS];
    float value[RICO_MAX_KEYS];
} rico_curve;

/* The same for colours: r, g, b, a in 0..1, straight alpha. */
typedef struct rico_gradient {
    uint32_t key_count;
    float at[RICO_MAX_KEYS];
    float rgba[RICO_MAX_KEYS][4];
} rico_gradient;

/* Which events the host wants to hear of; ored together. */
#define RICO_EVENT_BIT_COLLISION 1u
#define RICO_EVENT_BIT_DEATH 2u

typedef struct rico_recipe {
    uint32_t cookie; /* set by rico_recipe_default; do not touch */

    /* Emitter */
    rico_emitter_shape shape; /* [point] */
    rico_vec3 size;           /* metres, >= 0; see the shape [0, 0, 0] */
    float spread;             /* radians, 0..pi [pi / 6] */
    float rate;               /* births per second, 0..1e7 [50] */
    uint32_t burst_count;     /* births at once, 0..1e6 [0] */
    float burst_interval;     /* seconds between bursts, the first at the effect's start;
                                  0 = only that one [0] */
    float duration;           /* seconds of emission, 0 = until stopped [0]; an effect with a
                                  duration is destroyed when its last particle has died */
    rico_range speed;         /* m/s at birth, -1000..1000 [3, 5] */
    rico_range lifetime;      /* s, 0.01..1000 [1, 2] */
    uint32_t max_particles;   /* alive per effect, 1..2^24 [1000] */

    /* Forces */
    rico_vec3 gravity; /* m/s^2, each within +-1000 [0, 0, -9.81] */
    float drag;        /* 1/s, v' = -drag v, 0..100 [0] */

    /* Over life. A constant curve costs nothing and is not stored per particle. */
    rico_curve particle_size; /* metres, 0..1000 [0.02] */
    rico_gradient color;      /* [white] */

    /* Collision */
    rico_collision_mode mode; /* [cached] */
    float radius;             /* metres between centre and surface at contact, 0..1 [0.01] */
    float restitution;        /* of the normal speed, 0..1 [0.5] */
    float friction;           /* of the tangential speed lost per bounce, 0..1 [0.2] */
    float rest_speed;         /* m/s, 0..10: slower than this after a bounce off something that
                                  holds it up, a particle stays where it is [0.15]. That is
                                  whatever slopes up to 45 degrees; with friction over 0.7
                                  steeper slopes, too. */
    float queries_per_frame;  /* query units that each effect brings, 0..1000; fractions add up
                                  [1]. In mode cached, what it does not need serves others. */
    uint32_t plane_count;     /* mode fixed: 0..RICO_MAX_PLANES [0] */
    rico_plane planes[RICO_MAX_PLANES]; /* world space */

    /* Output */
    uint32_t events;   /* RICO_EVENT_BIT_... [0] */
    bool particle_ids; /* give views the particles' ids [false]; events imply it */
} rico_recipe;

/* The defaults in brackets above. */
RICO_API rico_recipe rico_recipe_default(void);

/* A curve or gradient of one key. */
RICO_API rico_curve rico_curve_constant(float value);
RICO_API rico_gradient rico_gradient_constant(float r, float g, float b, float a);

#ifdef __cplusplus
}
#endif
#endif
