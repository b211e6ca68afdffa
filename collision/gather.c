/* Boxes against the grid. Candidates come from the trees of the bricks that the box overlaps.
 * They pass through a window of ids, as bits, so that each is reported once and in order. So
 * there is no sorting, no marks in shared memory, and a bounded 12 KB of stack, however large
 * the box is. Large meshes need several windows, but only those in which the box has
 * candidates. */
#include "asked_box.h"
#include "check.h"
#include "float_mode.h"
#include "formula.h"

#define WINDOW_WORDS 512u
#define WINDOW_IDS (WINDOW_WORDS * 64u)

/* Candidates that are kept. If there are more, each window walks the trees again. */
#define CANDIDATES 896u

/* Ids from first on, as bits; summary has a bit per non-zero word. */
typedef struct id_window {
    uint64_t words[WINDOW_WORDS];
    uint64_t summary[WINDOW_WORDS / 64];
    uint32_t first;
    uint32_t next; /* smallest id beyond the window, or RICO_NO_TRIANGLE */
} id_window;

static void window_take(id_window *window, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = ids[i] - window->first; /* ids before the window wrap around */
        if (at < WINDOW_IDS) {
            window->words[at >> 6] |= (uint64_t)1 << (at & 63);
            window->summary[at >> 12] |= (uint64_t)1 << (at >> 6 & 63);
        } else if (ids[i] >= window->first) {
            window->next = ids[i] < window->next ? ids[i] : window->next;
        }
    }
}

static void window_take_ids(void *user, const uint32_t *ids, uint32_t count)
{
    window_take(user, ids, count);
}

typedef struct candidates {
    uint32_t ids[CANDIDATES];
    uint32_t count; /* may be more than fit */
    uint32_t first; /* the smallest */
    const rico__face *faces;
} candidates;

static void keep_ids(void *user, const uint32_t *ids, uint32_t count)
{
    candidates *c = user;
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(&c->faces[ids[i]]);
        if (c->count + i < CANDIDATES)
            c->ids[c->count + i] = ids[i];
        c->first = ids[i] < c->first ? ids[i] : c->first;
    }
    c->count += count;
}

/* --- a grid --- */

/* What is gathered. The box is in world space. Triangles go through the placement, if there is
 * one, before they are tested. */
typedef struct gathering {
    const rico_scene *scene;
    const rico_filter *filter;
    const rico_box *box;
    rico_triangle *out;
    uint32_t capacity, count, most;   /* most: gathering stops there */
    const rico__triangles *triangles; /* of the current grid */
    const rico__placement *placement;
    uint32_t slot; /* + 1, of all triangles; 0: vertices name it */
} gathering;

static void gather_triangle(gathering *g, const rico_triangle *t)
{
    const float *const corner[3] = {&t->a.x, &t->b.x, &t->c.x};
    if (g->count >= g->most || !rico__corners_touch_box(corner, g->box))
        return;
    if (g->count < g->capacity)
        g->out[g->count] = *t;
    g->count += 1;
}

static void gather_one(gathering *g, uint32_t id)
{
    const rico__face *face = &g->triangles->faces[id];
    const rico__vertex *vertex = rico__face_vertex(g->triangles, face, 0);
    uint32_t slot = g->slot != 0 ? g->slot : vertex->collider;
    rico_triangle t = {.collider = slot, .triangle = face->triangle};
    if (g->count >= g->most || face->triangle == RICO_NO_TRIANGLE ||
        !rico__layers_pass(g->scene, g->filter, slot - 1))
        return;
    place_corners(g->triangles, face, g->placement, &t);
    gather_triangle(g, &t);
}

/* Reports the window's ids below `end` in order, and leaves the window clear. */
static void gather_window(gathering *g, id_window *window, uint32_t end)
{
    for (uint32_t s = 0; s < WINDOW_WORDS / 64; ++s) {
        for (; window->summary[s] != 0; window->summary[s] &= window->summary[s] - 1) {
            uint32_t word = s * 64 + (uint32_t)__builtin_ctzll(window->summary[s]);
            uint64_t bits = window->words[word];
            window->words[word] = 0;
            for (; bits != 0; bits &= bits - 1) {
                uint32_t id = window->first + word * 64 + (uint32_t)__builtin_ctzll(bits);
                if (id < end)
                    gather_one(g, id);
            }
        }
    }
}

/* Gathers the ids from first to end. found: all candidates. */
static void gather_ids(gathering *g, const grid_box *asked, const candidates *found,
                       uint32_t first, uint32_t end)
{
    id_window window = {.first = first > found->first ? first : found->first,
                        .next = RICO_NO_TRIANGLE};
    while (found->count > 0 && window.first < end) {
        if (found->count <= CANDIDATES)
            window_take(&window, found->ids, found->count);
        else
            ask_trees(asked, window_take_ids, &window);
        gather_window(g, &window, end);
        window.first = window.next;
        window.next = RICO_NO_TRIANGLE;
    }
}

/* Returns false when the grid has nothing in the box. */
static bool find_candidates(const rico_scene *scene, const rico__grid *grid,
                            const rico_box *box, grid_box *asked, candidates *found)
{
    *asked = (grid_box){.scene = scene, .grid = grid, .box = *box};
    found->count = 0;
    found->faces = grid->triangles.faces;
    found->first = RICO_NO_TRIANGLE;
    if (grid->dims[0] == 0 || !cells_of_box(grid, box, &asked->cells))
        return false;
    ask_trees(asked, keep_ids, found);
    return found->count > 0;
}

/* --- the scene --- */

