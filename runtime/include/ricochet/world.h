/* world.h - the particle world: colliders, recipes, effects, and the step.
 *
 * Threads: a world is used by one thread at a time. rico_world_step and rico_effect_seek, spawns of
 * recipes with prewarm, edits that build grids (rico_world_add_mesh, rico_world_add_shape,
 * rico_world_merge, rico_world_shift_origin), rico_world_bake, rico_effect_bake, rico_world_load_cache
 * and rico_output_write run on that thread and on the world's workers, and return when all is done.
 * Worlds are independent of each other. While any of these runs (in a hook, or in a job of the host's that its pool runs
 * meanwhile), while a cache is saved or drawn, and within allocator and log, all that would change the world is refused
 * with RICO_BUSY (calls that return an id: a null id); rico_world_step, rico_world_destroy and rico_output_destroy are
 * misuse then. So are calls that run on workers from a job of the world's pool; where the assert returns, RICO_BUSY.
 * Places: floats, relative to the world's origin, within +-1e6 m. They are half a millimetre apart at 4 km, 8 mm at
 * 100 km: so far collisions hold; farther out particles of mode cached may miss surfaces. Large worlds take their
 * origin along (rico_world_shift_origin).
 * Stack: calls that run on workers take up to 84 KiB of each thread's that is in one.
 * Determinism: the same calls give the same bits, for any number of workers, any ISA and any
 * compiler (DECISIONS.md says what that rests on).
 * Floats: calls, their jobs and the hooks that they call round to nearest, keep denormals and trap on no exception, however the
 * host's threads are set; the thread is given back as it was, but for its status flags.
 */
#ifndef RICOCHET_WORLD_H
#define RICOCHET_WORLD_H

#include <ricochet/export.h>
#include <ricochet/hooks.h>
#include <ricochet/jobs.h>
#include <ricochet/ray_caster.h>
#include <ricochet/recipe.h>
#include <ricochet/result.h>
#include <ricochet/scene_query.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_world rico_world;

/* As rico_recipe_id (recipe.h): zero is null; stale ones are detected, those of other worlds are not. The same
 * holds for ids of colliders, shapes and fields. Effects also end by themselves (rico_world_ended): calls for one
 * that has return RICO_STALE_ID and say nothing on the log, unlike those for a null id. */
typedef struct rico_effect_id {
    uint32_t index1;     /* its slot, from 1, as in messages */
    uint32_t generation; /* counts the uses of the slot */
} rico_effect_id;

/* All memory that steps need is reserved at creation, from these bounds. */
typedef struct rico_world_def {
    uint32_t cookie; /* set by rico_world_def_default; do not touch */
    uint32_t max_particles; /* alive at once, 1..2^26; births beyond it are starved, of the last effects by slot first [262144] */
    uint32_t max_effects; /* 1..2^20 [4096] */
    /* All that there is for particles: their numbers, what is empty of their blocks, and the books about
     * those. 64 KiB..64 GiB; 0 = by max_particles and max_effects. Both bounds hold: births beyond either are
     * counted as starved. A particle of mode cached with a colour over life takes some 61 bytes in an effect
     * that has as many alive as its rate, lifetimes and bursts say [0] */
    uint64_t particle_bytes;
    uint32_t max_recipes, max_fields; /* 1..4096 [64]; of force (world_fields.h), 0..256 [64] */
    /* Per step, 0..2^22; sub-emitters need them, too. Each worker has room for twice as many and some 350 KiB
     * more, at 76 bytes each, and 84 once sub-emitters have births inherit sizes or colours; what is never used of it takes no memory on most systems [16384] */
    uint32_t max_events;
    uint32_t queries_per_frame;   /* query units for the whole world, 0..2^16 [2048] */
    /* Of these, what effects of mode cached share, by need, where their own (recipe.queries_per_frame) are too few: in a
     * cold world, a shower of 100,000 drops, on a host's rays. 2 to 9 us each, of one worker. 0..2^16 [256] */
    uint32_t shared_queries_per_frame;
    /* Of the table of cell records, 64 KiB..64 GiB. The system hands it out (13 to 340 ms) in the first
     * rico_world_add_recipe for mode cached, bake or load, and no step waits for it [128 MiB] */
    uint64_t cache_bytes;
    uint64_t classic_cache_bytes; /* of the table of mode classic, likewise [2 MiB] */
    float cell_size; /* metres, edge of the largest cell of a record; divided where geometry is dense, 0.05..2 [1] */
    uint64_t seed;         /* of everything random [1] */
    uint32_t worker_count; /* 1..256, the caller included; 0 = one per CPU [0] */
    rico_jobs *jobs;       /* NULL = a pool of worker_count workers of its own; else the host's, which outlives the
                              world (asserted) and is entered by all calls that run on workers [NULL] */
    bool prefault;         /* the system hands out all pages of what is reserved when the world is created, not in the
                              first steps that write there: 24 to 460 ms on one virtual machine [false] */
    rico_ray_caster ray_caster; /* the host's, in the place of a scene: ray_caster.h [none] */
    rico_allocator allocator;
    rico_log log;
} rico_world_def;

