/* Pages for which steps would have to wait: those of records and, with rico_world_def.prefault,
 * of everything that a world reserves. */
#define _DEFAULT_SOURCE /* mincore */
#include "runtime_terrain.h"

static rico_world_def small_def(void)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 65536;
    def.max_effects = 64;
    def.cache_bytes = 4 << 20;
    def.worker_count = 1;
    return def;
}

#if defined(__linux__)

#include <sys/mman.h>
#include <unistd.h>

#define MOST_BLOCKS 1024u

/* Gives each block whole pages of its own. */
typedef struct page_allocator {
    struct {
        void *memory;
        size_t bytes;
    } blocks[MOST_BLOCKS];
    uint32_t count;
} page_allocator;

static void *page_allocate(void *user, size_t bytes, size_t alignment)
{
    page_allocator *pages = user;
    CHECK(pages->count < MOST_BLOCKS && alignment <= 4096);
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
    pages->blocks[pages->count].memory = memory;
    pages->blocks[pages->count++].bytes = bytes;
    return memory;
}

static void page_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    page_allocator *pages = user;
    (void)alignment;
    munmap(memory, bytes);
    for (uint32_t i = 0; i < pages->count; ++i)
        if (pages->blocks[i].memory == memory)
            pages->blocks[i--] = pages->blocks[--pages->count];
}

/* Counts pages that have never been written. */
static uint64_t untouched(const page_allocator *pages)
{
    static unsigned char there[1 << 16];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t count = 0;
    for (uint32_t i = 0; i < pages->count; ++i) {
        size_t of_block = (pages->blocks[i].bytes + page - 1) / page;
        CHECK(of_block <= sizeof there);
        CHECK(mincore(pages->blocks[i].memory, pages->blocks[i].bytes, there) == 0);
        for (size_t p = 0; p < of_block; ++p)
            count += !(there[p] & 1);
    }
    return count;
}

static uint64_t untouched_of_world(bool prefault)
{
    static page_allocator pages;
    rico_world_def def = small_def();
    rico_world *world;
    pages.count = 0;
    def.prefault = prefault;
    def.allocator = (rico_allocator){page_allocate, page_release, &pages};
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    uint64_t count = untouched(&pages);
    rico_world_destroy(world);
    CHECK_EQ(pages.count, 0);
    return count;
}

/* The first recipe of mode cached must touch the pages of records. Otherwise a step would wait
 * while the system hands out 2 MiB for one new record. */
TEST(prefault, of_records_is_when_the_first_recipe_comes_that_has_them)
{
    static page_allocator pages;
    rico_world_def def = small_def();
    rico_world *world;
    pages.count = 0;
    def.allocator = (rico_allocator){page_allocate, page_release, &pages};
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    const uint64_t all = untouched(&pages), table = def.cache_bytes / 4096 * 3 / 4;
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    CHECK(untouched(&pages) + 16 > all);
    r.mode = RICO_COLLIDE_CACHED;
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    const uint64_t left = untouched(&pages);
    CHECK_MSG(left + table < all, "%llu of %llu", (unsigned long long)left,
              (unsigned long long)all);
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    CHECK(untouched(&pages) + 16 > left);
    rico_world_destroy(world);
}

TEST(prefault, leaves_no_page_for_the_steps)
{
    CHECK(untouched_of_world(false) > 1000); /* or the test sees nothing */
    CHECK_EQ(untouched_of_world(true), 0);
}

#endif

static uint64_t hash_of_run(bool prefault)
{
    static terrain ground;
    rico_world_def def = small_def();
    rico_world *world;
    def.prefault = prefault;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    terrain_build(&ground);
    rico_world_add_mesh(world, &ground.mesh, RICO_TRANSFORM_IDENTITY);
    rico_recipe recipe = rico_recipe_default();
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0.0f, 0.0f, 2.0f));
    run_steps(world, 60);
    CHECK(rico_world_get_stats(world).cache_records > 0);
    uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(prefault, changes_no_bit)
{
    CHECK_EQ(hash_of_run(true), hash_of_run(false));
}
