/* testing.h - one test body, two runners.
 *
 * TEST(suite, sentence_of_behaviour) { ... CHECK(...); }
 * is a Criterion test by default. With -DRICO_PLAIN_RUNNER it is a test of plain_runner.c, which
 * works under ThreadSanitizer, LeakSanitizer, valgrind and qemu. A failed check ends its test.
 * Check on the test's main thread only; other threads report through variables.
 */
#ifndef RICO_TESTING_H
#define RICO_TESTING_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tested code runs ten times slower: it is instrumented, or the build says that it is not
 * optimised. */
#ifdef TEST_IS_SLOW
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_IS_SLOW 1
#endif
#endif
#ifndef TEST_IS_SLOW
#define TEST_IS_SLOW 0
#endif

/* The number of random rounds of one property that there is time for, out of n. All with ./dev
 * test --full, a quarter without it, and a tenth where code is slow. */
static inline uint32_t test_rounds(uint32_t n)
{
    if (TEST_IS_SLOW)
        return n / 10;
    return getenv("RICO_TEST_FULL") != NULL ? n : n / 4;
}

/* The same for properties that need several rounds to find anything. All rounds; only `few`
 * where code is slow and the run is not full. */
static inline uint32_t test_few_rounds(uint32_t all, uint32_t few)
{
    return TEST_IS_SLOW && getenv("RICO_TEST_FULL") == NULL ? few : all;
}

/* Whether there is time for one more variant, for example a fourth worker. */
static inline bool test_has_time(void)
{
    return test_few_rounds(1, 0) != 0;
}

#ifdef RICO_PLAIN_RUNNER

typedef struct plain_test {
    const char *suite, *name;
    void (*body)(void);
    struct plain_test *next;
} plain_test;

void plain_register(plain_test *test);

#define TEST(suite, name)                                                                      \
    static void suite##_##name(void);                                                          \
    static plain_test suite##_##name##_entry = {#suite, #name, suite##_##name, NULL};          \
    __attribute__((constructor)) static void suite##_##name##_register(void)                   \
    {                                                                                          \
        plain_register(&suite##_##name##_entry);                                               \
    }                                                                                          \
    static void suite##_##name(void)

#define CHECK_MSG(condition, ...)                                                              \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: check failed: %s: ", __FILE__, __LINE__, #condition);      \
            fprintf(stderr, __VA_ARGS__);                                                      \
            fputc('\n', stderr);                                                               \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

#else

#include <criterion/criterion.h>
#define TEST(suite, name) Test(suite, name)
#define CHECK_MSG(condition, ...) cr_assert(condition, __VA_ARGS__)

#endif

#define CHECK(condition) CHECK_MSG(condition, "it is false")
#define CHECK_EQ(a, b)                                                                         \
    CHECK_MSG((long long)(a) == (long long)(b), "%s is %lld, expected %lld", #a,               \
              (long long)(a), (long long)(b))
#define CHECK_NEAR(a, b, tolerance)                                                            \
    CHECK_MSG(fabs((double)(a) - (double)(b)) <= (double)(tolerance),                          \
              "%s is %.9g, expected %.9g", #a, (double)(a), (double)(b))

#endif
