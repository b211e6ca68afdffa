/* The memory of a group's payloads: units, taken in rows. Where a payload lies carries no
 * meaning: what fits by its size is made to fit. */
#include "bits.h"
#include "cache_table.h"
#include "check.h"

#define WORDS (RICO__CACHE_UNITS / 64)
#define MOST_RECORDS (RICO__CACHE_GROUP * RICO__CACHE_WAYS)

/* Bit i: sizes[i] of the group is not 0. */
static uint64_t which_have_units(const rico__cache_units *all)
{
    uint64_t sized = 0;
#if defined(__SSE2__)
    const __m128i *line =
        (const __m128i *)(const void *)all; /* the sizes, and the fields behind them */
    for (uint32_t i = 0; i < RICO_CACHE_LINE; i += 16) {
        __m128i some = _mm_load_si128(line++);
        int none = _mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_setzero_si128()));
        sized |= (uint64_t)(~(uint32_t)none & 0xffffu) << i;
    }
#else
    for (uint32_t i = 0; i < MOST_RECORDS; ++i)
        sized |= (uint64_t)(all->sizes[i] != 0) << i;
#endif
    return sized & (((uint64_t)1 << MOST_RECORDS) - 1);
}

static uint32_t buckets_in(const rico_cache *cache, uint32_t group)
{
    return uint_min(cache->bucket_count - group * RICO__CACHE_GROUP, RICO__CACHE_GROUP);
}

void rico__cache_begin_units(rico_cache *cache, uint32_t group)
{
    rico__cache_units *all = &cache->units[group];
    uint32_t units = buckets_in(cache, group) * (cache->room_bytes / cache->unit_bytes);
    for (uint32_t w = 0; w < WORDS; ++w) {
        uint32_t in_word = uint_min(units - uint_min(units, w * 64), 64);
        all->taken[w] = in_word == 64 ? 0 : ~(uint64_t)0 << in_word;
    }
    all->total = (uint16_t)units;
    all->gaps = all->end = all->mapped = 0;
}

/* Flips the bits of at most 32 units, from `first` on. */
static void turn_units(rico__cache_units *all, uint32_t first, uint32_t units)
{
    uint64_t mask = ((uint64_t)1 << units) - 1;
    uint32_t word = first / 64, shift = first % 64;
    all->taken[word] ^= mask << shift;
    all->taken[word + 1] ^= mask >> 1 >> (63 - shift); /* 0 beyond the last unit */
}

void rico__cache_map_units(rico__cache_units *all)
{
    for (uint32_t at = all->mapped, next; at < all->end; at = next) {
        next = uint_min((at / 64 + 1) * 64, all->end);
        all->taken[at / 64] |= ~(uint64_t)0 >> (64 - (next - at)) << at % 64;
    }
    all->mapped = all->end;
}

static uint32_t used_units(const rico__cache_units *all)
{
    return (uint32_t)all->end - all->gaps;
}

static void set_end(rico__cache_units *all, uint32_t end, uint32_t used)
{
    all->end = all->mapped = (uint16_t)end;
    all->gaps = (uint16_t)(end - used);
}

/* The end of the last unit that is taken. Units that the group does not have are left out. */
static uint32_t find_end(const rico__cache_units *all)
{
    for (uint32_t w = (all->total + 63u) / 64; w > 0; --w) {
        uint32_t in_word = uint_min(all->total - (w - 1) * 64, 64);
        uint64_t taken = all->taken[w - 1] & (~(uint64_t)0 >> (64 - in_word));
        if (taken != 0)
            return (w - 1) * 64 + bits_highest64(taken) + 1;
    }
    return 0;
}

void rico__cache_free_units(rico_cache *cache, uint32_t bucket, uint32_t first, uint32_t units)
{
    rico__cache_units *all = &cache->units[bucket / RICO__CACHE_GROUP];
    rico__cache_map_units(all);
    uint32_t used = used_units(all) - units;
    turn_units(all, first, units);
    set_end(all, first + units == all->end ? find_end(all) : all->end, used);
}

/* Bit u of the result: the rows of free units that begin at u and at u + shift are long enough,
 * so all units between them are free, too. */
static uint64_t both(uint64_t row, uint64_t next, uint32_t shift)
{
    return row & (row >> shift | next << 1 << (63 - shift));
}

/* The first row of free units that is long enough, or RICO__CACHE_UNITS. Rows of 2, 4, ...
 * units are found by laying rows of half as many beside each other; `units` is at most 32. The
 * words are variables of their own. In an array, some compilers read two words at once that
 * were just written one by one, and the CPU waits for them. */
static uint32_t find_row(const uint64_t *taken, uint32_t units)
{
    uint64_t a = ~taken[0], b = ~taken[1], c = ~taken[2], d = ~taken[3];
    for (uint32_t length = 1, step = 0; step < 5; ++step) { /* always 5: lengths are random */
        uint32_t shift = uint_min(length, units - length);
        a = both(a, b, shift);
        b = both(b, c, shift);
        c = both(c, d, shift);
        d = both(d, 0, shift);
        length += shift;
    }
    if ((a | b) != 0)
        return a != 0 ? bits_lowest64(a) : 64 + bits_lowest64(b);
    if ((c | d) != 0)
        return c != 0 ? 128 + bits_lowest64(c) : 192 + bits_lowest64(d);
    return RICO__CACHE_UNITS;
}

