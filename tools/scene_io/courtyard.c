/* courtyard.c - palette, ground, paving, and the order in which things are built. */
#include "courtyard.h"

#include "courtyard_parts.h"

#include <math.h>
#include <string.h>

/* Diffuse colours, linear. */
const rio_palette rio_colors = {
    .stone = {0.50f, 0.41f, 0.30f},
    .dark_stone = {0.36f, 0.30f, 0.24f},
    .paving = {0.47f, 0.41f, 0.33f},
    .tile = {0.52f, 0.19f, 0.09f},
    .slate = {0.20f, 0.22f, 0.27f},
    .wood = {0.36f, 0.21f, 0.10f},
    .dark_wood = {0.17f, 0.09f, 0.045f},
    .grass = {0.15f, 0.24f, 0.055f},
    .dry_grass = {0.33f, 0.31f, 0.10f},
    .earth = {0.27f, 0.19f, 0.11f},
    .leaf = {0.13f, 0.25f, 0.05f},
    .cypress = {0.05f, 0.13f, 0.04f},
    .water = {0.07f, 0.25f, 0.31f},
    .iron = {0.07f, 0.07f, 0.075f},
    .red = {0.50f, 0.045f, 0.035f},
    .blue = {0.06f, 0.13f, 0.36f},
    .straw = {0.62f, 0.47f, 0.19f},
    .clay = {0.47f, 0.21f, 0.11f},
};

static float smooth(float lo, float hi, float x)
{
    float t = (x - lo) / (hi - lo);
    t = t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
    return t * t * (3.0f - 2.0f * t);
}

/* The ground is flat under the court, sinks along the path in the south, and has hills
 * elsewhere. */
float rio_courtyard_ground(uint64_t seed, float x, float y)
{
    float half = RIO_COURTYARD_HALF;
    x = x < -half ? -half : (x > half ? half : x);
    y = y < -half ? -half : (y > half ? half : y);
    float away = fmaxf(fabsf(x), fabsf(y)) - 15.0f;
    float hills = smooth(0.0f, 9.0f, away) *
                  (2.6f + 1.5f * rio_noise(seed + 11, x * 0.13f, y * 0.13f, 0.0f) +
                   0.5f * rio_noise(seed + 12, x * 0.35f, y * 0.35f, 0.0f));
    float bumps = smooth(0.0f, 1.5f, away) * 0.12f * rio_noise(seed + 13, x, y, 0.0f);
    float path = (1.0f - smooth(5.0f, 12.0f, fabsf(x))) * smooth(-13.5f, -15.5f, y);
    float high = -0.15f + hills + bumps;
    float low = -1.45f + 0.10f * rio_noise(seed + 14, x * 0.7f, y * 0.7f, 0.0f);
    return high + (low - high) * path;
}

enum { GROUND_CELLS = 84 };

static void ground_color(rio_builder *b, uint64_t seed, const rico_vec3 *at, float steep)
{
    const float *grass = rio_colors.grass, *dry = rio_colors.dry_grass;
    const float *earth = rio_colors.earth;
    float patch = smooth(-0.5f, 0.6f,
                         rio_noise(seed + 21, at->x * 0.3f, at->y * 0.3f, 0.0f) +
                             0.5f * rio_noise(seed + 22, at->x, at->y, 0.0f));
    float bare =
        (1.0f - smooth(2.2f, 5.0f, fabsf(at->x) + rio_noise(seed + 23, at->x, at->y, 0.0f))) *
        smooth(-12.0f, -14.0f, at->y);
    bare = fmaxf(bare, smooth(0.5f, 0.9f, steep));
    float color[3];
    for (int k = 0; k < 3; k++) {
        color[k] = grass[k] + (dry[k] - grass[k]) * patch;
        color[k] += (earth[k] - color[k]) * bare;
    }
    rio_builder_tint(b, color, seed + 24, b->triangle_count / 2, 0.16f);
}

