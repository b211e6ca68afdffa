#include "edits.h"

#include "cell_bits.h"
#include "host_rays.h"
#include "log.h"
#include "state.h"
#include "vec.h"

#include <string.h>

/* A share of the places for records in the table. With this many cells to forget, the whole
 * table is walked. */
#define WALK_FROM (1.0 / 14.0)

/* Where cells of one level end within cells of another, boxes are off by less than this.
 * Metres. */
#define ALMOST_NOTHING 0.001f

/* Added to boxes: how far paths may be off, how far past edges surfaces are met, and rounding.
 * Radii of contacts are added to paths instead. Metres. */
#define SKIN 0.06f
/* A share of a coordinate: the rounding of positions and cells, and more. */
#define ROUNDING (4.0f / 16777216.0f)

static rico_box grown(const rico_box *box, float by)
{
    rico_vec3 far =
        vec3_max(vec3_max(box->lo, vec3_neg(box->lo)), vec3_max(box->hi, vec3_neg(box->hi)));
    rico_vec3 grow = vec3_mad(vec3(by, by, by), far, ROUNDING);
    return (rico_box){vec3_sub(box->lo, grow), vec3_add(box->hi, grow)};
}

/* --- The list ----------------------------------------------------------------------------- */

static void make_room_to_ask(rico_world *world);

/* in_step: no memory can be had. */
static void note(rico_world *world, const rico__edit_box *edit, bool in_step)
{
    rico__edit_box noted = *edit;
    noted.box = grown(&edit->place, SKIN);
    world->edits.notes += 1;
    world->edits.forgets |= edit->forgets;
    rico__edit_boxes_add(&world->edits.list, &noted, in_step ? NULL : &world->memory);
    if (!in_step && (noted.asks || noted.forgets))
        make_room_to_ask(world);
}

void rico__edit_wake(rico_world *world, const rico_box *box)
{
    note(world, &(rico__edit_box){.place = *box, .wakes = true}, false);
}

void rico__edit_layers(rico_world *world, const rico_box *box, uint32_t before, uint32_t after)
{
    note(world,
         &(rico__edit_box){
             .place = *box, .wakes = true, .relabels = true, .before = before, .after = after},
         false);
}

void rico__edit_paths(rico_world *world, const rico_box *box)
{
    note(world, &(rico__edit_box){.place = *box}, false);
}

void rico__edit_all(rico_world *world)
{
    world->edits.version += 1;
    world->edits.notes += 1;
    world->edits.all = true;
}

void rico__edit_seen(rico_world *world)
{
    world->edits.notes += 1;
    world->host.changes += 1;
}

rico_result rico__edits_init(rico_world *world)
{
    rico__edits *edits = &world->edits;
    edits->asking = rico__memory_reserve(&world->memory, RICO__EDIT_BOXES,
                                         sizeof *edits->asking, RICO_CACHE_LINE);
    edits->asking_capacity = RICO__EDIT_BOXES;
    return edits->asking == NULL ? RICO_OUT_OF_MEMORY
                                 : rico__edit_boxes_init(&edits->list, &world->memory);
}

void rico__edits_free(rico_world *world)
{
    rico__edits *edits = &world->edits;
    rico__memory_release(&world->memory, edits->asking, edits->asking_capacity,
                         sizeof *edits->asking, RICO_CACHE_LINE);
    rico__edit_boxes_free(&edits->list, &world->memory);
}

/* This many of the newest are looked at. */
#define AGAIN_AMONG 256u

static bool box_is_within(const rico_box *box, const rico_box *around)
{
    return box_contains(around, box->lo) && box_contains(around, box->hi);
}

/* Something that is edited again and again, such as a door, or ground that is streamed in and
 * out, asks only once, behind the others. Its last request, if still unanswered, is not needed
 * any more. */
