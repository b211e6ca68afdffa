/* recipe.h - what an effect is: emitter, forces, looks, collision.
 *
 * A recipe is given to a world, which copies it; any number of effects share it. From then on only
 * rico_world_change_recipe changes it, for all of them. Everything here is plain data: start from rico_recipe_default() and change what matters.
 * Local space: the effect's transform places it; particles leave along its +z axis. Its scale is that of the shape
 * and of where forces are and how far they reach, not of speeds, of particles' sizes and radii, nor of a force's
 * strength. Living particles are in the world's, unless recipe.space says that they go along with the effect.
 */
#ifndef RICOCHET_RECIPE_H
#define RICOCHET_RECIPE_H

#include <ricochet/export.h>
#include <ricochet/force.h>
#include <ricochet/hooks.h>
#include <ricochet/result.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Uniformly random between lo and hi; lo <= hi. */
typedef struct rico_range {
    float lo, hi;
} rico_range;

/* Where particles are born, and which way they leave. Places are uniform over the volume, or with
 * recipe.surface over what is named after the comma; points, lines and meshes have only one of the
 * two. `spread` is the half angle of the cone of directions around +z, uniform over its solid
 * angle, unless said otherwise. */
typedef enum rico_emitter_shape {
    RICO_EMIT_POINT,  /* at the origin */
    RICO_EMIT_SPHERE, /* in a ball of radius size.x, on its surface; directions point away from
                         its centre */
    RICO_EMIT_BOX,    /* in a box of half extents size, on its six sides */
    RICO_EMIT_CONE,   /* on a disc of radius size.x, on its rim; directions lean outwards, up to
                         spread. With size.z > 0: in the cone of that length which these
                         directions fill, on its mantle; spread is then pi / 2 - 0.01 at most */
    RICO_EMIT_DISC,   /* on a disc of radius size.x in the xy plane, on its rim */
    RICO_EMIT_LINE,   /* on the line from -size.x to size.x along the x axis */
    RICO_EMIT_RING,   /* in a tube of radius size.y around the circle of radius size.x in the xy
                         plane, on the tube's surface; size.y <= size.x */
    RICO_EMIT_MESH,   /* on the triangles of recipe.mesh, by their area; directions are around
                         the triangle's normal */
    RICO_EMITTER_SHAPE_COUNT
} rico_emitter_shape;

/* Triangles that particles are born on: 3 floats per vertex, 3 indices per triangle,
 * counter-clockwise from the front. */
typedef struct rico_emitter_mesh {
    const float *positions; /* metres, within +-1e6 */
    uint32_t vertex_count;
    const uint32_t *indices; /* below vertex_count */
    uint32_t triangle_count; /* 1..2^22 */
} rico_emitter_mesh;

/* How particles find the surfaces they bounce off (design and costs: runtime/README.md). Where ground bends by
 * less than 11 degrees, mode cached bounces off it within 1 cm. In mode exact a path nearly along a surface may be met a
 * step late, and then up to a radius deep, but for balls that lie, slide or roll on one slope of up to 45 degrees; those
 * that are pulled along a flat gutter sink into both its sides. Off bodies that move, and off their edges, both modes bounce
 * at the radius where a step ends in touch. */
typedef enum rico_collision_mode {
    RICO_COLLIDE_NONE,    /* never: smoke */
    RICO_COLLIDE_FIXED,   /* off the recipe's own planes */
    RICO_COLLIDE_CACHED,  /* cell records from budgeted queries, shared by all effects */
    RICO_COLLIDE_CLASSIC, /* one plane per cell and direction from budgeted velocity rays: the
                             published scheme (Frykholm 2012), kept as the baseline */
    RICO_COLLIDE_EXACT, /* a scene query for every step that comes near geometry; the first such
                           * recipe takes 4 to 21 MiB, for what is known of cells */
    RICO_COLLISION_MODE_COUNT
} rico_collision_mode;

