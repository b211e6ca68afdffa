/* courtyard_props.c - objects in the court and around it. */
#include "courtyard.h"
#include "courtyard_parts.h"

#include <math.h>

const float rio_brazier_at[RIO_BRAZIERS][2] = {{-5.2f, -11.6f}, {5.2f, -11.6f}, {-8.2f, -3.0f},
                                               {8.2f, -3.0f},   {-4.6f, 7.6f},  {4.6f, 7.6f}};

static void color(rio_builder *b, const float rgb[3])
{
    rio_builder_color(b, rgb[0], rgb[1], rgb[2]);
}

/* Bowls hold water: each profile goes up the outside, over the rim, and down to the middle. */
void rio_courtyard_fountain(rio_builder *b, uint64_t seed)
{
    static const rio_point2 step0[] = {{0, -0.2f}, {4.0f, -0.2f}, {4.0f, 0.13f}, {0, 0.13f}};
    static const rio_point2 step1[] = {{0, 0}, {3.5f, 0}, {3.5f, 0.28f}, {0, 0.28f}};
    static const rio_point2 basin[] = {{0, 0.2f},      {2.75f, 0.2f},  {2.80f, 0.36f},
                                       {2.62f, 0.42f}, {2.66f, 0.75f}, {2.85f, 0.84f},
                                       {2.90f, 0.93f}, {2.84f, 0.99f}, {2.50f, 0.99f},
                                       {2.44f, 0.92f}, {2.40f, 0.42f}, {0, 0.40f}};
    static const rio_point2 stem[] = {
        {0, 0.3f},      {0.62f, 0.3f},  {0.66f, 0.45f}, {0.50f, 0.62f}, {0.34f, 0.95f},
        {0.30f, 1.3f},  {0.38f, 1.46f}, {0.75f, 1.60f}, {1.20f, 1.74f}, {1.38f, 1.90f},
        {1.36f, 1.95f}, {1.26f, 1.95f}, {0.95f, 1.82f}, {0.0f, 1.80f}};
    static const rio_point2 top[] = {
        {0, 1.7f},      {0.30f, 1.7f},  {0.20f, 2.00f}, {0.17f, 2.30f}, {0.24f, 2.42f},
        {0.50f, 2.52f}, {0.66f, 2.66f}, {0.64f, 2.70f}, {0.57f, 2.70f}, {0.30f, 2.60f},
        {0.12f, 2.62f}, {0.09f, 2.85f}, {0.15f, 2.97f}, {0.10f, 3.10f}, {0, 3.12f}};
    static const rio_point2 water[] = {{0, 0.35f}, {2.45f, 0.35f}, {2.42f, 0.80f}, {0, 0.81f}};
    static const rio_point2 water1[] = {{0, 1.78f}, {1.0f, 1.80f}, {1.22f, 1.90f}, {0, 1.905f}};
    rio_builder_place(b, 0.0f, 0.0f, 0.0f, 0.0625f);
    rio_builder_tint(b, rio_colors.dark_stone, seed, 0, 0.1f);
    rio_builder_lathe(b, step0, 4, 8);
    rio_builder_tint(b, rio_colors.stone, seed, 1, 0.1f);
    rio_builder_lathe(b, step1, 4, 8);
    rio_builder_tint(b, rio_colors.stone, seed, 2, 0.1f);
    rio_builder_lathe(b, basin, sizeof basin / sizeof basin[0], 40);
    rio_builder_tint(b, rio_colors.stone, seed, 3, 0.1f);
    rio_builder_lathe(b, stem, sizeof stem / sizeof stem[0], 32);
    rio_builder_lathe(b, top, sizeof top / sizeof top[0], 24);
    color(b, rio_colors.water);
    rio_builder_lathe(b, water, 4, 40);
    rio_builder_lathe(b, water1, 4, 32);
}