static void stop_asking(rico__edits *edits, const rico_box *box)
{
    const uint32_t count = edits->asking_count;
    for (uint32_t i = count > AGAIN_AMONG ? count - AGAIN_AMONG : 0; i < count; ++i) {
        if (!box_is_within(&edits->asking[i].box, box))
            continue;
        memmove(&edits->asking[i], &edits->asking[i + 1],
                (count - i - 1) * sizeof *edits->asking);
        edits->asking_count -= 1;
        return;
    }
}

void rico__edits_ask(rico__edits *edits)
{
    for (uint32_t i = 0; i < edits->list.count; ++i) {
        rico__edit_box *edit = &edits->list.items[i];
        if (!edit->asks)
            continue;
        edit->asks = false;
        edit->asked = edit->passed = 0;
        stop_asking(edits, &edit->box);
        if (edits->asking_count < edits->asking_capacity) {
            edits->asking[edits->asking_count++] = *edit;
            continue;
        }
        uint32_t to = rico__edit_boxes_nearest(&edit->box, edits->asking, edits->asking_count);
        edits->asking[to].box = boxes_join(&edits->asking[to].box, &edit->box);
        edits->asking[to].asked = edits->asking[to].passed = 0;
    }
}

/* Room for as many edits as the list holds, beside those that still ask. It grows by doubling,
 * because both numbers go up and down. */
static void make_room_to_ask(rico_world *world)
{
    rico__edits *edits = &world->edits;
    const uint32_t least = edits->list.capacity + edits->asking_count;
    uint32_t wanted = edits->asking_capacity;
    while (wanted < least && wanted < 2 * RICO__MOST_EDIT_BOXES)
        wanted *= 2;
    if (wanted == edits->asking_capacity)
        return;
    rico__edit_box *asking =
        rico__memory_reserve(&world->memory, wanted, sizeof *asking, RICO_CACHE_LINE);
    if (asking == NULL)
        return;
    if (edits->asking_count > 0)
        memcpy(asking, edits->asking, edits->asking_count * sizeof *asking);
    rico__memory_release(&world->memory, edits->asking, edits->asking_capacity, sizeof *asking,
                         RICO_CACHE_LINE);
    edits->asking = asking;
    edits->asking_capacity = wanted;
}

void rico__edits_lose(rico_world *world)
{
    if (rico_cache_get_stats(world->records).record_count > 0)
        world->edits.lost = RICO__LOST_STEPS;
    rico_cache_forget(world->records, 0);
}

void rico__edits_end(rico_world *world)
{
    rico__edits *edits = &world->edits;
    if (!rico__goes_on(world))
        return;
    if (edits->asking_count == 0) /* else nothing asks yet for what these may leave out */
        edits->lost -=
            uint_min(edits->lost, world->stats.effects_starved == 0 ? RICO__LOST_IF_CALM : 1u);
    rico__edit_boxes_clear(&world->edits.list);
    world->edits.all = false;
}

/* --- Cells -------------------------------------------------------------------------------- */

static int32_t cell_floor(float x)
{
    int32_t cell = (int32_t)float_clamp(x, -1.0e9f, 1.0e9f);
    return cell - ((float)cell > x);
}

static rico_cache_range cells_in(const rico_box *box, float size, uint32_t direction)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    rico_cache_range range = {.direction = direction};
    for (int a = 0; a < 3; ++a) {
        range.lo[a] = cell_floor(lo[a] / size);
        range.hi[a] = cell_floor(hi[a] / size);
    }
    return range;
}

/* A box that meets all cells whose records may hold anything of what is in `box`. */
static rico_box records_reach(const rico_world *world, const rico_box *box)
{
    return grown(box, world->coverage.margin + RICO__EDIT_ROUNDING);
}

#define RANGES (2 * RICO__RECORD_LEVELS - 1)

/* Finds the records of all levels whose boxes the box touches, and the marks of cells that were
 * divided. Returns how many there may be. */
