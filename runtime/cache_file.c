/* Saved caches.
 *
 * header | records, each a head and its payload | checksum of all before it
 *
 * Everything is 32-bit words in the byte order of the machine, which the header tells. Loading
 * checks the whole file before it changes the world.
 */
#include "cache_records.h"
#include "float_mode.h"
#include "stages.h"

#include "bits.h"
#include "check.h"
#include "hash.h"
#include "log.h"
#include "vec.h"

#include <string.h>

#define FORMAT_VERSION 5u
#define BYTE_ORDER_MARK 0x01020304u
#define CHECKSUM_BYTES sizeof(uint64_t)

static const char magic[8] = {'R', 'I', 'C', 'O', 'B', 'A', 'K', 'E'};

typedef struct file_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    uint32_t cell_size; /* bits of the float */
    uint32_t margin;    /* of records: bits of the float by which it exceeds the least margin */
    uint64_t bytes;     /* of the whole file, checksum included */
    uint64_t record_count;
    uint64_t scene; /* its fingerprint */
} file_header;

typedef struct record_head {
    rico_cache_key key;
    uint32_t collider, triangle;
    uint32_t bytes; /* of the payload that follows */
    int32_t box;    /* coverage's box, for cells of level 0; else 0 */
} record_head;

_Static_assert(sizeof(file_header) == 48 && sizeof(record_head) == 24, "no padding is written");

/* --- The scene ----------------------------------------------------------------------------- */

static void hash_corner(rico__hash *hash, rico_vec3 p)
{
    const float at[3] = {p.x, p.y, p.z};
    rico__hash_floats(hash, at, 3);
}

/* Over all triangles that stand still, as they are placed, in the order of collider and
 * triangle. False: no memory. */