RICO_API rico_world_def rico_world_def_default(void);

/* Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE and RICO_NOT_FINITE (the log names the field and its range),
 * RICO_OUT_OF_MEMORY (and how much was wanted: by default some 200 MiB); *world is then NULL and nothing stays behind. */
RICO_API rico_result rico_world_create(const rico_world_def *def, rico_world **world);
RICO_API void rico_world_destroy(rico_world *world); /* NULL is ignored; its outputs go before it (asserted) */

/* Why the last call that edits this world and returned a null id or a failure did so; RICO_OUT_OF_RANGE also after
 * misuse (a NULL, say) whose assert returned. Calls that only look at it leave it as it is. */
RICO_API rico_result rico_world_last_result(const rico_world *world);

/* --- Colliders: scene.h has the rules. Null id on failure. -------------------------------
 *
 * Edits are calls between steps, on the thread that steps; they may allocate, and leave the world as
 * it was when they fail. All of them fail with RICO_BUSY from inside a step, and with RICO_NO_SCENE
 * in a world with a ray caster of the host's; but not rico_world_set_surface, for the host's hits name
 * surfaces, too, nor rico_world_shift_origin.
 * What an edit touches is forgotten, and no more: records of the cells that the collider's box meets,
 * and paths that may lead through it; who rests there wakes up in the next step. What was known there is found
 * out again when that step begins, at nobody's cost (rico_world_stats.gathers counts it), for up to 1024 cells per edit; and what there is in up
 * to 128 of the largest cells (6 m by 6 m by 1 m), known or not. That takes 256 gathers a step, and what the last few cells
 * need (some 3 to 10 us per gather, on all workers); many edits take several steps, in their order. Who comes there
 * meanwhile looks by rays, which no budget holds back (rico_world_stats.rays). Of what larger edits bring particles ask anew, and look by
 * rays until they are answered, for 512 steps at most after all that edits ask for themselves. It takes time by
 * those cells; by all of them where the scene outgrows its bounds. Before the first step an edit takes no such time:
 * cells are looked at once, by rico_world_merge, a bake, or else by that step, which takes the longer
 * (8 ms for 1,600 boxes over 200 m by 200 m). For mode classic all is forgotten.
 *
 * Layers: bit 0 (RICO_LAYER_DEFAULT) and bit 31 belong to the world. It sets the first for what
 * stands still, the other for what moves; queries with all bits see both. Particles collide
 * with colliders of all layers, but for those that their recipe leaves out (rico_recipe.ignored_layers).
 */
#define RICO_LAYER_MOVING 0x80000000u

/* A mesh that stays where it is, in layer RICO_LAYER_DEFAULT alone, until rico_world_set_layers gives it others. Triangles
 * that are dropped are told of on the log, as a warning, where nobody asks for a report.
 * Errors: rico_scene_add_mesh's; its transform's position is within 1e6 m, as of all transforms that a world takes. */
RICO_API rico_collider_id rico_world_add_mesh(rico_world *world, const rico_mesh *mesh,
                                              rico_transform transform);
/* The same, with a report of dropped triangles. */
RICO_API rico_result rico_world_add_mesh_report(rico_world *world, const rico_mesh *mesh,
                                                rico_transform transform,
                                                rico_mesh_report *report, rico_collider_id *id);

/* Prepares a shape of any kind (mesh, height field, hull, box, sphere, capsule, plane), which
 * any number of colliders may place. report may be NULL, as above. Errors: rico_scene_add_shape's. */
RICO_API rico_result rico_world_add_shape(rico_world *world, const rico_shape_def *def,
                                          rico_mesh_report *report, rico_shape_id *id);
/* Errors: RICO_STALE_ID; RICO_IN_USE while a collider places it. */
RICO_API rico_result rico_world_remove_shape(rico_world *world, rico_shape_id id);

/* Places a shape. It stands still until it is moved, whatever def.motion's velocities are. To mode
 * cached, a sphere or capsule that stands still is the triangles that gathers give: within 1 % of its
 * size. Planes have no end and so are in no record: particles of modes cached and exact that come
 * near one are moved one by one, some 0.3 us each. Errors: rico_scene_add's. */
RICO_API rico_collider_id rico_world_add_collider(rico_world *world,
                                                  const rico_collider_def *def);

/* Moves colliders to where they are at the end of the next step: all of them, or none on an error.
 * In that step each goes there from where it was at the end of the last one, in a straight line and
 * by the short way round, getting its size on the way, and takes with it or pushes what it meets, in modes cached and exact. Call
 * it before each step in which a collider moves; one that is not moved stands still. After 60 steps
 * without, it is treated as what never moved, and the next move takes it out of there again: both
 * are edits. Beyond the box of what stands still it is so only from an edit on that makes that wider, or from when 17 or more
 * are, as their step then takes the time of all cells. Velocities are for the answers of queries (rico_hit.velocity); particles are pushed by
 * the way that is made. What it is in then is found out at once, so that nobody passes through what has arrived, in up to 1024 cells. An effect whose time is scaled sees the same way in its own time. One that is
 * run by itself (prewarm, rico_effect_seek) meets colliders that move where they were at the end of the
 * last step; their ways, and what else was edited, wait for the next step of the world, as they do over
 * steps of no time. Mode classic sees them where the host has put them. Of an id that is given twice, in
 * one call or in several before a step, the last motion counts.
 * Errors: RICO_STALE_ID; RICO_NOT_FINITE; RICO_OUT_OF_RANGE (rico_motion: what is beyond 1e6 m, too), also
 * for one made by rico_world_add_mesh;
 * RICO_OUT_OF_MEMORY. */
