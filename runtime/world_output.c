/* Outputs. What is to be written is planned on the calling thread, in the order of the host's
 * list. Jobs pack the blocks, each into its own part of the memory. */
#include "check.h"
#include "depth_sort.h"
#include "float_mode.h"
#include "interpolation.h"
#include "limit.h"
#include "log.h"
#include "packed_source.h"
#include "packing.h"
#include "prefetch.h"
#include "rotation.h"
#include "space.h"
#include "sprite.h"
#include "stages.h"
#include "trails.h"
#include "vec.h"

#include <ricochet/jobs_trace.h>
#include <ricochet/output.h>

#include <float.h>

#define OUTPUT_COOKIE 0x4f555450u
#define MOST_EFFECTS (1u << 20)
#define MOST_RECORDS (1u << 26)

/* So many blocks per job take 10 us or more, long against the cost of handing a job out. */
#define BLOCKS_PER_JOB 16u

/* Frames of so many bytes or more are written past the caches, which two of them and the
 * particles would fill. Memory is then not read before it is written. Smaller frames stay in
 * the caches, for what draws them. */
#define STREAMED_BYTES ((size_t)6 << 20)

/* A block and where its records go. */
typedef struct piece {
    uint32_t block, part;
    uint32_t first, count; /* count: records for which there is room */
    rico__extent extent;
} piece;

/* An effect in the last write: the records of its trails, and its transform as they saw it. */
typedef struct seen_effect {
    rico_effect_id id;
    uint32_t life;         /* 0 = not in local space: trails stay where they were */
    uint32_t first, count; /* records */
    rico_transform place;
} seen_effect;

/* Owner: the host. Threads: the stepping thread; in jobs, each piece and each part by one.
 * Order: pieces are in the order of the list of effects, then of their blocks. */
struct rico_output {
    rico_world *world;
    rico_output_def def;
    rico__memory memory;
    size_t record_bytes;
    uint32_t turn; /* which memory is written next */
    piece *pieces;
    uint32_t piece_capacity, piece_count;
    rico_output_part *parts[2];
    /* With sorting: records in the order of pieces, and what decides their final order. */
    unsigned char *unsorted;
    float *depths;
    uint32_t *order, *spare;
    rico__trails trails;
    double origin[3];  /* world.fields.shifted for the trails' places */
    seen_effect *seen; /* with trails: effects of the last write; room for max_effects */
    uint32_t seen_count;
    bool warned; /* that the trails of a recipe without ids are points */
    /* Of the write that is going on. */
    float interpolation;
    rico_eye eye;
    rico_output_frame *frame;
    unsigned char *to;
    bool streamed; /* written past the caches */
};

rico_output_def rico_output_def_default(void)
{
    return (rico_output_def){.cookie = OUTPUT_COOKIE,
                             .kind = RICO_OUTPUT_BILLBOARDS,
                             .max_effects = 4096,
                             .trail_points = 8};
}

size_t rico_output_record_bytes(const rico_output_def *def)
{
    if (!RICO_REQUIRE(def != NULL))
        return 0;
    switch (def->kind) {
    case RICO_OUTPUT_BILLBOARDS:
        return sizeof(rico_billboard);
    case RICO_OUTPUT_SPRITES:
        return sizeof(rico_sprite);
    case RICO_OUTPUT_STREAKS:
        return sizeof(rico_streak);
    case RICO_OUTPUT_INSTANCES:
        return sizeof(rico_instance);
    case RICO_OUTPUT_TRAILS:
        return 2 * (size_t)def->trail_points * sizeof(rico_trail_vertex);
    case RICO_OUTPUT_KIND_COUNT:
        break;
    }
    return 0;
}

/* --- Creation ----------------------------------------------------------------------------- */

static rico_result check_count(const rico_log *log, const char *field, uint32_t value,
                               uint32_t lo, uint32_t hi)
{
    if (value >= lo && value <= hi)
        return RICO_OK;
    return rico__fail(log, RICO_OUT_OF_RANGE, "rico_output_create",
                      "def.%s is %u, expected %u to %u", field, value, lo, hi);
}

