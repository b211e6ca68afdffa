#include "collision_fuzz.h"
#include "collision_fuzz_questions.h"

enum { BATCH_MAX = 24, ACTIONS_MAX = 24, LINE_MAX = RICO_POLYLINE_MAX + 4, LINES_MAX = 3 };

/* --- rays: each triangle is tested by itself, so that a filter can drop its answer --- */

static rico_ray take_ray(source *s, const world *w)
{
    rico_ray ray = {.origin = take_vec3(s), .direction = take_vec3(s)};
    ray.t_max = take(s, 1) < 128 ? 100.0f : take_float(s);
    uint32_t aim = take(s, 1), ignore = take(s, 1);
    ray.ignore = ignore < 200 ? 0 : ignore % (FUZZ_BODIES + 2);
    if (aim < 128) /* at a corner */
        ray.direction = vec3_sub(take_corner(w, s), ray.origin);
    return ray;
}

static rico_hit brute_triangles(const world *w, const fuzz_shape *shape, const rico_ray *ray,
                                bool skip_backs)
{
    const rico__triangles triangles = {w->vertices, w->faces};
    const rico__ray_best none = {0.0f, RICO_NO_TRIANGLE};
    rico__ray_frame frame;
    rico_hit closest = rico__ray_hit(ray, none, &triangles, 0);
    if (!rico__ray_frame_init(&frame, ray))
        return closest;
    for (uint32_t i = shape->first; i < shape->first + shape->count; ++i) {
        rico__ray_best best = {frame.t_max, RICO_NO_TRIANGLE};
        rico__ray_test(&frame, &triangles, i, &best);
        rico_hit hit = rico__ray_hit(ray, best, &triangles, 0);
        if (best.id == RICO_NO_TRIANGLE || (hit.back_face && skip_backs))
            continue;
        if (closest.collider == 0 || hit.t < closest.t) /* of equal ones the first */
            closest = hit;
    }
    return closest;
}

/* The body's closest hit, in its own space. */
static rico_hit brute_body(const world *w, const fuzz_body *b, const rico_ray *ray,
                           bool skip_backs)
{
    const fuzz_shape *shape = &w->shapes[b->shape];
    rico__placement placement = rico__placement_of(&b->motion.transform);
    rico_ray local = b->added ? *ray : rico__placement_ray_back(&placement, ray);
    rico_hit hit = body_is_formula(w, b)
                       ? rico__formula_raycast(&shape->formula, &local, skip_backs)
                       : brute_triangles(w, shape, &local, skip_backs);
    if (hit.collider != 0 && !b->added)
        hit.normal = rico__placement_turn(&placement, hit.normal);
    return hit;
}

static bool is_moving(const rico_motion *m)
{
    const float *v = &m->velocity.x, *a = &m->angular_velocity.x;
    return v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f || a[0] != 0.0f || a[1] != 0.0f ||
           a[2] != 0.0f;
}

static rico_hit brute_force(const world *w, const rico_filter *filter, const rico_ray *ray)
{
    rico_hit closest = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
    rico__ray_frame frame;
    if (!rico__ray_frame_init(&frame, ray))
        return closest;
    for (uint32_t slot = 0; slot < FUZZ_BODIES; ++slot) {
        const fuzz_body *b = &w->bodies[slot];
        if (!body_is_seen(b, filter, slot, ray->ignore))
            continue;
        rico_hit hit = brute_body(w, b, ray, filter != NULL && filter->skip_back_faces);
        if (hit.collider == 0 || (closest.collider != 0 && hit.t >= closest.t))
            continue;
        closest = hit;
        closest.collider = slot + 1;
    }
    if (closest.collider == 0)
        return closest;
    const fuzz_body *b = &w->bodies[closest.collider - 1];
    const fuzz_shape *shape = &w->shapes[b->shape];
    closest.surface = shape->dressed ? (uint16_t)(closest.triangle * 7 + 3) : shape->surface;
    closest.moving = is_moving(&b->motion);
    return closest;
}

static void require_hit(const world *w, const rico_ray *ray, const rico_hit *hit,
                        const rico_hit *expected, const char *how)
{
    const float *o = &ray->origin.x, *d = &ray->direction.x;
    REQUIRE(hit_equal(hit, expected) && hit->surface == expected->surface &&
                hit->moving == expected->moving,
            "%s: from (%a %a %a) along (%a %a %a) to %a: collider %u, triangle %u at %a, "
            "expected %u, %u at %a",
            how, (double)o[0], (double)o[1], (double)o[2], (double)d[0], (double)d[1],
            (double)d[2], (double)ray->t_max, hit->collider, hit->triangle, (double)hit->t,
            expected->collider, expected->triangle, (double)expected->t);
    REQUIRE(hit->steps <= world_steps(w), "%s takes %u steps", how, hit->steps);
}