static bool scene_fingerprint(rico_world *world, uint64_t *fingerprint)
{
    rico_box everything = {{-1.0e9f, -1.0e9f, -1.0e9f}, {1.0e9f, 1.0e9f, 1.0e9f}};
    uint32_t count =
        rico_scene_gather(world->scene, rico__still_filter(world), &everything, NULL, 0);
    rico_triangle *triangles = rico__memory_allocate(&world->memory, (size_t)count + 1,
                                                     sizeof *triangles, RICO_CACHE_LINE);
    if (triangles == NULL)
        return false;
    rico_scene_gather(world->scene, rico__still_filter(world), &everything, triangles, count);
    rico__hash hash;
    rico__hash_init(&hash, FORMAT_VERSION);
    for (uint32_t i = 0; i < count; ++i) {
        hash_corner(&hash, triangles[i].a);
        hash_corner(&hash, triangles[i].b);
        hash_corner(&hash, triangles[i].c);
        rico__hash_u32(&hash, triangles[i].collider);
        rico__hash_u32(&hash, triangles[i].triangle);
    }
    rico__memory_release(&world->memory, triangles, (size_t)count + 1, sizeof *triangles,
                         RICO_CACHE_LINE);
    *fingerprint = rico__hash_value(&hash);
    return true;
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Wide margins follow from the recipes that the world has or had. */
static uint32_t margin_bits(const rico_world *world)
{
    return float_bits(world->coverage.margin - RICO__LEAST_MARGIN);
}

/* --- Saving -------------------------------------------------------------------------------- */

typedef struct saving {
    const rico_world *world;
    rico_cache_writer *writer;
    void *user;
    rico__hash hash;
    uint64_t bytes, count;
    bool counting, failed;
} saving;

static void put(saving *s, const void *data, size_t bytes)
{
    s->bytes += bytes;
    if (s->counting || s->failed)
        return;
    uint32_t words[64];
    for (size_t at = 0; at < bytes; at += sizeof words) {
        size_t part = bytes - at < sizeof words ? bytes - at : sizeof words;
        memcpy(words, (const char *)data + at, part);
        rico__hash_words(&s->hash, words, part / sizeof words[0]);
    }
    s->failed = bytes > 0 && !s->writer(s->user, data, bytes);
}

static void save_record(void *user, rico_cache_key key, const rico_cache_info *info,
                        const void *payload, uint32_t bytes)
{
    (void)bytes; /* they are in whole units */
    uint32_t level;
    record_head head = {
        .key = key, .collider = info->collider, .triangle = info->triangle, .bytes = 0};
    if (!rico__key_is_mark(key, &level))
        head.bytes = rico__record_bytes(payload);
    saving *s = user;
    rico_cache_key cell = rico_cache_key_turned(key, RICO__KEY_OF_LEVEL(level));
    if (level == 0)
        head.box = rico__coverage_box(&s->world->coverage,
                                      rico__record_cell(cell, s->world->def.cell_size).at);
    s->count += 1;
    put(s, &head, sizeof head);
    put(s, payload, head.bytes);
}

rico_result rico_world_save_cache(rico_world *world, rico_cache_writer *writer, void *user)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, writer != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_save_cache";
    saving s = {.world = world, .writer = writer, .user = user, .counting = true};
    file_header header = {.byte_order = BYTE_ORDER_MARK,
                          .version = FORMAT_VERSION,
                          .cell_size = float_bits(world->def.cell_size),
                          .margin = margin_bits(world)};
    memcpy(header.magic, magic, sizeof magic);
    rico_result result = rico__cache_is_there(world, call);
    if (result == RICO_OK && !scene_fingerprint(world, &header.scene))
        result = rico__fail(&world->def.log, RICO_OUT_OF_MEMORY, call, "no memory");
    if (result != RICO_OK)
        return world->last_result = result;
    rico_cache_walk(world->records, save_record, &s);
    header.bytes = sizeof header + s.bytes + CHECKSUM_BYTES;
    header.record_count = s.count;
    s.counting = false;
    const bool was = rico__begin_work(
        world); /* the writer may not edit, so what was counted is what is written */
    rico__hash_init(&s.hash, BYTE_ORDER_MARK);
    put(&s, &header, sizeof header);
    rico_cache_walk(world->records, save_record, &s);
    uint64_t checksum = rico__hash_value(&s.hash);
    put(&s, &checksum, sizeof checksum);
    rico__end_work(world, was);
    if (s.failed)
        return world->last_result = rico__fail(&world->def.log, RICO_NOT_WRITTEN, call,
                                               "the writer function reported a failure");
    return RICO_OK;
}

/* --- Checking ------------------------------------------------------------------------------ */

static uint64_t checksum_of(const char *data, size_t bytes)
{
    rico__hash hash;
    rico__hash_init(&hash, BYTE_ORDER_MARK);
    uint32_t words[64];
    for (size_t at = 0; at < bytes; at += sizeof words) {
        size_t part = bytes - at < sizeof words ? bytes - at : sizeof words;
        memcpy(words, data + at, part);
        rico__hash_words(&hash, words, part / sizeof words[0]);
    }
    return rico__hash_value(&hash);
}

/* NULL, or what is wrong with the file itself. */
static const char *check_frame(const char *data, size_t bytes, file_header *header)
{
    uint64_t checksum;
    if (bytes < sizeof *header + CHECKSUM_BYTES)
        return "it is truncated: shorter than a header";
    memcpy(header, data, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) != 0)
        return "it is not a saved cache";
    if (header->byte_order != BYTE_ORDER_MARK)
        return "it was saved on a machine with another byte order";
    if (header->version != FORMAT_VERSION)
        return "it has another version of the format";
    if (header->bytes != bytes)
        return bytes < header->bytes ? "it is truncated" : "it is longer than its header says";
    if (bytes % sizeof(uint32_t) != 0)
        return "it is damaged: its size is not a multiple of 4 bytes";
    memcpy(&checksum, data + bytes - CHECKSUM_BYTES, sizeof checksum);
    return checksum_of(data, bytes - CHECKSUM_BYTES) == checksum
               ? NULL
               : "it is damaged: the checksum differs";
}