RICO_API rico_result rico_world_move_colliders(rico_world *world, const rico_collider_id *ids,
                                               const rico_motion *motions, uint32_t count);
/* The same, but they are there at once, and push nothing. Who rested on one falls. */
RICO_API rico_result rico_world_place_colliders(rico_world *world, const rico_collider_id *ids,
                                                const rico_motion *motions, uint32_t count);

/* Gives a collider of any kind other layers, from the next step on: a force field that is switched off for sparks, a
 * door that smoke passes from now on. The world's own two stay as they are. Nothing is forgotten; who rests at it wakes
 * up, and paths that may meet it are looked at again: of recipes that ignore some of the layers before or after, no others. Who is inside of what is there again is let out by neither side. No allocation; some 0.2 us.
 * Errors: RICO_STALE_ID. */
RICO_API rico_result rico_world_set_layers(rico_world *world, rico_collider_id id,
                                           uint32_t layers);

/* What particles whose recipes ask for it (rico_recipe.by_surface) multiply their restitution and
 * friction by when they meet a surface of this number (rico_mesh.surfaces, rico_shape_def.surface;
 * rico_hit.surface of the host's rays): 0..100 each [1, 1]; products above 1 are 1. Numbers from
 * RICO_MAX_SURFACES on are 1 for ever. From the next step on; nobody wakes up.
 * Errors: RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. */
#define RICO_MAX_SURFACES 256u
RICO_API rico_result rico_world_set_surface(rico_world *world, uint32_t number,
                                            float restitution, float friction);

/* Errors: RICO_STALE_ID. */
RICO_API rico_result rico_world_remove_collider(rico_world *world, rico_collider_id id);

/* Makes `origin` the new (0, 0, 0): subtracts it from everything, effects, particles, planes of
 * recipes, and the last step's events; the host's next transforms are in the new space. Nobody wakes
 * up, but in a world with a ray caster of the host's it counts as rico_world_ray_caster_changed. Records are kept where origin is a multiple of cell_size on all axes, else forgotten (also,
 * with a warning on the log, where there is no memory for a copy of them meanwhile), and particles look by rays until the budget has
 * found them again, for 512 steps at most; exact
 * where coordinates have bits for the differences. Takes time by the whole world: by all triangles of added meshes (60 ms for 100,000
 * on one worker), not of shapes that colliders place, and by all records (some .3 to 1 us each). Errors: RICO_NOT_FINITE,
 * RICO_OUT_OF_RANGE (a collider or an effect would be beyond 1e6 m), RICO_OUT_OF_MEMORY, RICO_BUSY; nothing was
 * moved then. */
RICO_API rico_result rico_world_shift_origin(rico_world *world, rico_vec3 origin);

/* rico_scene_merge: for the end of loading, before the first step or between steps; then it also takes time by all
 * cells near colliders. Errors: its own, RICO_BUSY, RICO_NO_SCENE. */
RICO_API rico_result rico_world_merge(rico_world *world);

/* What the host's ray caster sees has changed: particles at rest wake up, and all that was known of
 * paths and planes is forgotten; rays that a deferred caster has count as not asked. Without a caster it does nothing. Errors: RICO_BUSY. */
RICO_API rico_result rico_world_ray_caster_changed(rico_world *world);

/* The scene itself, for rays of the host's own; edit it through the world only. */
RICO_API const rico_scene *rico_world_scene(const rico_world *world);

/* --- Kill volumes -------------------------------------------------------------------------
 *
 * Particles that are in one at the end of a step, or outside of one that says so, die then: at 1 ns per
 * particle and volume. Who is born in one dies a step later. A recipe may leave some out.
 */
#define RICO_MAX_KILL_VOLUMES 16u
typedef struct rico_kill_volume {
    bool sphere;    /* of radius size.x; else a box of half extents size */
    bool outside;   /* they die outside of it */
    rico_vec3 size; /* metres, 0..1e6 */
    rico_transform transform;
} rico_kill_volume;

/* Sets, moves, or with NULL takes away the volume of a number below RICO_MAX_KILL_VOLUMES, from the
 * next step on. Errors: RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY; it stays as it was then. */
RICO_API rico_result rico_world_set_kill_volume(rico_world *world, uint32_t number,
                                                const rico_kill_volume *volume);

/* --- Recipes ------------------------------------------------------------------------------ */

