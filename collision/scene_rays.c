/* Rays to a scene. If it is one grid in world space, rays go straight to the kernel. Otherwise
 * they go in groups. Each ray finds the bodies that it may meet, nearest first. Rays at the
 * same body are taken into its space and tested there together, up to the best hit so far. */
#include "bits.h"
#include "check.h"
#include "float_mode.h"
#include "formula.h"
#include "vec.h"

#include <float.h>
#include <string.h>

#define RAYS 64u
#define NEAREST 6u /* bodies that a ray finds at a time */

/* When several passes go over rays and their hits, they go in runs of this length, which stay
 * in a cache. */
#define RUN 1024u

rico_filter rico_filter_default(void)
{
    return (rico_filter){.layers = UINT32_MAX};
}

/* Makes the kernels' filter for a grid in world space. all_layers: bits that all its colliders
 * have. Returns NULL if everything passes. */
static const rico__cast_filter *world_filter(rico__cast_filter *to, const rico_scene *scene,
                                             uint32_t all_layers, const rico_filter *filter)
{
    bool layered = (all_layers & filter->layers) == 0 || filter->ignored_layers != 0;
    *to = (rico__cast_filter){.layers = layered ? scene->layers : NULL,
                              .wanted = filter->layers,
                              .unwanted = filter->ignored_layers,
                              .skip_back_faces = filter->skip_back_faces};
    return layered || filter->skip_back_faces ? to : NULL;
}

/* --- groups --- */

/* Rays on their way through the bodies. If `hits` is set, the closest hits are wanted, else any
 * hit (`blocked`). Owner: the call, on its stack. Order: rounds; in each, by body, then by
 * ray. */
typedef struct group {
    const rico_scene *scene;
    const rico_filter *filter;
    const rico_ray *rays;
    rico_hit *hits;
    bool *blocked;
    uint32_t count;
    const rico__bodies *bodies; /* that rays may meet: the scene's, or `few` */
    rico__bodies few;           /* a tree of one leaf */
    rico__body_node leaf;
    rico__body_ray ray[RAYS];
    rico__body_entry near[RAYS][NEAREST];
    uint8_t found[RAYS], next[RAYS];
    uint64_t pairs[RAYS]; /* body << 8 | ray */
    rico_ray local[RAYS];
    rico_hit answers[RAYS];
    bool answers_blocked[RAYS];
} group;

/* Bodies that begin beyond the limit have nothing closer. More than the limit's rounding is
 * added. */
static void end_at(rico__body_ray *ray, float t)
{
    ray->limit = float_min(t * ray->s_per_t * (1.0f + 0x1p-20f), ray->limit);
}

static rico_vec3 end_of(const group *g, uint32_t i)
{
    const rico_ray *ray = &g->rays[i];
    const bool has_hit = g->hits != NULL && g->hits[i].collider != 0;
    return rico__body_ray_end(&ray->origin, &ray->direction,
                              has_hit ? g->hits[i].t : ray->t_max);
}

/* Most rays are short, and the rays of a group are near each other. Returns whether any body is
 * near the box around all of them. */
static bool find_near(group *g)
{
    const float inf = __builtin_inff();
    rico_box all = {{inf, inf, inf}, {-inf, -inf, -inf}};
    for (uint32_t i = 0; i < g->count; ++i) {
        const rico_vec3 from = g->rays[i].origin, to = end_of(g, i);
        /* NaN, which only rays that meet nothing have, is not taken. */
        all.lo = vec3_min(to, vec3_min(from, all.lo));
        all.hi = vec3_max(to, vec3_max(from, all.hi));
    }
    all = rico__body_ray_room(&all);
    g->bodies = &g->scene->bodies;
    if (!rico__bodies_near(&g->scene->bodies, &all, &g->leaf))
        return true;
    g->few = (rico__bodies){.nodes = &g->leaf, .count = g->leaf.count};
    g->bodies = &g->few;
    return g->few.count > 0;
}

/* Whether any of the few bodies is near the ray. */
static bool is_near(const group *g, uint32_t i)
{
    const rico_vec3 from = g->rays[i].origin, to = end_of(g, i);
    const rico_box ends = {vec3_min(to, from), vec3_max(to, from)};
    const rico_box box = rico__body_ray_room(&ends);
    return rico__body_node_touches(&g->leaf, &box);
}

