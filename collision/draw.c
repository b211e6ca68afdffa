/* Boxes of grids, trees, cells and colliders. The path of a ray is in draw_ray.c. */
#include "bits.h"
#include "check.h"
#include "drawing.h"
#include "float_mode.h"
#include "log.h"
#include "vec.h"

#define DRAW_COOKIE 0x44524157u
#define EVERYTHING 1.0e30f
#define ALL_BITS                                                                               \
    (RICO_DRAW_GRID | RICO_DRAW_OCCUPANCY | RICO_DRAW_LEAVES | RICO_DRAW_COLLIDERS |           \
     RICO_DRAW_RAY)

rico_draw_request rico_draw_request_default(void)
{
    return (rico_draw_request){
        .cookie = DRAW_COOKIE,
        .what = RICO_DRAW_GRID,
        .box = {{-EVERYTHING, -EVERYTHING, -EVERYTHING}, {EVERYTHING, EVERYTHING, EVERYTHING}},
        .max_count = 100000,
        .filter = rico_filter_default()};
}

/* --- colours --- */

uint32_t rico__draw_node_color(uint32_t level)
{
    static const uint32_t colors[] = {0xfff09040u, 0xffc8c840u, 0xff50c850u, 0xff40d0e8u,
                                      0xff4050f0u};
    return colors[uint_min(level, 5) - 1];
}

/* From blue over green to red: blue falls up to the middle, red rises from there, and green is
 * highest in the middle. */
uint32_t rico__draw_leaf_color(uint32_t count)
{
    uint32_t at = uint_min(count, RICO_FAN) * 32u; /* 0..512 */
    uint32_t red = at > 256 ? uint_min(at - 256, 240) : 48;
    uint32_t green = at > 256 ? 512 - at : at;
    uint32_t blue = at < 256 ? 256 - at : 48;
    return 0xff000000u | uint_min(blue, 240) << 16 | uint_min(green, 200) << 8 | red;
}

uint32_t rico__draw_collider_color(const rico__collider *c)
{
    if (c->merged)
        return RICO_DRAW_MERGED_COLOR;
    return c->moving ? RICO_DRAW_MOVING_COLOR : RICO_DRAW_RESTING_COLOR;
}

/* --- one thing --- */

void rico__drawing_enter(rico__drawing *d, const rico__part *part, uint32_t slot)
{
    const rico__collider *c = slot > 0 ? &d->scene->colliders[slot - 1] : NULL;
    bool placed = c == NULL || c->placed;
    d->collider = slot;
    d->placement = placed ? NULL : &c->placement;
    d->place = placed ? RICO_TRANSFORM_IDENTITY : c->motion.transform;
    d->grid = part != NULL ? &part->grid : NULL;
}

bool rico__drawing_shows(const rico__drawing *d, const rico_box *box)
{
    if (d->placement == NULL)
        return boxes_meet(box, &d->request->box);
    rico__middle middle = rico__middle_of(box);
    rico_box world = rico__placement_box(d->placement, &middle);
    return boxes_meet(&world, &d->request->box);
}

static rico_vec3 corner(const rico__drawing *d, const rico_box *box, uint32_t bits)
{
    rico_vec3 p = {bits & 1 ? box->hi.x : box->lo.x, bits & 2 ? box->hi.y : box->lo.y,
                   bits & 4 ? box->hi.z : box->lo.z};
    return d->placement != NULL ? rico__placement_point(d->placement, p) : p;
}

static void draw_edges(const rico__drawing *d, const rico_drawn *what, const rico_box *box)
{
    for (uint32_t from = 0; from < 8; ++from)
        for (uint32_t axis = 1; axis < 8; axis *= 2)
            if ((from & axis) == 0)
                d->draw->line(d->draw->user, what, corner(d, box, from),
                              corner(d, box, from | axis));
}

/* Counts one more thing that is drawn. Returns false if there is no room for it. */
static bool take_room(rico__drawing *d)
{
    if (d->report.drawn == d->request->max_count) {
        d->report.cut = true;
        return false;
    }
    d->report.drawn += 1;
    return true;
}

bool rico__drawing_box(rico__drawing *d, rico_drawn_kind kind, uint32_t rgba, uint32_t number,
                       const rico_box *box)
{
    if (!rico__drawing_shows(d, box))
        return true;
    if (!take_room(d))
        return false;
    rico_drawn what = {kind, rgba, number, d->collider, d->path};
    if (d->draw->box != NULL)
        d->draw->box(d->draw->user, &what, box, &d->place);
    else if (d->draw->line != NULL)
        draw_edges(d, &what, box);
    return true;
}