void rio_courtyard_stairs(rio_builder *b, uint64_t seed)
{
    rio_builder_place(b, 0.0f, 0.0f, 0.0f, 0.0f);
    for (uint32_t i = 0; i < 9; i++) {
        float y = -13.0f - 0.38f * (float)i, z = -0.15f * (float)i;
        rio_builder_tint(b, rio_colors.stone, seed + 81, i, 0.13f);
        rio_builder_box(b, -4.2f, y - 0.44f, -2.4f, 4.2f, y + 0.06f, z);
    }
    for (int side = -1; side <= 1; side += 2) {
        float x0 = side < 0 ? -4.9f : 4.15f;
        const rio_point2 low[3] = {{0.0f, -2.4f}, {3.6f, -2.4f}, {4.2f, -2.4f}};
        const rio_point2 high[3] = {{0.0f, 0.55f}, {3.6f, -0.75f}, {4.2f, -0.75f}};
        rio_builder_place(b, x0, -13.0f, 0.0f, -0.25f); /* local x runs south, y east */
        rio_builder_tint(b, rio_colors.dark_stone, seed + 82, (uint32_t)(side + 1), 0.1f);
        rio_builder_strip(b, low, high, 3, 0.0f, 0.75f);
        static const rio_point2 ball[] = {{0, 0.5f},     {0.22f, 0.5f},  {0.2f, 0.66f},
                                          {0.12f, 0.7f}, {0.3f, 0.84f},  {0.36f, 1.02f},
                                          {0.3f, 1.2f},  {0.16f, 1.32f}, {0, 1.35f}};
        rio_builder_place(b, x0 + 0.375f, -13.35f, 0.0f, 0.0f);
        rio_builder_lathe(b, ball, sizeof ball / sizeof ball[0], 20);
        /* A low balustrade from the stairs to the corner tower. */
        float from = side < 0 ? -12.2f : 4.6f, to = side < 0 ? -4.6f : 12.2f;
        rio_court_box(b, seed + 83, rio_colors.stone, from, -0.0f, -1.5f, to, 0.5f, 0.15f);
        rio_builder_place(b, 0.0f, -13.6f, 0.0f, 0.0f);
        rio_court_box(b, seed + 83, rio_colors.stone, from, -0.05f, -1.6f, to, 0.55f, 0.2f);
        rio_court_box(b, seed + 83, rio_colors.stone, from, 0.0f, 0.85f, to, 0.5f, 1.0f);
        static const rio_point2 baluster[] = {{0, 0.15f},     {0.13f, 0.15f}, {0.08f, 0.27f},
                                              {0.14f, 0.42f}, {0.07f, 0.68f}, {0.13f, 0.88f},
                                              {0, 0.88f}};
        for (int i = 0; i < 15; i++) {
            rio_builder_place(b, from + 0.3f + 0.5f * (float)i, -13.35f, 0.0f, 0.0f);
            rio_builder_tint(b, rio_colors.stone, seed + 84, (uint32_t)i, 0.1f);
            rio_builder_lathe(b, baluster, 7, 9);
        }
    }
}

static void crate(rio_builder *b, uint64_t seed, float x, float y, float z, float size,
                  float turns)
{
    const float h = size / 2.0f, e = size * 0.09f, o = 0.02f;
    rio_builder_place(b, x, y, z, turns);
    rio_court_box(b, seed, rio_colors.wood, -h, -h, 0.0f, h, h, size);
    for (int i = -1; i <= 1; i += 2)
        for (int j = -1; j <= 1; j += 2) {
            float u = (float)i * (h - e / 2.0f + o), v = (float)j * (h - e / 2.0f + o);
            rio_court_box(b, seed, rio_colors.dark_wood, u - e / 2.0f, v - e / 2.0f, 0.0f,
                          u + e / 2.0f, v + e / 2.0f, size + 0.01f);
            float w = j < 0 ? 0.0f : size - e;
            rio_court_box(b, seed, rio_colors.dark_wood, -h, u - e / 2.0f, w + 0.005f, h,
                          u + e / 2.0f, w + e + 0.005f);
        }
}

static void barrel(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    static const rio_point2 body[] = {{0, 0},          {0.26f, 0},     {0.31f, 0.2f},
                                      {0.345f, 0.45f}, {0.31f, 0.70f}, {0.26f, 0.90f},
                                      {0.23f, 0.90f},  {0.23f, 0.86f}, {0, 0.86f}};
    static const rio_point2 hoop[] = {{0, 0.17f}, {0.325f, 0.17f}, {0.335f, 0.24f}, {0, 0.24f}};
    static const rio_point2 hoop1[] = {
        {0, 0.66f}, {0.335f, 0.66f}, {0.325f, 0.73f}, {0, 0.73f}};
    rio_builder_place(b, x, y, 0.0f, rio_random(seed, id, 3));
    rio_builder_tint(b, rio_colors.wood, seed + 85, id, 0.25f);
    rio_builder_lathe(b, body, 9, 12);
    color(b, rio_colors.iron);
    rio_builder_lathe(b, hoop, 4, 12);
    rio_builder_lathe(b, hoop1, 4, 12);
}