/* A group's payloads in the order of their places. Gap i is the free space before payload i;
 * the last gap is behind all payloads. */
typedef struct payload_row {
    uint8_t record[MOST_RECORDS];
    uint8_t size[MOST_RECORDS];
    uint16_t end[MOST_RECORDS + 1]; /* of the payload before gap i */
    uint16_t gap[MOST_RECORDS + 1];
    uint32_t count;
} payload_row;

/* Finds by place which record of the group begins there. Each has a unit of its own. */
static void find_starts(const rico_cache *cache, uint32_t group, uint64_t starts[WORDS],
                        uint8_t record_at[RICO__CACHE_UNITS])
{
    const rico__cache_line *lines = &cache->lines[group * RICO__CACHE_GROUP];
    uint64_t sized = which_have_units(&cache->units[group]);
    for (; sized != 0; sized &= sized - 1) {
        uint32_t record = bits_lowest64(sized);
        uint32_t place = lines[record / RICO__CACHE_WAYS].place[record % RICO__CACHE_WAYS];
        starts[place / 64] |= (uint64_t)1 << place % 64;
        record_at[place] = (uint8_t)record;
    }
}

static void find_payloads(const rico_cache *cache, uint32_t group, payload_row *row)
{
    uint8_t record_at[RICO__CACHE_UNITS];
    uint64_t starts[WORDS] = {0};
    const uint8_t *sizes = cache->units[group].sizes;
    uint32_t end = 0, n = 0;
    find_starts(cache, group, starts, record_at);
    for (uint32_t w = 0; w < WORDS; ++w)
        for (uint64_t bits = starts[w]; bits != 0; bits &= bits - 1) {
            uint32_t place = w * 64 + bits_lowest64(bits);
            row->record[n] = record_at[place];
            row->size[n] = sizes[record_at[place]];
            row->end[n] = (uint16_t)end;
            row->gap[n] = (uint16_t)(place - end);
            end = place + row->size[n++];
        }
    row->count = n;
    row->end[n] = (uint16_t)end;
    row->gap[n] = (uint16_t)(cache->units[group].total - end);
}

/* Chooses neighbouring gaps, from `from` to the one returned, that are large enough together,
 * with the least payload between them. */
static uint32_t choose_gaps(const payload_row *row, uint32_t units, uint32_t *from)
{
    uint32_t gaps = 0, payload = 0, least = UINT32_MAX, first = 0, last = 0;
    for (uint32_t i = 0; i <= row->count; ++i) {
        gaps += row->gap[i];
        payload += i > 0 ? row->size[i - 1] : 0u;
        for (; gaps - row->gap[first] >= units; ++first) {
            gaps -= row->gap[first];
            payload -= row->size[first];
        }
        if (gaps >= units && payload < least) {
            least = payload;
            *from = first;
            last = i;
        }
    }
    return last;
}

/* Lets copies that wait follow the payloads of the group that were moved. Groups are folded one
 * after the other, so the copies of this group are the last ones. */
static void move_copies(rico__cache_fold *fold, uint32_t group)
{
    const rico_cache *cache = fold->cache;
    uint32_t first = group * RICO__CACHE_GROUP;
    const rico_cache_info *infos = rico__cache_info_of(cache, first, 0);
    for (uint32_t i = fold->count; i > 0 && fold->copies[i - 1].info >= infos; --i) {
        rico__cache_copy *copy = &fold->copies[i - 1];
        uint32_t record = (uint32_t)(copy->info - infos);
        if (copy->units > 0)
            copy->to = rico__cache_place(cache, first + record / RICO__CACHE_WAYS,
                                         record % RICO__CACHE_WAYS);
    }
}

void rico__cache_close_gaps(rico__cache_fold *fold, uint32_t group, uint32_t units)
{
    rico_cache *cache = fold->cache;
    payload_row row;
    uint32_t from = 0, first = group * RICO__CACHE_GROUP;
    rico__cache_units *all = &cache->units[group];
    uint8_t *payloads = rico__cache_group_payloads(cache, first);
    find_payloads(cache, group, &row);
    uint32_t to = choose_gaps(&row, units, &from), end = row.end[from];
    for (uint32_t i = from; i < to; ++i) {
        rico__cache_line *line = &cache->lines[first + row.record[i] / RICO__CACHE_WAYS];
        uint8_t *place = &line->place[row.record[i] % RICO__CACHE_WAYS];
        rico__cache_move_later(fold, payloads + (size_t)end * cache->unit_bytes,
                               payloads + (size_t)*place * cache->unit_bytes,
                               (size_t)row.size[i] * cache->unit_bytes);
        turn_units(all, *place, row.size[i]);
        turn_units(all, end, row.size[i]);
        *place = (uint8_t)end;
        end += row.size[i];
    }
    set_end(all, find_end(all), used_units(all));
    move_copies(fold, group);
}

uint32_t rico__cache_take_units(rico_cache *cache, uint32_t bucket, uint32_t units)
{
    rico__cache_units *all = &cache->units[bucket / RICO__CACHE_GROUP];
    rico__cache_map_units(all);
    uint32_t first =
        (uint32_t)all->end + units <= all->total ? all->end : find_row(all->taken, units);
    if (first == RICO__CACHE_UNITS)
        return first;
    uint32_t used = used_units(all) + units;
    turn_units(all, first, units);
    set_end(all, uint_max(all->end, first + units), used);
    return first;
}
