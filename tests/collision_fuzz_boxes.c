#include "collision_fuzz_questions.h"

enum { GATHER_MAX = 8192 };

static rico_box take_box(const world *w, source *s)
{
    uint32_t how = take(s, 1);
    rico_vec3 lo = how % 2 == 0 ? take_corner(w, s) : take_vec3(s), hi = take_vec3(s);
    if (how % 4 == 2) /* around a corner, or of no size at a corner */
        hi = vec3_add(lo, vec3(0.0f, how < 100 ? 0.0f : 0.5f, how < 100 ? 0.0f : 2.0f));
    if (how < 200)
        return (rico_box){vec3_min(lo, hi), vec3_max(lo, hi)};
    return (rico_box){lo, hi};
}

static bool box_is_valid(const rico_box *box)
{
    return vec3_is_finite(box->lo) && vec3_is_finite(box->hi) && box->lo.x <= box->hi.x &&
           box->lo.y <= box->hi.y && box->lo.z <= box->hi.z;
}

static rico_triangle placed_triangle(const world *w, uint32_t slot, uint32_t i)
{
    const fuzz_body *b = &w->bodies[slot];
    rico_triangle t = {.collider = slot + 1, .triangle = w->faces[i].triangle};
    t.a = body_corner(w, b, i, 0);
    t.b = body_corner(w, b, i, 1);
    t.c = body_corner(w, b, i, 2);
    return t;
}

static bool touches(const rico_triangle *t, const rico_box *box)
{
    const float *const corner[3] = {&t->a.x, &t->b.x, &t->c.x};
    return rico__corners_touch_box(corner, box);
}

/* A gather may leave out such triangles. */
static bool is_far(const rico_triangle *t)
{
    const float *const corner[3] = {&t->a.x, &t->b.x, &t->c.x};
    bool far = false;
    for (int i = 0; i < 9; ++i)
        far |= !(fabsf(corner[i / 3][i % 3]) <= 1.0e9f);
    return far;
}

static bool triangles_equal(const rico_triangle *a, const rico_triangle *b)
{
    return a->collider == b->collider && a->triangle == b->triangle &&
           memcmp(&a->a, &b->a, 9 * sizeof(float)) == 0;
}

typedef struct expecting {
    const rico_triangle *got;
    uint32_t count, at;
} expecting;

/* A plane's triangles are as large as the box needs them. The tests of planes check what they
 * are. */
static void expect_plane(expecting *e, uint32_t slot)
{
    for (uint32_t n = 0; n < 2; ++n)
        e->at += e->at < e->count && e->got[e->at].collider == slot + 1;
}

static void expect_body(const world *w, expecting *e, uint32_t slot, const rico_box *box)
{
    const fuzz_shape *shape = &w->shapes[w->bodies[slot].shape];
    for (uint32_t i = shape->first; i < shape->first + shape->count; ++i) {
        rico_triangle t = placed_triangle(w, slot, i);
        if (is_far(&t)) {
            e->at += e->at < e->count && triangles_equal(&e->got[e->at], &t);
            continue;
        }
        if (!touches(&t, box))
            continue;
        REQUIRE(e->at < e->count && triangles_equal(&e->got[e->at], &t),
                "place %u of %u is not triangle %u of %u in (%a %a %a)..(%a %a %a)", e->at,
                e->count, t.triangle, t.collider, (double)box->lo.x, (double)box->lo.y,
                (double)box->lo.z, (double)box->hi.x, (double)box->hi.y, (double)box->hi.z);
        e->at += 1;
    }
}

static uint32_t require_all(const world *w, const rico_filter *filter, const rico_box *box,
                            rico_triangle *got)
{
    expecting e = {got, rico_scene_gather(w->scene, filter, box, got, GATHER_MAX), 0};
    for (uint32_t slot = 0; slot < FUZZ_BODIES && box_is_valid(box); ++slot) {
        if (!body_is_seen(&w->bodies[slot], filter, slot, 0))
            continue;
        if (w->shapes[w->bodies[slot].shape].formula.kind == RICO_SHAPE_PLANE)
            expect_plane(&e, slot);
        else
            expect_body(w, &e, slot, box);
    }
    REQUIRE(e.count == e.at, "%u gathered, expected %u", e.count, e.at);
    return e.count;
}

