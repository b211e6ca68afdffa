/* Thin lines over the picture, compared with its depth (Wu 1991: smooth by the two nearest
 * pixels). */
#include "painter_parts.h"

#define NEAREST 0.05f /* metres before the eye; nearer parts are cut off */

/* Lines on surfaces are seen. They may lie this far behind the surface: metres, and metres per
 * metre of distance. */
#define BEHIND 0.03f
#define BEHIND_PER_METRE 0.004f

#define SEEN 0.8f
#define HIDDEN 0.06f /* brightness that is left of a hidden line */

/* An end of a line: pixels, and 1 / distance along the view, which is linear in pixels. */
typedef struct line_end {
    float x, y, inverse;
} line_end;

static line_end project(const rio_painter *p, v3 at)
{
    v3 d = v3_sub(at, p->eye);
    float inverse = 1.0f / v3_dot(d, p->forward);
    float u = v3_dot(d, p->right) * inverse / v3_dot(p->right, p->right);
    float v = v3_dot(d, p->up) * inverse / v3_dot(p->up, p->up);
    return (line_end){(u + 1.0f) * 0.5f * (float)p->width - 0.5f,
                      (1.0f - v) * 0.5f * (float)p->height - 0.5f, inverse};
}

/* Returns false when the whole line is behind the eye, or is not finite. */
static bool clip_near(const rio_painter *p, v3 *a, v3 *b)
{
    float za = v3_dot(v3_sub(*a, p->eye), p->forward);
    float zb = v3_dot(v3_sub(*b, p->eye), p->forward);
    if (!(za < INFINITY && zb < INFINITY) || !(za > NEAREST || zb > NEAREST))
        return false;
    if (za < NEAREST)
        *a = v3_mix(*a, *b, (NEAREST - za) / (zb - za));
    if (zb < NEAREST)
        *b = v3_mix(*b, *a, (NEAREST - zb) / (za - zb));
    return true;
}

/* Cuts 0..1 down to the part in which from + s * step is in lo..hi. */
static void clip_range(float from, float step, float lo, float hi, float *begin, float *end)
{
    if (step == 0.0f) {
        if (!(from >= lo && from <= hi))
            *end = -1.0f;
        return;
    }
    float a = (lo - from) / step, b = (hi - from) / step;
    *begin = greater(*begin, lesser(a, b));
    *end = lesser(*end, greater(a, b));
}

static void blend(const rio_painter *p, int32_t x, int32_t y, float distance, uint32_t rgba,
                  float cover)
{
    if (x < 0 || y < 0 || x >= (int32_t)p->width || y >= (int32_t)p->height)
        return;
    size_t at = (size_t)y * p->width + (size_t)x;
    float depth = p->surfaces[at].depth;
    bool seen = distance <= depth + BEHIND + depth * BEHIND_PER_METRE;
    float alpha = cover * (seen ? SEEN : HIDDEN) * (float)(rgba >> 24) / 255.0f;
    uint8_t *pixel = p->image->pixels + at * 3;
    for (uint32_t c = 0; c < 3; c++) {
        float color = (float)(rgba >> (8 * c) & 255u), old = (float)pixel[c];
        pixel[c] = (uint8_t)(old + (color - old) * alpha + 0.5f);
    }
}

/* Distance of the surface point at a pixel, from 1 / distance along the view. */
static float eye_distance(const rio_painter *p, float x, float y, float inverse)
{
    float u = 2.0f * (x + 0.5f) / (float)p->width - 1.0f;
    float v = 1.0f - 2.0f * (y + 0.5f) / (float)p->height;
    float slant = 1.0f + u * u * v3_dot(p->right, p->right) + v * v * v3_dot(p->up, p->up);
    return sqrtf(slant) / inverse;
}

static void paint_line(const rio_painter *p, const rio_line *line)
{
    v3 from = line->a, to = line->b;
    if (!clip_near(p, &from, &to))
        return;
    line_end a = project(p, from), b = project(p, to);
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.inverse - a.inverse;
    float begin = 0.0f, end = 1.0f;
    clip_range(a.x, dx, -1.0f, (float)p->width, &begin, &end);
    clip_range(a.y, dy, -1.0f, (float)p->height, &begin, &end);
    if (!(begin <= end))
        return;
    bool steep = fabsf(dy) > fabsf(dx);
    float length = greater(fabsf(dx), fabsf(dy));
    /* The pixels cannot be told apart, or are not finite. */
    if (!(fabsf(dx) + fabsf(dy) < 1.0e12f))
        return;
    uint32_t steps = (uint32_t)((end - begin) * length) + 1u;
    float first = begin, rate = length > 0.0f ? 1.0f / length : 0.0f;
    for (uint32_t i = 0; i < steps; i++) {
        float s = lesser(first + ((float)i + 0.5f) * rate, end);
        float x = a.x + dx * s, y = a.y + dy * s;
        float distance = eye_distance(p, x, y, a.inverse + dz * s);
        float across = steep ? x : y, low = floorf(across), part = across - low;
        int32_t along = (int32_t)floorf((steep ? y : x) + 0.5f), side = (int32_t)low;
        blend(p, steep ? side : along, steep ? along : side, distance, line->rgba, 1.0f - part);
        blend(p, steep ? side + 1 : along, steep ? along : side + 1, distance, line->rgba,
              part);
    }
}

void rio_lines_paint(const rio_painter *p)
{
    for (uint32_t i = 0; i < p->def->line_count; i++)
        paint_line(p, &p->def->lines[i]);
}