static rico_result check_memory(const rico_log *log, const rico_output_def *def)
{
    for (int i = 0; i < 2; ++i)
        if (def->memory[i] == NULL || (uintptr_t)def->memory[i] % RICO_CACHE_LINE != 0)
            return rico__fail(log, RICO_OUT_OF_RANGE, "rico_output_create",
                              "def.memory[%d] is %s, expected memory at a multiple of 64", i,
                              def->memory[i] == NULL ? "NULL" : "not aligned");
    const uintptr_t a = (uintptr_t)def->memory[0], b = (uintptr_t)def->memory[1];
    const size_t bytes = def->capacity * rico_output_record_bytes(def);
    if (a == b || (a < b ? b - a : a - b) >= bytes)
        return RICO_OK;
    return rico__fail(
        log, RICO_OUT_OF_RANGE, "rico_output_create",
        "def.memory[0] and [1] overlap, expected the same memory, or %zu bytes or more apart",
        bytes);
}

static rico_result check_def(const rico_log *log, const rico_output_def *def)
{
    if (def->cookie != OUTPUT_COOKIE)
        return rico__fail(log, RICO_UNINITIALIZED_DEF, "rico_output_create",
                          "the def was not made by rico_output_def_default()");
    rico_result result =
        check_count(log, "kind", (uint32_t)def->kind, 0, RICO_OUTPUT_KIND_COUNT - 1);
    if (result == RICO_OK)
        result = check_count(log, "capacity", def->capacity, 1, MOST_RECORDS);
    if (result == RICO_OK)
        result = check_count(log, "max_effects", def->max_effects, 1, MOST_EFFECTS);
    if (result == RICO_OK && def->kind == RICO_OUTPUT_TRAILS)
        result = check_count(log, "trail_points", def->trail_points, 2, RICO_MAX_TRAIL_POINTS);
    return result == RICO_OK ? check_memory(log, def) : result;
}

/* All arrays but those of trails: one list for allocating and releasing them. */
typedef struct array {
    void **memory;
    size_t count, size;
} array;

#define ARRAY_COUNT 8

static void list_arrays(rico_output *o, array arrays[ARRAY_COUNT])
{
    size_t sorted = o->def.sort ? o->def.capacity : 0;
    size_t seen = o->def.kind == RICO_OUTPUT_TRAILS ? o->def.max_effects : 0;
    const array list[ARRAY_COUNT] = {
        {(void **)&o->pieces, o->piece_capacity, sizeof *o->pieces},
        {(void **)&o->parts[0], o->def.max_effects, sizeof *o->parts[0]},
        {(void **)&o->parts[1], o->def.max_effects, sizeof *o->parts[1]},
        {(void **)&o->unsorted, sorted, o->record_bytes},
        {(void **)&o->depths, sorted, sizeof *o->depths},
        {(void **)&o->order, sorted, sizeof *o->order},
        {(void **)&o->spare, sorted, sizeof *o->spare},
        {(void **)&o->seen, seen, sizeof *o->seen},
    };
    for (int i = 0; i < ARRAY_COUNT; ++i)
        arrays[i] = list[i];
}

static rico_result create_arrays(rico_output *o)
{
    array arrays[ARRAY_COUNT];
    list_arrays(o, arrays);
    for (int i = 0; i < ARRAY_COUNT; ++i) {
        if (arrays[i].count == 0)
            continue;
        *arrays[i].memory =
            rico__memory_allocate(&o->memory, arrays[i].count, arrays[i].size, RICO_CACHE_LINE);
        if (*arrays[i].memory == NULL)
            return RICO_OUT_OF_MEMORY;
    }
    if (o->def.kind != RICO_OUTPUT_TRAILS)
        return RICO_OK;
    return rico__trails_init(&o->trails, &o->memory, o->def.capacity, o->def.trail_points);
}