static void pot(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    static const rio_point2 body[] = {{0, 0},         {0.16f, 0},     {0.27f, 0.22f},
                                      {0.29f, 0.40f}, {0.20f, 0.60f}, {0.17f, 0.68f},
                                      {0.24f, 0.74f}, {0.20f, 0.75f}, {0.15f, 0.66f},
                                      {0.18f, 0.45f}, {0, 0.40f}};
    rio_builder_place(b, x, y, 0.0f, 0.0f);
    rio_builder_tint(b, rio_colors.clay, seed + 86, id, 0.25f);
    rio_builder_lathe(b, body, sizeof body / sizeof body[0], 12);
}

static void brazier(rio_builder *b, float x, float y)
{
    static const rio_point2 bowl[] = {{0, 0.72f},     {0.12f, 0.74f}, {0.32f, 0.90f},
                                      {0.40f, 1.06f}, {0.36f, 1.06f}, {0.28f, 0.95f},
                                      {0, 0.9f}};
    static const rio_point2 coals[] = {{0, 0.88f}, {0.30f, 0.95f}, {0.2f, 1.03f}, {0, 1.06f}};
    rio_builder_place(b, x, y, 0.0f, 0.0f);
    color(b, rio_colors.iron);
    rio_builder_lathe(b, bowl, 7, 20);
    rio_builder_color(b, 0.9f, 0.22f, 0.03f);
    rio_builder_lathe(b, coals, 4, 10);
    color(b, rio_colors.iron);
    for (uint32_t i = 0; i < 3; i++) {
        rio_builder_place(b, x, y, 0.0f, (float)i / 3.0f);
        rio_builder_box(b, 0.2f, -0.03f, -0.1f, 0.28f, 0.03f, 0.88f);
    }
}

static void table(rio_builder *b, uint64_t seed, float x, float y, float turns)
{
    rio_builder_place(b, x, y, 0.0f, turns);
    for (int plank = 0; plank < 3; plank++) {
        float v = -0.45f + 0.3f * (float)plank;
        rio_court_box(b, seed + 87, rio_colors.wood, -1.1f, v, 0.74f, 1.1f, v + 0.285f, 0.80f);
    }
    for (int end = -1; end <= 1; end += 2) {
        float u = (float)end * 0.85f;
        for (int side = -1; side <= 1; side += 2) {
            float v = (float)side * 0.34f;
            rio_court_box(b, seed, rio_colors.dark_wood, u - 0.05f, v - 0.05f, -0.1f, u + 0.05f,
                          v + 0.05f, 0.75f);
            float w = (float)side * 0.85f;
            rio_court_box(b, seed, rio_colors.dark_wood, u - 0.05f, w - 0.1f, -0.1f, u + 0.05f,
                          w + 0.1f, 0.41f);
        }
    }
    rio_court_box(b, seed, rio_colors.wood, -1.05f, -1.02f, 0.40f, 1.05f, -0.68f, 0.46f);
    rio_court_box(b, seed, rio_colors.wood, -1.05f, 0.68f, 0.40f, 1.05f, 1.02f, 0.46f);
}

static rico_vec3 awning(const void *context, float u, float v)
{
    (void)context;
    float sag = u * (1.0f - u) * 0.25f;
    return (rico_vec3){(u - 0.5f) * 3.4f, (v - 0.5f) * 2.4f, 2.15f + 0.75f * v - sag};
}

