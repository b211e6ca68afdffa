/* Runs the property of runtime_fuzz.h on random bytes: always the same ones, unless
 * RICO_FUZZ_SEED chooses others. The printed hash is the same on every machine. `./dev test`
 * compares NEON with x86 by it, on as many worlds as RICO_FUZZ_WORLDS says. */
#include "runtime_fuzz.h"
#include "testing.h"

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

TEST(runtime, worlds_of_random_calls_do_the_same_with_any_number_of_workers)
{
    static uint8_t bytes[3000];
    uint64_t state = number_of("RICO_FUZZ_SEED", 137), bits = 0;
    uint64_t repeats = getenv("RICO_TEST_FULL") != NULL ? 5000 : 40;
    repeats = number_of("RICO_FUZZ_WORLDS", TEST_IS_SLOW ? repeats / 8 : repeats);
    for (uint64_t i = 1; i <= repeats; ++i) {
        for (size_t k = 0; k < sizeof bytes; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(state >> 56);
        }
        bits = bits * 31 + runtime_fuzz(bytes, sizeof bytes);
        if (i % 10 == 0 || i == repeats)
            printf("the bits of %llu worlds: %016llx\n", (unsigned long long)i,
                   (unsigned long long)bits);
    }
    runtime_fuzz(NULL, 0);
}