rico_result rico_output_create(rico_world *world, const rico_output_def *def, rico_output **out)
{
    RICO__FLOAT_MODE();
    if (out != NULL)
        *out = NULL;
    if (!RICO_REQUIRE_OF(world, def != NULL && out != NULL))
        return RICO_OUT_OF_RANGE;
    if (rico__is_busy(world, "rico_output_create"))
        return RICO_BUSY;
    rico_result result = check_def(&world->def.log, def);
    if (result != RICO_OK)
        return world->last_result = result;
    rico__memory memory;
    rico__memory_init(&memory, &world->def.allocator);
    memory.busy = &world->busy;
    rico_output *o = rico__memory_allocate(&memory, 1, sizeof *o, RICO_CACHE_LINE);
    result = RICO_OUT_OF_MEMORY;
    if (o != NULL) {
        o->world = world;
        world->output_count += 1;
        o->def = *def;
        o->memory = memory;
        o->record_bytes = rico_output_record_bytes(def);
        o->piece_capacity = world->block_limit;
        result = create_arrays(o);
    }
    if (result != RICO_OK) {
        rico_output_destroy(o);
        return world->last_result = rico__fail(&world->def.log, result, "rico_output_create",
                                               "%s", rico_result_text(result));
    }
    *out = o;
    return RICO_OK;
}

void rico_output_destroy(rico_output *o)
{
    if (o == NULL || !RICO_REQUIRE(!o->world->busy))
        return;
    o->world->output_count -= 1;
    rico__trails_free(&o->trails, &o->memory);
    array arrays[ARRAY_COUNT];
    list_arrays(o, arrays);
    for (int i = 0; i < ARRAY_COUNT; ++i)
        rico__memory_release(&o->memory, *arrays[i].memory, arrays[i].count, arrays[i].size,
                             RICO_CACHE_LINE);
    rico__memory memory = o->memory;
    rico__memory_release(&memory, o, 1, sizeof *o, RICO_CACHE_LINE);
}

/* --- Plan --------------------------------------------------------------------------------- */

/* Plans the pieces of one effect, and its part: how much of it there is room for. */
static void plan_part(rico_output *o, uint32_t number, rico_effect_id id, uint32_t *used)
{
    const rico_world *world = o->world;
    const rico__effect *effect = rico__effect_find(world, id);
    rico_output_part *part = &o->parts[o->turn][number];
    *part = (rico_output_part){.effect = id, .first = *used};
    uint32_t b = effect != NULL ? effect->first_block : RICO__NO_BLOCK;
    if (effect != NULL)
        rico__sleep_settle(world, id.index1 - 1);
    for (; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        uint32_t all = world->blocks[b].count;
        uint32_t room = uint_min(all, o->def.capacity - *used);
        o->pieces[o->piece_count++] =
            (piece){.block = b, .part = number, .first = *used, .count = room};
        *used += room;
        part->count += room;
        part->lost += all - room;
    }
}

/* An effect may be in the list more than once. Its blocks then count each time. */
static bool fits(const rico_output *o, const rico_effect_id *effects, uint32_t count)
{
    const rico_world *world = o->world;
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const rico__effect *effect = rico__effect_find(world, effects[i]);
        uint32_t b = effect != NULL ? effect->first_block : RICO__NO_BLOCK;
        for (; b != RICO__NO_BLOCK; b = world->blocks[b].next)
            blocks += 1;
    }
    return blocks <= o->piece_capacity;
}

/* --- Jobs --------------------------------------------------------------------------------- */

/* The kernel also finds the extent of what it packs. That is all particles, unless room ends. */
static void pack_billboards(const rico_output *o, const rico__packed_from *from, uint32_t all,
                            piece *p, void *to)
{
    o->world->kernels->billboards(from, p->count, o->streamed, to, &p->extent);
    if (p->count < all)
        p->extent = rico__extent_of(from, all);
}

