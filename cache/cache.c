/* Creation, look-up and statistics. Deposits are in deposit.c, merging in merge.c. */
#include <ricochet/cache.h>

#include "bits.h"
#include "cache_table.h"
#include "check.h"
#include "limit.h"
#include "vec.h"

#define COOKIE 0x43616368u

/* Bytes that the table stores per bucket besides payloads and the units of groups. */
#define BUCKET_BYTES                                                                           \
    (sizeof(rico__cache_line) + RICO__CACHE_WAYS * sizeof(rico_cache_info) +                   \
     RICO__CACHE_STRIDE * sizeof(uint32_t))

/* Bytes of a record besides its payload: key, info, last use; place and size. */
#define RECORD_BYTES (sizeof(rico_cache_key) + sizeof(rico_cache_info) + sizeof(uint32_t) + 2u)

_Static_assert(BUCKET_BYTES == 264 && sizeof(rico__cache_units) == 128,
               "cache.h states the equation");
_Static_assert(sizeof(rico__cache_line) == RICO_CACHE_LINE, "a bucket is one line");
_Static_assert(sizeof(rico__cache_deposit) == 24 && sizeof(rico__cache_entry) == 16,
               "cache.h states the equation");

rico_cache_def rico_cache_def_default(void)
{
    return (rico_cache_def){
        .cookie = COOKIE,
        .cell_size = {0.5f, 0.5f, 2.0f},
        .table_bytes = 16u << 20,
        .payload_bytes = 16,
        .shard_count = 16,
        .deposit_capacity = 4096,
        .worker_count = 1,
    };
}

static uint32_t unit_of(const rico_cache_def *def)
{
    return def->payload_unit != 0 ? def->payload_unit : def->payload_bytes;
}

static uint32_t room_of(const rico_cache_def *def)
{
    const uint32_t most = RICO__CACHE_UNITS / RICO__CACHE_GROUP * unit_of(def);
    return def->payload_room != 0 ? def->payload_room
                                  : uint_min(RICO__CACHE_WAYS * def->payload_bytes, most);
}

static uint32_t groups_of(uint64_t buckets)
{
    return (uint32_t)((buckets + RICO__CACHE_GROUP - 1) / RICO__CACHE_GROUP);
}

static uint64_t bytes_of(uint64_t buckets, uint32_t room)
{
    return buckets * (BUCKET_BYTES + room) + groups_of(buckets) * sizeof(rico__cache_units);
}

/* The most buckets that the table's bytes allow. Padding to lines does not count: each array
 * stands alone. */
static uint32_t buckets_of(const rico_cache_def *def)
{
    const uint64_t each = BUCKET_BYTES + room_of(def);
    uint64_t buckets = def->table_bytes / each;
    while (buckets > 0 && bytes_of(buckets, room_of(def)) > def->table_bytes) {
        const uint64_t over = bytes_of(buckets, room_of(def)) - def->table_bytes;
        const uint64_t most = each + sizeof(rico__cache_units); /* that a bucket gives back */
        buckets -= (over + most - 1) / most;
    }
    return (uint32_t)buckets;
}

static uint64_t table_bytes(const rico_cache *cache)
{
    return bytes_of(cache->bucket_count, cache->room_bytes);
}

static rico_result out_of_range(const rico_cache_def *def, const char *field, double value,
                                const char *expected)
{
    return rico__fail(&def->log, RICO_OUT_OF_RANGE, "rico_cache_create",
                      "def.%s is %.17g, expected %s", field, value, expected);
}

static bool is_within(uint64_t value, uint64_t lo, uint64_t hi)
{
    return value >= lo && value <= hi;
}

static rico_result check_sizes(const rico_cache_def *def)
{
    const float *size = &def->cell_size.x;
    static const char *const axes[3] = {"def.cell_size.x", "def.cell_size.y",
                                        "def.cell_size.z"};
    for (int axis = 0; axis < 3; ++axis) {
        rico_result result = rico__limit_number(&def->log, "rico_cache_create", axes[axis],
                                                size[axis], 0.01f, 1000.0f);
        if (result != RICO_OK)
            return result;
    }
    if (!is_within(def->payload_bytes, 8, 1024) || def->payload_bytes % 8 != 0)
        return out_of_range(def, "payload_bytes", def->payload_bytes,
                            "a multiple of 8 from 8 to 1024");
    uint32_t unit = unit_of(def), room = room_of(def);
    if (unit % 8 != 0 || def->payload_bytes % unit != 0)
        return out_of_range(def, "payload_unit", unit,
                            "a multiple of 8 that divides payload_bytes");
    if (!is_within(room, def->payload_bytes, RICO__CACHE_UNITS / RICO__CACHE_GROUP * unit) ||
        room % unit != 0)
        return out_of_range(
            def, "payload_room", room,
            "a multiple of payload_unit, from payload_bytes to 32 payload_units");
    if (!is_within(def->table_bytes, 4096, 1ULL << 36))
        return out_of_range(def, "table_bytes", (double)def->table_bytes, "4 KiB..64 GiB");
    if (buckets_of(def) == 0)
        return out_of_range(def, "table_bytes", (double)def->table_bytes,
                            "at least 392 + payload_room, the size of a bucket");
    return RICO_OK;
}

