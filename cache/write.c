/* Copies the infos and payloads of records that have their places, in batches. */
#include "bits.h"
#include "cache_table.h"
#include "prefetch.h"

/* Copies between the fetch into the first cache of what a copy writes, and the copy. The CPU
 * waits for a store to a line that is in the second cache only. */
#define LAG 8u
#define HALF (RICO_CACHE_LINE / 2)
#define LONGEST 1024u /* payload: cache.h */
#define MOST_LINES (RICO__CACHE_BATCH * LONGEST / RICO_CACHE_LINE)

/* The part of a payload that is whole lines of the table. It is the batch's lines from `begin`
 * on. */
typedef struct row {
    const uint8_t *from;
    uint8_t *to;
    uint32_t begin;
} row;

/* The whole lines of a batch, as one sequence. The number of lines of the next payload is
 * random, and a loop for each payload would be mispredicted at its end. */
typedef struct whole_lines {
    row rows[RICO__CACHE_BATCH];
    uint8_t begins[MOST_LINES + 1]; /* 1: a row begins with this line */
    uint32_t row_count, count;
} whole_lines;

/* Writes the info, and the halves of lines at the payload's ends. The payload's whole lines
 * come later. A half that the payload does not have goes to `nowhere`. */
static void write_ends(const rico__cache_copy *copy, uint8_t *to, uint32_t halves,
                       whole_lines *lines)
{
    uint8_t nowhere[HALF];
    const uint8_t *from = rico__cache_deposit_payload(copy->from);
    uint32_t head = (uint32_t)((uintptr_t)to / HALF) & (halves > 0), tail = (halves - head) & 1;
    uint32_t whole = (halves - head) / 2;
    *copy->info = copy->from->info;
    memcpy((uint8_t *)(uintptr_t)rico__cache_either(head, to, nowhere), from, HALF);
    to += head * HALF;
    from += head * HALF;
    size_t end = (size_t)whole * RICO_CACHE_LINE;
    memcpy((uint8_t *)(uintptr_t)rico__cache_either(tail, to + end, nowhere),
           rico__cache_either(tail, from + end, from), HALF);
    lines->rows[lines->row_count] = (row){from, to, lines->count};
    lines->begins[lines->count] = whole > 0;
    lines->row_count += whole > 0;
    lines->count += whole;
}

/* Writes past the caches where the target has instructions for that: then the line is not read
 * first. */
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

/* Line i. *begun: how many rows have begun in the lines before it; line i is added. */
static row line_at(const whole_lines *lines, uint32_t i, uint32_t *begun)
{
    *begun += lines->begins[i];
    const row *of = &lines->rows[*begun - 1];
    size_t at = (size_t)(i - of->begin) * RICO_CACHE_LINE;
    return (row){of->from + at, of->to + at, i};
}

static void stream_lines(const whole_lines *lines)
{
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i) {
        row line = line_at(lines, i, &begun);
        stream_line(line.to, line.from);
    }
}

/* The CPU waits, line by line, for memory that is written without being fetched first. It does
 * not wait for lines that are written whole and past the caches. */
static void copy_lines(const whole_lines *lines)
{
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i)
        prefetch_line_far(line_at(lines, i, &begun).to);
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i) {
        row line = line_at(lines, i, &begun);
        memcpy(line.to, line.from, RICO_CACHE_LINE);
    }
}

static void write_by_lines(const rico__cache_fold *fold)
{
    whole_lines lines;
    size_t unit_bytes = fold->cache->unit_bytes;
    uint32_t halves = (uint32_t)unit_bytes / HALF;
    memset(lines.begins, 0, fold->count * (sizeof lines.begins / RICO__CACHE_BATCH));
    lines.row_count = lines.count = 0;
    for (uint32_t i = 0; i < uint_min(LAG, fold->count); ++i)
        rico__cache_fetch_ends(&fold->copies[i], unit_bytes, fold->units[i], prefetch_line);
    for (uint32_t i = 0; i < fold->count; ++i) {
        uint32_t soon = uint_min(i + LAG, fold->count - 1);
        rico__cache_fetch_ends(&fold->copies[soon], unit_bytes, fold->units[soon],
                               prefetch_line);
        write_ends(&fold->copies[i], rico__cache_copy_to(&fold->copies[i], unit_bytes),
                   fold->units[i] * halves, &lines);
    }
    if (fold->cache->streams)
        stream_lines(&lines);
    else
        copy_lines(&lines);
}

static void write_by_units(const rico__cache_fold *fold)
{
    size_t unit_bytes = fold->cache->unit_bytes;
    for (uint32_t i = 0; i < fold->count; ++i) {
        const rico__cache_copy *copy = &fold->copies[i];
        *copy->info = copy->from->info;
        rico__cache_copy_payload(rico__cache_copy_to(copy, unit_bytes),
                                 rico__cache_deposit_payload(copy->from),
                                 fold->units[i] * unit_bytes);
    }
}

void rico__cache_write(rico__cache_fold *fold)
{
    rico__cache_move_now(fold);
    if (fold->cache->unit_bytes % HALF == 0)
        write_by_lines(fold);
    else
        write_by_units(fold);
    fold->count = 0;
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
