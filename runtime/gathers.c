#include "gathers.h"

#include "host_rays.h"
#include "known_cells.h"
#include "record.h"
#include "vec.h"

#include "bits.h"

#define GATHER_UNIT 64u /* triangles per query unit */
/* If a group has this many triangles, only its wanted cell is gathered next; if a cell has,
 * only its wanted part. */
#define MOST_TRIANGLES RICO__GATHERED_TRIANGLES

typedef struct gather {
    rico_world *world;
    rico__query *query;
    rico__tally *tally;
    rico_triangle *triangles; /* the worker's */
    uint32_t worker;
    uint32_t left; /* deposits that it may still make */
    bool whole;    /* all parts are made, too */
} gather;

/* Triangles of a gather, by their places in it. */
typedef struct choice {
    uint8_t of[MOST_TRIANGLES];
    uint32_t count;
} choice;

rico_cache_key rico__gather_key(rico_cache_key finest, uint32_t level)
{
    int32_t at[3];
    uint32_t direction, shift = RICO__RECORD_LEVELS - 1 - level;
    rico_cache_key_cell(finest, &at[0], &at[1], &at[2], &direction);
    return rico_cache_key_of_cell(at[0] >> shift, at[1] >> shift, at[2] >> shift,
                                  RICO__KEY_OF_LEVEL(level));
}

/* Deposits the cell's record, or the mark that it is divided: then returns true. `count` may be
 * more than the number of triangles that are given. */
static bool deposit(rico_world *world, uint32_t worker, const rico__cell *cell,
                    const rico_triangle *triangles, uint32_t count)
{
    rico__record spare, *place = rico_cache_deposit_open(world->records, worker);
    rico__record *record = place != NULL ? place : &spare; /* built where it is deposited */
    rico__record_build(record, cell, world->coverage.margin, world->scene, triangles,
                       uint_min(count, RICO__RECORD_SURFACES), count);
    rico_cache_info info = {
        .frame = world->frame,
        .rank = 1,
        .collider = count > 0 ? triangles[0].collider : 0,
        .triangle = count > 0 ? triangles[0].triangle : RICO_NO_TRIANGLE,
        .version = rico_scene_version(world->scene), /* baking: not yet that of the step */
    };
    bool divided = record->crowded != 0 && rico__record_divides(cell, world->coverage.margin);
    if (place != NULL)
        rico_cache_deposit_close(world->records, worker,
                                 divided ? rico__record_divided_key(cell->key, cell->level)
                                         : cell->key,
                                 &info, divided ? 0 : rico__record_bytes(record));
    return divided;
}

/* Notes in the query what is known of a cell on the way down to the wanted place. */
static void note(rico__query *query, const rico__cell *cell, bool divided, uint32_t count)
{
    query->divided |= (uint32_t)divided << cell->level;
    query->last_level = cell->level;
    query->empty = count == 0;
}

static bool is_beyond(float a, float b, float c, float reach)
{
    return float_min(a, float_min(b, c)) > reach || float_max(a, float_max(b, c)) < -reach;
}

/* Whether the cross product of a side with one of the cube's axes separates the triangle from
 * the cube around the origin. (a, b): the side along the other two axes. (p0, q0), (p1, q1): in
 * the same coordinates, one of its ends, and the corner that is not on it. */
static bool side_parts(float a, float b, float p0, float q0, float p1, float q1, float half)
{
    float end = a * q0 - b * p0, other = a * q1 - b * p1;
    return is_beyond(end, other, other, half * (__builtin_fabsf(a) + __builtin_fabsf(b)));
}

static bool plane_parts(const rico_vec3 corner[3], float half)
{
    rico_vec3 n = vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
    float reach = half * (__builtin_fabsf(n.x) + __builtin_fabsf(n.y) + __builtin_fabsf(n.z));
    return __builtin_fabsf(vec3_dot(n, corner[0])) > reach;
}

/* Whether the triangle comes into the cube. Tests its box, its plane, and the cross products of
 * its sides with the cube's (Akenine-Moeller 2001). */
static bool comes_into(const rico_triangle *t, rico_vec3 center, float half)
{
    const rico_vec3 corner[3] = {vec3_sub(t->a, center), vec3_sub(t->b, center),
                                 vec3_sub(t->c, center)};
    if (is_beyond(corner[0].x, corner[1].x, corner[2].x, half) ||
        is_beyond(corner[0].y, corner[1].y, corner[2].y, half) ||
        is_beyond(corner[0].z, corner[1].z, corner[2].z, half) || plane_parts(corner, half))
        return false;
    for (int k = 0; k < 3; ++k) {
        const rico_vec3 p = corner[k], q = corner[(k + 2) % 3];
        const rico_vec3 side = vec3_sub(corner[(k + 1) % 3], p);
        if (side_parts(side.y, side.z, p.y, p.z, q.y, q.z, half) ||
            side_parts(side.z, side.x, p.z, p.x, q.z, q.x, half) ||
            side_parts(side.x, side.y, p.x, p.y, q.x, q.y, half))
            return false;
    }
    return true;
}

