/* state.h - the world's state: recipes, effects, blocks, per-worker scratch.
 *
 * State refers to other state by 32-bit index, never by pointer.
 */
#ifndef RICO_STATE_H
#define RICO_STATE_H

#include "bits.h"
#include "coverage.h"
#include "crowding.h"
#include "detail.h"
#include "edits.h"
#include "emitter.h"
#include "event_arena.h"
#include "fields.h"
#include "kernel.h"
#include "kill_volumes.h"
#include "memory.h"
#include "movers.h"
#include "pool.h"
#include "record.h"
#include "seeds.h"
#include "sleep.h"
#include "step_ahead.h"

#include <ricochet/cache.h>
#include <ricochet/world.h>
#include <stddef.h>

#define RICO__RAYS_PER_UNIT 4u     /* short rays that make a query unit */
#define RICO__CONTACTS_PER_STEP 4u /* bounces of one particle in one step; ride.c: twice as many */

/* A known path is good for steps that are on average longer or shorter by at most this factor.
 * At 60 Hz it is then off by 8 mm after a second of free fall. */
#define RICO__DT_TOLERANCE 1.1f

/* What becomes of an effect's paths in a step: bits. */
#define RICO__PATHS_FORGOTTEN 1u /* they are forecast anew */
#define RICO__PATHS_OUTRUN 2u    /* the step may be longer than some of them are known for */
#define RICO__PATHS_UNEVEN 4u    /* its steps are not all of one length */
#define RICO__PATHS_BEGUN 8u     /* this was its first step */

/* The lengths of an effect's steps, in seconds of its own time: pace.h. */
typedef struct rico__pace {
    float mean, last, lag, lag_before;
    float over; /* seconds that the mean is over */
} rico__pace;

/* Steps of an effect that are shorter than this, in its own time, are saved up and made as
 * steps of just this. Ages are floats: sums of this are exact up to 2048 s; sums of shorter
 * steps are not, or stop growing. */
#define RICO__SHORT_STEP 0x1p-13f

#define RICO__GATHERED_TRIANGLES 256u

#define RICO__EMPTY_CELL_BITS 12u /* log2 of the empty cells that a worker remembers */

/* Streams of a block, in this order. A recipe has RICO__NO_STREAM for absent ones. */
typedef enum rico__field {
    FIELD_PX,
    FIELD_PY,
    FIELD_PZ,
    FIELD_VX,
    FIELD_VY,
    FIELD_VZ,
    FIELD_AGE,
    FIELD_LIFE, /* in mode fixed with the number of the particle's plane: rico__palette */
    FIELD_NXY,  /* own plane: own_plane.h */
    FIELD_NZ_KNOWN,
    FIELD_ND,
    FIELD_UNTIL, /* age up to which its path is known */
    FIELD_COLLIDER,
    FIELD_TRIANGLE, /* owner of its own plane: rico__owner, own_plane.h */
    FIELD_SIZE,
    FIELD_COLOR,
    FIELD_ID,
    FIELD_SCALE, /* factor of its size over life */
    FIELD_TINT,  /* factor of its colour over life, packed */
    FIELD_WX,
    FIELD_WY,
    FIELD_WZ, /* spin of particles that roll, radians/s */
    FIELD_QX,
    FIELD_QY,
    FIELD_QZ,
    FIELD_QW, /* their rotation by rolling: a unit quaternion */
    FIELD_LAST_PX,
    FIELD_LAST_PY,
    FIELD_LAST_PZ, /* with interpolation: where it was when the last step began */
    FIELD_COUNT
} rico__field;

#define RICO__NO_STREAM 0xffu

/* A triangle that particles are born on. */
typedef struct rico__face {
    rico_vec3 corner, u, v; /* u, v: sides from the corner */
    rico_vec3 normal;       /* unit */
    uint32_t up_to;         /* share of the area of the faces up to this one, in 2^-32 */
} rico__face;

