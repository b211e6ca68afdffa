#include "edits.h"

#include "forces.h"
#include "host_rays.h"
#include "log.h"
#include "preparation.h"
#include "response.h"
#include "state.h"
#include "vec.h"

/* Added to boxes: how far paths may be off, how far past edges surfaces are met, and rounding; contacts' radii
 * are added to paths. Metres. */
#define SKIN 0.06f
/* Of a coordinate: what positions and cells are rounded by, and more. */
#define ROUNDING (4.0f / 16777216.0f)

static rico_box grown(const rico_box *box, float by)
{
    rico_vec3 far =
        vec3_max(vec3_max(box->lo, vec3_neg(box->lo)), vec3_max(box->hi, vec3_neg(box->hi)));
    rico_vec3 grow = vec3_mad(vec3(by, by, by), far, ROUNDING);
    return (rico_box){vec3_sub(box->lo, grow), vec3_add(box->hi, grow)};
}

/* --- The list ----------------------------------------------------------------------------- */

static rico_box joined(const rico_box *a, const rico_box *b)
{
    return (rico_box){vec3_min(a->lo, b->lo), vec3_max(a->hi, b->hi)};
}

static float extent(const rico_box *box)
{
    rico_vec3 size = vec3_sub(box->hi, box->lo);
    return size.x + size.y + size.z;
}

/* Into the box that grows least by it. */
static void join(rico__edits *edits, const rico_box *box, bool wakes, bool asks)
{
    uint32_t best = 0;
    float least = RICO__NEVER;
    for (uint32_t i = 0; i < edits->count; ++i) {
        rico_box both = joined(&edits->boxes[i], box);
        float more = extent(&both) - extent(&edits->boxes[i]);
        if (more < least) {
            least = more;
            best = i;
        }
    }
    edits->boxes[best] = joined(&edits->boxes[best], box);
    edits->wakes[best] |= wakes;
    edits->asks[best] |= asks;
}

static void note(rico__edits *edits, const rico_box *box, bool wakes, bool asks)
{
    rico_box reach = grown(box, SKIN);
    edits->notes += 1;
    if (edits->count == RICO__EDIT_BOXES) {
        join(edits, &reach, wakes, asks);
        return;
    }
    edits->boxes[edits->count] = reach;
    edits->asks[edits->count] = asks;
    edits->wakes[edits->count++] = wakes;
}

void rico__edit_wake(rico_world *world, const rico_box *box)
{
    note(&world->edits, box, true, false);
}

void rico__edit_paths(rico_world *world, const rico_box *box)
{
    note(&world->edits, box, false, false);
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

void rico__edits_end(rico_world *world)
{
    if (!rico__goes_on(world))
        return;
    world->edits.count = 0;
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

/* Records of all levels whose boxes the box touches, and marks of cells that were divided. Whether there were
 * any. */
static bool forget_records(rico_world *world, const rico_box *box)
{
    const uint64_t before = rico_cache_get_stats(world->records).record_count;
    rico_cache_range ranges[2 * RICO__RECORD_LEVELS];
    uint32_t count = 0;
    rico_box reach = grown(box, world->coverage.margin + RICO__EDIT_ROUNDING);
    for (uint32_t level = 0; level < RICO__RECORD_LEVELS; ++level) {
        float size = world->def.cell_size / (float)(1u << level);
        ranges[count++] = cells_in(&reach, size, RICO__KEY_OF_LEVEL(level));
        if (level + 1 < RICO__RECORD_LEVELS)
            ranges[count++] = cells_in(&reach, size, RICO__KEY_OF_DIVIDED(level));
    }
    rico_cache_forget_cells(world->records, ranges, count);
    return rico_cache_get_stats(world->records).record_count < before;
}

/* Of all that stands still and has an end; lo > hi when there is nothing. */
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
        if (rico__movers_find(&world->movers, slot) == NULL && box.lo.x <= box.hi.x)
            bounds = bounds.lo.x > bounds.hi.x ? box : joined(&bounds, &box);
    }
    return bounds;
}

/* Before the first step colliders come one after the other, and nothing is known of cells yet: then coverage is
 * made once, when it is asked for. */
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
    rico__coverage_rebuild(&world->coverage, world->scene, size, &bounds, true, box, memory);
    rico__extents_clear(&world->extents, &world->coverage, memory);
}

void rico__edits_settle(rico_world *world, rico__memory *memory)
{
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
            "recipe.radius is %g m, in mode cached: %u records of cells, for smaller ones, "
            "are forgotten; add such a recipe before the cache is baked or loaded",
            (double)radius, records);
    world->coverage.margin = margin;
    rico_cache_forget(world->records, 0);
    rico__edit_coverage(world, &world->memory);
    world->edits.version += 1; /* workers forget what they know of cells */
}