/* Copies the recipe. Null id: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE or RICO_NOT_FINITE (the
 * log names the field), RICO_FULL, RICO_OUT_OF_MEMORY, RICO_EMPTY_MESH (recipe.mesh has no area); mode exact with a deferred ray caster is RICO_OUT_OF_RANGE; RICO_STALE_ID (a sub-emitter's recipe is
 * not of this world), RICO_OUT_OF_RANGE (sub-emitters too deep), RICO_IN_USE (they hand on sizes or colours: rico_world_change_recipe),
 * and RICO_FULL when no effect is left for theirs. */
RICO_API rico_recipe_id rico_world_add_recipe(rico_world *world, const rico_recipe *recipe);

/* Puts another recipe in the place of one, for all effects that run it or will: for editors, and for files. What lives goes on:
 * - Particles keep their age, lifetime, velocity, and what was drawn for them at birth. Forces,
 *   collision, and size and colour over life are the new recipe's from the next step on; where
 *   motion or collision changes, they look anew for what they will meet, and sleepers wake; but who has stopped stays, and who
 *   sticks, too, as long as what it sticks to is there.
 * - Emitters keep their time, seed and fractions of births; where delay, duration, loops or bursts
 *   change, those that still emit begin anew with them. One that has ended stays ended.
 * - An effect with more particles than the new max_particles gives birth to none until it has less.
 * The same bits as rico_world_add_recipe would give, if none of its particles is alive. While some are,
 * the memory of a particle must not change, else RICO_IN_USE, and the log names the field: `mode`;
 * `particle_ids`, `interpolate` and `events`, between with and without; `events` of mode cached, with collisions and
 * without; `particle_size`, `start_size`, `size_over_duration`, `color`, `alpha_over_life` and
 * `start_color`, between constant and not; `rolls`; `sub_emitters`, `restitution_random`, `friction_random`, `spin`,
 * `start_rotation` and `start_frame`, where they give particles ids or take them away. Then add the new recipe beside the old one.
 * RICO_IN_USE, too, while particles live of a recipe that is to inherit sizes or colours for the first time
 * (rico_sub_emitter.inherit_size, inherit_color): a new one beside it does not help then. Those that have room for it keep that
 * until their recipe is changed while none of them lives.
 * Sub-emitters that would lead back to the recipe itself are RICO_OUT_OF_RANGE.
 * Other errors: RICO_STALE_ID; all of rico_world_add_recipe's; RICO_BUSY. The old one then stays. */
RICO_API rico_result rico_world_change_recipe(rico_world *world, rico_recipe_id id,
                                              const rico_recipe *recipe);

/* What rico_world_change_recipe would be RICO_IN_USE for, and with a null id rico_world_add_recipe, asked without a word to the
 * log: the field's name, with static storage; NULL = nothing, while other errors may be left. For who adds the new recipe
 * beside the old one then, or waits. Threads: between steps, any. */
RICO_API const char *rico_world_recipe_conflict(const rico_world *world, rico_recipe_id id,
                                                const rico_recipe *recipe);

/* The recipe as it is now: as it was added or changed last, with planes and places of forces where
 * rico_world_shift_origin has put them, and with the slopes that smooth curves turned out to have. Without recipe.mesh, of which the world keeps no arrays: set it again
 * before a change. False, and nothing is written, when there is none. */
RICO_API bool rico_world_get_recipe(const rico_world *world, rico_recipe_id id,
                                    rico_recipe *recipe);

/* Its place among max_recipes and its memory are free for another one. Those that sub-emitters name go after
 * those that name them; the effect that has their births (rico_world_sub_effect) ends with them.
 * Errors: RICO_STALE_ID; RICO_IN_USE, and the recipe stays: an effect runs it, a sub-emitter of another recipe
 * names it, or births that it owes to one or to rico_world_emit still live or are due; RICO_BUSY. */
RICO_API rico_result rico_world_remove_recipe(rico_world *world, rico_recipe_id id);

/* Whether that would be RICO_IN_USE, asked without a word to the log. False for a stale id. Threads: between steps, any. */
RICO_API bool rico_world_recipe_in_use(const rico_world *world, rico_recipe_id id);

/* --- Effects ------------------------------------------------------------------------------ */

typedef struct rico_effect_def {
    uint32_t cookie;          /* set by rico_effect_def_default */
    rico_transform transform; /* [identity] */
    uint64_t seed;            /* 0 = from the world's seed and the number of spawns [0] */
    float time_scale; /* 0..10 [1]; rico_effect_set_time_scale says what short times mean */
    float rate_scale; /* 0..100 [1]: rico_effect_set_rate_scale */
    rico_color tint;  /* 0..1 each [1, 1, 1, 1]: rico_effect_set_tint */
    /* The host's own: rico_effect_get and rico_world_ended give it back, rico_effect_set_user changes it [NULL] */
    void *user;
} rico_effect_def;

RICO_API rico_effect_def rico_effect_def_default(void);