void ask_box(const world *w, source *s)
{
    static rico_triangle all[GATHER_MAX], few[9];
    rico_box box = take_box(w, s);
    rico_filter filter = take_filter(s);
    uint32_t capacity = take_below(s, 8), count = require_all(w, &filter, &box, all);
    few[capacity].triangle = 12345;
    REQUIRE(rico_scene_gather(w->scene, &filter, &box, few, capacity) == count, "not %u",
            count);
    for (uint32_t i = 0; i < capacity && i < count; ++i)
        REQUIRE(triangles_equal(&few[i], &all[i]), "of few, %u is another", i);
    REQUIRE(few[capacity].triangle == 12345, "wrote beyond %u", capacity);
    bool any = false;
    for (uint32_t i = 0; i < count; ++i)
        any |= !is_far(&all[i]);
    REQUIRE(!any || rico_scene_occupied(w->scene, &box), "%u touch", count);
    REQUIRE(!any || rico_scene_occupied_closely(w->scene, UINT32_MAX, &box, 0.0f), "%u touch",
            count);
}

/* --- surfaces --- */

static uint32_t index_of(const rico_triangle *list, uint32_t count, const rico_triangle *t)
{
    uint32_t i = 0;
    while (i < count && !triangles_equal(&list[i], t))
        i += 1;
    return i;
}

static bool is_inside(const rico_box *box, rico_vec3 p)
{
    return p.x >= box->lo.x && p.y >= box->lo.y && p.z >= box->lo.z && p.x <= box->hi.x &&
           p.y <= box->hi.y && p.z <= box->hi.z;
}

static void require_near(const rico_surface *surface, rico_vec3 p, float flatness)
{
    const float *n = &surface->plane.normal.x, *at = &p.x;
    double height = -(double)surface->plane.offset, size = 1.0;
    for (int k = 0; k < 3; ++k) {
        height += (double)n[k] * (double)at[k];
        size += fabs((double)at[k]);
    }
    REQUIRE(fabs(height) <= (double)flatness + 1.0e-6 * size, "%g from the plane", height);
}

/* Returns the index of the next group's first triangle. */
static uint32_t require_group(const rico_surface *surface, const rico_triangle *before,
                              const rico_triangle *after, uint32_t count, const rico_box *box,
                              float flatness)
{
    double length = (double)vec3_length(surface->plane.normal);
    uint32_t end = surface->first + surface->count, previous = 0;
    REQUIRE(surface->count > 0 && end <= count, "%u + %u", surface->first, surface->count);
    REQUIRE(length == 0.0 || fabs(length - 1.0) < 1.0e-5, "the normal is %g long", length);
    for (uint32_t i = surface->first; i < end; ++i) {
        const rico_triangle *t = &after[i];
        const rico_vec3 corner[3] = {t->a, t->b, t->c};
        uint32_t from = index_of(before, count, t);
        REQUIRE(from < count && t->collider == surface->collider, "not one of them");
        REQUIRE(i == surface->first || from > previous, "out of order");
        previous = from;
        for (int j = 0; j < 3; ++j)
            if (length > 0.0 && is_inside(box, corner[j]))
                require_near(surface, corner[j], flatness);
    }
    return end;
}

void ask_surfaces(const world *w, source *s)
{
    static rico_triangle before[GATHER_MAX], after[GATHER_MAX];
    static rico_surface surfaces[RICO_SURFACES_MAX];
    rico_box box = take_box(w, s), other = take_below(s, 8) == 0 ? take_box(w, s) : box;
    float flatness = take_below(s, 4) == 0 ? take_float(s) : 0.01f;
    uint32_t capacity = take_below(s, 4) == 0 ? take_below(s, 4) : RICO_SURFACES_MAX, at = 0;
    uint32_t count = rico_scene_gather(w->scene, NULL, &box, before, 512);
    count = count < 512 ? count : 512; /* checked one by one */
    memcpy(after, before, count * sizeof *after);
    uint32_t groups =
        rico_scene_surfaces(w->scene, &other, flatness, after, count, surfaces, capacity);
    REQUIRE(groups <= RICO_SURFACES_MAX + 1, "%u groups", groups);
    bool valid = box_is_valid(&other) && flatness >= 0.0f && flatness <= 0.1f;
    REQUIRE(valid || groups == 0, "%u groups of nothing", groups);
    REQUIRE(!valid || (groups > 0) == (count > 0), "%u groups of %u", groups, count);
    for (uint32_t n = 0; n < groups && n < capacity && n < RICO_SURFACES_MAX; ++n) {
        REQUIRE(surfaces[n].first == at, "group %u begins at %u", n, surfaces[n].first);
        at = require_group(&surfaces[n], before, after, count, &other, flatness);
    }
    REQUIRE(groups == 0 || groups > capacity || groups > RICO_SURFACES_MAX || at == count,
            "%u of %u", at, count);
    for (uint32_t i = at; i < count; ++i)
        REQUIRE(index_of(before, count, &after[i]) < count, "triangle %u is lost", i);
}
