/* kernel_exact.h - mode exact: steps that surely meet nothing, by extents. Included by
 * kernel_body.h. */
#ifndef RICO_KERNEL_EXACT_H
#define RICO_KERNEL_EXACT_H

#include "kernel_passes.h"
#include "vec.h"

/* Ways are asked about in at most MOST_PIECES pieces. Half of each is at most HALF_PIECE long
 * per axis. The rest of the room is for what rounding may add. In parts. */
#define MOST_PIECES 6.0f
#define HALF_PIECE 0.3f
#define MOST_ROUNDING (RICO__EXTENT_ROOM - HALF_PIECE)
#define LEAST_ROUNDING (1.0f / 1024.0f)
#define ROUNDING_PER_COORDINATE (1.0f / 2097152.0f)

/* Where contact rays go, in parts. Lanes that are not `valid`, through rounding or NaN, are
 * nowhere. */
typedef struct stretch {
    vf3 from, along;
    vf rounding;
    vm valid;
} stretch;

ALWAYS_INLINE vf vf3_sum_abs(vf3 a)
{
    return vf_abs(a.x) + vf_abs(a.y) + vf_abs(a.z);
}

/* As exact.c asks: the way of the step, and some radii more. */
ALWAYS_INLINE stretch find_stretch(const rico__extents *x, vf3 p, vf3 to, float radius)
{
    stretch w;
    vf rate = vf_set(x->rate), zero = vf_set(0.0f);
    vf3 way = {to.x - p.x, to.y - p.y, to.z - p.z};
    vf length = vf_max(vf_sqrt(vf3_dot(way, way)), vf_set(1.0e-30f));
    vf reach = vf_set(1.0f) + vf_set(RICO__RAY_REACH_RADII * radius) / length;
    vf3 none = {zero, zero, zero};
    w.from = vf3_scale(p, rate);
    w.along = vf3_scale(way, reach * rate);
    w.rounding = (vf3_sum_abs(w.from) + vf3_sum_abs(w.along)) * vf_set(ROUNDING_PER_COORDINATE);
    w.rounding = w.rounding + vf_set(LEAST_ROUNDING);
    w.valid = vf_lt(w.rounding, vf_set(MOST_ROUNDING));
    w.from = vf3_select(w.valid, w.from, none);
    w.along = vf3_select(w.valid, w.along, none);
    return w;
}

/* For parts in divided cells: their entries one division further down. left: what is left of
 * the shift. */
ALWAYS_INLINE vi divided_entries(const rico__extents *x, const vi part[3], vi entries,
                                 uint32_t *left)
{
    const uint32_t division = rico__extent_division(*left);
    const vi in_cell = vi_set((1 << division) - 1);
    vi number = entries & vi_set((int32_t)RICO__EXTENT_NUMBER);
    vm divided = vi_ne(number & vi_set(~1), vi_set(0));
    *left -= division;
    vi index = number;
    for (int k = 2; k >= 0; --k) {
        vi at = part[k] >> (int)(RICO__EXTENT_SHIFT + *left);
        index = (index << (int)RICO__EXTENT_SHIFT) + (at & in_cell);
    }
    return vi_select(divided, vi_gather(x->words, vi_select(divided, index, vi_set(0))), entries);
}

/* The entries of the cells that the parts are in. */
ALWAYS_INLINE vi find_entries(const rico__extents *x, const vi part[3])
{
    vi index = vi_set(0), out = vi_set(0);
    for (int k = 2; k >= 0; --k) {
        vi at = (part[k] >> (int)(RICO__EXTENT_SHIFT + x->shift)) - vi_set(x->lo[k]);
        out = vi_max(vi_max(out, -at), at - vi_set((int32_t)x->size[k] - 1));
        index =
            (vi)((vu)index * (vu)vi_set((int32_t)x->size[k]) + (vu)at); /* may wrap if beyond */
    }
    vm beyond = vi_ne(out, vi_set(0));
    index = vi_select(beyond, vi_set(0), index);
    vi entries = vi_select(beyond, vi_set(x->beyond), vi_gather(x->cells, index));
    for (uint32_t left = x->shift; left > 0;)
        entries = divided_entries(x, part, entries, &left);
    return entries;
}

