/* A world's creation and destruction, and what the host reads of it. */
#include "births.h"
#include "block_layout.h"
#include "cell_bits.h"
#include "float_mode.h"
#include "forecast.h"
#include "gathers.h"
#include "host_rays.h"
#include "preparation.h"
#include "record.h"
#include "stages.h"
#include "sub_emitters.h"
#include "vec.h"

#include "bits.h"
#include "check.h"
#include "limit.h"
#include "log.h"

#include <string.h>

#define WORLD_COOKIE 0x574f524cu

/* What is reserved for blocks unless the host says otherwise. For each particle: all streams
 * that it can have, and its share of header and requests. For each effect: what may be empty of
 * its last block. */
#define BLOCK_BYTES_PER_PARTICLE ((FIELD_COUNT + 2u) * 4u)
#define BLOCK_BYTES_PER_EFFECT 3072u

#define LEAST_PARTICLE_BYTES ((uint64_t)64 << 10)
#define MOST_PARTICLE_BYTES ((uint64_t)64 << 30)
_Static_assert(RICO__MOST_BLOCK_BYTES < LEAST_PARTICLE_BYTES / 2,
               "no recipe is without a block");

#define LEAST_CACHE_BYTES ((uint64_t)64 << 10)

/* A first cache of this size holds the block that a pass works on, the next one, and what is
 * kept of those before. */
#define LARGE_FIRST_CACHE ((size_t)48 << 10)

rico_world_def rico_world_def_default(void)
{
    return (rico_world_def){
        .cookie = WORLD_COOKIE,
        .max_particles = 262144,
        .max_effects = 4096,
        .max_recipes = 64,
        .max_fields = 64,
        .max_events = 16384,
        .queries_per_frame = 2048,
        .shared_queries_per_frame = 256,
        .cache_bytes = (uint64_t)128 << 20,
        .classic_cache_bytes = (uint64_t)2 << 20,
        .cell_size = 1.0f,
        .seed = 1,
    };
}

typedef struct count_bound {
    const char *field;
    uint64_t value, lo, hi;
} count_bound;

static rico_result check_caster(const rico_ray_caster *caster, const rico_log *log)
{
    const char *call = "rico_world_create";
    bool others = caster->collect != NULL || caster->occupied != NULL || caster->deferred;
    if (caster->cast == NULL && others)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "def.ray_caster.cast is NULL, but other members are set");
    if (caster->deferred ? caster->occupied != NULL : caster->collect != NULL)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "def.ray_caster.%s is not NULL, but the caster is %s",
                          caster->deferred ? "occupied" : "collect",
                          caster->deferred ? "deferred" : "not deferred");
    return RICO_OK;
}

static rico_result check_def(const rico_world_def *def)
{
    static const char call[] = "rico_world_create";
    if (def->cookie != WORLD_COOKIE)
        return rico__fail(&def->log, RICO_UNINITIALIZED_DEF, call,
                          "the def was not made by rico_world_def_default()");
    const count_bound bounds[] = {
        {"max_particles", def->max_particles, 1, 1u << 26},
        {"max_effects", def->max_effects, 1, 1u << 20},
        {"max_recipes", def->max_recipes, 1, 4096},
        {"max_events", def->max_events, 0, 1u << 22},
        {"max_fields", def->max_fields, 0, RICO__MOST_FIELDS},
        {"queries_per_frame", def->queries_per_frame, 0, 1u << 16},
        {"shared_queries_per_frame", def->shared_queries_per_frame, 0, 1u << 16},
        {"cache_bytes", def->cache_bytes, LEAST_CACHE_BYTES, (uint64_t)64 << 30},
        {"classic_cache_bytes", def->classic_cache_bytes, LEAST_CACHE_BYTES,
         (uint64_t)64 << 30},
        {"worker_count", def->worker_count, 0, RICO_JOBS_MAX_WORKERS},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i)
        if (bounds[i].value < bounds[i].lo || bounds[i].value > bounds[i].hi)
            return rico__fail(
                &def->log, RICO_OUT_OF_RANGE, call, "def.%s is %llu, expected %llu to %llu",
                bounds[i].field, (unsigned long long)bounds[i].value,
                (unsigned long long)bounds[i].lo, (unsigned long long)bounds[i].hi);
    if (def->particle_bytes != 0 && (def->particle_bytes < LEAST_PARTICLE_BYTES ||
                                     def->particle_bytes > MOST_PARTICLE_BYTES))
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.particle_bytes is %llu, expected 0 or %llu to %llu",
                          (unsigned long long)def->particle_bytes,
                          (unsigned long long)LEAST_PARTICLE_BYTES,
                          (unsigned long long)MOST_PARTICLE_BYTES);
    rico_result result =
        rico__limit_number(&def->log, call, "def.cell_size", def->cell_size, 0.05f, 2.0f);
    if (result == RICO_OK)
        result = rico__memory_check(&def->allocator, &def->log, call);
    if (result != RICO_OK)
        return result;
    return check_caster(&def->ray_caster, &def->log);
}

