/* Warm starts: baking, saving, loading and drawing what the cache knows. */
#include "cache_records.h"
#include "runtime_bake.h"
#include "runtime_floor.h"

TEST(bake, a_baked_world_lacks_nothing_and_loses_nobody)
{
    rico_world *world = small_world(2, true);
    rico_bake_report report;
    CHECK_EQ(rico_world_bake(world, NULL, &report), RICO_OK);
    CHECK(report.cells > 400 && report.cells < 20000 && report.known == 0 &&
          report.dropped == 0);
    CHECK(rico_world_get_stats(world).cache_records >= 400);
    add_fountains(world, 0.0f);
    uint32_t bounces = 0;
    for (int i = 0; i < 120; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_stats stats = rico_world_get_stats(world);
        CHECK_EQ(stats.requests, 0);
        CHECK_EQ(stats.lookups, stats.lookup_hits);
        bounces += stats.bounces;
    }
    CHECK(bounces > 500);
    for (uint32_t e = 0; e < 9; ++e) {
        rico_view v = rico_effect_view(world, (rico_effect_id){e + 1, 1});
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                CHECK(v.pz[k] > terrain_height(v.px[k], v.py[k]) - 0.1f);
    }
    rico_world_destroy(world);
}

TEST(bake, gives_the_same_bytes_for_any_number_of_workers)
{
    bytes first = {0};
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        rico_world *world = small_world(workers, true);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        bytes b = saved(world);
        if (workers == 1)
            first = b;
        CHECK(b.count == first.count && memcmp(b.data, first.data, b.count) == 0);
        if (workers > 1)
            free(b.data);
        rico_world_destroy(world);
    }
    free(first.data);
}

TEST(bake, a_second_time_finds_all_known)
{
    rico_world *world = small_world(1, true);
    rico_bake_report first, second, third;
    CHECK_EQ(rico_world_bake(world, NULL, &first), RICO_OK);
    uint64_t hash = rico_world_hash(world);
    CHECK_EQ(rico_world_bake(world, NULL, &second), RICO_OK);
    CHECK(second.cells > first.cells / 2 && second.cells <= first.cells); /* no empty cells */
    CHECK_EQ(second.known, second.cells);
    CHECK_EQ(rico_world_bake(world, NULL, &third), RICO_OK);
    CHECK(third.cells == second.cells && third.known == second.known);
    CHECK_EQ(rico_world_hash(world), hash);
    rico_world_destroy(world);
}

TEST(bake, of_a_box_or_around_an_effect_stays_there)
{
    rico_world *world = small_world(2, true);
    rico_box box = {{-2.0f, -2.0f, -2.0f}, {2.0f, 2.0f, 2.0f}};
    rico_bake_report all, part, near;
    CHECK_EQ(rico_world_bake(world, &box, &part), RICO_OK);
    CHECK(part.cells >= 25 && part.cells < 250);
    add_fountains(world, 1.0f);
    CHECK_EQ(rico_effect_bake(world, (rico_effect_id){5, 1}, 2.0f, &near), RICO_OK);
    CHECK(near.known > 0 && near.known == near.cells); /* in the middle */
    CHECK_EQ(rico_effect_bake(world, (rico_effect_id){1, 1}, 3.0f, &near), RICO_OK);
    CHECK(near.cells > near.known);
    CHECK_EQ(rico_world_bake(world, NULL, &all), RICO_OK);
    CHECK(all.cells > part.cells && all.known > part.cells && all.known < all.cells);
    CHECK_EQ(rico_effect_bake(world, (rico_effect_id){1, 7}, 3.0f, NULL), RICO_STALE_ID);
    CHECK_EQ(rico_effect_bake(world, (rico_effect_id){1, 1}, -1.0f, NULL), RICO_OUT_OF_RANGE);
    rico_world_destroy(world);
}