/* Of so few that who may be flying there, where no records were needed, must not wait for them. */
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
    bool asks = forget_records(world, box);
    if (settles || (world->frame > 0 && has_few_cells(world, box)))
        asks |= anybody_needs_records(world);
    /* As published, planes are used far from the surface that they are of. */
    rico_cache_forget(world->planes, 0);
    follow_with_coverage(world, box, settles ? NULL : &world->memory);
    note(&world->edits, box, wakes, asks);
}

/* --- Particles ---------------------------------------------------------------------------- */

/* Where a particle can be while its path is known: forces and drag, each from none to all. */
static rico_box path_box(const rico__recipe *recipe, float *data, const rico__block *block,
                         uint32_t i, float dt, float push)
{
    rico_vec3 p =
        vec3(rico__stream(recipe, data, FIELD_PX)[i], rico__stream(recipe, data, FIELD_PY)[i],
             rico__stream(recipe, data, FIELD_PZ)[i]);
    rico_vec3 v =
        vec3(rico__stream(recipe, data, FIELD_VX)[i], rico__stream(recipe, data, FIELD_VY)[i],
             rico__stream(recipe, data, FIELD_VZ)[i]);
    float age = rico__stream(recipe, data, FIELD_AGE)[i];
    float life = rico__stream(recipe, data, FIELD_LIFE)[i];
    float until = rico__stream(recipe, data, FIELD_UNTIL)[i];
    float clearance = rico__clearance(rico__known(data + i, recipe->stream_floats));
    float time = float_max(float_min(until, life) - age, 0.0f);
    bool rebounds = rico__bit(block->rebound, i);
    float around = recipe->contact_radius + (rebounds ? clearance * time : clearance);
    rico_vec3 reach = {around, around, around};
    rico_box box = {vec3_sub(p, reach), vec3_add(p, reach)};
    if (rebounds)
        return box;
    rico_vec3 zero = {0.0f, 0.0f, 0.0f}, way = vec3_scale(v, time);
    float twice = 0.5f * time * (time + dt), aside = push * twice;
    rico_vec3 fall = vec3_scale(rico__pull(recipe, dt), twice);
    box.lo = vec3_sub(box.lo, vec3(aside, aside, aside));
    box.hi = vec3_add(box.hi, vec3(aside, aside, aside));
    box.lo = vec3_add(box.lo, vec3_add(vec3_min(way, zero), vec3_min(fall, zero)));
    box.hi = vec3_add(box.hi, vec3_add(vec3_max(way, zero), vec3_max(fall, zero)));
    return box;
}

static bool meets_edit(const rico__edits *edits, const rico_box *box, bool to_wake)
{
    for (uint32_t e = 0; e < edits->count; ++e)
        if ((edits->wakes[e] || !to_wake) && boxes_meet(&edits->boxes[e], box))
            return true;
    return false;
}

bool rico__edits_wake(const rico__edits *edits, const rico_box *box)
{
    return meets_edit(edits, box, true);
}

static void reach_particle(rico_world *world, const rico__recipe *recipe, float *data,
                           rico__block *block, uint32_t i, float push)
{
    bool asleep = rico__bit(block->asleep, i);
    bool cached = recipe->def.mode == RICO_COLLIDE_CACHED;
    bool classic = recipe->def.mode == RICO_COLLIDE_CLASSIC; /* knows of no body */
    if (asleep ? rico__response_stays(&recipe->def) : !cached)
        return;
    rico_box box;
    if (asleep) {
        float r = recipe->contact_radius;
        box.lo = vec3(rico__stream(recipe, data, FIELD_PX)[i] - r,
                      rico__stream(recipe, data, FIELD_PY)[i] - r,
                      rico__stream(recipe, data, FIELD_PZ)[i] - r);
        box.hi = vec3_add(box.lo, vec3(2.0f * r, 2.0f * r, 2.0f * r));
    } else {
        box = path_box(recipe, data, block, i, world->effects[block->effect].path_dt, push);
    }
    if (!meets_edit(&world->edits, &box, asleep && !classic))
        return;
    rico__bit_set(block->asleep, i, false);
    if (cached) {
        rico__stream(recipe, data, FIELD_UNTIL)[i] = 0.0f;
        rico__bit_set(block->waits, i, true);
    }
}

void rico__edits_reach(rico_world *world, rico__block *block)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    if (recipe->def.mode == RICO_COLLIDE_FIXED || recipe->def.mode == RICO_COLLIDE_NONE)
        return;
    float *data = rico__block_data(world, block);
    float push = rico__forces_most_anywhere(world, recipe);
    for (uint32_t i = 0; i < block->count; ++i)
        reach_particle(world, recipe, data, block, i, push);
}