/* Owner: the world, for its whole life. Threads: written by edits and by the stepping thread, in
 * plan and report; read by all in simulate. */
typedef struct rico__recipe {
    rico_recipe def;
    uint32_t generation;
    bool alive;                  /* else the slot is free */
    uint8_t stream[FIELD_COUNT]; /* index of each field's stream */
    uint32_t stream_count;
    /* Streams that are read or written as wholes: by passes the first ones; when a block is
     * finished, so many from `late_first` on. */
    uint32_t pass_streams, late_first, late_streams;
    uint32_t block_capacity; /* particles: block_layout.h */
    uint32_t stream_floats;  /* floats from one stream to the next */
    uint32_t block_units;
    uint32_t request_capacity; /* cells that one block may ask for in one frame */
    rico__emission emission;
    /* Looks change in each step; each birth draws size, colour. */
    bool changes_looks, draws_size, draws_color;
    bool plain_response; /* rico__respond and kernels answer contacts: response.h */
    rico__face *faces;  /* shape mesh; NULL else */
    uint32_t face_count;
    uint32_t sub_bits;   /* events that its sub-emitters wait for */
    uint32_t look_bits;  /* of those, at which births inherit size or colour: looks.h */
    uint32_t inherits;   /* what its particles inherit: looks.h */
    uint32_t event_bits; /* sub_bits and def.events */
    uint32_t sub_effect1; /* slot + 1 of the effect whose births are of seeds; 0 = none */
    rico__feed feed; /* its births of the next step */
    uint32_t emitted, emitted_births; /* its share of the world's, for the next step */
    bool host_feeds;                  /* the host has emitted particles of it */
    rico_filter filter;               /* what its queries about static geometry see */
    float lowest;                     /* cosine of def.spread */
    float contact_radius;             /* def.radius, but never zero */
    rico__tables tables;
    rico__turning turning;
    rico__keys frames;     /* of sprites */
    rico__step step;       /* for the last dt of the world */
    float drag;            /* in the step; 0 if it changes over life and is a force */
    float most_drag;       /* at any age */
    bool drag_varies;      /* over life */
    bool windy;            /* wind acts by drag, in the step */
    bool pushes;           /* has forces beside gravity, drag and wind: forces.h */
    bool pushed;           /* by these or by fields, in this step */
    bool detail;           /* takes part in detail: detail.h */
    rico__palette palette; /* mode fixed: the planes, and none */
    rico_vec3 up;          /* against gravity; zero without */
    float fall;            /* length of gravity */
} rico__recipe;

/* Whether births of seeds wait for the next step. */
static inline bool rico__owes_births(const rico__recipe *recipe)
{
    return recipe->feed.births > 0 || recipe->emitted > 0;
}

/* What an effect's particles did in the last step. With interpolation they remember from where. */
typedef enum rico__ways_made {
    RICO__STOOD, /* nothing, or nothing that is to be seen: they are drawn where they are */
    RICO__MOVED, /* the step moved them from where they were */
    RICO__RODE   /* the same, after the effect took them along on a way that is to be seen */
} rico__ways_made;

/* Owner: the world; a slot is free when alive is false. Threads: the stepping thread in plan,
 * query selection and report; there and at simulate's end, jobs over slots, each effect by one.
 * Read-only while blocks are simulated. Order: what effects compete for is given out by slot. */
