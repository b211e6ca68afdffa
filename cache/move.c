/* Moving all cells, for a world whose origin moves. */
#include "cache_table.h"
#include "check.h"

/* A record on its way: this struct, then its payload. */
typedef struct moved_record {
    rico_cache_key key;
    rico_cache_info info;
    uint32_t bytes, reserved;
} moved_record;

typedef struct moving {
    const rico_cache_step *by;
    uint8_t *end; /* where the next record goes */
    uint32_t count;
} moving;

static rico_cache_key moved_key(rico_cache_key key,
                                const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    int32_t x, y, z;
    uint32_t direction;
    rico_cache_key_cell(key, &x, &y, &z, &direction);
    const rico_cache_step *step = &by[direction];
    /* Steps are at most as long as the range of cells (is_far), so the sums fit their type. */
    return rico_cache_key_of_cell(x + step->x, y + step->y, z + step->z, direction);
}

/* Records come in the order of the walk, so the place where a record lay does not show. */
static void take_out(void *user, rico_cache_key key, const rico_cache_info *info,
                     const void *payload, uint32_t bytes)
{
    moving *m = user;
    moved_record moved = {.key = moved_key(key, m->by), .info = *info, .bytes = bytes};
    memcpy(m->end, &moved, sizeof moved);
    memcpy(m->end + sizeof moved, payload, bytes);
    m->end += sizeof moved + bytes;
    m->count += 1;
}

static void merge_now(rico_cache *cache)
{
    rico_cache_merge_begin(cache, cache->frame);
    rico_cache_merge_range(cache, 0, cache->shard_count);
    rico_cache_merge_end(cache);
}

static void put_in(rico_cache *cache, const uint8_t *from, uint32_t count)
{
    uint32_t room = cache->deposit_capacity;
    for (uint32_t i = 0; i < count; ++i) {
        moved_record moved;
        memcpy(&moved, from, sizeof moved);
        const uint8_t *payload = from + sizeof moved;
        from = payload + moved.bytes;
        if (moved.key == RICO_NO_KEY)
            continue;
        rico_cache_deposit_part(cache, moved.key, &moved.info, payload, moved.bytes);
        if (--room > 0)
            continue;
        merge_now(cache);
        room = cache->deposit_capacity;
    }
    merge_now(cache);
}

static bool is_far(int32_t step)
{
    return step < -(1 << 21) || step > 1 << 21;
}

static bool is_in_reach(const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    for (uint32_t d = 0; d <= RICO_WHOLE_CELL; ++d)
        if (is_far(by[d].x) || is_far(by[d].y) || is_far(by[d].z))
            return false;
    return true;
}

rico_result rico_cache_move_cells(rico_cache *cache,
                                  const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    if (!RICO_REQUIRE(cache != NULL && by != NULL))
        return RICO_OUT_OF_RANGE;
    if (!RICO_REQUIRE(!cache->merging))
        return RICO_BUSY;
    if (!is_in_reach(by)) {
        rico_cache_forget(cache, 0);
        return RICO_OK;
    }
    size_t bytes = 8;
    for (uint32_t i = 0; i < cache->shard_count; ++i)
        bytes += cache->shards[i].record_count * sizeof(moved_record) +
                 (size_t)cache->shards[i].units_used * cache->unit_bytes;
    uint8_t *moved = rico__memory_reserve(&cache->memory, bytes, 1, 8);
    if (moved == NULL) {
        rico_cache_forget(cache, 0);
        return RICO_OUT_OF_MEMORY;
    }
    moving m = {.by = by, .end = moved};
    rico_cache_walk(cache, take_out, &m);
    rico_cache_forget(cache, 0);
    put_in(cache, moved, m.count);
    rico__memory_release(&cache->memory, moved, bytes, 1, 8);
    return RICO_OK;
}
