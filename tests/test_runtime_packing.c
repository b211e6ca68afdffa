/* What outputs are packed from, block by block. */
#include "kernels.h"
#include "packing.h"
#include "testing.h"

#include <math.h>
#include <ricochet/output.h>
#include <ricochet/world.h>
#include <stdlib.h>
#include <string.h>

TEST(runtime, measures_every_particle_of_a_block)
{
    float stream[32];
    for (int i = 0; i < 32; ++i)
        stream[i] = (float)i; /* the last particle is the farthest */
    rico__packed_from from = {.px = stream, .py = stream, .pz = stream, .size = stream};
    for (uint32_t count = 1; count <= 32; ++count) {
        rico__extent e = rico__extent_of(&from, count);
        float last = (float)(count - 1);
        CHECK(e.box.lo.x == 0.0f && e.box.hi.x == last && e.box.hi.z == last && e.size == last);
    }
}

/* --- Billboards --------------------------------------------------------------------------- */

#define MOST 70u
#define PLACES (128u + 24u * MOST + 128u)

/* Fills streams with numbers and zeros of both signs, in no order. */
static void fill(float streams[5][MOST + 16], uint32_t colors[MOST + 16])
{
    for (uint32_t i = 0; i < MOST + 16; ++i) {
        for (uint32_t s = 0; s < 5; ++s)
            streams[s][i] = (float)((i * 37u + s * 11u) % 64u) - (s < 3 ? 31.0f : 0.0f);
        streams[0][i] = i % 2 == 0 ? 0.0f : -0.0f;
        colors[i] = 0x80000000u + i * 77u;
    }
}

/* The records must be those of the first `count` particles, made slowly. Nothing else may be
 * written, and particles behind them must not count. */
static void check_billboards(const rico__kernels *k, const rico__packed_from *from,
                             uint32_t count, uint32_t offset, bool streamed)
{
    _Alignas(64) unsigned char room[PLACES], expected[PLACES];
    memset(room, 0xab, sizeof room);
    memset(expected, 0xab, sizeof expected);
    for (uint32_t i = 0; i < count; ++i) {
        rico_billboard b = {.position = {from->px[i], from->py[i], from->pz[i]},
                            .size = from->size != NULL ? from->size[i] : from->constant_size,
                            .rotation = from->rotation != NULL ? from->rotation[i] : 0.0f,
                            .color =
                                from->color != NULL ? from->color[i] : from->constant_color};
        memcpy(expected + offset + 24u * i, &b, sizeof b);
    }
    rico__extent e;
    k->billboards(from, count, streamed, room + offset, &e);
    CHECK_MSG(memcmp(room, expected, sizeof room) == 0, "isa %d, %u records at %u, streamed %d",
              (int)k->isa, count, offset, (int)streamed);
    const rico__extent same = rico__extent_of(from, count);
    if (count == 0)
        return;
    CHECK(e.box.lo.x == same.box.lo.x && e.box.hi.x == same.box.hi.x);
    CHECK(!signbit(e.box.lo.x) && !signbit(e.box.hi.x)); /* +0 in each instruction set */
    CHECK(e.box.lo.y == same.box.lo.y && e.box.hi.y == same.box.hi.y);
    CHECK(e.box.lo.z == same.box.lo.z && e.box.hi.z == same.box.hi.z && e.size == same.size);
}

TEST(kernels, pack_billboards_at_any_place)
{
    static float streams[5][MOST + 16];
    static uint32_t colors[MOST + 16];
    fill(streams, colors);
    rico__packed_from from = {.px = streams[0],
                              .py = streams[1],
                              .pz = streams[2],
                              .constant_size = 0.5f,
                              .constant_color = 77};
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        for (uint32_t n = 0; k != NULL && n < 4 * 8 * (MOST + 1); ++n) {
            const uint32_t kind = n % 4, offset = n / 4 % 8 * 8, count = n / 32;
            from.size = kind == 1 ? streams[3] : NULL;
            from.color = kind == 2 ? colors : NULL;
            from.rotation = kind == 3 ? streams[4] : NULL;
            check_billboards(k, &from, count, offset, false);
            check_billboards(k, &from, count, offset, true);
        }
    }
}

TEST(kernels, leave_what_is_not_a_number_out_of_bounds)
{
    float stream[32];
    unsigned char room[24 * 32];
    const rico__packed_from from = {.px = stream, .py = stream, .pz = stream, .size = stream};
    for (int i = 0; i < 32; ++i)
        stream[i] = i % 3 == 0 ? NAN : (float)i;
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        rico__extent e;
        k->billboards(&from, 30, false, room, &e);
        CHECK(e.box.lo.x == 1.0f && e.box.hi.z == 29.0f && e.size == 29.0f);
    }
}

/* --- Frames larger than caches ------------------------------------------------------------ */

#define MANY 600000u /* 13.7 MiB; frames of 6 MiB or more are streamed */

static void check_against_view(const rico_world *world, rico_effect_id effect,
                               const rico_billboard *records, uint32_t count)
{
    rico_view v = rico_effect_view(world, effect);
    uint32_t n = 0, wrong = 0;
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count && n < count; ++i, ++n) {
            const rico_billboard b = {.position = {v.px[i], v.py[i], v.pz[i]},
                                      .size = v.size != NULL ? v.size[i] : v.constant_size,
                                      .color = v.color != NULL ? v.color[i] : v.constant_color};
            wrong += memcmp(&b, &records[n], sizeof b) != 0;
        }
    CHECK_EQ(n, count);
    CHECK_EQ(wrong, 0u);
}

static void write_many(uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = MANY + MANY / 4u;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 1.0e7f;
    r.lifetime = (rico_range){10.0f, 10.0f};
    r.max_particles = MANY;
    r.particle_size.key_count = 2;
    r.particle_size.at[1] = 1.0f;
    const rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), RICO_TRANSFORM_IDENTITY);
    for (int i = 0; i < 5; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    rico_output_def out = rico_output_def_default();
    out.capacity = MANY;
    for (int i = 0; i < 2; ++i)
        out.memory[i] = aligned_alloc(64, (size_t)MANY * sizeof(rico_billboard));
    rico_output *output;
    CHECK_EQ(rico_output_create(world, &out, &output), RICO_OK);
    rico_output_frame frame;
    CHECK_EQ(rico_output_write(output, &effect, 1, NULL, &frame), RICO_OK);
    CHECK((size_t)frame.count * sizeof(rico_billboard) > (size_t)6 << 20);
    check_against_view(world, effect, frame.records, frame.count);
    rico_output_destroy(output);
    rico_world_destroy(world);
    free(out.memory[0]);
    free(out.memory[1]);
}

TEST(runtime, writes_frames_that_are_larger_than_caches)
{
    write_many(1);
    write_many(3);
}
