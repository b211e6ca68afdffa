/* recipe_emitter.h - where, when and at what events particles are born.
 *
 * These are the parts of a recipe (recipe.h) that concern births: the emitter's shape, bursts,
 * and sub-emitters, which give birth to particles of another recipe at events. All types are
 * plain data.
 */
#ifndef RICOCHET_RECIPE_EMITTER_H
#define RICOCHET_RECIPE_EMITTER_H

#include <stdbool.h>
#include <stdint.h>

/* --- Shapes ------------------------------------------------------------------------------- */

/* Where particles are born, and in which direction they leave.
 *
 * Shapes lie in the effect's local space, around its origin. Places are uniform over the volume
 * of the shape, or over its surface where recipe.surface is true. Points, lines and meshes have
 * only one of the two. Directions lie in a cone around +z with the half angle recipe.spread,
 * uniform over its solid angle, unless the shape says otherwise. */
typedef enum rico_emitter_shape {
    RICO_EMIT_POINT, /* the origin */

    /* A ball of radius size.x. Surface: the sphere. Directions point away from the centre. */
    RICO_EMIT_SPHERE,

    /* A box with the half extents `size`. Surface: its six sides. */
    RICO_EMIT_BOX,

    /* A disc of radius size.x. Surface: its rim. Directions lean outwards, by up to spread at
     * the rim. With size.z > 0 it is a truncated cone instead, which begins at the disc: what
     * these directions fill along size.z metres of the z axis. Surface: the mantle of that
     * cone. Its spread is at most pi / 2 - 0.01. */
    RICO_EMIT_CONE,

    /* A disc of radius size.x in the xy plane. Surface: its rim. */
    RICO_EMIT_DISC,

    /* The line from -size.x to size.x along the x axis. */
    RICO_EMIT_LINE,

    /* A tube of radius size.y around the circle of radius size.x in the xy plane. Surface: the
     * surface of the tube. size.y <= size.x. */
    RICO_EMIT_RING,

    /* The triangles of recipe.mesh, each chosen in proportion to its area. Directions are
     * around the triangle's normal instead of +z. */
    RICO_EMIT_MESH,

    RICO_EMITTER_SHAPE_COUNT
} rico_emitter_shape;

/* Triangles that particles are born on. Triangles are counter-clockwise seen from the front. */
typedef struct rico_emitter_mesh {
    const float *positions; /* 3 floats per vertex; metres, within +-1e6 */
    uint32_t vertex_count;
    const uint32_t *indices; /* 3 per triangle; each below vertex_count */
    uint32_t triangle_count; /* 1..2^22 */
} rico_emitter_mesh;

/* --- Bursts ------------------------------------------------------------------------------- */

/* Most bursts of a recipe, beside its burst_count. */
#define RICO_MAX_BURSTS 4u

/* Length of the steps by which recipe.prewarm runs an effect, in seconds. */
#define RICO_PREWARM_STEP (1.0f / 60.0f)

/* Births at once, one time or repeatedly.
 *
 * A burst first fires `time` seconds after the emission, or its next loop, has begun, and then
 * once per interval. The end of the duration is not part of it: a duration of 2 s has bursts at
 * 0, 0.5, 1 and 1.5 s, and none at 2 s.
 *
 * How often a burst fires depends on these numbers alone, not on the length of steps. They are
 * taken as the decimal numbers that they stand for: a time within one part in two million of
 * the duration's end counts as its end.
 *
 * One step of an effect keeps at most six groups of births apart. Groups beyond the sixth are
 * born with the sixth. Each firing of a burst whose probability is below 1 is a group. All
 * firings of any other burst in one loop are one group together, and keep their own times.
 * Births by rico_effect_emit are a group, too. */
typedef struct rico_burst {
    float time;     /* seconds, 0..1e6 */
    uint32_t count; /* births, 0..1e6; 0 = no burst */

    /* How often it fires in each loop, as far as the duration has room; 1 = once, 0 = for as
     * long as the effect emits. */
    uint32_t cycles;

    float interval;    /* seconds between firings, 0.001..1e6; with cycles 1: 0..1e6 */
    float probability; /* that it fires, drawn anew each time, 0..1 */
} rico_burst;

/* --- Births at events --------------------------------------------------------------------- */

/* Kinds of events (rico_event in world_events.h), as bits that can be combined with |. */
#define RICO_EVENT_BIT_COLLISION 1u
#define RICO_EVENT_BIT_DEATH 2u
#define RICO_EVENT_BIT_BIRTH 4u

/* Names a recipe in a world. Ids are values, and zero is the null id.
 *
 * The id of a recipe that is gone is stale, and functions detect that. Ids of another world are
 * not detected: they name whatever has the same slot and generation in this world. A host with
 * several worlds has to keep their ids apart itself. */
typedef struct rico_recipe_id {
    uint32_t index1;     /* the slot, counted from 1, as in log messages */
    uint32_t generation; /* counts how often the slot was used */
} rico_recipe_id;

/* How births at an event are turned: where their local +z points, which spread is around, and
 * how their shape lies. */
