/* How far the triangles in the parts of a cube reach. A triangle in a part lies between the
 * part's sides and its own bounds, on its plane, and on the inner side of its edges. Each of
 * these bounds one coordinate by the others, whose range the part gives. No ray meets anything
 * outside, however it rounds. */
#include "asked_box.h"
#include "check.h"
#include "float_mode.h"
#include "formula.h"
#include "triangle_cells.h"
#include "triangle_form.h"

#define ROW RICO_LATTICE_PARTS
#define ROWS (RICO_LATTICE_PARTS * RICO_LATTICE_PARTS)

/* Per edge of a part: more than all errors of calculating in floats from the lattice's
 * middle. */
#define ROUNDING (1.0f / 4096.0f)

/* The triangles seen last, by the lowest bits of their ids: some come several times. */
#define SEEN 64u

/* One query on its way through the grids. Places in vectors are relative to the lattice's
 * middle; a vector has the parts of a row. */
typedef struct extent_search {
    const rico_scene *scene;
    const rico_filter *filter;
    const rico_lattice *lattice;
    rico_box box; /* of all parts */
    rico__form_frame frame;
    v4 center[3][ROWS]; /* of the parts */
    v4 lo[3][ROWS], hi[3][ROWS];
    /* Of the current grid. */
    const rico__triangles *triangles;
    bool merged;
    uint32_t seen[SEEN];
    /* Of the current body, whose space is turned, and of one part. */
    const rico__collider *body;
    rico_box part, found;
    rico__part_box local;
} extent_search;

/* --- In the parts ------------------------------------------------------------------------- */

static void add_to_row(extent_search *s, const rico__form *f, uint32_t row)
{
    v4 half = v4_set(s->frame.half), lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = v4_max(s->center[k][row] - half, v4_set(f->lo[k]));
        hi[k] = v4_min(s->center[k][row] + half, v4_set(f->hi[k]));
    }
    for (int k = 0; k < 3; ++k) {
        const rico__form_level *l = &f->levels[k];
        if (!l->holds)
            continue;
        int i = rico__axis_after(k), j = rico__axis_after(i);
        v4 at = v4_set(l->at) + v4_set(l->per[0]) * s->center[i][row] +
                v4_set(l->per[1]) * s->center[j][row];
        lo[k] = v4_max(lo[k], at - v4_set(l->spread));
        hi[k] = v4_min(hi[k], at + v4_set(l->spread));
    }
    for (uint32_t n = 0; n < f->bound_count; ++n) {
        const rico__form_bound *b = &f->bounds[n];
        v4 at = v4_set(b->at) + v4_set(b->per_other) * s->center[b->other][row];
        if (b->upper)
            hi[b->of] = v4_min(hi[b->of], at);
        else
            lo[b->of] = v4_max(lo[b->of], at);
    }
    v4i in = (lo[0] <= hi[0]) & (lo[1] <= hi[1]) & (lo[2] <= hi[2]);
    for (int k = 0; k < 3; ++k) {
        s->lo[k][row] = v4_select(in, v4_min(s->lo[k][row], lo[k]), s->lo[k][row]);
        s->hi[k][row] = v4_select(in, v4_max(s->hi[k][row], hi[k]), s->hi[k][row]);
    }
}

/* The range of parts along an axis that something between lo and hi may be in. */
static void part_range(const extent_search *s, float lo, float hi, int32_t *first,
                       int32_t *last)
{
    float parts = (float)s->lattice->parts, edge = s->lattice->edge, half = 0.5f * parts;
    *first = (int32_t)float_clamp((lo - s->frame.half) / edge + half + 0.49f, 0.0f, parts);
    *last =
        (int32_t)float_clamp((hi + s->frame.half) / edge + half - 0.49f, 0.0f, parts - 1.0f);
}

static void add_form(extent_search *s, const rico__form *f)
{
    int32_t first[2], last[2];
    for (int a = 0; a < 2; ++a)
        part_range(s, f->lo[a + 1], f->hi[a + 1], &first[a], &last[a]);
    for (int32_t z = first[1]; z <= last[1]; ++z)
        for (int32_t y = first[0]; y <= last[0]; ++y)
            add_to_row(s, f, (uint32_t)(z * (int32_t)ROW + y));
}

static bool is_new(extent_search *s, uint32_t id)
{
    uint32_t *seen = &s->seen[id % SEEN];
    bool is = *seen != id;
    *seen = id;
    return is;
}