typedef struct rico__effect {
    /* What each walk of a step reads of each effect: one cache line. */
    _Alignas(RICO_CACHE_LINE) uint32_t recipe;
    bool alive, emitting;
    bool moved;        /* since the last step: from `before` to `transform` */
    uint8_t paths;     /* in this step: RICO__PATHS_ */
    bool missed_edits; /* while its time stood still */
    bool forgets;      /* in this step: all that is known of paths; sleeping particles wake */
    bool fed;          /* its births are of seeds alone; it stays when it is empty */
    bool dozes;        /* sleep.h: it sleeps, or was not settled since it woke */
    uint8_t ways;      /* rico__ways_made, of the last step that it could take part in */
    bool saves;        /* this step was too short, and is saved for a later one */
    bool along;        /* fed: runs along with one that is run by itself: along.h */
    bool bears;        /* has births by rate, as of its last step: it does not sleep */
    float time_scale;
    float dt;             /* own time of this step */
    float lived;          /* dt of the last step that it could take part in */
    float path_dt;        /* length of the steps from which paths are made; 0 = none yet */
    uint32_t next_serial; /* of the next birth */
    uint32_t particle_count;
    uint32_t first_block, last_block;
    uint32_t births_due; /* wanted by the recipe in this step */
    uint32_t list_begin; /* its place in the block list of the step that it was last in */
    uint32_t listed;     /* world.listing of that step; 0: its blocks have changed since */
    union {
        uint32_t next_free; /* while not alive: next free slot + 1 */
        uint32_t block_count;
    };
    /* Births read from here on; plan reads the first line of it. */
    uint64_t seed;
    rico__emitter emitter;
    rico_transform transform, before;
    void *user;          /* the host's */
    uint32_t generation, tint; /* tint: of outputs */
    double clock;        /* its own time, for turbulence; stands still if it has no forces */
    rico__regard regard; /* of recipes with detail */
    rico_transform place; /* space local: to which its particles have been carried */
    rico_transform came_from; /* space local: `place` before the last step it could take part in */
    bool jumped;   /* teleported since that step */
    rico__pace pace; /* while its steps are uneven */
    /* The number of its life, among all that effects of the world begin: spawned or started
     * anew. Ids of particles are unique within one life. */
    uint32_t life;
    double saved; /* of its own time, not lived through yet: steps were too short */
    uint64_t known_edits; /* edits.notes when it was last run by itself */
    uint32_t aside;       /* its particles that stand aside while new ones run along */
} rico__effect;

_Static_assert(offsetof(rico__effect, seed) <= RICO_CACHE_LINE, "it has outgrown its line");
_Static_assert(offsetof(rico__effect, emitter.spans[1]) <= 2 * RICO_CACHE_LINE,
               "so has what a birth by rate reads");

/* For a recipe that is fed, while an effect is run by itself: along.h. */
typedef struct rico__kept {
    rico__effect effect; /* if it runs along: as it was, with the blocks that stand aside */
    rico__feed feed; /* births for the world's next step */
} rico__kept;

/* What an effect wants in a step of what all effects compete for. Made in plan, by effect, so
 * that giving it out is quick. All 0 for an effect that takes no part. */
typedef struct rico__demand {
    uint32_t births, refused; /* of those that are due */
    uint32_t new_blocks;      /* for births that find no room in its blocks */
    uint32_t blocks;          /* that it has, with the new ones */
} rico__demand;

/* An effect's query units; by effect, so that they are shared out quickly: shares.h. */
typedef struct rico__account {
    float credit;             /* negative = overdraft */
    uint32_t wanted, granted; /* in this frame */
    float significance;       /* 1 for effects that take no part in detail */
    bool shares;              /* gives units that it does not need, and gets those of others */
} rico__account;

/* What a step leaves of an effect. Jobs write it, so that its end looks at few effects. */
typedef struct rico__outcome {
    uint32_t particles;
    bool any_empty; /* some blocks are empty, to give back */
    bool sleeps;    /* from now on */
    bool untidy;    /* report looks at it: one of these, or it has moved, or may be over */
} rico__outcome;

/* Sums over the effects that one job looks at (RICO__EFFECT_GRAIN of them, side by side). The
 * job notes them, so that what is serial in a step looks at few effects. */
typedef struct rico__sums {
    uint64_t births, refused, new_blocks; /* of their demands */
    uint32_t blocks;
    uint32_t list_begin; /* their place in this step's block list */
    uint32_t particles;  /* of their outcomes */
    bool untidy;
    uint64_t wanted, granted; /* of their accounts, before anything is shared */
    uint64_t lacked, weighted; /* of those that share: wanted - granted, as it is; by weights */
    float spare;
} rico__sums;