/* A piece of a way: its middle, half its size, and the part that its middle is in. */
typedef struct piece {
    vf middle[3], half[3];
    vi part[3];
} piece;

/* number: of the piece, counted from 0, plus a half. */
ALWAYS_INLINE piece piece_of(const stretch *w, vf share, vf number)
{
    const vf from[3] = {w->from.x, w->from.y, w->from.z},
             along[3] = {w->along.x, w->along.y, w->along.z};
    piece p;
    for (int k = 0; k < 3; ++k) {
        p.middle[k] = from[k] + along[k] * (number * share);
        p.half[k] = vf_abs(along[k]) * (vf_set(0.5f) * share) + w->rounding;
        p.part[k] = vf_floor_int(p.middle[k]);
    }
    return p;
}

/* Half of what is asked about below the place where a way begins (rico__ground_ray), the same
 * for all lanes; in parts. */
typedef struct ground {
    float up[3];
    bool fits; /* in what is known of a part */
} ground;

static inline ground find_ground(const rico__extents *x, const rico__step *step)
{
    const float hold[3] = {step->hold_x, step->hold_y, step->hold_z};
    const float half = 0.5f * RICO__GROUND_RADII * step->radius * x->rate;
    ground g = {.fits = half < HALF_PIECE};
    for (int k = 0; k < 3; ++k)
        g.up[k] = half * hold[k];
    return g;
}

ALWAYS_INLINE piece piece_below(const stretch *w, const ground *below)
{
    const vf from[3] = {w->from.x, w->from.y, w->from.z};
    piece p;
    for (int k = 0; k < 3; ++k) {
        p.middle[k] = from[k] - vf_set(below->up[k]);
        p.half[k] = vf_set(__builtin_fabsf(below->up[k])) + w->rounding;
        p.part[k] = vf_floor_int(p.middle[k]);
    }
    return p;
}

/* Whether pieces pass above or below all that is near their cells. */
ALWAYS_INLINE vm pass_by(const piece *p, vi entries)
{
    const vi cell = vi_set(-(1 << RICO__EXTENT_SHIFT));
    const vi mask = vi_set((int32_t)RICO__EXTENT_LAYERS);
    const vf steps = vf_set((float)RICO__EXTENT_LAYERS / RICO__EXTENT_CELL_LENGTH);
    vf at = p->middle[2] - vi_to_float(p->part[2] & cell) + vf_set(RICO__EXTENT_ROOM);
    vf begin = vi_to_float((entries >> 16) & mask), end = vi_to_float((entries >> 24) & mask);
    return vm_or(vf_lt((at + p->half[2]) * steps, begin),
                 vf_gt((at - p->half[2]) * steps, end));
}

/* The words of the parts that the pieces are in. Where entries tell enough, those of number 0,
 * near which there is nothing. */
ALWAYS_INLINE vi find_words(const rico__extents *x, const piece *p, vi entries)
{
    const vi in_cell = vi_set((1 << RICO__EXTENT_SHIFT) - 1);
    vi index = entries & vi_set((int32_t)RICO__EXTENT_NUMBER);
    for (int k = 2; k >= 0; --k)
        index = (index << (int)RICO__EXTENT_SHIFT) + (p->part[k] & in_cell);
    return vi_gather(x->words, vi_select(pass_by(p, entries), vi_set(0), index));
}

/* Whether pieces end before the boxes of their words begin, or begin after these end. */
ALWAYS_INLINE vm miss(const piece *p, vi words)
{
    vm apart = vm_from_bits(0);
    for (int k = 0; k < 3; ++k) {
        vi mask = vi_set(RICO__EXTENT_STEPS(k));
        vf steps = vf_set((float)RICO__EXTENT_STEPS(k) / (1.0f + 2.0f * RICO__EXTENT_ROOM));
        vf at = p->middle[k] - vi_to_float(p->part[k]) + vf_set(RICO__EXTENT_ROOM);
        vf begin = vi_to_float((words >> 8 * k) & mask);
        vf end = vi_to_float((words >> (8 * k + RICO__EXTENT_BITS(k))) & mask);
        apart = vm_or(apart, vm_or(vf_lt((at + p->half[k]) * steps, begin),
                                   vf_gt((at - p->half[k]) * steps, end)));
    }
    return apart;
}