/* One closed slab: the ground above and a flat bottom 4 m down, so that nothing gets under it. */
static void build_ground(rio_builder *b, uint64_t seed)
{
    const uint32_t n = GROUND_CELLS, stride = n + 1;
    const float half = RIO_COURTYARD_HALF, bottom = -5.0f;
    rio_builder_place(b, 0.0f, 0.0f, 0.0f, 0.0f);
    uint32_t first = b->vertex_count;
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++) {
            float x = -half + 2.0f * half * (float)i / (float)n;
            float y = -half + 2.0f * half * (float)j / (float)n;
            rio_builder_vertex(b, x, y, rio_courtyard_ground(seed, x, y));
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            float size = 2.0f * half / (float)n;
            float x = -half + size * ((float)i + 0.5f), y = -half + size * ((float)j + 0.5f);
            rico_vec3 at = {x, y, rio_courtyard_ground(seed, x, y)};
            float rise = rio_courtyard_ground(seed, x + 0.3f, y) - at.z;
            float run = rio_courtyard_ground(seed, x, y + 0.3f) - at.z;
            ground_color(b, seed, &at, sqrtf(rise * rise + run * run) / 0.3f);
            uint32_t v = first + j * stride + i;
            rio_builder_quad(b, v, v + 1, v + stride + 1, v + stride);
        }
    rio_builder_color(b, rio_colors.earth[0], rio_colors.earth[1], rio_colors.earth[2]);
    uint32_t low = b->vertex_count;
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++)
            if (i == 0 || j == 0 || i == n || j == n)
                rio_builder_vertex(b, -half + 2.0f * half * (float)i / (float)n,
                                   -half + 2.0f * half * (float)j / (float)n, bottom);
    /* Rim vertices were written row by row: the first and last rows whole, two of each other.
     */
    uint32_t top_row = low + stride + 2 * (n - 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t west0 = i == 0 ? low : low + stride + 2 * (i - 1);
        uint32_t west1 = i + 1 == n ? top_row : low + stride + 2 * i;
        uint32_t east0 = i == 0 ? low + n : low + stride + 2 * (i - 1) + 1;
        uint32_t east1 = i + 1 == n ? top_row + n : low + stride + 2 * i + 1;
        rio_builder_quad(b, low + i, low + i + 1, first + i + 1, first + i);
        rio_builder_quad(b, top_row + i + 1, top_row + i, first + n * stride + i,
                         first + n * stride + i + 1);
        rio_builder_quad(b, west1, west0, first + i * stride, first + (i + 1) * stride);
        rio_builder_quad(b, east0, east1, first + (i + 1) * stride + n, first + i * stride + n);
        /* The bottom is never seen: strips from the south rim to the north rim are enough. */
        rio_builder_quad(b, low + i + 1, low + i, top_row + i, top_row + i + 1);
    }
}

void rio_court_box(rio_builder *b, uint64_t seed, const float color[3], float x0, float y0,
                   float z0, float x1, float y1, float z1)
{
    rio_builder_tint(b, color, seed, b->triangle_count, 0.10f);
    rio_builder_box(b, x0, y0, z0, x1, y1, z1);
}

/* Slabs of stone at slightly different heights, with gaps between them. */
static void build_paving(rio_builder *b, uint64_t seed)
{
    const float size = 1.3f, gap = 0.012f;
    for (int32_t j = -10; j < 10; j++)
        for (int32_t i = -10; i < 10; i++) {
            uint32_t id = (uint32_t)((j + 10) * 20 + i + 10);
            float z = rio_random_range(seed + 31, id, 0, -0.015f, 0.015f);
            float x = (float)i * size, y = (float)j * size;
            bool ring = (i + j) % 2 == 0;
            rio_builder_tint(b, ring ? rio_colors.paving : rio_colors.stone, seed + 31, id,
                             0.14f);
            rio_builder_box(b, x + gap, y + gap, -0.3f, x + size - gap, y + size - gap, z);
        }
}

rico_result rio_courtyard_create(uint64_t seed, rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    build_ground(&b, seed);
    build_paving(&b, seed);
    rio_courtyard_walls(&b, seed);
    rio_courtyard_arcades(&b, seed);
    rio_courtyard_towers(&b, seed);
    rio_courtyard_keep(&b, seed);
    rio_courtyard_fountain(&b, seed);
    rio_courtyard_stairs(&b, seed);
    rio_courtyard_clutter(&b, seed);
    rio_courtyard_nature(&b, seed);
    return rio_builder_take(&b, out);
}

rio_camera rio_courtyard_camera(void)
{
    return (rio_camera){{-7.0f, -23.0f, 7.2f}, {0.6f, 0.0f, 2.2f}, 46.0f};
}