static bool counts(const extent_search *s, const rico__face *face)
{
    return face->triangle != RICO_NO_TRIANGLE &&
           (!s->merged ||
            rico__layers_pass(s->scene, s->filter,
                              rico__face_vertex(s->triangles, face, 0)->collider - 1));
}

static void add_ids(void *user, const uint32_t *ids, uint32_t count)
{
    extent_search *s = user;
    for (uint32_t i = 0; i < count; ++i) {
        const rico__face *face = &s->triangles->faces[ids[i]];
        if (!is_new(s, ids[i]) || !counts(s, face))
            continue;
        rico__form f = rico__form_of(&s->frame, s->triangles, face);
        add_form(s, &f);
    }
}

/* Searches a grid in world space. */
static void search_grid(extent_search *s, const rico__grid *grid, bool merged)
{
    grid_box asked = {.scene = s->scene, .grid = grid, .box = s->box};
    if (grid->dims[0] == 0 || !cells_of_box(grid, &s->box, &asked.cells))
        return;
    s->triangles = &grid->triangles;
    s->merged = merged;
    memset(s->seen, 0xff, sizeof s->seen); /* no triangle */
    ask_trees(&asked, add_ids, s);
}

/* --- Bodies whose space is turned: one part after the other -------------------------------- */

static rico_box part_box(const extent_search *s, uint32_t x, uint32_t row)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        double middle = s->frame.middle[k] + (double)s->center[k][row][x];
        lo[k] = (float)(middle - (double)s->frame.half);
        hi[k] = (float)(middle + (double)s->frame.half);
    }
    return (rico_box){vec3(lo[0], lo[1], lo[2]), vec3(hi[0], hi[1], hi[2])};
}

static void add_turned_ids(void *user, const uint32_t *ids, uint32_t count)
{
    extent_search *s = user;
    for (uint32_t i = 0; i < count; ++i) {
        rico__chunk_entry entry;
        if (s->triangles->faces[ids[i]].triangle == RICO_NO_TRIANGLE)
            continue;
        rico__triangle_part(s->triangles, ids[i], &s->local, &entry);
        rico_box box = {vec3(entry.lo[0], entry.lo[1], entry.lo[2]),
                        vec3(entry.hi[0], entry.hi[1], entry.hi[2])};
        rico__middle middle = rico__middle_of(&box);
        box = rico__placement_box(&s->body->placement, &middle);
        s->found.lo = vec3_min(s->found.lo, box.lo);
        s->found.hi = vec3_max(s->found.hi, box.hi);
    }
}

static void search_turned(extent_search *s, const rico__grid *grid, const rico_box *local)
{
    grid_box asked = {.scene = s->scene, .grid = grid, .box = *local};
    if (grid->dims[0] == 0 || !cells_of_box(grid, local, &asked.cells))
        return;
    const double lo[3] = {(double)local->lo.x, (double)local->lo.y, (double)local->lo.z};
    const double hi[3] = {(double)local->hi.x, (double)local->hi.y, (double)local->hi.z};
    s->local = rico__part_box_of(lo, hi);
    s->triangles = &grid->triangles;
    ask_trees(&asked, add_turned_ids, s);
}

static void add_to_part(extent_search *s, uint32_t x, uint32_t row, const rico_box *box)
{
    rico_box common = common_box(box, &s->part);
    const float lo[3] = {common.lo.x, common.lo.y, common.lo.z};
    const float hi[3] = {common.hi.x, common.hi.y, common.hi.z};
    float pad = s->frame.pad;
    for (int k = 0; k < 3; ++k)
        if (lo[k] > hi[k])
            return;
    for (int k = 0; k < 3; ++k) {
        float from = (float)((double)lo[k] - s->frame.middle[k]) - pad;
        float to = (float)((double)hi[k] - s->frame.middle[k]) + pad;
        s->lo[k][row][x] = from < s->lo[k][row][x] ? from : s->lo[k][row][x];
        s->hi[k][row][x] = to > s->hi[k][row][x] ? to : s->hi[k][row][x];
    }
}

/* The box of what the body has in the current part. */
static rico_box body_in_part(extent_search *s, const rico__collider *c)
{
    const rico__shape *shape = &s->scene->shapes[c->shape];
    const float far = __builtin_inff();
    rico_box local;
    s->found = (rico_box){{far, far, far}, {-far, -far, -far}};
    if (!box_for(c, &s->part, &local))
        return s->found;
    if (rico__shape_is_formula(shape)) {
        rico__primitive primitive = rico__shape_primitive(shape);
        if (rico__primitive_touches_box(&primitive, &local))
            return c->box;
    } else {
        search_turned(s, &shape->part.grid, &local);
    }
    return s->found;
}

