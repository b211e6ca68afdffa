/* recipe.h - what an effect is: its emitter, forces, looks and collision.
 *
 * A recipe is given to a world, which copies it. Any number of effects share it. From then on
 * only rico_world_change_recipe changes it, for all of these effects. A recipe is plain data:
 * start from rico_recipe_default() and change what matters. Its parts are in recipe_curve.h,
 * recipe_emitter.h and force.h.
 *
 * Local space: the effect's transform places the emitter. Particles leave along its +z axis.
 * - The scale of the transform applies to the emitter's shape, and to where forces are and how
 *   far they reach.
 * - It does not apply to speeds, to the sizes and radii of particles, or to the strength of
 *   forces.
 * - Living particles are in world space, unless recipe.space says that they go along with the
 *   effect.
 */
#ifndef RICOCHET_RECIPE_H
#define RICOCHET_RECIPE_H

#include <ricochet/export.h>
#include <ricochet/force.h>
#include <ricochet/hooks.h>
#include <ricochet/recipe_curve.h>
#include <ricochet/recipe_emitter.h>
#include <ricochet/result.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How particles find the surfaces that they bounce off. runtime/README.md has the design and
 * the costs.
 *
 * Accuracy:
 * - Mode cached: where the ground bends by less than 11 degrees, bounces are within 1 cm of it.
 *   Where a cell has too many triangles for records, as with balls that are larger than the
 *   ground's triangles, that holds on level ground; on slopes of up to 45 degrees that bend,
 *   they may be a fifth of the radius deep.
 * - Modes cached and exact: past a convex edge, as that of a table, a ball falls once its centre
 *   is beyond the edge. It may then reach into the side by up to its radius.
 * - Mode exact: a path that runs nearly along a surface may meet it one step late, and then up
 *   to a radius deep. This does not apply to balls that lie, slide or roll on a single slope of
 *   up to 45 degrees. Balls that are pulled along a flat gutter sink into both of its sides.
 * - Both of these modes: off colliders that move, and off their edges, a particle that touches
 *   at the end of a step bounces at a distance of its radius. */
typedef enum rico_collision_mode {
    RICO_COLLIDE_NONE,  /* particles do not collide, for smoke, say */
    RICO_COLLIDE_FIXED, /* with the recipe's own planes */

    /* By records of cells, which budgeted queries make and all effects share. */
    RICO_COLLIDE_CACHED,

    /* By one plane per cell and direction, found by budgeted rays along velocities. This is the
     * published scheme (Frykholm 2012), kept as the baseline. */
    RICO_COLLIDE_CLASSIC,

    /* By a scene query for each step that comes near geometry. The first recipe of this mode
     * takes 4 to 20 MiB in its world, for what is known of cells. If the scene grows later,
     * edits, bakes and calls for effects take what is lacking. A world on a host's ray caster
     * takes none. */
    RICO_COLLIDE_EXACT,

    RICO_COLLISION_MODE_COUNT
} rico_collision_mode;

/* What a contact does to a particle. */
typedef enum rico_on_collision {
    RICO_ON_COLLISION_BOUNCE, /* it bounces, by restitution and friction */
    RICO_ON_COLLISION_STOP,   /* it stays in place until it dies; nothing wakes or moves it */

    /* It stays on what it met: floor, wall or ceiling. If that moves, the particle goes with it
     * (modes cached and exact). If that is gone, the particle falls. */
    RICO_ON_COLLISION_STICK,

    /* It goes on along the surface. recipe.friction is the coefficient of Coulomb friction:
     * each contact takes friction times the speed into the surface from the speed along it, the
     * same for steps of any length. A slow enough particle rests where the slope is less than
     * the friction. restitution is ignored. */
    RICO_ON_COLLISION_SLIDE,

    RICO_ON_COLLISION_DIE, /* it dies */
    RICO_ON_COLLISION_COUNT
} rico_on_collision;

/* Whether living particles go along when the effect is moved (rico_effect_move,
 * rico_effect_teleport).
 *
 * World space: they stay where they are.
 *
 * Local space: particles are carried as one rigid body with the emitter, from where it was to
 * where it is. That happens at the beginning of the next step, before anything else, also while
 * the effect is paused or hidden. Positions, velocities and spin turn with the emitter.
 * Positions and velocities grow with its scale; the particles' size and radius do not.
 * - Forces, wind, planes and collisions stay in world space: gravity points down, however the
 *   effect is turned.
 * - Nothing is checked along the way that particles are carried. They may be carried through a
 *   wall or into one, and are then there as if born there.
 * - What was known of their paths is forgotten, and sleeping particles wake. In mode cached
 *   each move costs a new look at each path, so effects that move in each step should use the
 *   modes none, fixed or exact. Particles that have stopped (RICO_ON_COLLISION_STOP) remain
 *   stopped, but go along.
 * - Births happen where the emitter is after the move, not along its way, and inherit nothing
 *   of its motion.
 * - Positions are rounded to floats once per move, and no other error remains: 10,000 moves to
 *   and fro, 100 m from the origin, put them off by less than a millimetre. */
