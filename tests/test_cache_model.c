/* test_cache_model.c - compares the cache with a model of its documented rules, and with itself
 * on several threads.
 *
 * The model (struct model) is arrays and qsort, written from cache.h alone. It shares one thing
 * with the cache: the bucket of a key (rico__cache_bucket), which is a choice and not a rule.
 */
#include "cache_fixture.h"

#include <pthread.h>

#define MODEL_CAPACITY 1024
#define SCENARIO_FRAMES 10
#define SCENARIO_DEPOSITS 250
#define SCENARIO_FINDS 60
#define UNIVERSE 160

#define LONG_WORDS 12 /* of the longest payload */
#define UNIT 8        /* bytes */

typedef struct model_record {
    uint64_t order[9 + LONG_WORDS]; /* key, then the conflict rule: the smaller array wins */
    rico_cache_key key;
    rico_cache_info info;
    uint32_t payload[LONG_WORDS]; /* zeros after its last unit */
    uint32_t bytes;               /* as deposited */
    uint32_t last_used, bucket;
    bool found; /* found, and not yet counted as used */
} model_record;

typedef struct model {
    model_record records[MODEL_CAPACITY];
    uint32_t count;
    uint32_t buckets, room; /* of the table; units per bucket */
    uint32_t frame;         /* of the last merge */
    uint64_t inserted, replaced, evicted, dropped;
} model;

typedef struct scenario {
    uint64_t table_bytes;
    uint32_t room; /* bytes per bucket */
    uint32_t deposit_count[SCENARIO_FRAMES], find_count[SCENARIO_FRAMES];
    uint32_t merge_frame[SCENARIO_FRAMES];
    model_record deposits[SCENARIO_FRAMES][SCENARIO_DEPOSITS];
    rico_cache_key finds[SCENARIO_FRAMES][SCENARIO_FINDS];
    model after[SCENARIO_FRAMES];
    uint64_t hash[SCENARIO_FRAMES];
} scenario;

static uint32_t units_of(const model_record *r)
{
    return (r->bytes + UNIT - 1) / UNIT;
}

/* Orders by bucket, key and conflict rule. */
static int by_order(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    if (ra->bucket != rb->bucket)
        return ra->bucket < rb->bucket ? -1 : 1;
    for (int i = 0; i < 9 + LONG_WORDS; ++i)
        if (ra->order[i] != rb->order[i])
            return ra->order[i] < rb->order[i] ? -1 : 1;
    return 0;
}

static int by_admission(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    if (ra->bucket != rb->bucket)
        return ra->bucket < rb->bucket ? -1 : 1;
    if (ra->info.rank != rb->info.rank)
        return ra->info.rank > rb->info.rank ? -1 : 1;
    return ra->key < rb->key ? -1 : ra->key > rb->key;
}

static int by_bucket(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    if (ra->bucket != rb->bucket)
        return ra->bucket < rb->bucket ? -1 : 1;
    return ra->key < rb->key ? -1 : ra->key > rb->key;
}

static model_record *model_find(model *m, rico_cache_key key)
{
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->records[i].key == key)
            return &m->records[i];
    return NULL;
}

/* The record that is evicted first among those not used in the frame. It is one of the bucket,
 * or, with of_group, one with payload of the group. */
static model_record *model_victim(model *m, uint32_t bucket, bool of_group, uint32_t frame)
{
    model_record *victim = NULL;
    for (uint32_t i = 0; i < m->count; ++i) {
        model_record *r = &m->records[i];
        bool is_in =
            of_group ? r->bucket / 8 == bucket / 8 && r->bytes > 0 : r->bucket == bucket;
        if (is_in && r->last_used != frame &&
            (victim == NULL || r->last_used < victim->last_used ||
             (r->last_used == victim->last_used && r->key < victim->key)))
            victim = r;
    }
    return victim;
}

static void model_evict(model *m, model_record *victim)
{
    *victim = m->records[--m->count];
    m->evicted += 1;
}

/* Units of the group's records, without those last used in but_of_frame. */
static uint32_t model_units(const model *m, uint32_t bucket, uint32_t but_of_frame)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->records[i].bucket / 8 == bucket / 8 && m->records[i].last_used != but_of_frame)
            units += units_of(&m->records[i]);
    return units;
}

