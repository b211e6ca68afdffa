/* test_base.c - results, memory, hash, bits, log, asserts, cpu. */
#include "bits.h"
#include "check.h"
#include "clock.h"
#include "cpu.h"
#include "hash.h"
#include "limit.h"
#include "log.h"
#include "memory.h"
#include "testing.h"
#include "vec.h"

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

/* --- Results ------------------------------------------------------------------------------ */

TEST(base, every_result_has_a_name_and_a_text_of_its_own)
{
    for (int i = 0; i < RICO_RESULT_COUNT; ++i) {
        const char *name = rico_result_name((rico_result)i);
        const char *text = rico_result_text((rico_result)i);
        CHECK_MSG(strncmp(name, "RICO_", 5) == 0, "code %d is named %s", i, name);
        CHECK_MSG(strlen(text) > 1, "%s has no text", name);
        for (int j = 0; j < i; ++j) {
            CHECK(strcmp(name, rico_result_name((rico_result)j)) != 0);
            CHECK(strcmp(text, rico_result_text((rico_result)j)) != 0);
        }
    }
    CHECK(RICO_OK == 0);
    CHECK(strcmp(rico_result_name(RICO_FULL), "RICO_FULL") == 0);
}

TEST(base, unknown_results_are_named_as_such)
{
    const int unknown[] = {-1, RICO_RESULT_COUNT, 1000000};
    for (int i = 0; i < 3; ++i) {
        CHECK(strcmp(rico_result_name((rico_result)unknown[i]), "unknown result") == 0);
        CHECK(strcmp(rico_result_text((rico_result)unknown[i]), "unknown result") == 0);
    }
}

/* --- Memory ------------------------------------------------------------------------------- */

/* An allocator that hands out dirty memory, checks what comes back, and can run out. */
typedef struct picky_host {
    size_t live_bytes, calls_left;
    bool mismatch;
} picky_host;

static void *picky_allocate(void *user, size_t bytes, size_t alignment)
{
    picky_host *host = user;
    if (host->calls_left == 0)
        return NULL;
    host->calls_left -= 1;
    void *block = NULL;
    if (posix_memalign(&block, alignment < 16 ? 16 : alignment, bytes + 16) != 0)
        return NULL;
    memset(block, 0xa5, bytes + 16);
    memcpy((char *)block + bytes, &bytes, sizeof bytes); /* read again at release */
    host->live_bytes += bytes;
    return block;
}

static void picky_release(void *user, void *block, size_t bytes, size_t alignment)
{
    picky_host *host = user;
    size_t allocated;
    memcpy(&allocated, (char *)block + bytes, sizeof allocated);
    host->mismatch |= allocated != bytes || (uintptr_t)block % alignment != 0;
    host->live_bytes -= bytes;
    free(block);
}

static bool all_zero(const void *block, size_t bytes)
{
    const unsigned char *byte = block;
    for (size_t i = 0; i < bytes; ++i)
        if (byte[i] != 0)
            return false;
    return true;
}

TEST(base, memory_is_zeroed_aligned_and_counted_to_the_byte)
{
    picky_host host = {0, 100, false};
    rico_allocator hooks = {picky_allocate, picky_release, &host};
    rico__memory memory;
    rico__memory_init(&memory, &hooks);
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        void *block = rico__memory_allocate(&memory, 7, 13, alignment);
        CHECK(block != NULL);
        CHECK((uintptr_t)block % alignment == 0);
        CHECK(all_zero(block, 7 * 13));
        CHECK_EQ(memory.live_bytes, 7 * 13);
        rico__memory_release(&memory, block, 7, 13, alignment);
    }
    CHECK_EQ(memory.live_bytes, 0);
    CHECK_EQ(memory.peak_bytes, 7 * 13);
    CHECK_EQ(memory.allocation_count, 13);
    CHECK_EQ(host.live_bytes, 0);
    CHECK(!host.mismatch);
}

