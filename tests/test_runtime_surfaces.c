/* Searches of records: every instruction set gives the scalar kernel's bits, for any bits. */
#include "kernel.h"
#include "random.h"
#include "runtime_numbers.h"
#include "testing.h"

#define MOST_SURFACES 32u

typedef struct surfaces {
    int16_t numbers[14 * MOST_SURFACES + 16];
    uint8_t tags[MOST_SURFACES + 16];
    rico__surfaces of;
} surfaces;

static int16_t random_short(uint32_t serial, uint32_t use, int32_t most)
{
    uint32_t bits = rico__random_u32(6, serial, use);
    return (int16_t)((int32_t)(bits % (2u * (uint32_t)most + 1u)) - most);
}

/* Ordinary surfaces are unit planes through the cell with edges around it; nasty ones have any
 * bits. */
static void fill_surfaces(surfaces *s, uint32_t round, bool nasty)
{
    static const int16_t extremes[] = {0, 1, -1, INT16_MAX, INT16_MIN, -INT16_MAX};
    uint32_t count = 1 + round % MOST_SURFACES, stride = count;
    for (uint32_t i = 0; i < sizeof s->numbers / sizeof s->numbers[0]; ++i) {
        uint32_t pick = rico__random_u32(8, i, round) % 16;
        s->numbers[i] = pick < 6 ? extremes[pick] : random_short(i, round, INT16_MAX);
    }
    s->of = (rico__surfaces){.planes = s->numbers,
                             .outlines = s->numbers + 4 * stride,
                             .tags = s->tags,
                             .count = count};
    for (uint32_t i = 0; i < count; ++i) {
        int16_t *number = s->numbers + i;
        s->tags[i] = (uint8_t)(rico__random_u32(8, i, round + 5000) % count * RICO__TAG_SHEET +
                               rico__random_u32(8, i, round + 9000) % 8);
        if (nasty)
            continue;
        float n[3], length = 0.0f;
        for (uint32_t a = 0; a < 3; ++a) {
            n[a] = rico__random_range(8, i, round * 8 + a, -1.0f, 1.0f);
            length += n[a] * n[a];
        }
        for (uint32_t a = 0; a < 3; ++a)
            number[a * stride] = (int16_t)(n[a] / sqrtf(length) * RICO__NORMAL_UNIT);
        number[3 * stride] = random_short(i, round, 5000);
        for (uint32_t k = 0; k < 3; ++k) {
            float turn =
                (float)k * 2.0944f + rico__random_range(8, i, round * 8 + 4, 0.0f, 2.0f);
            number[(4 + 3 * k) * stride] = (int16_t)(cosf(turn) * RICO__LENGTH_UNIT);
            number[(5 + 3 * k) * stride] = (int16_t)(sinf(turn) * RICO__LENGTH_UNIT);
            number[(6 + 3 * k) * stride] =
                (int16_t)(random_short(i * 3 + k, round, 2500) + 3500);
        }
    }
}

static rico__path random_path(uint32_t round, bool nasty)
{
    rico__path path = {.radius = 0.01f};
    for (uint32_t f = 0; f < 3; ++f) {
        path.p[f] = rico__random_range(4, round, f, -0.5f, 0.5f);
        path.v[f] =
            nasty ? hostile(round, 40 + f) : rico__random_range(4, round, 3 + f, -5.0f, 5.0f);
        path.accel[f] =
            nasty ? hostile(round, 50 + f) : rico__random_range(4, round, 6 + f, -9.0f, 9.0f);
    }
    return path;
}

/* Compares one path's meetings with the scalar kernel's. Returns all surfaces that it meets, as
 * bits. */
static uint32_t compare_meetings(const rico__kernels *k, const rico__surfaces *s,
                                 const rico__path *path)
{
    float expected[MOST_SURFACES + 16], got[MOST_SURFACES + 16];
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    uint32_t all = 0;
    for (int straight = 0; straight < 2; ++straight) {
        uint32_t a, b;
        if (straight != 0) {
            a = scalar->straight(s, path, 0.02f, 0.5f, 0.1f, expected);
            b = k->straight(s, path, 0.02f, 0.5f, 0.1f, got);
        } else {
            a = scalar->ballistic(s, path, 2.0f, 0.5f, 0.1f, expected);
            b = k->ballistic(s, path, 2.0f, 0.5f, 0.1f, got);
        }
        CHECK_EQ(b, a);
        CHECK(s->count == 32 || a >> s->count == 0);
        for (uint32_t i = 0; i < s->count; ++i)
            CHECK((a >> i & 1) == 0 || memcmp(&got[i], &expected[i], 4) == 0);
        all |= a;
    }
    return all;
}

TEST(kernels, agree_on_when_paths_meet_planes)
{
    surfaces *s = malloc(sizeof *s);
    uint32_t meetings = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        fill_surfaces(s, round, round % 4 == 1);
        const rico__path path = random_path(round, round % 4 == 2);
        for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
            const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
            if (k != NULL)
                meetings += compare_meetings(k, &s->of, &path) != 0;
        }
    }
    CHECK(meetings > 1000);
    free(s);
}

TEST(kernels, agree_on_how_much_is_clear_around_a_point)
{
    surfaces *s = malloc(sizeof *s);
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    uint32_t clear = 0, beyond = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        float q[3];
        for (uint32_t a = 0; a < 3; ++a)
            q[a] = round % 4 == 2 ? hostile(round, 60 + a)
                                  : rico__random_range(4, round, 60 + a, -0.5f, 0.5f);
        fill_surfaces(s, round, round % 4 == 1);
        uint32_t own = rico__random_u32(4, round, 70) % s->of.count;
        float radius = rico__random_range(4, round, 71, 0.0f, 0.05f);
        float expected = scalar->clearance(&s->of, q, own, radius);
        clear += expected > 0.0f;
        beyond += expected < 0.0f;
        for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
            const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
            if (k == NULL)
                continue;
            float got = k->clearance(&s->of, q, own, radius);
            CHECK_MSG(same(&got, &expected, 1), "%s round %u: %g, expected %g",
                      rico__isa_name((rico__isa)isa), round, (double)got, (double)expected);
        }
    }
    CHECK(clear > 500 && beyond > 500);
    free(s);
}