/* Starts an effect; its first particles are born in the next step. Births are spread over a step by
 * the times at which they are due, and have aged and moved by the rest of it when it ends. Who is born behind a surface,
 * be it by a hair, stays there (in modes cached and exact, which see both sides): of effects at hits want
 * rico_recipe.births_in_sight, or place them so far off, along the normal, as their shape reaches back. Null id: RICO_STALE_ID
 * (recipe), RICO_NOT_FINITE or RICO_OUT_OF_RANGE (transform: rico_transform's, and places beyond
 * +-1e6 m, as of all transforms that a world takes; time_scale, rate_scale, tint), RICO_FULL. After a prewarm it may be over already: then
 * the id is stale, and nothing was refused (rico_effect_is_alive). */
RICO_API rico_effect_id rico_effect_spawn(rico_world *world, rico_recipe_id recipe,
                                          rico_transform transform);
RICO_API rico_effect_id rico_effect_spawn_def(rico_world *world, rico_recipe_id recipe,
                                              const rico_effect_def *def);
/* Several that belong together, one after the other: all, or none, and then nothing has changed and all ids are null. count:
 * of recipes, defs and ids. Errors: as above, of the first that cannot begin. */
RICO_API rico_result rico_effect_spawn_all(rico_world *world, const rico_recipe_id *recipes,
                                           const rico_effect_def *defs, uint32_t count,
                                           rico_effect_id *ids);

/* Births where the host says, without an effect for each: impacts, steps, splashes, pieces of what broke. Where,
 * which way and how fast is the transform's and the velocity's, all else the recipe's; with shape point and a
 * speed of 0 particles begin as given, exactly. Delay, duration, curves over it of more than one key, prewarm, rates,
 * bursts and inherit_velocity of the recipe have no part in it. */
typedef struct rico_birth {
    /* Of the recipe's shape; directions turn with it. Its scale is the shape's alone. Off surfaces, as an effect's. */
    rico_transform transform;
    rico_vec3 velocity; /* m/s in the world, added to each particle's; each within +-10,000 */
    uint32_t count;     /* particles, 1..1000 */
} rico_birth;

/* At the beginning of the next step that takes any time, in the order of calls, behind those of the recipe that events have
 * asked for until then. All are particles of one effect, of which rico_world_sub_effect speaks;
 * recipe.max_particles is for all of them, and what does not fit is counted (rico_world_stats.births_starved), as is what
 * would have come in a step in which that effect is paused. Of all recipes together 2 * max_events places (and of max_events
 * 0 one) may wait between two steps, events that lead to births among them. All of the call's are taken, or none. A count of 0
 * begins the effect only. Each place takes some 15 ns, each particle as much in the step, where there are four or more at a
 * place (70 where not); memory is taken once, by the first call or the first recipe with sub-emitters. Once it has been called for a
 * recipe, rico_effect_seek of who feeds that by events leaves the sub-effect as it is.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE and RICO_NOT_FINITE (the log names the place and its member), RICO_FULL (no
 * room for so many, or the effect would be more than max_effects), RICO_OUT_OF_MEMORY, RICO_BUSY. */
RICO_API rico_result rico_world_emit(rico_world *world, rico_recipe_id recipe,
                                     const rico_birth *births, uint32_t count);

/* The effect that has all particles of the recipe that sub-emitters and rico_world_emit give birth to: to be looked at,
 * drawn, and paused. It is there as soon as a recipe that names this one has been added, or the host has
 * emitted; it takes one of max_effects, and stays, however empty. Null id when there is none. Its place is the
 * identity when it begins: what is relative to an effect's place, as forces are that are not in world_space, is so to that.
 * It emits nothing by itself: rico_effect_emit and rico_effect_seek refuse it with RICO_IN_USE,
 * rico_effect_stop changes nothing of it, rico_effect_destroy takes its particles only, and moves change nothing of where
 * particles are born; they carry along who lives in local space. */
RICO_API rico_effect_id rico_world_sub_effect(const rico_world *world, rico_recipe_id recipe);

/* Moves the emitter; living particles stay where they are, unless recipe.space is local. In the next step it goes there in a
 * straight line, from where it was at the end of the last one, and births are spread along the way.
 * Steps of no time leave the way to the next one. An effect that is paused, or frozen while it is hidden, has no way:
 * it is there when it goes on, and no births by metre come of it.
 * Errors: RICO_STALE_ID, RICO_NOT_FINITE, RICO_OUT_OF_RANGE. */
RICO_API rico_result rico_effect_move(rico_world *world, rico_effect_id effect,
                                      rico_transform transform);
/* The same without a way: it was there all the time. */
RICO_API rico_result rico_effect_teleport(rico_world *world, rico_effect_id effect,
                                          rico_transform transform);
/* `count` births beside those of the recipe, also of an effect that waits or has been stopped: at
 * the beginning of the next step, and at the place to which the emitter was moved or teleported
 * last. 0..1e6 between two steps. Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE. */
RICO_API rico_result rico_effect_emit(rico_world *world, rico_effect_id effect, uint32_t count);
/* 0..10; 0 pauses. An effect's own step is the world's times this. Own steps of less than 2^-13 s (0.12 ms) are
 * saved up: it stands still in them, ways that it moves included, and then makes one of that length; what is
 * left over is kept. No time is lost, but below 1e-12 s. Where something moves or is edited meanwhile, it
 * goes along in a step of what it has saved, from 1e-6 s on. Longer steps are made as they are: ages are floats,
 * to which each adds its own rounding. A life of 100 s at steps of 1/1000 s may so be off by 0.4 %, of 1000 s by
 * 3 %, at 1/60 s by 0.2 %; at steps that are saved up it is exact.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE. */