TEST(base, memory_peak_is_of_what_lived_together)
{
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    void *a = rico__memory_allocate(&memory, 100, 1, 1);
    void *b = rico__memory_allocate(&memory, 50, 4, RICO_CACHE_LINE);
    CHECK(a != NULL && b != NULL);
    rico__memory_release(&memory, a, 100, 1, 1);
    void *c = rico__memory_allocate(&memory, 10, 1, 1);
    CHECK(c != NULL);
    CHECK_EQ(memory.live_bytes, 210);
    CHECK_EQ(memory.peak_bytes, 300);
    rico__memory_release(&memory, b, 50, 4, RICO_CACHE_LINE);
    rico__memory_release(&memory, c, 10, 1, 1);
    rico__memory_release(&memory, NULL, 1, 1, 1);
    CHECK_EQ(memory.live_bytes, 0);
}

TEST(base, memory_of_a_size_that_overflows_is_refused)
{
    picky_host host = {0, 100, false};
    rico_allocator hooks = {picky_allocate, picky_release, &host};
    rico__memory memory;
    rico__memory_init(&memory, &hooks);
    CHECK(rico__memory_allocate(&memory, SIZE_MAX, 2, 64) == NULL);
    CHECK(rico__memory_allocate(&memory, 2, SIZE_MAX, 64) == NULL);
    CHECK(rico__memory_allocate(&memory, SIZE_MAX / 8 + 1, 8, 64) == NULL);
    CHECK(rico__memory_allocate(&memory, SIZE_MAX, SIZE_MAX, 64) == NULL);
    CHECK(rico__memory_allocate(&memory, 0, 8, 64) == NULL);
    CHECK(rico__memory_allocate(&memory, 8, 0, 64) == NULL);
    CHECK_EQ(host.calls_left, 100); /* the host is not even called */
    CHECK_EQ(memory.live_bytes, 0);
    CHECK_EQ(memory.allocation_count, 0);
}

TEST(base, memory_that_the_host_does_not_have_changes_no_count)
{
    picky_host host = {0, 1, false};
    rico_allocator hooks = {picky_allocate, picky_release, &host};
    rico__memory memory;
    rico__memory_init(&memory, &hooks);
    void *block = rico__memory_allocate(&memory, 4, 4, 16);
    CHECK(block != NULL);
    CHECK(rico__memory_allocate(&memory, 4, 4, 16) == NULL);
    CHECK_EQ(memory.live_bytes, 16);
    CHECK_EQ(memory.peak_bytes, 16);
    CHECK_EQ(memory.allocation_count, 1);
    rico__memory_release(&memory, block, 4, 4, 16);
}

/* --- Hash --------------------------------------------------------------------------------- */

enum { WORD_COUNT = 67 };

static void fill_words(uint32_t *words)
{
    for (uint32_t i = 0; i < WORD_COUNT; ++i)
        words[i] = (uint32_t)(rico__mix64(i) >> 16);
}

static uint64_t hash_of(const uint32_t *words, size_t count)
{
    rico__hash hash;
    rico__hash_init(&hash, 7);
    rico__hash_words(&hash, words, count);
    return rico__hash_value(&hash);
}

TEST(base, hash_does_not_depend_on_how_a_sequence_is_split)
{
    uint32_t words[WORD_COUNT];
    fill_words(words);
    uint64_t whole = hash_of(words, WORD_COUNT);
    for (size_t first = 0; first <= WORD_COUNT; ++first)
        for (size_t second = first; second <= WORD_COUNT; ++second) {
            rico__hash hash;
            rico__hash_init(&hash, 7);
            rico__hash_words(&hash, words, first);
            rico__hash_words(&hash, words + first, second - first);
            rico__hash_words(&hash, words + second, WORD_COUNT - second);
            CHECK(rico__hash_value(&hash) == whole);
        }
}