/* A cell without a record, and the finest cell in it where a path comes in. If the cell has to
 * be divided, that part is wanted. */
typedef struct rico__lack {
    rico_cache_key key, finest;
} rico__lack;

/* A cell that particles of a block lack: by how many it is wanted; whether some are in it
 * already. In the block's memory behind the streams: one per RICO__PARTICLES_PER_REQUEST
 * particles. */
#define RICO__PARTICLES_PER_REQUEST 16u
#define RICO__LEAST_REQUESTS 4u
typedef struct rico__request {
    rico__lack lack;
    uint32_t wanted;
    bool here;
} rico__request;

/* A block's header: the first unit of its memory, whose index is the block's. Streams follow,
 * then requests. Owner: the pool. Threads: plan (jobs over effects, too), query, merge (one job)
 * and report; in simulate the one job that has it. Order: the effect's list, oldest first. */
typedef struct rico__block {
    _Alignas(RICO_CACHE_LINE) uint32_t next;
    uint32_t effect;
    uint16_t recipe, count;
    uint16_t birth_count, request_count;
    uint32_t birth_serial;           /* planned for this step */
    uint32_t events_at[EVENT_PARTS]; /* where this step's events are among the raw events */
    uint16_t event_counts[EVENT_PARTS];
    uint64_t asleep[4];  /* bit per particle: at rest */
    uint64_t waits[4];   /* bit per particle: waits for a record of its cell */
    uint64_t rebound[4]; /* bit per particle: as in rico__masks */
} rico__block;

_Static_assert(sizeof(rico__block) == RICO__UNIT_BYTES, "it has outgrown its lines");

/* Counts of one worker in one step: sums of integers, so their order does not matter. */
typedef struct rico__tally {
    uint32_t births, deaths, bounces, sleeping;
    uint32_t lookups, lookup_hits, requests, rays, gathers;
    uint32_t extents;      /* cells asked for of which nothing was known */
    uint32_t contact_rays; /* short rays: asked inside simulate, and by waiting.c; not in `rays` */
} rico__tally;

/* A block that is prefetched a few lines at a time, and how far: simulate.c. NULL = none. */
typedef struct rico__fetching {
    const rico__streams *streams; /* the block is ahead of these */
    uint32_t floats;
} rico__fetching;

/* Owner: the world, one per worker. Threads: that worker. Contents never outlive the block or
 * query that they were used for, except where it says so. */
typedef struct rico__scratch {
    rico__tally tally;
    rico__event_arena events;
    float impact_time[RICO__MAX_BLOCK], impact_speed[RICO__MAX_BLOCK]; /* rico__impacts */
    float impact_into[RICO__MAX_BLOCK];
    uint32_t bounces; /* stays: of the worker's last block under planes, as a guess */
    rico__fetching fetching;
    rico_ray rays[RICO__MAX_BLOCK];
    rico_hit hits[RICO__MAX_BLOCK];
    float remaining[RICO__MAX_BLOCK];
    rico__ways ways;
    uint16_t lane[RICO__MAX_BLOCK];
    rico_vec3 met[RICO__MAX_BLOCK]; /* per lane: normal of what was met last; mode exact */
    rico_triangle triangles[RICO__GATHERED_TRIANGLES];
    rico_cache_key empty[1u << RICO__EMPTY_CELL_BITS]; /* known_cells.c */
    uint32_t empty_version;                            /* scene version for which it is true */
    unsigned char padding[RICO_CACHE_LINE];
} rico__scratch;

/* QUERY_CHORD: the path of a particle that waits for a record. QUERY_PATH: the path of a
 * particle of mode cached, asked of the host. */
typedef enum rico__query_kind {
    QUERY_GATHER,
    QUERY_RAY,
    QUERY_CHORD,
    QUERY_PATH
} rico__query_kind;