RICO_API rico_result rico_effect_set_time_scale(rico_world *world, rico_effect_id effect,
                                                float time_scale);
/* 0..100; a factor of the recipe's rate and rate_per_metre for this effect, from the next step on: how hard it rains,
 * how far a throttle is open. At 0 none come of these, and it goes on all the same. What was due before stays due; with
 * a duration, births are as many as each stretch of it says. Bursts, and births at events of others, are as the recipe
 * has them; max_particles holds. Of time that is saved up (short steps,
 * below; RICO_HIDDEN_RUNS_SLOWLY) the factor of the step that is then made counts. Blocks are as long as the recipe's own rate wants them. Kept by rico_effect_seek, which runs as
 * if it had been so from the start, and by rico_world_change_recipe.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. */
RICO_API rico_result rico_effect_set_rate_scale(rico_world *world, rico_effect_id effect,
                                                float rate_scale);
/* 0..1 each; what outputs (output.h) multiply the colours of all of the effect's particles with: one recipe for the dust of
 * every ground, for each team's smoke, for what fades out as a whole. Kept as bytes, as colours are, so to a 255th; rico_effect_get
 * has those. Views have the recipe's own colours, and the tint beside them. Particles do the same in any: it is in no hash, but for
 * what births at events inherit of it. Children of sub-emitters have that of rico_world_sub_effect, white at first; with inherit_color they keep the one that their parent's
 * effect had at the event, too. Kept by rico_effect_seek and rico_world_change_recipe.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. */
RICO_API rico_result rico_effect_set_tint(rico_world *world, rico_effect_id effect,
                                          rico_color tint);
/* No more births; the effect is destroyed when its last particle has died. RICO_STALE_ID. */
RICO_API rico_result rico_effect_stop(rico_world *world, rico_effect_id effect);
/* Gone at once, particles and all. RICO_STALE_ID. */
RICO_API rico_result rico_effect_destroy(rico_world *world, rico_effect_id effect);

/* Starts the effect anew, where it is, and runs it for so many seconds of the world's time, by steps
 * of `step` seconds; the last one is shorter. Effects of births at its events start anew and run with it, those that no
 * other effect feeds (RICO_MAX_SUB_EMITTERS). All else stands still meanwhile: other effects, colliders on their
 * way (rico_world_move_colliders), edits, which wait for the world's next step, and what the host sees of
 * the last step but for its number (rico_world_stats.frame). Fields that scroll come to where they are from
 * where they were so many seconds ago. Events are not kept. The same bits as if it had been spawned now with its seed, and the world stepped so with the
 * others paused; so the time it takes grows with `seconds`. It may be over by then, and its id stale.
 * seconds: 0..3600, step: 0.001..1. Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. */
RICO_API rico_result rico_effect_seek(rico_world *world, rico_effect_id effect, float seconds,
                                      float step);

RICO_API bool rico_effect_is_alive(const rico_world *world, rico_effect_id effect);
RICO_API uint32_t rico_effect_particle_count(const rico_world *world, rico_effect_id effect);

typedef struct rico_effect_info {
    rico_recipe_id recipe;
    rico_transform transform; /* where it was spawned, moved or teleported to last */
    uint64_t seed;            /* another one that is spawned with it draws the same */
    void *user;               /* rico_effect_def.user */
    float time_scale, rate_scale;
    rico_color tint;
    uint32_t particles;
    uint32_t births_starved; /* of the last step's rico_world_stats.births_starved, those that it was to have */
    bool emits; /* false: stopped, or its last loop is over, and it ends with its last particle; or it is a sub-effect */
} rico_effect_info;

/* What is known of an effect. False for a stale id: then *info is as it was. */
RICO_API bool rico_effect_get(const rico_world *world, rico_effect_id effect,
                              rico_effect_info *info);

/* Puts another pointer in the place of rico_effect_def.user. Errors: RICO_STALE_ID, RICO_BUSY. */
RICO_API rico_result rico_effect_set_user(rico_world *world, rico_effect_id effect, void *user);

/* All effects, those of sub-emitters included, by slot: the first one for a null id, else the first in a slot after
 * that of `after`, which may be stale; a null id when there is none. So they may be destroyed on the way:
 *     for (rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0}); e.index1 != 0;
 *          e = rico_world_next_effect(world, e)) */
RICO_API rico_effect_id rico_world_next_effect(const rico_world *world, rico_effect_id after);

/* --- The step ----------------------------------------------------------------------------- */