TEST(base, hash_feels_every_bit_of_every_word)
{
    uint32_t words[WORD_COUNT];
    fill_words(words);
    uint64_t whole = hash_of(words, WORD_COUNT);
    for (size_t i = 0; i < WORD_COUNT; ++i)
        for (uint32_t bit = 0; bit < 32; ++bit) {
            words[i] ^= 1u << bit;
            uint32_t changed = bits_count64(hash_of(words, WORD_COUNT) ^ whole);
            CHECK_MSG(changed >= 8 && changed <= 56, "word %zu bit %u changes %u bits", i,
                      (unsigned)bit, (unsigned)changed);
            words[i] ^= 1u << bit;
        }
}

TEST(base, hash_feels_order_length_and_seed)
{
    uint32_t words[WORD_COUNT];
    fill_words(words);
    uint64_t whole = hash_of(words, WORD_COUNT);
    for (size_t i = 0; i < WORD_COUNT; ++i)
        for (size_t j = 0; j < i; ++j) {
            uint32_t kept = words[i];
            words[i] = words[j];
            words[j] = kept;
            CHECK_MSG(hash_of(words, WORD_COUNT) != whole, "swapping %zu and %zu", i, j);
            words[j] = words[i];
            words[i] = kept;
        }
    uint32_t zeroes[8] = {0};
    for (size_t count = 0; count < 8; ++count)
        CHECK(hash_of(zeroes, count) != hash_of(zeroes, count + 1));
    rico__hash a, b;
    rico__hash_init(&a, 1);
    rico__hash_init(&b, 2);
    CHECK(rico__hash_value(&a) != rico__hash_value(&b));
}

TEST(base, hash_of_values_is_the_hash_of_their_words)
{
    const float floats[5] = {1.0f, -0.0f, 0.0f, 2.5f, -1.0e-40f};
    rico__hash a, b;
    rico__hash_init(&a, 0);
    rico__hash_init(&b, 0);
    rico__hash_floats(&a, floats, 5);
    rico__hash_u64(&a, 0x0123456789abcdefULL);
    const uint32_t words[7] = {0x3f800000, 0x80000000, 0,         0x40200000,
                               0x800116c2, 0x89abcdef, 0x01234567};
    for (int i = 0; i < 7; ++i)
        rico__hash_u32(&b, words[i]);
    CHECK(rico__hash_value(&a) == rico__hash_value(&b));
}

TEST(base, hash_spreads_small_inputs_evenly)
{
    enum { BINS = 256, PER_BIN = 64 };
    uint32_t low[BINS] = {0}, high[BINS] = {0};
    for (uint32_t i = 0; i < BINS * PER_BIN; ++i) {
        uint64_t value = hash_of(&i, 1);
        low[value % BINS] += 1;
        high[value >> 56] += 1;
    }
    double chi_low = 0.0, chi_high = 0.0;
    for (int i = 0; i < BINS; ++i) {
        chi_low += pow((double)low[i] - (double)PER_BIN, 2.0) / (double)PER_BIN;
        chi_high += pow((double)high[i] - (double)PER_BIN, 2.0) / (double)PER_BIN;
    }
    /* 255 degrees of freedom: mean 255, standard deviation 22.6; five of them either way. */
    CHECK_NEAR(chi_low, 255.0, 113.0);
    CHECK_NEAR(chi_high, 255.0, 113.0);
}

TEST(base, hash_keeps_its_golden_values)
{
    uint32_t words[WORD_COUNT];
    fill_words(words);
    CHECK_EQ(rico__mix64(1), 0xb456bcfc34c2cb2cULL);
    CHECK_EQ(hash_of(words, 0), 0xea889b7c11f5e0d5ULL);
    CHECK_EQ(hash_of(words, WORD_COUNT), 0x5353221da3b5f285ULL);
}

/* --- Bits and clock ----------------------------------------------------------------------- */

