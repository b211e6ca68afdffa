/* cast_answer.h - the answers for a group's rays: part of cast_body.h.
 *
 * Answers lie 44 bytes apart, which suits no vector. So hits fill columns first, and whole
 * blocks of rays are turned into rows.
 */
#ifndef RICO_CAST_ANSWER_H
#define RICO_CAST_ANSWER_H

#include "cast_pairs.h"

#include <stddef.h>

_Static_assert(offsetof(rico_hit, triangle) == 8 && offsetof(rico_hit, surface) == 12 &&
                   offsetof(rico_hit, normal) == 16 && offsetof(rico_hit, steps) == 28 &&
                   offsetof(rico_hit, velocity) == 32 && sizeof(rico_hit) == 44,
               "rows are written four words at a time");

/* The answers for each ray of a group. t and steps are in the group itself. */
typedef struct columns {
    uint32_t collider[RAYS], triangle[RAYS];
    uint32_t flags[RAYS]; /* surface, back_face and moving, as they lie in a hit */
    float normal[3][RAYS];
} columns;

/* The normals of the hits of half a vector, as in rico__ray_hit. Returns bits of the lanes that
 * are hit from behind. */
ALWAYS_INLINE uint32_t normals_of_half(vf v[3][4], const vf d[3], int half, uint32_t at,
                                       float normal[3][2 * RICO_HALF])
{
    vd a[3], b[3], n[3];
    for (int k = 0; k < 3; ++k) {
        vd first = vd_from(v[0][k], half);
        a[k] = vd_from(v[1][k], half) - first;
        b[k] = vd_from(v[2][k], half) - first;
    }
    for (int k = 0; k < 3; ++k) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        n[k] = a[p] * b[q] - a[q] * b[p];
    }
    vd length = vd_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    vd along =
        n[0] * vd_from(d[0], half) + n[1] * vd_from(d[1], half) + n[2] * vd_from(d[2], half);
    uint32_t front = vd_ge(vd_set(0.0), along);
    vd scale = vd_choose(front, vd_set(1.0), vd_set(-1.0)) / length;
    for (int k = 0; k < 3; ++k)
        vd_store_floats(normal[k] + at, n[k] * scale);
    return ~front & ((1u << RICO_HALF) - 1u);
}

static uint32_t flags_of(bool back_face)
{
    rico_hit hit = {.back_face = back_face};
    uint32_t flags;
    memcpy(&flags, (const char *)&hit + offsetof(rico_hit, surface), sizeof flags);
    return flags;
}

/* Fills in the first hits of a list, a vector of them at most. */
static void answer_lanes(const group *g, const uint32_t *list, uint32_t count, columns *to)
{
    const rico__triangles *triangles = &g->grid->triangles;
    const float *corner[3][RICO_LANES], *direction[RICO_LANES];
    uint32_t triangle[RICO_LANES], collider[RICO_LANES];
    RICO_UNROLL
    for (uint32_t l = 0; l < RICO_LANES; ++l) {
        const rico__face *face = &triangles->faces[g->best_id[list[l]]];
        RICO_UNROLL
        for (uint32_t j = 0; j < 3; ++j)
            corner[j][l] = rico__face_vertex(triangles, face, j)->at;
        direction[l] = &g->rays[list[l]].direction.x;
        triangle[l] = face->triangle;
    }
    vf v[3][4], d[4];
    for (uint32_t j = 0; j < 3; ++j)
        vf_load_quads(corner[j], v[j]);
    vf_load_quads(direction, d);
    vi_store((int32_t *)collider, (vi)v[0][3]);
    float normal[3][2 * RICO_HALF];
    uint32_t back = 0, flags[2] = {flags_of(false), flags_of(true)};
    for (uint32_t half = 0; half * RICO_HALF < uint_min(count, RICO_LANES); ++half)
        back |= normals_of_half(v, d, (int)half, half * RICO_HALF, normal)
                << (half * RICO_HALF);
    for (uint32_t l = 0; l < count && l < RICO_LANES; ++l) {
        uint32_t i = list[l];
        to->collider[i] = collider[l];
        to->triangle[i] = triangle[l];
        to->flags[i] = flags[back >> l & 1u];
        for (uint32_t k = 0; k < 3; ++k)
            to->normal[k][i] = normal[k][l];
    }
}

/* Answers a block of rays from its columns, in an order in which stores may overlap. The last
 * words of a row are written together with the first words of the next row. */
ALWAYS_INLINE void write_block(const group *g, const columns *from, uint32_t i, rico_hit *to)
{
    const size_t stride = sizeof *to / sizeof(float);
    static const float zeros[4];
    for (uint32_t l = 0; l + 1 < RICO_LANES; ++l)
        memcpy((char *)&to[l] + offsetof(rico_hit, velocity), zeros, sizeof zeros);
    to[RICO_LANES - 1].velocity = vec3(0.0f, 0.0f, 0.0f);
    vf collider = (vf)vi_load((const int32_t *)from->collider + i);
    vf triangle = (vf)vi_load((const int32_t *)from->triangle + i);
    vf flags = (vf)vi_load((const int32_t *)from->flags + i);
    vf steps = (vf)vi_load((const int32_t *)g->steps + i);
    vf_store_quads((float *)(void *)to, stride, vf_load(g->best_t + i), collider, triangle,
                   flags);
    vf_store_quads(&to->normal.x, stride, vf_load(from->normal[0] + i),
                   vf_load(from->normal[1] + i), vf_load(from->normal[2] + i), steps);
}

/* Fills the columns as for rays without a hit, and lists the rays that have one. */
static uint32_t list_hits(const group *g, columns *to, uint32_t *list, uint32_t count)
{
    uint32_t hit_count = 0, lane[RICO_FAN] = {0};
    const vi none = vi_set((int32_t)RICO_NO_TRIANGLE);
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        uint32_t lanes = uint_min(count - i, RICO_LANES);
        uint32_t hit = vm_bits(vi_ne(vi_load((const int32_t *)g->best_id + i), none));
        hit &= (2u << (lanes - 1)) - 1u;
        for (uint32_t l = 0; l < RICO_LANES; ++l)
            lane[l] = i + l;
        lanes16_pack(list + hit_count, lane, 0, hit);
        hit_count += (uint32_t)__builtin_popcount(hit);
        vi_store((int32_t *)to->collider + i, vi_set(0));
        vi_store((int32_t *)to->triangle + i, none);
        vi_store((int32_t *)to->flags + i, vi_set(0));
        for (uint32_t k = 0; k < 3; ++k)
            vf_store(to->normal[k] + i, vf_set(0.0f));
    }
    return hit_count;
}

static void answer_rays(const group *g, rico_hit *hits, uint32_t count)
{
    columns all;
    uint32_t list[RAYS + RICO_FAN], hit_count = list_hits(g, &all, list, count);
    for (uint32_t n = 0; n < hit_count; ++n)
        fetch_corners(g, g->best_id[list[n]]);
    for (uint32_t l = 0; l < RICO_LANES && hit_count > 0; ++l)
        list[hit_count + l] = list[0];
    for (uint32_t n = 0; n < hit_count; n += RICO_LANES)
        answer_lanes(g, list + n, hit_count - n, &all);
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        rico_hit last[RICO_LANES];
        bool whole = count - i >= RICO_LANES;
        write_block(g, &all, i, whole ? hits + i : last);
        if (!whole)
            memcpy(hits + i, last, (count - i) * sizeof *hits);
    }
}

#endif