static rico_result check_def(const rico_cache_def *def)
{
    if (def->cookie != COOKIE) /* its log cannot be trusted either */
        return rico__fail(NULL, RICO_UNINITIALIZED_DEF, "rico_cache_create",
                          "def was not made by rico_cache_def_default");
    rico_result result = check_sizes(def);
    if (result != RICO_OK)
        return result;
    if (def->spread_directions > 7)
        return out_of_range(def, "spread_directions", def->spread_directions, "0..7");
    if (!is_within(def->shard_count, 1, 1024) ||
        (def->shard_count & (def->shard_count - 1)) != 0)
        return out_of_range(def, "shard_count", def->shard_count,
                            "a power of two from 1 to 1024");
    if (!is_within(def->deposit_capacity, 1, 1u << 20))
        return out_of_range(def, "deposit_capacity", def->deposit_capacity, "1..2^20");
    if (!is_within(def->worker_count, 1, 256))
        return out_of_range(def, "worker_count", def->worker_count, "1..256");
    return rico__memory_check(&def->allocator, &def->log, "rico_cache_create");
}

static size_t round_up_to_line(size_t bytes)
{
    return (bytes + RICO_CACHE_LINE - 1) & ~(size_t)(RICO_CACHE_LINE - 1);
}

static void set_sizes(rico_cache *cache, const rico_cache_def *def)
{
    cache->bucket_count = buckets_of(def);
    cache->group_count = groups_of(cache->bucket_count);
    cache->unit_bytes = unit_of(def);
    cache->unit_rate = ((1u << 24) + cache->unit_bytes - 1) / cache->unit_bytes;
    cache->room_bytes = room_of(def);
    cache->mark_stride = (uint32_t)round_up_to_line(cache->bucket_count);
    cache->payload_bytes = def->payload_bytes;
    cache->spread_directions = def->spread_directions;
    cache->worker_count = def->worker_count;
    cache->shard_count = def->shard_count;
    cache->shard_rate = rico__cache_shard_rate(def->shard_count, cache->group_count);
    cache->deposit_capacity = def->deposit_capacity;
    cache->slot_capacity = def->deposit_capacity + RICO__CACHE_CHUNK * def->worker_count;
    cache->deposit_bytes = (uint32_t)round_up_to_line(sizeof(rico__cache_deposit) +
                                                      def->payload_bytes + RICO__CACHE_ZEROS);
    cache->cell_size = def->cell_size;
}

/* The next array of the block. The first pass has no block, and only adds up the sizes. */
static void *carve(rico_cache *cache, size_t count, size_t size)
{
    uint8_t *array = cache->block != NULL ? cache->block + cache->block_bytes : NULL;
    size_t lines = round_up_to_line(count * size);
    cache->block_bytes +=
        (lines + 2 * RICO_CACHE_LINE - 1) & ~(size_t)(2 * RICO_CACHE_LINE - 1);
    return array;
}

/* Places arrays that merges write side by side first. Arrays that are never read before they
 * are written come last. Returns where these begin. */
static size_t carve_arrays(rico_cache *cache)
{
    size_t records = (size_t)cache->bucket_count * RICO__CACHE_STRIDE;
    size_t infos = (size_t)cache->bucket_count * RICO__CACHE_WAYS;
    cache->block_bytes = 0;
    cache->units = carve(cache, cache->group_count, sizeof *cache->units);
    cache->lines = carve(cache, cache->bucket_count, sizeof *cache->lines);
    cache->last_used = carve(cache, records, sizeof *cache->last_used);
    cache->marks = carve(cache, cache->worker_count, cache->mark_stride);
    cache->workers = carve(cache, cache->worker_count, sizeof *cache->workers);
    cache->regions = carve(cache, cache->worker_count, sizeof *cache->regions);
    cache->shards = carve(cache, cache->shard_count, sizeof *cache->shards);
    cache->arrivals = carve(cache, cache->slot_capacity, sizeof *cache->arrivals);
    cache->entries = carve(cache, cache->slot_capacity, sizeof *cache->entries);
    size_t cleared = cache->block_bytes;
    cache->infos = carve(cache, infos, sizeof *cache->infos);
    cache->payloads = carve(cache, cache->bucket_count, cache->room_bytes);
    cache->deposits = carve(cache, cache->slot_capacity, cache->deposit_bytes);
    return cleared;
}