/* Evicts until the group has that many free units; false when that is impossible. */
static bool model_make_room(model *m, uint32_t bucket, uint32_t units, uint32_t frame)
{
    uint32_t first = bucket / 8 * 8, left = m->buckets - first;
    uint32_t has = (left < 8 ? left : 8) * m->room;
    uint32_t all = model_units(m, bucket, UINT32_MAX), free = has - all;
    if (units > 0 && free + model_units(m, bucket, frame) < units)
        return false;
    while (has - model_units(m, bucket, UINT32_MAX) < units)
        model_evict(m, model_victim(m, bucket, true, frame));
    return true;
}

static void model_insert(model *m, const model_record *record, uint32_t frame)
{
    static model before;
    uint32_t in_bucket = 0;
    for (uint32_t i = 0; i < m->count; ++i)
        in_bucket += m->records[i].bucket == record->bucket;
    before = *m;
    model_record *victim =
        in_bucket == 7 ? model_victim(m, record->bucket, false, frame) : NULL;
    if (victim != NULL)
        model_evict(m, victim);
    if ((in_bucket == 7 && victim == NULL) ||
        !model_make_room(m, record->bucket, units_of(record), frame)) {
        *m = before;
        m->dropped += 1;
        return;
    }
    m->inserted += 1;
    m->records[m->count] = *record;
    m->records[m->count++].last_used = frame;
}

static void model_replace(model *m, const model_record *record, uint32_t frame)
{
    model_record *old = model_find(m, record->key);
    uint32_t had = units_of(old), wants = units_of(record), used = old->last_used;
    old->last_used = frame; /* so that it is not evicted */
    if (by_order(record, old) < 0 &&
        model_make_room(m, record->bucket, wants > had ? wants - had : 0, frame)) {
        old = model_find(m, record->key);
        *old = *record;
        old->last_used = frame;
        m->replaced += 1;
        return;
    }
    old->last_used = used;
    m->dropped += 1;
}

/* Whether the group has its turn in a merge of this frame. A merge makes up for the turns of all
 * frames since the last one. */
static bool model_has_turn(const model *m, uint32_t group, uint32_t frame)
{
    for (uint32_t f = m->frame + 1; f <= frame; ++f)
        if (f % 32 == group / 8 % 32)
            return true;
    return false;
}

static void model_use(model *m, const model_record *deposits, uint32_t count, uint32_t frame)
{
    for (uint32_t r = 0; r < m->count; ++r) {
        model_record *record = &m->records[r];
        bool counts = model_has_turn(m, record->bucket / 8, frame);
        for (uint32_t i = 0; i < count; ++i)
            counts |= deposits[i].bucket / 8 == record->bucket / 8;
        if (!record->found || !counts)
            continue;
        record->last_used = frame;
        record->found = false;
    }
    m->frame = frame;
}

static void model_merge(model *m, const model_record *deposits, uint32_t count,
                        const rico_cache_key *finds, uint32_t find_count, uint32_t frame)
{
    static model_record sorted[SCENARIO_DEPOSITS], fresh[SCENARIO_DEPOSITS];
    uint32_t fresh_count = 0, of_bucket = 0;
    for (uint32_t i = 0; i < find_count; ++i)
        if (model_find(m, finds[i]) != NULL)
            model_find(m, finds[i])->found = true;
    model_use(m, deposits, count, frame);
    memcpy(sorted, deposits, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], by_order);
    for (uint32_t i = 0; i < count; ++i) {
        if (i > 0 && sorted[i].key == sorted[i - 1].key)
            m->dropped += 1;
        else if (model_find(m, sorted[i].key) == NULL)
            fresh[fresh_count++] = sorted[i];
        else
            model_replace(m, &sorted[i], frame);
    }
    qsort(fresh, fresh_count, sizeof fresh[0], by_admission);
    for (uint32_t i = 0; i < fresh_count; ++i) {
        of_bucket = i > 0 && fresh[i].bucket == fresh[i - 1].bucket ? of_bucket + 1 : 0;
        if (of_bucket < 7)
            model_insert(m, &fresh[i], frame);
        else
            m->dropped += 1;
    }
}

