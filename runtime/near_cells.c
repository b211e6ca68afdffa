/* Which cells particles are near. */
#include "cell_bits.h"

#include "stages.h"
#include "vec.h"

/* Cells along an axis, those of the range among them. */
static void find_span(const rico__coverage *coverage, int axis, float from, float way,
                      float grow, uint32_t *first, uint32_t *end)
{
    const float begin = (float)coverage->lo[axis], size = (float)coverage->size[axis];
    const float rate = 1.0f / coverage->edge;
    const float lo = (float_min(from, from + way) - grow) * rate - begin;
    const float hi = (float_max(from, from + way) + grow) * rate - begin + 1.0f;
    *first = (uint32_t)float_clamp(lo, 0.0f, size);
    *end = (uint32_t)float_clamp(hi, 0.0f, size);
}

/* On its way, and as far aside as it goes in a step. */
static void mark(uint32_t *near, const rico__coverage *coverage, rico_vec3 p, rico_vec3 v,
                 float radius, float dt, float steps)
{
    const float aside = dt * float_max(float_max(__builtin_fabsf(v.x), __builtin_fabsf(v.y)),
                                       __builtin_fabsf(v.z));
    const float grow = radius + coverage->margin + aside, ahead = steps * dt;
    uint32_t first[3], end[3];
    find_span(coverage, 0, p.x, v.x * ahead, grow, &first[0], &end[0]);
    find_span(coverage, 1, p.y, v.y * ahead, grow, &first[1], &end[1]);
    find_span(coverage, 2, p.z, v.z * ahead, grow, &first[2], &end[2]);
    for (uint32_t z = first[2]; z < end[2]; ++z)
        for (uint32_t y = first[1]; y < end[1]; ++y) {
            const size_t row = ((size_t)z * coverage->size[1] + y) * coverage->size[0];
            for (size_t cell = row + first[0]; cell < row + end[0]; ++cell)
                rico__cell_bit_set(near, cell);
        }
}

static void mark_block(rico_world *world, const rico__block *block, float steps)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const float dt = world->effects[block->effect].dt;
    float *data = rico__block_data(world, block);
    const float *px = rico__stream(recipe, data, FIELD_PX),
                *py = rico__stream(recipe, data, FIELD_PY),
                *pz = rico__stream(recipe, data, FIELD_PZ),
                *vx = rico__stream(recipe, data, FIELD_VX),
                *vy = rico__stream(recipe, data, FIELD_VY),
                *vz = rico__stream(recipe, data, FIELD_VZ);
    for (uint32_t i = 0; i < block->count; ++i)
        mark(world->cell_bits, &world->coverage, vec3(px[i], py[i], pz[i]),
             vec3(vx[i], vy[i], vz[i]), recipe->contact_radius, float_max(dt, world->dt),
             steps);
}

void rico__near_find(rico_world *world, float steps)
{
    const size_t cells = rico__coverage_cell_count(&world->coverage);
    rico__cell_bits_clear(world->cell_bits, cells);
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            const rico__effect *effect = &world->effects[slot];
            if (!rico__sleep_walks(&world->sleep, slot) ||
                world->recipes[effect->recipe].def.mode != RICO_COLLIDE_CACHED)
                continue;
            for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK;
                 b = world->blocks[b].next)
                mark_block(world, &world->blocks[b], steps);
        }
    }
}