bool rico__drawing_line(rico__drawing *d, rico_drawn_kind kind, uint32_t rgba, uint32_t number,
                        rico_vec3 a, rico_vec3 b)
{
    rico_box box = {vec3_min(a, b), vec3_max(a, b)};
    if (d->draw->line == NULL || !boxes_meet(&box, &d->request->box))
        return true;
    if (!take_room(d))
        return false;
    rico_drawn what = {kind, rgba, number, d->collider, d->path};
    d->draw->line(d->draw->user, &what, a, b);
    return true;
}

/* --- where things are --- */

/* A box of cells, by the coordinates of its first cell and of the one past its last. */
static rico_box cells_box(const rico__grid *grid, const uint32_t first[3],
                          const uint32_t end[3])
{
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = (float)((double)base[k] + (double)first[k] * (double)grid->cell_size);
        hi[k] = (float)((double)base[k] + (double)end[k] * (double)grid->cell_size);
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

rico_box rico__draw_brick_box(const rico__grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t n = RICO_BRICK_CELLS;
    const uint32_t first[3] = {x * n, y * n, z * n};
    const uint32_t end[3] = {(x + 1) * n, (y + 1) * n, (z + 1) * n};
    return cells_box(grid, first, end);
}

rico_box rico__draw_child_box(const rico__node *node, uint32_t child)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = node->base[k] + (float)node->box[k][child] * node->scale[k];
        hi[k] = node->base[k] + (float)node->box[k + 3][child] * node->scale[k];
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/* --- trees --- */

uint32_t rico__draw_count(const rico__grid *grid, const rico__bundle *bundle, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t id = rico__bundle_id(bundle, count, i);
        found += grid->triangles.faces[id].triangle != RICO_NO_TRIANGLE;
    }
    return found;
}

/* Calls itself as deep as a brick's tree: 64 levels by areas, then halves (chunk_plan.c). */
static bool draw_tree(rico__drawing *d, uint32_t what, uint32_t unit, uint32_t level)
{
    const rico__node *node = rico__draw_node(d->grid, unit);
    for (uint32_t i = 0; i < node->count; ++i) {
        rico_box box = rico__draw_child_box(node, i);
        uint32_t at = unit + (node->child[i] >> 4);
        if (!rico__drawing_shows(d, &box))
            continue;
        if (node->leaves >> i & 1) {
            const rico__bundle *bundle = rico__draw_bundle(d->grid, at);
            uint32_t count = rico__draw_count(d->grid, bundle, (node->child[i] & 15u) + 1);
            if (what == RICO_DRAW_LEAVES &&
                !rico__drawing_box(d, RICO_DRAWN_LEAF, rico__draw_leaf_color(count), count,
                                   &box))
                return false;
            continue;
        }
        if (what == RICO_DRAW_GRID &&
            !rico__drawing_box(d, RICO_DRAWN_NODE, rico__draw_node_color(level), level, &box))
            return false;
        if (!draw_tree(d, what, at, level + 1))
            return false;
    }
    return true;
}

static bool draw_trees(rico__drawing *d, uint32_t what)
{
    for (uint32_t i = 0; i < d->grid->brick_count; ++i) {
        const rico__brick *brick = &d->grid->bricks[i];
        rico_box box = rico__draw_brick_box(d->grid, brick->at[0], brick->at[1], brick->at[2]);
        if (what == RICO_DRAW_GRID &&
            !rico__drawing_box(d, RICO_DRAWN_BRICK, RICO_DRAW_BRICK_COLOR, 1, &box))
            return false;
        if (brick->root != 0 && !draw_tree(d, what, brick->root, 1))
            return false;
    }
    return true;
}

/* --- cells --- */

/* Removes the largest rectangle from the lowest bit on: along x, then along y. */
static uint64_t take_rectangle(uint64_t mask, uint32_t first[2], uint32_t end[2])
{
    uint32_t bit = bits_lowest64(mask);
    first[0] = bit & 7u;
    first[1] = bit >> 3;
    end[0] = first[0];
    while (end[0] < 8 && mask >> (first[1] * 8 + end[0]) & 1)
        end[0] += 1;
    uint64_t row = ((uint64_t)1 << end[0]) - ((uint64_t)1 << first[0]);
    for (end[1] = first[1]; end[1] < 8 && (mask >> (end[1] * 8) & row) == row; ++end[1])
        mask &= ~(row << (end[1] * 8));
    return mask;
}

static bool draw_layer(rico__drawing *d, const rico__brick *brick, uint32_t z)
{
    uint32_t at[3], first[3], end[3];
    for (int k = 0; k < 3; ++k)
        at[k] = (uint32_t)brick->at[k] * RICO_BRICK_CELLS;
    for (uint64_t mask = brick->mask[z]; mask != 0;) {
        mask = take_rectangle(mask, first, end);
        uint32_t count = (end[0] - first[0]) * (end[1] - first[1]);
        first[2] = z;
        end[2] = z + 1;
        for (int k = 0; k < 3; ++k) {
            first[k] += at[k];
            end[k] += at[k];
        }
        rico_box box = cells_box(d->grid, first, end);
        if (!rico__drawing_box(d, RICO_DRAWN_CELLS, RICO_DRAW_CELLS_COLOR, count, &box))
            return false;
    }
    return true;
}