static uint64_t model_hash(const model *m)
{
    static model sorted;
    sorted = *m;
    qsort(sorted.records, m->count, sizeof m->records[0], by_bucket);
    rico__hash hash;
    rico__hash_init(&hash, 0);
    for (uint32_t i = 0; i < m->count; ++i) {
        const model_record *r = &sorted.records[i];
        rico__hash_u64(&hash, r->key);
        rico__hash_words(&hash, &r->info.frame, 6);
        rico__hash_u32(&hash, units_of(r) * UNIT);
        rico__hash_u32(&hash, r->last_used);
        rico__hash_words(&hash, r->payload, units_of(r) * (UNIT / sizeof(uint32_t)));
    }
    return rico__hash_value(&hash);
}

static rico_cache_key universe_key(uint32_t i)
{
    return rico_cache_key_of_cell((int32_t)(i / 7) % 5 - 2, (int32_t)(i / 35) - 2, -1, i % 7);
}

/* A deposit with few different values per field, so that every criterion decides often and equal
 * deposits happen. */
static model_record random_deposit(draw *d, const rico_cache *like, uint32_t frame)
{
    model_record r = {.key = universe_key(below(d, UNIVERSE))};
    r.info = (rico_cache_info){frame - below(d, 8) / 6,
                               below(d, 2),
                               below(d, 2),
                               below(d, 2),
                               below(d, 2),
                               below(d, 2)};
    r.bytes = below(d, 3) == 0 ? 0 : 8 * below(d, LONG_WORDS / 2 + 1);
    for (uint32_t i = 0; i < r.bytes / sizeof(uint32_t); ++i)
        r.payload[i] = below(d, 2) * 0x80000000u;
    r.bucket = rico__cache_bucket(like, r.key);
    const uint64_t head[9] = {r.key,
                              UINT32_MAX - r.info.frame,
                              1 - r.info.rank,
                              r.info.impact,
                              r.info.collider,
                              r.info.triangle,
                              r.info.version,
                              units_of(&r),
                              0};
    memcpy(r.order, head, sizeof head);
    for (int i = 0; i < LONG_WORDS; ++i)
        r.order[9 + i] = r.payload[i];
    return r;
}

static rico_cache *make_room_for(const scenario *s, uint32_t shards, uint32_t workers)
{
    rico_cache_def def = rico_cache_def_default();
    def.table_bytes = s->table_bytes;
    def.payload_bytes = LONG_WORDS * sizeof(uint32_t);
    def.payload_unit = UNIT;
    def.payload_room = s->room;
    def.shard_count = shards;
    def.worker_count = workers;
    rico_cache *cache = NULL;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    return cache;
}

static void write_scenario(scenario *s, draw *d)
{
    static model m;
    memset(&m, 0, sizeof m);
    s->table_bytes = 4096 + below(d, below(d, 3) == 0 ? 60000 : 4096);
    s->room = 48 + 8 * below(d, below(d, 2) == 0 ? 27 : 6);
    rico_cache *like = make_room_for(s, 1, 1);
    uint32_t frame = 1;
    m.buckets = like->bucket_count;
    m.room = s->room / UNIT;
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f) {
        s->merge_frame[f] = frame;
        s->deposit_count[f] = below(d, SCENARIO_DEPOSITS + 1);
        if (below(d, 3) == 0) /* most groups get no deposit, only their turn */
            s->deposit_count[f] /= 64;
        s->find_count[f] = below(d, SCENARIO_FINDS + 1);
        for (uint32_t i = 0; i < s->deposit_count[f]; ++i)
            s->deposits[f][i] = random_deposit(d, like, frame);
        for (uint32_t i = 0; i < s->find_count[f]; ++i)
            s->finds[f][i] = universe_key(below(d, UNIVERSE));
        model_merge(&m, s->deposits[f], s->deposit_count[f], s->finds[f], s->find_count[f],
                    frame);
        s->after[f] = m;
        s->hash[f] = model_hash(&m);
        frame += below(d, 4) == 0 ? below(d, 40) : below(d, 3);
    }
    rico_cache_destroy(like);
}

static void check_find(rico_cache *cache, model *m, rico_cache_key key, uint32_t worker)
{
    rico_cache_info info;
    const void *payload = rico_cache_find(cache, key, worker, &info);
    const model_record *expected = model_find(m, key);
    CHECK((payload != NULL) == (expected != NULL));
    if (expected != NULL)
        CHECK(memcmp(&info, &expected->info, sizeof info) == 0 &&
              memcmp(payload, expected->payload, expected->bytes) == 0);
}