/* Whether kernels can search the record without reading outside it. divides: its cell would be
 * divided. */
static bool record_is_sound(const char *payload, uint32_t bytes, bool divides)
{
    rico__record record = {0};
    if (bytes == 0)
        return true;
    if (bytes < RICO__RECORD_HEADER || bytes > sizeof record)
        return false;
    memcpy(&record, payload, bytes);
    if (record.count > RICO__RECORD_SURFACES || record.mixed > 1 || record.reserved != 0 ||
        rico__record_bytes(&record) != bytes)
        return false;
    if (record.crowded != 0)
        return record.crowded == 1 && record.count == 0 && record.mixed == 0 &&
               record.collider == 0 && !divides;
    return record.count > 0;
}

/* Reads the record at `at`, and moves `at` to the next one. False: it is not sound. */
static bool next_record(const rico_world *world, const char *data, size_t end, size_t *at,
                        record_head *head, const char **payload)
{
    uint32_t level;
    if (end - *at < sizeof *head)
        return false;
    memcpy(head, data + *at, sizeof *head);
    *payload = data + *at + sizeof *head;
    if (head->bytes > end - *at - sizeof *head || head->key == RICO_NO_KEY ||
        (head->key & 7) > RICO_WHOLE_CELL)
        return false;
    *at += sizeof *head + head->bytes;
    bool is_mark = rico__key_is_mark(head->key, &level);
    if (!rico__coverage_box_is_sound(head->box) || (level > 0 && head->box != 0))
        return false;
    if (is_mark)
        return head->bytes == 0;
    rico__cell cell = rico__record_cell(head->key, world->def.cell_size);
    return record_is_sound(*payload, head->bytes,
                           rico__record_divides(&cell, world->coverage.margin));
}

static const char *check_records(const rico_world *world, const char *data, size_t end,
                                 uint64_t count)
{
    record_head head;
    const char *payload;
    size_t at = sizeof(file_header);
    for (uint64_t i = 0; i < count; ++i)
        if (!next_record(world, data, end, &at, &head, &payload))
            return "it is damaged: a record has impossible values";
    return at == end ? NULL : "it is damaged: there are bytes after its records";
}

/* --- Loading ------------------------------------------------------------------------------- */

static void load_record(rico_world *world, const record_head *head, const char *payload)
{
    rico__record record = {0};
    uint32_t level;
    bool is_mark = rico__key_is_mark(head->key, &level);
    if (head->bytes > 0)
        memcpy(&record, payload, head->bytes);
    rico_cache_info info = {.frame = world->frame,
                            .rank = 1,
                            .collider = head->collider,
                            .triangle = head->triangle,
                            .version = rico_scene_version(world->scene)};
    rico_cache_deposit_part(world->records, head->key, &info, &record, head->bytes);
    rico_cache_key cell = rico_cache_key_turned(head->key, RICO__KEY_OF_LEVEL(level));
    rico__query_note(world, cell, is_mark, !is_mark && head->bytes == 0);
    if (level == 0)
        rico__coverage_set_box(&world->coverage,
                               rico__record_cell(cell, world->def.cell_size).at, head->box);
}

static void load_records(rico_world *world, const char *data, size_t end, uint64_t count)
{
    uint32_t most = uint_max(1, world->def.queries_per_frame), waiting = 0;
    size_t at = sizeof(file_header);
    for (uint64_t i = 0; i < count; ++i) {
        record_head head;
        const char *payload = NULL; /* records were checked, so each has one */
        next_record(world, data, end, &at, &head, &payload);
        load_record(world, &head, payload);
        if (++waiting < most)
            continue;
        rico__merge_cache(world, world->records);
        waiting = 0;
    }
    rico__merge_cache(world, world->records);
}