/* Rays, and what is known of where they go. */
typedef struct query {
    stretch way;
    vf share;         /* of a piece; all pieces together are 1 */
    vm free, unknown; /* so far */
    vm ground;        /* what is below their beginnings is free */
    vm left;          /* lanes with pieces that were not looked at yet */
    piece piece;
    vf number; /* of the piece: see piece_of */
    vi entries, words;
} query;

ALWAYS_INLINE void begin_query(query *q, vm lanes, const stretch *way)
{
    vf largest =
        vf_max(vf_max(vf_abs(way->along.x), vf_abs(way->along.y)), vf_abs(way->along.z));
    vf count = vi_to_float(vf_to_int(largest * vf_set(0.5f / HALF_PIECE))) + vf_set(1.0f);
    q->way = *way;
    q->share = vf_set(1.0f) / count;
    q->number = vf_set(0.5f);
    q->ground = vm_and(lanes, way->valid);
    q->free = q->left = vm_and(q->ground, vf_le(count, vf_set(MOST_PIECES)));
    q->unknown = vm_from_bits(0);
}

/* Queries that are answered at once, one for each vector of lanes. */
#define QUERIES (64u / RICO_LANES)

ALWAYS_INLINE void find_entries_of(query *q, const rico__extents *x, const piece *p)
{
    q->piece = *p;
    q->entries = find_entries(x, p->part);
}

/* Which of the pieces surely meet nothing. Notes as unknown those of `lanes` of which nothing
 * is known. */
ALWAYS_INLINE vm answer_piece(query *q, vm lanes)
{
    vm known = vi_ne(q->entries, vi_set(RICO__EXTENT_UNKNOWN));
    q->unknown = vm_or(q->unknown, vm_and(lanes, vm_not(known)));
    return miss(&q->piece, q->words);
}

/* Finds the rays that surely have nothing below the place where they begin. */
ALWAYS_INLINE void answer_ground(query queries[QUERIES], uint32_t count, const rico__extents *x,
                                 const ground *below)
{
    for (uint32_t k = 0; k < count; ++k) {
        const piece p = piece_below(&queries[k].way, below);
        find_entries_of(&queries[k], x, &p);
    }
    for (uint32_t k = 0; k < count; ++k)
        queries[k].words = find_words(x, &queries[k].piece, queries[k].entries);
    for (uint32_t k = 0; k < count; ++k) {
        query *q = &queries[k];
        q->ground =
            below->fits ? vm_and(q->ground, answer_piece(q, q->ground)) : vm_from_bits(0);
    }
}

/* Finds which rays surely meet nothing, and of which nothing is known. What one query gathers
 * comes from memory while others ask. */
ALWAYS_INLINE void answer(query queries[QUERIES], uint32_t count, const rico__extents *x)
{
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t k = 0; k < count; ++k) {
            query *q = &queries[k];
            if (vm_bits(q->left) == 0)
                continue;
            const piece p = piece_of(&q->way, q->share, q->number);
            find_entries_of(q, x, &p);
        }
        for (uint32_t k = 0; k < count; ++k)
            if (vm_bits(queries[k].left) != 0)
                queries[k].words = find_words(x, &queries[k].piece, queries[k].entries);
        for (uint32_t k = 0; k < count; ++k) {
            query *q = &queries[k];
            if (vm_bits(q->left) == 0)
                continue;
            vm apart = answer_piece(q, q->left);
            q->free = vm_and(q->free, vm_or(apart, vm_not(q->left)));
            q->number = q->number + vf_set(1.0f);
            q->left = vm_and(q->free, vf_lt(q->number * q->share, vf_set(1.0f)));
            goes_on |= vm_bits(q->left) != 0;
        }
    }
}

/* The number of vectors of the lanes from `begin` to the next word. */
ALWAYS_INLINE uint32_t vectors_of(uint32_t count, uint32_t begin)
{
    uint32_t left = count > begin ? count - begin : 0;
    return left < 64 ? (left + RICO_LANES - 1) / RICO_LANES : QUERIES;
}

/* --- The pass ------------------------------------------------------------------------------- */

