/* cast_pairs.h - rays against single triangles, and answers: part of cast_body.h. */
#ifndef RICO_CAST_PAIRS_H
#define RICO_CAST_PAIRS_H

#include "cast_walk.h"

/* --- pairs of ray and triangle --- */

ALWAYS_INLINE void fetch_face(const group *g, uint32_t id)
{
    __builtin_prefetch(&g->grid->triangles.faces[id]);
}

/* Reads the face, which has been fetched for that. */
ALWAYS_INLINE void fetch_corners(const group *g, uint32_t id)
{
    const rico__triangles *triangles = &g->grid->triangles;
    for (uint32_t j = 0; j < 3; ++j)
        __builtin_prefetch(rico__face_vertex(triangles, &triangles->faces[id], j));
}

/* Corners as the ray sees them: the very operations of rico__ray_test, so the very bits. */
typedef struct lanes_corners {
    vf x[3], y[3], z[3];
} lanes_corners;

/* Also what the second half of the test needs of the rays. */
ALWAYS_INLINE lanes_corners see_corners(const group *g, const uint32_t *ray, const uint32_t *id,
                                        vf *along, vf *t_max)
{
    const rico__triangles *triangles = &g->grid->triangles;
    const float *corner[3][RICO_LANES], *origin[RICO_LANES], *shear[RICO_LANES];
    const int32_t *order[RICO_LANES];
    for (uint32_t i = 0; i < RICO_LANES; ++i) {
        const rico__face *face = &triangles->faces[id[i]];
        for (uint32_t j = 0; j < 3; ++j)
            corner[j][i] = rico__face_vertex(triangles, face, j)->at;
        origin[i] = g->frame[ray[i]].origin;
        shear[i] = g->frame[ray[i]].shear;
        order[i] = axis_order[g->axis[ray[i]]];
    }
    vf o[4], s[4], p[4];
    vf_load_quads(origin, o);
    vf_load_quads(shear, s);
    lanes_corners c;
    for (uint32_t j = 0; j < 3; ++j) {
        vf_load_quads_ordered(corner[j], order, p);
        c.z[j] = p[2] - o[2];
        c.x[j] = (p[0] - o[0]) - s[0] * c.z[j];
        c.y[j] = (p[1] - o[1]) - s[1] * c.z[j];
    }
    *along = o[3];
    *t_max = s[2];
    return c;
}

/* rico__ray_accept but for (t, id) and for flatness, in lanes of double: the very operations.
 * Bits of the lanes that hit within t_max, with their t. */
ALWAYS_INLINE uint32_t hits_of_half(const lanes_corners *c, vf along, vf t_max, int half,
                                    float t[RICO_HALF])
{
    const vd zero = vd_set(0.0);
    vd x[3], y[3];
    for (int j = 0; j < 3; ++j) {
        x[j] = vd_from(c->x[j], half);
        y[j] = vd_from(c->y[j], half);
    }
    vd u = x[2] * y[1] - y[2] * x[1];
    vd v = x[0] * y[2] - y[0] * x[2];
    vd w = x[1] * y[0] - y[1] * x[0];
    vd sum = u + v + w;
    vd at =
        u * vd_from(c->z[0], half) + v * vd_from(c->z[1], half) + w * vd_from(c->z[2], half);
    vd t64 = at / sum / vd_from(along, half);
    uint32_t up = vd_ge(u, zero) & vd_ge(v, zero) & vd_ge(w, zero);
    uint32_t down = vd_ge(zero, u) & vd_ge(zero, v) & vd_ge(zero, w);
    uint32_t hit = (up | down) & vd_ge(t64, zero) & vd_ge(vd_from(t_max, half), t64);
    vd_store_floats(t, t64 + zero); /* -0 becomes 0 */
    return hit & ~(vd_ge(sum, zero) & vd_ge(zero, sum));
}

ALWAYS_INLINE void take_hit(group *g, uint32_t n, float t)
{
    uint32_t i = g->pairs.ray[n], id = g->pairs.id[n];
    /* Compared after rounding, else the order of the tests would decide between hits that round
     * to the same t. */
    bool better = (t < g->best_t[i]) | ((t == g->best_t[i]) & (id < g->best_id[i]));
    better &= g->grid->triangles.faces[id].corner[0] >> 31 == 0;
    if (g->filter != NULL && better) {
        const rico_ray *ray = &g->rays[i];
        better =
            rico__cast_passes(g->filter, &g->grid->triangles, id, ray->ignore, ray->direction);
    }
    g->best_t[i] = better ? t : g->best_t[i];
    g->best_id[i] = better ? id : g->best_id[i];
    float end = g->best_t[i] * g->s_per_t[i];
    g->limit[i] = float_min(g->limit[i], (g->any & better) ? OVER : end);
}