/* How many of the file's records are not in the cache. A record that is looked up counts as
 * used now, as if it had been loaded. */
static uint64_t count_missing(rico_world *world, const char *data, size_t end, uint64_t count)
{
    uint64_t missing = 0;
    size_t at = sizeof(file_header);
    for (uint64_t i = 0; i < count; ++i) {
        record_head head;
        const char *payload = NULL;
        next_record(world, data, end, &at, &head, &payload);
        missing += rico_cache_find(world->records, head.key, 0, NULL) == NULL;
    }
    rico__merge_cache(world, world->records);
    return missing;
}

/* Then buckets of seven hold 1.75 records on average, and of 10000 records about four find
 * theirs full. */
#define SPARSE 4u

uint64_t rico__cache_bytes_for(const rico_world *world, uint64_t records)
{
    rico_cache_stats stats = rico_cache_get_stats(world->records);
    const double place = (double)stats.table_bytes / stats.record_capacity;
    const double wanted = (double)records * SPARSE * place;
    /* Some records find their buckets full all the same. Half as much memory again leaves about
     * a tenth of those. */
    const double more = 1.5 * (double)world->def.cache_bytes;
    return ((uint64_t)((wanted > more ? wanted : more) / (1u << 20)) + 1) << 20;
}

static void report_missing(const rico_world *world, uint64_t missing, uint64_t count)
{
    const uint64_t there = rico_cache_get_stats(world->records).record_count;
    uint64_t mebibytes = rico__cache_bytes_for(world, there + missing) >> 20;
    rico__log(&world->def.log, RICO_LOG_WARNING,
              "rico_world_load_cache: %llu of %llu records did not fit into def.cache_bytes, "
              "which is %llu; %llu (%llu MiB) would be enough",
              (unsigned long long)missing, (unsigned long long)count,
              (unsigned long long)world->def.cache_bytes, (unsigned long long)mebibytes << 20,
              (unsigned long long)mebibytes);
}

/* NULL, or why the file is not for this world. *memory: false if there was none. */
static const char *check_world(rico_world *world, const file_header *header, bool *memory)
{
    uint64_t scene;
    if (header->cell_size != float_bits(world->def.cell_size))
        return "it was saved with another def.cell_size";
    if (header->margin != margin_bits(world))
        return "it was saved with another largest recipe.radius of mode cached: first add the "
               "recipes that the world had then";
    *memory = scene_fingerprint(world, &scene);
    if (!*memory)
        return "no memory";
    return header->scene == scene ? NULL : "it was saved for another scene";
}

rico_result rico_world_load_cache(rico_world *world, const void *data, size_t bytes)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, (data != NULL || bytes == 0)))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_load_cache";
    bool memory = true;
    file_header header;
    rico_result result = rico__cache_is_there(world, call);
    if (result == RICO_OK && rico__cannot_run(world, call))
        result = RICO_BUSY;
    if (result != RICO_OK)
        return world->last_result = result;
    const char *why = data == NULL ? "data is NULL" : check_frame(data, bytes, &header);
    if (why == NULL)
        why = check_world(world, &header, &memory);
    if (why == NULL)
        why = check_records(world, data, bytes - CHECKSUM_BYTES, header.record_count);
    if (why != NULL)
        return world->last_result =
                   rico__fail(&world->def.log, memory ? RICO_BAD_FILE : RICO_OUT_OF_MEMORY,
                              call, "%s", why);
    uint64_t dropped = rico_cache_get_stats(world->records).dropped, missing = 0;
    rico__edits_settle(world, &world->memory);
    rico_cache_prefault(world->records);
    load_records(world, data, bytes - CHECKSUM_BYTES, header.record_count);
    if (rico_cache_get_stats(world->records).dropped != dropped) /* or there already */
        missing = count_missing(world, data, bytes - CHECKSUM_BYTES, header.record_count);
    if (missing > 0)
        report_missing(world, missing, header.record_count);
    return RICO_OK;
}
