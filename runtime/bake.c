/* Baking: makes the records of all cells near surfaces in a box, level by level. */
#include "cache_records.h"
#include "cell_bits.h"
#include "float_mode.h"
#include "host_rays.h"
#include "known_cells.h"
#include "stages.h"
#include "vec.h"

#include "bits.h"
#include "check.h"
#include "limit.h"

#include <stdio.h>
#include <string.h>

/* Keys of cells that will be asked about. Owner: rico_world_bake. */
typedef struct worklist {
    rico_cache_key *keys;
    size_t count, capacity, most; /* keys beyond `most` are left out */
    bool fixed;                   /* the memory is the world's, and has room for `most` */
} worklist;

typedef struct bake {
    rico_world *world;
    const rico_box *box; /* NULL = everywhere */
    worklist now, next;  /* cells of this level and of the next */
    rico_bake_report report;
    bool failed; /* no memory */
} bake;

static void list_free(bake *b, worklist *list)
{
    rico__memory_release(&b->world->memory, list->keys, list->capacity, sizeof *list->keys,
                         RICO_CACHE_LINE);
    *list = (worklist){.most = list->most};
}

static void list_add(bake *b, worklist *list, rico_cache_key key)
{
    b->report.cut_short = b->report.cut_short || list->count == list->most;
    if (list->count == list->most)
        return;
    if (list->count == list->capacity) {
        const size_t twice = 2 * list->capacity + 1024;
        worklist more = {.count = list->count, .most = list->most};
        more.capacity = twice < more.most ? twice : more.most;
        more.keys = rico__memory_allocate(&b->world->memory, more.capacity, sizeof *more.keys,
                                          RICO_CACHE_LINE);
        b->failed = b->failed || more.keys == NULL;
        if (more.keys == NULL)
            return;
        for (size_t i = 0; i < list->count; ++i)
            more.keys[i] = list->keys[i];
        list_free(b, list);
        *list = more;
    }
    list->keys[list->count++] = key;
}

/* Adds the cell if there may be geometry in the box of its record. */
static void add_cell(bake *b, worklist *list, const int32_t at[3], uint32_t level,
                     const rico_box *within)
{
    rico__cell cell = rico__record_cell_at(at[0], at[1], at[2], level, b->world->def.cell_size);
    rico_box box = rico__record_box(&cell, b->world->coverage.margin);
    rico_cache_key key = rico_cache_key_of_cell(at[0], at[1], at[2], RICO__KEY_OF_LEVEL(level));
    if (key != RICO_NO_KEY && (within == NULL || boxes_meet(within, &box)) &&
        rico__may_be_recorded(b->world, &box))
        list_add(b, list, key);
}

/* Whether some of the cells have keys. Cells farther out are never asked about. */
static bool has_keys(const int32_t lo[3], const int32_t end[3])
{
    int32_t nearest[3];
    for (int a = 0; a < 3; ++a)
        nearest[a] = lo[a] > 0 ? lo[a] : end[a] <= 0 ? end[a] - 1 : 0;
    return rico_cache_key_of_cell(nearest[0], nearest[1], nearest[2], RICO__KEY_OF_LEVEL(0)) !=
           RICO_NO_KEY;
}

/* Whether part of the cells of level 0, from lo to end, may hold anything that the bake is
 * about. */
static bool may_have(const bake *b, const int32_t lo[3], const int32_t end[3])
{
    float size = b->world->def.cell_size;
    rico__cell first = rico__record_cell_at(lo[0], lo[1], lo[2], 0, size);
    rico__cell last = rico__record_cell_at(end[0] - 1, end[1] - 1, end[2] - 1, 0, size);
    const float margin = b->world->coverage.margin;
    rico_box box = {rico__record_box(&first, margin).lo, rico__record_box(&last, margin).hi};
    return has_keys(lo, end) && (b->box == NULL || boxes_meet(b->box, &box)) &&
           rico__may_be_recorded(b->world, &box);
}

/* Adds cells of level 0 from lo to end, in the order z, y, x. The range is halved again and
 * again, because most parts hold nothing: in a wide world, a cell of coverage may have 2^39 of
 * these cells. */