TEST(bake, of_a_box_takes_as_long_as_the_box_however_wide_the_world)
{
    static const float corners[] = {0.0f, 0.0f, 0.0f, 0.1f, 0.0f, 0.0f, 0.0f, 0.1f, 0.0f};
    static const uint32_t indices[] = {0, 1, 2};
    const rico_mesh speck = {
        .positions = corners, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    const rico_box box = {{-2.0f, -2.0f, -2.0f}, {2.0f, 2.0f, 2.0f}};
    static const float places[] = {300.0f, 2.0e4f, 9.0e5f}; /* coverage has ever larger cells */
    for (int k = 0; k < 3; ++k) {
        rico_bake_report part, all;
        rico_world *world = plain_world(1, 0.3f, 0.5f, 1 << 20);
        for (int way = -1; way < 2; way += 2) {
            rico_transform far = at(places[k] * (float)way, places[k], places[k] * (float)way);
            CHECK(rico_world_add_mesh(world, &speck, far).index1 != 0);
        }
        CHECK_EQ(rico_world_bake(world, &box, &part), RICO_OK);
        CHECK_MSG(part.cells >= 36 && part.cells < 200, "%g m: %d", (double)places[k],
                  (int)part.cells); /* 6 x 6 have a part of the square */
        /* A bake of all asks about what is there only. The third place is too far out for
         * cells. */
        CHECK_EQ(rico_world_bake(world, NULL, &all), RICO_OK);
        uint64_t more = k < 2 ? 2 : 0;
        CHECK_MSG(all.known > 0 && all.cells >= all.known + more &&
                      all.cells < part.cells + 100,
                  "%g m: %d known of %d", (double)places[k], (int)all.known, (int)all.cells);
        rico_world_destroy(world);
    }
}

TEST(bake, into_a_cache_that_is_too_small_keeps_what_fits)
{
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = 64 << 10;
    def.max_particles = 4096;
    def.max_effects = 16;
    def.log.write = hear;
    reason[0] = '\0';
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    rico_bake_report report;
    CHECK_EQ(rico_world_bake(world, NULL, &report), RICO_OK);
    CHECK(report.dropped > 0 && report.dropped < report.cells);
    CHECK_MSG(strstr(reason, "rico_world_bake: ") != NULL, "'%s'", reason);
    /* Even if only one record was dropped, the recommended size is more than the cache has. */
    CHECK(rico__cache_bytes_for(world, 1) > def.cache_bytes);
    CHECK(rico_world_get_stats(world).cache_evicted == 0);
    add_fountains(world, 1.0f);
    run_steps(world, 60);
    rico_world_destroy(world);
}

static rico_world *floor_world(float half, uint32_t squares, float cell_size, uint64_t cache)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.max_effects = 16;
    def.classic_cache_bytes = 64 << 10;
    def.cache_bytes = cache;
    def.cell_size = cell_size;
    def.worker_count = 1;
    def.log.write = hear;
    rico_world *world = NULL;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_floor_of_squares(world, half, squares, 0.0f);
    return world;
}

/* Cells of the scene grow with its triangles, so for large triangles the scene says that the
 * air around the ground may be occupied. A bake must still ask about the same cells for
 * triangles of 1 m and of 400 km. */
TEST(bake, of_ground_asks_about_the_ground_however_large_its_triangles_are)
{
    const rico_box box = {{-15.0f, -15.0f, -15.0f}, {15.0f, 15.0f, 15.0f}};
    static const float halves[] = {20.0f, 2000.0f, 2.0e5f};
    uint64_t first = 0;
    for (int i = 0; i < 3; ++i) {
        rico_world *world = floor_world(halves[i], i == 0 ? 40 : 1, 0.5f, 8 << 20);
        rico_bake_report report;
        reason[0] = '\0';
        CHECK_EQ(rico_world_bake(world, &box, &report), RICO_OK);
        first = i == 0 ? report.cells : first;
        CHECK_MSG(report.cells == first && first > 2 * 60 * 60 && first < 2 * 64 * 64,
                  "%g m: %d, not %d", (double)halves[i], (int)report.cells, (int)first);
        CHECK_MSG(report.dropped == 0 && !report.cut_short && reason[0] == '\0', "'%s'",
                  reason);
        CHECK_EQ(rico_world_get_stats(world).cache_records, first);
        rico_world_destroy(world);
    }
}

TEST(bake, of_more_than_the_cache_can_hold_ends_early_and_says_so)
{
    rico_world *world = floor_world(5.0e5f, 1, 0.5f, 64 << 10);
    const uint64_t places = rico_cache_get_stats(world->records).record_capacity;
    rico_bake_report report;
    reason[0] = '\0';
    world->memory.peak_bytes = world->memory.live_bytes;
    const size_t before = world->memory.live_bytes;
    CHECK_EQ(rico_world_bake(world, NULL, &report), RICO_OK);
    CHECK_MSG(report.cut_short && report.cells == places, "%d of %d", (int)report.cells,
              (int)places);
    CHECK_MSG(world->memory.peak_bytes - before < 1 << 20, "%zu bytes",
              world->memory.peak_bytes - before);
    const char *parts[] = {"rico_world_bake: ", "def.cache_bytes, which is 65536",
                           "not queried"};
    for (int i = 0; i < 3; ++i)
        CHECK_MSG(strstr(reason, parts[i]) != NULL, "'%s'", reason);
    rico_world_destroy(world);
}