static void group_start(group *g)
{
    memset(g->found, 0, sizeof g->found);
    memset(g->next, 0, sizeof g->next);
    if (g->scene->bodies.count == 0 || !find_near(g))
        return;
    const rico_box bounds = rico__bodies_bounds(&g->scene->bodies);
    const bool few = g->bodies == &g->few;
    rico__ray_frame frame;
    for (uint32_t i = 0; i < g->count; ++i) {
        const rico_ray *ray = &g->rays[i];
        const bool done = g->hits == NULL && g->blocked[i];
        if (done || (few && !is_near(g, i)) || !rico__ray_frame_init(&frame, ray))
            continue;
        g->ray[i] = rico__body_ray_make(&ray->origin, &ray->direction, frame.t_max, &bounds);
        if (g->hits != NULL && g->hits[i].collider != 0)
            end_at(&g->ray[i], g->hits[i].t);
        g->found[i] =
            (uint8_t)rico__bodies_on_ray(g->bodies, &g->ray[i], NULL, g->near[i], NEAREST);
    }
}

/* The next body that ray i has to be tested against, or RICO_NO_SLOT. */
static uint32_t next_body(group *g, uint32_t i)
{
    for (;;) {
        if (g->next[i] == g->found[i]) {
            if (g->found[i] < NEAREST)
                return RICO_NO_SLOT;
            rico__body_entry last = g->near[i][NEAREST - 1];
            g->next[i] = 0;
            g->found[i] =
                (uint8_t)rico__bodies_on_ray(g->bodies, &g->ray[i], &last, g->near[i], NEAREST);
            continue;
        }
        rico__body_entry entry = g->near[i][g->next[i]++];
        if (entry.begin > g->ray[i].limit) {
            g->found[i] = g->next[i] = 0;
            return RICO_NO_SLOT;
        }
        if (entry.body + 1 != g->rays[i].ignore &&
            rico__layers_pass(g->scene, g->filter, entry.body))
            return entry.body;
    }
}

static void sort_pairs(uint64_t *pairs, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        uint64_t pair = pairs[i];
        uint32_t at = i;
        for (; at > 0 && pairs[at - 1] > pair; --at)
            pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

static uint32_t list_pairs(group *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->count; ++i) {
        uint32_t body = next_body(g, i);
        if (body != RICO_NO_SLOT)
            g->pairs[count++] = (uint64_t)body << 8 | i;
    }
    sort_pairs(g->pairs, count);
    return count;
}

/* A hit that rounds to the same t as the best one has to be found, too: its collider may put it
 * first. */
static float end_of_ties(float t, float t_max)
{
    uint32_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits += 1;
    memcpy(&t, &bits, sizeof t);
    return float_min(float_max(t, FLT_MIN), t_max);
}

/* Ray i in the space of the collider's shape. */
static rico_ray ray_for(const group *g, const rico__collider *c, uint32_t i)
{
    rico_ray ray = g->rays[i];
    if (g->hits != NULL && g->hits[i].collider != 0)
        ray.t_max = end_of_ties(g->hits[i].t, ray.t_max);
    ray.ignore = 0;
    return c->placed ? ray : rico__placement_ray_back(&c->placement, &ray);
}

static void take_hit(group *g, const rico__collider *c, uint32_t slot, uint32_t i,
                     const rico_hit *answer)
{
    rico_hit *hit = &g->hits[i];
    hit->steps += answer->steps;
    bool closer = answer->t < hit->t || hit->collider == 0 ||
                  (answer->t == hit->t && slot + 1 < hit->collider);
    if (answer->collider == 0 || !closer)
        return;
    uint32_t steps = hit->steps;
    *hit = *answer;
    hit->steps = steps;
    hit->collider = slot + 1;
    if (!c->placed)
        hit->normal = rico__placement_turn(&c->placement, answer->normal);
    end_at(&g->ray[i], hit->t);
}

static void take_blocked(group *g, uint32_t i, bool blocked)
{
    if (!blocked)
        return;
    g->blocked[i] = true;
    g->found[i] = g->next[i] = 0;
}

static void ask_grid(group *g, const rico__shape *shape, uint32_t count)
{
    const rico__cast_filter backs = {.skip_back_faces = true};
    const rico__cast_filter *filter = g->filter->skip_back_faces ? &backs : NULL;
    if (g->hits != NULL)
        g->scene->cast->closest(&shape->part.grid, filter, g->local, g->answers, count);
    else
        g->scene->cast->blocked(&shape->part.grid, filter, g->local, g->answers_blocked, count);
}

static void ask_formula(group *g, const rico__shape *shape, uint32_t count)
{
    for (uint32_t n = 0; n < count; ++n) {
        g->answers[n] = rico__formula_raycast(shape, &g->local[n], g->filter->skip_back_faces);
        g->answers_blocked[n] = g->answers[n].collider != 0;
    }
}