static void choose(const gather *g, const choice *from, const rico__cell *cell, choice *to)
{
    float half = cell->half + g->world->coverage.margin;
    to->count = 0;
    for (uint32_t i = 0; i < from->count; ++i)
        if (comes_into(&g->triangles[from->of[i]], cell->center, half))
            to->of[to->count++] = from->of[i];
}

static bool deposit_part(const gather *g, const rico__cell *cell, const choice *part)
{
    rico_triangle triangles[RICO__RECORD_SURFACES];
    for (uint32_t i = 0; i < uint_min(part->count, RICO__RECORD_SURFACES); ++i)
        triangles[i] = g->triangles[part->of[i]];
    return deposit(g->world, g->worker, cell, triangles, part->count);
}

rico__cell rico__gather_part(const rico_world *world, rico_cache_key key, uint32_t i)
{
    rico__cell cell = rico__record_cell(key, world->def.cell_size);
    int32_t x = 2 * cell.at[0] + (int32_t)(i & 1), y = 2 * cell.at[1] + (int32_t)(i >> 1 & 1);
    int32_t z = 2 * cell.at[2] + (int32_t)(i >> 2);
    rico__cell part = rico__record_cell_at(x, y, z, cell.level + 1, world->def.cell_size);
    part.key = rico_cache_key_of_cell(x, y, z, RICO__KEY_OF_LEVEL(part.level));
    return part;
}

static uint32_t number_of(int32_t x, int32_t y, int32_t z)
{
    return (uint32_t)((x & 1) | (y & 1) << 1 | (z & 1) << 2);
}

rico__cell rico__gather_fellow(const rico_world *world, rico_cache_key key, uint32_t i)
{
    rico__cell cell = rico__record_cell(key, world->def.cell_size);
    int32_t x = (cell.at[0] & ~1) + (int32_t)(i & 1),
            y = (cell.at[1] & ~1) + (int32_t)(i >> 1 & 1);
    int32_t z = (cell.at[2] & ~1) + (int32_t)(i >> 2);
    rico__cell fellow = rico__record_cell_at(x, y, z, 0, world->def.cell_size);
    fellow.key = rico_cache_key_of_cell(x, y, z, RICO__KEY_OF_LEVEL(0));
    return fellow;
}

/* Part i of the cell `parent`; if that is NULL, cell i of the group. */
static rico__cell part_of(const gather *g, const rico__cell *parent, uint32_t i)
{
    return parent != NULL ? rico__gather_part(g->world, parent->key, i)
                          : rico__gather_fellow(g->world, g->query->key, i);
}

static rico_vec3 least(const rico_triangle *t)
{
    return vec3_min(vec3_min(t->a, t->b), t->c);
}

static rico_vec3 most(const rico_triangle *t)
{
    return vec3_max(vec3_max(t->a, t->b), t->c);
}

/* Tells coverage the box of all geometry that comes near a cell of level 0. */
static void bound(const gather *g, const rico__cell *cell, const choice *in_cell)
{
    rico_box cube = rico__record_box(cell, g->world->coverage.margin), box = {cube.hi, cube.lo};
    if (cell->level != 0 || in_cell->count == 0)
        return;
    for (uint32_t i = 0; i < in_cell->count; ++i) {
        const rico_triangle *t = &g->triangles[in_cell->of[i]];
        box.lo = vec3_min(box.lo, vec3_max(least(t), cube.lo));
        box.hi = vec3_max(box.hi, vec3_min(most(t), cube.hi));
    }
    rico__coverage_bound(&g->world->coverage, cell->at, &box);
}

/* Makes the part's record from the triangles that come into it. False: there is no record. The
 * part has no key, or nothing is near and the scene says so. */
static bool record_part(gather *g, const rico__cell *part, const choice *all, choice *in_part,
                        bool *divided)
{
    rico_box box = rico__record_box(part, g->world->coverage.margin);
    choose(g, all, part, in_part);
    if (part->key == RICO_NO_KEY ||
        (in_part->count == 0 && !rico__may_be_recorded(g->world, &box)))
        return false;
    *divided = deposit_part(g, part, in_part);
    bound(g, part, in_part);
    g->left -= 1;
    return true;
}

/* Notes for coverage, which knows the first two levels. */
static void note_part(rico__query *query, const rico__cell *part, uint32_t i, bool divided,
                      bool empty)
{
    if (part->level == 0) {
        query->group_divided |= (uint32_t)divided << i;
        query->group_empty |= (uint32_t)empty << i;
    } else if (part->level == 1) {
        uint32_t parent = number_of(part->at[0] >> 1, part->at[1] >> 1, part->at[2] >> 1);
        query->parts_divided |= (uint64_t)divided << (8 * parent + i);
    }
}