TEST(base, bits_are_counted_found_and_rounded_up)
{
    for (uint32_t i = 0; i < 64; ++i) {
        CHECK_EQ(bits_lowest64(~0ULL << i), i);
        CHECK_EQ(bits_count64((1ULL << i) - 1), i);
    }
    CHECK_EQ(bits_count64(~0ULL), 64);
    CHECK_EQ(bits_ceil_power2(1), 1);
    for (uint32_t i = 1; i < 31; ++i) {
        CHECK_EQ(bits_ceil_power2(1u << i), 1u << i);
        CHECK_EQ(bits_ceil_power2((1u << i) + 1), 2u << i);
    }
    CHECK_EQ(bits_ceil_power2(1u << 31), 1u << 31);
    CHECK_EQ(uint_min(3, 4), 3);
    CHECK_EQ(uint_max(3, 4), 4);
}

TEST(base, clock_never_goes_back)
{
    uint64_t before = rico__clock_ns();
    for (int i = 0; i < 1000; ++i) {
        uint64_t now = rico__clock_ns();
        CHECK(now >= before);
        before = now;
    }
}

/* --- Log ---------------------------------------------------------------------------------- */

typedef struct heard {
    int count;
    rico_log_level level;
    char text[2 * RICO_LOG_TEXT_BYTES];
} heard;

static void hear(void *user, rico_log_level level, const char *text)
{
    heard *h = user;
    h->count += 1;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", text);
}

TEST(base, log_formats_and_passes_the_level_on)
{
    heard h = {0};
    rico_log log = {hear, &h};
    rico__log(&log, RICO_LOG_WARNING, "%s has %d of %g", "cache", 3, 4.5);
    CHECK_EQ(h.count, 1);
    CHECK(h.level == RICO_LOG_WARNING);
    CHECK(strcmp(h.text, "cache has 3 of 4.5") == 0);
}

TEST(base, failure_names_the_call_and_returns_its_code)
{
    heard h = {0};
    rico_log log = {hear, &h};
    rico_result result = rico__fail(&log, RICO_OUT_OF_RANGE, "rico_world_create",
                                    "max_effects is %d, expected %d..%d", 0, 1, 9);
    CHECK(result == RICO_OUT_OF_RANGE);
    CHECK_EQ(h.count, 1);
    CHECK(h.level == RICO_LOG_ERROR);
    CHECK(strcmp(h.text, "rico_world_create: max_effects is 0, expected 1..9") == 0);
}

TEST(base, log_texts_that_are_too_long_are_cut)
{
    char word[4 * RICO_LOG_TEXT_BYTES];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    heard h = {0};
    rico_log log = {hear, &h};
    rico__log(&log, RICO_LOG_INFO, "%s", word);
    CHECK_EQ(strlen(h.text), RICO_LOG_TEXT_BYTES - 1);
    rico__fail(&log, RICO_FULL, "call", "%s", word);
    CHECK_EQ(strlen(h.text), RICO_LOG_TEXT_BYTES - 1);
    CHECK(strncmp(h.text, "call: xxx", 9) == 0);
    rico__fail(&log, RICO_FULL, word, "the reason");
    CHECK(strcmp(h.text, "the reason") == 0); /* a call that fills the whole line is left out */
}

#if !defined(_WIN32)

/* Captures what body writes to standard error. */
static void capture_standard_error(void (*body)(void), char *text, size_t bytes)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(stderr);
    int kept = dup(2);
    CHECK(kept >= 0 && dup2(ends[1], 2) == 2);
    close(ends[1]);
    body();
    fflush(stderr);
    CHECK(dup2(kept, 2) == 2);
    close(kept);
    ssize_t got = read(ends[0], text, bytes - 1);
    close(ends[0]);
    text[got > 0 ? got : 0] = '\0';
}

static void log_without_a_hook(void)
{
    rico_log none = {NULL, NULL};
    rico__log(&none, RICO_LOG_INFO, "not shown");
    rico__log(NULL, RICO_LOG_INFO, "not shown");
    rico__log(&none, RICO_LOG_WARNING, "a warning");
    rico__log(NULL, RICO_LOG_ERROR, "an error");
}

