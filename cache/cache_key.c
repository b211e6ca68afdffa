/* Cells and keys: [x : 20][y : 20][z : 21][direction : 3]. Coordinates are offset to be
 * unsigned; cache.h packs them. */
#include <ricochet/cache.h>

#include "cache_table.h"
#include "check.h"

#define XY_OFFSET RICO__CACHE_XY_LIMIT
#define Z_OFFSET RICO__CACHE_Z_LIMIT
#define DIRECTION_BITS 3
#define Z_BITS 21
#define XY_BITS 20

/* Floor of position / size, or INT32_MAX outside +-limit cells and for NaN.
 *
 * The division is in double because then the floor is exact. A cell number below 2^21 times
 * size has at most 24 + 21 bits. So a position that is not on the boundary differs from it by
 * more than the quotient's rounding (2^-53 relative). In float, or with a reciprocal, positions
 * just below a boundary would land above it. */
static int32_t cell_of(float position, float size, int32_t limit)
{
    double quotient = (double)position / (double)size;
    if (!(quotient >= -(double)limit && quotient < (double)limit))
        return INT32_MAX;
    int32_t truncated = (int32_t)quotient;
    return truncated - (quotient < (double)truncated);
}

rico_cache_key rico_cache_key_at(const rico_cache *cache, rico_vec3 position,
                                 uint32_t direction)
{
    if (!RICO_REQUIRE(cache != NULL))
        return RICO_NO_KEY;
    rico_vec3 size = cache->cell_size;
    return rico_cache_key_of_cell(cell_of(position.x, size.x, XY_OFFSET),
                                  cell_of(position.y, size.y, XY_OFFSET),
                                  cell_of(position.z, size.z, Z_OFFSET), direction);
}

static int32_t field(rico_cache_key key, int shift, int bits)
{
    return (int32_t)(key >> shift & ((1u << bits) - 1));
}

void rico_cache_key_cell(rico_cache_key key, int32_t *x, int32_t *y, int32_t *z,
                         uint32_t *direction)
{
    if (x != NULL)
        *x = field(key, DIRECTION_BITS + Z_BITS + XY_BITS, XY_BITS) - XY_OFFSET;
    if (y != NULL)
        *y = field(key, DIRECTION_BITS + Z_BITS, XY_BITS) - XY_OFFSET;
    if (z != NULL)
        *z = field(key, DIRECTION_BITS, Z_BITS) - Z_OFFSET;
    if (direction != NULL)
        *direction = (uint32_t)field(key, 0, DIRECTION_BITS);
}

/* NaN gives 0. */
static float magnitude(float x)
{
    return x > 0.0f ? x : (x < 0.0f ? -x : 0.0f);
}

uint32_t rico_cache_direction(rico_vec3 vector)
{
    float x = magnitude(vector.x), y = magnitude(vector.y), z = magnitude(vector.z);
    if (x >= y && x >= z)
        return vector.x < 0.0f ? 1 : 0;
    if (y >= z)
        return vector.y < 0.0f ? 3 : 2;
    return vector.z < 0.0f ? 5 : 4;
}

/* Rounding is monotone, so lo <= position <= hi stays true after it. */
static void extent(int32_t cell, float size, float *lo, float *hi)
{
    *lo = (float)((double)cell * (double)size);
    *hi = (float)((double)(cell + 1) * (double)size);
}

rico_box rico_cache_key_box(const rico_cache *cache, rico_cache_key key)
{
    rico_box box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (!RICO_REQUIRE(cache != NULL && key != RICO_NO_KEY))
        return box;
    int32_t x, y, z;
    rico_cache_key_cell(key, &x, &y, &z, NULL);
    extent(x, cache->cell_size.x, &box.lo.x, &box.hi.x);
    extent(y, cache->cell_size.y, &box.lo.y, &box.hi.y);
    extent(z, cache->cell_size.z, &box.lo.z, &box.hi.z);
    return box;
}
