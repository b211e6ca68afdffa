/* world_colliders.h - what particles collide with: meshes, shapes, bodies that move; layers and
 * surfaces; kill volumes; moving the origin. Part of world.h.
 *
 * Edits. Calls that add, move, change or remove shapes and colliders are edits. They are made
 * between steps, on the thread that steps. They may allocate. An edit that fails leaves the world
 * as it was; calls that return an id then return a null id, and rico_world_last_result says why.
 * scene.h has the rules for meshes and shapes.
 *
 * What an edit invalidates. The world forgets the records of the cells that the collider's box
 * meets, and the paths that may lead through the box. Particles that rest there wake up in the next
 * step. Nothing else is forgotten, except in mode classic, which forgets all of its planes.
 *
 * How records come back. When the next step begins, the world gathers the records of these cells
 * anew, up to 1024 cells per edit. It does so for cells that had records. If the edit meets at most
 * 128 of the largest cells (6 m by 6 m by 1 m, say, with the default cell_size), it also does so
 * for those that had none. No budget is charged; rico_world_stats.gathers counts the gathers. A
 * step makes 256 of them, and those that the last few cells still need, at 3 to 10 us each, on all
 * workers. Many edits take several steps, in their order. Particles that come to such a cell
 * meanwhile cast rays, which no budget limits (rico_world_stats.rays).
 *
 * Larger edits. What an edit brings beyond these numbers of cells is left to the particles. They
 * request records as usual, and cast rays until they have them. That lasts 512 steps at most after
 * the world's own gathers are done.
 *
 * Cost: an edit also takes time for each cell that it meets, and for all cells if the scene
 *   outgrows its bounds. Before the first step it takes no such time: all cells are looked at once,
 *   in rico_world_merge, in a bake, or else in the first step, which then takes longer (8 ms for
 *   1,600 boxes over 200 m by 200 m).
 *
 * Layers. Each collider is in one or more of 32 layers. Bit 0 (RICO_LAYER_DEFAULT) and bit 31
 * (RICO_LAYER_MOVING) belong to the world: it sets bit 0 for colliders that stand still, and bit 31
 * for those that move. Queries with all bits see both. Particles collide with colliders of all
 * layers, except those that their recipe ignores (rico_recipe.ignored_layers).
 *
 * Errors: every edit fails with RICO_BUSY from inside a step, or while the world is busy otherwise
 *   (world.h). In a world with a ray caster of the host's, all fail with RICO_NO_SCENE, except
 *   rico_world_set_surface (the host's hits name surfaces, too) and rico_world_shift_origin.
 */
#ifndef RICOCHET_WORLD_COLLIDERS_H
#define RICOCHET_WORLD_COLLIDERS_H

#include <ricochet/export.h>
#include <ricochet/result.h>
#include <ricochet/scene_query.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_world rico_world; /* world.h */

/* The layer of colliders that move. */
#define RICO_LAYER_MOVING 0x80000000u

/* --- Adding ------------------------------------------------------------------------------- */

/* Adds a mesh that never moves. It is in layer RICO_LAYER_DEFAULT alone, until
 * rico_world_set_layers gives it others. Triangles that are dropped are reported on the log, as a
 * warning.
 *
 * Errors: those of rico_scene_add_mesh. The position of `transform` must be within 1e6 m, as in all
 *   transforms that a world takes. */
RICO_API rico_collider_id rico_world_add_mesh(rico_world *world, const rico_mesh *mesh,
                                              rico_transform transform);

/* The same, but reports dropped triangles in *report, not on the log. With `report` NULL it uses
 * the log. `id` may be NULL. */
RICO_API rico_result rico_world_add_mesh_report(rico_world *world, const rico_mesh *mesh,
                                                rico_transform transform,
                                                rico_mesh_report *report, rico_collider_id *id);

/* Prepares a shape (mesh, height field, convex hull, box, sphere, capsule, plane) that any number
 * of colliders can place. `report` may be NULL; dropped triangles are then reported on the log.
 * `id` must not be NULL.
 *
 * Errors: those of rico_scene_add_shape. */