typedef enum rico_space { RICO_SPACE_WORLD, RICO_SPACE_LOCAL, RICO_SPACE_COUNT } rico_space;

/* What an effect does while it is hidden, because it is too far away or because the host says
 * so (world_detail.h). */
typedef enum rico_hidden {
    RICO_HIDDEN_RUNS,    /* the same as while it is seen */
    RICO_HIDDEN_FREEZES, /* its time stands still, as if paused; it later goes on where it was */

    /* It makes one step for every hidden_steps steps of the world, as long as all of them
     * together. That step is at most 0.25 s of its own time, or one step of the world if that
     * is longer. The effects take turns: they do not all make their step in the same step of
     * the world. The age of an effect lags behind by less than one of its steps. */
    RICO_HIDDEN_RUNS_SLOWLY,

    /* It makes each step, but asks nothing of the scene: no queries, no rays. It bounces off
     * what is already known:
     * - Mode cached: records that exist, along up to eight cell sizes of a step. Where there is
     *   none, and farther on, near geometry: the plane that the particle met last.
     * - Mode classic: planes that exist.
     * - Mode exact: nothing. A particle that comes near geometry stays there, without speed,
     *   until the effect is seen again.
     * - Modes none and fixed never ask anything. */
    RICO_HIDDEN_RUNS_BLIND,

    RICO_HIDDEN_COUNT
} rico_hidden;

/* Most planes of mode fixed. */
#define RICO_MAX_PLANES 4u

