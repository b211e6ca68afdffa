/* Occupancy: what boxes may hold, by the cells of grids; and for rows of boxes, with bodies
 * that are searched for once. */
#include "asked_box.h"
#include "check.h"
#include "float_mode.h"
#include "formula.h"
#include "four.h"
#include "vec.h"

static bool cells_occupied(void *user, const rico__brick *brick)
{
    return brick_occupied(brick, user);
}

static bool grid_occupied(const rico__grid *grid, const rico_box *box)
{
    cell_box cells;
    return grid->dims[0] != 0 && cells_of_box(grid, box, &cells) &&
           each_brick(grid, &cells, cells_occupied, &cells);
}

/* A grid's triangles in a box, until one is found that a gather would find. */
typedef struct close_look {
    const rico_box *box; /* in world space, as for a gather */
    const rico__placement *placement;
    const grid_box *asked;
    bool found;
} close_look;

static void look_at_ids(void *user, const uint32_t *ids, uint32_t count)
{
    close_look *look = user;
    const rico__triangles *triangles = &look->asked->grid->triangles;
    for (uint32_t i = 0; i < count && !look->found; ++i) {
        const rico__face *face = &triangles->faces[ids[i]];
        rico_triangle t;
        if (face->triangle == RICO_NO_TRIANGLE)
            continue;
        place_corners(triangles, face, look->placement, &t);
        const float *const corner[3] = {&t.a.x, &t.b.x, &t.c.x};
        look->found = rico__corners_touch_box(corner, look->box);
    }
}

static bool look_at_brick(void *user, const rico__brick *brick)
{
    close_look *look = user;
    asked_trees trees = {look->asked, look_at_ids, look};
    ask_tree(&trees, brick);
    return look->found;
}

static float shortest_edge(const rico_box *box)
{
    const rico_vec3 edge = vec3_sub(box->hi, box->lo);
    return float_min(edge.x, float_min(edge.y, edge.z));
}

/* A query about a box. */
typedef struct occupancy {
    const rico_scene *scene;
    const rico_box *box;
    const rico_box *near; /* with room around, for close looks beyond coarse cells; or NULL */
    uint32_t layers;
} occupancy;

/* Tests as a gather does, so that rounding cannot make them differ. local: `near` in the grid's
 * space. */
static bool is_near(const occupancy *o, const rico__grid *grid, const rico_box *local,
                    const rico__placement *placement)
{
    grid_box asked = {.scene = o->scene, .grid = grid, .box = *local};
    close_look look = {.box = o->near, .placement = placement, .asked = &asked};
    return cells_of_box(grid, local, &asked.cells) &&
           each_brick(grid, &asked.cells, look_at_brick, &look);
}

/* Whether a collider's own grid has something in the box. c is NULL for a grid in world
 * space. */
static bool occupied_in(const occupancy *o, const rico__grid *grid, const rico_box *local,
                        const rico__collider *c)
{
    if (!grid_occupied(grid, local))
        return false;
    if (o->near == NULL)
        return true;
    const bool placed = c == NULL || c->placed;
    rico_box near = *o->near;
    if (!placed && !box_for(c, o->near, &near))
        return true;
    return !(shortest_edge(&near) < grid->cell_size) ||
           is_near(o, grid, &near, placed ? NULL : &c->placement);
}

static bool collider_occupied(void *user, uint32_t slot)
{
    const occupancy *o = user;
    const rico__collider *c = &o->scene->colliders[slot];
    const rico__shape *shape = &o->scene->shapes[c->shape];
    rico__primitive primitive = rico__shape_primitive(shape);
    rico_box local;
    if ((o->scene->layers[slot] & o->layers) == 0 || !box_for(c, o->box, &local))
        return false;
    if (rico__shape_is_formula(shape) && rico__primitive_touches_box(&primitive, &local))
        return true;
    return occupied_in(o, &shape->part.grid, &local, c);
}

static bool bodies_occupied(occupancy *o)
{
    const rico_scene *scene = o->scene;
    if (!box_is_valid(o->box))
        return false;
    for (uint32_t i = 0; i < scene->plane_count; ++i)
        if ((scene->layers[scene->planes[i]] & o->layers) != 0 &&
            rico__formula_plane_touches(&scene->colliders[scene->planes[i]], o->box))
            return true;
    return rico__bodies_each(&scene->bodies, o->box, collider_occupied, o);
}

bool rico_scene_collider_occupied(const rico_scene *scene, uint32_t slot, const rico_box *box)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && box != NULL))
        return true;
    if (slot == 0 || slot > scene->collider_capacity || !scene->colliders[slot - 1].used ||
        scene->colliders[slot - 1].placed || !box_is_valid(box))
        return false;
    const rico__shape *shape = &scene->shapes[scene->colliders[slot - 1].shape];
    rico__primitive primitive = rico__shape_primitive(shape);
    if (rico__shape_is_formula(shape))
        return rico__primitive_touches_box(&primitive, box);
    return grid_occupied(&shape->part.grid, box);
}

