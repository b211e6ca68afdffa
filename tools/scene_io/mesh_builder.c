/* mesh_builder.c - growing arrays, and one function per kind of body. */
#include "mesh_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rio_turn(float turns, float *cosine, float *sine)
{
    /* Reduced to an eighth of a turn; the series' next term is below 1e-10. */
    double t = (double)turns - floor((double)turns + 0.5);
    double quarter = floor(t * 4.0 + 0.5);
    double a = (t - quarter * 0.25) * 6.283185307179586476925;
    double a2 = a * a;
    double s =
        a *
        (1.0 + a2 * (-1.0 / 6 + a2 * (1.0 / 120 + a2 * (-1.0 / 5040 + a2 * (1.0 / 362880)))));
    double c =
        1.0 + a2 * (-0.5 + a2 * (1.0 / 24 + a2 * (-1.0 / 720 +
                                                  a2 * (1.0 / 40320 - a2 * (1.0 / 3628800)))));
    int q = (int)quarter & 3;
    *cosine = (float)(q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s);
    *sine = (float)(q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c);
}

static float lattice(uint64_t seed, int32_t x, int32_t y, int32_t z)
{
    return rio_random(seed ^ ((uint64_t)(uint32_t)z * 0xd6e8feb86659fd93ULL), (uint32_t)x,
                      (uint32_t)y) *
               2.0f -
           1.0f;
}

static float fade(float t)
{
    return t * t * (3.0f - 2.0f * t);
}

float rio_noise(uint64_t seed, float x, float y, float z)
{
    float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    int32_t ix = (int32_t)fx, iy = (int32_t)fy, iz = (int32_t)fz;
    float tx = fade(x - fx), ty = fade(y - fy), tz = fade(z - fz);
    float sum = 0.0f;
    for (int corner = 0; corner < 8; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        float weight = (dx != 0 ? tx : 1.0f - tx) * (dy != 0 ? ty : 1.0f - ty) *
                       (dz != 0 ? tz : 1.0f - tz);
        sum += weight * lattice(seed, ix + dx, iy + dy, iz + dz);
    }
    return sum;
}

rio_builder rio_builder_begin(void)
{
    rio_builder b;
    memset(&b, 0, sizeof b);
    b.turn_cos = 1.0f;
    b.color[0] = b.color[1] = b.color[2] = 0.6f;
    return b;
}

rico_result rio_builder_take(rio_builder *b, rio_mesh *out)
{
    memset(out, 0, sizeof *out);
    if (b->failed) {
        free(b->positions);
        free(b->indices);
        free(b->colors);
        return RICO_OUT_OF_MEMORY;
    }
    out->positions = b->positions;
    out->vertex_count = b->vertex_count;
    out->indices = b->indices;
    out->triangle_count = b->triangle_count;
    out->colors = b->colors;
    return RICO_OK;
}

void rio_builder_color(rio_builder *b, float red, float green, float blue)
{
    b->color[0] = red;
    b->color[1] = green;
    b->color[2] = blue;
}

void rio_builder_tint(rio_builder *b, const float color[3], uint64_t seed, uint32_t index,
                      float amount)
{
    float k = 1.0f + amount * (2.0f * rio_random(seed, index, 901) - 1.0f);
    float warm = amount * 0.3f * (2.0f * rio_random(seed, index, 902) - 1.0f);
    rio_builder_color(b, color[0] * (k + warm), color[1] * k, color[2] * (k - warm));
}

void rio_builder_place(rio_builder *b, float x, float y, float z, float turns)
{
    b->origin.x = x;
    b->origin.y = y;
    b->origin.z = z;
    rio_turn(turns, &b->turn_cos, &b->turn_sin);
}

static bool grow(void **memory, uint32_t *capacity, uint32_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return true;
    uint32_t larger = wanted < 4096 ? 8192 : wanted * 2;
    void *bigger = realloc(*memory, larger * item_bytes);
    if (bigger == NULL)
        return false;
    *memory = bigger;
    *capacity = larger;
    return true;
}