static double ranges_of(const rico_world *world, const rico_box *box,
                        rico_cache_range ranges[RANGES])
{
    uint32_t count = 0;
    double cells = 0.0;
    rico_box reach = records_reach(world, box);
    for (uint32_t level = 0; level < RICO__RECORD_LEVELS; ++level) {
        float size = world->def.cell_size / (float)(1u << level);
        ranges[count++] = cells_in(&reach, size, RICO__KEY_OF_LEVEL(level));
        if (level + 1 < RICO__RECORD_LEVELS)
            ranges[count++] = cells_in(&reach, size, RICO__KEY_OF_DIVIDED(level));
    }
    for (uint32_t r = 0; r < count; ++r) {
        double in_range = 1.0;
        for (int a = 0; a < 3; ++a)
            in_range *= (double)ranges[r].hi[a] - (double)ranges[r].lo[a] + 1.0;
        cells += in_range;
    }
    return cells;
}

/* A record, and whether an edit has made it untrue. */
typedef struct doubt {
    rico_world *world;
    int32_t at[3];
    uint32_t direction;
    float size;
    bool any;
} doubt;

static bool doubt_record(void *user, uint32_t number)
{
    doubt *d = user;
    rico__edit_box *edit = &d->world->edits.list.items[number];
    if (!edit->forgets)
        return false;
    const rico_box reach = records_reach(d->world, &edit->place);
    const rico_cache_range cells = cells_in(&reach, d->size, d->direction);
    for (int a = 0; a < 3; ++a)
        if (d->at[a] < cells.lo[a] || d->at[a] > cells.hi[a])
            return false;
    edit->asks = true;
    d->any = true;
    return true; /* this edit asks for the record's cell, too */
}

/* Marks the cells of coverage that hold cells which edits touch. Most records are in none of
 * them. */
static void mark_cells(rico_world *world, const rico_box *place)
{
    const rico__coverage *coverage = &world->coverage;
    const rico_box reach = records_reach(world, place), wider = grown(&reach, ALMOST_NOTHING);
    const rico_cache_range cells = cells_in(&wider, coverage->edge, 0);
    int32_t first[3], end[3];
    for (int a = 0; a < 3; ++a) {
        const int64_t lo = (int64_t)cells.lo[a] - coverage->lo[a];
        const int64_t hi = (int64_t)cells.hi[a] - coverage->lo[a] + 1, size = coverage->size[a];
        first[a] = (int32_t)(lo < 0 ? 0 : lo < size ? lo : size);
        end[a] = (int32_t)(hi < 0 ? 0 : hi < size ? hi : size);
    }
    for (int32_t z = first[2]; z < end[2]; ++z)
        for (int32_t y = first[1]; y < end[1]; ++y)
            for (int32_t x = first[0]; x < end[0]; ++x) {
                size_t at =
                    ((size_t)z * coverage->size[1] + (size_t)y) * coverage->size[0] + (size_t)x;
                rico__cell_bit_set(world->cell_bits, at);
            }
}

void rico__edits_await(rico_world *world)
{
    rico__edits *edits = &world->edits;
    edits->waits = edits->asking_count > 0;
    if (!edits->waits)
        return;
    rico__cell_bits_clear(world->cell_bits, rico__coverage_cell_count(&world->coverage));
    for (uint32_t i = 0; i < edits->asking_count; ++i)
        mark_cells(world, &edits->asking[i].box);
}

bool rico__edits_by_rays(const rico_world *world, const int32_t cell[3])
{
    size_t place;
    uint32_t beyond;
    return world->edits.lost > 0 ||
           (world->edits.waits &&
            rico__coverage_find(&world->coverage, cell, &place, &beyond) &&
            rico__cell_bit(world->cell_bits, place));
}

/* Coverage has other cells than before, so edits that still ask begin anew. */
static void ask_anew(rico__edits *edits)
{
    edits->waits = false;
    for (uint32_t i = 0; i < edits->asking_count; ++i)
        edits->asking[i].asked = edits->asking[i].passed = 0;
}

