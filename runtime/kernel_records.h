/* kernel_records.h - particles as records of an output. Included by kernel_body.h. */
#ifndef RICO_KERNEL_RECORDS_H
#define RICO_KERNEL_RECORDS_H

#include "kernel_curves.h"
#include "prefetch.h"

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
    if (!begins_line_ahead(from, i))
        return;
    fetch_next(from, from->px, i);
    fetch_next(from, from->py, i);
    fetch_next(from, from->pz, i);
    if (from->size != NULL)
        fetch_next(from, from->size, i);
    if (from->color != NULL)
        fetch_next(from, (const float *)(const void *)from->color, i);
}

/* A 255th of a product that is at most 255 * 255, to the nearest. */
ALWAYS_INLINE vi part_of_255(vi product)
{
    vi up = product + vi_set(127);
    return (up + (up >> 8) + vi_set(1)) >> 8;
}

static void tint(const uint32_t *colors, uint32_t count, uint32_t tint, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        const vi color = vi_load((const int32_t *)(const void *)(colors + i));
        vi product = vi_set(0);
        for (int shift = 0; shift < 32; shift += 8) {
            vi channel = (color >> shift) & vi_set(255);
            vi by = vi_set((int32_t)(tint >> shift & 255u));
            product = product | part_of_255(channel * by) << shift;
        }
        vi_store((int32_t *)(void *)(to + i), product);
    }
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

/* Writes fewer billboards than there are lanes, by ordinary stores. */
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

/* The number of records before the first one that begins with a cache line, as each eighth
 * does. */
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
    /* Others write the rest of the line at the end: it is read, and must not be waited for. */
    if (streamed)
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