static bool is_occupied(occupancy *o)
{
    if (o->scene->only != NULL)
        return occupied_in(o, &o->scene->only->grid, o->box, NULL);
    return occupied_in(o, &o->scene->merged.grid, o->box, NULL) || bodies_occupied(o);
}

bool rico_scene_occupied(const rico_scene *scene, const rico_box *box)
{
    return rico_scene_occupied_layers(scene, UINT32_MAX, box);
}

bool rico_scene_occupied_layers(const rico_scene *scene, uint32_t layers, const rico_box *box)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && box != NULL))
        return true;
    occupancy o = {.scene = scene, .box = box, .layers = layers};
    return is_occupied(&o);
}

/* A share of coordinates: four times the rounding of a place in world space. */
#define PLACE_ROUNDING (1.0f / 4194304.0f)

/* The triangle that was hit is listed in a cell within `room` of the hit: see rico__grid.reach. If
 * the box overlaps all cells that this may be, cells_of_box finds it. The last lanes have no
 * meaning. */
bool rico_scene_occupied_by_hit(const rico_scene *scene, const rico_box *box,
                                const rico_ray *ray, float t)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && box != NULL && ray != NULL) || scene->only == NULL)
        return false;
    const rico__grid *grid = &scene->only->grid;
    const v4 base = v4_of(grid->base), rate = v4_set(grid->inverse_cell_size);
    const v4 dims = v4_from_int((v4i){grid->dims[0], grid->dims[1], grid->dims[2], 0});
    const v4 origin = (v4_of(ray->origin) - base) * rate, reach = v4_set(grid->reach);
    const v4 at = v4_of(vec3_mad(ray->origin, ray->direction, t)), cells = (at - base) * rate;
    const v4 room = v4_set(2.0f * grid->pad) + v4_abs(at) * rate * v4_set(PLACE_ROUNDING);
    const v4 from = (v4_of(box->lo) - base) * rate, to = (v4_of(box->hi) - base) * rate;
    if ((v4_within(cells, room, dims - room) & v4_within(origin, dims - reach, reach) & 7u) !=
        7u)
        return false;
    const v4i first = v4_to_int(cells - room), last = v4_to_int(cells + room);
    const v4i begin = v4_to_int(v4_min(v4_max(from, v4_set(0.0f)), dims));
    const v4i end = v4_to_int(v4_min(v4_max(to, v4_set(0.0f)), dims));
    return (v4_bits((begin <= first) & (last <= end) & (v4i)(from <= to)) & 7u) == 7u;
}

bool rico_scene_occupied_closely(const rico_scene *scene, uint32_t layers, const rico_box *box,
                                 float room)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && box != NULL && room >= 0.0f))
        return true;
    const rico_vec3 by = vec3(room, room, room);
    const rico_box near = {vec3_sub(box->lo, by), vec3_add(box->hi, by)};
    occupancy o = {.scene = scene, .box = box, .near = &near, .layers = layers};
    return is_occupied(&o);
}

/* --- rows --- */

/* What may be near any of a row's boxes. */
typedef struct row_near {
    rico__body_node leaf; /* the bodies, when they are few */
    bool few, merged;     /* merged: or the scene's only grid */
} row_near;

static rico_box row_around(const rico_box *boxes, uint32_t count)
{
    rico_box around = boxes[0];
    for (uint32_t i = 1; i < count; ++i)
        around = (rico_box){vec3_min(around.lo, boxes[i].lo), vec3_max(around.hi, boxes[i].hi)};
    return around;
}

/* Uses comparisons of floats, and cells, which grow with the box. So what is not near `around`
 * is in none of the row's boxes. */
static void find_near(const rico_scene *scene, const rico_box *around, row_near *near)
{
    const rico__part *part = scene->only != NULL ? scene->only : &scene->merged;
    near->merged = grid_occupied(&part->grid, around);
    near->leaf.count = 0;
    near->few = scene->only != NULL || rico__bodies_near(&scene->bodies, around, &near->leaf);
}

static bool near_occupied(const row_near *near, occupancy *o)
{
    const rico__part *part = o->scene->only != NULL ? o->scene->only : &o->scene->merged;
    if (near->merged && occupied_in(o, &part->grid, o->box, NULL))
        return true;
    if (!near->few || o->scene->plane_count > 0)
        return o->scene->only == NULL && bodies_occupied(o);
    return near->leaf.count > 0 &&
           rico__body_leaf_each(&near->leaf, o->box, collider_occupied, o);
}

void rico_scene_occupied_row(const rico_scene *scene, uint32_t layers, const rico_box *boxes,
                             uint32_t count, float room, bool *occupied)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && room >= 0.0f) || count == 0 ||
        !RICO_REQUIRE(boxes != NULL && occupied != NULL))
        return;
    const rico_box around = row_around(boxes, count);
    const rico_vec3 by = vec3(room, room, room);
    row_near near;
    find_near(scene, &around, &near);
    for (uint32_t i = 0; i < count; ++i) {
        const rico_box wide = {vec3_sub(boxes[i].lo, by), vec3_add(boxes[i].hi, by)};
        occupancy o = {.scene = scene, .box = &boxes[i], .near = &wide, .layers = layers};
        occupied[i] = near_occupied(&near, &o);
    }
}