/* Owner: the world's query list. Threads: filled by the stepping thread, then one job each. */
typedef struct rico__query {
    rico__query_kind kind;
    uint32_t effect;
    rico_cache_key key;
    rico_cache_key finest; /* gather: where in the cell */
    uint32_t cells; /* gather: records that it may make, of parts on the way down to there */
    bool group; /* gather: of all cells of its group, if these have not too many triangles */
    rico_vec3 origin, direction; /* ray: metres, m/s; chord: the origin, set by the job */
    uint32_t block, lane;        /* ray, chord, path: whose plane it is */
    uint32_t units;              /* what it cost, set by the job */
    /* For the host's list of queries, set by the job: query_list.c. */
    uint32_t generation; /* of the effect */
    uint32_t gathers;
    rico_vec3 end; /* ray, chord: where it met something, or ended; it began at `origin` */
    bool met;
    uint32_t rays; /* chord: what it cost, in short rays; set by the job */
    /* Gather, set by the job: levels whose cells hold more than a record, as bits; whether the last
     * cell holds nothing, and its level. */
    uint32_t divided, last_level;
    /* A bit per cell of its group, and per part of these: 8 times the cell's number on. */
    uint32_t group_divided, group_empty;
    uint64_t parts_divided;
    bool empty;
    /* Path, set by the job: the host has answered; the particle's bit `rebound`; it is asleep. */
    bool answered, rebound, rests;
} rico__query;

/* Where a particle will go, as rays for the host's caster: host_paths.c. */
#define RICO__QUERY_RAYS 4u /* of a query unit */
typedef struct rico__course {
    rico_ray rays[RICO__QUERY_RAYS];
    uint32_t count;
    float seconds;        /* of a chord */
    bool slides, is_slow; /* slow on a plane too steep for rest: the first ray ... */
    rico_vec3 down;       /* ... looks this way for what holds it; of length 1 */
    bool sticks;          /* one ray, for what it sticks to */
    bool sounds;          /* the last ray tests whether it has sunk into what it is on */
} rico__course;

/* What a query asked a deferred caster: its rays begin at number `first`; generation: of the
 * effect. */
typedef struct rico__asked {
    rico__course course;
    uint32_t first, generation;
} rico__asked;

/* Owner: the world. Threads: the stepping thread; rays and hits are the host's while pending. */
typedef struct rico__host_rays {
    rico_ray *rays; /* the last step's, RICO__QUERY_RAYS per query */
    rico_hit *hits;
    rico__asked *asked; /* of each query */
    uint32_t ray_count;
    bool pending;           /* asked, and not collected */
    uint32_t changes;       /* reported by the host: part of the scene's version */
    uint32_t seen_changes;  /* `changes` in the last step of the whole world */
    uint32_t asked_changes; /* `changes` when the pending rays were handed over */
} rico__host_rays;

/* A run of the frame's block list that one job simulates. */
typedef struct rico__batch {
    uint32_t begin, end;
} rico__batch;

typedef struct rico__wave rico__wave; /* forecast.h */

/* Of a surface: what recipes that ask for it (by_surface) multiply with. */
typedef struct rico__surface_factors {
    float restitution, friction;
} rico__surface_factors;

