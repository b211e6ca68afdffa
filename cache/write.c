/* Copies the infos and payloads of records that have their places, in batches. */
#include "bits.h"
#include "cache_table.h"
#include "prefetch.h"

#define HALF (RICO_CACHE_LINE / 2)
#define LONGEST 1024u /* payload: cache.h */
#define MOST_LINES (RICO__CACHE_BATCH * LONGEST / RICO_CACHE_LINE)

/* The part of a payload that is whole lines of the table. Line i of the batch is copied from
 * from + 64 i to to + 64 i. */
typedef struct row {
    uintptr_t from, to;
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
static void write_ends(const rico__cache_copy *copy, uint32_t halves, uint8_t nowhere[HALF],
                       whole_lines *lines)
{
    const uint8_t *from = rico__cache_deposit_payload(copy->from);
    uint8_t *to = copy->to;
    uint32_t head = (uint32_t)((uintptr_t)to / HALF) & 1, tail = (halves - head) & 1;
    uint32_t whole = (halves - head) / 2;
    *copy->info = copy->from->info;
    memcpy((uint8_t *)(uintptr_t)rico__cache_either(head, to, nowhere), from, HALF);
    to += head * HALF;
    from += head * HALF;
    size_t end = (size_t)whole * RICO_CACHE_LINE;
    memcpy((uint8_t *)(uintptr_t)rico__cache_either(tail, to + end, nowhere),
           rico__cache_either(tail, from + end, from), HALF);
    uintptr_t before = (uintptr_t)lines->count * RICO_CACHE_LINE;
    lines->rows[lines->row_count] = (row){(uintptr_t)from - before, (uintptr_t)to - before};
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

/* Returns where line i is. *begun: how many rows have begun in the lines before it; line i is
 * added. */
static row line_at(const whole_lines *lines, uint32_t i, uint32_t *begun)
{
    *begun += lines->begins[i];
    const row *of = &lines->rows[*begun - 1];
    uintptr_t at = (uintptr_t)i * RICO_CACHE_LINE;
    return (row){of->from + at, of->to + at};
}

static void stream_lines(const whole_lines *lines)
{
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i) {
        row line = line_at(lines, i, &begun);
        stream_line((uint8_t *)line.to, (const uint8_t *)line.from);
    }
}

/* The CPU waits, line by line, for memory that is written without being fetched first. It does
 * not wait for lines that are written whole and past the caches. */
static void copy_lines(const whole_lines *lines)
{
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i)
        prefetch_line_far((const uint8_t *)line_at(lines, i, &begun).to);
    for (uint32_t i = 0, begun = 0; i < lines->count; ++i) {
        row line = line_at(lines, i, &begun);
        memcpy((uint8_t *)line.to, (const uint8_t *)line.from, RICO_CACHE_LINE);
    }
}

static void write_by_lines(const rico__cache_fold *fold)
{
    whole_lines lines;
    uint8_t nowhere[HALF];
    uint32_t halves = fold->cache->unit_bytes / (uint32_t)HALF;
    memset(lines.begins, 0, fold->count * (sizeof lines.begins / RICO__CACHE_BATCH));
    lines.row_count = lines.count = 0;
    for (uint32_t i = 0; i < fold->count; ++i)
        write_ends(&fold->copies[i], fold->copies[i].units * halves, nowhere, &lines);
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
        rico__cache_copy_payload(copy->to, rico__cache_deposit_payload(copy->from),
                                 copy->units * unit_bytes);
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
