/* The property of collision_fuzz.h for bytes that are random, but always the same ones. */
#include "collision_fixture.h"
#include "collision_fuzz.h"

TEST(collision, answers_to_random_bytes_are_those_of_brute_force)
{
    fixture_random random = {137};
    static uint8_t bytes[2048];
    int repeats = FIXTURE_REPEATS(getenv("RICO_TEST_FULL") != NULL ? 8000 : 300);
    for (int i = 0; i < repeats; ++i) {
        size_t size = random_below(&random, sizeof bytes);
        for (size_t k = 0; k < size; ++k)
            bytes[k] = (uint8_t)random_below(&random, 256);
        collision_fuzz(bytes, size);
    }
    collision_fuzz(NULL, 0);
}
