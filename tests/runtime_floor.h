/* runtime_floor.h - level ground of as many squares as a test wants. The size of the scene's
 * cells follows from the size of the squares. */
#ifndef RICO_TESTS_RUNTIME_FLOOR_H
#define RICO_TESTS_RUNTIME_FLOOR_H

#include "runtime_terrain.h"

#include <stdlib.h>
#include <string.h>

/* A square floor around the z axis, divided into `squares` by `squares` quads. */
static inline void add_floor_of_squares(rico_world *world, float half, uint32_t squares,
                                        float height)
{
    const uint32_t row = squares + 1;
    float *corners = malloc(3 * sizeof(float) * row * row), *p = corners;
    uint32_t *indices = malloc(6 * sizeof(uint32_t) * squares * squares), *k = indices;
    for (uint32_t i = 0; i < row * row; ++i) {
        *p++ = half * (2.0f * (float)(i % row) / (float)squares - 1.0f);
        *p++ = half * (2.0f * (float)(i / row) / (float)squares - 1.0f);
        *p++ = height;
    }
    for (uint32_t i = 0; i < squares * squares; ++i, k += 6) {
        const uint32_t a = i / squares * row + i % squares, c = a + row;
        const uint32_t square[6] = {a, a + 1, c + 1, a, c + 1, c};
        memcpy(k, square, sizeof square);
    }
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = row * row,
                            .indices = indices,
                            .triangle_count = 2 * squares * squares};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    free(indices);
    free(corners);
}

#endif
