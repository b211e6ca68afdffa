/* courtyard_house.c - walls, arcades, towers and the keep. */
#include "courtyard_parts.h"

#include <string.h>

/* Walls are a core with a plinth, a string course and merlons, which looks like masonry. Blocks
 * of stone in courses, as boxes that stand out a little from the core, would cost ten times the
 * triangles. */
static void wall(rio_builder *b, uint64_t seed, float length)
{
    const float half = length / 2.0f, top = RIO_COURT_WALL_TOP;
    rio_court_box(b, seed, rio_colors.stone, -half, 0.0f, -1.0f, half, 1.0f, top);
    rio_court_box(b, seed, rio_colors.dark_stone, -half, -0.12f, -1.0f, half, 1.15f, 0.45f);
    rio_court_box(b, seed, rio_colors.dark_stone, -half, -0.10f, top - 0.35f, half, 1.10f,
                  top + 0.02f);
    uint32_t merlons = (uint32_t)(length / 1.6f);
    for (uint32_t i = 0; i < merlons; i++) {
        float x = -half + 0.35f + (length - 0.7f - 0.85f) * (float)i / (float)(merlons - 1);
        rio_court_box(b, seed, rio_colors.stone, x, 0.55f, top, x + 0.85f, 1.05f, top + 0.75f);
    }
    for (uint32_t i = 0; i < 5; i++) {
        float x = -half + length * ((float)i + 0.5f) / 5.0f;
        rio_court_box(b, seed, rio_colors.stone, x - 0.4f, 0.9f, -1.0f, x + 0.4f, 1.6f, 4.6f);
    }
}

static void banner(rio_builder *b, float x, float y, float turns, const float color[3])
{
    rio_builder_place(b, x, y, 0.0f, turns);
    rio_builder_color(b, rio_colors.dark_wood[0], rio_colors.dark_wood[1],
                      rio_colors.dark_wood[2]);
    rio_builder_box(b, -0.6f, -0.16f, 4.05f, 0.6f, 0.02f, 4.15f);
    rio_builder_color(b, color[0], color[1], color[2]);
    rio_builder_box(b, -0.5f, -0.10f, 2.3f, 0.5f, -0.06f, 4.06f);
    rio_builder_color(b, rio_colors.straw[0], rio_colors.straw[1], rio_colors.straw[2]);
    rio_builder_box(b, -0.5f, -0.105f, 2.45f, 0.5f, -0.055f, 2.55f);
    rio_builder_box(b, -0.12f, -0.11f, 2.9f, 0.12f, -0.05f, 3.6f);
}

void rio_courtyard_walls(rio_builder *b, uint64_t seed)
{
    for (int side = 0; side < 3; side++) { /* west, north, east; the wall's +y is outwards */
        static const float turns[3] = {0.25f, 0.0f, -0.25f};
        static const float x[3] = {-RIO_COURT, 0.0f, RIO_COURT}, y[3] = {0.0f, RIO_COURT, 0.0f};
        rio_builder_place(b, x[side], y[side], 0.0f, turns[side]);
        wall(b, seed + 41 + (uint64_t)side, 2.0f * RIO_COURT_WALL - 0.6f);
        for (int i = -1; i <= 1; i++) {
            float along = (float)i * 7.5f;
            banner(b, side == 1 ? along : x[side], side == 1 ? y[side] : along, turns[side],
                   (i + side) % 2 != 0 ? rio_colors.blue : rio_colors.red);
        }
    }
}

