#include "ray_promise.h"

#include "capture.h"
#include "ray_brute.h"
#include <stdlib.h>
#include <string.h>

static rico_vec3 corner(const rico_mesh *mesh, uint32_t index)
{
    const float *p = mesh->positions + (size_t)index * 3;
    return (rico_vec3){p[0], p[1], p[2]};
}

static bool gather(const rico_mesh *mesh, const rico_ray *ray, capture_query *out)
{
    uint32_t *near = malloc((mesh->triangle_count + 1u) * sizeof *near);
    if (!near)
        return false;
    out->triangle_count = ray_brute_near(mesh, ray, near, mesh->triangle_count);
    out->triangles = malloc((out->triangle_count + 1u) * sizeof *out->triangles);
    for (uint32_t i = 0; out->triangles && i < out->triangle_count; ++i) {
        const uint32_t *v = mesh->indices + (size_t)near[i] * 3;
        out->triangles[i] = (rico_triangle){corner(mesh, v[0]), corner(mesh, v[1]),
                                            corner(mesh, v[2]), 1, near[i]};
    }
    free(near);
    return out->triangles != NULL;
}

bool ray_promise_is_kept(const rico_mesh *mesh, const rico_ray *ray, ray_answer answer)
{
    capture_query query = {.ray = *ray, .filter = rico_filter_default()};
    rico_hit hit;
    bool kept = gather(mesh, ray, &query) && capture_brute(&query, &hit) &&
                memcmp(&hit.t, &answer.t, sizeof hit.t) == 0 && hit.triangle == answer.triangle;
    free(query.triangles);
    return kept;
}