static rico_result create_jobs(rico_world *world)
{
    if (world->def.jobs != NULL) {
        world->jobs = world->def.jobs;
        rico_jobs_hold(world->jobs);
    } else {
        rico_jobs_def def = rico_jobs_def_default();
        def.worker_count = world->def.worker_count;
        def.allocator = rico__memory_lend(&world->memory);
        def.log = world->def.log;
        rico_result result = rico_jobs_create(&def, &world->jobs);
        if (result != RICO_OK)
            return result;
        world->owns_jobs = true;
    }
    world->worker_count = rico_jobs_worker_count(world->jobs);
    return RICO_OK;
}

static rico_result create_cache(rico_world *world, uint64_t bytes, uint32_t payload,
                                uint32_t unit, uint32_t room, rico_vec3 cell_size,
                                rico_cache **out)
{
    rico_cache_def def = rico_cache_def_default();
    def.cell_size = cell_size;
    def.table_bytes = bytes;
    def.payload_bytes = payload;
    def.payload_unit = unit;
    def.payload_room = room;
    /* Otherwise cells of several levels with the same coordinates would be crowded into one
     * bucket. */
    def.spread_directions = unit != 0 ? RICO__KEY_LEVEL_BITS : 0;
    /* One query may make many records, but only one plane. */
    def.deposit_capacity = unit != 0 ? rico__deposits_per_step(&world->def)
                                     : uint_max(1, world->def.queries_per_frame);
    def.worker_count = world->worker_count;
    def.allocator = rico__memory_lend(&world->memory);
    def.log = world->def.log;
    return rico_cache_create(&def, out);
}

typedef struct scene_ranges {
    rico_scene_range_fn *range;
    void *context;
} scene_ranges;

static void run_scene_ranges(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const scene_ranges *ranges = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        ranges->range(ranges->context, i);
}

/* Runs the scene's builds on the world's workers. */
static void lend_workers(void *user, uint32_t count, rico_scene_range_fn *range, void *context)
{
    rico_world *world = user;
    scene_ranges ranges = {range, context};
    const bool was = rico__begin_work(world);
    rico__work_for(world, 0, count, 1, run_scene_ranges, &ranges);
    rico__end_work(world, was);
}

/* Whether the text is about an edit: then the host called the world, not the scene. The host
 * asks the scene itself only questions. */
static bool is_edit(const char *text)
{
    return strncmp(text, "rico_scene_", 11) == 0 && strncmp(text + 11, "collider_", 9) != 0 &&
           strncmp(text + 11, "draw", 4) != 0;
}

static void pass_on(void *user, rico_log_level level, const char *text)
{
    const rico_world *world = user;
    const char *what = strchr(text, ':');
    if (what != NULL && world->edit_call != NULL && is_edit(text))
        rico__log(&world->def.log, level, "%s%s", world->edit_call, what);
    else
        rico__log(&world->host_log, level, "%s", text); /* may be on any thread */
}

/* A host that is told something may look at the world, but not edit it: the call that tells it
 * may be in the middle of an edit. */
static void tell_host(void *user, rico_log_level level, const char *text)
{
    rico_world *world = user;
    const bool busy = world->busy; /* set by a step, maybe on another thread */
    if (!busy)
        world->busy = true;
    rico__log(&world->host_log, level, "%s", text);
    if (!busy)
        world->busy = false;
}