TEST(base, log_without_a_hook_prints_errors_and_warnings_only)
{
    char text[512];
    capture_standard_error(log_without_a_hook, text, sizeof text);
    CHECK_MSG(strcmp(text, "ricochet: a warning\nricochet: an error\n") == 0, "%s", text);
}

#endif

/* --- Asserts ------------------------------------------------------------------------------ */

static char asserted_expression[64];
static int asserted_line, assert_count;

static void note_assert(const char *expression, const char *file, int line)
{
    snprintf(asserted_expression, sizeof asserted_expression, "%s", expression);
    assert_count += strstr(file, "test_base.c") != NULL;
    asserted_line = line;
}

TEST(base, failed_requirement_calls_the_handler_and_is_false)
{
    rico_assert_set_handler(note_assert);
    assert_count = 0;
    CHECK(RICO_REQUIRE(1 + 1 == 2));
    CHECK_EQ(assert_count, 0);
    volatile int one = 1;
    bool kept = RICO_REQUIRE(one + one == 3);
    CHECK_EQ(asserted_line, __LINE__ - 1);
    CHECK(!kept);
    CHECK_EQ(assert_count, 1);
    CHECK(strcmp(asserted_expression, "one + one == 3") == 0);
    rico_assert_set_handler(NULL);
}

TEST(base, asserts_cost_nothing_below_their_level)
{
    rico_assert_set_handler(note_assert);
    assert_count = 0;
    int evaluated = 0;
    RICO_ASSERT(++evaluated == 0);
    RICO_ASSERT_SLOW(++evaluated == 0);
    CHECK_EQ(evaluated, RICO_ASSERT_LEVEL - 1);
    CHECK_EQ(assert_count, RICO_ASSERT_LEVEL - 1);
    rico_assert_set_handler(NULL);
}

#if !defined(_WIN32)

TEST(base, failed_requirement_without_a_handler_aborts)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        rico_assert_set_handler(note_assert);
        rico_assert_set_handler(NULL); /* the default again */
        close(2);
        rico__assert_failed("x", "file.c", 1);
        _exit(0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#endif

/* --- CPU ---------------------------------------------------------------------------------- */

static rico__isa best_isa(void)
{
    rico__isa best = RICO_ISA_SCALAR;
    for (int i = 0; i < RICO_ISA_COUNT; ++i)
        if (rico__cpu_has((rico__isa)i))
            best = (rico__isa)i;
    return best;
}

TEST(base, isa_is_the_one_asked_for_where_the_cpu_has_it)
{
    CHECK(rico__cpu_has(RICO_ISA_SCALAR));
    for (int i = 0; i < RICO_ISA_COUNT; ++i) {
        rico__isa isa = (rico__isa)i;
        CHECK(setenv("RICO_ISA", rico__isa_name(isa), 1) == 0);
        CHECK_MSG(rico__cpu_isa() == (rico__cpu_has(isa) ? isa : best_isa()), "%s gives %s",
                  rico__isa_name(isa), rico__isa_name(rico__cpu_isa()));
    }
}

/* The size in bytes that Linux reports; 0 = Linux reports none. */
static size_t first_cache_of_kernel(void)
{
    unsigned level = 0, kib = 0;
    char type[16] = "";
    static const char *const files[] = {"level", "type", "size"};
    for (int i = 0; i < 3; ++i) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index0/%s", files[i]);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return 0;
        bool read = i == 0   ? fscanf(file, "%u", &level) == 1
                    : i == 1 ? fscanf(file, "%15s", type) == 1
                             : fscanf(file, "%uK", &kib) == 1;
        fclose(file);
        if (!read)
            return 0;
    }
    return level == 1 && strcmp(type, "Data") == 0 ? (size_t)kib << 10 : 0;
}

