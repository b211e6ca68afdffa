/* Every ISA gives the scalar kernel's bits, on hostile inputs too. */
#include "kernel.h"
#include "random.h"
#include "testing.h"

#define CAPACITY RICO__MAX_BLOCK
#define FIELDS 13

typedef struct lanes {
    float field[FIELDS][CAPACITY + 16];
    rico__masks masks;
    float time[CAPACITY + 16], speed[CAPACITY + 16];
    int32_t index[CAPACITY + 16];
} lanes;

static float hostile(uint32_t serial, uint32_t use)
{
    static const float values[] = {0.0f,     -0.0f,    1.0e-40f, -1.0e-40f, 1.0e30f,
                                   -1.0e30f, NAN,      INFINITY, -INFINITY, 1.0e6f,
                                   -1.0e6f,  1.0e-12f, 3.0e38f};
    uint32_t pick = rico__random_u32(7, serial, use) % 64;
    if (pick < sizeof values / sizeof values[0])
        return values[pick];
    return rico__random_range(9, serial, use, -5.0f, 5.0f);
}

static void fill(lanes *l, uint32_t round, bool nasty)
{
    memset(l, 0, sizeof *l);
    for (uint32_t f = 0; f < FIELDS; ++f)
        for (uint32_t i = 0; i < CAPACITY + 16; ++i) {
            uint32_t use = round * 32 + f;
            l->field[f][i] =
                nasty ? hostile(i, use) : rico__random_range(5, i, use, -3.0f, 3.0f);
        }
    for (uint32_t i = 0; i < CAPACITY + 16; ++i) {
        if (nasty)
            continue;
        l->field[6][i] = rico__random_unit(5, i, 900 + round);        /* age */
        l->field[7][i] = 0.5f + rico__random_unit(5, i, 950 + round); /* life */
        l->field[8][i] = 0.0f;                                        /* a plane that is near */
        l->field[9][i] = 0.6f;
        l->field[10][i] = 0.8f;
        l->field[11][i] = rico__random_range(5, i, 970, -1.0f, 1.0f);
    }
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        l->masks.asleep[w] = rico__mix64(round * 8 + w) & rico__mix64(round + w);
        l->masks.rebound[w] = rico__mix64(round * 8 + w + 4);
        l->masks.level[0][w] = rico__mix64(round * 8 + w + 8);
        l->masks.level[1][w] = rico__mix64(round * 8 + w + 12);
    }
}

static rico__streams streams_of(lanes *l)
{
    return (rico__streams){.px = l->field[0],
                           .py = l->field[1],
                           .pz = l->field[2],
                           .vx = l->field[3],
                           .vy = l->field[4],
                           .vz = l->field[5],
                           .age = l->field[6],
                           .life = l->field[7],
                           .nx = l->field[8],
                           .ny = l->field[9],
                           .nz = l->field[10],
                           .nd = l->field[11],
                           .clearance = l->field[12]};
}

static const rico__step step = {
    .dt = 1.0f / 60.0f,
    .gz = -9.81f / 60.0f,
    .drag_factor = 0.99f,
    .radius = 0.01f,
    .restitution = 0.5f,
    .slip = 0.8f,
    .rest_speed2 = 0.3f,
    .hold_z = 1.0f,
    .depth = 0.5f,
    .cell_rate = 2.0f,
    .fast_step2 = 0.01f,
};

static void run(const rico__kernels *k, int pass, lanes *l, uint32_t count)
{
    rico__streams s = streams_of(l);
    switch (pass) {
    case 0:
        k->move(&s, count, &step, &l->masks);
        break;
    case 1:
        k->plane(&s, count, &step, &l->masks, l->time, l->speed);
        break;
    case 2:
        k->guard(&s, count, &step, &l->masks, l->time, l->speed);
        break;
    case 3:
        k->age(&s, count, &step, &l->masks);
        break;
    default:
        k->curve_index(s.age, s.life, count, 128, l->index);
        break;
    }
}