/* The ways of the particles of a word of lanes. Particles at rest ask nothing. So that no vector
 * is theirs, those that move stand side by side. Room: for a whole pack behind the last one. */
typedef union coordinates {
    float f[64 + 16];
    uint32_t bits[64 + 16];
} coordinates;

typedef struct asked_ways {
    coordinates p[3], to[3], lane; /* lane: only its bits, and only after pack_ways */
} asked_ways;

ALWAYS_INLINE void start_way(const pass_context *c, uint32_t i, mask_word *m, asked_ways *ways)
{
    const rico__streams *s = &c->s;
    vm moves = vm_not(vm_or(grow_older(c, i, m), lanes_of(m->asleep, i % 64)));
    vf3 v0 = vf3_load(s->vx, s->vy, s->vz, i);
    vf3 v = vf3_select(moves, accelerate(v0, &c->step), v0);
    vf3_store(s->vx, s->vy, s->vz, i, v);
    vf3 p = vf3_load(s->px, s->py, s->pz, i), to = vf3_mad(p, v, vf_set(c->step.dt));
    vf3_store(ways->p[0].f, ways->p[1].f, ways->p[2].f, i % 64, p);
    vf3_store(ways->to[0].f, ways->to[1].f, ways->to[2].f, i % 64, to);
}

ALWAYS_INLINE uint32_t vectors_for(uint32_t lanes)
{
    return (lanes + RICO_LANES - 1) / RICO_LANES;
}

/* Moves the ways of the lanes in `moving` to the front, and notes whose they are. */
static void pack_ways(asked_ways *ways, uint64_t moving)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < 64; at += 16) {
        const uint32_t kept = (uint32_t)(moving >> at) & 0xffffu;
        uint32_t lane[16];
        for (uint32_t l = 0; l < 16; ++l)
            lane[l] = l;
        for (int k = 0; k < 3; ++k) {
            lanes16_pack(ways->p[k].bits + count, ways->p[k].bits + at, 0, kept);
            lanes16_pack(ways->to[k].bits + count, ways->to[k].bits + at, 0, kept);
        }
        lanes16_pack(ways->lane.bits + count, lane, at, kept);
        count += bits_count64(kept);
    }
}

ALWAYS_INLINE void ask(const pass_context *c, const rico__extents *x, const asked_ways *ways,
                       uint32_t at, uint64_t asking, query *q)
{
    vf3 p = vf3_load(ways->p[0].f, ways->p[1].f, ways->p[2].f, at);
    vf3 to = vf3_load(ways->to[0].f, ways->to[1].f, ways->to[2].f, at);
    stretch way = find_stretch(x, p, to, c->step.radius);
    begin_query(q, lanes_of(asking, at), &way);
}

/* What was found for a word of ways: bits of those that may meet something. */
typedef struct met_ways {
    uint64_t hit, ground, unknown;
} met_ways;

ALWAYS_INLINE met_ways met_by(const query *queries, uint32_t vectors, uint64_t asking)
{
    met_ways met = {asking, asking, 0};
    for (uint32_t k = 0; k < vectors; ++k) {
        const query *q = &queries[k];
        met.hit &= ~bits_of(q->free, k * RICO_LANES);
        met.ground &= ~bits_of(q->ground, k * RICO_LANES);
        met.unknown |= bits_of(q->unknown, k * RICO_LANES);
    }
    met.unknown &= met.hit | met.ground;
    return met;
}

/* Takes bits back to the lanes that ways were packed from. Few ways meet something. */
ALWAYS_INLINE void unpack_met(met_ways *met, const asked_ways *ways)
{
    met_ways to = {0, 0, 0};
    for (uint64_t bits = met->hit | met->ground; bits != 0; bits &= bits - 1) {
        const uint32_t k = bits_lowest64(bits), lane = ways->lane.bits[k];
        to.hit |= (met->hit >> k & 1) << lane;
        to.ground |= (met->ground >> k & 1) << lane;
        to.unknown |= (met->unknown >> k & 1) << lane;
    }
    *met = to;
}