/* What a contact does to a particle. */
typedef enum rico_on_collision {
    RICO_ON_COLLISION_BOUNCE, /* by restitution and friction */
    RICO_ON_COLLISION_STOP, /* it stays in that place until it dies: nothing wakes or moves it */
    RICO_ON_COLLISION_STICK, /* it stays on what it met, floor, wall or ceiling; goes with it where
                                 that moves (modes cached and exact), and falls when that is gone */
    RICO_ON_COLLISION_SLIDE, /* it goes on along the surface. friction is Coulomb's: each contact
                                 takes so many times the speed into the surface from the one along
                                 it, the same for any length of steps; it rests where the slope is
                                 less than that, when slow enough. restitution does not matter */
    RICO_ON_COLLISION_DIE,
    RICO_ON_COLLISION_COUNT
} rico_on_collision;

/* Whether living particles go along when the effect is moved (rico_effect_move, rico_effect_teleport).
 * Space local: at the beginning of the next step, before anything else, also of one that is paused or
 * hidden, they are carried as one rigid body with the emitter, from where it was to where it is:
 * positions, velocities and spin turn with it, and grow with its scale; their size and radius do not.
 * - Forces, wind, planes and collisions stay the world's: gravity points down, however it is turned.
 * - Nothing is asked about the way that they are carried: they may be carried through a wall, or into one,
 *   and then are there as if born there. What was known of their paths is forgotten, and sleepers wake: in
 *   mode cached each move costs a new look at each path, so that modes none, fixed and exact are for
 *   effects that move in each step. Who has stopped (RICO_ON_COLLISION_STOP) stays so, but goes along.
 * - Births are where the emitter is then, not along its way, and inherit nothing of its motion.
 * - Places are rounded to floats once per move, which leaves nothing behind but that: 10,000 moves to and
 *   fro, 100 m from the origin, put them off by less than a millimetre. */
typedef enum rico_space { RICO_SPACE_WORLD, RICO_SPACE_LOCAL, RICO_SPACE_COUNT } rico_space;

/* What an effect does while it is hidden: too far away, or by the host's word (world_detail.h). */
typedef enum rico_hidden {
    RICO_HIDDEN_RUNS,    /* the same as when it is seen */
    RICO_HIDDEN_FREEZES, /* its time stands still, as if paused; it goes on where it was */
    /* One step for hidden_steps of the world's, as long as they are together; not all of such effects in
     * the same of them. It is as old as the world says within that time. */
    RICO_HIDDEN_RUNS_SLOWLY,
    /* In each step, but it asks nothing of the scene: no queries, no rays. It bounces off what is known
     * already. Mode cached: records that are there, else the plane that it met last; mode classic: planes
     * that are there; mode exact: who comes near geometry stays there, without speed, until it is seen
     * again. Modes none and fixed ask nothing anyway. */
    RICO_HIDDEN_RUNS_BLIND,
    RICO_HIDDEN_COUNT
} rico_hidden;

#define RICO_MAX_PLANES 4u
#define RICO_MAX_KEYS 8u

/* What a curve does between two of its keys. */
typedef enum rico_interpolation {
    RICO_LINEAR, /* a straight line */
    /* A monotone cubic: no value beyond those of the two keys, no kink at a key, and flat where the curve
     * turns or begins to be held. Two keys at 0 and 1 make a straight line. Slopes are those of M. Steffen, A
     * simple method for monotonic interpolation in one dimension, Astronomy and Astrophysics 239
     * (1990), 443-450. */
    RICO_SMOOTH,
    /* Hermite's cubic with the slopes that the keys have. It may go beyond their values, but is held within
     * the field's range. */
    RICO_CUBIC,
    RICO_INTERPOLATION_COUNT
} rico_interpolation;

/* A piecewise curve over life (or what else the field says): at[i] in 0..1, rising; held before the first key
 * and after the last. Two keys at one place are a jump. 1..RICO_MAX_KEYS keys.
 * Of sizes, drag and alpha the runtime keeps tables of 128 parts of a life. A size is exact where parts
 * begin, and straight within them: off by at most 1 / 512 of the change of slope at a kink (value per life; a
 * kink at a multiple of 1 / 128 of life costs nothing), and by 1 / 131072 of the curve's second derivative
 * elsewhere. A jump takes the part that it is in, or no time at a multiple of 1 / 128. */