/* Reads the first numbers of the last message. */
static void read_reason(uint64_t *number, uint32_t count)
{
    const char *at = reason;
    for (uint32_t i = 0; i < count; ++i) {
        at += strcspn(at, "0123456789");
        char *end = NULL;
        number[i] = strtoull(at, &end, 10);
        at = end;
    }
}

TEST(bake, a_load_that_does_not_fit_says_what_is_missing_and_what_would_do)
{
    rico_world *large = plain_world(1, 0.25f, 0.05f, 4 << 20);
    rico_world *small = plain_world(1, 0.25f, 0.05f, 64 << 10);
    CHECK_EQ(rico_world_bake(large, NULL, NULL), RICO_OK);
    uint64_t all = rico_world_get_stats(large).cache_records, said[4];
    bytes b = saved(large);
    reason[0] = '\0';
    CHECK_EQ(rico_world_load_cache(large, b.data, b.count), RICO_OK); /* all known */
    CHECK_MSG(reason[0] == '\0', "'%s'", reason);
    for (int round = 0; round < 2; ++round) { /* in the second round many are there */
        CHECK_EQ(rico_world_load_cache(small, b.data, b.count), RICO_OK);
        read_reason(said, 4);
        uint64_t there = rico_world_get_stats(small).cache_records;
        CHECK_MSG(there < all && said[0] == all - there && said[1] == all &&
                      said[2] == 64 << 10 && said[3] > 64 << 10,
                  "'%s' of %d, %d there", reason, (int)all, (int)there);
        reason[0] = '\0';
    }
    rico_world *enough = plain_world(1, 0.25f, 0.05f, said[3]);
    CHECK_EQ(rico_world_load_cache(enough, b.data, b.count), RICO_OK);
    CHECK(rico_world_get_stats(enough).cache_records + all / 1000 >= all);
    free(b.data);
    rico_world_destroy(large);
    rico_world_destroy(small);
    rico_world_destroy(enough);
}

static uint64_t hash_of_loaded(const bytes *b, uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    CHECK_EQ(rico_world_load_cache(world, b->data, b->count), RICO_OK);
    add_fountains(world, 1.0f);
    uint64_t hash = rico_world_hash(world);
    for (int i = 0; i < 60; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        hash = hash * 31 + rico_world_hash(world);
        CHECK_EQ(rico_world_get_stats(world).requests, 0);
    }
    rico_world_destroy(world);
    return hash;
}

TEST(bake, worlds_that_load_the_same_bytes_do_the_same)
{
    rico_world *world = small_world(2, true);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    bytes b = saved(world);
    rico_world_destroy(world);
    uint64_t hash = hash_of_loaded(&b, 1);
    CHECK_EQ(hash_of_loaded(&b, 2), hash);
    CHECK_EQ(hash_of_loaded(&b, 3), hash);
    unsigned char *odd = malloc(b.count + 1); /* without any alignment */
    memcpy(odd + 1, b.data, b.count);
    bytes moved = {.data = odd + 1, .count = b.count};
    CHECK_EQ(hash_of_loaded(&moved, 1), hash);
    free(odd);
    free(b.data);
}

TEST(bake, a_loaded_cache_is_the_one_that_was_saved)
{
    rico_world *world = small_world(2, true), *other = small_world(1, true);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    bytes b = saved(world);
    CHECK_EQ(rico_world_load_cache(other, b.data, b.count), RICO_OK);
    bytes again = saved(other);
    CHECK(b.count == again.count && memcmp(b.data, again.data, b.count) == 0);
    CHECK_EQ(rico_cache_hash(world->records), rico_cache_hash(other->records));
    const uint32_t *size = world->coverage.size;
    const size_t words = (size_t)size[0] * size[1] * size[2] * sizeof *world->coverage.cells;
    CHECK(words > 0 && memcmp(size, other->coverage.size, sizeof world->coverage.size) == 0);
    CHECK(memcmp(world->coverage.cells, other->coverage.cells, words) == 0);
    CHECK(memcmp(world->coverage.boxes, other->coverage.boxes, words) == 0);
    free(b.data);
    free(again.data);
    rico_world_destroy(world);
    rico_world_destroy(other);
}