static void pack(const rico_output *o, const rico__packed_from *from, uint32_t all, piece *p,
                 const uint32_t *ids, void *to)
{
    if (o->def.kind == RICO_OUTPUT_BILLBOARDS) {
        pack_billboards(o, from, all, p, to);
        return;
    }
    p->extent = rico__extent_of(from, all);
    switch (o->def.kind) {
    case RICO_OUTPUT_SPRITES:
        rico__pack_sprites(from, p->count, to);
        break;
    case RICO_OUTPUT_STREAKS:
        rico__pack_streaks(from, p->count, to);
        break;
    case RICO_OUTPUT_INSTANCES:
        rico__pack_instances(from, p->count, to);
        break;
    case RICO_OUTPUT_TRAILS:
        rico__trails_pack(&o->trails, from, ids,
                          o->world->effects[o->world->blocks[p->block].effect].life, &o->eye,
                          p->first, p->count, to);
        break;
    default:
        break;
    }
}

/* From a block's data to that of the next block, or of the one after it, as in simulate.c. 0 if
 * the recipes differ, because the layouts may. */
static ptrdiff_t way_ahead(const rico_output *o, uint32_t i, const float *data)
{
    const rico_world *world = o->world;
    const uint32_t soon = i + (world->fetches_near ? 1 : 2);
    if (soon >= o->piece_count)
        return 0;
    const rico__block *next = &world->blocks[o->pieces[soon].block];
    bool alike = next->recipe == world->blocks[o->pieces[i].block].recipe;
    return alike ? rico__block_data(world, next) - data : 0;
}

static void pack_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_output *o = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        piece *p = &o->pieces[i];
        const rico__block *block = &o->world->blocks[p->block];
        const rico__recipe *recipe = &o->world->recipes[block->recipe];
        float rotation[RICO__MAX_BLOCK], frame[RICO__MAX_BLOCK];
        uint32_t tinted[RICO__MAX_BLOCK];
        rico__packed_from from = rico__packed_source(o->world, block, tinted);
        rico__seen seen;
        from.ahead =
            from.color == tinted ? 0 : way_ahead(o, i, rico__block_data(o->world, block));
        from.ahead_near = o->world->fetches_near;
        if (rico__rotates(&recipe->def)) {
            rico__rotations(o->world, block, &from, rotation);
            from.rotation = rotation;
        }
        if (o->def.kind == RICO_OUTPUT_SPRITES) {
            rico__sprite_frames(o->world, block, &from, frame);
            from.frame = frame;
        }
        if (rico__is_interpolated(o->world, block, o->interpolation))
            rico__interpolate(o->world, block, o->interpolation, &from, &seen);
        pack(o, &from, block->count, p, rico__particle_ids(o->world, block),
             o->to + (size_t)p->first * o->record_bytes);
        if (o->def.sort)
            rico__pack_depths(&from, p->count,
                              o->world->effects[block->effect].transform.position,
                              o->eye.forward, o->depths + p->first);
    }
    if (o->streamed)
        stream_end();
}

static void sort_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const rico_output *o = context;
    unsigned char *to = o->def.memory[o->turn];
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const rico_output_part *part = &o->parts[o->turn][i];
        size_t first = part->first;
        rico__depth_sort(o->depths + first, part->count, o->order + first, o->spare + first);
        rico__pack_ordered(o->unsorted + first * o->record_bytes, o->order + first, part->count,
                           o->record_bytes, to + first * o->record_bytes);
    }
}

/* --- A write ------------------------------------------------------------------------------ */

/* Joins the bounds of pieces, which are in the order of parts. */
static void find_bounds(rico_output *o, uint32_t part_count)
{
    uint32_t i = 0;
    for (uint32_t n = 0; n < part_count; ++n) {
        rico__packed_from none = {0};
        rico__extent all = rico__extent_of(&none, 0);
        for (; i < o->piece_count && o->pieces[i].part == n; ++i)
            rico__extent_join(&all, &o->pieces[i].extent);
        o->parts[o->turn][n].bounds = rico__extent_box(&all);
    }
}

static float largest(rico_vec3 v)
{
    return float_max(float_max(__builtin_fabsf(v.x), __builtin_fabsf(v.y)),
                     __builtin_fabsf(v.z));
}

