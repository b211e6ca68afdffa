#include "smooth.h"
#include "double3.h"
#include "trig.h"
#include "vec.h"

#include <string.h>

#define REACH 256u    /* faces looked at to each side, among those that share a corner */
#define SCALE 32767.0 /* of a packed component */
#define LEAST 0.05    /* least share of the triangle's own slope to the ray that is left */

/* --- packing --- */

/* Rounds to the nearest of -SCALE..SCALE, as 16 bits of two's complement. */
static uint32_t packed_component(double x)
{
    double scaled = x * SCALE;
    return (uint32_t)(int32_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5) & 0xffffu;
}

static double component(uint32_t bits)
{
    return (double)(int32_t)((bits & 0xffffu) ^ 0x8000u) - 32768.0;
}

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

/* Points below z = 0 are folded over the square's edges. */
static void fold(double *x, double *y)
{
    double folded = (1.0 - __builtin_fabs(*y)) * sign_of(*x);
    *y = (1.0 - __builtin_fabs(*x)) * sign_of(*y);
    *x = folded;
}

rico__packed_normal rico__normal_pack(const double unit[3])
{
    double sum = __builtin_fabs(unit[0]) + __builtin_fabs(unit[1]) + __builtin_fabs(unit[2]);
    if (!(sum > 0.0))
        return 0;
    double x = unit[0] / sum, y = unit[1] / sum;
    if (unit[2] < 0.0)
        fold(&x, &y);
    return packed_component(x) | packed_component(y) << 16;
}

void rico__normal_unpack(rico__packed_normal packed, double unit[3])
{
    double x = component(packed) / SCALE, y = component(packed >> 16) / SCALE;
    double z = 1.0 - __builtin_fabs(x) - __builtin_fabs(y);
    if (z < 0.0)
        fold(&x, &y);
    unit[0] = x;
    unit[1] = y;
    unit[2] = z;
    rico__normalize(unit);
}

/* --- making --- */

/* A face as seen from one of its corners: its unit normal, and the normal with its weight
 * there. */
typedef struct corner_view {
    double unit[3], weighted[3];
} corner_view;

/* Which corners of faces share each vertex: a list of 3 * face + corner per vertex, in order. */
typedef struct sharing {
    uint32_t *first; /* per vertex, and one more */
    uint32_t *corners;
    uint32_t vertex_count, corner_count;
} sharing;

static uint32_t vertex_of(const rico__triangles *triangles, uint32_t corner)
{
    return triangles->faces[corner / 3].corner[corner % 3] & RICO_FACE_CORNER;
}

static bool sharing_make(sharing *s, rico__memory *memory, const rico__triangles *triangles,
                         uint32_t face_count, uint32_t vertex_count)
{
    *s = (sharing){.vertex_count = vertex_count + 2, .corner_count = 3 * face_count};
    s->first =
        rico__memory_allocate(memory, s->vertex_count, sizeof *s->first, RICO_CACHE_LINE);
    s->corners =
        rico__memory_allocate(memory, s->corner_count, sizeof *s->corners, RICO_CACHE_LINE);
    if (s->first == NULL || s->corners == NULL)
        return false;
    /* Counts are made two places further on and summed. Filling moves them one place back. */
    for (uint32_t i = 0; i < s->corner_count; ++i)
        s->first[vertex_of(triangles, i) + 2] += 1;
    for (uint32_t v = 2; v < s->vertex_count; ++v)
        s->first[v] += s->first[v - 1];
    for (uint32_t i = 0; i < s->corner_count; ++i)
        s->corners[s->first[vertex_of(triangles, i) + 1]++] = i;
    return true;
}

static void sharing_release(sharing *s, rico__memory *memory)
{
    rico__memory_release(memory, s->first, s->vertex_count, sizeof *s->first, RICO_CACHE_LINE);
    rico__memory_release(memory, s->corners, s->corner_count, sizeof *s->corners,
                         RICO_CACHE_LINE);
}

static corner_view look(const rico__triangles *triangles, uint32_t corner)
{
    rico__triangle t = rico__triangle_at(triangles, corner / 3);
    const float *a = t.v + 3 * (corner % 3);
    const float *b = t.v + 3 * ((corner % 3 + 1) % 3), *c = t.v + 3 * ((corner % 3 + 2) % 3);
    double u[3], v[3];
    corner_view view;
    for (int k = 0; k < 3; ++k) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    view.unit[0] = u[1] * v[2] - u[2] * v[1];
    view.unit[1] = u[2] * v[0] - u[0] * v[2];
    view.unit[2] = u[0] * v[1] - u[1] * v[0];
    double weight = 1.0 / (rico__dot(u, u) * rico__dot(v, v));
    for (int k = 0; k < 3; ++k)
        view.weighted[k] = t.flat ? 0.0 : view.unit[k] * weight;
    if (t.flat || !rico__normalize(view.unit))
        view.unit[0] = view.unit[1] = view.unit[2] = 0.0;
    return view;
}

