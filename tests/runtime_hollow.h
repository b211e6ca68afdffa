/* runtime_hollow.h - a hollow ball of triangles, which no particle may leave. */
#ifndef RICO_RUNTIME_HOLLOW_H
#define RICO_RUNTIME_HOLLOW_H

#include "runtime_births.h"

typedef struct hollow {
    rico_vec3 middle;
    float radius;
    uint32_t round, rings; /* number of quads around the axis, and from pole to pole */
} hollow;

/* The vertices are given in world space; the collider's transform is the identity. */
static inline void add_hollow(rico_world *world, const hollow *h)
{
    const uint32_t vertices = h->round * (h->rings + 1), quads = h->round * h->rings;
    float *p = malloc(3 * vertices * sizeof *p);
    uint32_t *faces = malloc(6 * quads * sizeof *faces);
    for (uint32_t k = 0; k < vertices; ++k) {
        const float down = 3.14159265f * (float)(k / h->round) / (float)h->rings;
        const float turn = 6.2831853f * (float)(k % h->round) / (float)h->round;
        const float out = h->radius * sinf(down);
        p[3 * k] = h->middle.x + out * cosf(turn);
        p[3 * k + 1] = h->middle.y + out * sinf(turn);
        p[3 * k + 2] = h->middle.z + h->radius * cosf(down);
    }
    for (uint32_t k = 0; k < quads; ++k) {
        const uint32_t next = k % h->round == h->round - 1 ? k + 1 - h->round : k + 1;
        const uint32_t two[6] = {k,    next,            k + h->round,
                                 next, next + h->round, k + h->round};
        memcpy(faces + 6 * k, two, sizeof two);
    }
    rico_mesh mesh = {.positions = p,
                      .vertex_count = vertices,
                      .indices = faces,
                      .triangle_count = 2 * quads};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    free(p);
    free(faces);
}

static inline uint32_t outside_of_hollow(const rico_world *world, rico_effect_id e,
                                         const hollow *h)
{
    const float most = h->radius + 0.02f;
    uint32_t outside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const float x = v.px[i] - h->middle.x, y = v.py[i] - h->middle.y,
                        z = v.pz[i] - h->middle.z;
            outside += x * x + y * y + z * z > most * most;
        }
    return outside;
}

#endif
