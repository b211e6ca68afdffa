/* forest.c - ground, and trees of whorls. Whorls are rings of branches one above the other,
 * longest at the bottom of the crown. Each branch has sprays of needles to both sides and one at
 * its tip. */
#include "forest.h"

#include "mesh_builder.h"

#include <math.h>

enum {
    GROUND_CELLS = 72,
    TREE_COLUMNS = 13, /* trees stand on a jittered grid of that many columns and rows */
    CARD_PAIRS = 6,
};

static const float bark[3] = {0.20f, 0.13f, 0.08f};
static const float needles[3] = {0.06f, 0.16f, 0.05f};
static const float moss[3] = {0.16f, 0.20f, 0.07f};

float rio_forest_ground(uint64_t seed, float x, float y)
{
    return 1.8f * rio_noise(seed + 1, x * 0.05f, y * 0.05f, 0.0f) +
           0.4f * rio_noise(seed + 2, x * 0.21f, y * 0.21f, 0.0f) +
           0.06f * rio_noise(seed + 3, x * 1.1f, y * 1.1f, 0.0f);
}

static void build_ground(rio_builder *b, uint64_t seed)
{
    const float step = 2.0f * RIO_FOREST_HALF / (float)GROUND_CELLS;
    uint32_t first = b->vertex_count, stride = GROUND_CELLS + 1;
    for (uint32_t j = 0; j <= GROUND_CELLS; j++)
        for (uint32_t i = 0; i <= GROUND_CELLS; i++) {
            float x = (float)i * step - RIO_FOREST_HALF, y = (float)j * step - RIO_FOREST_HALF;
            rio_builder_vertex(b, x, y, rio_forest_ground(seed, x, y));
        }
    for (uint32_t j = 0; j < GROUND_CELLS; j++)
        for (uint32_t i = 0; i < GROUND_CELLS; i++) {
            uint32_t v = first + j * stride + i, w = v + stride;
            rio_builder_tint(b, moss, seed + 4, v, 0.2f);
            rio_builder_quad(b, v, v + 1, w + 1, w);
        }
}

/* A branch in its tree's space: from the trunk outwards, first rising a little, then bent down
 * by its own weight. */
typedef struct branch {
    float c, s;      /* outwards, horizontal, unit */
    float z, length; /* metres */
    float rise, sag; /* per length */
} branch;

static rico_vec3 branch_point(const branch *r, float t)
{
    float out = r->length * t;
    rico_vec3 p = {r->c * out, r->s * out, r->z + r->length * (r->rise * t - r->sag * t * t)};
    return p;
}

static uint32_t add_vertex(rio_builder *b, rico_vec3 p)
{
    return rio_builder_vertex(b, p.x, p.y, p.z);
}

/* Three sides that meet at the tip. */
static void build_stem(rio_builder *b, const branch *r)
{
    static const float ring[3][2] = {{1.0f, 0.0f}, {-0.5f, 0.8660254f}, {-0.5f, -0.8660254f}};
    float thick = 0.008f + 0.012f * r->length;
    uint32_t v[3];
    for (uint32_t i = 0; i < 3; i++)
        v[i] = rio_builder_vertex(b, -r->s * ring[i][0] * thick, r->c * ring[i][0] * thick,
                                  r->z + ring[i][1] * thick);
    uint32_t tip = add_vertex(b, branch_point(r, 1.0f));
    for (uint32_t i = 0; i < 3; i++)
        rio_builder_triangle(b, v[i], v[(i + 1) % 3], tip);
}

/* A spray of needles: a leaf of two triangles from `at` to at + out, `wide` metres at its foot
 * along the branch. */
static void build_card(rio_builder *b, const branch *r, rico_vec3 at, rico_vec3 out, float wide)
{
    float x = r->c * wide * 0.5f, y = r->s * wide * 0.5f;
    rico_vec3 end = {at.x + out.x, at.y + out.y, at.z + out.z};
    uint32_t v[4] = {rio_builder_vertex(b, at.x - x, at.y - y, at.z),
                     rio_builder_vertex(b, at.x + x, at.y + y, at.z),
                     rio_builder_vertex(b, end.x + x * 0.6f, end.y + y * 0.6f, end.z),
                     rio_builder_vertex(b, end.x - x * 0.6f, end.y - y * 0.6f, end.z)};
    rio_builder_quad(b, v[0], v[1], v[2], v[3]);
}

/* Pairs of sprays from a quarter of the branch outwards, shorter towards its tip, and one spray
 * beyond the tip. */