typedef struct rico_curve {
    uint32_t key_count;
    float at[RICO_MAX_KEYS];
    float value[RICO_MAX_KEYS];
    rico_interpolation interpolation; /* [linear] */
    /* Of RICO_CUBIC: value per whole life just before the key, and just after it, -1e6..1e6 [0]. Those of
     * other kinds are not looked at. */
    float slope_in[RICO_MAX_KEYS], slope_out[RICO_MAX_KEYS];
} rico_curve;

/* 0..1 each, straight alpha. */
typedef struct rico_color {
    float r, g, b, a;
} rico_color;

/* As curves are of values, of colours: r, g, b, a. Over life they change in 128 steps. */
typedef struct rico_gradient {
    uint32_t key_count;
    float at[RICO_MAX_KEYS];
    float rgba[RICO_MAX_KEYS][4];
    rico_interpolation interpolation; /* of each channel: linear or smooth [linear] */
} rico_gradient;

#define RICO_MAX_BURSTS 4u
#define RICO_PREWARM_STEP (1.0f / 60.0f)

/* Births at once: `time` seconds after the emission (or its next loop) has begun, and from then on each interval.
 * The end of the duration is not part of it: 2 s have bursts at 0, 0.5, 1 and 1.5 s, and none at 2 s. How many
 * fire goes by these numbers alone, taken as the decimal ones that they stand for, whatever the steps are:
 * within one part in two million of the duration's end is its end. Of more than six firings in one step of the effect,
 * the sixth and those after it are all born at the time of the sixth. */
typedef struct rico_burst {
    float time;     /* seconds, 0..1e6 */
    uint32_t count; /* births, 0..1e6; 0 = no burst */
    /* How often it fires in each loop, as far as the duration has room: 1 = once, 0 = for as long as the effect
     * emits. */
    uint32_t cycles;
    float interval;    /* seconds from one to the next, 0.001..1e6, unless it fires once */
    float probability; /* that it fires, each time anew, 0..1 */
} rico_burst;

/* Which events the host wants to hear of; ored together. */
#define RICO_EVENT_BIT_COLLISION 1u
#define RICO_EVENT_BIT_DEATH 2u
#define RICO_EVENT_BIT_BIRTH 4u

/* Ids are values; zero is null; an id whose thing is gone is stale and is detected. Those of another world are
 * not told apart: they name whatever has that slot and generation here. A host with several worlds keeps
 * them apart itself. */
typedef struct rico_recipe_id {
    uint32_t index1;     /* its slot, from 1, as in messages */
    uint32_t generation; /* counts the uses of the slot */
} rico_recipe_id;

/* How births at an event are turned: which way their +z is, about which spread is, and their shape lies. */
typedef enum rico_orientation {
    RICO_ORIENT_UP,       /* the surface's normal at collisions, else the world's +z */
    RICO_ORIENT_VELOCITY, /* along the particle's velocity (rico_event.velocity); without one, up */
    /* As its effect: by the rotation, and with the scale, of the transform that it has at the end of the event's step. Of
     * particles that are born so themselves: as rico_world_sub_effect, which nobody turns but the host. */
    RICO_ORIENT_EFFECT,
    RICO_ORIENTATION_COUNT
} rico_orientation;