/* Closest hits and any hits, alone and in a batch, must be those of brute force. */
static void ask_rays(const world *w, source *s)
{
    rico_ray rays[BATCH_MAX];
    rico_hit hits[BATCH_MAX];
    bool blocked[BATCH_MAX];
    rico_filter filter = take_filter(s);
    uint32_t count = 1 + take_below(s, BATCH_MAX);
    const rico_filter *asked = take_below(s, 4) < 2 ? NULL : &filter;
    for (uint32_t i = 0; i < count; ++i)
        rays[i] = take_ray(s, w);
    rico_scene_raycast_batch(w->scene, asked, rays, hits, count);
    rico_scene_blocked_batch(w->scene, asked, rays, blocked, count);
    for (uint32_t i = 0; i < count; ++i) {
        rico_hit expected = brute_force(w, asked, &rays[i]);
        rico_hit alone = rico_scene_raycast(w->scene, asked, &rays[i]);
        require_hit(w, &rays[i], &alone, &expected, "alone");
        require_hit(w, &rays[i], &hits[i], &expected, "in a batch");
        bool any = expected.collider != 0;
        REQUIRE(rico_scene_blocked(w->scene, asked, &rays[i]) == any && blocked[i] == any,
                "ray %u is blocked: %d", i, any);
    }
}

/* --- paths --- */

static rico_polyline_hit brute_line(const world *w, const rico_filter *filter,
                                    const rico_polyline *line)
{
    rico_polyline_hit out = {.hit = {.t = 1.0f, .triangle = RICO_NO_TRIANGLE}};
    if (line->count < 2 || line->count > RICO_POLYLINE_MAX)
        return out;
    for (uint32_t i = 0; i + 1 < line->count; ++i) {
        rico_vec3 along = vec3_sub(line->points[i + 1], line->points[i]);
        rico_ray ray = {line->points[i], 1.0f, along, line->ignore};
        float begin = line->times != NULL ? line->times[i] : (float)i;
        float end = line->times != NULL ? line->times[i + 1] : (float)(i + 1);
        out.hit = brute_force(w, filter, &ray);
        out.chord = i;
        out.time = begin + (end - begin) * out.hit.t;
        out.point = vec3_mad(ray.origin, along, out.hit.t);
        if (out.hit.collider != 0)
            return out;
        out.time = end;
        out.point = line->points[i + 1];
    }
    return out;
}

/* All NaNs count as equal: the compiler chooses which one comes out of a sum. */
static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void require_line(const world *w, const rico_polyline_hit *hit,
                         const rico_polyline_hit *expected, const char *how)
{
    REQUIRE(hit_equal(&hit->hit, &expected->hit) && hit->chord == expected->chord &&
                same(hit->time, expected->time) && same(hit->point.x, expected->point.x) &&
                same(hit->point.y, expected->point.y) && same(hit->point.z, expected->point.z),
            "a line %s: chord %u hits %u of %u, expected chord %u, %u of %u", how, hit->chord,
            hit->hit.triangle, hit->hit.collider, expected->chord, expected->hit.triangle,
            expected->hit.collider);
    REQUIRE(hit->hit.steps <= RICO_POLYLINE_MAX * world_steps(w), "%u steps", hit->hit.steps);
}

static void ask_lines(const world *w, source *s)
{
    static rico_vec3 points[LINES_MAX][LINE_MAX];
    static float times[LINE_MAX];
    rico_polyline lines[LINES_MAX];
    rico_polyline_hit hits[LINES_MAX];
    rico_filter filter = take_filter(s);
    for (uint32_t i = 0; i < LINE_MAX; ++i)
        times[i] = 0.25f * (float)i;
    for (uint32_t n = 0; n < LINES_MAX; ++n) {
        uint32_t how = take(s, 1), count = how < 240 ? how % 8 : how - 240 + LINE_MAX - 16;
        for (uint32_t i = 0; i < count; ++i)
            points[n][i] = take_below(s, 3) == 0 ? take_corner(w, s) : take_vec3(s);
        lines[n] = (rico_polyline){points[n], how % 2 ? times : NULL, count, how % 16};
        if (how % 5 != 0)
            lines[n].ignore = 0;
    }
    rico_scene_polyline_batch(w->scene, &filter, lines, hits, LINES_MAX);
    for (uint32_t n = 0; n < LINES_MAX; ++n) {
        rico_polyline_hit expected = brute_line(w, &filter, &lines[n]);
        rico_polyline_hit alone = rico_scene_polyline(w->scene, &filter, &lines[n]);
        require_line(w, &alone, &expected, "alone");
        require_line(w, &hits[n], &expected, "in a batch");
    }
}

/* --- all of it --- */

/* Add other kinds of queries here. Each takes what it needs from the bytes. */
static void (*const questions[])(const world *w, source *s) = {
    ask_rays, ask_rays, ask_box, ask_lines, ask_sweeps, ask_nearest, ask_surfaces};

void collision_fuzz(const uint8_t *data, size_t size)
{
    enum { KINDS = sizeof questions / sizeof questions[0] };
    source s = {data, size};
    static world w;
    world_make(&w, &s);
    for (uint32_t i = 0; i < ACTIONS_MAX && s.left > 0; ++i) {
        uint32_t how = take_below(&s, 2 * KINDS);
        if (how < KINDS)
            questions[how](&w, &s);
        else
            world_edit(&w, &s);
    }
    rico_scene_destroy(w.scene);
}
