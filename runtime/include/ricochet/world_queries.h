/* world_queries.h - what the last step asked of the scene: to be drawn, and to see where a budget goes.
 *
 * Threads: as the world's other calls, between steps. Nothing is kept for this beyond what a step needs
 * anyway, and what is not asked for costs nothing.
 * Determinism: the same list, in the same order, for any number of workers.
 */
#ifndef RICOCHET_WORLD_QUERIES_H
#define RICOCHET_WORLD_QUERIES_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rico_query_kind {
    /* The surfaces in a cell of the record cache, or in a group of eight, and in parts of it where they are
     * many: mode cached. */
    RICO_QUERY_GATHER = 1,
    /* Where the path of a particle leads: of mode classic; of mode cached while it waits for a record. */
    RICO_QUERY_RAY = 2
} rico_query_kind;

typedef struct rico_query {
    rico_query_kind kind;
    rico_effect_id effect;  /* the particle's; it may be gone since */
    rico_box box;           /* gather: the cells; metres, world space */
    rico_vec3 from, to;     /* ray: up to where it met something, else to its end */
    bool met;               /* gather: there are surfaces; ray: it met one */
    uint32_t gathers, rays; /* as rico_world_stats counts them */
    /* Charged. Rays of those who wait have 0: all of them and all contact rays (below) are charged together, four to
     * a unit, rounded up. So much less than rico_world_stats.query_units is the sum of these. */
    uint32_t units;
} rico_query;

/* The queries that the last step chose under its budget (rico_world_def.queries_per_frame bounds their
 * number), by effect slot, then rays of those who wait, beginning with another effect in each step: writes the first `capacity` of them and returns how
 * many there are. out may be NULL when capacity is 0.
 * Not among them: contact rays, by which particles of modes exact and cached are moved in a step
 * (rico_world_stats.rays has them); and rays of the host's own caster, which sees them itself: in such
 * a world there are none. There are none either before the first step, and after calls that ask for
 * themselves or move everything: rico_world_bake, rico_effect_bake, rico_effect_seek, a prewarmed spawn,
 * rico_world_shift_origin. */
RICO_API uint32_t rico_world_queries(const rico_world *world, rico_query *out,
                                     uint32_t capacity);

/* Of the last step: queries that the effect's particles lacked, and those of them that its own budget, what
 * others left of theirs, and the world's granted. Who gets fewer is starved: particles of mode cached then wait
 * for records (recipe.queries_per_frame). Both 0 for a stale id, for who stands still or sleeps, and before the
 * first step. rico_world_stats has the sums. */
typedef struct rico_query_share {
    uint32_t wanted, granted;
} rico_query_share;

RICO_API rico_query_share rico_effect_query_share(const rico_world *world,
                                                  rico_effect_id effect);

#ifdef __cplusplus
}
#endif
#endif
