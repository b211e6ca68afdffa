/* world_cache.h - warm starts: what mode cached knows of a world, found beforehand, saved, loaded,
 * and drawn.
 *
 * Particles of mode cached bounce off records of cells, which the world's query budget finds one by
 * one as particles come near. Baking finds them all at once, at loading time; a saved cache finds
 * them without the scene's help. Either way the world then behaves as one that has run for long.
 * Worlds on a ray caster of the host's have no records: all of these calls give RICO_NO_SCENE.
 *
 * Records reach as far around their cells as the largest recipe.radius of mode cached wants, so add
 * recipes before baking, saving and loading: the first one over 2 cm (then 5, 11, 21, 31, 51, 76) makes
 * the world forget all records, with a warning on the log. That the recipe goes changes nothing.
 *
 * Threads: as the world's other calls; baking and loading run on the world's workers. Not from
 * inside a step, nor from the functions that save and draw call (RICO_BUSY). All allocate, and give it back, but for the writer's own doings.
 * Determinism: baking gives the same records, and saving the same bytes, for any number of workers;
 * worlds that load the same bytes do the same.
 */
#ifndef RICOCHET_WORLD_CACHE_H
#define RICOCHET_WORLD_CACHE_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Baking ------------------------------------------------------------------------------- */

typedef struct rico_bake_report {
    /* That were asked about: those near surfaces, and parts of dense ones. Of a box that was baked before they are
     * fewer, as cells that turned out to be empty are known as such, and not asked about again. */
    uint64_t cells;
    uint64_t known;   /* of these, records that were there already */
    uint64_t dropped; /* records that found no room (world_def.cache_bytes) */
    bool cut_short;   /* there are more cells than records can be: the others were not even asked about */
} rico_bake_report;

/* Finds the records of all cells near surfaces that touch the box; NULL = everywhere. Costs what
 * as many query units cost in steps; charges nobody. What does not fit is dropped, which is reported
 * and no failure: what comes first, in the order of size, z, y, x, is kept. Of each size, no more cells are asked about
 * than the cache has places: that bounds time and memory (8 bytes a cell and size) however large the box is. When
 * records were dropped or cells left out, a warning on the log says so, and what helps.
 * report may be NULL; it is zero on failure. A failure leaves what was found until then.
 * Errors: RICO_BUSY, RICO_NO_SCENE, RICO_NOT_FINITE, RICO_OUT_OF_RANGE (lo > hi),
 * RICO_OUT_OF_MEMORY. */
RICO_API rico_result rico_world_bake(rico_world *world, const rico_box *box,
                                     rico_bake_report *report);

/* The same for the box within `reach` metres (0..1000) of an effect's emitter: call it after
 * rico_effect_spawn, where a frame may take longer, so that its first particles find what they need.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE or RICO_NOT_FINITE (reach), and those of rico_world_bake. */
RICO_API rico_result rico_effect_bake(rico_world *world, rico_effect_id effect, float reach,
                                      rico_bake_report *report);

/* --- Saving and loading ------------------------------------------------------------------- */

/* Takes the next bytes of what is saved; false = they cannot be written, and saving ends. It may not
 * change the world: edits, bakes and loads give RICO_BUSY meanwhile, as in a step, and a step is misuse. */
typedef bool rico_cache_writer(void *user, const void *data, size_t bytes);

/* Saves all records that are there. What is written is for machines of the same byte order, the same
 * version of the format, and the same scene. It is at most def.cache_bytes + 64 bytes long.
 * Errors: RICO_BUSY, RICO_NO_SCENE, RICO_NOT_WRITTEN (the writer gave up), RICO_OUT_OF_MEMORY. */
RICO_API rico_result rico_world_save_cache(rico_world *world, rico_cache_writer *writer,
                                           void *user);

/* Loads what was saved: the bytes as they came, in one piece, of any alignment; they are not kept.
 * The scene must be the one that it was saved with: the same triangles in colliders with the same
 * slots, the same cell_size, and recipes that want records to reach as far. Bodies that move are not part of it, nor in the records: a collider is
 * left out from its first rico_world_move_colliders on, and counts as one that stands still before. So a
 * cache that was saved after a body's first move is refused by a level in which it has not moved yet,
 * and the other way round: save and load at the same point, best before anything moves.
 * cache_bytes may differ. What does not fit is left out, and no failure: a warning on the log says how
 * many records of how many, and which cache_bytes would hold them (all but a few in 10000, as buckets
 * fill unevenly). Records that were there already and are as new stay. The bytes need not be trusted. When anything about them is wrong, nothing is loaded.
 * Errors: RICO_BUSY, RICO_NO_SCENE, RICO_OUT_OF_MEMORY; RICO_BAD_FILE, and the log says why: not a
 * saved cache, of another byte order or version, truncated, damaged, of another scene, cell
 * size or reach. */
RICO_API rico_result rico_world_load_cache(rico_world *world, const void *data, size_t bytes);

/* --- Drawing ------------------------------------------------------------------------------ */

/* An edge of a surface that a record knows, as far as the record reaches. It may not change the world,
 * as rico_cache_writer. */
typedef void rico_cache_line(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal);

/* Draws the surfaces of all records whose cells touch the box: what cached particles see of the
 * world. Errors, with a message on the log: RICO_BUSY, RICO_NO_SCENE, RICO_NOT_FINITE,
 * RICO_OUT_OF_RANGE (lo > hi). */
RICO_API rico_result rico_world_draw_cache(rico_world *world, const rico_box *box,
                                           rico_cache_line *line, void *user);

#ifdef __cplusplus
}
#endif
#endif