TEST(base, size_of_the_first_cache_is_the_kernel_s_where_it_is_known)
{
    size_t bytes = rico__cpu_first_cache(), expected = first_cache_of_kernel();
    bool known = bytes != 0;
#if defined(__GLIBC__) && defined(__x86_64__)
    known = true;
#endif
    if (known && expected != 0)
        CHECK_EQ(bytes, expected);
}

TEST(base, isa_that_is_unknown_is_ignored)
{
    const char *unknown[] = {"", "avx", "AVX2", "scalar ", "sse9"};
    for (int i = 0; i < 5; ++i) {
        CHECK(setenv("RICO_ISA", unknown[i], 1) == 0);
        CHECK(rico__cpu_isa() == best_isa());
    }
    CHECK(unsetenv("RICO_ISA") == 0);
    CHECK(rico__cpu_isa() == best_isa());
    CHECK(strcmp(rico__isa_name(RICO_ISA_COUNT), "unknown") == 0);
}

TEST(base, limits_name_the_member_and_tell_infinities_from_what_is_out_of_range)
{
    heard h = {0};
    rico_log log = {hear, &h};
    CHECK_EQ(rico__limit_number(&log, "call", "def.x", 1.0f, 0.0f, 1.0f), RICO_OK);
    CHECK_EQ(rico__limit_vec3(&log, "call", "def.v", vec3(1, -2, 3), 3.0f), RICO_OK);
    CHECK_EQ(h.count, 0);
    CHECK_EQ(rico__limit_number(&log, "call", "def.x", 2.0f, 0.0f, 1.0f), RICO_OUT_OF_RANGE);
    CHECK(strcmp(h.text, "call: def.x is 2, expected 0 to 1") == 0);
    CHECK_EQ(rico__limit_number(&log, "call", "def.x", INFINITY, 0, 1), RICO_NOT_FINITE);
    CHECK_EQ(rico__limit_vec3(&log, "call", "def.v", vec3(1, -4, 3), 3.0f), RICO_OUT_OF_RANGE);
    CHECK(strcmp(h.text, "call: def.v.y is -4, expected -3 to 3") == 0);
    CHECK_EQ(rico__limit_vec3(&log, "call", "v", vec3(0, 0, NAN), INFINITY), RICO_NOT_FINITE);
    CHECK(strcmp(h.text, "call: v.z is nan, expected a finite number") == 0);
    CHECK_EQ(h.count, 4);
}

/* The checks without a message accept exactly what the checks with a message accept. */
TEST(base, limits_say_the_same_without_a_word)
{
    const float odd[] = {0.0f, -0.0f, 1.0e6f, -1.0e6f, 1.0000001e6f, 3.0e38f, INFINITY, NAN};
    heard h = {0};
    rico_log log = {hear, &h};
    uint32_t placed = 0;
    for (uint32_t i = 0; i < 8 * 8 * 7; ++i) {
        rico_transform t = {{1.0f, 2.0f, 3.0f}, {0.0f, 0.6f, 0.0f, 0.8f}, 2.0f};
        float *numbers[] = {&t.position.x, &t.position.y, &t.position.z, &t.rotation.y,
                            &t.rotation.w, &t.scale,      &t.rotation.x};
        *numbers[i % 7] = odd[i / 7 % 8];
        *numbers[(i + 2) % 7] += odd[i / 56];
        const bool near = rico__limit_vec3(&log, "call", "t.position", t.position,
                                           RICO__MOST_COORDINATE) == RICO_OK;
        const bool valid = rico__limit_transform(&log, "call", "t", &t) == RICO_OK;
        CHECK_EQ(rico__is_within(t.position, RICO__MOST_COORDINATE), near);
        CHECK_MSG(rico__is_placed(&t) == (near && valid), "transform %u", i);
        placed += near && valid;
    }
    CHECK(placed > 20 && placed < 300);
}