static void stall(rio_builder *b, uint64_t seed, float x, float y, float turns,
                  const float rgb[3])
{
    rio_builder_place(b, x, y, 0.0f, turns);
    for (int i = 0; i < 4; i++) {
        float u = i % 2 == 0 ? -1.55f : 1.55f, v = i < 2 ? -1.0f : 1.0f;
        rio_court_box(b, seed, rio_colors.dark_wood, u - 0.05f, v - 0.05f, -0.1f, u + 0.05f,
                      v + 0.05f, i < 2 ? 2.25f : 2.8f);
    }
    rio_court_box(b, seed, rio_colors.wood, -1.5f, -0.9f, 0.0f, 1.5f, -0.2f, 0.85f);
    for (uint32_t i = 0; i < 10; i++) {
        rico_vec3 at = {rio_random_range(seed, i, 5, -1.3f, 1.3f),
                        rio_random_range(seed, i, 6, -0.8f, -0.3f), 0.92f};
        rico_vec3 size = {0.10f, 0.10f, 0.09f};
        rio_builder_tint(b,
                         i % 3 == 0   ? rio_colors.red
                         : i % 3 == 1 ? rio_colors.straw
                                      : rio_colors.leaf,
                         seed, i, 0.3f);
        rio_builder_blob(b, at, size, 1, 0.08f, seed + i);
    }
    uint32_t before = b->triangle_count;
    rio_builder_sheet(b, awning, NULL, 20, 6, 0.03f);
    for (uint32_t t = before; t < b->triangle_count && !b->failed; t++) {
        const uint32_t *v = b->indices + (size_t)t * 3;
        float dx = b->positions[(size_t)v[0] * 3] - x,
              dy = b->positions[(size_t)v[0] * 3 + 1] - y;
        float u = dx * b->turn_cos + dy * b->turn_sin;
        const float *stripe =
            (int)floorf((u + 10.01f) / 0.34f) % 2 == 0 ? rgb : rio_colors.stone;
        for (int k = 0; k < 3; k++)
            b->colors[(size_t)t * 3 + (size_t)k] = stripe[k];
    }
}

void rio_courtyard_clutter(rio_builder *b, uint64_t seed)
{
    for (int i = 0; i < RIO_BRAZIERS; i++)
        brazier(b, rio_brazier_at[i][0], rio_brazier_at[i][1]);
    table(b, seed + 1, -6.3f, -6.6f, 0.03f);
    table(b, seed + 2, 6.4f, -6.2f, -0.04f);
    table(b, seed + 3, -6.4f, 3.4f, 0.24f);
    table(b, seed + 4, 2.6f, -8.8f, 0.02f);
    stall(b, seed + 5, 7.4f, 3.2f, -0.25f, rio_colors.red);
    stall(b, seed + 6, -7.6f, -0.2f + 6.6f, 0.2f, rio_colors.blue);
    for (uint32_t i = 0; i < 24; i++) { /* along the walls, under the roofs */
        bool east = i % 2 == 0;
        float x = rio_random_range(seed + 91, i, 0, 11.3f, 12.1f);
        float y =
            -12.0f + 23.0f * ((float)(i / 2) + rio_random(seed + 91, i, 1) * 0.4f) / 12.0f;
        float size = rio_random_range(seed + 91, i, 2, 0.55f, 0.85f);
        float turns = rio_random_range(seed + 91, i, 3, -0.06f, 0.06f);
        x = east ? x : -x;
        uint32_t what = (uint32_t)(rio_random(seed + 91, i, 4) * 3.0f);
        if (what == 0) {
            crate(b, seed + i, x, y, 0.0f, size, turns);
            crate(b, seed + i, x + 0.05f, y, size + 0.01f, size * 0.7f, turns + 0.05f);
        } else if (what == 1) {
            barrel(b, seed, x, y, i);
            barrel(b, seed, x + 0.1f, y + 0.75f, i + 100);
        } else {
            pot(b, seed, x, y, i);
            pot(b, seed, x - 0.3f, y + 0.6f, i + 100);
            crate(b, seed + i, x + 0.2f, y - 0.7f, 0.0f, size * 0.8f, turns);
        }
    }
    crate(b, seed + 200, 9.0f, -8.6f, 0.0f, 0.9f, 0.03f);
    crate(b, seed + 201, 8.2f, -9.5f, 0.0f, 0.8f, -0.05f);
    crate(b, seed + 202, 9.05f, -8.7f, 0.91f, 0.6f, 0.11f);
    barrel(b, seed, 9.0f, -10.2f, 300);
    barrel(b, seed, -8.9f, -9.2f, 301);
    barrel(b, seed, -8.3f, -9.9f, 302);
    pot(b, seed, -9.0f, -10.2f, 303);
    crate(b, seed + 203, -2.0f, -10.6f, 0.0f, 0.7f, 0.08f);
}