/* Returns false when there is no memory. rico_cache_destroy then releases the rest. */
static bool take_arrays(rico_cache *cache)
{
    size_t cleared = carve_arrays(cache);
    cache->block =
        rico__memory_reserve(&cache->memory, 1, cache->block_bytes, 2 * RICO_CACHE_LINE);
    if (cache->block == NULL)
        return false;
    carve_arrays(cache);
    memset(cache->block, 0, cleared);
    return true;
}

/* Gives the regions equal shares of the slots. */
static void begin_regions(rico_cache *cache)
{
    uint32_t count = cache->worker_count, begin = 0;
    for (uint32_t r = 0; r < count; ++r) {
        uint64_t share = (uint64_t)cache->deposit_capacity * (r + 1) / count;
        cache->workers[r].region = r;
        cache->regions[r].begin = begin;
        begin = (uint32_t)share + RICO__CACHE_CHUNK * (r + 1);
        cache->regions[r].end = begin;
    }
    RICO_ASSERT(begin == cache->slot_capacity);
}

rico_result rico_cache_create(const rico_cache_def *def, rico_cache **out)
{
    if (out != NULL)
        *out = NULL;
    if (!RICO_REQUIRE(def != NULL && out != NULL))
        return RICO_UNINITIALIZED_DEF;
    rico_result result = check_def(def);
    if (result != RICO_OK)
        return result;
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    rico_cache *cache = rico__memory_allocate(&memory, 1, sizeof *cache, RICO_CACHE_LINE);
    if (cache != NULL) {
        cache->memory = memory;
        set_sizes(cache, def);
    }
    if (cache == NULL || !take_arrays(cache)) {
        rico_cache_destroy(cache);
        return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_cache_create",
                          "the allocator gave no memory for a table of %llu bytes",
                          (unsigned long long)def->table_bytes);
    }
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket)
        memset(cache->lines[bucket].keys, 0xff, sizeof cache->lines->keys); /* RICO_NO_KEY */
    for (uint32_t group = 0; group < cache->group_count; ++group)
        rico__cache_begin_units(cache, group);
    begin_regions(cache);
    RICO_ASSERT(table_bytes(cache) <= def->table_bytes);
    *out = cache;
    return RICO_OK;
}

void rico_cache_destroy(rico_cache *cache)
{
    if (cache == NULL)
        return;
    rico__memory_release(&cache->memory, cache->block, 1, cache->block_bytes,
                         2 * RICO_CACHE_LINE);
    rico__memory memory = cache->memory;
    rico__memory_release(&memory, cache, 1, sizeof *cache, RICO_CACHE_LINE);
}

void rico_cache_prefault(rico_cache *cache)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging) || cache->prefaulted)
        return;
    cache->prefaulted = true;
    uint8_t *begin = (uint8_t *)cache->infos; /* never read where no record was written */
    if (rico_cache_get_stats(cache).record_count == 0)
        rico__memory_touch(begin, (size_t)(cache->deposits - begin));
}

const void *rico_cache_find(rico_cache *cache, rico_cache_key key, uint32_t worker,
                            rico_cache_info *info)
{
    if (!RICO_REQUIRE(cache != NULL && worker < cache->worker_count))
        return NULL;
    rico__cache_worker *counters = &cache->workers[worker];
    uint32_t bucket = rico__cache_bucket(cache, key);
    uint32_t way = rico__cache_way(&cache->lines[bucket], key);
    if (way == RICO__CACHE_WAYS || key == RICO_NO_KEY) {
        counters->misses += 1;
        return NULL;
    }
    counters->hits += 1;
    cache->marks[(size_t)worker * cache->mark_stride + bucket] |= (uint8_t)(1u << way);
    if (info != NULL)
        *info = *rico__cache_info_of(cache, bucket, way);
    return rico__cache_payload(cache, bucket, way);
}

_Alignas(RICO_CACHE_LINE) const uint8_t rico__cache_nothing[RICO_CACHE_LINE];

/* The number of buckets that are fetched ahead: a power of two. At 64 MiB, 8 and 32 are
 * slower. */
#define AHEAD 16u

static uint32_t fetch_bucket_of(const rico_cache *cache, rico_cache_key key)
{
    uint32_t bucket = rico__cache_bucket(cache, key);
    prefetch_line(&cache->lines[bucket]);
    return bucket;
}

/* Finds one of many keys. It has no branch, since hits and misses come in any order. */
static const void *find_in(const rico_cache *cache, uint8_t *marks, uint32_t bucket,
                           rico_cache_key key, uint64_t *hits)
{
    uint32_t way = rico__cache_way(&cache->lines[bucket], key);
    uint32_t hit = (way != RICO__CACHE_WAYS) & (key != RICO_NO_KEY);
    const void *payload =
        rico__cache_payload_of_many(cache, bucket, way - (way == RICO__CACHE_WAYS));
    marks[bucket] |= (uint8_t)(hit << way);
    *hits += hit;
    return hit != 0 ? payload : NULL;
}