uint32_t rio_builder_vertex(rio_builder *b, float x, float y, float z)
{
    void *positions = b->positions;
    b->failed = b->failed ||
                !grow(&positions, &b->vertex_capacity, b->vertex_count + 1, 3 * sizeof(float));
    b->positions = positions;
    if (b->failed)
        return 0;
    float *p = b->positions + (size_t)b->vertex_count * 3;
    p[0] = b->origin.x + (x * b->turn_cos - y * b->turn_sin);
    p[1] = b->origin.y + (x * b->turn_sin + y * b->turn_cos);
    p[2] = b->origin.z + z;
    return b->vertex_count++;
}

void rio_builder_triangle(rio_builder *b, uint32_t i, uint32_t j, uint32_t k)
{
    void *indices = b->indices, *colors = b->colors;
    uint32_t index_capacity = b->triangle_capacity;
    b->failed = b->failed ||
                !grow(&indices, &index_capacity, b->triangle_count + 1, 3 * sizeof(uint32_t));
    b->indices = indices;
    b->failed = b->failed ||
                !grow(&colors, &b->triangle_capacity, b->triangle_count + 1, 3 * sizeof(float));
    b->colors = colors;
    if (b->failed)
        return;
    size_t at = (size_t)b->triangle_count * 3;
    b->indices[at] = i;
    b->indices[at + 1] = j;
    b->indices[at + 2] = k;
    memcpy(b->colors + at, b->color, sizeof b->color);
    b->triangle_count++;
}

void rio_builder_quad(rio_builder *b, uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    rio_builder_triangle(b, i, j, k);
    rio_builder_triangle(b, i, k, l);
}

void rio_builder_box(rio_builder *b, float x0, float y0, float z0, float x1, float y1, float z1)
{
    uint32_t v[8];
    for (uint32_t i = 0; i < 8; i++)
        v[i] = rio_builder_vertex(b, (i & 1u) != 0 ? x1 : x0, (i & 2u) != 0 ? y1 : y0,
                                  (i & 4u) != 0 ? z1 : z0);
    rio_builder_quad(b, v[0], v[2], v[3], v[1]);
    rio_builder_quad(b, v[4], v[5], v[7], v[6]);
    rio_builder_quad(b, v[0], v[1], v[5], v[4]);
    rio_builder_quad(b, v[2], v[6], v[7], v[3]);
    rio_builder_quad(b, v[0], v[4], v[6], v[2]);
    rio_builder_quad(b, v[1], v[3], v[7], v[5]);
}

/* A ring of vertices starts at first[i]; one on the axis has a single vertex. */
static uint32_t ring_vertex(const uint32_t *first, const rio_point2 *profile, uint32_t ring,
                            uint32_t segment)
{
    return first[ring] + (profile[ring].x > 0.0f ? segment : 0u);
}

void rio_builder_lathe(rio_builder *b, const rio_point2 *profile, uint32_t count,
                       uint32_t segments)
{
    uint32_t first[64];
    if (count > 64)
        count = 64;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ring_count = profile[i].x > 0.0f ? segments : 1;
        for (uint32_t s = 0; s < ring_count; s++) {
            float c, d;
            rio_turn((float)s / (float)segments, &c, &d);
            uint32_t v =
                rio_builder_vertex(b, profile[i].x * c, profile[i].x * d, profile[i].z);
            if (s == 0)
                first[i] = v;
        }
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t s = 0; s < segments; s++) {
            uint32_t next = (s + 1) % segments;
            uint32_t a = ring_vertex(first, profile, i, s);
            uint32_t c = ring_vertex(first, profile, i, next);
            uint32_t d = ring_vertex(first, profile, i + 1, next);
            uint32_t e = ring_vertex(first, profile, i + 1, s);
            if (a != c)
                rio_builder_triangle(b, a, c, d);
            if (d != e)
                rio_builder_triangle(b, a, d, e);
        }
    }
}

void rio_builder_strip(rio_builder *b, const rio_point2 *lower, const rio_point2 *upper,
                       uint32_t count, float y0, float y1)
{
    uint32_t last[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v[4] = {
            rio_builder_vertex(b, lower[i].x, y0, lower[i].z),
            rio_builder_vertex(b, upper[i].x, y0, upper[i].z),
            rio_builder_vertex(b, lower[i].x, y1, lower[i].z),
            rio_builder_vertex(b, upper[i].x, y1, upper[i].z),
        };
        if (i == 0) {
            rio_builder_quad(b, v[0], v[1], v[3], v[2]);
        } else {
            rio_builder_quad(b, last[0], v[0], v[1], last[1]);
            rio_builder_quad(b, last[2], last[3], v[3], v[2]);
            rio_builder_quad(b, last[1], v[1], v[3], last[3]);
            rio_builder_quad(b, last[0], last[2], v[2], v[0]);
        }
        if (i + 1 == count)
            rio_builder_quad(b, v[0], v[2], v[3], v[1]);
        memcpy(last, v, sizeof last);
    }
}