static void add_part(bake *b, const int32_t lo[3], const int32_t end[3])
{
    int axis = 2;
    if (b->report.cut_short || b->failed || (b->now.fixed && b->now.count == b->now.most))
        return;
    while (axis >= 0 && end[axis] - lo[axis] == 1)
        axis -= 1;
    if (axis < 0) {
        add_cell(b, &b->now, lo, 0, b->box);
        return;
    }
    if (!may_have(b, lo, end))
        return;
    int32_t middle = lo[axis] + (end[axis] - lo[axis]) / 2;
    int32_t until[3] = {end[0], end[1], end[2]}, from[3] = {lo[0], lo[1], lo[2]};
    until[axis] = from[axis] = middle;
    add_part(b, lo, until);
    add_part(b, from, end);
}

/* Adds the cells of level 0 in a cell of coverage. */
static void add_block(bake *b, const int32_t block[3])
{
    const int32_t edge = (int32_t)1 << b->world->coverage.shift;
    const int32_t lo[3] = {block[0] * edge, block[1] * edge, block[2] * edge};
    const int32_t end[3] = {lo[0] + edge, lo[1] + edge, lo[2] + edge};
    add_part(b, lo, end);
}

/* Along one axis: the cells of coverage that the box can touch, and one more on each side. */
static void choose_range(const rico__coverage *coverage, int axis, float lo, float hi,
                         uint32_t *begin, uint32_t *end)
{
    float first = (float)coverage->lo[axis], size = (float)coverage->size[axis];
    float low = float_clamp(lo / coverage->edge - first - 2.0f, 0.0f, size);
    float high = float_clamp(hi / coverage->edge - first + 3.0f, 0.0f, size);
    *begin = (uint32_t)low;
    *end = (uint32_t)high;
}

/* Adds all cells of level 0 that may be needed, in the order z, y, x. */
static void add_all(bake *b)
{
    const rico__coverage *coverage = &b->world->coverage;
    uint32_t begin[3] = {0, 0, 0};
    uint32_t end[3] = {coverage->size[0], coverage->size[1], coverage->size[2]};
    if (b->box != NULL) {
        const float lo[3] = {b->box->lo.x, b->box->lo.y, b->box->lo.z};
        const float hi[3] = {b->box->hi.x, b->box->hi.y, b->box->hi.z};
        for (int axis = 0; axis < 3; ++axis)
            choose_range(coverage, axis, lo[axis], hi[axis], &begin[axis], &end[axis]);
    }
    for (uint32_t z = begin[2]; z < end[2]; ++z)
        for (uint32_t y = begin[1]; y < end[1]; ++y)
            for (uint32_t x = begin[0]; x < end[0]; ++x) {
                size_t row = ((size_t)z * coverage->size[1] + y) * coverage->size[0];
                const int32_t block[3] = {coverage->lo[0] + (int32_t)x,
                                          coverage->lo[1] + (int32_t)y,
                                          coverage->lo[2] + (int32_t)z};
                if (rico__coverage_distance(coverage->cells[row + x]) == 0)
                    add_block(b, block);
            }
}

static void add_children(bake *b, rico_cache_key key, const rico_box *within)
{
    rico__cell cell = rico__record_cell(key, b->world->def.cell_size);
    for (int32_t c = 0; c < 8; ++c) {
        const int32_t at[3] = {2 * cell.at[0] + (c & 1), 2 * cell.at[1] + (c >> 1 & 1),
                               2 * cell.at[2] + (c >> 2)};
        add_cell(b, &b->next, at, cell.level + 1, within);
    }
}

/* Returns whether there is a record or a mark. If the cell is divided, adds its children. */
static bool is_known(bake *b, rico_cache_key key, uint32_t level)
{
    bool divided = false;
    uint32_t mark = level + 1 < RICO__RECORD_LEVELS ? RICO__KEY_OF_DIVIDED(level)
                                                    : RICO__KEY_OF_LEVEL(level);
    if (rico_cache_find_either(b->world->records, key, mark, 0, &divided) == NULL)
        return false;
    if (divided)
        add_children(b, key, b->box);
    return true;
}

/* Answers the list of queries, and goes on with the cells that are divided. After an edit, a
 * cell that had one record may be divided. Then its parts outside the edit are not known any
 * more, either. */
static void answer(bake *b)
{
    rico_world *world = b->world;
    if (world->query_count == 0)
        return;
    rico__query_answer(world);
    rico__merge_cache(world, world->records);
    for (uint32_t q = 0; q < world->query_count; ++q)
        if (world->queries[q].divided)
            add_children(b, world->queries[q].key, b->now.fixed ? NULL : b->box);
    world->query_count = 0;
}