/* Answers for the word of lanes from `begin` on. moving: lanes whose particles ask. */
ALWAYS_INLINE void answer_word(const pass_context *c, const rico__extents *x,
                               const ground *below, asked_ways *ways, uint64_t moving,
                               mask_word *m)
{
    query queries[QUERIES];
    const uint32_t count = bits_count64(moving);
    const bool packed = vectors_for(count) < vectors_for(bits_highest64(moving) + 1);
    uint64_t asking = moving;
    if (packed) {
        pack_ways(ways, moving);
        asking = rico__first_bits(count, 0);
    }
    const uint32_t vectors = vectors_for(bits_highest64(asking) + 1);
    for (uint32_t k = 0; k < vectors; ++k)
        ask(c, x, ways, k * RICO_LANES, asking, &queries[k]);
    answer_ground(queries, vectors, x, below);
    answer(queries, vectors, x);
    met_ways met = met_by(queries, vectors, asking);
    if (packed)
        unpack_met(&met, ways);
    m->hit = met.hit;
    m->ground = met.ground;
    m->look = met.unknown;
}

ALWAYS_INLINE void move_free(const pass_context *c, uint32_t i, uint64_t free)
{
    const rico__streams *s = &c->s;
    vf3 p = vf3_load(s->px, s->py, s->pz, i), v = vf3_load(s->vx, s->vy, s->vz, i);
    vf3 to = vf3_select(lanes_of(free, i % 64), vf3_mad(p, v, vf_set(c->step.dt)), p);
    vf3_store(s->px, s->py, s->pz, i, to);
}

static void pass_exact(const rico__streams *s, uint32_t count, const rico__step *step,
                       const rico__extents *extents, rico__masks *masks)
{
    const pass_context c = {.s = *s, .step = *step};
    const rico__extents x = *extents;
    const ground below = find_ground(extents, step);
    asked_ways ways = {.lane = {{0.0f}}}; /* lanes that ask nothing are computed, too */
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        if (w * 64 >= count) {
            clear_word(masks, w);
            masks->ground[w] = 0;
            continue;
        }
        mask_word m = {.asleep = masks->asleep[w]};
        uint32_t begin = w * 64, n = vectors_of(count, begin);
        fetch_ahead(&c.s, begin, begin + 32);
        for (uint32_t k = 0; k < n; ++k)
            start_way(&c, begin + k * RICO_LANES, &m, &ways);
        fetch_ahead(&c.s, begin + 32, begin + 64);
        const uint64_t valid = rico__first_bits(count, w), alive = valid & ~m.dead;
        const uint64_t moving = alive & ~m.asleep;
        if (moving != 0)
            answer_word(&c, &x, &below, &ways, moving, &m);
        for (uint32_t k = 0; k < n; ++k)
            move_free(&c, begin + k * RICO_LANES, moving & ~(m.hit | m.ground));
        masks->dead[w] = m.dead & valid;
        masks->asleep[w] = m.asleep & valid;
        masks->hit[w] = m.hit & alive;
        masks->look[w] = m.look & alive;
        masks->ground[w] = m.ground & alive;
    }
    fetch_ahead(&c.s, (count + 63) / 64 * 64, RICO__MAX_BLOCK);
}

static void clear_ways(const rico__ways *ways, uint32_t count, float radius,
                       const rico__extents *extents, rico__mask clear)
{
    const rico__extents x = *extents;
    query queries[QUERIES];
    for (uint32_t word = 0; word * 64 < count; ++word) {
        uint32_t begin = word * 64, n = vectors_of(count, begin);
        uint64_t valid = rico__first_bits(count, word), found = 0;
        for (uint32_t k = 0; k < n; ++k) {
            uint32_t i = begin + k * RICO_LANES;
            vf3 p = vf3_load(ways->p[0], ways->p[1], ways->p[2], i);
            vf3 way = vf3_load(ways->way[0], ways->way[1], ways->way[2], i);
            vf3 to = {p.x + way.x, p.y + way.y, p.z + way.z};
            stretch made = find_stretch(&x, p, to, radius);
            begin_query(&queries[k], lanes_of(valid, i % 64), &made);
        }
        answer(queries, n, &x);
        for (uint32_t k = 0; k < n; ++k)
            found |= bits_of(queries[k].free, k * RICO_LANES);
        clear[word] = found & valid;
    }
}

#endif