static rico_result create_parts(rico_world *world)
{
    rico_result result = create_jobs(world);
    if (result != RICO_OK)
        return result;
    rico_scene_def scene_def = rico_scene_def_default();
    if (world->worker_count > 1)
        scene_def.runner = (rico_scene_runner){lend_workers, world};
    scene_def.allocator = rico__memory_lend(&world->memory);
    scene_def.log = (rico_log){pass_on, world};
    result = rico_scene_create(&scene_def, &world->scene);
    if (result != RICO_OK)
        return result;
    result = rico__coverage_init(&world->coverage, &world->memory);
    if (result != RICO_OK)
        return result;
    /* A world without geometry has no edit that would make it. */
    rico__coverage_build(&world->coverage, world->scene, world->def.cell_size);
    result = rico__edits_init(world);
    if (result != RICO_OK)
        return result;
    float cell = world->def.cell_size;
    /* On the host's rays there are no records. */
    uint64_t bytes = rico__has_caster(world) ? LEAST_CACHE_BYTES : world->def.cache_bytes;
    result = create_cache(world, bytes, sizeof(rico__record), RICO__RECORD_UNIT,
                          RICO__RECORD_ROOM, vec3(cell, cell, cell), &world->records);
    if (result != RICO_OK)
        return result;
    return create_cache(world, world->def.classic_cache_bytes, sizeof(rico_plane), 0, 0,
                        rico_cache_def_default().cell_size, &world->planes);
}

/* The world's arrays: one list for allocating and releasing them. An array is not cleared if
 * nothing of it is read before it is written, and mostly little of it is used. What is not
 * touched takes no memory and no time. */
typedef struct array {
    void **memory;
    size_t count, size;
    bool cleared;
} array;

#define ARRAY_COUNT 29

static void list_arrays(rico_world *world, array arrays[ARRAY_COUNT])
{
    const rico_world_def *def = &world->def;
    const size_t blocks = world->block_limit;
    const size_t places = def->max_effects / RICO__EFFECT_GRAIN + 1;
    const size_t raw = (size_t)world->worker_count * rico__event_arena_capacity(def);
    size_t deferred = def->ray_caster.deferred ? uint_max(1, def->queries_per_frame) : 1;
    const array list[ARRAY_COUNT] = {
        {(void **)&world->recipes, def->max_recipes, sizeof *world->recipes, false},
        {(void **)&world->effects, def->max_effects, sizeof *world->effects, true},
        {(void **)&world->demands, def->max_effects, sizeof *world->demands, true},
        {(void **)&world->accounts, def->max_effects, sizeof *world->accounts, true},
        {(void **)&world->outcomes, def->max_effects, sizeof *world->outcomes, true},
        {(void **)&world->sums, places, sizeof *world->sums, true},
        {(void **)&world->sleep.items, def->max_effects, sizeof *world->sleep.items, true},
        {(void **)&world->sleep.masks, places, sizeof *world->sleep.masks, true},
        {(void **)&world->sleep.wake_at, places, sizeof *world->sleep.wake_at, true},
        {(void **)&world->sleep.boxes, places, sizeof *world->sleep.boxes, true},
        {(void **)&world->sleep.active, places, sizeof *world->sleep.active, true},
        {(void **)&world->block_list, blocks, sizeof *world->block_list, true},
        {(void **)&world->block_costs, blocks, sizeof *world->block_costs, true},
        {(void **)&world->block_counts, blocks, sizeof *world->block_counts, true},
        {(void **)&world->batches, blocks, sizeof *world->batches, true},
        {(void **)&world->queries, uint_max(1, def->queries_per_frame), sizeof *world->queries,
         false},
        {(void **)&world->again, 2 * RICO__CELLS_AGAIN, sizeof *world->again, false},
        {(void **)&world->cell_bits, RICO__CELL_BIT_WORDS, sizeof *world->cell_bits, false},
        {(void **)&world->query_keys, world->query_key_capacity, sizeof *world->query_keys,
         true},
        {(void **)&world->raw_events, raw, sizeof *world->raw_events, false},
        {(void **)&world->event_runs, raw, sizeof *world->event_runs, false},
        {(void **)&world->events, uint_max(1, def->max_events), sizeof *world->events, false},
        {(void **)&world->ended, def->max_effects, sizeof *world->ended, false},
        {(void **)&world->scratch, world->worker_count, sizeof *world->scratch, true},
        {(void **)&world->waves, world->worker_count, sizeof *world->waves, true},
        {(void **)&world->host.rays, deferred * RICO__QUERY_RAYS, sizeof *world->host.rays,
         true},
        {(void **)&world->host.hits, deferred * RICO__QUERY_RAYS, sizeof *world->host.hits,
         true},
        {(void **)&world->host.asked, deferred, sizeof *world->host.asked, true},
        {(void **)&world->fields.items, uint_max(1, def->max_fields),
         sizeof *world->fields.items, true},
    };
    for (int i = 0; i < ARRAY_COUNT; ++i)
        arrays[i] = list[i];
}

static uint32_t block_limit(uint32_t units)
{
    return units / (RICO__LEAST_BLOCK_BYTES / RICO__UNIT_BYTES);
}