/* Births of another recipe's particles at events of this one's. They are planned after the step of the
 * event and born in the next one, as old and as far on their way as if born at the event: of deaths,
 * at the end of its step. All births that sub-emitters give to a recipe are particles of one effect
 * (rico_world_sub_effect), whosever events they come from, in the order of those; so they live on when
 * their parents' effect is gone, and recipe.max_particles is for all of them. What does not fit
 * is counted (rico_world_stats.births_starved; of events beyond 2 * max_events, events_dropped).
 * Their recipe says shape, speed, life, looks, collision; not when, so that of its factors over the duration only those
 * of one key count. How they are turned is the sub-emitter's `orientation`; their shape is of size 1, but for
 * RICO_ORIENT_EFFECT.
 * With inherit_size, inherit_color: their size, their colour and alpha, as their recipe says, for all of their life times those
 * that the particle was drawn with at the time of the event: by its curves at the age that it had then (at a birth their
 * beginning, at a death of age their end; with lifetime_loss as it is after the contact), what it drew at its own birth, what it has
 * inherited itself, and its effect's tint. A size counts as a factor, 1e6 at most: particle_size of the children is then no metres,
 * but a share of their parent's, and 0.5 half as large. Colours are multiplied channel by channel, as bytes. Who has shrunk to 0
 * or faded at its death has children that nobody sees. What is done to the parent or its effect later does not matter to them;
 * tints of their own effect come on top, as ever; scale and space of effects play no part, as in other sizes. Particles of the same
 * recipe that come from elsewhere (effects, rico_world_emit, sub-emitters without these) are as large and coloured as it says.
 * It costs 4 bytes per particle of the children's recipe for the size, and 4 for the colour, where start_size, start_color do not have
 * them anyway, and what those cost a step; 130 instructions per event. Recipes that are not so fed have none of it.
 * An effect that is prewarmed has had the births that its events had: they are there beside those of others, which stand
 * still meanwhile. So has one that is sought (rico_effect_seek), if nobody else feeds the sub-effect: that
 * begins anew with it. Of what others feed, too, nothing is known to be its own: it stays as it is, and none
 * come. None come while the sub-effect is paused. */
#define RICO_MAX_SUB_EMITTERS 4u
/* Sub-emitters of sub-emitters may be so deep, and never lead back to their own recipe. */
#define RICO_MAX_SUB_DEPTH 4u
typedef struct rico_sub_emitter {
    uint32_t on; /* one RICO_EVENT_BIT_...; 0 = no sub-emitter */
    /* Of the same world, added before. It is looked for when all else is good: rico_recipe_check knows no world. */
    rico_recipe_id recipe;
    uint32_t count;    /* births at each event, 1..1000 */
    float probability; /* that an event has them, 0..1 */
    /* Share of the particle's velocity (rico_event.velocity) that is added, -10..10. */
    float inherit_velocity;
    rico_orientation orientation; /* 0 = up */
    /* Their size, their colour and alpha are multiplied by those of the particle at the event. Recipes that have living
     * particles without memory for it are not so fed: RICO_IN_USE (rico_world_change_recipe). */
    bool inherit_size, inherit_color;
} rico_sub_emitter;