RICO_API rico_result rico_world_add_shape(rico_world *world, const rico_shape_def *def,
                                          rico_mesh_report *report, rico_shape_id *id);

/* Removes a shape.
 *
 * Errors: RICO_STALE_ID; RICO_IN_USE while a collider places it. */
RICO_API rico_result rico_world_remove_shape(rico_world *world, rico_shape_id id);

/* Adds a collider that places a shape. It stands still until it is moved, whatever the velocities
 * in def.motion are.
 *
 * - Spheres and capsules that stand still are triangles to mode cached (those that gathers return),
 *   within 1 % of their size.
 * - Planes are infinite and therefore in no record. Particles of modes cached and exact that come
 *   near one are moved one by one, at some 0.3 us each.
 *
 * Errors: those of rico_scene_add. */
RICO_API rico_collider_id rico_world_add_collider(rico_world *world,
                                                  const rico_collider_def *def);

/* Removes a collider of any kind.
 *
 * Errors: RICO_STALE_ID. */
RICO_API rico_result rico_world_remove_collider(rico_world *world, rico_collider_id id);

/* --- Moving ------------------------------------------------------------------------------- */

/* Moves colliders during the next step, so that they are where `motions` says at its end. Moves all
 * of them, or none if there is an error.
 *
 * During that step each collider goes from where it was at the end of the last step to the new
 * place: in a straight line, turning by the short way round, and changing its size on the way. In
 * modes cached and exact it carries or pushes the particles that it meets.
 *
 * - Call it before each step in which the collider moves. A collider that is not moved stands
 *   still.
 * - After 60 steps without a move the collider becomes static, as if it had never moved; the next
 *   move ends that. Both changes are edits. Records of the cells in which it becomes static are
 *   gathered at once, up to 1024 cells, so that no particle passes through it.
 * - A collider beyond the bounds of all that stands still becomes static later: after the next edit
 *   that widens these bounds, or when 17 or more such colliders wait for it. They wait because the
 *   step in which they become static takes the time of all cells.
 * - Particles are pushed by the path that the collider makes. The velocities in rico_motion are
 *   only for the answers of queries (rico_hit.velocity).
 * - An effect with a time scale sees the same path in its own time.
 * - An effect that is run by itself (prewarm, rico_effect_seek) meets moving colliders where they
 *   were at the end of the last step. Their paths, and all other edits, wait for the next step of
 *   the world, as they do over steps with dt 0.
 * - Mode classic sees colliders where the host has put them last.
 * - If an id is given twice, in one call or in several before a step, the last motion counts.
 *
 * Errors:
 *   RICO_STALE_ID: an id is stale.
 *   RICO_NOT_FINITE: a motion is not finite.
 *   RICO_OUT_OF_RANGE: a motion is out of its range (rico_motion) or beyond 1e6 m; or a collider
 *     was made by rico_world_add_mesh.
 *   RICO_OUT_OF_MEMORY: no memory to keep the colliders among those that move. */
RICO_API rico_result rico_world_move_colliders(rico_world *world, const rico_collider_id *ids,
                                               const rico_motion *motions, uint32_t count);

/* Places colliders at once, without a path: they push and carry nothing. Particles that rested on
 * one of them fall.
 *
 * Errors: as rico_world_move_colliders. */
RICO_API rico_result rico_world_place_colliders(rico_world *world, const rico_collider_id *ids,
                                                const rico_motion *motions, uint32_t count);

/* --- Layers and surfaces ------------------------------------------------------------------ */

/* Gives a collider of any kind other layers, from the next step on. Examples are an energy barrier
 * that is switched off for sparks, and a door that smoke passes from now on. The world's own two
 * bits stay as they are.
 *
 * No record is forgotten. Particles that rest at the collider wake up, and paths that may meet it
 * are looked up again. Both concern only recipes that ignore some of its layers before or after the
 * call. A particle that is inside a collider when it becomes solid again cannot leave through
 * either side of its surface.
 *
 * Cost: some 0.2 us. It allocates nothing, unless more than 64 edits come between two steps.
 *
 * Errors: RICO_STALE_ID. */
RICO_API rico_result rico_world_set_layers(rico_world *world, rico_collider_id id,
                                           uint32_t layers);

