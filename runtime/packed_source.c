#include "packed_source.h"

static const uint32_t *words(const float *stream)
{
    return (const uint32_t *)(const void *)stream;
}

static void tint(const rico__kernels *kernels, uint32_t by, uint32_t count,
                 rico__packed_from *from, uint32_t *tinted)
{
    if (from->color == NULL) {
        uint32_t same[16] = {from->constant_color};
        kernels->tint(same, 1, by, same);
        from->constant_color = same[0];
        return;
    }
    kernels->tint(from->color, count, by, tinted);
    from->color = tinted;
}

rico__packed_from rico__packed_source(const rico_world *world, const rico__block *block,
                                      uint32_t tinted[RICO__MAX_BLOCK])
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    rico__packed_from from = {
        .px = rico__stream(recipe, data, FIELD_PX),
        .py = rico__stream(recipe, data, FIELD_PY),
        .pz = rico__stream(recipe, data, FIELD_PZ),
        .vx = rico__stream(recipe, data, FIELD_VX),
        .vy = rico__stream(recipe, data, FIELD_VY),
        .vz = rico__stream(recipe, data, FIELD_VZ),
        .age = rico__stream(recipe, data, FIELD_AGE),
        .life = rico__stream(recipe, data, FIELD_LIFE),
        .size = rico__stream(recipe, data, FIELD_SIZE),
        .qx = rico__stream(recipe, data, FIELD_QX),
        .qy = rico__stream(recipe, data, FIELD_QY),
        .qz = rico__stream(recipe, data, FIELD_QZ),
        .qw = rico__stream(recipe, data, FIELD_QW),
        .color = words(rico__stream(recipe, data, FIELD_COLOR)),
        .constant_size = recipe->tables.size[0],
        .constant_color = recipe->tables.color[0],
    };
    const uint32_t by = world->effects[block->effect].tint;
    if (by != RICO__NO_TINT)
        tint(world->kernels, by, block->count, &from, tinted);
    return from;
}

const uint32_t *rico__particle_ids(const rico_world *world, const rico__block *block)
{
    return words(
        rico__stream(&world->recipes[block->recipe], rico__block_data(world, block), FIELD_ID));
}
