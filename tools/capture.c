#include "capture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The box of a long ray is cut into this many pieces, so that few triangles are near each piece. */
#define PIECES 32u

/* The end of rays that hit nothing, metres. */
#define FARTHEST 1.0e4f

/* Per metre of distance; more than rounding moves a hit (6 x 2^-24). */
#define GROW 1.0e-6f

void capture_open(capture *c, const char *name, const rico_scene *scene, uint32_t every)
{
    memset(c, 0, sizeof *c);
    snprintf(c->scene, sizeof c->scene, "%s", name);
    c->cell_size = scene ? rico_scene_get_stats(scene).cell_size : 0.0f;
    c->every = every;
}

void capture_free(capture *c)
{
    for (uint32_t i = 0; i < c->count; ++i)
        free(c->queries[i].triangles);
    free(c->queries);
    memset(c, 0, sizeof *c);
}

/* --- the triangles that a ray meets --- */

static int compare_triangles(const void *left, const void *right)
{
    const rico_triangle *a = left, *b = right;
    if (a->collider != b->collider)
        return a->collider < b->collider ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* Sorts and removes duplicates. Returns the count. */
static uint32_t sort_triangles(rico_triangle *triangles, uint32_t count)
{
    uint32_t kept = 0;
    qsort(triangles, count, sizeof *triangles, compare_triangles);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || compare_triangles(&triangles[kept - 1], &triangles[i]) != 0)
            triangles[kept++] = triangles[i];
    return kept;
}

static rico_box piece_of(const rico_ray *ray, float from, float to)
{
    const float *o = &ray->origin.x, *d = &ray->direction.x;
    rico_box box;
    float *lo = &box.lo.x, *hi = &box.hi.x;
    for (int k = 0; k < 3; ++k) {
        float a = o[k] + d[k] * from, b = o[k] + d[k] * to;
        lo[k] = a < b ? a : b;
        hi[k] = a < b ? b : a;
    }
    float reach = 1.0f;
    for (int k = 0; k < 3; ++k)
        reach += fabsf(o[k]) + fabsf(lo[k] - o[k]) + fabsf(hi[k] - o[k]);
    for (int k = 0; k < 3; ++k) {
        lo[k] -= reach * GROW;
        hi[k] += reach * GROW;
    }
    return box;
}

/* The ray's end: up to the hit, because nothing behind it matters. */
static float end_of(const rico_ray *ray, const rico_hit *hit)
{
    float longest = 0.0f;
    for (int k = 0; k < 3; ++k)
        longest = fmaxf(longest, fabsf((&ray->direction.x)[k]));
    float end = hit->collider != 0 ? hit->t : ray->t_max;
    return fminf(end, FARTHEST / longest);
}

static bool gather(const rico_scene *scene, capture_query *q)
{
    uint32_t capacity = 2 * CAPTURE_TRIANGLES_MAX, count = 0;
    rico_triangle *all = malloc(capacity * sizeof *all);
    float end = end_of(&q->ray, &q->hit);
    q->complete = true;
    for (uint32_t i = 0; all && i < PIECES && q->complete; ++i) {
        rico_box box = piece_of(&q->ray, end * (float)i / (float)PIECES,
                                end * (float)(i + 1) / (float)PIECES);
        uint32_t room = capacity - count;
        uint32_t found = rico_scene_gather(scene, &q->filter, &box, all + count, room);
        count = sort_triangles(all, count + (found < room ? found : room));
        q->complete = found <= room && count <= CAPTURE_TRIANGLES_MAX;
    }
    q->triangle_count = count < CAPTURE_TRIANGLES_MAX ? count : CAPTURE_TRIANGLES_MAX;
    q->triangles = all ? realloc(all, (q->triangle_count + 1u) * sizeof *all) : NULL;
    if (!q->triangles)
        free(all);
    return q->triangles != NULL;
}

/* --- keeping --- */

static bool make_query(capture *c, const rico_scene *scene, const rico_filter *filter,
                       const rico_ray *ray, const rico_hit *hit, capture_query *out)
{
    *out = (capture_query){
        .ray = *ray, .filter = filter ? *filter : rico_filter_default(), .hit = *hit};
    out->filter.smooth_normals = false;
    bool made = gather(scene, out);
    c->out_of_memory = c->out_of_memory || !made;
    return made;
}

/* Takes the query over, or frees it. */
static void keep(capture *c, capture_query *q, const char *why)
{
    if (c->count == CAPTURE_QUERIES_MAX) {
        c->left_out += 1;
        free(q->triangles);
        return;
    }
    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity * 2u + 64u;
        capture_query *more = realloc(c->queries, capacity * sizeof *more);
        if (!more) {
            c->out_of_memory = true;
            free(q->triangles);
            return;
        }
        c->queries = more;
        c->capacity = capacity;
    }
    snprintf(q->why, sizeof q->why, "%s", why);
    c->queries[c->count++] = *q;
}

/* Also compares the answer with brute force, if all triangles are there. */
static bool check_query(capture *c, capture_query *q)
{
    rico_hit brute;
    bool known = capture_brute(q, &brute);
    c->out_of_memory = c->out_of_memory || !known;
    q->agrees = known && q->complete && capture_same(&q->hit, &brute);
    return q->agrees || !q->complete;
}

void capture_keep(capture *c, const rico_scene *scene, const rico_filter *filter,
                  const rico_ray *ray, const rico_hit *hit, const char *why)
{
    capture_query q;
    if (!make_query(c, scene, filter, ray, hit, &q))
        return;
    check_query(c, &q);
    keep(c, &q, why);
}

rico_hit capture_ray(capture *c, const rico_scene *scene, const rico_filter *filter,
                     const rico_ray *ray)
{
    rico_filter faces = filter ? *filter : rico_filter_default();
    faces.smooth_normals = false;
    rico_hit hit = rico_scene_raycast(scene, &faces, ray);
    capture_query q;
    c->asked += 1;
    if (!make_query(c, scene, &faces, ray, &hit, &q))
        return hit;
    bool met = q.triangle_count > 0;
    bool chosen = met && c->every != 0 && c->met % c->every == 0;
    c->met += met;
    if (!check_query(c, &q)) {
        c->failed += 1;
        keep(c, &q, "differs from brute force");
    } else if (chosen) {
        keep(c, &q, "chosen");
    } else {
        free(q.triangles);
    }
    return hit;
}