static void bake_level(bake *b, uint32_t level)
{
    rico_world *world = b->world;
    uint32_t most = uint_max(1, world->def.queries_per_frame);
    world->query_count = 0;
    for (size_t i = 0; i < b->now.count && !b->failed; ++i) {
        rico_cache_key key = b->now.keys[i];
        b->report.cells += 1;
        if (is_known(b, key, level)) {
            b->report.known += 1;
            continue;
        }
        world->queries[world->query_count++] = (rico__query){.kind = QUERY_GATHER, .key = key};
        if (world->query_count == most)
            answer(b);
    }
    answer(b);
}

rico_result rico__check_box(const rico_world *world, const rico_box *box, const char *call)
{
    const rico_log *log = &world->def.log;
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    rico_result result = rico__limit_vec3(log, call, "box.lo", box->lo, __builtin_inff());
    if (result == RICO_OK)
        result = rico__limit_vec3(log, call, "box.hi", box->hi, __builtin_inff());
    for (int a = 0; a < 3 && result == RICO_OK; ++a)
        if (lo[a] > hi[a])
            result = rico__fail(log, RICO_OUT_OF_RANGE, call,
                                "box.lo.%c is %g, expected at most box.hi.%c, which is %g",
                                "xyz"[a], (double)lo[a], "xyz"[a], (double)hi[a]);
    return result;
}

rico_result rico__cache_is_there(rico_world *world, const char *call)
{
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (rico__has_caster(world))
        return rico__fail(&world->def.log, RICO_NO_SCENE, call,
                          "world_def.ray_caster is used instead of a scene");
    rico__edits_forget(world);
    return RICO_OK;
}

/* Bakes all levels. `now` holds the cells of the first. */
static void bake_levels(bake *b)
{
    for (uint32_t level = 0; level < RICO__RECORD_LEVELS && !b->failed; ++level) {
        bake_level(b, level);
        worklist swap = b->now;
        b->now = b->next;
        b->next = swap;
        b->next.count = 0;
    }
}

/* --- After edits -------------------------------------------------------------------------- */

/* A bake of what an edit asks for, limited to RICO__CELLS_AGAIN cells per level. */
static bake begin_again(rico_world *world, const rico_box *box)
{
    bake b = {.world = world, .box = box};
    const size_t most = RICO__CELLS_AGAIN;
    b.now = (worklist){world->again, 0, most, most, true};
    b.next = (worklist){world->again + most, 0, most, most, true};
    return b;
}

/* Goes through the cells of coverage that a box can touch, one by one. */
typedef struct walk {
    uint32_t begin[3], end[3], at[3];
    uint32_t passed; /* cells that were visited */
} walk;

/* Starts behind the first `passed` cells. */
static walk walk_box(const rico__coverage *coverage, const rico_box *box, uint32_t passed)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    walk w = {.passed = passed};
    uint32_t left = passed;
    for (int a = 0; a < 3; ++a)
        choose_range(coverage, a, lo[a], hi[a], &w.begin[a], &w.end[a]);
    w.at[2] = w.end[2];
    if (w.begin[0] >= w.end[0] || w.begin[1] >= w.end[1])
        return w;
    for (int a = 0; a < 2; ++a) {
        const uint32_t size = w.end[a] - w.begin[a];
        w.at[a] = w.begin[a] + left % size;
        left /= size;
    }
    w.at[2] = w.begin[2] + left;
    return w;
}

/* Finds the next cell that may hold something. False: there is none left. */
static bool next_cell(const rico__coverage *coverage, walk *w, int32_t block[3])
{
    while (w->at[2] < w->end[2]) {
        const size_t cell =
            ((size_t)w->at[2] * coverage->size[1] + w->at[1]) * coverage->size[0] + w->at[0];
        for (int a = 0; a < 3; ++a)
            block[a] = coverage->lo[a] + (int32_t)w->at[a];
        w->passed += 1;
        for (int a = 0; a < 3 && ++w->at[a] == w->end[a] && a < 2; ++a)
            w->at[a] = w->begin[a];
        if (rico__coverage_distance(coverage->cells[cell]) == 0)
            return true;
    }
    return false;
}

/* This many cells are found out together, with all their parts. */
#define CELLS_AT_ONCE 32u

/* Goes on with what the edit has not asked for yet, until that has taken `most` gathers.
 * Returns how many it took. *over: the edit has all that it asks for. */
