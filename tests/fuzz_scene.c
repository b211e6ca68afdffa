/* fuzz_scene.c - the property of collision_fuzz.h for libFuzzer: fuzz_scene [OPTION...]
 * [FOLDER]. A file that libFuzzer leaves behind, given as the only argument, runs that case
 * again. */
#include "collision_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    collision_fuzz(data, size);
    return 0;
}
