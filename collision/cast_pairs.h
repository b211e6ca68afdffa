/* cast_pairs.h - rays against single triangles: part of cast_body.h. */
#ifndef RICO_CAST_PAIRS_H
#define RICO_CAST_PAIRS_H

#include "cast_walk.h"

/* --- pairs of ray and triangle --- */

ALWAYS_INLINE void fetch_face(const group *g, uint32_t id)
{
    __builtin_prefetch(&g->grid->triangles.faces[id]);
}

/* Fetches the face's corners. It reads the face, which has been fetched before. */
ALWAYS_INLINE void fetch_corners(const group *g, uint32_t id)
{
    const rico__triangles *triangles = &g->grid->triangles;
    for (uint32_t j = 0; j < 3; ++j)
        __builtin_prefetch(rico__face_vertex(triangles, &triangles->faces[id], j));
}

/* The same for pair n; also stores where the corners are. A flat face gets all its corners in
 * one place, where nothing hits it. */
ALWAYS_INLINE void find_corners(group *g, uint32_t n)
{
    const rico__triangles *triangles = &g->grid->triangles;
    const rico__face *face = &triangles->faces[g->pairs.id[n]];
    const uint32_t there = (face->corner[0] >> 31) - 1u;
    for (uint32_t j = 0; j < 3; ++j) {
        uint32_t corner = face->corner[j] & RICO_FACE_CORNER & there;
        __builtin_prefetch(&triangles->vertices[corner]);
        g->pairs.corner[n][j] = corner;
    }
}

/* Corners as the ray sees them: exactly the operations of rico__ray_test, so exactly its
 * bits. */
typedef struct lanes_corners {
    vf x[3], y[3], z[3];
} lanes_corners;

/* Also returns what the second half of the test needs of the rays. n: the first pair. */
ALWAYS_INLINE lanes_corners see_corners(const group *g, uint32_t n, vf *along, vf *t_max)
{
    const rico__vertex *vertices = g->grid->triangles.vertices;
    const float *corner[3][RICO_LANES], *origin[RICO_LANES], *shear[RICO_LANES];
    const int32_t *order[RICO_LANES];
    RICO_UNROLL
    for (uint32_t i = 0; i < RICO_LANES; ++i) {
        const seen_frame *frame = &g->frame[g->pairs.ray[n + i]];
        RICO_UNROLL
        for (uint32_t j = 0; j < 3; ++j)
            corner[j][i] = vertices[g->pairs.corner[n + i][j]].at;
        origin[i] = frame->origin;
        shear[i] = frame->shear;
        order[i] = frame->order;
    }
    vf o[4], s[4], p[4];
    vf_load_quads(origin, o);
    vf_load_quads(shear, s);
    lanes_corners c;
    RICO_UNROLL
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

/* rico__ray_accept in lanes of double, except for (t, id) and for flatness: exactly its
 * operations. Returns bits of the lanes that hit within t_max, with their t. */
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
    vd t64 = at / (sum * vd_from(along, half));
    uint32_t up = vd_ge(u, zero) & vd_ge(v, zero) & vd_ge(w, zero);
    uint32_t down = vd_ge(zero, u) & vd_ge(zero, v) & vd_ge(zero, w);
    uint32_t hit = (up | down) & vd_ge(t64, zero) & vd_ge(vd_from(t_max, half), t64);
    vd_store_floats(t, t64 + zero); /* -0 becomes 0 */
    return hit & ~(vd_ge(sum, zero) & vd_ge(zero, sum));
}

ALWAYS_INLINE void take_hit(group *g, uint32_t i, uint32_t id, float t)
{
    /* Compared after rounding. Otherwise the order of the tests would decide between hits that
     * round to the same t. */
    bool better = (t < g->best_t[i]) | ((t == g->best_t[i]) & (id < g->best_id[i]));
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

/* Fills up whole vectors: the last lanes are computed and not used. */
static void pad_pairs(pair_list *pairs)
{
    for (uint32_t n = pairs->count; n < pairs->count + RICO_LANES; ++n) {
        pairs->ray[n] = 0;
        memset(pairs->corner[n], 0, sizeof pairs->corner[n]);
    }
}

/* Pairs that hit. Owner: a wave's stack. */
typedef struct hit_list {
    uint32_t ray[PAIRS + RICO_FAN], id[PAIRS + RICO_FAN];
    uint32_t t[PAIRS + RICO_FAN]; /* a float's bits */
    uint32_t count;
} hit_list;

static void hit_pairs(const group *g, hit_list *hits)
{
    const pair_list *pairs = &g->pairs;
    hits->count = 0;
    for (uint32_t n = 0; n < pairs->count; n += RICO_LANES) {
        const uint32_t lanes = uint_min(pairs->count - n, RICO_LANES);
        vf along, t_max;
        lanes_corners seen = see_corners(g, n, &along, &t_max);
        union {
            float s[RICO_FAN];
            uint32_t bits[RICO_FAN];
        } t = {{0}};
        uint32_t hit = hits_of_half(&seen, along, t_max, 0, t.s);
        if (RICO_HALF < RICO_LANES && lanes > RICO_HALF)
            hit |= hits_of_half(&seen, along, t_max, 1, t.s + RICO_HALF) << RICO_HALF;
        hit &= (2u << (lanes - 1)) - 1u;
        lanes16_pack(hits->ray + hits->count, pairs->ray + n, 0, hit);
        lanes16_pack(hits->id + hits->count, pairs->id + n, 0, hit);
        lanes16_pack(hits->t + hits->count, t.bits, 0, hit);
        hits->count += (uint32_t)__builtin_popcount(hit);
    }
}

static void pair_wave(group *g)
{
    pair_list *pairs = &g->pairs;
    hit_list hits;
    for (uint32_t n = 0; n < pairs->count; ++n)
        fetch_face(g, pairs->id[n]);
    for (uint32_t n = 0; n < pairs->count; ++n)
        find_corners(g, n);
    pad_pairs(pairs);
    hit_pairs(g, &hits);
    for (uint32_t n = 0; n < hits.count; ++n) {
        float t;
        memcpy(&t, &hits.t[n], sizeof t);
        take_hit(g, hits.ray[n], hits.id[n], t);
    }
    pairs->count = 0;
}

#endif