/* Makes the records of the eight parts of a cell, or of the eight cells of the group, and of
 * all parts of those that are divided themselves, as far as deposits go. The part to which the
 * path leads comes first. */
static void record_parts(gather *g, const rico__cell *parent, const choice *all)
{
    uint32_t level = parent != NULL ? parent->level + 1 : 0, divided_parts = 0;
    rico_cache_key wanted =
        level > 0 ? rico__gather_key(g->query->finest, level) : g->query->key;
    if (g->left < 8)
        return;
    for (uint32_t i = 0; i < 8; ++i) {
        rico__cell part = part_of(g, parent, i);
        choice in_part;
        bool divided;
        if (!record_part(g, &part, all, &in_part, &divided))
            continue;
        note_part(g->query, &part, i, divided, in_part.count == 0);
        if (part.key == wanted)
            note(g->query, &part, divided, in_part.count);
        divided_parts |= (uint32_t)divided << i;
    }
    for (uint32_t others = 0; others < 2; ++others)
        for (uint32_t left = divided_parts; left != 0; left &= left - 1) {
            rico__cell part = part_of(g, parent, bits_lowest64(left));
            choice in_part;
            if ((part.key != wanted) != (others != 0))
                continue;
            choose(g, all, &part, &in_part);
            record_parts(g, &part, &in_part);
        }
}

static choice choose_all(uint32_t count)
{
    choice all = {.count = count};
    for (uint32_t i = 0; i < count; ++i)
        all.of[i] = (uint8_t)i;
    return all;
}

static uint32_t gather_box(gather *g, const rico_box *box, uint32_t most)
{
    g->tally->gathers += 1;
    g->query->gathers += 1;
    uint32_t count = rico_scene_gather_first(g->world->scene, rico__still_filter(g->world), box,
                                             g->triangles, most);
    g->query->met |= count > 0;
    g->query->units += uint_max(1, (count + GATHER_UNIT - 1) / GATHER_UNIT);
    return count;
}

/* Makes the records of all cells of the group. False: they hold too many triangles. */
static bool gather_group(gather *g)
{
    rico__cell lowest = rico__gather_fellow(g->world, g->query->key, 0);
    rico__cell highest = rico__gather_fellow(g->world, g->query->key, 7);
    const float margin = g->world->coverage.margin;
    rico_box box = {rico__record_box(&lowest, margin).lo,
                    rico__record_box(&highest, margin).hi};
    uint32_t count = gather_box(g, &box, MOST_TRIANGLES);
    if (count == MOST_TRIANGLES)
        return false;
    choice all = choose_all(count);
    record_parts(g, NULL, &all);
    return true;
}

/* Gathers the cell with the key; if all parts are to be made, with room for a whole cell. True:
 * the cell is divided. */
static bool gather_cell(gather *g, rico_cache_key key, rico__cell *cell, uint32_t *count)
{
    *cell = rico__record_cell(key, g->world->def.cell_size);
    rico_box box = rico__record_box(cell, g->world->coverage.margin);
    uint32_t room = g->whole ? MOST_TRIANGLES : GATHER_UNIT;
    *count = gather_box(g, &box, room);
    bool divided = deposit(g->world, g->worker, cell, g->triangles, *count);
    g->left -= 1;
    note(g->query, cell, divided, *count);
    if (*count < room) {
        choice all = choose_all(*count);
        bound(g, cell, &all);
    }
    return divided;
}

void rico__gather_answer(rico_world *world, rico__query *query, rico__scratch *scratch)
{
    gather g = {.world = world,
                .query = query,
                .tally = &scratch->tally,
                .triangles = scratch->triangles,
                .worker = (uint32_t)(scratch - world->scratch),
                .left = uint_max(1, query->cells),
                .whole = query->cells >= RICO__GATHER_DEPOSITS};
    rico__cell cell;
    query->divided = query->units = query->gathers = 0;
    query->met = false;
    query->parts_divided = query->group_divided = query->group_empty = 0;
    if (query->group && gather_group(&g))
        return;
    for (rico_cache_key key = query->key;;) {
        uint32_t count;
        if (!gather_cell(&g, key, &cell, &count) || g.left == 0)
            return;
        if (g.whole && count < MOST_TRIANGLES) {
            choice all = choose_all(count);
            record_parts(&g, &cell, &all);
            return;
        }
        key = rico__gather_key(query->finest, cell.level + 1);
        rico__cell part = rico__record_cell(key, world->def.cell_size);
        rico_box box = rico__record_box(&part, world->coverage.margin);
        if (!rico__may_be_recorded(world, &box))
            return;
    }
}
