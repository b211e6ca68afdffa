/* kernel_records.h - particles as records of an output. Included by kernel_body.h. */
#ifndef RICO_KERNEL_RECORDS_H
#define RICO_KERNEL_RECORDS_H

#include "kernel_lanes.h"
#include "prefetch.h"

/* Of half of the lanes: a + f (c[0] + f (c[1] + f c[2])) of the parts where x is. */
ALWAYS_INLINE vd cubic_half(const rico__turning *t, vf x, vf a, vf share, int half)
{
    const vd at = vd_from(x, half), f = vd_from(share, half);
    vd c[3];
    for (int n = 0; n < 3; ++n)
        c[n] = vd_set(t->parts[0].c[n]);
    for (uint32_t k = 1; k < t->part_count; ++k) {
        const rico__curve_part *p = &t->parts[k];
        for (int n = 0; n < 3; ++n)
            c[n] = vd_select_ge(at, vd_set((double)p->from), vd_set(p->c[n]), c[n]);
    }
    return vd_from(a, half) + f * (c[0] + f * (c[1] + f * c[2]));
}

ALWAYS_INLINE vf cubic_at(const rico__turning *t, vf x, vf a, vf share)
{
    return vf_from_halves(cubic_half(t, x, a, share, 0), cubic_half(t, x, a, share, 1));
}

/* To the bit what rico__curve_at gives: a host may ask for one particle. */
ALWAYS_INLINE vf curve_of_parts(const rico__turning *t, bool curved, vf x)
{
    const rico__curve_part *first = t->parts;
    vf from = vf_set(first->from), width = vf_set(first->width);
    vf a = vf_set(first->a), b = vf_set(first->b);
    vf lo = vf_set(first->lo), hi = vf_set(first->hi);
    for (uint32_t k = 1; k < t->part_count; ++k) {
        const rico__curve_part *p = &t->parts[k];
        vm here = vf_ge(x, vf_set(p->from));
        from = vf_select(here, vf_set(p->from), from);
        width = vf_select(here, vf_set(p->width), width);
        a = vf_select(here, vf_set(p->a), a);
        b = vf_select(here, vf_set(p->b), b);
        lo = vf_select(here, vf_set(p->lo), lo);
        hi = vf_select(here, vf_set(p->hi), hi);
    }
    vm after = vf_ge(x, vf_set(t->end));
    vf share = vf_where(vf_gt(x, from), (x - from) / width);
    vf y = a + (b - a) * share;
    if (curved)
        y = vf_max(vf_min(cubic_at(t, x, a, share), hi), lo);
    return vf_select(after, vf_set(t->value), y);
}

ALWAYS_INLINE vf less_whole_turns(vf angle)
{
    const vf whole_turn = vf_set(RICO__WHOLE_TURN), most = vf_set(1.0e9f);
    vf turns = angle * vf_set(1.0f / RICO__WHOLE_TURN);
    vf whole = vi_to_float(vf_to_int(vf_max(vf_min(turns, most), -most)));
    whole = vf_select(vf_lt(turns, whole), whole - vf_set(1.0f), whole);
    angle = angle - whole * whole_turn;
    return vf_max(vf_min(angle, whole_turn), vf_set(0.0f));
}

/* curved: a constant. */
ALWAYS_INLINE void turn_all(const float *age, const float *life, uint32_t count,
                            const rico__turning *t, bool curved, ptrdiff_t ahead, bool near,
                            float *angle)
{
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        if (ahead != 0 && i % 16 < RICO_LANES) {
            fetch_line(age + ahead + i, near);
            fetch_line(life + ahead + i, near);
        }
        vf now = vf_load(age + i);
        vf a = t->begun ? vf_load(angle + i) : vf_set(t->start) + vf_set(t->spin) * now;
        if (t->part_count > 0)
            a = a + curve_of_parts(t, curved, now / vf_load(life + i));
        vf_store(angle + i, less_whole_turns(a));
    }
}

static void turn(const float *age, const float *life, uint32_t count,
                 const rico__turning *turning, ptrdiff_t ahead, bool near, float *angle)
{
    if (turning->curved)
        turn_all(age, life, count, turning, true, ahead, near, angle);
    else
        turn_all(age, life, count, turning, false, ahead, near, angle);
}

#define FARTHEST 3.0e38f
#define RECORD_FLOATS 6u

typedef struct spans {
    vf lo[3], hi[3], size;
} spans;

ALWAYS_INLINE spans no_spans(void)
{
    spans s = {.size = vf_set(-FARTHEST)};
    for (int k = 0; k < 3; ++k) {
        s.lo[k] = vf_set(FARTHEST);
        s.hi[k] = vf_set(-FARTHEST);
    }
    return s;
}