static void boulder(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    float r = rio_random_range(seed + 93, id, 0, 0.35f, 1.1f);
    rico_vec3 at = {0.0f, 0.0f, 0.15f * r};
    rico_vec3 radii = {r, r * rio_random_range(seed + 93, id, 1, 0.7f, 1.0f), r * 0.7f};
    rio_builder_place(b, x, y, rio_courtyard_ground(seed, x, y), rio_random(seed + 93, id, 2));
    rio_builder_tint(b, rio_colors.dark_stone, seed + 93, id, 0.25f);
    rio_builder_blob(b, at, radii, 2, 0.22f, seed + 94 + id);
}

static void cypress(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    float h = rio_random_range(seed + 95, id, 0, 5.0f, 7.5f);
    rico_vec3 at = {0.0f, 0.0f, 0.5f + h / 2.0f}, radii = {h * 0.13f, h * 0.13f, h / 2.0f};
    static const rio_point2 trunk[] = {{0, -0.5f}, {0.2f, -0.5f}, {0.13f, 1.0f}, {0, 1.0f}};
    rio_builder_place(b, x, y, rio_courtyard_ground(seed, x, y), 0.0f);
    color(b, rio_colors.dark_wood);
    rio_builder_lathe(b, trunk, 4, 8);
    rio_builder_tint(b, rio_colors.cypress, seed + 95, id, 0.3f);
    rio_builder_blob(b, at, radii, 3, 0.13f, seed + 96 + id);
}

static void tree(rio_builder *b, uint64_t seed, float x, float y, uint32_t id)
{
    static const rio_point2 trunk[] = {{0, -0.5f},    {0.34f, -0.5f}, {0.22f, 0.4f},
                                       {0.17f, 1.8f}, {0.12f, 3.0f},  {0, 3.0f}};
    rio_builder_place(b, x, y, rio_courtyard_ground(seed, x, y), rio_random(seed + 97, id, 0));
    color(b, rio_colors.dark_wood);
    rio_builder_lathe(b, trunk, 6, 9);
    for (uint32_t i = 0; i < 4; i++) {
        float c, s, out = i == 0 ? 0.0f : 0.95f;
        rio_turn((float)i / 3.0f + rio_random(seed + 97, id, 10 + i) * 0.12f, &c, &s);
        float r = rio_random_range(seed + 97, id, 20 + i, 0.9f, 1.35f);
        rico_vec3 at = {out * c, out * s,
                        i == 0 ? 4.3f : rio_random_range(seed + 97, id, 30 + i, 2.7f, 3.5f)};
        rico_vec3 radii = {r, r, r * 0.8f};
        rio_builder_tint(b, rio_colors.leaf, seed + 97, id * 8 + i, 0.35f);
        rio_builder_blob(b, at, radii, 2, 0.2f, seed + 98 + id * 8 + i);
    }
}

void rio_courtyard_nature(rio_builder *b, uint64_t seed)
{
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < 2; i++)
            cypress(b, seed, (float)side * (16.3f + 3.1f * (float)i), -16.6f - 1.4f * (float)i,
                    (uint32_t)(side * 2 + 2 + i));
    uint32_t trees = 0, boulders = 0;
    for (uint32_t i = 0; i < 400 && (trees < 7 || boulders < 8); i++) {
        float x = rio_random_range(seed + 99, i, 0, -22.5f, 22.5f);
        float y = rio_random_range(seed + 99, i, 1, -22.5f, 22.5f);
        bool in_court = fabsf(x) < 17.5f && fabsf(y) < 17.5f;
        bool on_path = fabsf(x) < 12.0f && y < -13.0f;
        if (in_court || on_path)
            continue;
        if (i % 2 == 0 && trees < 7 && fmaxf(fabsf(x), fabsf(y)) > 18.5f &&
            fmaxf(fabsf(x), fabsf(y)) < 20.9f && y > -17.0f)
            tree(b, seed, x, y, trees++);
        else if (boulders < 8)
            boulder(b, seed, x, y, boulders++);
    }
    for (uint32_t i = 0; i < 6; i++) {
        float x = rio_random_range(seed + 100, i, 0, 4.4f, 9.5f) * (i % 2 == 0 ? 1.0f : -1.0f);
        boulder(b, seed, x, rio_random_range(seed + 100, i, 1, -21.0f, -17.5f), 30 + i);
    }
}
