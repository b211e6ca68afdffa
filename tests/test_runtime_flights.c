/* Paths through cells: every ISA gives the scalar kernel's bits, and those are right. */
#include "kernel.h"
#include "random.h"
#include "testing.h"

#define CELLS_PER_METRE 16.0f

static void fill_flights(rico__flights *f, uint32_t round)
{
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
        uint32_t use = round * 32;
        bool floats = rico__random_u32(12, i, use) % 8 == 0;
        f->drag[i] = i % 3 ? rico__random_range(12, i, use + 1, 0.0f, 3.0f) : 0.0f;
        f->time[i] = i % 4 ? rico__random_range(12, i, use + 2, 0.0f, 1.0f) : 0.0f;
        f->end[i] = rico__random_range(12, i, use + 3, 0.001f, 4.0f);
        f->stretch[i] = rico__random_range(12, i, use + 4, 0.001f, 4.0f);
        f->half[i] = rico__random_range(12, i, use + 5, 0.05f, 4.0f);
        for (uint32_t a = 0; a < 3; ++a) {
            f->p[a][i] = rico__random_range(12, i, use + 6 + a, -1.0e3f, 1.0e3f);
            f->v[a][i] = rico__random_range(12, i, use + 9 + a, -50.0f, 50.0f);
            f->a[a][i] = rico__random_range(12, i, use + 12 + a, -20.0f, 20.0f);
            if (floats) /* slow, and in some axes not at all */
                f->v[a][i] = a == round % 3 ? 0.0f : f->v[a][i] * 1.0e-4f;
            if (floats && i % 2 == 0)
                f->a[a][i] = a == 2 ? -9.81f : 0.0f;
        }
    }
}

/* Each is somewhere in its cell, a few on the border or past it. */
static void enter_cells(rico__flights *f, uint32_t round)
{
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i)
        for (uint32_t a = 0; a < 3; ++a) {
            float off = rico__random_range(13, i, round * 4 + a, -1.02f, 1.02f);
            f->center[a][i] = f->at[a][i] + f->half[i] * off;
        }
}

TEST(kernels, agree_on_where_flights_leave_their_cells)
{
    rico__flights *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    uint32_t finished = 0, left = 0;
    for (uint32_t round = 0; round < 500; ++round) {
        uint32_t count = 1 + round % RICO__MAX_FLIGHTS;
        for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa) {
            const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
            if (k == NULL)
                continue;
            fill_flights(expected, round);
            fill_flights(got, round);
            uint32_t all = RICO__FLIGHT_COLUMNS; /* those past count have been placed, too */
            uint64_t a = scalar->start_flights(expected, all, CELLS_PER_METRE);
            CHECK(k->start_flights(got, all, CELLS_PER_METRE) == a);
            a = scalar->start_flights(expected, count, CELLS_PER_METRE);
            CHECK(k->start_flights(got, count, CELLS_PER_METRE) == a && a >> count == 0);
            CHECK(memcmp(got, expected, sizeof *got) == 0);
            for (uint32_t n = 0; n < 4; ++n) {
                enter_cells(expected, round * 4 + n);
                enter_cells(got, round * 4 + n);
                a = scalar->leave_cells(expected, count, CELLS_PER_METRE);
                CHECK(k->leave_cells(got, count, CELLS_PER_METRE) == a && a >> count == 0);
                CHECK_MSG(memcmp(got, expected, sizeof *got) == 0, "%s round %u",
                          rico__isa_name((rico__isa)isa), round);
                finished += a != 0;
                left += a != ((uint64_t)1 << count) - 1;
            }
        }
    }
    CHECK(finished > 100 && left > 100);
    free(expected);
    free(got);
}

TEST(kernels, leave_flights_past_the_count_where_they_are)
{
    rico__flights *f = calloc(1, sizeof *f), *before = calloc(1, sizeof *f);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        for (uint32_t count = 0; count <= RICO__MAX_FLIGHTS; ++count) {
            fill_flights(f, count);
            k->start_flights(f, RICO__FLIGHT_COLUMNS, CELLS_PER_METRE);
            enter_cells(f, count);
            memcpy(before, f, sizeof *f);
            k->leave_cells(f, count, CELLS_PER_METRE);
            for (uint32_t i = count; i < RICO__FLIGHT_COLUMNS; ++i) {
                CHECK(f->time[i] == before->time[i]);
                for (int a = 0; a < 3; ++a)
                    CHECK(f->at[a][i] == before->at[a][i] &&
                          f->velocity[a][i] == before->velocity[a][i] &&
                          f->accel[a][i] == before->accel[a][i] &&
                          f->finest[a][i] == before->finest[a][i]);
            }
        }
    }
    free(f);
    free(before);
}

/* How far past the border of its cell the parabola is, at most, in the time t. */
static double farthest_out(const rico__flights *f, uint32_t i, double t)
{
    double most = -1.0e30;
    for (int n = 0; n <= 200; ++n)
        for (int a = 0; a < 3; ++a) {
            double at = t * n / 200.0, x = (double)(f->at[a][i] - f->center[a][i]);
            x += at * ((double)f->velocity[a][i] + 0.5 * at * (double)f->accel[a][i]);
            most = fmax(most, fabs(x) - (double)f->half[i]);
        }
    return most;
}

TEST(kernels, follow_flights_to_the_border_of_their_cells_and_no_farther)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    rico__flights *f = calloc(1, sizeof *f), *before = calloc(1, sizeof *f);
    uint32_t borders = 0, stretches = 0;
    for (uint32_t round = 0; round < 200; ++round) {
        fill_flights(f, round);
        k->start_flights(f, RICO__MAX_FLIGHTS, CELLS_PER_METRE);
        enter_cells(f, round);
        memcpy(before, f, sizeof *f);
        uint64_t finished = k->leave_cells(f, RICO__MAX_FLIGHTS, CELLS_PER_METRE);
        for (uint32_t i = 0; i < RICO__MAX_FLIGHTS; ++i) {
            double t = (double)f->time[i] - (double)before->time[i];
            if (before->time[i] >= before->end[i] || farthest_out(before, i, 0.0) > 0.0)
                continue;
            double out = farthest_out(before, i, t);
            CHECK_MSG(out < 0.012, "round %u flight %u is %g m outside", round, i, out);
            if ((finished >> i & 1) != 0) {
                CHECK(f->time[i] == f->end[i]);
            } else if (t < (double)f->stretch[i]) {
                CHECK_MSG(out > -0.0005, "round %u flight %u is %g m inside", round, i, -out);
                borders += 1;
            } else {
                stretches += 1;
            }
        }
    }
    CHECK(borders > 1000 && stretches > 100);
    free(f);
    free(before);
}