static void gather_collider(gathering *g, uint32_t slot)
{
    const rico__collider *c = &g->scene->colliders[slot];
    const rico__grid *grid = &g->scene->shapes[c->shape].part.grid;
    grid_box asked;
    candidates found;
    rico_box local;
    if (!rico__layers_pass(g->scene, g->filter, slot) || !box_for(c, g->box, &local) ||
        !find_candidates(g->scene, grid, &local, &asked, &found))
        return;
    g->triangles = &grid->triangles;
    g->placement = c->placed ? NULL : &c->placement;
    g->slot = slot + 1;
    gather_ids(g, &asked, &found, 0, RICO_NO_TRIANGLE);
}

/* The first face, in the merged part, of colliders from a slot on. */
static uint32_t merged_from(const rico_scene *scene, uint32_t slot)
{
    for (; slot < scene->merged_end; ++slot)
        if (scene->colliders[slot].used && scene->colliders[slot].merged)
            return scene->colliders[slot].face_first;
    return RICO_NO_TRIANGLE;
}

/* Gathers the merged part's triangles from id first to end, between those of other colliders. */
static void gather_merged(gathering *g, const grid_box *asked, const candidates *found,
                          uint32_t first, uint32_t end)
{
    g->triangles = &g->scene->merged.grid.triangles;
    g->placement = NULL;
    g->slot = 0;
    gather_ids(g, asked, found, first, end);
}

#define WORLD 1.0e9f /* planes end there: larger boxes are cut, so that sums stay finite */

/* A plane has two triangles, as large as the box needs them. */
static void gather_plane(gathering *g, uint32_t slot)
{
    const rico__collider *c = &g->scene->colliders[slot];
    if (!rico__layers_pass(g->scene, g->filter, slot) ||
        !rico__formula_plane_touches(c, g->box))
        return;
    const rico_box world = {{-WORLD, -WORLD, -WORLD}, {WORLD, WORLD, WORLD}};
    rico_box common = common_box(g->box, &world);
    if (common.lo.x > common.hi.x || common.lo.y > common.hi.y || common.lo.z > common.hi.z)
        return;
    rico_box local = rico__placement_box_back(&c->placement, &common);
    float corners[2][9];
    rico__primitive_plane_triangles(&local, corners);
    for (uint32_t i = 0; i < 2; ++i) {
        rico_triangle t = {.collider = slot + 1, .triangle = i};
        rico_vec3 *to[3] = {&t.a, &t.b, &t.c};
        for (uint32_t j = 0; j < 3; ++j) {
            const float *at = corners[i] + 3 * j;
            *to[j] = rico__placement_point(&c->placement, vec3(at[0], at[1], at[2]));
        }
        gather_triangle(g, &t);
    }
}

#define BODIES 64u

/* The colliders outside the merged part, in the order of slots: planes, and bodies by pages. */
typedef struct slots {
    uint32_t page[BODIES];
    uint32_t count, next, first, plane;
} slots;

static uint32_t next_slot(const gathering *g, slots *s)
{
    const rico_scene *scene = g->scene;
    if (s->next == s->count && s->count == BODIES) {
        s->count = rico__bodies_in_box(&scene->bodies, g->box, s->first, s->page, BODIES);
        s->next = 0;
        s->first = s->count > 0 ? s->page[s->count - 1] + 1 : 0;
    }
    uint32_t body = s->next < s->count ? s->page[s->next] : RICO_NO_SLOT;
    uint32_t plane = s->plane < scene->plane_count ? scene->planes[s->plane] : RICO_NO_SLOT;
    s->next += body < plane;
    s->plane += plane < body;
    return body < plane ? body : plane;
}

/* Gathers the merged part's triangles and those of other colliders, in the order of slots. */
static void gather_all(gathering *g)
{
    const rico_scene *scene = g->scene;
    grid_box asked;
    candidates merged;
    uint32_t first = 0, slot;
    slots s;
    s.count = s.next = BODIES;
    s.first = s.plane = 0;
    bool any = find_candidates(scene, &scene->merged.grid, g->box, &asked, &merged);
    while ((slot = next_slot(g, &s)) != RICO_NO_SLOT) {
        uint32_t end = any ? merged_from(scene, slot) : 0;
        if (any && merged.first < end)
            gather_merged(g, &asked, &merged, first, end);
        first = end;
        if (scene->colliders[slot].box.lo.x > scene->colliders[slot].box.hi.x)
            gather_plane(g, slot);
        else
            gather_collider(g, slot);
    }
    if (any)
        gather_merged(g, &asked, &merged, first, RICO_NO_TRIANGLE);
}

static uint32_t gather_box(const rico_scene *scene, const rico_filter *filter,
                           const rico_box *box, rico_triangle *triangles, uint32_t capacity,
                           uint32_t most)
{
    if (!RICO_REQUIRE(scene != NULL && box != NULL && (triangles != NULL || capacity == 0)) ||
        !box_is_valid(box))
        return 0;
    const rico_filter all = rico_filter_default();
    gathering g = {.scene = scene,
                   .filter = filter != NULL ? filter : &all,
                   .box = box,
                   .out = triangles,
                   .capacity = capacity,
                   .most = most};
    gather_all(&g);
    return g.count;
}

uint32_t rico_scene_gather(const rico_scene *scene, const rico_filter *filter,
                           const rico_box *box, rico_triangle *triangles, uint32_t capacity)
{
    RICO__FLOAT_MODE();
    return gather_box(scene, filter, box, triangles, capacity, UINT32_MAX);
}

uint32_t rico_scene_gather_first(const rico_scene *scene, const rico_filter *filter,
                                 const rico_box *box, rico_triangle *triangles,
                                 uint32_t capacity)
{
    RICO__FLOAT_MODE();
    return gather_box(scene, filter, box, triangles, capacity, capacity);
}
