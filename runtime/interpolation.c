#include "interpolation.h"

#include "vec.h"

/* How far each particle is on its way. One that is younger than the step began its way within
 * the step, and its time passes as that of the others. If the effect carries particles along,
 * that goes on from the step's beginning. */
static void find_shares(const rico__effect *effect, const float *age, uint32_t count, float f,
                        float *share)
{
    const float lived = effect->lived, left = (1.0f - f) * lived;
    for (uint32_t i = 0; i < count; ++i)
        share[i] = age[i] < lived ? 1.0f - left / age[i] : f;
}

static void mix_streams(const float *last, const float *now, const float *share, uint32_t count,
                        float *out)
{
    for (uint32_t i = 0; i < count; ++i)
        out[i] = last[i] + (now[i] - last[i]) * share[i];
}

/* A particle that is not born yet has size 0. */
static void size_unborn(const rico__packed_from *from, const float *share, uint32_t count,
                        float *size)
{
    for (uint32_t i = 0; i < count; ++i) {
        float own = from->size != NULL ? from->size[i] : from->constant_size;
        size[i] = share[i] < 0.0f ? 0.0f : own;
    }
}

static bool any_unborn(const float *share, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (share[i] < 0.0f)
            return true;
    return false;
}

void rico__interpolate(const rico_world *world, const rico__block *block, float f,
                       rico__packed_from *from, rico__seen *seen)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const rico__effect *effect = &world->effects[block->effect];
    float *data = rico__block_data(world, block);
    float share[RICO__MAX_BLOCK];
    const uint32_t count = (block->count + 15u) / 16u * 16u; /* as many as packing reads */
    find_shares(effect, from->age, count, f, share);
    if (any_unborn(share, block->count)) {
        size_unborn(from, share, count, seen->size);
        from->size = seen->size;
    }
    for (uint32_t i = 0; i < count; ++i)
        share[i] = effect->ways == RICO__RODE ? f : float_max(share[i], 0.0f);
    mix_streams(rico__stream(recipe, data, FIELD_LAST_PX), from->px, share, count, seen->x);
    mix_streams(rico__stream(recipe, data, FIELD_LAST_PY), from->py, share, count, seen->y);
    mix_streams(rico__stream(recipe, data, FIELD_LAST_PZ), from->pz, share, count, seen->z);
    from->px = seen->x;
    from->py = seen->y;
    from->pz = seen->z;
    from->ahead = 0; /* not on the stack */
}