struct rico_world {
    rico_world_def def;
    rico__memory memory;
    const rico__kernels *kernels;
    bool fetches_near; /* prefetches blocks into the first cache, which has room for two and more */
    rico_jobs *jobs;
    bool owns_jobs, warned_of_dt; /* warned_of_dt: that one was above 1 s */
    rico__step_ahead ahead;
    uint32_t worker_count;
    rico_scene *scene;
    const char *edit_call;   /* the host's last edit: what the scene refuses names it */
    rico__host_rays host;    /* in the scene's place, with a ray caster of the host's */
    rico__coverage coverage; /* cells of level 0 that have geometry near */
    rico__extents extents;   /* mode exact: how far geometry reaches in small cells */
    rico__movers movers;     /* colliders that move */
    rico__edits edits;       /* since the last step */
    rico__fields fields;     /* of force */
    rico__detail detail;     /* viewers, and the hook that says what matters */
    rico__kill_volumes kill_volumes;
    rico__surface_factors surfaces[RICO_MAX_SURFACES];
    rico_cache *records; /* mode cached: cell records */
    rico_cache *planes;  /* mode classic */
    rico__crowding crowding; /* of the records */
    rico_result last_result;
    uint32_t output_count; /* alive: they end before the world does */
    bool busy;          /* a call is in progress in which the host may be called */
    rico_log host_log;  /* def.log wraps it; in that, the world is busy */
    uint32_t alone; /* slot + 1 of the one effect that is run: seek.c; 0 = all are */

    rico__recipe *recipes;
    uint32_t recipe_count; /* slots that were ever used; some may be free */
    rico__effect *effects;
    uint32_t effect_count;      /* alive */
    uint32_t effect_high_water; /* slots ever used */
    uint32_t first_free_effect; /* slot + 1, 0 = none below the high water mark */
    uint64_t spawn_count;
    uint32_t life_count; /* rico__effect.life; 0 is no effect's */
    rico__pool pool;
    rico__block *blocks; /* the pool's memory: valid at first units of blocks */
    uint32_t block_limit; /* most blocks that there can be */
    uint32_t particle_count;
    rico__demand *demands;   /* of each effect, in plan */
    rico__account *accounts; /* of each effect */
    rico__outcome *outcomes; /* of each effect, from simulate's end on */
    rico__sums *sums;        /* of RICO__EFFECT_GRAIN effects each */
    uint32_t sums_count;     /* in this step */
    rico__sleep sleep;       /* which effects are left out of all that */

    float dt;
    uint32_t frame; /* steps, with those of effects run by themselves; 0 only before the first */
    uint32_t turn;          /* steps of the whole world that take time */
    uint32_t lived;         /* steps that take time: random numbers of a step go by these */
    uint32_t scene_version; /* to which particles' planes and sleep refer */
    bool scene_changed;     /* all of it, since the last step; parts of it: edits */

    uint32_t *block_list; /* this frame's blocks in effect order */
    uint32_t block_list_count;
    uint32_t listing;      /* numbers the lists, from 1 on */
    uint16_t *block_costs; /* of blocks in the list, in batches' units */
    uint16_t *block_counts; /* particles of these: by plan, then as simulate leaves them */
    bool any_scene, any_records; /* some recipe collides with it; is of mode cached */
    rico__batch *batches;
    uint32_t batch_count;
    rico__query *queries;
    uint32_t query_count, group_count; /* group_count: of these, for a whole group */
    rico_cache_key *again;      /* bake.c: cells of edits, of one level and the next */
    uint32_t *cell_bits;        /* cell_bits.h */
    rico_cache_key *query_keys; /* hash set of the keys asked for in this frame */
    uint32_t query_key_capacity;
    uint32_t query_key_mask; /* of the part that is used in this frame */
    rico_event *raw_events;  /* arenas of all workers, side by side: event_arena.h */
    rico__look *raw_looks;   /* beside the raw events; NULL before a recipe hands any on: looks.h */
    uint32_t *event_runs;    /* of the arenas, in the same way */
    uint32_t event_limit;    /* raw events kept in a step */
    bool any_raised;         /* events were raised in this step */
    rico_event *events;      /* of the raw events, those that the host gets */
    uint32_t event_count;
    rico_ended_effect *ended; /* in the last step of the whole world */
    uint32_t ended_count;
    /* Three parts: for the next step; of effects that run along; room to put both together.
     * NULL until needed. */
    rico__seed *seeds;
    rico__look *seed_looks; /* beside the seeds; NULL before a recipe hands any on: looks.h */
    uint32_t seed_capacity; /* of each part */
    uint32_t seed_count;    /* for the next step, of events */
    rico__emitted *emitted; /* emitted_count more: with seed_count no more than seed_capacity */
    uint32_t emitted_count;
    rico__kept *kept;     /* by recipe; NULL until needed */
    uint32_t along_count; /* effects that run along */
    rico__scratch *scratch;
    rico__wave *waves; /* one per worker */
    rico_world_stats stats;
};

