/* world.h - the particle world: creating one, stepping it, and its statistics.
 *
 * A world holds colliders (world_colliders.h), recipes and the effects that run them
 * (world_effects.h). Each step moves all particles and lets them collide; afterwards the host reads
 * particles (world_view.h, output.h) and events (world_events.h). This header includes them all but
 * output.h.
 *
 * Threads: a world is used by one thread at a time; different worlds are independent of each other.
 *   Some calls also run on the world's workers, and return when all work is done: rico_world_step,
 *   rico_effect_seek, spawning an effect whose recipe has a prewarm, edits that build grids
 *   (rico_world_add_mesh, rico_world_add_shape, rico_world_merge, rico_world_shift_origin),
 *   rico_world_bake, rico_effect_bake, rico_world_load_cache and rico_output_write. The world is
 *   busy while one of these runs (as seen from a hook, or from a job of the host that the pool runs
 *   meanwhile), while a cache is saved or drawn, and while the host's allocator or log is called. A
 *   busy world refuses every call that would change it with RICO_BUSY, or with a null id if the
 *   call returns an id. rico_world_step, rico_world_destroy and rico_output_destroy are misuse
 *   then. Calls that run on workers are also misuse from inside a job of the pool that the world
 *   uses; if the assert handler returns, they fail with RICO_BUSY. So they are while another thread
 *   is in such a call of a world on the same pool: give worlds that two threads step at once pools
 *   of their own.
 *
 * Units: metres, seconds, radians. Positions are floats relative to the world's origin, within
 *   +-1e6 m. Neighbouring floats are half a millimetre apart at 4 km from the origin and 8 mm at
 *   100 km. Collisions are reliable up to that distance; farther out, particles of mode cached may
 *   miss surfaces. In a large world, move the origin along with the viewer
 *   (rico_world_shift_origin).
 *
 * Stack: a call that runs on workers uses up to 84 KiB of stack on each thread that takes part.
 *
 * Determinism: the same calls give the same bits, for any number of workers, any instruction set
 *   and any compiler (DECISIONS.md says what that rests on).
 *
 * Floating point: calls, their jobs and the hooks that they call round to nearest, keep denormals
 *   and trap on no exception, however the host has set its threads. A thread's settings are
 *   restored on return, except for its status flags.
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
#include <ricochet/world_colliders.h>
#include <ricochet/world_effects.h>
#include <ricochet/world_events.h>
#include <ricochet/world_view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_world rico_world;

/* --- Creating a world ---------------------------------------------------------------------
 *
 * All memory that steps need is reserved when the world is created, from these bounds.
 */