/* --- What is refused ----------------------------------------------------------------------- */

/* Loading must be refused with a message that has these words, and the cache must stay empty. */
static void check_refused(rico_world *world, const void *data, size_t count, const char *words)
{
    reason[0] = '\0';
    CHECK_EQ(rico_world_load_cache(world, data, count), RICO_BAD_FILE);
    CHECK_EQ(rico_world_last_result(world), RICO_BAD_FILE);
    CHECK_MSG(strstr(reason, words) != NULL, "'%s' for '%s'", reason, words);
    CHECK_EQ(rico_world_get_stats(world).cache_records, 0);
}

TEST(bake, every_truncated_file_is_refused)
{
    bytes b = small_file();
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    for (size_t count = 0; count < b.count; ++count) {
        unsigned char *exact = malloc(count + 1); /* an exact size, to detect reads past it */
        memcpy(exact, b.data, count);
        exact = realloc(exact, count > 0 ? count : 1);
        check_refused(world, exact, count, "truncated");
        free(exact);
    }
    CHECK_EQ(rico_world_load_cache(world, b.data, b.count), RICO_OK);
    CHECK(rico_world_get_stats(world).cache_records > 0);
    free(b.data);
    rico_world_destroy(world);
}

TEST(bake, every_flipped_bit_is_found)
{
    bytes b = small_file();
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    for (size_t bit = 0; bit < 8 * b.count; ++bit) {
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_refused(world, b.data, b.count, ": it ");
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(b.data);
    rico_world_destroy(world);
}

TEST(bake, what_is_not_for_this_world_is_refused_and_says_why)
{
    bytes b = small_file();
    rico_world *same = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    rico_world *higher = plain_world(1, 0.26f, 1.0f, SMALL_CACHE);
    rico_world *finer = plain_world(1, 0.25f, 0.5f, SMALL_CACHE);
    check_refused(higher, b.data, b.count, "another scene");
    check_refused(finer, b.data, b.count, "cell_size");
    check_refused(same, NULL, 0, "data is NULL");
    check_refused(same, "RICOBAKE, it says here, and then a long text that is nothing else", 64,
                  "byte order");
    check_refused(same, reason, sizeof reason, "not a saved cache");
    unsigned char *longer = calloc(b.count + 4, 1);
    memcpy(longer, b.data, b.count);
    check_refused(same, longer, b.count + 4, "longer");
    free(longer);
    uint32_t version;
    memcpy(&version, b.data + 12, sizeof version);
    set_word(&b, 12, version - 1);
    seal(&b);
    check_refused(same, b.data, b.count, "version");
    set_word(&b, 12, version);
    set_word(&b, 8, 0x04030201u);
    seal(&b);
    check_refused(same, b.data, b.count, "byte order");
    set_word(&b, 8, 0x01020304u);
    seal(&b);
    CHECK_EQ(rico_world_load_cache(same, b.data, b.count), RICO_OK);
    free(b.data);
    rico_world_destroy(same);
    rico_world_destroy(higher);
    rico_world_destroy(finer);
}

TEST(bake, failures_leave_nothing_half_done)
{
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    rico_box bad = {{0.0f, 0.0f, 0.0f}, {1.0f, -1.0f, 1.0f}};
    rico_bake_report report = {1, 1, 1, true};
    CHECK_EQ(rico_world_bake(world, &bad, &report), RICO_OUT_OF_RANGE);
    CHECK(report.cells == 0 && report.known == 0 && report.dropped == 0);
    bad.hi.y = NAN;
    CHECK_EQ(rico_world_bake(world, &bad, NULL), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_last_result(world), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    bytes all = saved(world);
    for (size_t most = 1; most < all.count; most += 7) {
        bytes b = {.most = most};
        CHECK_EQ(rico_world_save_cache(world, keep, &b), RICO_NOT_WRITTEN);
        CHECK(b.count <= most);
        free(b.data);
    }
    free(all.data);
    rico_world_destroy(world);
}

typedef struct meddler {
    rico_world *world;
    bytes out;
    uint32_t calls;
} meddler;

/* Tries all calls that would change what is being saved. */
static void meddle(meddler *m)
{
    static const float corners[] = {0.0f, 0.0f, 0.3f, 0.1f, 0.0f, 0.3f, 0.0f, 0.1f, 0.3f};
    static const uint32_t indices[] = {0, 1, 2};
    const rico_mesh speck = {
        .positions = corners, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    if (m->calls++ % 5 != 2)
        return;
    CHECK_EQ(rico_world_add_mesh(m->world, &speck, RICO_TRANSFORM_IDENTITY).index1, 0);
    CHECK_EQ(rico_world_last_result(m->world), RICO_BUSY);
    CHECK_EQ(rico_world_bake(m->world, NULL, NULL), RICO_BUSY);
    CHECK_EQ(rico_world_load_cache(m->world, "", 1), RICO_BUSY);
    CHECK_EQ(rico_world_shift_origin(m->world, (rico_vec3){1.0f, 0.0f, 0.0f}), RICO_BUSY);
}

static bool keep_and_meddle(void *user, const void *data, size_t count)
{
    meddler *m = user;
    meddle(m);
    return keep(&m->out, data, count);
}

static void draw_and_meddle(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal)
{
    (void)a, (void)b, (void)normal;
    meddle(user);
}

TEST(bake, whoever_takes_what_is_saved_or_drawn_cannot_change_the_world)
{
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    rico_box all = {{-9.0f, -9.0f, -9.0f}, {9.0f, 9.0f, 9.0f}};
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    bytes plain = saved(world);
    meddler m = {.world = world};
    CHECK_EQ(rico_world_save_cache(world, keep_and_meddle, &m), RICO_OK);
    CHECK(m.calls > 5 && m.out.count == plain.count &&
          memcmp(m.out.data, plain.data, plain.count) == 0);
    CHECK_EQ(rico_world_draw_cache(world, &all, draw_and_meddle, &m), RICO_OK);
    m.out.most = 1; /* the writer gives up, after which the world may be edited again */
    CHECK_EQ(rico_world_save_cache(world, keep_and_meddle, &m), RICO_NOT_WRITTEN);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_world_load_cache(world, plain.data, plain.count), RICO_OK);
    free(plain.data);
    free(m.out.data);
    rico_world_destroy(world);
}

TEST(bake, without_memory_it_fails_and_the_world_goes_on)
{
    counting_allocator memory = {.fail_at = -1};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.max_effects = 16;
    def.cache_bytes = 1 << 20;
    def.allocator = (rico_allocator){counting_allocate, counting_release, &memory};
    def.log.write = hear;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    bytes b = saved(world);
    long live = memory.live_bytes;
    memory.fail_at = memory.calls;
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OUT_OF_MEMORY);
    memory.fail_at = memory.calls;
    CHECK_EQ(rico_world_save_cache(world, keep, &b), RICO_OUT_OF_MEMORY);
    memory.fail_at = memory.calls;
    CHECK_EQ(rico_world_load_cache(world, b.data, b.count), RICO_OUT_OF_MEMORY);
    CHECK_EQ(memory.live_bytes, live);
    memory.fail_at = -1;
    add_fountains(world, 1.0f);
    run_steps(world, 10);
    free(b.data);
    rico_world_destroy(world);
    CHECK_EQ(memory.live_bytes, 0);
}

static void cast_nothing(void *user, const rico_filter *filter, const rico_ray *rays,
                         rico_hit *hits, uint32_t count)
{
    (void)user, (void)filter, (void)rays;
    memset(hits, 0, count * sizeof *hits);
}

static void no_line(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal)
{
    (void)user;
    (void)a;
    (void)b;
    (void)normal;
}

TEST(bake, worlds_on_a_ray_caster_have_no_records)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.ray_caster.cast = cast_nothing;
    def.log.write = hear;
    rico_world *world;
    bytes b = {0};
    rico_box box = {{0, 0, 0}, {1, 1, 1}};
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_NO_SCENE);
    CHECK_EQ(rico_world_save_cache(world, keep, &b), RICO_NO_SCENE);
    CHECK_EQ(rico_world_load_cache(world, "", 1), RICO_NO_SCENE);
    CHECK_EQ(rico_world_draw_cache(world, &box, no_line, NULL), RICO_NO_SCENE);
    CHECK_EQ(b.count, 0);
    rico_world_destroy(world);
}

/* --- Drawing ------------------------------------------------------------------------------- */