/* Advances everything by dt seconds, 0..1 (world_step.h: in two halves). Cannot fail and allocates nothing. With a dt of 0 nothing
 * goes on: all that was moved, edited and asked for since the last step waits for the next one, but for particles of
 * space local, which are carried at once; it counts as a step, without events. Of mode cached, where gravity bends a step by
 * more than a radius (1 cm at most; of 9.81 m/s^2 from .09 s on, of balls of 2 mm from .04 s on), all are searched for: it takes
 * about twice as many instructions, and few get out of closed rooms: of 113,490 random balls in 6 s none at 1/10 s, 63 at 1/20 s.
 * A dt outside its range, or a call from inside a step, is misuse: it asserts, and does nothing if the assert handler returns. */
RICO_API void rico_world_step(rico_world *world, float dt);

/* --- Looking at particles ----------------------------------------------------------------- */

/* A walk over an effect's particles, block by block; zero copy, valid until the next call that
 * changes the world:
 *     rico_view v = rico_effect_view(world, effect);
 *     while (rico_view_next(&v))
 *         for (uint32_t i = 0; i < v.count; ++i) draw(v.px[i], v.py[i], v.pz[i]);
 * A stale id gives an empty walk. Of an effect that sleeps (rico_world_stats.sleeping_effects) ages, sizes and
 * colours are worked out by the call; it may be looked at in each frame. Arrays are 4-byte aligned, count long. Places change from step to
 * step, for the last particles take those of the dead: recipes with ids tell who is who. */
typedef struct rico_view {
    uint32_t count;
    const float *px, *py, *pz; /* position, world space */
    const float *vx, *vy, *vz; /* velocity */
    /* Seconds; 0 <= age < lifetime. In mode fixed the lowest bits of a lifetime name a plane: there a bounce may
     * leave the age above it, by 1e-6 of it, for one step. */
    const float *age, *lifetime;
    const float *size;         /* metres; NULL when constant: see constant_size */
    const uint32_t *color;     /* r | g << 8 | b << 16 | a << 24; NULL when constant */
    const float *wx, *wy, *wz; /* angular velocity, radians/s; NULL unless the recipe rolls */
    /* Unit quaternion: how it stands in the world: as its emitter at birth, and since then turned by that; NULL likewise. */
    const float *qx, *qy, *qz, *qw;
    /* Unique within the effect, until rico_effect_seek starts it anew: then ids begin anew, too, and the
     * same one is another particle. NULL unless the recipe asks. */
    const uint32_t *id;
    /* Position when the last step began, or at birth since; NULL unless the recipe asks (interpolate). As px where
     * they stood in that step, of paused and frozen effects, say, and of those that were just run by
     * rico_effect_seek. Of space local: before the effect took them along in it, but as if a teleport had
     * been before that step. */
    const float *last_px, *last_py, *last_pz;
    float constant_size;
    uint32_t constant_color;
    uint32_t tint; /* as colours: rico_effect_set_tint, with which neither these nor color are multiplied yet */
    const rico_world *world; /* private, like all below */
    uint32_t next_block;
} rico_view;

/* How far a particle of that id and age is turned, radians, 0..2 pi: recipe.start_rotation and spin, but
 * not rotation_over_life, for which its lifetime is needed. 0 for a stale id. */
RICO_API float rico_particle_rotation(const rico_world *world, rico_effect_id effect,
                                      uint32_t particle, float age);
/* With rotation_over_life, from what a view says of it: id, age and lifetime (above 0 s). The same bits as
 * outputs have. Where a recipe draws neither start_rotation nor spin, and views have no ids, any id will do. */
RICO_API float rico_particle_rotation_over_life(const rico_world *world, rico_effect_id effect,
                                                uint32_t particle, float age, float lifetime);

RICO_API rico_view rico_effect_view(const rico_world *world, rico_effect_id effect);
RICO_API bool rico_view_next(rico_view *view);

/* The box of one effect's particles, as the last step left them: of their centres, grown on all sides by the
 * size of the largest (recipe.particle_size, start_size, inherit_size); the same bits as rico_output_part.bounds. What is
 * stretched along its velocity, and the past of trails, is not in it. False when there are no particles, or
 * the id is stale; *box then has lo > hi. Reads all their places: 7 instructions each. Of an effect that
 * sleeps, sizes are worked out by the call, as by rico_effect_view; so no two threads may ask at a time. */
RICO_API bool rico_effect_bounds(const rico_world *world, rico_effect_id effect, rico_box *box);

/* --- Events of the last step -------------------------------------------------------------- */

typedef enum rico_event_type {
    RICO_EVENT_COLLISION = 1,
    /* End of life, or of one that met a surface too fast, too slow, or died of it. Of these and of births
     * the normal is zero, and the collider 0. */
    RICO_EVENT_DEATH = 2,
    RICO_EVENT_BIRTH = 3
} rico_event_type;