/* Bits of all live lanes; a NaN equals any NaN, because its payload is not ours to fix. */
static bool same(const float *a, const float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (memcmp(&a[i], &b[i], 4) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

static bool equal_lanes(const lanes *a, const lanes *b, uint32_t count)
{
    for (uint32_t f = 0; f < FIELDS; ++f)
        if (!same(a->field[f], b->field[f], count))
            return false;
    for (uint32_t i = 0; i < count; ++i)
        if ((a->masks.bounced[i / 64] >> (i % 64) & 1) != 0 &&
            (!same(&a->time[i], &b->time[i], 1) || !same(&a->speed[i], &b->speed[i], 1)))
            return false;
    return memcmp(&a->masks, &b->masks, sizeof a->masks) == 0 &&
           memcmp(a->index, b->index, count * sizeof(int32_t)) == 0;
}

static void compare_isas(bool nasty)
{
    static const uint32_t counts[] = {1, 3, 16, 31, 64, 100, 255, 256};
    lanes *expected = malloc(sizeof *expected), *got = malloc(sizeof *got);
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    unsigned compared = 0;
    for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        for (uint32_t round = 0; round < 40; ++round) {
            uint32_t count = counts[round % 8];
            for (int pass = 0; pass < 5; ++pass) {
                fill(expected, round, nasty);
                memcpy(got, expected, sizeof *got);
                run(scalar, pass, expected, count);
                run(k, pass, got, count);
                CHECK_MSG(equal_lanes(expected, got, count), "%s pass %d count %u",
                          rico__isa_name((rico__isa)isa), pass, count);
                compared += 1;
            }
        }
    }
    CHECK(compared > 0);
    free(expected);
    free(got);
}

TEST(kernels, agree_with_the_scalar_one_on_ordinary_particles)
{
    compare_isas(false);
}

TEST(kernels, agree_with_the_scalar_one_on_hostile_numbers)
{
    compare_isas(true);
}

TEST(kernels, keep_dead_hit_and_moved_bits_within_the_count)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l);
    for (uint32_t count = 0; count <= CAPACITY; ++count) {
        fill(l, count, true);
        rico__streams s = streams_of(l);
        k->guard(&s, count, &step, &l->masks, l->time, l->speed);
        for (uint32_t i = count; i < CAPACITY; ++i)
            CHECK(((l->masks.dead[i / 64] | l->masks.hit[i / 64] | l->masks.moved[i / 64] |
                    l->masks.bounced[i / 64] | l->masks.choose[i / 64]) >>
                       (i % 64) &
                   1) == 0);
    }
    free(l);
}

TEST(kernels, kill_what_is_not_a_number_and_what_left_the_world)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l);
    fill(l, 1, false);
    for (uint32_t i = 0; i < 5; ++i)
        l->field[6][i] = 0.0f;
    l->field[0][1] = NAN;
    l->field[1][2] = INFINITY;
    l->field[2][3] = -2.0e6f;
    rico__streams s = streams_of(l);
    k->move(&s, 5, &step, &l->masks);
    CHECK_EQ(l->masks.dead[0], 0xe);
    free(l);
}

TEST(kernels, flush_decaying_velocities_to_zero)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l);
    fill(l, 1, false);
    l->masks.asleep[0] = 0;
    l->field[3][0] = 1.0e-13f;
    rico__streams s = streams_of(l);
    k->move(&s, 1, &step, &l->masks);
    CHECK(l->field[3][0] == 0.0f);
    free(l);
}

TEST(kernels, agree_on_when_paths_meet_planes)
{
    float planes[4][48], expected[48], got[48];
    int16_t outlines[9 * 48];
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    for (uint32_t round = 0; round < 2000; ++round) {
        for (uint32_t i = 0; i < 48; ++i)
            for (uint32_t f = 0; f < 4; ++f)
                planes[f][i] = round % 2 ? hostile(i, round * 4 + f)
                                         : rico__random_range(3, i, round * 4 + f, -1.0f, 1.0f);
        for (uint32_t i = 0; i < 9 * 48; ++i)
            outlines[i] = (int16_t)(rico__random_u32(6, i, round) & 0xffff);
        rico__surfaces p = {planes[0], planes[1], planes[2],     planes[3],
                            outlines,  48,        1 + round % 32};
        rico__path path = {.gravity = {0.0f, 0.0f, -9.81f}, .radius = 0.01f};
        for (uint32_t f = 0; f < 3; ++f) {
            path.p[f] = rico__random_range(4, round, f, -0.5f, 0.5f);
            path.v[f] = rico__random_range(4, round, 3 + f, -5.0f, 5.0f);
        }
        for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
            const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
            if (k == NULL)
                continue;
            uint32_t a = scalar->ballistic(&p, &path, 2.0f, 1.0f, 0.1f, expected);
            CHECK_EQ(k->ballistic(&p, &path, 2.0f, 1.0f, 0.1f, got), a);
            for (uint32_t i = 0; i < p.count; ++i)
                CHECK((a >> i & 1) == 0 || memcmp(&got[i], &expected[i], 4) == 0);
            a = scalar->straight(&p, &path, 0.02f, 1.0f, 0.1f, expected);
            CHECK_EQ(k->straight(&p, &path, 0.02f, 1.0f, 0.1f, got), a);
            for (uint32_t i = 0; i < p.count; ++i)
                CHECK((a >> i & 1) == 0 || memcmp(&got[i], &expected[i], 4) == 0);
        }
    }
}