/* The bytes of a pool of so many units, with the lists of its blocks. */
static uint64_t bytes_of(uint32_t units)
{
    const rico_world *world = NULL;
    const uint64_t per_block = sizeof *world->block_list + sizeof *world->block_costs +
                               sizeof *world->block_counts + sizeof *world->batches;
    return rico__pool_bytes(units) + block_limit(units) * per_block;
}

static uint64_t block_bytes(const rico_world_def *def)
{
    if (def->particle_bytes != 0)
        return def->particle_bytes;
    return (uint64_t)def->max_particles * BLOCK_BYTES_PER_PARTICLE +
           (uint64_t)def->max_effects * BLOCK_BYTES_PER_EFFECT + LEAST_PARTICLE_BYTES;
}

/* The most units that take no more than `bytes`. */
static uint32_t units_within(uint64_t bytes)
{
    uint32_t low = 1, high = (uint32_t)(bytes / RICO__UNIT_BYTES) + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (bytes_of(middle) <= bytes)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void *create_array(rico_world *world, const array *a)
{
    if (!a->cleared)
        return rico__memory_reserve(&world->memory, a->count, a->size, RICO_CACHE_LINE);
    return rico__memory_allocate(&world->memory, a->count, a->size, RICO_CACHE_LINE);
}

static rico_result create_arrays(rico_world *world)
{
    const rico_world_def *def = &world->def;
    const uint32_t units = units_within(block_bytes(def));
    world->block_limit = block_limit(units);
    world->query_key_capacity = bits_ceil_power2(4 * uint_max(1, def->queries_per_frame));
    world->event_limit = rico__event_limit(def);
    rico_result result = rico__pool_init(&world->pool, &world->memory, units);
    if (result != RICO_OK)
        return result;
    world->blocks = (rico__block *)(void *)world->pool.region;
    array arrays[ARRAY_COUNT];
    list_arrays(world, arrays);
    for (int i = 0; i < ARRAY_COUNT; ++i) {
        *arrays[i].memory = create_array(world, &arrays[i]);
        if (*arrays[i].memory == NULL)
            return RICO_OUT_OF_MEMORY;
    }
    return RICO_OK;
}

/* A host that asks for one instruction set and gets another should know. */
static void tell_of_isa(const rico_world *world)
{
    const char *wanted = rico__isa_wanted(), *used = rico__isa_name(world->kernels->isa);
    if (wanted != NULL && strcmp(wanted, used) != 0)
        rico__log(&world->def.log, RICO_LOG_WARNING,
                  "rico_world_create: RICO_ISA is \"%s\", which is unknown or not in this CPU "
                  "or build; %s is used",
                  wanted, used);
}

/* Destroys what was made of the world, and logs why the rest could not be made. */
static rico_result fail_to_create(rico_world *world, rico_result result)
{
    static const char call[] = "rico_world_create";
    const rico_log log = world->host_log;
    const rico_world_def def = world->def;
    const rico__memory memory = world->memory;
    rico_world_destroy(world);
    if (result != RICO_OUT_OF_MEMORY || memory.refused_bytes == 0)
        return rico__fail(&log, result, call, "%s", rico_result_text(result));
    return rico__fail(
        &log, result, call,
        "no memory for %zu bytes in addition to %zu: def.cache_bytes is %llu, "
        "classic_cache_bytes %llu, max_particles %u, particle_bytes %llu, max_events %u",
        memory.refused_bytes, memory.live_bytes, (unsigned long long)def.cache_bytes,
        (unsigned long long)def.classic_cache_bytes, def.max_particles,
        (unsigned long long)def.particle_bytes, def.max_events);
}

rico_result rico_world_create(const rico_world_def *def, rico_world **out)
{
    RICO__FLOAT_MODE();
    if (out != NULL)
        *out = NULL;
    if (!RICO_REQUIRE(def != NULL && out != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = check_def(def);
    if (result != RICO_OK)
        return result;
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    memory.prefault = def->prefault;
    rico_world *world = rico__memory_allocate(&memory, 1, sizeof *world, RICO_CACHE_LINE);
    if (world == NULL)
        return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_world_create",
                          "no memory for %zu bytes", sizeof *world);
    world->def = *def;
    world->host_log = def->log;
    world->def.log = (rico_log){tell_host, world};
    world->memory = memory;
    world->memory.busy = &world->busy;
    world->kernels = rico__kernels_for_cpu();
    world->fetches_near = rico__cpu_first_cache() >= LARGE_FIRST_CACHE;
    for (uint32_t s = 0; s < RICO_MAX_SURFACES; ++s)
        world->surfaces[s] = (rico__surface_factors){1.0f, 1.0f};
    result = create_parts(world);
    if (result == RICO_OK)
        result = create_arrays(world);
    if (result != RICO_OK)
        return fail_to_create(world, result);
    tell_of_isa(world);
    *out = world;
    return RICO_OK;
}

void rico_world_destroy(rico_world *world)
{
    if (world == NULL || !RICO_REQUIRE(!world->busy) || !RICO_REQUIRE(world->output_count == 0))
        return;
    rico__begin_work(world); /* to its end: releases call the host, too */
    rico__host_abandon(world);
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        rico__faces_release(&world->recipes[r], &world->memory);
    array arrays[ARRAY_COUNT];
    list_arrays(world, arrays);
    for (int i = 0; i < ARRAY_COUNT; ++i)
        rico__memory_release(&world->memory, *arrays[i].memory, arrays[i].count, arrays[i].size,
                             RICO_CACHE_LINE);
    rico__sub_emitters_free(world);
    rico__detail_free(world);
    rico__pool_free(&world->pool, &world->memory);
    rico__coverage_free(&world->coverage, &world->memory);
    rico__extents_free(&world->extents, &world->memory);
    rico__movers_free(&world->movers, &world->memory);
    rico__edits_free(world);
    rico_cache_destroy(world->planes);
    rico_cache_destroy(world->records);
    rico_scene_destroy(world->scene);
    if (world->owns_jobs)
        rico_jobs_destroy(world->jobs);
    else if (world->jobs != NULL)
        rico_jobs_let_go(world->jobs);
    rico__memory memory = world->memory;
    memory.busy = NULL; /* the flag goes with the world */
    rico__memory_release(&memory, world, 1, sizeof *world, RICO_CACHE_LINE);
}

bool rico__misused(rico_world *world, const char *expression, const char *file, int line)
{
    if (world != NULL)
        world->last_result = RICO_OUT_OF_RANGE;
    return rico__assert_failed(expression, file, line);
}

rico_result rico_world_last_result(const rico_world *world)
{
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    return world->last_result;
}

rico_result rico_world_ray_caster_changed(rico_world *world)
{
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    if (rico__is_busy(world, "rico_world_ray_caster_changed"))
        return RICO_BUSY;
    if (!rico__has_caster(world))
        return RICO_OK;
    rico__edit_seen(world);
    rico_cache_forget(world->planes, world->host.changes);
    return RICO_OK;
}

const rico_scene *rico_world_scene(const rico_world *world)
{
    if (!RICO_REQUIRE(world != NULL))
        return NULL;
    return world->scene;
}

const rico_ended_effect *rico_world_ended(const rico_world *world, uint32_t *count)
{
    if (count != NULL)
        *count = 0;
    if (!RICO_REQUIRE(world != NULL && count != NULL))
        return NULL;
    *count = world->ended_count;
    return world->ended;
}

const rico_event *rico_world_events(const rico_world *world, uint32_t *count)
{
    if (count != NULL)
        *count = 0;
    if (!RICO_REQUIRE(world != NULL && count != NULL))
        return NULL;
    *count = world->event_count;
    return world->events;
}

const rico_jobs *rico_world_jobs(const rico_world *world)
{
    if (!RICO_REQUIRE(world != NULL))
        return NULL;
    return world->jobs;
}

rico_world_stats rico_world_get_stats(const rico_world *world)
{
    if (!RICO_REQUIRE(world != NULL))
        return (rico_world_stats){.isa = "unknown"};
    rico_world_stats stats = world->stats;
    rico_cache_stats records = rico_cache_get_stats(world->records);
    rico_cache_stats planes = rico_cache_get_stats(world->planes);
    stats.cache_records = records.record_count;
    stats.cache_record_capacity = records.record_capacity;
    stats.plane_records = planes.record_count;
    stats.plane_record_capacity = planes.record_capacity;
    stats.cache_bytes = records.bytes + planes.bytes;
    stats.cache_record_bytes = records.record_bytes + planes.record_bytes;
    stats.cache_evicted = records.evicted + planes.evicted;
    stats.cache_dropped = records.dropped + planes.dropped;
    stats.bytes = world->memory.live_bytes;
    stats.allocations = world->memory.allocation_count;
    stats.effects = world->effect_count;
    stats.particles = world->particle_count;
    stats.workers = world->worker_count;
    stats.isa = rico__isa_name(world->kernels->isa);
    return stats;
}
