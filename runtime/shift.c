/* Moving the origin, which moves everything that has a place in the world. */
#include "check.h"
#include "float_mode.h"
#include "limit.h"
#include "log.h"
#include "own_plane.h"
#include "stages.h"
#include "vec.h"

static void shift_point(rico_vec3 *p, rico_vec3 origin)
{
    *p = vec3_sub(*p, origin);
}

static void shift_box(rico_box *box, rico_vec3 origin)
{
    shift_point(&box->lo, origin);
    shift_point(&box->hi, origin);
}

/* --- Particles ---------------------------------------------------------------------------- */

static void shift_stream(float *stream, uint32_t count, float by)
{
    for (uint32_t i = 0; i < count; ++i)
        stream[i] -= by;
}

/* What is known of a path stays known; only the plane has another offset. */
static void shift_planes(const rico__recipe *recipe, float *data, uint32_t count,
                         rico_vec3 origin)
{
    float *nd = rico__stream(recipe, data, FIELD_ND);
    const size_t stride = recipe->stream_floats;
    if (nd == NULL)
        return;
    for (uint32_t i = 0; i < count; ++i)
        if (nd[i] != RICO_NO_PLANE_OFFSET)
            nd[i] -=
                vec3_dot(rico__own_normal(rico__own_word(data + i, stride, FIELD_NXY),
                                          rico__own_word(data + i, stride, FIELD_NZ_KNOWN)),
                         origin);
}

static void shift_block(rico_world *world, const rico__block *block, rico_vec3 origin)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    shift_stream(rico__stream(recipe, data, FIELD_PX), block->count, origin.x);
    shift_stream(rico__stream(recipe, data, FIELD_PY), block->count, origin.y);
    shift_stream(rico__stream(recipe, data, FIELD_PZ), block->count, origin.z);
    if (recipe->def.interpolate) {
        shift_stream(rico__stream(recipe, data, FIELD_LAST_PX), block->count, origin.x);
        shift_stream(rico__stream(recipe, data, FIELD_LAST_PY), block->count, origin.y);
        shift_stream(rico__stream(recipe, data, FIELD_LAST_PZ), block->count, origin.z);
    }
    shift_planes(recipe, data, block->count, origin);
}

static void shift_effects(rico_world *world, rico_vec3 origin)
{
    rico__sleep_wake_all(world);
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        rico__effect *effect = &world->effects[slot];
        if (!effect->alive)
            continue;
        shift_point(&effect->transform.position, origin);
        shift_point(&effect->before.position, origin);
        shift_point(&effect->place.position, origin);
        shift_point(&effect->came_from.position, origin);
        for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
            shift_block(world, &world->blocks[b], origin);
    }
}

/* Planes of mode fixed are in world space, and forces may be. */
static void shift_recipes(rico_world *world, rico_vec3 origin)
{
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__recipe *recipe = &world->recipes[r];
        for (uint32_t i = 0; i < recipe->def.plane_count; ++i) {
            rico_plane *plane = &recipe->def.planes[i];
            plane->offset -= vec3_dot(plane->normal, origin);
            recipe->palette.offset[i] = plane->offset;
        }
        for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i)
            if (recipe->def.forces[i].world_space)
                shift_point(&recipe->def.forces[i].position, origin);
    }
}

static void shift_edits(rico__edits *edits, rico_vec3 origin)
{
    edits->list.tree.levels = 0;
    for (uint32_t i = 0; i < edits->list.count; ++i) {
        shift_box(&edits->list.items[i].place, origin);
        shift_box(&edits->list.items[i].box, origin);
    }
    for (uint32_t i = 0; i < edits->asking_count; ++i) {
        shift_box(&edits->asking[i].box, origin);
        edits->asking[i].asked = edits->asking[i].passed = 0;
    }
}

static void shift_movers(rico__movers *movers, rico_vec3 origin)
{
    rico__movers_tidy(movers);
    movers->stand = false;
    for (uint32_t i = 0; i < movers->count; ++i) {
        rico__mover *mover = &movers->items[i];
        shift_point(&mover->from.position, origin);
        shift_point(&mover->to.position, origin);
        if (mover->endless)
            continue;
        shift_box(&mover->from_box, origin);
        shift_box(&mover->box, origin);
    }
}

/* --- Cells -------------------------------------------------------------------------------- */