/* Whole vectors: the last lanes are computed with and not looked at. */
static void pad_pairs(pair_list *pairs)
{
    for (uint32_t n = pairs->count; n < pairs->count + RICO_LANES; ++n) {
        pairs->ray[n] = 0;
        pairs->id[n] = 0;
    }
}

static void pair_wave(group *g)
{
    pair_list *pairs = &g->pairs;
    uint32_t count = pairs->count;
    for (uint32_t n = 0; n < count; ++n)
        fetch_face(g, pairs->id[n]);
    for (uint32_t n = 0; n < count; ++n)
        fetch_corners(g, pairs->id[n]);
    pad_pairs(pairs);
    for (uint32_t n = 0; n < count; n += RICO_LANES) {
        vf along, t_max;
        lanes_corners seen = see_corners(g, pairs->ray + n, pairs->id + n, &along, &t_max);
        float t[2 * RICO_HALF];
        uint32_t hit = hits_of_half(&seen, along, t_max, 0, t);
        if (RICO_HALF < RICO_LANES && n + RICO_HALF < count)
            hit |= hits_of_half(&seen, along, t_max, 1, t + RICO_HALF) << RICO_HALF;
        uint32_t lanes = uint_min(count - n, RICO_LANES);
        for (hit &= (2u << (lanes - 1)) - 1u; hit != 0; hit &= hit - 1)
            take_hit(g, n + bits_lowest64(hit), t[bits_lowest64(hit)]);
    }
    pairs->count = 0;
}

/* Normals of the hits of half a vector; like rico__ray_hit. Bits of those hit from behind. */
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
    double sign[RICO_HALF];
    for (uint32_t i = 0; i < RICO_HALF; ++i)
        sign[i] = front >> i & 1 ? 1.0 : -1.0;
    vd scale;
    memcpy(&scale, sign, sizeof scale);
    scale = scale / length;
    for (int k = 0; k < 3; ++k)
        vd_store_floats(normal[k] + at, n[k] * scale);
    return ~front & ((1u << RICO_HALF) - 1u);
}

/* The answers of the rays in a list of hits, from place n on, but for what all answers have. */
static void answer_lanes(const group *g, const uint32_t *list, uint32_t count, rico_hit *hits)
{
    const rico__triangles *triangles = &g->grid->triangles;
    const float *corner[3][RICO_LANES], *direction[RICO_LANES];
    for (uint32_t l = 0; l < RICO_LANES; ++l) {
        const rico__face *face = &triangles->faces[g->best_id[list[l]]];
        for (uint32_t j = 0; j < 3; ++j)
            corner[j][l] = rico__face_vertex(triangles, face, j)->at;
        direction[l] = &g->rays[list[l]].direction.x;
    }
    vf v[3][4], d[4];
    for (uint32_t j = 0; j < 3; ++j)
        vf_load_quads(corner[j], v[j]);
    vf_load_quads(direction, d);
    float normal[3][2 * RICO_HALF];
    uint32_t back = 0;
    for (uint32_t half = 0; half * RICO_HALF < uint_min(count, RICO_LANES); ++half)
        back |= normals_of_half(v, d, (int)half, half * RICO_HALF, normal)
                << (half * RICO_HALF);
    for (uint32_t l = 0; l < count && l < RICO_LANES; ++l) {
        const rico__face *face = &triangles->faces[g->best_id[list[l]]];
        rico_hit *hit = &hits[list[l]];
        hit->t = g->best_t[list[l]];
        hit->collider = rico__face_vertex(triangles, face, 0)->collider;
        hit->triangle = face->triangle;
        hit->back_face = back >> l & 1u;
        hit->normal = vec3(normal[0][l], normal[1][l], normal[2][l]);
    }
}

static void answer_rays(const group *g, rico_hit *hits, uint32_t count)
{
    uint32_t list[RAYS + RICO_LANES], hit_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        list[hit_count] = i;
        hit_count += g->best_id[i] != RICO_NO_TRIANGLE;
        hits[i] = (rico_hit){
            .t = g->rays[i].t_max, .triangle = RICO_NO_TRIANGLE, .steps = g->steps[i]};
    }
    for (uint32_t n = 0; n < hit_count; ++n)
        fetch_corners(g, g->best_id[list[n]]);
    for (uint32_t l = 0; l < RICO_LANES && hit_count > 0; ++l)
        list[hit_count + l] = list[0];
    for (uint32_t n = 0; n < hit_count; n += RICO_LANES)
        answer_lanes(g, list + n, hit_count - n, hits);
}

#endif