/* Merges the shards in random ranges, the later ranges first in half of the cases. */
static void merge_in_pieces(rico_cache *cache, uint32_t frame, draw *d)
{
    uint32_t shards = rico_cache_shard_count(cache);
    uint32_t a = below(d, shards + 1), b = a + below(d, shards + 1 - a);
    const uint32_t cut[4] = {0, a, b, shards};
    rico_cache_merge_begin(cache, frame);
    uint32_t turn = below(d, 2) * 2;
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t piece = turn == 0 ? i : turn - i;
        rico_cache_merge_range(cache, cut[piece], cut[piece + 1]);
    }
    rico_cache_merge_end(cache);
}

static void play_frame(rico_cache *cache, scenario *s, uint32_t f, uint32_t workers, draw *d)
{
    static model empty;
    for (uint32_t i = 0; i < s->find_count[f]; ++i)
        check_find(cache, f == 0 ? &empty : &s->after[f - 1], s->finds[f][i],
                   below(d, workers));
    model_record *deposits = s->deposits[f];
    for (uint32_t i = s->deposit_count[f]; i > 0; --i) { /* Fisher-Yates shuffle */
        uint32_t j = below(d, i);
        model_record chosen = deposits[j];
        deposits[j] = deposits[i - 1];
        deposits[i - 1] = chosen;
        CHECK(rico_cache_deposit_part(cache, chosen.key, &chosen.info, chosen.payload,
                                      chosen.bytes));
    }
    merge_in_pieces(cache, s->merge_frame[f], d);
    CHECK(rico_cache_hash(cache) == s->hash[f]);
}

static void play_scenario(scenario *s, uint32_t shards, uint32_t workers, draw *d)
{
    rico_cache *cache = make_room_for(s, shards, workers);
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f)
        play_frame(cache, s, f, workers, d);
    model *last = &s->after[SCENARIO_FRAMES - 1];
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK(stats.inserted == last->inserted && stats.replaced == last->replaced);
    CHECK(stats.evicted == last->evicted && stats.dropped == last->dropped);
    CHECK(stats.deposits == stats.inserted + stats.replaced + stats.dropped);
    CHECK(stats.record_count == last->count);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < last->count; ++i)
        bytes += 38 + units_of(&last->records[i]) * UNIT;
    CHECK(stats.record_bytes == bytes && bytes <= stats.table_bytes);
    CHECK(stats.record_count == stats.inserted - stats.evicted);
    for (uint32_t i = 0; i < UNIVERSE; ++i)
        check_find(cache, last, universe_key(i), i % workers);
    uint64_t looked_up = UNIVERSE;
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f)
        looked_up += s->find_count[f];
    stats = rico_cache_get_stats(cache);
    CHECK(stats.hits + stats.misses == looked_up);
    rico_cache_destroy(cache);
}

TEST(cache, any_order_shards_ranges_and_workers_give_what_the_model_gives)
{
    static scenario s;
    draw d = {2012, 0};
    uint64_t evicted = 0, dropped = 0;
    uint32_t rounds = test_rounds(600);
    for (uint32_t round = 0; round < rounds; ++round) {
        write_scenario(&s, &d);
        evicted += s.after[SCENARIO_FRAMES - 1].evicted;
        dropped += s.after[SCENARIO_FRAMES - 1].dropped;
        for (uint32_t variant = 0; variant < 3; ++variant)
            play_scenario(&s, 1u << (round + variant * 3) % 7, 1 + below(&d, 9), &d);
        if (round % 50 == 0)
            play_scenario(&s, 1024, 256, &d);
    }
    /* Evictions and drops, the hard cases, were common. */
    CHECK(evicted > 30 * rounds && dropped > 30 * rounds);
}

/* ---- Threads ---- */

#define THREADS 4
#define DEPOSITS_PER_THREAD 800

typedef struct part {
    pthread_t thread;
    rico_cache *cache;
    uint32_t index, frame, hits;
} part;

