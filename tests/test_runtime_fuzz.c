/* The property of runtime_fuzz.h for bytes that are random, but always the same ones, unless RICO_FUZZ_SEED says
 * which others. */
#include "runtime_fuzz.h"
#include "testing.h"

TEST(runtime, worlds_of_random_calls_do_the_same_with_any_number_of_workers)
{
    static uint8_t bytes[3000];
    const char *seed = getenv("RICO_FUZZ_SEED");
    uint64_t state = seed != NULL ? strtoull(seed, NULL, 10) : 137;
    uint32_t repeats = getenv("RICO_TEST_FULL") != NULL ? 5000 : 200;
    repeats = TEST_IS_SLOW ? repeats / 10 : repeats;
    for (uint32_t i = 0; i < repeats; ++i) {
        for (size_t k = 0; k < sizeof bytes; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(state >> 56);
        }
        runtime_fuzz(bytes, sizeof bytes);
    }
    runtime_fuzz(NULL, 0);
}