typedef struct rico_world_def {
    uint32_t cookie; /* set by rico_world_def_default; do not touch */

    /* Most particles that can be alive at once, 1..2^26 [262144]. Births beyond it are starved:
     * they do not happen, and rico_world_stats.births_starved counts them. Effects in the highest
     * slots lose theirs first. */
    uint32_t max_particles;

    /* Most effects at once, 1..2^20 [4096]. Each takes 3.8 KiB; 0.8 KiB if particle_bytes is
     * given. */
    uint32_t max_effects;

    /* Memory for particles, in bytes, 64 KiB..64 GiB; 0 = derived from max_particles and
     * max_effects [0]. It covers particle data, the unused part of blocks that are not full, and
     * the bookkeeping of blocks. Both bounds hold: births beyond either are starved. A particle of
     * mode cached with a colour over life takes about 61 bytes, in an effect that has as many
     * particles alive as its rate, lifetimes and bursts lead to. */
    uint64_t particle_bytes;

    uint32_t max_recipes; /* most recipes at once, 1..4096 [64] */
    uint32_t max_fields;  /* most force fields at once (world_fields.h), 0..256 [64] */

    /* Most events that the host can read after a step, 0..2^22 [16384]. Sub-emitters need events,
     * too. Each worker reserves room for twice as many, plus about 380 KiB. An event takes
     * 76 bytes; 84 once a sub-emitter has inherit_size or inherit_color. On most systems, the part
     * that is never used takes no memory. */
    uint32_t max_events;

    /* Query units per step for the whole world, 0..2^16 [2048]. Each takes 4.2 KiB. */
    uint32_t queries_per_frame;

    /* The part of queries_per_frame that effects of mode cached share by need, where their own
     * units (rico_recipe.queries_per_frame) do not suffice, 0..2^16 [256]. They need it, for
     * example, in a world in which nothing is known yet, in a shower of 100,000 drops, or with a
     * ray caster of the host's. A unit costs 2 to 9 us of one worker. */
    uint32_t shared_queries_per_frame;

    /* Size of the table of cell records, in bytes, 64 KiB..64 GiB [128 MiB]. The system hands out
     * its pages in the first rico_world_add_recipe for mode cached, the first bake or the first
     * load, whichever comes first. That takes 13 to 340 ms, and no step waits for it. */
    uint64_t cache_bytes;

    /* Size of the table of planes of mode classic, in bytes, 64 KiB..64 GiB [2 MiB]. */
    uint64_t classic_cache_bytes;

    /* Edge of the largest cells, in metres, 0.05..2 [1]. Each record is of one cell. Cells are
     * divided where geometry is dense. */
    float cell_size;

    uint64_t seed; /* of everything random [1] */

    /* 1..256, the calling thread included; 0 = one per CPU [0]. Without effect if `jobs` is set. */
    uint32_t worker_count;

    /* The host's pool of workers, which must outlive the world (asserted); all calls that run on
     * workers enter it. NULL = the world makes a pool of its own, of worker_count workers
     * [NULL]. */
    rico_jobs *jobs;

    /* True = the system hands out all reserved pages when the world is created, not in the first
     * steps that write to them [false]. That takes 24 to 460 ms (on one virtual machine). */
    bool prefault;

    rico_ray_caster ray_caster; /* the host's, which replaces the scene: ray_caster.h [none] */
    rico_allocator allocator;   /* hooks.h */
    rico_log log;               /* hooks.h */
} rico_world_def;

/* Returns the defaults that are given in brackets above. */
RICO_API rico_world_def rico_world_def_default(void);

/* Creates a world. By default it reserves some 200 MiB, with all bounds small 10 MiB.
 *
 * Errors: *world is NULL then, and nothing stays behind.
 *   RICO_UNINITIALIZED_DEF: def does not come from rico_world_def_default.
 *   RICO_OUT_OF_RANGE, RICO_NOT_FINITE: the log names the field and its range.
 *   RICO_OUT_OF_MEMORY: the log says how much memory was wanted. */
RICO_API rico_result rico_world_create(const rico_world_def *def, rico_world **world);

/* Destroys the world and all that it owns; NULL is ignored. Destroy its outputs first
 * (asserted). */
RICO_API void rico_world_destroy(rico_world *world);

/* Returns the reason of the latest failure of a call that edits this world, whether that call
 * returned an error or a null id. RICO_OUT_OF_RANGE also stands for misuse (a NULL argument, say)
 * after which the assert handler returned. Calls that only read the world do not change the
 * reason. */
RICO_API rico_result rico_world_last_result(const rico_world *world);

/* --- The step ----------------------------------------------------------------------------- */

/* Advances everything by `dt` seconds, 0..1. It cannot fail, and allocates nothing. world_step.h
 * has the same step in two halves, between which the host can do other work.
 *
 * A dt above 1 s counts as 1 s: nothing makes up for the rest. The first one in a world logs a
 * warning.
 *
 * A step with dt 0 counts as a step, but nothing happens in it and it has no events. What was
 * moved, edited or requested since the last step waits for the next one. There are two exceptions:
 * particles of local space are carried along with their effect at once, and effects that emit
 * nothing and have no particles end (rico_world_ended).
 *
 * Long steps: in mode cached, gravity may bend the path of one step by more than the particle's
 *   radius (by more than 1 cm if the radius is larger). Then surfaces are searched for along the
 *   step of every particle. With 9.81 m/s^2 this begins at a dt of 0.09 s; with a radius of 2 mm,
 *   at 0.04 s. Such a step takes about twice as many instructions. Few particles get out of closed
 *   rooms: of 113,490 random ones, within 6 s, none at a dt of 1/10 s, and 63 at 1/20 s.
 *
 * Misuse: a negative dt, NaN, or a call from inside a step, asserts; if the assert handler returns,
 *   the call does nothing. */
