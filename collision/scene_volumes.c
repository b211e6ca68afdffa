/* Sweeps and nearest points of a scene: first in the merged part, then in each plane, and in
 * each body that is near enough. */
#include "check.h"
#include "filter.h"
#include "float_mode.h"
#include "formula.h"
#include "vec.h"

#define BODIES 64u

/* More than rounding moves a contact, per extent and per coordinate. */
#define GROW (64.0f / 16777216.0f)

/* What a query sees and what it does not. */
typedef struct view {
    const rico_scene *scene;
    const rico__volume_kernel *kernel;
    rico_filter filter;
    rico__cast_filter merged; /* for the merged part */
    rico__cast_filter body;   /* for a body that is seen */
    uint32_t ignore;
} view;

static view view_make(const rico_scene *scene, const rico_filter *filter, uint32_t ignore)
{
    view v = {.scene = scene,
              .kernel = rico__volume_for_isa(scene->cast->isa),
              .filter = filter != NULL ? *filter : rico_filter_default(),
              .ignore = ignore};
    v.body = (rico__cast_filter){.skip_back_faces = v.filter.skip_back_faces};
    v.merged = v.body;
    v.merged.layers = scene->layers;
    v.merged.wanted = v.filter.layers;
    v.merged.unwanted = v.filter.ignored_layers;
    v.merged.ignores = ignore != 0;
    return v;
}

static bool sees(const view *v, uint32_t slot)
{
    return slot + 1 != v->ignore && rico__layers_pass(v->scene, &v->filter, slot);
}

static rico_box grown_box(rico_vec3 lo, rico_vec3 hi, float by)
{
    rico_vec3 far = vec3_max(rico__vec3_abs(lo), rico__vec3_abs(hi));
    rico_vec3 grow = vec3_mad(vec3(by, by, by), far, GROW);
    return (rico_box){vec3_sub(lo, grow), vec3_add(hi, grow)};
}

/* Calls `ask` for every plane that is seen, then for every body in the box that is seen, in the
 * order of slots. */
typedef void ask_fn(void *user, uint32_t slot, const rico__collider *c);

static void each_body(const view *v, const rico_box *box, ask_fn *ask, void *user)
{
    uint32_t slots[BODIES], count = BODIES, first = 0;
    for (uint32_t i = 0; i < v->scene->plane_count; ++i)
        if (sees(v, v->scene->planes[i]))
            ask(user, v->scene->planes[i], &v->scene->colliders[v->scene->planes[i]]);
    while (count == BODIES) {
        count = rico__bodies_in_box(&v->scene->bodies, box, first, slots, BODIES);
        for (uint32_t i = 0; i < count; ++i)
            if (sees(v, slots[i]))
                ask(user, slots[i], &v->scene->colliders[slots[i]]);
        first = count > 0 ? slots[count - 1] + 1 : 0;
    }
}

/* --- sweeps --- */

typedef struct sweeping {
    const view *view;
    const rico__sweep_frame *frame;
    rico__sweep_best best;
    rico_sweep_hit formula; /* the answer, if the best is on a shape without triangles */
} sweeping;

static void sweep_body(void *user, uint32_t slot, const rico__collider *c)
{
    sweeping *s = user;
    rico__sweep_frame frame = *s->frame;
    const rico__shape *shape = &s->view->scene->shapes[c->shape];
    if (!c->placed)
        rico__sweep_frame_place(&frame, &c->motion.transform);
    if (rico__shape_is_formula(shape))
        rico__formula_sweep(shape, c, &frame, slot + 1, &s->best, &s->formula);
    else
        rico__grid_sweep(&shape->part.grid, s->view->kernel, &s->view->body, &frame, slot + 1,
                         &s->best);
}

static rico_box box_of_sweep(const rico_sweep *sweep)
{
    float radius = float_max(float_max(sweep->radii.x, sweep->radii.y), sweep->radii.z);
    rico_vec3 size = vec3(radius, radius, radius);
    rico_vec3 end = vec3_add(sweep->center, sweep->motion);
    return grown_box(vec3_sub(vec3_min(sweep->center, end), size),
                     vec3_add(vec3_max(sweep->center, end), size), radius * GROW);
}