static void column(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    static const rio_point2 profile[] = {
        {0.0f, 0.2f},   {0.36f, 0.2f},  {0.40f, 0.26f}, {0.36f, 0.34f}, {0.30f, 0.38f},
        {0.28f, 0.48f}, {0.285f, 1.1f}, {0.27f, 1.8f},  {0.24f, 2.40f}, {0.27f, 2.44f},
        {0.25f, 2.49f}, {0.29f, 2.58f}, {0.38f, 2.70f}, {0.0f, 2.70f}};
    rio_builder_place(b, x, y, 0.0f, 0.0f);
    rio_builder_tint(b, rio_colors.stone, seed + 51, id, 0.12f);
    rio_builder_lathe(b, profile, sizeof profile / sizeof profile[0], 14);
    rio_builder_tint(b, rio_colors.dark_stone, seed + 52, id, 0.10f);
    rio_builder_box(b, -0.44f, -0.44f, -0.2f, 0.44f, 0.44f, 0.22f);
    rio_builder_box(b, -0.42f, -0.42f, 2.68f, 0.42f, 0.42f, RIO_COURT_SPRING);
}

/* From the middle of one column to that of the next, along +x from the place. */
static void arch(rio_builder *b, uint64_t seed, uint32_t id)
{
    enum { POINTS = 15 };
    rio_point2 lower[POINTS], upper[POINTS];
    const float middle = RIO_COURT_BAY / 2.0f, radius = middle - 0.3f;
    for (uint32_t i = 0; i < POINTS; i++) {
        if (i == 0 || i + 1 == POINTS) {
            lower[i] = (rio_point2){i == 0 ? 0.0f : RIO_COURT_BAY, RIO_COURT_SPRING};
        } else {
            float c, s;
            rio_turn(0.5f - 0.5f * (float)(i - 1) / (float)(POINTS - 3), &c, &s);
            lower[i] = (rio_point2){middle + radius * c, RIO_COURT_SPRING + radius * s};
        }
        upper[i] = (rio_point2){lower[i].x, RIO_COURT_EAVES};
    }
    rio_builder_tint(b, rio_colors.stone, seed + 53, id, 0.10f);
    rio_builder_strip(b, lower, upper, POINTS, -0.27f, 0.27f);
    rio_builder_tint(b, rio_colors.dark_stone, seed + 54, id, 0.10f);
    rio_builder_box(b, middle - 0.13f, -0.34f, RIO_COURT_SPRING + radius - 0.06f,
                    middle + 0.13f, 0.34f, RIO_COURT_EAVES - 0.1f);
}

typedef struct roof {
    float length, run, low, high, waves;
} roof;

/* Pan tiles: waves along the roof, a step at each row. u runs along +x, v up the slope (+y). */
static rico_vec3 tiles(const void *context, float u, float v)
{
    const roof *r = context;
    float c, s;
    rio_turn(u * r->waves, &c, &s);
    float row = v * 3.0f;
    float step = row - (float)(int)row;
    rico_vec3 p = {(u - 0.5f) * r->length, v * r->run,
                   r->low + v * (r->high - r->low) + 0.05f * c + 0.07f * (0.5f - step)};
    return p;
}

static void roof_sheet(rio_builder *b, uint64_t seed, const roof *r, const float color[3])
{
    uint32_t before = b->triangle_count;
    rio_builder_sheet(b, tiles, r, (uint32_t)(r->waves * 4.0f), 6, 0.14f);
    for (uint32_t t = before; t < b->triangle_count && !b->failed; t++) {
        rio_builder_tint(b, color, seed + 55, t / 8, 0.2f);
        memcpy(b->colors + (size_t)t * 3, b->color, sizeof b->color);
    }
}

