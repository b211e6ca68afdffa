/* How far what lies in a box reaches. As a build cuts triangles for its trees, so that no ray meets
 * anything outside, however it rounds. */
#include "asked_box.h"
#include "cell_block.h"
#include "check.h"
#include "formula.h"
#include "triangle_cells.h"

/* Of coordinates and extents: more than what parts are grown by (triangle_cells.c). */
#define ROUNDING (1.0f / 1048576.0f)

/* One question on its way through the grids. */
typedef struct extent_search {
    const rico_scene *scene;
    const rico_filter *filter;
    const rico_box *box;              /* the world's */
    const rico__triangles *triangles; /* of the grid at hand */
    rico__part_box part;              /* the box in its space */
    const rico__collider *placed_by;  /* NULL: it is the world's */
    rico_box found;                   /* lo > hi: nothing */
} extent_search;

static void add_box(extent_search *s, const rico_box *box)
{
    rico_box common = common_box(box, s->box);
    if (common.lo.x > common.hi.x || common.lo.y > common.hi.y || common.lo.z > common.hi.z)
        return;
    s->found = (rico_box){vec3_min(s->found.lo, common.lo), vec3_max(s->found.hi, common.hi)};
}

/* All of the triangle that may be in the box is in what was found: mostly so where there are many, and
 * cutting takes the longest. */
static bool is_found(const extent_search *s, const rico__face *face)
{
    v4 a = rico__face_corner(s->triangles, face, 0);
    v4 b = rico__face_corner(s->triangles, face, 1);
    v4 c = rico__face_corner(s->triangles, face, 2);
    v4 lo = v4_min(a, v4_min(b, c)), hi = v4_max(a, v4_max(b, c)), size = hi - lo;
    float longest = float_max(size[0], float_max(size[1], size[2]));
    lo = v4_max(lo, s->part.inner_lo);
    hi = v4_min(hi, s->part.inner_hi);
    const v4 found_lo = {s->found.lo.x, s->found.lo.y, s->found.lo.z, -__builtin_inff()};
    const v4 found_hi = {s->found.hi.x, s->found.hi.y, s->found.hi.z, __builtin_inff()};
    v4 room = (v4_max(v4_abs(lo), v4_abs(hi)) + v4_set(longest)) * v4_set(ROUNDING);
    return (v4_bits(((lo - room < found_lo) & (found_lo > s->part.inner_lo)) |
                    ((hi + room > found_hi) & (found_hi < s->part.inner_hi))) &
            7u) == 0;
}

static void add_triangle(extent_search *s, uint32_t id)
{
    const rico__face *face = &s->triangles->faces[id];
    rico__chunk_entry entry;
    if (face->triangle == RICO_NO_TRIANGLE ||
        (s->placed_by == NULL &&
         !rico__layers_pass(s->scene, s->filter,
                            rico__face_vertex(s->triangles, face, 0)->collider - 1)))
        return;
    if (s->placed_by == NULL && is_found(s, face))
        return;
    rico__triangle_part(s->triangles, id, &s->part, &entry);
    rico_box box = {vec3(entry.lo[0], entry.lo[1], entry.lo[2]),
                    vec3(entry.hi[0], entry.hi[1], entry.hi[2])};
    if (s->placed_by != NULL) {
        rico__middle middle = rico__middle_of(&box);
        box = rico__placement_box(&s->placed_by->placement, &middle);
    }
    add_box(s, &box);
}

static void add_ids(void *user, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        add_triangle(user, ids[i]);
}

/* box: in the grid's space. */
static void search_grid(extent_search *s, const rico__grid *grid, const rico_box *box)
{
    grid_box asked = {.scene = s->scene, .grid = grid, .box = *box};
    if (grid->dims[0] == 0 || !cells_of_box(grid, box, &asked.cells))
        return;
    const double lo[3] = {(double)box->lo.x, (double)box->lo.y, (double)box->lo.z};
    const double hi[3] = {(double)box->hi.x, (double)box->hi.y, (double)box->hi.z};
    s->part = rico__part_box_of(lo, hi);
    s->triangles = &grid->triangles;
    ask_trees(&asked, add_ids, s);
}

/* Never the last one. */
static bool search_body(void *user, uint32_t slot)
{
    extent_search *s = user;
    const rico__collider *c = &s->scene->colliders[slot];
    const rico__shape *shape = &s->scene->shapes[c->shape];
    rico_box local;
    if (!rico__layers_pass(s->scene, s->filter, slot) || !box_for(c, s->box, &local))
        return false;
    s->placed_by = c->placed ? NULL : c;
    if (rico__shape_is_formula(shape)) {
        rico__primitive primitive = rico__shape_primitive(shape);
        if (rico__primitive_touches_box(&primitive, &local))
            add_box(s, &c->box);
    } else {
        search_grid(s, &shape->part.grid, &local);
    }
    return false;
}

static void search_planes(extent_search *s)
{
    for (uint32_t i = 0; i < s->scene->plane_count; ++i) {
        uint32_t slot = s->scene->planes[i];
        if (rico__layers_pass(s->scene, s->filter, slot) &&
            rico__formula_plane_touches(&s->scene->colliders[slot], s->box))
            add_box(s, s->box);
    }
}

bool rico_scene_extent(const rico_scene *scene, const rico_filter *filter, const rico_box *box,
                       rico_box *extent)
{
    if (!RICO_REQUIRE(scene != NULL && box != NULL && extent != NULL) || !box_is_valid(box))
        return false;
    const rico_filter all = rico_filter_default();
    const float far = __builtin_inff();
    extent_search s = {.scene = scene,
                       .filter = filter != NULL ? filter : &all,
                       .box = box,
                       .found = {{far, far, far}, {-far, -far, -far}}};
    search_grid(&s, &scene->merged.grid, box);
    rico__bodies_each(&scene->bodies, box, search_body, &s);
    search_planes(&s);
    *extent = s.found;
    return s.found.lo.x <= s.found.hi.x;
}
