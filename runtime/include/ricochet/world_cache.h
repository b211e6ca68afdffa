/* world_cache.h - warm starts: bakes, saves, loads and draws what mode cached knows of a world.
 *
 * Particles of mode cached bounce off records of cells. The world's query budget finds these
 * records one by one, as particles come near. Baking finds all of them at once, at loading
 * time. Loading a saved cache finds them without the scene's help. After either, the world
 * behaves like one that has run for a long time.
 *
 * Worlds on a host's ray caster have no records: here every call with valid arguments returns
 * RICO_NO_SCENE.
 *
 * Add recipes before you bake, save or load. Records reach as far around their cells as the
 * largest recipe.radius of mode cached needs. The first recipe over 2 cm makes the world forget
 * all records, with a warning on the log; so does the first over 5, 11, 21, 31, 51 and 76 cm.
 * Removing the recipe changes nothing.
 *
 * Threads: as the world's other calls. Baking and loading run on the world's workers. The calls
 *   return RICO_BUSY from inside a step, and from the functions that saving and drawing call.
 *   All may allocate, and release that memory before they return; what a writer allocates is
 *   its own matter. But where there are recipes of mode exact, a bake or a load may take memory
 *   for these, which stays (RICO_COLLIDE_EXACT).
 * Determinism: baking gives the same records, and saving the same bytes, for any number of
 *   workers. Worlds that load the same bytes do the same.
 */
#ifndef RICOCHET_WORLD_CACHE_H
#define RICOCHET_WORLD_CACHE_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Baking ------------------------------------------------------------------------------- */

typedef struct rico_bake_report {
    /* Cells that were asked about: those near surfaces, and parts of dense ones. A second bake
     * of a box has fewer: cells that turned out to be empty are not asked about again. */
    uint64_t cells;
    uint64_t known;   /* of these, cells whose record was there already */
    uint64_t dropped; /* records for which there was no room (rico_world_def.cache_bytes) */
    bool cut_short;   /* there are more cells than the cache has places for records; the others
                         were not even asked about */
} rico_bake_report;

/* Finds the records of all cells that touch the box, or nearly do, and are near surfaces.
 * NULL = everywhere.
 *
 * Records that do not fit are dropped. That is reported and is no failure. Cells are taken in
 * the order of size (the largest first), z, y, x; the first ones are kept. Of each size, no
 * more cells are asked about than the cache has places. When records were dropped or cells were
 * left out, a warning on the log says so, and what would help.
 *
 * report may be NULL. It is zero on failure. What was found before a failure stays.
 *
 * Cost: what as many query units cost in steps; no effect is charged for them. The limit of
 *   cells bounds time and memory (8 bytes per cell and size), however large the box is.
 * Errors:
 *   RICO_BUSY
 *   RICO_NO_SCENE
 *   RICO_NOT_FINITE: box.
 *   RICO_OUT_OF_RANGE: box.lo > box.hi.
 *   RICO_OUT_OF_MEMORY */
RICO_API rico_result rico_world_bake(rico_world *world, const rico_box *box,
                                     rico_bake_report *report);

/* Bakes the box that extends `reach` metres to each side of an effect's emitter.
 *
 * Call it after rico_effect_spawn, where a frame may take longer: the first particles then find
 * the records that they need.
 *
 * Range: reach 0..1000.
 * Errors: those of rico_world_bake, and
 *   RICO_STALE_ID
 *   RICO_OUT_OF_RANGE, RICO_NOT_FINITE: reach. */
RICO_API rico_result rico_effect_bake(rico_world *world, rico_effect_id effect, float reach,
                                      rico_bake_report *report);

/* --- Saving and loading ------------------------------------------------------------------- */

/* Takes the next bytes of a saved cache. The host returns false if they cannot be written,
 * which ends the saving. It must not change the world: edits, bakes and loads return RICO_BUSY
 * as in a step, and a step is misuse. */
typedef bool rico_cache_writer(void *user, const void *data, size_t bytes);

/* Saves all records that are there.
 *
 * The bytes are for machines of the same byte order, for the same version of the format, and
 * for the same scene. There are at most rico_world_def.cache_bytes + 64 of them.
 *
 * Errors:
 *   RICO_BUSY
 *   RICO_NO_SCENE
 *   RICO_NOT_WRITTEN: the writer returned false.
 *   RICO_OUT_OF_MEMORY */
RICO_API rico_result rico_world_save_cache(rico_world *world, rico_cache_writer *writer,
                                           void *user);

/* Loads a saved cache.
 *
 * Give all bytes in the order in which they were written, in one piece, of any alignment. They
 * are not kept. They need not be trusted: if anything about them is wrong, nothing is loaded.
 *
 * The scene must be the one that the cache was saved with:
 * - the same triangles, in colliders with the same slots;
 * - the same cell_size;
 * - recipes that need records to reach as far.
 * cache_bytes may differ.
 *
 * Moving colliders are neither part of that scene nor in records. A collider counts as standing
 * still until its first rico_world_move_colliders, and is left out from then on. So a level in
 * which a collider has not moved yet refuses a cache that was saved after its first move, and
 * the other way round. Save and load at the same point, best before anything moves.
 *
 * Records that do not fit are left out, which is no failure. A warning on the log says how many
 * of how many, and which cache_bytes would hold them (all but a few in 10,000, because buckets
 * fill unevenly). A record that the world has already stays if it is as new as a loaded one:
 * found in the last step or after it.
 *
 * Errors:
 *   RICO_BUSY
 *   RICO_NO_SCENE
 *   RICO_OUT_OF_MEMORY
 *   RICO_BAD_FILE: not a saved cache, another byte order or version, truncated, damaged, or for
 *     another scene, cell size or reach. The log says which. */
RICO_API rico_result rico_world_load_cache(rico_world *world, const void *data, size_t bytes);

/* --- Drawing ------------------------------------------------------------------------------ */

/* Takes one edge of a surface that a record knows, cut off where the record's reach ends. It
 * must not change the world, as rico_cache_writer. */
typedef void rico_cache_line(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal);

/* Draws the surfaces of all records that reach into the box, though their cells may lie beside
 * it: what particles of mode cached see of the world.
 *
 * Errors: with a message on the log.
 *   RICO_BUSY
 *   RICO_NO_SCENE
 *   RICO_NOT_FINITE: box.
 *   RICO_OUT_OF_RANGE: box.lo > box.hi. */
RICO_API rico_result rico_world_draw_cache(rico_world *world, const rico_box *box,
                                           rico_cache_line *line, void *user);

#ifdef __cplusplus
}
#endif
#endif