static void build_needles(rio_builder *b, const branch *r, uint64_t seed)
{
    for (uint32_t i = 0; i < 2 * CARD_PAIRS; i++) {
        float t = 0.25f + 0.7f * ((float)(i / 2) + rio_random(seed, i, 1)) / (float)CARD_PAIRS;
        float side = i % 2 == 0 ? 1.0f : -1.0f;
        float reach =
            r->length * (0.42f - 0.28f * t) * rio_random_range(seed, i, 2, 0.7f, 1.2f);
        float ahead = rio_random_range(seed, i, 3, 0.5f, 0.9f);
        rico_vec3 out = {(r->c * ahead - r->s * side) * reach,
                         (r->s * ahead + r->c * side) * reach,
                         rio_random_range(seed, i, 4, -0.6f, 0.25f) * reach};
        build_card(b, r, branch_point(r, t), out, 0.05f + 0.07f * r->length);
    }
    rico_vec3 side = {-r->s * 0.06f * r->length, r->c * 0.06f * r->length, 0.0f};
    rico_vec3 from = branch_point(r, 0.85f), to = branch_point(r, 1.12f);
    uint32_t v[4] = {rio_builder_vertex(b, from.x - side.x, from.y - side.y, from.z),
                     rio_builder_vertex(b, from.x + side.x, from.y + side.y, from.z),
                     rio_builder_vertex(b, to.x + side.x * 0.5f, to.y + side.y * 0.5f, to.z),
                     rio_builder_vertex(b, to.x - side.x * 0.5f, to.y - side.y * 0.5f, to.z)};
    rio_builder_quad(b, v[0], v[1], v[2], v[3]);
}

static void build_trunk(rio_builder *b, float height)
{
    float r = 0.018f * height;
    const rio_point2 profile[5] = {{0.0f, -0.5f},
                                   {r, -0.5f},
                                   {r * 0.75f, height * 0.3f},
                                   {r * 0.4f, height * 0.75f},
                                   {0.0f, height}};
    rio_builder_lathe(b, profile, 5, 7);
}

static void build_whorl(rio_builder *b, float z, float length, uint64_t seed,
                        rio_forest_parts *parts)
{
    uint32_t count = rio_random(seed, 0, 10) < 0.5f ? 5 : 6;
    float start = rio_random(seed, 0, 11);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t own = seed * 8u + i;
        branch r;
        float turn =
            start + ((float)i + rio_random_range(own, 0, 12, -0.25f, 0.25f)) / (float)count;
        rio_turn(turn, &r.c, &r.s);
        r.z = z + rio_random_range(own, 0, 13, -0.1f, 0.1f);
        r.length = length * rio_random_range(own, 0, 14, 0.8f, 1.15f);
        r.rise = rio_random_range(own, 0, 15, 0.1f, 0.35f);
        r.sag = rio_random_range(own, 0, 16, 0.25f, 0.6f);
        uint32_t before = b->triangle_count;
        rio_builder_color(b, bark[0], bark[1], bark[2]);
        build_stem(b, &r);
        parts->wood += b->triangle_count - before;
        before = b->triangle_count;
        rio_builder_tint(b, needles, own, 0, 0.25f);
        build_needles(b, &r, own);
        parts->foliage += b->triangle_count - before;
    }
}

static void build_tree(rio_builder *b, uint64_t seed, rio_forest_parts *parts)
{
    float height = rio_random_range(seed, 0, 20, 7.0f, 13.0f);
    float bare = height * rio_random_range(seed, 0, 21, 0.10f, 0.22f);
    float widest = height * rio_random_range(seed, 0, 22, 0.19f, 0.25f);
    uint32_t whorls = (uint32_t)(height * 1.48f), before = b->triangle_count;
    rio_builder_color(b, bark[0], bark[1], bark[2]);
    build_trunk(b, height);
    parts->wood += b->triangle_count - before;
    for (uint32_t i = 0; i < whorls; i++) {
        float up = ((float)i + 0.5f) / (float)whorls;
        float z = bare + (height - bare) * up;
        build_whorl(b, z, widest * (1.0f - up) + 0.25f, seed * 64u + i, parts);
    }
    parts->trees++;
}

rico_result rio_forest_create(uint64_t seed, rio_mesh *out, rio_forest_parts *parts)
{
    const float pitch = 2.0f * RIO_FOREST_HALF / (float)TREE_COLUMNS;
    rio_forest_parts counted = {0};
    rio_builder b = rio_builder_begin();
    build_ground(&b, seed);
    counted.ground = b.triangle_count;
    for (uint32_t i = 0; i < TREE_COLUMNS * TREE_COLUMNS; i++) {
        float column = (float)(i % TREE_COLUMNS), row = (float)(i / TREE_COLUMNS);
        if (rio_random(seed + 5, i, 0) < 0.06f)
            continue; /* a clearing */
        float x = (column + rio_random_range(seed + 5, i, 1, 0.2f, 0.8f)) * pitch;
        float y = (row + rio_random_range(seed + 5, i, 2, 0.2f, 0.8f)) * pitch;
        x -= RIO_FOREST_HALF;
        y -= RIO_FOREST_HALF;
        rio_builder_place(&b, x, y, rio_forest_ground(seed, x, y), rio_random(seed + 5, i, 3));
        build_tree(&b, seed * 1024u + i + 100u, &counted);
    }
    if (parts != NULL)
        *parts = counted;
    return rio_builder_take(&b, out);
}