/* How many cells of level 0 that is on an axis; false when they are not whole. */
static bool whole_cells(float way, float size, int32_t *cells)
{
    float count = way / size;
    if (!(__builtin_fabsf(count) < 1.0e6f))
        return false;
    *cells = (int32_t)count;
    return (float)*cells * size == way;
}

/* Records are relative to their cells, so only keys change. */
static void shift_records(rico_world *world, rico_cache_step cells)
{
    rico_cache_step by[RICO_WHOLE_CELL + 1];
    for (uint32_t direction = 0; direction <= RICO_WHOLE_CELL; ++direction) {
        uint32_t level = rico__record_level_of(direction);
        int32_t parts = (int32_t)(1u << level);
        by[direction] = (rico_cache_step){-cells.x * parts, -cells.y * parts, -cells.z * parts};
    }
    if (rico_cache_move_cells(world->records, by) == RICO_OK)
        return;
    world->edits.lost = RICO__LOST_STEPS;
    rico__log(
        &world->def.log, RICO_LOG_WARNING,
        "rico_world_shift_origin: no memory to move the records of cells: all are discarded");
}

static void shift_cells(rico_world *world, rico_vec3 origin)
{
    const float size = world->def.cell_size;
    rico_cache_step cells = {0};
    const bool whole = whole_cells(origin.x, size, &cells.x) &&
                       whole_cells(origin.y, size, &cells.y) &&
                       whole_cells(origin.z, size, &cells.z);
    const int32_t by[3] = {-cells.x, -cells.y, -cells.z};
    if (whole)
        shift_records(world, cells);
    else
        rico__edits_lose(world);
    if (whole && !world->edits.loading && rico__coverage_shift(&world->coverage, by))
        rico__extents_clear(&world->extents, &world->coverage, NULL);
    else
        rico__edit_coverage(world, NULL);
}

/* What the host has placed may be as far out as the limit for coordinates. Particles beyond it
 * end. */
static rico_result check_reach(rico_world *world, rico_vec3 origin, const char *call)
{
    rico_result result =
        rico__limit_vec3(&world->def.log, call, "origin", origin, __builtin_inff());
    if (result != RICO_OK)
        return world->last_result = result;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        const rico_vec3 p = vec3_sub(world->effects[slot].transform.position, origin);
        const float most = float_max(float_max(__builtin_fabsf(p.x), __builtin_fabsf(p.y)),
                                     __builtin_fabsf(p.z));
        if (world->effects[slot].alive && most > RICO__MOST_COORDINATE)
            return world->last_result =
                       rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                                  "effect %u would have a coordinate beyond 1e6 m", slot + 1);
    }
    return RICO_OK;
}

rico_result rico_world_shift_origin(rico_world *world, rico_vec3 origin)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_shift_origin";
    if (rico__cannot_run(world, call))
        return RICO_BUSY;
    world->edit_call = call;
    rico_result reach = check_reach(world, origin, call);
    if (reach != RICO_OK)
        return reach;
    rico_result result = rico_scene_shift_origin(world->scene, origin);
    if (result != RICO_OK)
        return world->last_result = result;
    rico__edits_forget(world);
    shift_effects(world, origin);
    shift_recipes(world, origin);
    shift_movers(&world->movers, origin);
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        for (uint32_t s = 0; s < world->recipes[r].feed.count; ++s)
            shift_point(&world->seeds[world->recipes[r].feed.first + s].where.position, origin);
    for (uint32_t i = 0; i < world->emitted_count; ++i)
        shift_point(&world->emitted[i].seed.where.position, origin);
    for (uint32_t k = 0; k < RICO_MAX_KILL_VOLUMES; ++k)
        shift_point(&world->kill_volumes.items[k].center, origin);
    for (uint32_t k = 0; k < world->detail.viewer_count; ++k)
        shift_point(&world->detail.viewers[k], origin);
    rico__fields_shift(world, origin);
    for (uint32_t e = 0; e < world->event_count; ++e)
        shift_point(&world->events[e].position, origin);
    shift_edits(&world->edits, origin);
    shift_cells(world, origin);
    rico__queries_forget(world);
    rico_cache_forget(world->planes, 0);
    world->edits.version += 1; /* workers forget what they know of cells */
    if (world->def.ray_caster.cast != NULL)
        rico__edit_seen(world);
    return RICO_OK;
}
