#include "sprite.h"

#include "births.h"
#include "curve.h"
#include "stages.h"

bool rico__sprite_draws(const rico_recipe *def)
{
    return def->start_frame.lo != def->start_frame.hi;
}

static float first_frame(const rico__recipe *recipe, uint64_t seed, uint32_t id)
{
    const rico_range *start = &recipe->def.start_frame;
    const rico__birth b = {recipe, seed, id};
    return start->lo + (start->hi - start->lo) * rico__draw(&b, USE_FRAME).first;
}

void rico__sprite_prepare(rico__recipe *recipe)
{
    rico__curve_keys(&recipe->def.sprite_frame, RICO__FRAMES, &recipe->frames);
}

void rico__sprite_frames(const rico_world *world, const rico__block *block,
                         const rico__packed_from *from, float out[RICO__MAX_BLOCK])
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const uint64_t seed = world->effects[block->effect].seed;
    float *data = rico__block_data(world, block);
    const uint32_t *id = (const uint32_t *)(const void *)rico__stream(recipe, data, FIELD_ID);
    bool draws = rico__sprite_draws(&recipe->def);
    for (uint32_t i = 0; i < block->count; ++i)
        out[i] = draws ? first_frame(recipe, seed, id[i]) : recipe->def.start_frame.lo;
    world->kernels->follow(from, block->count, &recipe->frames, out);
}