ALWAYS_INLINE void extend_spans(spans *s, const vf v[4], vm counts)
{
    for (int k = 0; k < 3; ++k) {
        s->lo[k] = vf_select(counts, vf_min(v[k], s->lo[k]), s->lo[k]);
        s->hi[k] = vf_select(counts, vf_max(v[k], s->hi[k]), s->hi[k]);
    }
    s->size = vf_select(counts, vf_max(v[3], s->size), s->size);
}

ALWAYS_INLINE float most_of(vf v)
{
    return -vf_least(-v);
}

/* With zeros of one sign, whatever the number of lanes. */
ALWAYS_INLINE rico__extent extent_of_spans(const spans *s)
{
    rico__extent e = {.size = most_of(s->size) + 0.0f};
    e.box.lo.x = vf_least(s->lo[0]) + 0.0f;
    e.box.lo.y = vf_least(s->lo[1]) + 0.0f;
    e.box.lo.z = vf_least(s->lo[2]) + 0.0f;
    e.box.hi.x = most_of(s->hi[0]) + 0.0f;
    e.box.hi.y = most_of(s->hi[1]) + 0.0f;
    e.box.hi.z = most_of(s->hi[2]) + 0.0f;
    return e;
}

ALWAYS_INLINE void fetch_records_ahead(const rico__packed_from *from, uint32_t i)
{
    if (from->ahead == 0 || i % 16 >= RICO_LANES)
        return;
    fetch_line(from->px + from->ahead + i, from->ahead_near);
    fetch_line(from->py + from->ahead + i, from->ahead_near);
    fetch_line(from->pz + from->ahead + i, from->ahead_near);
    if (from->size != NULL)
        fetch_line(from->size + from->ahead + i, from->ahead_near);
    if (from->color != NULL)
        fetch_line((const float *)(const void *)from->color + from->ahead + i,
                   from->ahead_near);
}

ALWAYS_INLINE void load_billboards(const rico__packed_from *from, uint32_t i,
                                   vf v[RECORD_FLOATS])
{
    const int32_t *color = (const int32_t *)(const void *)from->color;
    v[0] = vf_load(from->px + i);
    v[1] = vf_load(from->py + i);
    v[2] = vf_load(from->pz + i);
    v[3] = from->size != NULL ? vf_load(from->size + i) : vf_set(from->constant_size);
    v[4] = from->rotation != NULL ? vf_load(from->rotation + i) : vf_set(0.0f);
    v[5] = (vf)(color != NULL ? vi_load(color + i) : vi_set((int32_t)from->constant_color));
}

/* Fewer than lanes, as ordinary stores. */
ALWAYS_INLINE void few_billboards(const rico__packed_from *from, uint32_t i, uint32_t count,
                                  float *to, spans *s)
{
    vf v[RECORD_FLOATS];
    float records[RECORD_FLOATS * RICO_LANES];
    fetch_records_ahead(from, i);
    load_billboards(from, i, v);
    extend_spans(s, v, vm_from_bits((1u << count) - 1u));
    vf_store_sixes(records, v, false);
    memcpy(to + RECORD_FLOATS * i, records, count * RECORD_FLOATS * sizeof(float));
}

/* How many records there are before one that begins with a cache line, as each eighth does. */
ALWAYS_INLINE uint32_t records_before_line(const void *to)
{
    return (uint32_t)((uintptr_t)to / 8u) * 5u & 7u; /* since 3 * 5 is -1 modulo 8 */
}

ALWAYS_INLINE void pack_billboards(const rico__packed_from *from, uint32_t count, bool streamed,
                                   float *to, rico__extent *extent)
{
    const rico__packed_from f = *from;
    const uint32_t apart = streamed ? records_before_line(to) : 0;
    const uint32_t before = apart < count ? apart : count;
    spans s = no_spans();
    uint32_t i = 0;
    if (streamed) /* of the line at its end others write the rest: it is read, and must not be waited for */
        prefetch_line_to_write(to + RECORD_FLOATS * count);
    while (i < before) {
        const uint32_t some = before - i < RICO_LANES ? before - i : RICO_LANES;
        few_billboards(&f, i, some, to, &s);
        i += some;
    }
    for (; i + RICO_LANES <= count; i += RICO_LANES) {
        vf v[RECORD_FLOATS];
        fetch_records_ahead(&f, i);
        load_billboards(&f, i, v);
        extend_spans(&s, v, vm_not(vm_from_bits(0)));
        vf_store_sixes(to + RECORD_FLOATS * i, v, streamed);
    }
    if (i < count)
        few_billboards(&f, i, count - i, to, &s);
    *extent = extent_of_spans(&s);
}

static void billboards(const rico__packed_from *from, uint32_t count, bool streamed, void *to,
                       rico__extent *extent)
{
    if (streamed && RICO_STREAMS)
        pack_billboards(from, count, true, to, extent);
    else
        pack_billboards(from, count, false, to, extent);
}

#endif
