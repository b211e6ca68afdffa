/* Copying the infos and payloads of records that have their places: in batches, by length. */
#include "bits.h"
#include "cache_table.h"
#include "prefetch.h"

#define LAG 8u /* copies between the fetch of what is written to and the copy */
#define KINDS (2 * (RICO__CACHE_UNITS / RICO__CACHE_GROUP + 1))

_Static_assert(RICO__CACHE_BATCH < 256, "ends are bytes");

/* A batch's payloads: where each goes, and which comes when. */
typedef struct writing {
    uint8_t *to[RICO__CACHE_BATCH];
    uint8_t order[RICO__CACHE_BATCH];
} writing;

static bool is_within_line(const uint8_t *at)
{
    return (uintptr_t)at % RICO_CACHE_LINE != 0;
}

/* Shorter ones first, and of those as long the ones that begin with a line: a branch that goes where it
 * went before is not mispredicted, and lengths and places are random otherwise. */
static void order_by_kind(const rico__cache_fold *fold, writing *w)
{
    uint8_t ends[KINDS] = {0}, kinds[RICO__CACHE_BATCH];
    size_t unit_bytes = fold->cache->unit_bytes;
    for (uint32_t i = 0; i < fold->count; ++i) {
        const rico__cache_copy *copy = &fold->copies[i];
        w->to[i] = copy->group + *copy->place * unit_bytes;
        kinds[i] = (uint8_t)(2u * fold->units[i] + is_within_line(w->to[i]));
        ends[kinds[i]] += 1;
    }
    for (uint32_t k = 0, begin = 0; k < KINDS; ++k) {
        uint32_t count = ends[k];
        ends[k] = (uint8_t)begin;
        begin += count;
    }
    for (uint32_t i = 0; i < fold->count; ++i)
        w->order[ends[kinds[i]]++] = (uint8_t)i;
}

/* Memory that is written without being fetched first is waited for, line by line; but not lines that
 * are written whole, and past the caches. */
static void fetch_payload(const rico__cache_fold *fold, const writing *w, uint32_t i)
{
    const uint8_t *to = w->to[i];
    const uint8_t *end = to + (size_t)fold->units[i] * fold->cache->unit_bytes;
    if (to == end)
        return;
    if (is_within_line(to))
        prefetch_line_far(to);
    if (is_within_line(end))
        prefetch_line_far(end - 1);
    if (fold->cache->streams)
        return;
    for (to += (0u - (uintptr_t)to) % RICO_CACHE_LINE; to + RICO_CACHE_LINE <= end;
         to += RICO_CACHE_LINE)
        prefetch_line_far(to);
}

/* Past the caches, where there is a way: nothing is read for it. */
static void stream_line(uint8_t *to, const uint8_t *from)
{
#if defined(__SSE2__)
    const __m128i *parts = (const __m128i *)(const void *)from;
    __m128i a = _mm_loadu_si128(parts), b = _mm_loadu_si128(parts + 1);
    __m128i c = _mm_loadu_si128(parts + 2), d = _mm_loadu_si128(parts + 3);
    __m128i *line = (__m128i *)(void *)to;
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
#else
    memcpy(to, from, RICO_CACHE_LINE);
#endif
}

static void stream_payload(uint8_t *to, const uint8_t *from, size_t bytes)
{
    size_t head = (0u - (uintptr_t)to) % RICO_CACHE_LINE, at = head < bytes ? head : bytes;
    rico__cache_copy_payload(to, from, at);
    for (; at + RICO_CACHE_LINE <= bytes; at += RICO_CACHE_LINE)
        stream_line(to + at, from + at);
    rico__cache_copy_payload(to + at, from + at, bytes - at);
}

static void copy_one(const rico__cache_fold *fold, const writing *w, uint32_t i)
{
    const rico__cache_copy *copy = &fold->copies[i];
    const uint8_t *from = rico__cache_deposit_payload(copy->from);
    size_t bytes = (size_t)fold->units[i] * fold->cache->unit_bytes;
    *copy->info = copy->from->info;
    if (fold->cache->streams)
        stream_payload(w->to[i], from, bytes);
    else
        rico__cache_copy_payload(w->to[i], from, bytes);
}

void rico__cache_write(rico__cache_fold *fold)
{
    writing w;
    uint32_t count = fold->count;
    rico__cache_move_now(fold);
    order_by_kind(fold, &w);
    for (uint32_t i = 0; i < uint_min(LAG, count); ++i)
        fetch_payload(fold, &w, w.order[i]);
    for (uint32_t i = 0; i < count; ++i) {
        if (i + LAG < count)
            fetch_payload(fold, &w, w.order[i + LAG]);
        copy_one(fold, &w, w.order[i]);
    }
    fold->count = 0;
    if (fold->cache->streams)
        stream_end();
}

void rico__cache_move_now(rico__cache_fold *fold)
{
    for (uint32_t i = 0; i < fold->move_count; ++i)
        memmove(fold->moves[i].to, fold->moves[i].from, fold->moves[i].bytes);
    fold->move_count = 0;
}

void rico__cache_move_later(rico__cache_fold *fold, uint8_t *to, const uint8_t *from,
                            size_t bytes)
{
    if (fold->move_count == RICO__CACHE_MOVES)
        rico__cache_move_now(fold);
    fold->moves[fold->move_count++] = (rico__cache_move){to, from, bytes};
    for (size_t at = 0; at < bytes; at += RICO_CACHE_LINE)
        prefetch_line_far(from + at);
}