/* Tests the rays of some pairs, all with the same body. */
static void ask_body(group *g, const uint64_t *pairs, uint32_t count)
{
    uint32_t slot = (uint32_t)(pairs[0] >> 8);
    const rico__collider *c = &g->scene->colliders[slot];
    const rico__shape *shape = &g->scene->shapes[c->shape];
    for (uint32_t n = 0; n < count; ++n)
        g->local[n] = ray_for(g, c, (uint32_t)pairs[n] & 0xffu);
    if (rico__shape_is_formula(shape))
        ask_formula(g, shape, count);
    else
        ask_grid(g, shape, count);
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t i = (uint32_t)pairs[n] & 0xffu;
        if (g->hits != NULL)
            take_hit(g, c, slot, i, &g->answers[n]);
        else
            take_blocked(g, i, g->answers_blocked[n]);
    }
}

/* Planes are everywhere, so every ray is tested against every plane, before any other body. A
 * ray that is out of range in the world may be in range in a plane's space. It must hit nothing
 * all the same. */
static void ask_planes(group *g)
{
    bool valid[RAYS];
    for (uint32_t i = 0; i < g->count && g->scene->plane_count > 0; ++i) {
        rico__ray_frame frame;
        g->ray[i] = (rico__body_ray){.s_per_t = 0.0f};
        valid[i] = rico__ray_frame_init(&frame, &g->rays[i]);
    }
    for (uint32_t p = 0; p < g->scene->plane_count; ++p) {
        uint32_t slot = g->scene->planes[p], count = 0;
        for (uint32_t i = 0; i < g->count; ++i)
            if (valid[i] && slot + 1 != g->rays[i].ignore &&
                rico__layers_pass(g->scene, g->filter, slot) &&
                !(g->hits == NULL && g->blocked[i]))
                g->pairs[count++] = (uint64_t)slot << 8 | i;
        if (count > 0)
            ask_body(g, g->pairs, count);
    }
}

/* The loop ends: each round takes a body off the list of every ray that is left. */
static void ask_bodies(group *g)
{
    ask_planes(g);
    group_start(g);
    for (uint32_t count; (count = list_pairs(g)) > 0;) {
        for (uint32_t first = 0, next; first < count; first = next) {
            for (next = first + 1; next < count && g->pairs[next] >> 8 == g->pairs[first] >> 8;)
                ++next;
            ask_body(g, g->pairs + first, next - first);
        }
    }
}

/* --- whole scenes --- */

static rico_vec3 smooth_normal(const rico_scene *scene, const rico__collider *c,
                               const rico_ray *ray, const rico_hit *hit)
{
    const rico__shape *shape = &scene->shapes[c->shape];
    const rico__part *part = rico__collider_part(scene, c);
    uint32_t first = c->merged ? c->face_first : 0;
    uint32_t face = rico__face_find(part->faces + first, shape->triangle_count, hit->triangle);
    rico__triangle triangle = rico__triangle_at(&part->grid.triangles, first + face);
    rico_ray local = c->placed ? *ray : rico__placement_ray_back(&c->placement, ray);
    rico_vec3 normal =
        c->placed ? hit->normal : rico__placement_turn_back(&c->placement, hit->normal);
    const float *origin = &local.origin.x, *direction = &local.direction.x;
    double point[3];
    for (int k = 0; k < 3; ++k)
        point[k] = (double)origin[k] + (double)direction[k] * (double)hit->t;
    normal =
        rico__smooth_normal(&shape->smooth[face], &triangle, point, normal, local.direction);
    return c->placed ? normal : rico__placement_turn(&c->placement, normal);
}

/* Adds to a hit what kernels do not know. */
static void dress_hit(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray,
                      rico_hit *hit)
{
    if (hit->collider == 0)
        return;
    const rico__collider *c = &scene->colliders[hit->collider - 1];
    const rico__shape *shape = &scene->shapes[c->shape];
    hit->surface = rico__shape_surface(shape, hit->triangle);
    hit->moving = c->moving;
    hit->velocity = rico__collider_velocity(c, vec3_mad(ray->origin, ray->direction, hit->t));
    if (filter->smooth_normals && shape->smooth != NULL)
        hit->normal = smooth_normal(scene, c, ray, hit);
}

/* The part that is tested before all others, and the layers that all of it has. */
static const rico__part *first_part(const rico_scene *scene, uint32_t *all_layers)
{
    *all_layers = scene->only != NULL ? scene->only_layers : scene->merged_layers;
    if (scene->only != NULL)
        return scene->only;
    return scene->merged_count > 0 ? &scene->merged : NULL;
}

/* Whether there is more than the first part. */
static bool has_more(const rico_scene *scene)
{
    return scene->only == NULL && (scene->bodies.count > 0 || scene->plane_count > 0);
}