void rio_courtyard_arcades(rio_builder *b, uint64_t seed)
{
    const float c = RIO_COURT_COLUMNS, bay = RIO_COURT_BAY;
    uint32_t id = 0;
    for (int i = 0; i < 10; i++) {
        float y = -12.5f + (float)i * bay;
        for (int side = -1; side <= 1; side += 2) {
            column(b, seed, (float)side * c, y, id++);
            if (i < 9) {
                rio_builder_place(b, (float)side * c, y, 0.0f, 0.25f);
                arch(b, seed, id);
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        float x = -c + (float)i * bay;
        if (i > 0)
            column(b, seed, x, c, id++);
        rio_builder_place(b, x, c, 0.0f, 0.0f);
        arch(b, seed, id);
    }
    /* Where two roofs meet in a corner they intersect. */
    roof r = {26.0f, 3.8f, RIO_COURT_EAVES, 5.75f, 46.0f};
    for (int side = 0; side < 3; side++) {
        static const float turns[3] = {0.25f, 0.0f, -0.25f};
        static const float x[3] = {-9.4f, 0.0f, 9.4f}, y[3] = {0.0f, 9.4f, 0.0f};
        rio_builder_place(b, x[side], y[side], 0.0f, turns[side]);
        roof_sheet(b, seed + (uint64_t)side, &r, rio_colors.tile);
    }
}

static void tower(rio_builder *b, uint64_t seed, float x, float y, float height, float radius)
{
    const float h = height, r = radius;
    const rio_point2 body[] = {{0.0f, -1.5f},
                               {r + 0.35f, -1.5f},
                               {r + 0.35f, 0.5f},
                               {r, 0.9f},
                               {r, h * 0.55f},
                               {r + 0.12f, h * 0.55f},
                               {r + 0.12f, h * 0.55f + 0.25f},
                               {r, h * 0.55f + 0.25f},
                               {r, h - 1.0f},
                               {r + 0.4f, h - 0.5f},
                               {r + 0.4f, h},
                               {0.0f, h}};
    const rio_point2 cone[] = {{0.0f, h + 0.7f},      {r + 0.55f, h + 0.7f},
                               {r + 0.62f, h + 0.8f}, {r * 0.62f, h + 2.2f},
                               {r * 0.28f, h + 3.9f}, {0.0f, h + 5.4f}};
    rio_builder_place(b, x, y, 0.0f, 0.0f);
    rio_builder_tint(b, rio_colors.stone, seed + 61, 0, 0.08f);
    rio_builder_lathe(b, body, sizeof body / sizeof body[0], 28);
    uint32_t before = b->triangle_count;
    rio_builder_lathe(b, cone, sizeof cone / sizeof cone[0], 28);
    for (uint32_t t = before; t < b->triangle_count && !b->failed; t++) {
        rio_builder_tint(b, rio_colors.slate, seed + 62, t / 2, 0.2f);
        memcpy(b->colors + (size_t)t * 3, b->color, sizeof b->color);
    }
    for (uint32_t i = 0; i < 10; i++) { /* posts between body and roof, slits below */
        rio_builder_place(b, x, y, 0.0f, (float)i / 10.0f);
        rio_court_box(b, seed + 63, rio_colors.stone, r - 0.25f, -0.32f, h - 0.1f, r + 0.3f,
                      0.32f, h + 0.75f);
        rio_builder_color(b, 0.03f, 0.028f, 0.025f);
        if (i % 2 == 0)
            rio_builder_box(b, r - 0.3f, -0.09f, h * 0.7f, r + 0.02f, 0.09f, h * 0.7f + 1.1f);
    }
    rio_builder_place(b, x, y, 0.0f, 0.0f);
    rio_builder_color(b, 0.6f, 0.45f, 0.12f);
    rio_builder_box(b, -0.03f, -0.03f, h + 5.2f, 0.03f, 0.03f, h + 6.6f);
    rio_builder_color(b, rio_colors.red[0], rio_colors.red[1], rio_colors.red[2]);
    rio_builder_box(b, 0.03f, -0.012f, h + 6.0f, 0.95f, 0.012f, h + 6.5f);
}

void rio_courtyard_towers(rio_builder *b, uint64_t seed)
{
    const float at = 13.7f;
    tower(b, seed + 1, -at, at, 9.4f, 2.3f);
    tower(b, seed + 2, at, at, 8.6f, 2.3f);
    tower(b, seed + 3, -at, -at - 0.2f, 6.6f, 1.7f);
    tower(b, seed + 4, at, -at - 0.2f, 6.9f, 1.7f);
}

/* A dark pane in a frame, on the face y = 0 of the place, which looks along -y. */
static void window(rio_builder *b, uint64_t seed, float x, float z, float width, float height)
{
    enum { POINTS = 11 };
    rio_point2 lower[POINTS], upper[POINTS], frame[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        float c, s;
        rio_turn(0.5f - 0.5f * (float)i / (float)(POINTS - 1), &c, &s);
        lower[i] = (rio_point2){x + c * width / 2.0f, z};
        upper[i] = (rio_point2){lower[i].x, z + height + s * width / 2.0f};
        frame[i] = (rio_point2){x + c * (width / 2.0f + 0.16f),
                                z + height + s * (width / 2.0f + 0.16f)};
    }
    rio_builder_tint(b, rio_colors.dark_stone, seed, b->triangle_count, 0.1f);
    for (uint32_t i = 0; i < POINTS; i++)
        lower[i].x = frame[i].x;
    lower[0].z = lower[POINTS - 1].z = z;
    rio_builder_strip(b, lower, frame, POINTS, -0.07f, 0.3f);
    for (uint32_t i = 0; i < POINTS; i++)
        lower[i].x = upper[i].x;
    rio_builder_color(b, 0.035f, 0.04f, 0.055f);
    rio_builder_strip(b, lower, upper, POINTS, -0.09f, 0.3f);
    rio_court_box(b, seed, rio_colors.stone, x - width / 2.0f - 0.25f, -0.22f, z - 0.15f,
                  x + width / 2.0f + 0.25f, 0.3f, z);
}

void rio_courtyard_keep(rio_builder *b, uint64_t seed)
{
    const float w = 4.2f, depth = 5.0f, eaves = 8.6f, ridge = 11.6f;
    rio_builder_place(b, 0.5f, RIO_COURT - 0.4f, 0.0f, 0.0f);
    rio_court_box(b, seed + 71, rio_colors.stone, -w, 0.0f, -1.0f, w, depth, eaves);
    const rio_point2 low[3] = {{-w, eaves - 0.2f}, {0.0f, eaves - 0.2f}, {w, eaves - 0.2f}};
    const rio_point2 high[3] = {{-w, eaves}, {0.0f, ridge - 0.1f}, {w, eaves}};
    rio_builder_tint(b, rio_colors.stone, seed, 72, 0.08f);
    rio_builder_strip(b, low, high, 3, 0.02f, depth - 0.02f);
    for (int corner = -1; corner <= 1; corner += 2)
        for (uint32_t i = 0; i < 9; i++) {
            float long_side = i % 2 == 0 ? 0.75f : 0.45f, x = (float)corner * w;
            float z = 5.9f + (float)i * 0.3f;
            rio_court_box(b, seed + 73, rio_colors.dark_stone,
                          corner < 0 ? x - 0.05f : x - long_side, -0.05f, z,
                          corner < 0 ? x + long_side : x + 0.05f, 0.6f, z + 0.27f);
        }
    for (int i = -1; i <= 1; i++)
        window(b, seed + 74, (float)i * 2.4f, 6.35f, 0.9f, 1.0f);
    window(b, seed + 75, 0.0f, 0.05f, 2.2f, 1.7f);
    /* Two roof sheets, each turned so that its slope rises to the ridge. */
    roof r = {depth + 0.7f, w + 0.35f, eaves - 0.18f, ridge + 0.06f, 12.0f};
    rio_builder_place(b, 0.5f - w - 0.35f, RIO_COURT - 0.4f + depth / 2.0f, 0.0f, -0.25f);
    roof_sheet(b, seed + 76, &r, rio_colors.tile);
    rio_builder_place(b, 0.5f + w + 0.35f, RIO_COURT - 0.4f + depth / 2.0f, 0.0f, 0.25f);
    roof_sheet(b, seed + 77, &r, rio_colors.tile);
    rio_builder_place(b, 0.5f, RIO_COURT - 0.4f, 0.0f, 0.0f);
    rio_court_box(b, seed + 78, rio_colors.clay, -2.9f, 2.0f, 8.0f, -2.0f, 2.9f, 12.7f);
    rio_court_box(b, seed + 78, rio_colors.dark_stone, -3.0f, 1.9f, 12.6f, -1.9f, 3.0f,
                  RIO_CHIMNEY_TOP);
}