/* Whether the step is one of the whole world, and takes time. Others leave all that waits for
 * the next such one: edits, and the moves of movers and emitters. */
static inline bool rico__goes_on(const rico_world *world)
{
    return world->alone == 0 && world->dt > 0.0f;
}

/* The effect's particles in none of its blocks. effect->aside is not on the line of steps. */
static inline uint32_t rico__aside(const rico_world *world, const rico__effect *effect)
{
    return world->along_count > 0 ? effect->aside : 0;
}

/* Whether the effect was run by itself after all that the host has edited since the last step:
 * then that is no news to it. */
static inline bool rico__knows_edits(const rico_world *world, const rico__effect *effect)
{
    return effect->known_edits == world->edits.notes;
}

/* What a query about static geometry sees; NULL = all there is. */
static inline const rico_filter *rico__still_filter(const rico_world *world)
{
    static const rico_filter still = {.layers = RICO__STILL_LAYERS};
    return world->movers.count > 0 ? &still : NULL;
}

/* The same for a recipe's particles. */
static inline const rico_filter *rico__recipe_filter(const rico_world *world,
                                                     const rico__recipe *recipe)
{
    return recipe->def.ignored_layers != 0 ? &recipe->filter : rico__still_filter(world);
}

/* Whether a collider of these layers is there for the recipe. */
static inline bool rico__is_there(const rico__recipe *recipe, uint32_t layers)
{
    return (layers & recipe->def.ignored_layers) == 0;
}

static inline bool rico__still_occupied(const rico_world *world, const rico_box *box)
{
    if (world->movers.count > 0)
        return rico_scene_occupied_layers(world->scene, RICO__STILL_LAYERS, box);
    return rico_scene_occupied(world->scene, box);
}

static inline float *rico__block_data(const rico_world *world, const rico__block *block)
{
    size_t at = (size_t)((const unsigned char *)block - world->pool.region);
    return (float *)(void *)(world->pool.region + at + sizeof *block);
}

/* The block's requests: the first request_count are written. Streams are whole cache lines. */
static inline rico__request *rico__block_requests(const rico_world *world,
                                                  const rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    size_t floats = (size_t)recipe->stream_count * recipe->stream_floats;
    return (rico__request *)(void *)(rico__block_data(world, block) + floats);
}

/* Whether the effect is hidden, and asks the scene nothing while it is. */
static inline bool rico__is_blind(const rico_recipe *def, const rico__effect *effect)
{
    return def->hidden == RICO_HIDDEN_RUNS_BLIND && effect->regard.hidden;
}

/* The field's stream in a block's data; NULL when the recipe has none. */
static inline float *rico__stream(const rico__recipe *recipe, float *data, rico__field field)
{
    uint32_t index = recipe->stream[field];
    return index == RICO__NO_STREAM ? NULL : data + (size_t)index * recipe->stream_floats;
}

static inline bool rico__bit(const uint64_t *words, uint32_t i)
{
    return (words[i / 64] >> (i % 64) & 1) != 0;
}

static inline void rico__bit_set(uint64_t *words, uint32_t i, bool value)
{
    uint64_t bit = (uint64_t)1 << (i % 64);
    words[i / 64] = value ? words[i / 64] | bit : words[i / 64] & ~bit;
}

/* How many bits of a mask of so many particles are set; mostly none. */
static inline uint32_t rico__bit_count(const uint64_t words[RICO__MASK_WORDS], uint32_t of)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w * 64 < of; ++w)
        if (words[w] != 0)
            count += bits_count64(words[w]);
    return count;
}

#endif
