/* fuzz_world.c - the property of runtime_fuzz.h for libFuzzer, used as fuzz_scene.c. */
#include "runtime_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    runtime_fuzz(data, size);
    return 0;
}