/* Scales the vector so that depths along it are within a float's range. It does so by a power
 * of two, so that the order by depths is the same to the bit. */
static rico_vec3 shortened(rico_vec3 forward)
{
    const double most = (double)largest(forward);
    double by = 1.0;
    while (most * by >= 0.25)
        by *= 0.5;
    while (most * by < 0.125)
        by *= 2.0;
    return vec3((float)((double)forward.x * by), (float)((double)forward.y * by),
                (float)((double)forward.z * by));
}

static rico_eye seen_from(const rico_eye *eye)
{
    if (eye == NULL)
        return (rico_eye){0};
    return (rico_eye){eye->position, shortened(eye->forward)};
}

static rico_result fail(const rico_output *o, rico_result result, const char *call,
                        const char *text)
{
    o->world->last_result = result;
    return rico__fail(&o->world->def.log, result, call, "%s", text);
}

static rico_result check_eye(const rico_output *o, const rico_eye *eye, const char *call)
{
    const rico_log *log = &o->world->def.log;
    bool needed = o->def.sort || o->def.kind == RICO_OUTPUT_TRAILS;
    if (eye == NULL)
        return needed ? fail(o, RICO_OUT_OF_RANGE, call,
                             "eye is NULL, but sorting and trails need one")
                      : RICO_OK;
    rico_result result = rico__limit_vec3(log, call, "eye.position", eye->position, FLT_MAX);
    if (result == RICO_OK)
        result = rico__limit_vec3(log, call, "eye.forward", eye->forward, FLT_MAX);
    if (result != RICO_OK)
        return o->world->last_result = result;
    if (largest(eye->forward) == 0.0f)
        return fail(o, RICO_OUT_OF_RANGE, call,
                    "eye.forward is zero, expected any other vector");
    return RICO_OK;
}

static rico_result check(const rico_output *o, const rico_effect_id *effects, uint32_t count,
                         const rico_eye *eye, float interpolation, const char *call)
{
    if (rico__cannot_run(o->world, call))
        return RICO_BUSY;
    if (count > o->def.max_effects) {
        o->world->last_result = RICO_FULL;
        return rico__fail(&o->world->def.log, RICO_FULL, call,
                          "count is %u, expected at most def.max_effects (%u)", count,
                          o->def.max_effects);
    }
    rico_result result = check_eye(o, eye, call);
    if (result == RICO_OK)
        result = rico__check_number(o->world, interpolation, 0.0f, 1.0f, call, "interpolation");
    if (result == RICO_OK && !fits(o, effects, count))
        result = fail(
            o, RICO_FULL, call,
            "effects are listed so often that they have more blocks than fit into an output");
    return result;
}

/* Moves what trails remember along with the origin. */
static void follow_origin(rico_output *o)
{
    const double *now = o->world->fields.shifted;
    double by[3];
    for (int k = 0; k < 3; ++k) {
        by[k] = now[k] - o->origin[k];
        o->origin[k] = now[k];
    }
    const rico_vec3 way = vec3((float)by[0], (float)by[1], (float)by[2]);
    if (way.x == 0.0f && way.y == 0.0f && way.z == 0.0f)
        return;
    rico__trails_shift(&o->trails, way);
    for (uint32_t n = 0; n < o->seen_count; ++n)
        o->seen[n].place.position = vec3_sub(o->seen[n].place.position, way);
}

/* Moves it along with effects in local space, too. */
static void follow_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_output *o = context;
    (void)worker;
    for (uint32_t n = begin; n < end; ++n) {
        const seen_effect *seen = &o->seen[n];
        const rico__effect *effect = rico__effect_find(o->world, seen->id);
        if (effect == NULL || effect->life != seen->life ||
            o->world->recipes[effect->recipe].def.space != RICO_SPACE_LOCAL)
            continue;
        rico_transform now = rico__space_drawn(o->world, effect, o->interpolation);
        if (memcmp(&seen->place, &now, sizeof now) != 0)
            rico__trails_carry(&o->trails, &seen->place, &now, seen->first, seen->count);
    }
}