typedef struct rico_event {
    rico_event_type type;
    uint32_t particle; /* id within the effect */
    rico_effect_id effect;
    rico_vec3 position;
    rico_vec3 normal; /* of the surface, towards the particle */
    /* m/s, before the bounce, all of it, not only what goes into the surface; as what it hit sees it, where that
     * moves. */
    float speed;
    /* Seconds since the effect's own step began, which may have been saved up (rico_effect_set_time_scale); of
     * a death: its end. */
    float time;
    /* Of the particle, m/s; of a collision: after it, unless it died of it. */
    rico_vec3 velocity;
    /* Slot (rico_collider_id.index1) where known, else 0. Known in modes exact and cached, but for bounces
     * off a plane that is only believed while a record is missing. Modes fixed and classic know none. On the
     * host's rays mode cached knows collider and triangle, not the surface; with by_surface, none; they are those of what
     * its way meets when that is asked for, and stay so while it hops along that plane. Else it is what the ball
     * touches: within 4 mm of an edge between two, either; at an edge or corner, where nothing is below the ball along
     * `normal`, what its centre's way meets. */
    uint32_t collider;
    /* Index in its mesh where known, else RICO_NO_TRIANGLE. Mode cached may name another one of the same collider and
     * surface number near by, which bends from it by less than 11 degrees from one to the next. */
    uint32_t triangle;
    uint16_t surface;  /* number of the surface where the collider is known, else 0 */
} rico_event;

/* Ordered by effect slot, then by block: collisions and deaths of those that were there, then births,
 * with what they met in the rest of the step. Whoever is told of them, host or sub-emitters, the first
 * 2 * max_events in that order are kept, and of these the host has the first max_events of those that
 * recipes say (rico_recipe.events). So what did not fit is at the end of that order, for any number of
 * workers; it is counted (rico_world_stats.events_dropped). Valid until the next step. count may not be
 * NULL. */
RICO_API const rico_event *rico_world_events(const rico_world *world, uint32_t *count);

/* An effect that came to its end: nothing is emitted any more, and its last particle has died. */
typedef struct rico_ended_effect {
    rico_effect_id effect; /* stale */
    rico_recipe_id recipe; /* stale, if it has been removed since */
    void *user;            /* rico_effect_def.user */
} rico_ended_effect;

/* Those that ended in the last step, by slot; each is told of once, and there is room for all. Not those that the host
 * destroyed, or that were over when rico_effect_seek, or the prewarm of a spawn, came to its end
 * (rico_effect_is_alive tells). Valid until the next step. count may not be NULL. */
RICO_API const rico_ended_effect *rico_world_ended(const rico_world *world, uint32_t *count);

/* --- Statistics --------------------------------------------------------------------------- */

typedef enum rico_stage {
    RICO_STAGE_PLAN,
    RICO_STAGE_SIMULATE,
    RICO_STAGE_QUERY,
    RICO_STAGE_MERGE,
    RICO_STAGE_REPORT,
    RICO_STAGE_COUNT
} rico_stage;

RICO_API const char *rico_stage_name(rico_stage stage);

typedef struct rico_world_stats {
    /* Of the last step. */
    uint32_t frame; /* steps so far, with those of effects run by themselves; after 2^32 - 1 it is 1 */
    uint64_t stage_ns[RICO_STAGE_COUNT];
    uint32_t effects, particles, blocks;
    uint32_t births, deaths;
    uint32_t births_starved; /* wanted, but no memory or over a limit; of an effect's rate 2^24 at most */
    uint32_t bounces;
    uint32_t sleeping;             /* particles at rest; of effects whose time stood still in this step, none */
    uint32_t sleeping_effects;     /* in which nothing happens: they cost a step nothing */
    uint32_t lookups, lookup_hits; /* in the caches */
    uint32_t requests;             /* particles that lacked a record */
    uint32_t query_units;          /* charged (design: DECISIONS.md) */
    /* Queries that effects lacked, and those of them that the budgets granted; and effects that got fewer
     * than they lacked (world_queries.h has each). */
    uint32_t queries_wanted, queries_granted, effects_starved;
    uint32_t rays, gathers; /* raw scene queries */
    uint32_t events, events_dropped;
    /* The caches, now: records of mode cached and places for them, and those of mode classic's planes. Records that edits
     * have made untrue are counted until the next step, bake or look at the cache. */
    uint64_t cache_records, cache_record_capacity, plane_records, plane_record_capacity;
    /* What both caches have taken, with their tables and what a frame's deposits need: more than def.cache_bytes, and not
     * all is for records; and of that, the records that are there. */
    uint64_t cache_bytes, cache_record_bytes;
    uint64_t cache_evicted, cache_dropped; /* of both, since creation; if most are dropped for a second, a step warns, once */
    /* What the allocator has given to the world and all that it owns, scene, caches and its own pool of
     * workers, and not got back; and how often it has given since creation. Outputs and the host's own
     * pool are not the world's. */
    uint64_t bytes, allocations;
    uint32_t workers;
    const char *isa; /* of the kernels */
} rico_world_stats;

RICO_API rico_world_stats rico_world_get_stats(const rico_world *world);

/* The workers, for their statistics. */
RICO_API const rico_jobs *rico_world_jobs(const rico_world *world);

/* 64-bit hash of all state: particles, effects, caches and the last step's events. Equal worlds,
 * equal hashes. About 1 ns per particle, and .2 us per record (rico_world_stats.cache_records). */
RICO_API uint64_t rico_world_hash(const rico_world *world);

#ifdef __cplusplus
}
#endif
#endif
