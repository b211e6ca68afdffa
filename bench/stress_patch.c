#include "stress_patch.h"

#include "stress_random.h"

#define SQUARE (3.0f / (float)STRESS_PATCH_SIDE)
#define HALF (1.5f)
#define HEIGHT 0.3f

rico_mesh stress_patch_make(uint64_t seed, stress_patch *out)
{
    const uint32_t row = STRESS_PATCH_SIDE + 1;
    float *p = out->positions;
    for (uint32_t y = 0; y < row; ++y)
        for (uint32_t x = 0; x < row; ++x) {
            *p++ = (float)x * SQUARE - HALF;
            *p++ = (float)y * SQUARE - HALF;
            *p++ = HEIGHT * stress_random_share(&seed);
        }
    uint32_t *t = out->indices;
    for (uint32_t y = 0; y < STRESS_PATCH_SIDE; ++y)
        for (uint32_t x = 0; x < STRESS_PATCH_SIDE; ++x) {
            uint32_t at = y * row + x;
            const uint32_t corners[] = {at, at + 1, at + row + 1, at, at + row + 1, at + row};
            for (uint32_t c = 0; c < 6; ++c)
                *t++ = corners[c];
        }
    return (rico_mesh){.positions = out->positions,
                       .vertex_count = STRESS_PATCH_VERTICES,
                       .indices = out->indices,
                       .triangle_count = STRESS_PATCH_TRIANGLES};
}