static void warn_of_points(rico_output *o, uint32_t effect1)
{
    if (!o->warned)
        rico__log(&o->world->def.log, RICO_LOG_WARNING,
                  "rico_output_write: the trails of effect %u are points, because its recipe "
                  "has no particle_ids",
                  effect1);
    o->warned = true;
}

/* Notes what the next write needs of this one. */
static void remember_effects(rico_output *o, uint32_t part_count)
{
    o->seen_count = part_count;
    for (uint32_t n = 0; n < part_count; ++n) {
        const rico_output_part *part = &o->parts[o->turn][n];
        const rico__effect *effect = rico__effect_find(o->world, part->effect);
        seen_effect *seen = &o->seen[n];
        *seen = (seen_effect){.id = part->effect, .first = part->first, .count = part->count};
        if (part->count > 0 && o->trails.old_keys[part->first].life == 0)
            warn_of_points(o, part->effect.index1);
        if (effect == NULL || o->world->recipes[effect->recipe].def.space != RICO_SPACE_LOCAL)
            continue;
        seen->life = effect->life;
        seen->place = rico__space_drawn(o->world, effect, o->interpolation);
    }
}

static void run(rico_output *o, uint32_t part_count)
{
    rico_jobs *jobs = o->world->jobs;
    const bool was = rico__begin_work(o->world);
    follow_origin(o);
    rico_jobs_name_work(jobs, "output");
    if (o->seen_count > 0)
        rico_jobs_for(jobs, 0, o->seen_count, RICO__EFFECT_GRAIN, follow_range, o);
    rico_jobs_for(jobs, 0, o->piece_count, BLOCKS_PER_JOB, pack_range, o);
    if (o->def.sort)
        rico_jobs_for(jobs, 0, part_count, 1, sort_range, o);
    rico__end_work(o->world, was);
    if (o->def.kind != RICO_OUTPUT_TRAILS)
        return;
    rico__trails_turn(&o->trails, o->frame->count);
    remember_effects(o, part_count);
}

static rico_result write(rico_output *o, const rico_effect_id *effects, uint32_t count,
                         const rico_eye *eye, float interpolation, rico_output_frame *frame,
                         const char *call)
{
    if (frame != NULL)
        *frame = (rico_output_frame){0};
    rico_world *world = o != NULL ? o->world : NULL;
    if (!RICO_REQUIRE_OF(world, frame != NULL && (count == 0 || effects != NULL)))
        return RICO_OUT_OF_RANGE;
    rico_result result = check(o, effects, count, eye, interpolation, call);
    if (result != RICO_OK)
        return result;
    uint32_t used = 0;
    o->piece_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        plan_part(o, i, effects[i], &used);
        frame->lost += o->parts[o->turn][i].lost;
    }
    frame->records = o->def.memory[o->turn];
    frame->count = used;
    frame->parts = o->parts[o->turn];
    frame->part_count = count;
    o->frame = frame;
    o->interpolation = interpolation;
    o->eye = seen_from(eye);
    o->to = o->def.sort ? o->unsorted : o->def.memory[o->turn];
    o->streamed = !o->def.sort && used * o->record_bytes >= STREAMED_BYTES;
    run(o, count);
    find_bounds(o, count);
    o->turn = 1 - o->turn;
    return RICO_OK;
}

rico_result rico_output_write(rico_output *o, const rico_effect_id *effects, uint32_t count,
                              const rico_eye *eye, rico_output_frame *frame)
{
    RICO__FLOAT_MODE();
    return write(o, effects, count, eye, 1.0f, frame, "rico_output_write");
}

rico_result rico_output_write_interpolated(rico_output *o, const rico_effect_id *effects,
                                           uint32_t count, const rico_eye *eye,
                                           float interpolation, rico_output_frame *frame)
{
    RICO__FLOAT_MODE();
    return write(o, effects, count, eye, interpolation, frame,
                 "rico_output_write_interpolated");
}