void rico_cache_find_many(rico_cache *cache, const rico_cache_key *keys, uint32_t count,
                          uint32_t worker, const void **payloads)
{
    if (!RICO_REQUIRE(cache != NULL && worker < cache->worker_count && !cache->merging) ||
        !RICO_REQUIRE(count == 0 || (keys != NULL && payloads != NULL)))
        return;
    uint8_t *marks = cache->marks + (size_t)worker * cache->mark_stride;
    uint32_t buckets[AHEAD];
    uint64_t hits = 0;
    for (uint32_t i = 0; i < uint_min(AHEAD, count); ++i)
        buckets[i] = fetch_bucket_of(cache, keys[i]);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bucket = buckets[i % AHEAD];
        if (i + AHEAD < count)
            buckets[i % AHEAD] = fetch_bucket_of(cache, keys[i + AHEAD]);
        payloads[i] = find_in(cache, marks, bucket, keys[i], &hits);
    }
    cache->workers[worker].hits += hits;
    cache->workers[worker].misses += count - hits;
}

const void *rico_cache_find_either_in(rico_cache *cache, uint32_t bucket, rico_cache_key key,
                                      uint32_t direction, uint32_t worker, bool *turned)
{
    if (!RICO_REQUIRE(turned != NULL && worker < cache->worker_count &&
                      direction <= RICO_WHOLE_CELL && bucket < cache->bucket_count))
        return NULL;
    rico__cache_worker *counters = &cache->workers[worker];
    const rico__cache_line *line = &cache->lines[bucket];
    uint32_t own = rico__cache_ways(line, key), ways = own;
    if (own == 0)
        ways = rico__cache_ways(line, (key & ~(uint64_t)7) | direction);
    if (ways == 0 || key == RICO_NO_KEY) {
        counters->misses += 1;
        return NULL;
    }
    uint32_t found = bits_lowest64(ways) / 2;
    counters->hits += 1;
    cache->marks[(size_t)worker * cache->mark_stride + bucket] |= (uint8_t)(1u << found);
    *turned = own == 0;
    return rico__cache_payload(cache, bucket, found);
}

const void *rico_cache_find_either(rico_cache *cache, rico_cache_key key, uint32_t direction,
                                   uint32_t worker, bool *turned)
{
    if (!RICO_REQUIRE(cache != NULL))
        return NULL;
    return rico_cache_find_either_in(cache, rico__cache_bucket(cache, key), key, direction,
                                     worker, turned);
}

uint32_t rico_cache_prefetch(const rico_cache *cache, rico_cache_key key, uint32_t worker)
{
    uint32_t bucket = rico__cache_bucket(cache, key);
    prefetch_line(&cache->lines[bucket]);
    if (RICO_REQUIRE(worker < cache->worker_count))
        prefetch_line_far(&cache->marks[(size_t)worker * cache->mark_stride + bucket]);
    return bucket;
}

void rico_cache_prefetch_record(const rico_cache *cache, rico_cache_key key)
{
    if (key != RICO_NO_KEY)
        rico__cache_fetch_record(cache, rico__cache_bucket(cache, key), key);
}

uint32_t rico_cache_shard_count(const rico_cache *cache)
{
    if (!RICO_REQUIRE(cache != NULL))
        return 0;
    return cache->shard_count;
}

rico_cache_stats rico_cache_get_stats(const rico_cache *cache)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging))
        return (rico_cache_stats){0};
    rico_cache_stats stats = {
        .deposits = cache->deposits_merged + rico__cache_slot_count(cache),
        .deposits_refused = rico__atomic_load64(&cache->refused),
        .record_capacity = cache->bucket_count * RICO__CACHE_WAYS,
        .table_bytes = table_bytes(cache),
        .bytes = cache->memory.live_bytes,
    };
    for (uint32_t i = 0; i < cache->worker_count; ++i) {
        stats.hits += cache->workers[i].hits;
        stats.misses += cache->workers[i].misses;
        stats.deposits -= cache->workers[i].slot_end - cache->workers[i].slot;
    }
    for (uint32_t i = 0; i < cache->shard_count; ++i) {
        const rico__cache_shard *shard = &cache->shards[i];
        stats.inserted += shard->inserted;
        stats.replaced += shard->replaced;
        stats.evicted += shard->evicted;
        stats.dropped += shard->dropped;
        stats.record_count += shard->record_count;
        stats.record_bytes += (uint64_t)shard->units_used * cache->unit_bytes;
    }
    stats.record_bytes += stats.record_count * RECORD_BYTES;
    return stats;
}