static bool is_untrue(void *user, rico_cache_key key)
{
    rico_world *world = user;
    doubt d = {.world = world};
    size_t place;
    uint32_t beyond;
    rico_cache_key_cell(key, &d.at[0], &d.at[1], &d.at[2], &d.direction);
    const uint32_t level = rico__record_level_of(d.direction);
    const int32_t whole[3] = {d.at[0] >> level, d.at[1] >> level, d.at[2] >> level};
    if (rico__coverage_find(&world->coverage, whole, &place, &beyond) &&
        !rico__cell_bit(world->cell_bits, place))
        return false;
    d.size = world->def.cell_size / (float)(1u << level);
    const rico_box cell = {
        vec3((float)d.at[0] * d.size, (float)d.at[1] * d.size, (float)d.at[2] * d.size),
        vec3((float)(d.at[0] + 1) * d.size, (float)(d.at[1] + 1) * d.size,
             (float)(d.at[2] + 1) * d.size)};
    const rico_box near = grown(&cell, world->coverage.margin + 2.0f * RICO__EDIT_ROUNDING);
    rico__edit_boxes_each(&world->edits.list, &near, false, doubt_record, &d);
    return d.any;
}

static void forget_by_walk(rico_world *world)
{
    const rico__edit_boxes *list = &world->edits.list;
    world->edits.waits = false;
    rico__cell_bits_clear(world->cell_bits, rico__coverage_cell_count(&world->coverage));
    for (uint32_t i = 0; i < list->count; ++i)
        if (list->items[i].forgets)
            mark_cells(world, &list->items[i].place);
    rico_cache_forget_if(world->records, is_untrue, world);
}

/* Goes cell by cell or, if the cells are many, place by place of the table. */
static void forget_records(rico_world *world)
{
    rico__edit_boxes *list = &world->edits.list;
    const rico_cache_stats stats = rico_cache_get_stats(world->records);
    uint64_t left = stats.record_count;
    rico_cache_range ranges[RANGES];
    double cells = 0.0;
    world->edits.forgets = false;
    for (uint32_t i = 0; i < list->count; ++i)
        cells += list->items[i].forgets ? ranges_of(world, &list->items[i].place, ranges) : 0.0;
    if (left > 0 && cells > (double)stats.record_capacity * WALK_FROM)
        forget_by_walk(world);
    else
        for (uint32_t i = 0; i < list->count && left > 0; ++i) {
            if (!list->items[i].forgets)
                continue;
            const uint64_t before = left;
            ranges_of(world, &list->items[i].place, ranges);
            rico_cache_forget_cells(world->records, ranges, RANGES);
            left = rico_cache_get_stats(world->records).record_count;
            list->items[i].asks |= left < before;
        }
    for (uint32_t i = 0; i < list->count; ++i)
        list->items[i].forgets = false;
}

static void join_bounds(rico_box *bounds, const rico_box *box)
{
    *bounds = bounds->lo.x > bounds->hi.x ? *box : boxes_join(bounds, box);
}

/* The bounds of everything that stands still and has an end; lo > hi if there is nothing. The
 * scene's layers decide, as when cells are filled, because colliders that are placed are among
 * the bodies until the call ends. Bodies that wait to stand still have room in the bounds. */
static rico_box still_bounds(const rico_world *world)
{
    uint32_t left = rico_scene_get_stats(world->scene).collider_count;
    rico_box bounds = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    for (uint32_t slot = 1; left > 0; ++slot) {
        rico_collider_id id = rico_scene_collider_id(world->scene, slot);
        rico_box box;
        if (id.index1 == 0)
            continue;
        --left;
        rico_scene_collider_state(world->scene, id, &box, NULL);
        if ((rico_scene_slot_layers(world->scene, slot) & RICO__STILL_LAYERS) != 0 &&
            box.lo.x <= box.hi.x)
            join_bounds(&bounds, &box);
    }
    for (uint32_t i = 0; i < world->movers.count; ++i)
        if (rico__mover_waits(&world->movers.items[i]))
            join_bounds(&bounds, &world->movers.items[i].box);
    return bounds;
}

/* Before the first step, colliders are added one after the other, and nothing is known of cells
 * yet. So coverage is made once, when it is asked for. */