RICO_API void rico_world_step(rico_world *world, float dt);

/* --- Statistics --------------------------------------------------------------------------- */

typedef enum rico_stage {
    RICO_STAGE_PLAN,
    RICO_STAGE_SIMULATE,
    RICO_STAGE_QUERY,
    RICO_STAGE_MERGE,
    RICO_STAGE_REPORT,
    RICO_STAGE_COUNT
} rico_stage;

/* Returns the stage's name ("plan", "simulate", ...). Lifetime: static storage. */
RICO_API const char *rico_stage_name(rico_stage stage);

typedef struct rico_world_stats {
    /* --- The last step --- */

    /* Number of steps so far, including those of effects that were run by themselves (prewarm,
     * rico_effect_seek). After 2^32 - 1 it is 1. */
    uint32_t frame;
    uint64_t stage_ns[RICO_STAGE_COUNT]; /* time of each stage, nanoseconds */
    /* That exist: effects and particles now, blocks after that step. A block holds particles of one
     * effect. */
    uint32_t effects, particles, blocks;
    uint32_t births, deaths;
    /* Births that did not happen for want of memory or because of a limit. An effect's rate counts
     * for 2^24 at most. */
    uint32_t births_starved;
    uint32_t bounces;
    uint32_t sleeping; /* particles at rest; those of effects whose time stood still do not count */
    uint32_t sleeping_effects;     /* effects in which nothing happens: they cost a step nothing */
    uint32_t lookups, lookup_hits; /* look-ups in the caches; those with an answer */
    uint32_t requests;             /* particles that lacked a record */
    uint32_t query_units;          /* charged to the budget (DECISIONS.md) */
    /* Queries that effects needed; those of them that the budgets granted; number of effects that
     * were granted fewer than they needed. world_queries.h has the numbers of each effect. */
    uint32_t queries_wanted, queries_granted, effects_starved;
    uint32_t rays, gathers; /* queries of the scene itself, of either kind */
    uint32_t events, events_dropped;

    /* --- The caches, now --- */

    /* Records of mode cached and room for them; planes of mode classic and room for them. Records
     * that an edit has made invalid are counted until the next step, or until a call of
     * world_cache.h looks at the cache. */
    uint64_t cache_records, cache_record_capacity, plane_records, plane_record_capacity;
    /* Memory that both caches have taken, in bytes, including their tables and room for the records
     * that a step adds. It is more than rico_world_def.cache_bytes, and not all of it is for
     * records; on a host's ray caster, where there are no records, it may be less. Then the part of
     * it that the present records take. */
    uint64_t cache_bytes, cache_record_bytes;
    /* Records that were evicted, and new ones that were dropped, by both caches, since creation. If
     * mode cached drops most of its new records for 60 steps, a step logs a warning, once. */
    uint64_t cache_evicted, cache_dropped;

    /* --- Memory --- */

    /* Bytes that the world holds from its allocator now, with all that it owns: scene, caches, its
     * own pool of workers. Then the number of allocations since creation. Outputs and a pool of the
     * host do not count. */
    uint64_t bytes, allocations;

    uint32_t workers;
    const char *isa; /* instruction set of the kernels */
} rico_world_stats;

RICO_API rico_world_stats rico_world_get_stats(const rico_world *world);

/* Returns the world's pool of workers, for its statistics. */
RICO_API const rico_jobs *rico_world_jobs(const rico_world *world);

/* Returns a 64-bit hash of the whole state: particles, effects, fields, caches, the last step's
 * events, and the number of steps (rico_world_stats.frame), so that it also changes in a step with
 * dt 0. Equal worlds have equal hashes. Calls of world_cache.h, those that fail included, let
 * pending edits take effect, which changes the hash.
 *
 * Cost: about 1 ns per particle and 0.2 us per record (rico_world_stats.cache_records). */
RICO_API uint64_t rico_world_hash(const rico_world *world);

#ifdef __cplusplus
}
#endif
#endif