/* Returns false always, so that the search goes on. */
static bool search_body(void *user, uint32_t slot)
{
    extent_search *s = user;
    const rico__collider *c = &s->scene->colliders[slot];
    const rico__shape *shape = &s->scene->shapes[c->shape];
    if (!rico__layers_pass(s->scene, s->filter, slot))
        return false;
    if (c->placed && !rico__shape_is_formula(shape)) {
        search_grid(s, &shape->part.grid, false);
        return false;
    }
    s->body = c;
    for (uint32_t z = 0; z < s->lattice->parts; ++z)
        for (uint32_t y = 0; y < s->lattice->parts; ++y)
            for (uint32_t x = 0; x < s->lattice->parts; ++x) {
                s->part = part_box(s, x, z * ROW + y);
                rico_box box = body_in_part(s, c);
                add_to_part(s, x, z * ROW + y, &box);
            }
    return false;
}

static void search_planes(extent_search *s)
{
    for (uint32_t i = 0; i < s->scene->plane_count; ++i) {
        uint32_t slot = s->scene->planes[i];
        if (!rico__layers_pass(s->scene, s->filter, slot))
            continue;
        for (uint32_t n = 0; n < ROWS * ROW; ++n) {
            s->part = part_box(s, n % ROW, n / ROW);
            if (rico__formula_plane_touches(&s->scene->colliders[slot], &s->part))
                add_to_part(s, n % ROW, n / ROW, &s->part);
        }
    }
}

/* --- The lattice -------------------------------------------------------------------------- */

static bool lattice_is_valid(const rico_lattice *l)
{
    return vec3_is_finite(l->lo) && l->edge > 0.0f && l->edge <= RICO_LATTICE_EDGE_MAX &&
           l->room >= 0.0f && l->room <= 1.0f && l->parts >= 1 &&
           l->parts <= RICO_LATTICE_PARTS;
}

static void begin(extent_search *s)
{
    const rico_lattice *l = s->lattice;
    const float lo[3] = {l->lo.x, l->lo.y, l->lo.z};
    float half = 0.5f * (float)l->parts * l->edge, far = __builtin_inff();
    s->frame.half = (0.5f + l->room) * l->edge;
    s->frame.pad = ROUNDING * l->edge;
    for (int k = 0; k < 3; ++k) {
        s->frame.middle[k] = (double)lo[k] + (double)half;
        for (uint32_t n = 0; n < ROWS * ROW; ++n) {
            const uint32_t at[3] = {n % ROW, n / ROW % ROW, n / ROWS};
            s->center[k][n / ROW][n % ROW] = ((float)at[k] + 0.5f) * l->edge - half;
            s->lo[k][n / ROW][n % ROW] = far;
            s->hi[k][n / ROW][n % ROW] = -far;
        }
    }
    float room = l->room * l->edge, size = 2.0f * half + room;
    s->box = (rico_box){vec3(lo[0] - room, lo[1] - room, lo[2] - room),
                        vec3(lo[0] + size, lo[1] + size, lo[2] + size)};
}

static bool take_extent(const extent_search *s, uint32_t x, uint32_t row, rico_box *extent)
{
    rico_box part = part_box(s, x, row);
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = (float)(s->frame.middle[k] + (double)s->lo[k][row][x]);
        hi[k] = (float)(s->frame.middle[k] + (double)s->hi[k][row][x]);
    }
    *extent = (rico_box){vec3(lo[0], lo[1], lo[2]), vec3(hi[0], hi[1], hi[2])};
    if (lo[0] > hi[0])
        return false;
    *extent = common_box(extent, &part);
    return true;
}

uint32_t rico_scene_extents(const rico_scene *scene, const rico_filter *filter,
                            const rico_lattice *lattice, rico_box *extents)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && lattice != NULL && extents != NULL) ||
        !lattice_is_valid(lattice))
        return 0;
    const rico_filter all = rico_filter_default();
    extent_search s = {
        .scene = scene, .filter = filter != NULL ? filter : &all, .lattice = lattice};
    begin(&s);
    search_grid(&s, &scene->merged.grid, true);
    rico__bodies_each(&scene->bodies, &s.box, search_body, &s);
    search_planes(&s);
    uint32_t count = 0, parts = lattice->parts;
    for (uint32_t n = 0; n < parts * parts * parts; ++n) {
        uint32_t x = n % parts, y = n / parts % parts, z = n / (parts * parts);
        count += take_extent(&s, x, z * ROW + y, &extents[n]);
    }
    return count;
}