static uint32_t bake_more(rico_world *world, rico__edit_box *edit, uint32_t most, bool *over)
{
    uint32_t gathers = 0;
    walk w = walk_box(&world->coverage, &edit->box, edit->passed);
    bool more = true;
    while (more && gathers < most && edit->asked < RICO__CELLS_AGAIN) {
        bake b = begin_again(world, &edit->box);
        int32_t block[3];
        while (more && b.now.count < CELLS_AT_ONCE) {
            more = next_cell(&world->coverage, &w, block);
            if (more)
                add_block(&b, block);
        }
        edit->asked += (uint32_t)b.now.count;
        bake_levels(&b);
        gathers += (uint32_t)(b.report.cells - b.report.known);
    }
    edit->passed = w.passed;
    *over = !more || edit->asked >= RICO__CELLS_AGAIN;
    return gathers;
}

void rico__bake_again(rico_world *world)
{
    rico__edits *edits = &world->edits;
    uint32_t gathers = 0, done = 0;
    rico__edits_ask(edits);
    while (done < edits->asking_count && gathers < RICO__GATHERS_AGAIN) {
        bool over;
        gathers += bake_more(world, &edits->asking[done], RICO__GATHERS_AGAIN - gathers, &over);
        done += over;
    }
    edits->asking_count -= done;
    memmove(edits->asking, edits->asking + done, edits->asking_count * sizeof *edits->asking);
    rico__edits_await(world);
}

/* Warns if not everything that was found fits, and says what helps. */
static void tell_of_room(const rico_world *world, const rico_bake_report *report,
                         const char *call)
{
    const uint64_t kept = rico_cache_get_stats(world->records).record_count;
    const uint64_t bytes = rico__cache_bytes_for(world, kept + report->dropped);
    char what[96] =
        "further cells were not queried: bake smaller boxes, or with a larger cache";
    if (report->dropped == 0 && !report->cut_short)
        return;
    if (!report->cut_short) /* else the total is not known */
        snprintf(what, sizeof what, "%llu (%llu MiB) would be enough",
                 (unsigned long long)bytes, (unsigned long long)bytes >> 20);
    rico__log(&world->def.log, RICO_LOG_WARNING,
              "%s: the cache has %llu records, %llu more did not fit into def.cache_bytes, "
              "which is %llu; %s",
              call, (unsigned long long)kept, (unsigned long long)report->dropped,
              (unsigned long long)world->def.cache_bytes, what);
}

static rico_result bake_box(rico_world *world, const rico_box *box, rico_bake_report *report,
                            const char *call)
{
    const rico_cache_stats before = rico_cache_get_stats(world->records);
    bake b = {.world = world, .box = box};
    b.now.most = b.next.most = before.record_capacity; /* the cache cannot hold more */
    rico__edits_settle(world, &world->memory);
    add_all(&b);
    bake_levels(&b);
    list_free(&b, &b.now);
    list_free(&b, &b.next);
    if (b.failed)
        return rico__fail(&world->def.log, RICO_OUT_OF_MEMORY, call, "no memory");
    b.report.dropped = rico_cache_get_stats(world->records).dropped - before.dropped;
    tell_of_room(world, &b.report, call);
    if (report != NULL)
        *report = b.report;
    return RICO_OK;
}

static rico_result bake_by(rico_world *world, const rico_box *box, rico_bake_report *report,
                           const char *call)
{
    rico_result result = rico__cache_is_there(world, call);
    if (result == RICO_OK && rico__cannot_run(world, call))
        result = RICO_BUSY;
    if (result == RICO_OK && box != NULL)
        result = rico__check_box(world, box, call);
    if (result == RICO_OK) {
        rico_cache_prefault(world->records);
        result = bake_box(world, box, report, call);
    }
    if (result != RICO_OK)
        world->last_result = result;
    return result;
}

rico_result rico_world_bake(rico_world *world, const rico_box *box, rico_bake_report *report)
{
    RICO__FLOAT_MODE();
    if (report != NULL)
        *report = (rico_bake_report){0};
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    return bake_by(world, box, report, "rico_world_bake");
}

rico_result rico_effect_bake(rico_world *world, rico_effect_id effect, float reach,
                             rico_bake_report *report)
{
    RICO__FLOAT_MODE();
    if (report != NULL)
        *report = (rico_bake_report){0};
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_effect_bake";
    /* Comes first, because a step may be changing the effect. */
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    const rico__effect *e = rico__effect_find(world, effect);
    if (e == NULL)
        return rico__effect_is_gone(world, effect, call);
    rico_result result = rico__check_number(world, reach, 0.0f, 1000.0f, call, "reach");
    if (result != RICO_OK)
        return result;
    rico_vec3 p = e->transform.position, half = vec3(reach, reach, reach);
    rico_box box = {vec3_sub(p, half), vec3_add(p, half)};
    return bake_by(world, &box, report, call);
}