typedef enum rico_orientation {
    RICO_ORIENT_UP, /* +z is the surface's normal at collisions, the world's +z at other events */

    /* +z is the direction of the particle's velocity (rico_event.velocity). If that is zero: as
     * RICO_ORIENT_UP. */
    RICO_ORIENT_VELOCITY,

    /* As the effect of the particle: with the rotation and scale of the transform that it has
     * at the end of the step of the event. If the particle was itself born at an event, its
     * effect is the sub-effect (rico_world_sub_effect), which only the host turns. */
    RICO_ORIENT_EFFECT,

    RICO_ORIENTATION_COUNT
} rico_orientation;

/* Most sub-emitters of a recipe. */
#define RICO_MAX_SUB_EMITTERS 4u

/* Longest chain of sub-emitters: particles that are born at an event may have sub-emitters of
 * their own, to this depth. A chain must not lead back to its own recipe. Errors:
 * RICO_OUT_OF_RANGE from rico_world_add_recipe and rico_world_change_recipe. */
#define RICO_MAX_SUB_DEPTH 4u

/* Gives birth to particles of another recipe (the children) at events of this recipe's
 * particles (the parents).
 *
 * When: the births are planned after the step of the event, and happen in the next step.
 * Children are then as old, and as far along their path, as if they had been born at the event.
 * For a death that is the end of the step in which it happened.
 *
 * Where they belong: all births that sub-emitters cause for one recipe are particles of one
 * effect, the sub-effect (rico_world_sub_effect), whichever effects the events come from, in
 * the order of the events. Children therefore live on when the effect of their parents is gone,
 * and recipe.max_particles limits all of them together. Births that do not fit, or that are due
 * while the sub-effect is paused, do not happen and are counted in
 * rico_world_stats.births_starved. Events beyond 2 * max_events are counted in events_dropped.
 *
 * What they are: the children's recipe determines shape, speed, lifetime, looks and collision,
 * but not when they are born. Its factors over the duration count only if they have a single
 * key. The shape is turned by `orientation` and has scale 1, except with RICO_ORIENT_EFFECT.
 *
 * inherit_size and inherit_color: what the children's recipe says of size, or of colour and
 * alpha, is multiplied for a child's whole life by what its parent was drawn with at the event.
 * - What the parent was drawn with is a product: its curves at its age then, what it drew at
 *   its own birth, what it inherited itself, and the tint of its effect. At a birth the curves
 *   are at their beginning, at a death by age at their end. With lifetime_loss the lifetime
 *   after the contact counts.
 * - A size is a plain factor, 1e6 at most. The children's particle_size is then not in metres,
 *   but a share of the parent's size: 0.5 is half as large.
 * - Colours are multiplied channel by channel, as bytes.
 * - A parent that has shrunk to 0 or faded out when it dies has invisible children.
 * - Later changes to the parent or its effect have no influence.
 * - The tint of the children's own effect is applied in addition.
 * - The scale and the space of effects play no part, as for all particle sizes.
 * - Particles of the same recipe that come from elsewhere (effects, rico_world_emit,
 *   sub-emitters without these flags) look as the recipe says.
 *
 * Prewarm: children of an effect that is prewarmed exist when it is spawned, beside the
 * children of other effects, which stand still meanwhile.
 *
 * rico_effect_seek: the same, if no other source feeds the sub-effect; the sub-effect then
 * starts anew with the effect. If others feed it, too, it is unknown which children belong to
 * the effect. The sub-effect then stays as it is, and seeking adds no children.
 *
 * While the sub-effect is paused, neither prewarm nor rico_effect_seek adds children.
 *
 * Cost: inheritance takes 4 bytes per particle of the children's recipe for the size and 4 for
 * the colour, where start_size or start_color do not take them already, and as much time per
 * step as those. It also takes 130 instructions per event. A recipe whose particles inherit
 * nothing has none of these costs. */
typedef struct rico_sub_emitter {
    uint32_t on; /* the event, one RICO_EVENT_BIT_...; 0 = no sub-emitter */

    /* The children's recipe. It must have been added to the same world before.
     * rico_recipe_check, which knows no world, does not check it; rico_world_add_recipe does,
     * after all else. */
    rico_recipe_id recipe;

    uint32_t count;    /* births at each event, 1..1000 */
    float probability; /* that an event has births, 0..1 */

    /* A collision whose rico_event.impact_speed is below this has no births; m/s; 0..1000 [0].
     *
     * With 0 every contact has births. A particle that slides or rolls has a contact in each
     * step; world_events.h says at which speed. With a few times that, only impacts have births.
     * For events other than collisions it must be 0. */
    float min_impact_speed;

    /* Share of the particle's velocity (rico_event.velocity) that is added to the children's,
     * -10..10. */
    float inherit_velocity;

    rico_orientation orientation; /* 0 = up */

    /* Multiply the children's size, or their colour and alpha, by the parent's at the event
     * (see above). The recipe with this sub-emitter is refused with RICO_IN_USE while particles
     * of the children's recipe are alive that have no memory for it
     * (rico_world_change_recipe). */
    bool inherit_size, inherit_color;
} rico_sub_emitter;

#endif