/* One kind of effect. Defaults are in [ ]. */
typedef struct rico_recipe {
    uint32_t cookie; /* set by rico_recipe_default; do not change */

    /* --- Emitter: where particles are born, and in which direction they leave --- */

    rico_space space;         /* whether living particles go along with the effect [world] */
    rico_emitter_shape shape; /* [point] */
    rico_vec3 size;           /* of the shape, see there; metres; 0..1e6 [0, 0, 0] */
    bool surface;             /* births on the shape's surface instead of in its volume [false] */

    /* Births behind a surface that stands still, as seen from the effect's place, happen in
     * front of that surface instead [false]. Effects can then be spawned at hits, with +z off
     * the surface. For births at events the place is that of the event. This applies in every
     * collision mode.
     * - The eye is radius + 1 mm along +z from that place, because rounding may put a hit
     *   behind its surface.
     * - A hidden birth is moved straight off the surface. If something hides that place, too,
     *   the birth is as near to it as can be seen.
     * - Births near geometry happen at the eye while the effect runs blind
     *   (RICO_HIDDEN_RUNS_BLIND), and where the host's ray caster is deferred.
     * Cost: a contact ray for each birth near geometry, and another for each hidden one. */
    bool births_in_sight;

    rico_emitter_mesh mesh; /* for shape mesh; copied when the recipe is added [none] */
    float spread; /* half angle of the cone of directions, see the shape; radians; 0..pi [pi / 6] */

    /* --- Births over time --- */

    /* Births per second, 0..1e7 [50]. With a duration, each run through it has rate * duration
     * births in all. */
    float rate;
    float rate_per_metre; /* births per metre that the emitter moves, 0..1e5 [0] */

    uint32_t burst_count; /* births of a burst at the start of each loop, 0..1e6 [0] */
    /* Seconds between these bursts; 0 = only the first of each loop; 0..1e6 [0]. There is none
     * at the end of the duration (rico_burst). */
    float burst_interval;
    rico_burst bursts[RICO_MAX_BURSTS]; /* further bursts [none] */

    float delay; /* seconds before the emission begins, 0..1e6 [0] */
    /* Seconds of emission; 0 = until the effect is stopped; 0..1e6 [0]. After its last loop, an
     * effect with a duration is destroyed when its last particle has died. A burst at the end
     * of the duration does not fire (rico_burst). */
    float duration;
    /* Seconds that the effect has already run when it is spawned, 0..100 [0]. The result is
     * that of an earlier spawn and steps of RICO_PREWARM_STEP with all other effects paused, as
     * rico_effect_seek runs them. Spawning takes the time of these steps. */
    float prewarm;
    /* How often the emission runs through the duration; 0 = until stopped [1]. If it is not 1,
     * the duration is at least 0.01. */
    uint32_t loops;

    /* --- Speed and lifetime at birth --- */

    rico_range speed; /* m/s, -1000..1000 [3, 5] */
    /* Seconds, 0.01..1000 [1, 2]. rico_effect_set_time_scale says how exact lifetimes are. A
     * particle whose coordinates add up to 1e6 m or more (|x| + |y| + |z|) usually dies within
     * 0.25 s. */
    rico_range lifetime;
    float inherit_velocity; /* share of the emitter's velocity that is added, -10..10 [0] */

    /* Factors over the duration, at 0..1 of it. More than one key needs a duration. The
     * lifetimes that result stay within 0.01..1000 s. */
    rico_curve speed_over_duration;    /* 0..100 [1] */
    rico_curve lifetime_over_duration; /* 0..100 [1] */
    rico_curve size_over_duration;     /* 0..100 [1] */

    uint32_t max_particles; /* most that are alive in one effect, 1..2^24 [1000] */

    /* --- Forces ---
     * Forces other than gravity and drag make a particle no faster than 1e6 m/s along each
     * axis. An inherited velocity has the same limit. */

    rico_vec3 gravity; /* m/s^2, each within +-1000 [0, 0, -9.81] */

    /* Linear drag: v' = -drag (v - wind); 1/s; 0..100 [0].
     *
     * A step of dt first adds gravity, then multiplies the difference from the wind by
     * e^(-drag dt), then moves the particle by the new velocity. With x = drag dt:
     * - Drag alone gives exact speeds, but a distance that is too short by a share of about
     *   x / 2. With 2/s and 10 m/s that is, after 1 s, 3.3 % at steps of 1/30 s, 1.7 % at
     *   1/60 s and 0.42 % at 1/240 s.
     * - A fall ends at g / drag times x / (e^x - 1), too slow by a share of about x / 2. With
     *   2/s that is 1.7 % at steps of 1/60 s and 19 % at 0.2 s.
     * - drag_quadratic and RICO_FORCE_DRAG act before gravity. With these a fall ends too fast.
     * - Steps of half the length halve these errors.
     * - With steps of uneven length a fall ends as with even steps of about their mean length.
     *   Where drag changes over life, that holds for a drag of 0.25/s or more.
     * Where the speed of a fall matters, make steps of one length (step_clock.h), or two short
     * ones instead of one. At a fixed dt, a drag of ln(1 + k dt) / dt lets a fall end at
     * g / k. */
    float drag;

    /* Factor of drag over life, 0..100 [1]. It has no effect without drag. A constant factor
     * costs nothing. A factor that changes costs as much as one of the forces below, and in
     * mode cached a new look at a path whenever it has changed much. */
    rico_curve drag_over_life;

    /* Quadratic drag: v' = -drag_quadratic |v - wind| (v - wind); 1/m; 0..100 [0]. A step
     * applies it exactly, before it adds gravity. A fall therefore ends too fast, by a share of
     * about dt sqrt(g drag_quadratic) / 2. With 0.5/m that is 1.9 % at steps of 1/60 s and 25 %
     * at 0.2 s. For remedies see `drag`. */
    float drag_quadratic;

    rico_vec3 wind; /* velocity of the air that drags, m/s, each within +-1000 [0, 0, 0] */

    /* Highest speed, m/s; 0 = no limit; 0..1e4 [0]. After all forces of a step, a faster
     * particle gets this speed and keeps its direction. In the step in which it is born, it
     * loses only a share of what is too much: as much as its share of the step. */
    float limit_speed;

    /* Further forces [none]. Particles do not come to rest where forces could move them
     * again. */
    rico_force forces[RICO_MAX_FORCES];

    /* The recipe's layers: force fields that share a bit with it act on its particles, too
     * (world_fields.h) [0]. */
    uint32_t field_layers;

    /* --- Drawn at birth ---
     * Each particle draws these once. The size and colour over life, below, are multiplied with
     * start_size and start_color. */

    rico_range start_size;     /* factor of the size, 0..1000 [1, 1] */
    rico_gradient start_color; /* factor of the colour, drawn from the whole gradient [white] */

    /* Angle at birth, radians, and what is added to it per second, each -1000..1000 [0, 0].
     * Used by outputs and rico_particle_rotation. Costs no memory per particle, except for an
     * id where lo and hi of one of the two differ. */
    rico_range start_rotation, spin;

    /* --- Over life ---
     * Curves over the particle's life. A constant curve costs nothing and is not stored per
     * particle. */

    rico_curve particle_size;   /* metres, 0..1000 [0.02] */
    rico_gradient color;        /* [white] */
    rico_curve alpha_over_life; /* factor of the alpha of `color`, 0..1 [1] */

    /* Angle that is added to start_rotation and spin times age; radians; -1000..1000 [0].
     * Views: rico_particle_rotation_over_life.
     * - It turns billboards, sprites and instances (output.h). Streaks and trails point along
     *   their path in any case.
     * - Particles that roll (recipe.rolls): it turns the mesh about its own z axis, before all
     *   that rolling does.
     * Cost: no memory, and no time in a step. */
    rico_curve rotation_over_life;

    /* The picture in a sheet, for outputs of kind sprites; 0..65535 [0]. Between two pictures
     * the fraction says how far it is on the way to the next one. */
    rico_curve sprite_frame;
    /* Added to sprite_frame, drawn for each particle; 0..65535 [0, 0]. Neither costs memory per
     * particle, except for an id where lo and hi differ. */
    rico_range start_frame;

    /* --- Collision --- */

    rico_collision_mode mode; /* [cached] */

    /* Distance between the centre of a particle and a surface at contact; metres; 0..1 [0.01].
     * Less than 2 mm counts as 2 mm. In mode cached, the first recipe of a world that exceeds
     * 2, 5, 11, 21, 31, 51 or 76 cm makes all records anew, which then hold more. Add it before
     * the cache is baked or loaded. */
    float radius;

    /* Share of the normal speed that remains after a bounce, 0..1 [0.5].
     *
     * The speed is that at the time of impact, on the parabola whose chords the steps are. With
     * even steps of any length, a ball of restitution 1 comes back as high as it was. With
     * less, its hops end below rest_speed. The parabola is that of the recipe's own gravity and
     * wind: a contact does not know what fields add within a step. */
    float restitution;

    float friction; /* share of the tangential speed that a bounce takes, 0..1 [0.2] */

    /* A particle that is slower than this after a bounce off something that holds it up stays
     * where it is; m/s; 0..10 [0.15]. Slopes of up to 45 degrees hold it up; with friction over
     * 0.7 steeper slopes do, too. For particles that slide or roll, RICO_ON_COLLISION_SLIDE and
     * rolling_friction say which slopes do. */
    float rest_speed;

    /* The members from here to by_surface ask for more than a plain bounce. Contacts of recipes
     * that use any of them are answered one by one instead of in vectors (runtime/README.md has
     * the cost). A particle that slides or rolls has a contact in each step. */

    /* What a contact does [bounce]. */
    rico_on_collision on_collision;

    /* Each contact draws its own restitution: up to this much more or less, clamped to 0..1;
     * 0..1 [0]. */
    float restitution_random;
    float friction_random; /* the same for friction, 0..1 [0] */

    /* Particles are solid balls of `radius` [false]. Friction is then Coulomb's: it turns
     * sliding into spin, and ends where the ball rolls. Instances (output.h) and views show how
     * the ball has turned. Only with on_collision bounce.
     * Cost: 28 bytes per particle, for its spin and how that has turned it. */
    bool rolls;
    /* For particles that roll, 0..1 [0.01]. Each contact takes rolling_friction times the speed
     * into the surface, and times that with which the ball leaves it, from the speed along it.
     * The spin loses the same share. A ball rests on slopes below this. */
    float rolling_friction;

    /* Share of a particle's remaining life that each contact takes, 0..1; 1 = it dies there
     * [0]. */
    float lifetime_loss;

    /* A particle that meets a surface at a speed below kill_below, or above kill_above, dies
     * there; m/s; 0..1e5 [0]. kill_above 0 = no limit, else it is more than kill_below. If the
     * surface moves, the speed is relative to it. */
    float kill_below, kill_above;

    /* Restitution and friction are multiplied by those of the surface that is hit [false]:
     * rico_world_set_surface. Modes cached and exact; the planes of the other modes belong to
     * no surface. Where a ray finds a contact (mode exact, colliders that move, crowded cells),
     * a recipe with by_surface, or with collisions among its events, takes one more ray, for
     * what the ball touches. */
    bool by_surface;

    /* Colliders that have one of these bits among their layers (rico_collider_def.layers) do
     * not exist for the recipe's particles [0]: sparks can fly through leaves that hail bounces
     * off. Bits 0 and 31 belong to the world (world_colliders.h) and must be 0.
     * - Modes cached and exact only.
     * - Records hold what all recipes see, so what is ignored is queried like all else: much of
     *   it takes more queries, or a bake.
     * - A particle that rests beside an ignored collider wakes when that collider is edited,
     *   and comes to rest again.
     * Errors: RICO_OUT_OF_RANGE in mode classic, whose planes all recipes share; in modes
     * cached and exact of a world with a ray caster of the host's; and for bits 0 and 31. */
    uint32_t ignored_layers;

    /* Query units per frame that each effect contributes, 0..1000; fractions add up [1]. In
     * mode cached, units that an effect does not need serve other effects, and an effect that
     * needs more gets a part of rico_world_def.shared_queries_per_frame. */
    float queries_per_frame;

    /* The world's kill volumes that particles of this recipe die by, one bit each [all]
     * (rico_world_set_kill_volume). */
    uint32_t kill_volumes;

    uint32_t plane_count; /* mode fixed: number of planes, 0..RICO_MAX_PLANES [0] */
    /* Mode fixed: planes in world space; offsets within +-1e6 m. All count: particles are kept
     * in front of each.
     * - A particle makes at most four contacts in a step. If it would make a fifth one, it
     *   spends the rest of the step along the last two planes. This happens in a V, whose sides
     *   throw a ball to and fro.
     * - A particle that is behind a plane, because its emitter is, turns round where it is when
     *   it moves farther away from the plane. */
    rico_plane planes[RICO_MAX_PLANES];

    /* --- Detail (world_detail.h) ---
     * A recipe takes part when `hidden` is not RICO_HIDDEN_RUNS, or when cull_distance,
     * lod_distance or lod_below is not 0. Other recipes pay nothing. */

    rico_hidden hidden;    /* what its effects do while they are hidden [runs] */
    uint32_t hidden_steps; /* for RICO_HIDDEN_RUNS_SLOWLY, 2..16 [4] */

    /* An effect whose emitter is farther than this from the nearest viewer is hidden, until it
     * is nearer than 0.9 of this; metres; 0 = never; 0..1e6 [0]. */
    float cull_distance;
    /* If the distance from the emitter to the nearest viewer is greater than this, the
     * significance of an effect is lod_distance / distance, as large as it looks; metres;
     * 0 = it is always 1; 0..1e6 [0]. */
    float lod_distance;

    /* An effect whose significance is below lod_below leaves out some of its births. lod_births
     * is the share that remains at significance 0; it grows linearly to all births at
     * lod_below. Both 0..1 [0, 0.25]. */
    float lod_below, lod_births;

    /* --- Output and events --- */

    uint32_t events; /* events that the host wants to receive: RICO_EVENT_BIT_..., combined [0] */

    /* Views give the ids of particles [false]. Implied by events and sub_emitters, by
     * restitution_random and friction_random, and by start_rotation, spin or start_frame where
     * lo and hi differ. */
    bool particle_ids;

    /* The world keeps where each particle was when the last step began [false]. This is for
     * hosts that draw at other times than they step: output.h, rico_output_write_interpolated.
     * Cost: 12 bytes per particle, and births one by one instead of in vectors. */
    bool interpolate;

    rico_sub_emitter sub_emitters[RICO_MAX_SUB_EMITTERS]; /* births at events [none] */
} rico_recipe;

/* Returns a recipe with the defaults in [ ] above. */
RICO_API rico_recipe rico_recipe_default(void);

/* Checks every member of a recipe, without a world, as rico_world_add_recipe does.
 *
 * It does not check whether recipe.mesh has any area, nor what only a world knows: the recipes
 * that sub_emitters name, and a ray caster of the host's. `log` receives a message on failure;
 * NULL = standard error. The message names the member as in C: "... recipe.bursts[1].interval
 * is 0, expected 0.001 to 1e+06".
 *
 * Threads: any.
 * Errors:
 *   RICO_UNINITIALIZED_DEF: the recipe was not made by rico_recipe_default.
 *   RICO_OUT_OF_RANGE: a member is outside its range.
 *   RICO_NOT_FINITE: a member is NaN or infinite. */
RICO_API rico_result rico_recipe_check(const rico_recipe *recipe, const rico_log *log);

#ifdef __cplusplus
}
#endif
#endif