static bool draw_cells(rico__drawing *d)
{
    for (uint32_t i = 0; i < d->grid->brick_count; ++i) {
        const rico__brick *brick = &d->grid->bricks[i];
        rico_box box = rico__draw_brick_box(d->grid, brick->at[0], brick->at[1], brick->at[2]);
        for (uint32_t z = 0; z < RICO_BRICK_CELLS && rico__drawing_shows(d, &box); ++z)
            if (!draw_layer(d, brick, z))
                return false;
    }
    return true;
}

/* --- all of it --- */

static bool draw_part(rico__drawing *d, uint32_t what)
{
    if (d->grid->dims[0] == 0)
        return true;
    return what == RICO_DRAW_OCCUPANCY ? draw_cells(d) : draw_trees(d, what);
}

static bool draw_parts(rico__drawing *d, uint32_t what)
{
    const rico_scene *scene = d->scene;
    rico__drawing_enter(d, &scene->merged, 0);
    if (!draw_part(d, what))
        return false;
    for (uint32_t i = 0; i < scene->collider_capacity; ++i) {
        const rico__collider *c = &scene->colliders[i];
        if (!c->used || c->merged)
            continue;
        rico__drawing_enter(d, &scene->shapes[c->shape].part, i + 1);
        if (!draw_part(d, what))
            return false;
    }
    return true;
}

static bool draw_colliders(rico__drawing *d)
{
    const rico_scene *scene = d->scene;
    for (uint32_t i = 0; i < scene->collider_capacity; ++i) {
        const rico__collider *c = &scene->colliders[i];
        if (!c->used || c->box.lo.x > c->box.hi.x)
            continue;
        rico__drawing_enter(d, NULL, 0);
        d->collider = i + 1;
        if (!rico__drawing_box(d, RICO_DRAWN_COLLIDER, rico__draw_collider_color(c),
                               scene->shapes[c->shape].triangle_count, &c->box))
            return false;
    }
    return true;
}

static bool draw_what(rico__drawing *d, uint32_t what)
{
    if (what == RICO_DRAW_COLLIDERS)
        return draw_colliders(d);
    return what == RICO_DRAW_RAY ? rico__draw_ray(d) : draw_parts(d, what);
}

static bool has_nan(rico_vec3 v)
{
    return v.x != v.x || v.y != v.y || v.z != v.z;
}

static rico_result check_request(const rico_scene *scene, const rico_draw_request *request)
{
    const char *call = "rico_scene_draw";
    const rico_box *box = &request->box;
    if (request->cookie != DRAW_COOKIE)
        return rico__fail(&scene->log, RICO_UNINITIALIZED_DEF, call,
                          "make the request with rico_draw_request_default()");
    if (request->what == 0 || (request->what & ~(uint32_t)ALL_BITS) != 0)
        return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                          "request.what is %u, expected bits of rico_draw_what (1..%u)",
                          request->what, (uint32_t)ALL_BITS);
    if (has_nan(box->lo) || has_nan(box->hi))
        return rico__fail(&scene->log, RICO_NOT_FINITE, call, "request.box has a NaN");
    if (!(box->lo.x <= box->hi.x && box->lo.y <= box->hi.y && box->lo.z <= box->hi.z))
        return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                          "request.box is %g %g %g to %g %g %g, expected lo <= hi",
                          (double)box->lo.x, (double)box->lo.y, (double)box->lo.z,
                          (double)box->hi.x, (double)box->hi.y, (double)box->hi.z);
    if (request->max_count == 0)
        return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                          "request.max_count is 0, expected 1 or more");
    return RICO_OK;
}

rico_result rico_scene_draw(const rico_scene *scene, const rico_draw_request *request,
                            const rico_draw *draw, rico_draw_report *report)
{
    RICO__FLOAT_MODE();
    if (report != NULL)
        *report = (rico_draw_report){.drawn = 0};
    if (!RICO_REQUIRE(scene != NULL && request != NULL && draw != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = check_request(scene, request);
    if (result != RICO_OK)
        return result;
    rico__drawing d = {.scene = scene, .request = request, .draw = draw};
    for (uint32_t bit = 1; bit <= RICO_DRAW_RAY; bit *= 2)
        if ((request->what & bit) != 0 && !draw_what(&d, bit))
            break;
    if (report != NULL)
        *report = d.report;
    return RICO_OK;
}