/* Four threads deposit for the same few thousand places, and look records up meanwhile. */
static void *deposit_part(void *user)
{
    part *p = user;
    draw d = {100 + p->frame, p->index * DEPOSITS_PER_THREAD * 4};
    for (uint32_t i = 0; i < DEPOSITS_PER_THREAD; ++i) {
        rico_cache_info info = {
            .frame = p->frame, .rank = below(&d, 2), .impact = below(&d, 2)};
        uint32_t payload[WORDS] = {0};
        rico_cache_key key = cell((int32_t)below(&d, 3000));
        payload[0] = below(&d, 2);
        rico_cache_deposit_by(p->cache, p->index, key, &info, payload, PAYLOAD);
        p->hits += rico_cache_find(p->cache, cell((int32_t)i), p->index, NULL) != NULL;
    }
    return NULL;
}

static void *merge_part(void *user)
{
    part *p = user;
    uint32_t shards = rico_cache_shard_count(p->cache);
    rico_cache_merge_range(p->cache, p->index * shards / THREADS,
                           (p->index + 1) * shards / THREADS);
    return NULL;
}

static void run_parts(part *parts, void *(*body)(void *), bool in_threads)
{
    for (uint32_t i = 0; i < THREADS; ++i)
        if (in_threads)
            pthread_create(&parts[i].thread, NULL, body, &parts[i]);
        else
            body(&parts[i]);
    for (uint32_t i = 0; i < THREADS && in_threads; ++i)
        pthread_join(parts[i].thread, NULL);
}

static uint64_t run_frames(rico_cache *cache, bool in_threads, uint32_t frames)
{
    part parts[THREADS];
    for (uint32_t frame = 1; frame <= frames; ++frame) {
        for (uint32_t i = 0; i < THREADS; ++i)
            parts[i] = (part){.cache = cache, .index = i, .frame = frame};
        run_parts(parts, deposit_part, in_threads);
        rico_cache_merge_begin(cache, frame);
        run_parts(parts, merge_part, in_threads);
        rico_cache_merge_end(cache);
    }
    return rico_cache_hash(cache);
}

TEST(cache, four_threads_give_what_one_gives)
{
    for (uint32_t shards = 1; shards <= 64; shards *= 4) {
        rico_cache *serial = make(300000, 16, THREADS);
        rico_cache *parallel = make(300000, shards, THREADS);
        CHECK(run_frames(serial, false, 25) == run_frames(parallel, true, 25));
        rico_cache_stats a = rico_cache_get_stats(serial), b = rico_cache_get_stats(parallel);
        CHECK(a.hits == b.hits && a.misses == b.misses && a.inserted == b.inserted);
        CHECK_EQ(b.deposits, 25 * THREADS * DEPOSITS_PER_THREAD);
        CHECK_EQ(b.deposits, b.inserted + b.replaced + b.dropped);
        CHECK(b.evicted > 100);
        rico_cache_destroy(serial);
        rico_cache_destroy(parallel);
    }
}

/* Enough rounds that in one of them two threads meet at the end of the pool, which is rare. */
#define OVERFILL_ROUNDS 100u

static void *overfill_part(void *user)
{
    part *p = user;
    for (uint32_t i = 0; i < DEPOSITS_PER_THREAD; ++i)
        p->hits += put_frame(p->cache, cell((int32_t)(p->index * DEPOSITS_PER_THREAD + i)), 1);
    return NULL;
}

TEST(cache, threads_that_overfill_the_pool_lose_exactly_the_excess)
{
    rico_cache_def def = rico_cache_def_default();
    def.deposit_capacity = 1000;
    rico_cache *cache;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    uint64_t excess = THREADS * DEPOSITS_PER_THREAD - 1000;
    for (uint64_t round = 1; round <= OVERFILL_ROUNDS; ++round) {
        part parts[THREADS];
        for (uint32_t i = 0; i < THREADS; ++i)
            parts[i] = (part){.cache = cache, .index = i};
        run_parts(parts, overfill_part, true);
        merge(cache, (uint32_t)round);
        rico_cache_stats stats = rico_cache_get_stats(cache);
        CHECK_EQ(parts[0].hits + parts[1].hits + parts[2].hits + parts[3].hits, 1000);
        CHECK_EQ(stats.deposits, 1000 * round);
        CHECK_EQ(stats.deposits_refused, excess * round);
        CHECK(round > 1 || stats.record_count == 1000);
    }
    rico_cache_destroy(cache);
}