static void follow_with_coverage(rico_world *world, const rico_box *box, rico__memory *memory)
{
    float size = world->def.cell_size;
    if (world->frame == 0) {
        world->edits.loading = true;
        return;
    }
    if (rico__coverage_update(&world->coverage, world->scene, size, box)) {
        rico__extents_forget(&world->extents, &world->coverage, box);
        return;
    }
    rico_box bounds = still_bounds(world);
    ask_anew(&world->edits);
    if (!rico__coverage_rebuild(&world->coverage, world->scene, size, &bounds, true, box,
                                memory))
        rico__log(&world->def.log, RICO_LOG_WARNING,
                  "%s: no memory to keep what is known of cells, which is found out again",
                  world->edit_call);
    rico__extents_clear(&world->extents, &world->coverage, memory);
}

void rico__edits_forget(rico_world *world)
{
    rico__edit_boxes_sort(&world->edits.list);
    if (world->edits.forgets)
        forget_records(world);
}

void rico__edits_settle(rico_world *world, rico__memory *memory)
{
    rico__edits_forget(world);
    rico__coverage_settle(&world->coverage);
    if (world->edits.loading)
        rico__edit_coverage(world, memory);
    else if (memory != NULL && world->extents.lacks_room)
        rico__extents_clear(&world->extents, &world->coverage, memory);
}

void rico__edits_settle_exact(rico_world *world)
{
    if (world->extents.cells != NULL)
        rico__edits_settle(world, &world->memory);
}

void rico__edit_coverage(rico_world *world, rico__memory *memory)
{
    rico_box bounds = still_bounds(world);
    ask_anew(&world->edits);
    world->edits.loading = false;
    rico__coverage_rebuild(&world->coverage, world->scene, world->def.cell_size, &bounds, false,
                           NULL, NULL);
    rico__extents_clear(&world->extents, &world->coverage, memory);
}

void rico__edit_radius(rico_world *world, float radius)
{
    float margin = rico__coverage_margin(radius);
    if (!(margin > world->coverage.margin) || rico__has_caster(world))
        return;
    uint32_t records = (uint32_t)rico_cache_get_stats(world->records).record_count;
    if (records > 0)
        rico__log(
            &world->def.log, RICO_LOG_WARNING,
            "recipe.radius is %g m, in mode cached: %u records of cells, made for smaller "
            "radii, are discarded; add this recipe before the cache is baked or loaded",
            (double)radius, records);
    world->coverage.margin = margin;
    rico__edits_lose(world);
    rico__edit_coverage(world, &world->memory);
    world->edits.version += 1; /* workers forget what they know of cells */
}

/* Whether the cells are so few that they are asked for even if no records were needed there:
 * particles that may be flying there must not wait for records. */
static bool has_few_cells(const rico_world *world, const rico_box *box)
{
    const rico_cache_range cells = cells_in(box, world->def.cell_size, RICO__KEY_OF_LEVEL(0));
    int64_t count = 1;
    for (int a = 0; a < 3 && count <= RICO__FEW_CELLS; ++a)
        count *= cells.hi[a] - cells.lo[a] + 1;
    return count <= RICO__FEW_CELLS;
}

static bool anybody_needs_records(const rico_world *world)
{
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        if (world->recipes[r].alive && world->recipes[r].def.mode == RICO_COLLIDE_CACHED)
            return true;
    return false;
}

void rico__edit_cells(rico_world *world, const rico_box *box, bool wakes, bool settles)
{
    world->edits.version += 1;
    const bool needed = anybody_needs_records(world);
    const bool few = settles || (world->frame > 0 && has_few_cells(world, box));
    if (needed && !few && world->frame > 0)
        world->edits.lost = RICO__LOST_STEPS;
    /* In the published scheme, planes are used far from their surfaces. */
    rico_cache_forget(world->planes, 0);
    follow_with_coverage(world, box, settles ? NULL : &world->memory);
    note(world,
         &(rico__edit_box){
             .place = *box, .wakes = wakes, .forgets = true, .asks = few && needed},
         settles);
}
