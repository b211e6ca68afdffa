/* closed_bodies.c - rays aimed from inside closed bodies: none may escape.
 *
 * usage: closed_bodies RAYS [FIRST [BODY]]
 *   RAYS   number of rays, spread over all bodies, or for one body when BODY is given
 *   FIRST  number of the first ray of each body [0]: ray n of a body is always the same ray
 *   BODY   number of the only body
 * Of ten rays, four are aimed at a vertex, four at a point of an edge, two anywhere. All rays
 * are cast in batches; one in 16 is also cast alone. An escape is printed with the arguments
 * that repeat it. The exit status is 1 when a ray escaped.
 */
#include "closed_bodies.h"
#include "hash.h"

#include <inttypes.h>

enum { BATCH = 1024, ALONE = 16, SHOWN = 5 };

static rico_vec3 mixed(rico_vec3 a, rico_vec3 b, float part)
{
    return vec3_add(vec3_scale(a, 1.0f - part), vec3_scale(b, part));
}

/* A point between a seed and the surface near it. */
static rico_vec3 random_inside(const closed_body *body, fixture_random *random)
{
    uint32_t seed = random_below(random, body->seed_count);
    uint32_t run = body->mesh.triangle_count / body->seed_count;
    uint32_t triangle = seed * run + random_below(random, run);
    rico_vec3 edge =
        mixed(mesh_corner(&body->mesh, triangle, 0), mesh_corner(&body->mesh, triangle, 1),
              random_between(random, 0.0f, 1.0f));
    rico_vec3 on =
        mixed(edge, mesh_corner(&body->mesh, triangle, 2), random_between(random, 0.0f, 1.0f));
    if (random_below(random, 8) == 0)
        return body->seeds[seed];
    return mixed(body->seeds[seed], on, random_between(random, 0.0f, 0.95f));
}

/* A point of an edge: a multiple of an eighth of its length, which floats often hold exactly, or
 * anywhere. */
static rico_vec3 edge_point(const closed_body *body, fixture_random *random, uint32_t triangle)
{
    rico_vec3 a = mesh_corner(&body->mesh, triangle, 0);
    rico_vec3 b = mesh_corner(&body->mesh, triangle, 1 + random_below(random, 2));
    float part = random_below(random, 2) ? 0.125f * (float)(1 + random_below(random, 7))
                                         : random_between(random, 0.0f, 1.0f);
    return mixed(a, b, part);
}

static rico_ray make_ray(const closed_body *body, uint32_t body_number, uint64_t n)
{
    fixture_random random = {rico__mix64(n * 4096 + body_number)};
    rico_ray ray = {.origin = random_inside(body, &random), .t_max = INFINITY};
    uint32_t kind = random_below(&random, 10);
    uint32_t triangle = random_below(&random, body->mesh.triangle_count);
    if (kind < 4)
        ray.direction = mesh_corner(&body->mesh, triangle, random_below(&random, 3));
    else if (kind < 8)
        ray.direction = edge_point(body, &random, triangle);
    else
        ray.direction = random_direction(&random);
    if (kind < 8)
        ray.direction = vec3_sub(ray.direction, ray.origin);
    return ray;
}

static void print_escape(const closed_body *body, uint32_t body_number, uint64_t n,
                         const rico_ray *ray)
{
    const rico_vec3 *o = &ray->origin, *d = &ray->direction;
    printf("escaped: %s, ray %" PRIu64 ": from (%a %a %a) along (%a %a %a); again: "
           "closed_bodies 1 %" PRIu64 " %u\n",
           body->name, n, (double)o->x, (double)o->y, (double)o->z, (double)d->x, (double)d->y,
           (double)d->z, n, body_number);
}

static uint64_t shoot(const closed_body *body, uint32_t body_number, uint64_t first,
                      uint64_t count)
{
    static rico_ray rays[BATCH];
    static rico_hit hits[BATCH];
    uint64_t escapes = 0;
    rico_scene *scene = scene_of(&body->mesh, body->cell_size);
    for (uint64_t n = first; n < first + count; n += BATCH) {
        uint64_t left = first + count - n;
        uint32_t batch = left < BATCH ? (uint32_t)left : BATCH;
        for (uint32_t i = 0; i < batch; ++i)
            rays[i] = make_ray(body, body_number, n + i);
        rico_scene_raycast_batch(scene, NULL, rays, hits, batch);
        for (uint32_t i = 0; i < batch; ++i) {
            if (i % ALONE == 0 && hits[i].collider != 0)
                hits[i] = rico_scene_raycast(scene, NULL, &rays[i]);
            if (hits[i].collider != 0)
                continue;
            if (escapes++ < SHOWN)
                print_escape(body, body_number, n + i, &rays[i]);
        }
    }
    rico_scene_destroy(scene);
    return escapes;
}

int main(int argc, char **argv)
{
    uint64_t rays = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, escapes = 0;
    uint32_t count = closed_body_count(), begin = 0, end = count;
    if (argc > 3) {
        begin = (uint32_t)strtoul(argv[3], NULL, 10);
        end = begin + 1;
    }
    if (rays == 0 || begin >= count) {
        fprintf(stderr, "usage: closed_bodies RAYS [FIRST [BODY]], bodies 0..%u\n", count - 1);
        return 2;
    }
    uint64_t each = (rays + (end - begin) - 1) / (end - begin);
    for (uint32_t i = begin; i < end; ++i) {
        closed_body body = closed_body_make(i);
        uint64_t escaped_here = shoot(&body, i, first, each);
        printf("%2u %-20s %6u triangles %12" PRIu64 " rays %8" PRIu64 " escaped\n", i,
               body.name, body.mesh.triangle_count, each, escaped_here);
        escapes += escaped_here;
        closed_body_free(&body);
    }
    printf("%" PRIu64 " rays, %" PRIu64 " escaped\n", each * (end - begin), escapes);
    return escapes != 0;
}