static void raycast_run(const rico_scene *scene, const rico_filter *filter,
                        const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    uint32_t all_layers;
    rico__cast_filter made;
    const rico__part *part = first_part(scene, &all_layers);
    const rico__ray_best none = {0.0f, RICO_NO_TRIANGLE};
    for (uint32_t i = 0; i < count && part == NULL; ++i)
        hits[i] = rico__ray_hit(&rays[i], none, NULL, 0);
    if (part != NULL)
        scene->cast->closest(&part->grid, world_filter(&made, scene, all_layers, filter), rays,
                             hits, count);
    if (scene->plain)
        return;
    for (uint32_t i = 0; i < count && has_more(scene); i += RAYS) {
        group g;
        g.scene = scene;
        g.filter = filter;
        g.rays = rays + i;
        g.hits = hits + i;
        g.count = uint_min(count - i, RAYS);
        ask_bodies(&g);
    }
    for (uint32_t i = 0; i < count; ++i)
        dress_hit(scene, filter, &rays[i], &hits[i]);
}

static void block_run(const rico_scene *scene, const rico_filter *filter, const rico_ray *rays,
                      bool *blocked, uint32_t count)
{
    uint32_t all_layers;
    rico__cast_filter made;
    const rico__part *part = first_part(scene, &all_layers);
    for (uint32_t i = 0; i < count && part == NULL; ++i)
        blocked[i] = false;
    if (part != NULL)
        scene->cast->blocked(&part->grid, world_filter(&made, scene, all_layers, filter), rays,
                             blocked, count);
    for (uint32_t i = 0; i < count && has_more(scene); i += RAYS) {
        group g;
        g.scene = scene;
        g.filter = filter;
        g.rays = rays + i;
        g.hits = NULL;
        g.blocked = blocked + i;
        g.count = uint_min(count - i, RAYS);
        ask_bodies(&g);
    }
}

static void raycast(const rico_scene *scene, const rico_filter *filter, const rico_ray *rays,
                    rico_hit *hits, uint32_t count)
{
    const rico_filter all = rico_filter_default();
    filter = filter != NULL ? filter : &all;
    const uint32_t run = scene->plain ? count : RUN;
    for (uint32_t i = 0; i < count; i += run)
        raycast_run(scene, filter, rays + i, hits + i, uint_min(count - i, run));
}

static void block(const rico_scene *scene, const rico_filter *filter, const rico_ray *rays,
                  bool *blocked, uint32_t count)
{
    const rico_filter all = rico_filter_default();
    filter = filter != NULL ? filter : &all;
    const uint32_t run = scene->only != NULL ? count : RUN;
    for (uint32_t i = 0; i < count; i += run)
        block_run(scene, filter, rays + i, blocked + i, uint_min(count - i, run));
}

/* In a function of its own, so that the common case is a few instructions and a jump. */
static __attribute__((noinline)) rico_hit
raycast_alone(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray)
{
    rico_hit hit = {.triangle = RICO_NO_TRIANGLE};
    if (RICO_REQUIRE(scene != NULL && ray != NULL))
        raycast(scene, filter, ray, &hit, 1);
    return hit;
}

/* Whether it is the common case: one grid, and nothing is filtered out. */
static bool is_simple(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray)
{
    return scene != NULL && ray != NULL && scene->only != NULL && filter == NULL &&
           ray->ignore == 0 && scene->only_layers != 0;
}

rico_hit rico_scene_raycast(const rico_scene *scene, const rico_filter *filter,
                            const rico_ray *ray)
{
    RICO__FLOAT_MODE();
    if (is_simple(scene, filter, ray) && scene->plain)
        return scene->cast->closest_one(&scene->only->grid, NULL, ray);
    return raycast_alone(scene, filter, ray);
}

void rico_scene_raycast_batch(const rico_scene *scene, const rico_filter *filter,
                              const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && hits != NULL))))
        raycast(scene, filter, rays, hits, count);
}

static __attribute__((noinline)) bool
block_alone(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray)
{
    bool blocked = false;
    if (RICO_REQUIRE(scene != NULL && ray != NULL))
        block(scene, filter, ray, &blocked, 1);
    return blocked;
}

bool rico_scene_blocked(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray)
{
    RICO__FLOAT_MODE();
    if (is_simple(scene, filter, ray))
        return scene->cast->blocked_one(&scene->only->grid, NULL, ray);
    return block_alone(scene, filter, ray);
}

void rico_scene_blocked_batch(const rico_scene *scene, const rico_filter *filter,
                              const rico_ray *rays, bool *blocked, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && blocked != NULL))))
        block(scene, filter, rays, blocked, count);
}
