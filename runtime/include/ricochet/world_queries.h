/* world_queries.h - lists what the last step asked of the scene: to draw it, and to see where a
 * budget goes.
 *
 * Threads: as the world's other calls, between steps.
 * Cost: the world keeps nothing for it beyond what a step needs anyway. It costs nothing until
 *   it is called.
 * Determinism: the same list, in the same order, for any number of workers.
 */
#ifndef RICOCHET_WORLD_QUERIES_H
#define RICOCHET_WORLD_QUERIES_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rico_query_kind {
    /* Mode cached: finds the surfaces in one cell of the record cache or in a group of eight
     * cells, and in parts of cells where there are many surfaces. */
    RICO_QUERY_GATHER = 1,
    /* Finds where the path of a particle leads: of mode classic, or of mode cached while the
     * particle waits for a record. */
    RICO_QUERY_RAY = 2
} rico_query_kind;

typedef struct rico_query {
    rico_query_kind kind;
    rico_effect_id effect;  /* of the particle that asked; may be gone by now */
    rico_box box;           /* gather: the cells; metres, world space */
    rico_vec3 from, to;     /* ray: its start, and where it met something, or else its end */
    bool met;               /* gather: it found surfaces; ray: it met one */
    uint32_t gathers, rays; /* as rico_world_stats counts them */

    /* Query units charged. Rays of waiting particles have 0: together with all contact rays
     * (below) they are charged as one sum, four to a unit, rounded up. By that much
     * rico_world_stats.query_units is more than the sum of these. */
    uint32_t units;
} rico_query;

/* Writes the first `capacity` queries that the last step chose under its budget, and returns
 * how many there are. rico_world_def.queries_per_frame bounds their number.
 *
 * They are ordered by effect slot. Rays of waiting particles follow at the end; these begin
 * with another effect in each step. out may be NULL if capacity is 0.
 *
 * Not in the list:
 * - contact rays, by which particles of modes exact and cached are moved in a step
 *   (rico_world_stats.rays counts them);
 * - rays of the host's own caster, which sees them itself: in a world with one the list is
 *   empty.
 *
 * The list is also empty before the first step, and after calls that ask for themselves or move
 * everything: rico_world_bake, rico_effect_bake, rico_effect_seek, the spawn of a recipe with
 * prewarm, and rico_world_shift_origin. */
RICO_API uint32_t rico_world_queries(const rico_world *world, rico_query *out,
                                     uint32_t capacity);

/* The queries of one effect in the last step. `wanted` counts those that its particles lacked.
 * `granted` counts those of them that its own budget, what others left of theirs, and the
 * world's budget paid for. */
typedef struct rico_query_share {
    uint32_t wanted, granted;
} rico_query_share;

/* Returns how many queries an effect wanted and got in the last step.
 *
 * An effect that got fewer than it wanted is starved: its particles of mode cached then wait
 * for records (recipe.queries_per_frame). Both numbers are 0 for a stale id, for an effect that
 * stood still or sleeps, and before the first step. rico_effect_seek, and the spawn of a recipe
 * with prewarm, set those of all other effects to 0. rico_world_stats has the sums. */
RICO_API rico_query_share rico_effect_query_share(const rico_world *world,
                                                  rico_effect_id effect);

#ifdef __cplusplus
}
#endif
#endif
