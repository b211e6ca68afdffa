#include "depth_sort.h"

#include "vec.h"

#include <stddef.h>
#include <string.h>

#define STEPS 65535.0f

/* The sort has two passes of eight bits, the lower ones first. Keys are worked out again in
 * each pass, which is cheaper than carrying them along. */
typedef struct scale {
    float far, per_depth;
} scale;

static scale scale_of(const float *depth, uint32_t count)
{
    float lo = depth[0], hi = depth[0];
    for (uint32_t i = 1; i < count; ++i) {
        lo = float_min(depth[i], lo);
        hi = float_max(depth[i], hi);
    }
    float range = hi - lo;
    return (scale){hi, range > 0.0f ? STEPS / range : 0.0f};
}

/* 0 = the farthest. */
static uint32_t key_of(scale s, float depth)
{
    return (uint32_t)float_clamp((s.far - depth) * s.per_depth, 0.0f, STEPS);
}

static void pass(const float *depth, scale s, uint32_t shift, const uint32_t *from,
                 uint32_t count, uint32_t *to)
{
    uint32_t place[256] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        place[key_of(s, depth[i]) >> shift & 255u] += 1;
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t here = place[b];
        place[b] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t n = from != NULL ? from[i] : i;
        to[place[key_of(s, depth[n]) >> shift & 255u]++] = n;
    }
}

void rico__depth_sort(const float *depth, uint32_t count, uint32_t *order, uint32_t *spare)
{
    if (count == 0)
        return;
    scale s = scale_of(depth, count);
    pass(depth, s, 0, NULL, count, spare);
    pass(depth, s, 8, spare, count, order);
}