/* Sets two factors for surfaces of this number, 0..100 each [1, 1]. A particle that meets such a
 * surface has its restitution and friction multiplied by them, if its recipe has by_surface.
 * Products above 1 count as 1. Surface numbers come from rico_mesh.surfaces,
 * rico_shape_def.surface, or rico_hit.surface of the host's own rays. Surfaces with numbers from
 * RICO_MAX_SURFACES on always have the factors 1, 1. Takes effect in the next step; no particle
 * wakes up.
 *
 * Errors: RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. */
#define RICO_MAX_SURFACES 256u
RICO_API rico_result rico_world_set_surface(rico_world *world, uint32_t number,
                                            float restitution, float friction);

/* --- The whole scene ---------------------------------------------------------------------- */

/* Makes `origin` the new (0, 0, 0). Subtracts it from everything: colliders, kill volumes, force
 * fields, viewers (world_detail.h), effects, particles, planes and positions of forces in recipes,
 * and the events of the last step. The host gives all further transforms in the new space.
 *
 * - Particles do not wake up, except in a world with a ray caster of the host's: there the call
 *   also counts as rico_world_ray_caster_changed.
 * - Records are kept if `origin` is a multiple of cell_size on every axis; otherwise they are
 *   forgotten. They are also forgotten, with a warning on the log, if there is no memory for a
 *   temporary copy of them. Particles then cast rays until the budget has found the records again,
 *   for 512 steps at most.
 * - Differences are exact where floats have enough bits for them.
 *
 * Cost: grows with the whole world: with all triangles of added meshes (60 ms for 100,000 on one
 *   worker), but not those of shapes that colliders place; and with all records (0.3 to 1 us each).
 *
 * Errors: nothing has moved then.
 *   RICO_OUT_OF_RANGE: a collider or an effect would be beyond 1e6 m.
 *   RICO_NOT_FINITE: `origin` is not finite.
 *   RICO_OUT_OF_MEMORY: no memory to move the scene.
 *   RICO_BUSY: the world is busy (world.h). */
RICO_API rico_result rico_world_shift_origin(rico_world *world, rico_vec3 origin);

/* Merges all meshes added so far into one grid (rico_scene_merge). Meant for the end of loading,
 * before the first step. It may also be called between later steps, where it also takes time for
 * all cells near colliders.
 *
 * Errors: those of rico_scene_merge, RICO_BUSY, RICO_NO_SCENE. */
RICO_API rico_result rico_world_merge(rico_world *world);

/* Tells the world that what the host's ray caster sees has changed. Particles at rest wake up, and
 * all known paths and planes are forgotten. Rays that a deferred caster has not answered yet count
 * as never cast. Does nothing in a world without a ray caster.
 *
 * Errors: RICO_BUSY. */
RICO_API rico_result rico_world_ray_caster_changed(rico_world *world);

/* Returns the world's scene, for ray casts of the host's own. Edit it only through the world. */
RICO_API const rico_scene *rico_world_scene(const rico_world *world);

/* --- Kill volumes -------------------------------------------------------------------------
 *
 * Particles that are inside a kill volume at the end of a step die then. If the volume says
 * `outside`, those that are outside of it die instead. A particle that is born where it would die
 * does so one step later. A recipe may leave out some of the volumes (rico_recipe.kill_volumes).
 *
 * Cost: 1 ns per particle and volume.
 */
#define RICO_MAX_KILL_VOLUMES 16u

typedef struct rico_kill_volume {
    bool sphere;    /* true = a sphere of radius size.x; false = a box of half extents size */
    bool outside;   /* true = particles die outside of it */
    rico_vec3 size; /* metres, 0..1e6; `transform` scales it */
    rico_transform transform;
} rico_kill_volume;

/* Sets or moves the volume of this number (below RICO_MAX_KILL_VOLUMES), or removes it if `volume`
 * is NULL. Takes effect in the next step.
 *
 * Errors: RICO_OUT_OF_RANGE, RICO_NOT_FINITE, RICO_BUSY. The volume then stays as it was. */
RICO_API rico_result rico_world_set_kill_volume(rico_world *world, uint32_t number,
                                                const rico_kill_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
