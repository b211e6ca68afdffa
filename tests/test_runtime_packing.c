/* What outputs are packed from, block by block. */
#include "packing.h"
#include "testing.h"

TEST(runtime, measures_every_particle_of_a_block)
{
    float stream[32];
    for (int i = 0; i < 32; ++i)
        stream[i] = (float)i; /* the last one is the farthest */
    rico__packed_from from = {.px = stream, .py = stream, .pz = stream, .size = stream};
    for (uint32_t count = 1; count <= 32; ++count) {
        rico__extent e = rico__extent_of(&from, count);
        float last = (float)(count - 1);
        CHECK(e.box.lo.x == 0.0f && e.box.hi.x == last && e.box.hi.z == last && e.size == last);
    }
}