static rico__packed_normal mean_around(const rico__triangles *triangles, const sharing *s,
                                       uint32_t place, uint32_t begin, uint32_t end,
                                       double cosine)
{
    corner_view own = look(triangles, s->corners[place]);
    double sum[3] = {0.0, 0.0, 0.0};
    begin = place - begin > REACH ? place - REACH : begin;
    end = end - place > REACH ? place + REACH : end;
    for (uint32_t i = begin; i < end; ++i) {
        corner_view other = look(triangles, s->corners[i]);
        if (i != place && !(rico__dot(own.unit, other.unit) > cosine))
            continue;
        for (int k = 0; k < 3; ++k)
            sum[k] += other.weighted[k];
    }
    return rico__normal_pack(rico__normalize(sum) ? sum : own.unit);
}

rico__smooth_face *rico__smooth_make(rico__memory *memory, const rico__triangles *triangles,
                                     uint32_t face_count, uint32_t vertex_count,
                                     float crease_angle)
{
    sharing s;
    double cosine = (double)rico__cos(crease_angle);
    rico__smooth_face *smooth =
        rico__memory_allocate(memory, face_count, sizeof *smooth, RICO_CACHE_LINE);
    bool made = sharing_make(&s, memory, triangles, face_count, vertex_count) && smooth != NULL;
    for (uint32_t v = 0; made && v < vertex_count; ++v)
        for (uint32_t i = s.first[v]; i < s.first[v + 1]; ++i)
            smooth[s.corners[i] / 3].corner[s.corners[i] % 3] =
                mean_around(triangles, &s, i, s.first[v], s.first[v + 1], cosine);
    sharing_release(&s, memory);
    if (made)
        return smooth;
    rico__memory_release(memory, smooth, face_count, sizeof *smooth, RICO_CACHE_LINE);
    return NULL;
}

/* --- asking --- */

static void cross_from(const float *a, const float *b, const double p[3], double out[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = p[k] - (double)a[k];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

/* Weights of the corners at the point's foot on the triangle's plane. None is below zero. */
static void weights_at(const rico__triangle *triangle, const double point[3], double weight[3])
{
    const float *v = triangle->v;
    const double third[3] = {(double)v[6], (double)v[7], (double)v[8]};
    double normal[3], part[3], sum = 0.0;
    cross_from(v, v + 3, third, normal);
    for (int i = 0; i < 3; ++i) {
        cross_from(v + 3 * ((i + 1) % 3), v + 3 * ((i + 2) % 3), point, part);
        weight[i] = rico__dot(part, normal);
        weight[i] = weight[i] > 0.0 ? weight[i] : 0.0;
        sum += weight[i];
    }
    for (int i = 0; i < 3; ++i)
        weight[i] = sum > 0.0 ? weight[i] / sum : 1.0 / 3.0;
}

static bool front_is(const rico__triangle *triangle, const double normal[3])
{
    const float *v = triangle->v;
    const double third[3] = {(double)v[6], (double)v[7], (double)v[8]};
    double front[3];
    cross_from(v, v + 3, third, front);
    return rico__dot(front, normal) >= 0.0;
}

rico_vec3 rico__smooth_normal(const rico__smooth_face *face, const rico__triangle *triangle,
                              const double point[3], rico_vec3 normal, rico_vec3 direction)
{
    const double own[3] = {(double)normal.x, (double)normal.y, (double)normal.z};
    const double along[3] = {(double)direction.x, (double)direction.y, (double)direction.z};
    double weight[3], mean[3] = {0.0, 0.0, 0.0};
    weights_at(triangle, point, weight);
    double side = front_is(triangle, own) ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        double corner[3];
        rico__normal_unpack(face->corner[i], corner);
        for (int k = 0; k < 3; ++k)
            mean[k] += side * weight[i] * corner[k];
    }
    if (!rico__normalize(mean))
        return normal;
    /* If the mean leans too far away from the ray, it is mixed with the triangle's own normal,
     * by as much as is needed. */
    double slope = rico__dot(mean, along), own_slope = rico__dot(own, along),
           least = LEAST * own_slope;
    if (slope > least && rico__dot(along, along) > 0.0) {
        if (!(slope > own_slope))
            return normal;
        double part = (slope - least) / (slope - own_slope);
        for (int k = 0; k < 3; ++k)
            mean[k] += part * (own[k] - mean[k]);
        if (!rico__normalize(mean))
            return normal;
    }
    return vec3((float)mean[0], (float)mean[1], (float)mean[2]);
}