typedef struct rico_recipe {
    uint32_t cookie; /* set by rico_recipe_default; do not touch */

    /* Emitter */
    rico_space space;         /* of living particles [world] */
    rico_emitter_shape shape; /* [point] */
    rico_vec3 size;           /* metres, >= 0; see the shape [0, 0, 0] */
    bool surface;             /* on the shape's surface, not in its volume [false] */
    /* Who would be born behind a surface that stands still, as seen from the effect's place (of births at events, from
     * the event's), is born in front of it, straight off it: effects may be spawned at hits, with +z off the surface. Seen is from
     * radius + 1 mm along +z, as hits may be behind their surface by rounding; where something hides that place, too, as near to it
     * as can be seen. In every mode; a contact ray for each birth near geometry, and another for who is hidden. While the effect runs blind, or where the host's caster is deferred, births near geometry are there [false] */
    bool births_in_sight;
    rico_emitter_mesh mesh;   /* of shape mesh; copied when the recipe is added [none] */
    float spread;             /* radians, 0..pi [pi / 6] */
    float rate;           /* births per second, 0..1e7 [50]; with a duration, as many as rate *
                                  duration says, by the end of each run through it */
    float rate_per_metre; /* births per metre that the emitter moves, 0..1e5 [0] */
    uint32_t burst_count; /* births at once, 0..1e6 [0] */
    /* Seconds between bursts, the first at the start of each loop, none at the duration's end (rico_burst);
     * 0 = only that one [0] */
    float burst_interval;               /* 0..1e6 */
    rico_burst bursts[RICO_MAX_BURSTS]; /* further ones [none] */
    float delay;                        /* seconds before the emission begins, 0..1e6 [0] */
    float duration; /* seconds of emission, 0..1e6, 0 = until stopped [0]; an effect with a
                                  duration is destroyed when its last particle has died. Its
                                  end has no burst any more: rico_burst */
    /* Seconds that an effect has run for when it is spawned, 0..100 [0]: as if it had been spawned
     * earlier, and the world stepped by RICO_PREWARM_STEP with all others paused, as rico_effect_seek does it. Spawning
     * takes the time of these steps. */
    float prewarm;
    uint32_t loops;   /* how often the duration is run through, 0 = until stopped [1];
                                  other than 1: duration is 0.01 or more */
    rico_range speed; /* m/s at birth, -1000..1000 [3, 5] */
    rico_range
        lifetime; /* s, 0.01..1000 [1, 2]; how exact: rico_effect_set_time_scale. Who is 1e6 m or
                                  more from the origin, along all axes together, mostly dies within .25 s */
    float inherit_velocity; /* share of the emitter's velocity that is added, -10..10 [0] */
    /* Factors over the duration, at 0..1 of it; more than one key needs a duration. Lifetimes stay
     * within 0.01..1000 s. */
    rico_curve speed_over_duration;    /* 0..100 [1] */
    rico_curve lifetime_over_duration; /* 0..100 [1] */
    rico_curve size_over_duration;     /* 0..100 [1] */
    uint32_t max_particles;            /* alive per effect, 1..2^24 [1000] */

    /* Forces. Those beside gravity and drag make a particle no faster than 1e6 m/s along each axis, and no more is
     * inherited. */
    rico_vec3 gravity; /* m/s^2, each within +-1000 [0, 0, -9.81] */
    /* 1/s, v' = -drag (v - wind), 0..100 [0]. A step of dt adds gravity, then leaves e^(-drag dt) of what differs
     * from the wind, then moves by the new speed. Drag alone so gives exact speeds, but a way that is too short by
     * about x / 2, x = drag dt: with 2/s and 10 m/s after 1 s by 3.3 % at steps of 1/30 s, 1.7 % at 1/60 s, 0.42 % at
     * 1/240 s. A fall ends at g / drag times x / (e^x - 1): too slow by about x / 2, which with 2/s is 1.7 % at
     * steps of 1/60 s and 19 % at 0.2 s. drag_quadratic and RICO_FORCE_DRAG come before gravity: there it ends too
     * fast. In steps of half the length it is half as much.
     * Uneven steps end it as steps of their mean length do, from .25/s on.
     * So where the speed of falling matters, make steps of one length (step_clock.h), or two short ones in place of
     * one. At a fixed dt a drag of ln(1 + k dt) / dt ends at g / k. */
    float drag;
    /* Factor of drag over life, 0..100 [1]. One that changes is a force as those below are: it costs the
     * same, and in mode cached a new look at a path whenever it has changed much. A constant one costs
     * nothing. Without drag it does nothing. */
    rico_curve drag_over_life;
    /* 1/m, v' = -drag_quadratic |v - wind| (v - wind), 0..100 [0]. A step takes it, exactly, before it adds
     * gravity: a fall ends too fast by about dt sqrt(g drag_quadratic) / 2, which with 0.5/m is 1.9 % at steps of
     * 1/60 s and 25 % at 0.2 s. What helps is with drag. */
    float drag_quadratic;
    rico_vec3 wind; /* of the air that drags, m/s, each within +-1000 [0, 0, 0] */
    /* m/s, 0..1e4: after all forces of a step, a faster particle is as fast as this and goes the same
     * way, but for the step that it is born in; 0 = no limit [0] */
    float limit_speed;
    /* Further ones [none]. Particles do not come to rest where forces could move them again. */
    rico_force forces[RICO_MAX_FORCES];
    /* Force fields that share a bit with this act on it, too: world_fields.h [0] */
    uint32_t field_layers;

    /* At birth, drawn for each particle; what follows is multiplied with it. */
    rico_range start_size;     /* factor, 0..1000 [1, 1] */
    rico_gradient start_color; /* any of its colours [white] */
    /* Of outputs, and of rico_particle_rotation: the angle at birth, radians, and what is added per
     * second; each -1000..1000 [0, 0]. Nothing is stored, but ids where they are drawn. */
    rico_range start_rotation, spin;

    /* Over life. A constant curve costs nothing and is not stored per particle. */
    rico_curve particle_size;   /* metres, 0..1000 [0.02] */
    rico_gradient color;        /* [white] */
    rico_curve alpha_over_life; /* color's alpha is multiplied with it, 0..1 [1] */
    /* Radians, -1000..1000 [0]: added to start_rotation and spin times age, in billboards, sprites and
     * instances (output.h). Streaks and trails point along their way, whatever it is. Of who rolls (recipe.rolls)
     * it turns the mesh about its own z axis, before all that rolling does. Nothing is stored, and steps cost
     * the same. Views: rico_particle_rotation_over_life. */
    rico_curve rotation_over_life;
    /* Of outputs of kind sprites: the picture in a sheet, 0..65535 [0]; between two of them, how far it is
     * on the way to the next. start_frame is drawn for each particle and added, 0..65535 [0, 0]. Nothing is
     * stored, but ids where they are drawn. */
    rico_curve sprite_frame;
    rico_range start_frame;

    /* Collision */
    rico_collision_mode mode; /* [cached] */
    float radius; /* metres between centre and surface at contact, 0..1 [0.01]; less than 2 mm is 2 mm. In mode
                                  cached, the first recipe of a world over 2, 5, 11, 21, 31, 51 or
                                  76 cm makes all records anew, which then hold more: add it before
                                  the cache is baked or loaded */
    /* Of the normal speed, 0..1 [0.5]. That is the speed at the time of impact, on the parabola whose chords the
     * steps are: a ball of restitution 1 comes back as high as it was, for even steps of any length, and of
     * less its hops end below rest_speed. Of the recipe's own gravity and wind: what fields add within a step is not known to
     * a contact. */
    float restitution;
    float friction;   /* of the tangential speed lost per bounce, 0..1 [0.2] */
    float rest_speed; /* m/s, 0..10: slower than this after a bounce off something that
                                  holds it up, a particle stays where it is [0.15]. That is
                                  whatever slopes up to 45 degrees; with friction over 0.7
                                  steeper slopes, too. */
    /* Beyond a plain bounce: contacts of recipes that ask for any of these are answered one by one
     * instead of in vectors (runtime/README.md has the cost). A particle that slides or rolls has a
     * contact in each step. */
    rico_on_collision on_collision; /* [bounce] */
    /* 0..1 [0]: each contact draws its own restitution, so much more or less, within 0..1. */
    float restitution_random;
    float friction_random; /* the same for friction [0] */
    /* It is a solid ball of `radius` [false]: friction is Coulomb's, turns sliding into spin, and ends
     * where it rolls. 28 bytes per particle: spin, and how it has turned the particle,
     * which instances (output.h) and views show. With on_collision bounce only. */
    bool rolls;
    /* 0..1 [0.01]: of who rolls, each contact takes so many times the speed into the surface from
     * that along it, and as much spin; it rests on slopes below that. */
    float rolling_friction;
    /* Share of what is left of its life that each contact takes, 0..1 [0]; 1 = it dies there. */
    float lifetime_loss;
    /* m/s, 0..1e5 [0]: who meets a surface at less, or at more speed dies there; above: 0 = nobody, else it
     * is more than kill_below. As what it hits sees it, where that moves. */
    float kill_below, kill_above;
    /* Restitution and friction are multiplied by those of the surface that is hit:
     * rico_world_set_surface [false]. Modes cached and exact; the planes of the others are of no
     * surface. Where a ray finds a contact (mode exact, bodies that move, crowded cells), who asks for this or hears
     * of collisions asks one more, for what the ball touches. */
    bool by_surface;
    /* Colliders that have one of these bits among their layers (rico_collider_def.layers) are not there for
     * its particles [0]: sparks fly through leaves that hail bounces off. Records hold what all recipes see, so what is
     * ignored is asked about like all else: much of it takes more queries, or a bake. A rest beside such a collider ends
     * when that is edited, and begins anew. Modes cached and exact: RICO_OUT_OF_RANGE in mode classic, whose planes
     * all recipes share, and in a world with a ray caster of the host's, in modes that use it; so are bits 0 and 31, which
     * are the world's own (world.h). */
    uint32_t ignored_layers;
    float queries_per_frame; /* query units that each effect brings, 0..1000; fractions add up
                                  [1]. In mode cached, what it does not need serves others, and
                                  who needs more has of rico_world_def.shared_queries_per_frame. */
    uint32_t kill_volumes;   /* of the world's, as bits: those that its particles die by
                                (rico_world_set_kill_volume) [all] */
    uint32_t plane_count;    /* mode fixed: 0..RICO_MAX_PLANES [0] */
    /* World space; offsets within +-1e6 m. All count: particles are kept in front of each. Of more than four contacts in a step the
     * rest is a way along the last two, as in a V, where sides throw a ball to and fro. Who is behind one,
     * as its emitter is, turns round where it is when it goes farther off. */
    rico_plane planes[RICO_MAX_PLANES];

    /* Detail: world_detail.h. A recipe takes part in it when hidden is not RICO_HIDDEN_RUNS, or one of
     * cull_distance, lod_distance and lod_below is not 0; others cost nothing. */
    rico_hidden hidden;    /* what its effects do while they are hidden [runs] */
    uint32_t hidden_steps; /* of RICO_HIDDEN_RUNS_SLOWLY, 2..16 [4] */
    /* Metres between emitter and viewer, 0..1e6. */
    float
        cull_distance; /* farther off it is hidden, until it is nearer than 0.9 of that; 0 = never [0] */
    float
        lod_distance; /* farther off its significance is lod_distance over the distance, as large as it
                            looks; 0 = it is always 1 [0] */
    /* Where its significance is below lod_below, some of its births are left out. lod_births is the share
     * that remains at 0; from there on it grows evenly to all of them at lod_below. Both 0..1 [0, 0.25]. */
    float lod_below, lod_births;

    /* Output */
    uint32_t events;   /* RICO_EVENT_BIT_... [0] */
    bool particle_ids; /* give views the particles' ids [false]; events imply it */
    /* Keep where each particle was when the last step began [false]: 12 bytes each, and births one by one
     * instead of in vectors. For hosts that draw at other times than they step: output.h,
     * rico_output_write_interpolated. */
    bool interpolate;
    rico_sub_emitter sub_emitters[RICO_MAX_SUB_EMITTERS]; /* [none] */
} rico_recipe;

/* The defaults in brackets above. */
RICO_API rico_recipe rico_recipe_default(void);

/* What rico_world_add_recipe asks of every field, without a world; but not whether its mesh has any area. Errors: RICO_UNINITIALIZED_DEF;
 * RICO_OUT_OF_RANGE or RICO_NOT_FINITE, with a message on the log (NULL = standard error) in which
 * the field is named as in C: "... recipe.bursts[1].interval is 0, expected 0.001 to 1e+06".
 * Threads: any. */
RICO_API rico_result rico_recipe_check(const rico_recipe *recipe, const rico_log *log);

/* A curve or gradient of one key. */
RICO_API rico_curve rico_curve_constant(float value);
RICO_API rico_gradient rico_gradient_constant(float r, float g, float b, float a);

#ifdef __cplusplus
}
#endif
#endif