static rico_sweep_hit sweep_scene(const rico_scene *scene, const rico_filter *filter,
                                  const rico_sweep *sweep)
{
    rico__sweep_frame frame;
    view v = view_make(scene, filter, sweep->ignore);
    sweeping s = {.view = &v, .frame = &frame, .best = rico__sweep_none()};
    if (rico__sweep_frame_init(&frame, sweep)) {
        rico_box box = box_of_sweep(sweep);
        if (scene->merged_count > 0)
            rico__grid_sweep(&scene->merged.grid, v.kernel, &v.merged, &frame, 0, &s.best);
        each_body(&v, &box, sweep_body, &s);
    }
    rico_sweep_hit hit = rico__sweep_answer(&frame, &s.best);
    if (hit.collider == 0)
        return hit;
    if (s.formula.collider == hit.collider)
        hit = s.formula;
    hit.steps = s.best.steps;
    const rico__collider *c = &scene->colliders[hit.collider - 1];
    hit.surface = rico__shape_surface(&scene->shapes[c->shape], hit.triangle);
    hit.moving = c->moving;
    hit.velocity = rico__collider_velocity(c, hit.point);
    return hit;
}

rico_sweep_hit rico_scene_sweep(const rico_scene *scene, const rico_filter *filter,
                                const rico_sweep *sweep)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && sweep != NULL))
        return (rico_sweep_hit){.t = 1.0f, .triangle = RICO_NO_TRIANGLE};
    return sweep_scene(scene, filter, sweep);
}

void rico_scene_sweep_batch(const rico_scene *scene, const rico_filter *filter,
                            const rico_sweep *sweeps, rico_sweep_hit *hits, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (sweeps != NULL && hits != NULL))))
        return;
    for (uint32_t i = 0; i < count; ++i)
        hits[i] = sweep_scene(scene, filter, &sweeps[i]);
}

/* --- nearest points --- */

typedef struct nearing {
    const view *view;
    const rico__nearest_frame *frame;
    rico_vec3 point;
    rico__nearest_best best;
} nearing;

/* A lower bound of the distance to anything in the box. */
static float distance_below(const rico_box *box, rico_vec3 p)
{
    const rico_vec3 zero = {0.0f, 0.0f, 0.0f};
    rico_vec3 beside = vec3_max(vec3_sub(box->lo, p), vec3_sub(p, box->hi));
    return vec3_length(vec3_max(beside, zero)) * (1.0f - 16.0f * GROW);
}

static void near_body(void *user, uint32_t slot, const rico__collider *c)
{
    nearing *n = user;
    rico__nearest_frame frame = *n->frame;
    const rico__shape *shape = &n->view->scene->shapes[c->shape];
    rico_box box = rico__collider_body_box(c);
    bool ends = c->box.lo.x <= c->box.hi.x;
    if (ends && distance_below(&box, n->point) > n->best.distance)
        return;
    if (!c->placed)
        rico__nearest_frame_place(&frame, &c->motion.transform);
    if (rico__shape_is_formula(shape))
        rico__formula_nearest(shape, &frame, n->view->filter.skip_back_faces, slot + 1,
                              &n->best);
    else
        rico__grid_nearest(&shape->part.grid, n->view->kernel, &n->view->body, &frame, slot + 1,
                           &n->best);
}

rico_nearest rico_scene_nearest(const rico_scene *scene, const rico_filter *filter,
                                rico_vec3 point, float radius, uint32_t ignore)
{
    RICO__FLOAT_MODE();
    rico_nearest none = {.distance = radius, .triangle = RICO_NO_TRIANGLE};
    rico__nearest_frame frame;
    if (!RICO_REQUIRE(scene != NULL) ||
        !rico__nearest_frame_init(&frame, point, radius, ignore))
        return none;
    view v = view_make(scene, filter, ignore);
    rico_vec3 size = vec3(radius, radius, radius);
    rico_box box = grown_box(vec3_sub(point, size), vec3_add(point, size), radius * GROW);
    nearing n = {
        .view = &v, .frame = &frame, .point = point, .best = rico__nearest_none(&frame)};
    if (scene->merged_count > 0)
        rico__grid_nearest(&scene->merged.grid, v.kernel, &v.merged, &frame, 0, &n.best);
    each_body(&v, &box, near_body, &n);
    if (n.best.collider == 0)
        return none;
    rico_nearest found = rico__nearest_answer(&frame, &n.best);
    const rico__collider *c = &scene->colliders[found.collider - 1];
    found.surface = rico__shape_surface(&scene->shapes[c->shape], found.triangle);
    found.moving = c->moving;
    found.velocity = rico__collider_velocity(c, found.point);
    return found;
}