typedef struct blob {
    rico_vec3 center, radii;
    float rough;
    uint64_t seed;
} blob;

static uint32_t blob_vertex(rio_builder *b, const blob *body, rico_vec3 d)
{
    float length = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    float x = d.x / length, y = d.y / length, z = d.z / length;
    float k =
        1.0f + body->rough * (rio_noise(body->seed, x * 1.7f, y * 1.7f, z * 1.7f) +
                              0.5f * rio_noise(body->seed + 1, x * 4.0f, y * 4.0f, z * 4.0f));
    return rio_builder_vertex(b, body->center.x + x * body->radii.x * k,
                              body->center.y + y * body->radii.y * k,
                              body->center.z + z * body->radii.z * k);
}

static rico_vec3 halfway(rico_vec3 a, rico_vec3 b)
{
    rico_vec3 m = {a.x + b.x, a.y + b.y, a.z + b.z};
    float k = 1.0f / sqrtf(m.x * m.x + m.y * m.y + m.z * m.z);
    m.x *= k;
    m.y *= k;
    m.z *= k;
    return m;
}

/* Neighbours compute the same bits for a shared corner, because halfway is symmetric. So the
 * body is closed although its corners are not shared. */
static void blob_face(rio_builder *b, const blob *body, rico_vec3 p, rico_vec3 q, rico_vec3 r,
                      uint32_t level)
{
    if (level == 0) {
        uint32_t i = blob_vertex(b, body, p), j = blob_vertex(b, body, q);
        rio_builder_triangle(b, i, j, blob_vertex(b, body, r));
        return;
    }
    rico_vec3 pq = halfway(p, q), qr = halfway(q, r), rp = halfway(r, p);
    blob_face(b, body, p, pq, rp, level - 1);
    blob_face(b, body, pq, q, qr, level - 1);
    blob_face(b, body, rp, qr, r, level - 1);
    blob_face(b, body, pq, qr, rp, level - 1);
}

void rio_builder_blob(rio_builder *b, rico_vec3 center, rico_vec3 radii, uint32_t level,
                      float rough, uint64_t seed)
{
    static const float g = 1.6180340f;
    const rico_vec3 v[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                             {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                             {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    static const uint8_t f[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    blob body = {center, radii, rough, seed};
    for (uint32_t i = 0; i < 20; i++)
        blob_face(b, &body, v[f[i][0]], v[f[i][1]], v[f[i][2]], level);
}

/* Upper side first, then the lower side of the same grid, then the rim. */
void rio_builder_sheet(rio_builder *b, rio_sheet_fn *point, const void *context,
                       uint32_t columns, uint32_t rows, float thickness)
{
    uint32_t first = b->vertex_count, stride = columns + 1;
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t j = 0; j <= rows; j++)
            for (uint32_t i = 0; i <= columns; i++) {
                rico_vec3 p = point(context, (float)i / (float)columns, (float)j / (float)rows);
                rio_builder_vertex(b, p.x, p.y, side == 0 ? p.z : p.z - thickness);
            }
    uint32_t under = first + stride * (rows + 1);
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t v = j * stride + i, w = v + stride;
            rio_builder_quad(b, first + v, first + v + 1, first + w + 1, first + w);
            rio_builder_quad(b, under + v, under + w, under + w + 1, under + v + 1);
        }
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t v = i, w = rows * stride + i;
        rio_builder_quad(b, under + v, under + v + 1, first + v + 1, first + v);
        rio_builder_quad(b, first + w, first + w + 1, under + w + 1, under + w);
    }
    for (uint32_t j = 0; j < rows; j++) {
        uint32_t v = j * stride, w = v + columns;
        rio_builder_quad(b, first + v, first + v + stride, under + v + stride, under + v);
        rio_builder_quad(b, under + w, under + w + stride, first + w + stride, first + w);
    }
}
