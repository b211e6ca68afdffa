/* Paths through cells: every instruction set gives the scalar kernel's bits, and these are
 * right. */
#include "kernel.h"
#include "random.h"
#include "testing.h"

#define ALL_FLIGHTS (((uint64_t)1 << RICO__FLIGHT_COLUMNS) - 1)

/* ---- Coverage without a scene: some cells near the origin are empty -------------------- */

#define CELLS 24 /* per axis, of 0.5 m, around the origin */

typedef struct sparse {
    int32_t cells[CELLS * CELLS * CELLS], boxes[CELLS * CELLS * CELLS];
    rico__coverage of;
} sparse;

/* full: no cell is empty. */
static void make_sparse(sparse *s, uint32_t round, bool full)
{
    for (uint32_t i = 0; i < CELLS * CELLS * CELLS; ++i) {
        uint32_t random = rico__random_u32(14, i, round);
        uint32_t distance =
            !full && random % 4 != 0; /* true of the cell itself, whatever is around it */
        int32_t notes = full ? 0 : (int32_t)(random >> 8 << RICO__NOTE_EMPTY);
        s->cells[i] = rico__coverage_with_distance(notes, distance);
        s->boxes[i] = 0;
    }
    s->of = (rico__coverage){.lo = {-CELLS / 2, -CELLS / 2, -CELLS / 2},
                             .size = {CELLS, CELLS, CELLS},
                             .edge = 0.5f,
                             .rate = 16.0f,
                             .margin = RICO__LEAST_MARGIN,
                             .cells = s->cells,
                             .boxes = s->boxes};
}

/* Gives three cells of four a box of random size. */
static void make_boxes(sparse *s, uint32_t round)
{
    for (uint32_t i = 0; i < CELLS * CELLS * CELLS; ++i) {
        uint32_t box = RICO__BOX_KNOWN;
        for (uint32_t a = 0; a < 3; ++a) {
            uint32_t begin = rico__random_u32(18, i, round * 8 + a) % RICO__BOX_STEPS;
            uint32_t more = rico__random_u32(18, i, round * 8 + 4 + a);
            uint32_t length = more % (uint32_t)(RICO__BOX_STEPS - (int)begin) + 1;
            uint32_t after = (uint32_t)RICO__BOX_STEPS - begin - length;
            box |= (begin | after << RICO__BOX_BITS) << 2 * RICO__BOX_BITS * a;
        }
        s->boxes[i] = rico__random_u32(18, i, round * 8 + 7) % 4 != 0 ? (int32_t)box : 0;
    }
}

static bool is_empty(const sparse *s, const int32_t finest[3])
{
    const int32_t cell[3] = {finest[0] >> 3, finest[1] >> 3, finest[2] >> 3};
    size_t index;
    uint32_t beyond;
    if (!rico__coverage_find(&s->of, cell, &index, &beyond))
        return true;
    return rico__coverage_distance(s->cells[index]) > 0 ||
           rico__coverage_child_empty(&s->of, index, finest);
}

/* ---- Flights ---- */

static void fill_flights(rico__flights *f, uint32_t round)
{
    float factor = rico__random_range(15, round, 0, 0.9f, 1.0f);
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
        f->dt[i] = i % 5 ? 1.0f / 60.0f : 0.01f;
        f->factor[i] = factor;
        f->push[0][i] = round % 3 == 0 ? 0.05f : 0.0f;
        f->push[1][i] = 0.0f;
        f->push[2][i] = round % 4 == 0 ? 0.0f : -9.81f * f->dt[i];
        uint32_t use = round * 32;
        bool floats = rico__random_u32(12, i, use) % 8 == 0;
        /* Among the cells; beyond them; or where there are no cells. */
        float spread = i % 2 ? 6.0f : i % 8 ? 1.0e3f : 9.0e5f;
        f->drag[i] = i % 3 ? rico__random_range(12, i, use + 1, 0.0f, 3.0f) : 0.0f;
        f->time[i] = i % 4 ? rico__random_range(12, i, use + 2, 0.0f, 0.2f) : 0.0f;
        f->life_left[i] = rico__random_range(12, i, use + 3, 0.001f, 4.0f);
        f->half[i] = rico__random_range(12, i, use + 5, 0.05f, 4.0f);
        f->reach[i] = rico__random_range(12, i, use + 4, 0.03f, 0.08f);
        f->drift[i] = RICO__MOST_DRIFT;
        for (uint32_t a = 0; a < 3; ++a) {
            f->p[a][i] = rico__random_range(12, i, use + 6 + a, -spread, spread);
            f->v[a][i] = rico__random_range(12, i, use + 9 + a, -20.0f, 20.0f);
            if (floats) /* slow, and in one axis not at all */
                f->v[a][i] = a == round % 3 ? 0.0f : f->v[a][i] * 1.0e-4f;
        }
    }
}

/* Puts each path somewhere in its cell; a few are on the border or past it. */
static void enter_cells(rico__flights *f, uint32_t round)
{
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i)
        for (uint32_t a = 0; a < 3; ++a) {
            float off = rico__random_range(13, i, round * 4 + a, -1.02f, 1.02f);
            f->center[a][i] = f->at[a][i] + f->half[i] * off;
        }
}

/* Compares the columns in the set; what lies past the columns has no meaning. */
static bool same_columns(const rico__flights *a, const rico__flights *b, uint64_t set)
{
    const float *x = (const float *)(const void *)a, *y = (const float *)(const void *)b;
    for (size_t row = 0; row < sizeof *a / sizeof(float) / RICO__FLIGHT_COLUMNS; ++row)
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            size_t at = row * RICO__FLIGHT_COLUMNS + i;
            if ((set >> i & 1) != 0 && memcmp(&x[at], &y[at], sizeof(float)) != 0)
                return false;
        }
    return true;
}

static bool same_result(rico__flown a, rico__flown b)
{
    return a.finished == b.finished && a.empty == b.empty;
}

/* All paths start, some of them later. Then any subsets of them go on. */
static uint32_t compare(const rico__kernels *k, const sparse *s, rico__flights *expected,
                        rico__flights *got, uint32_t round)
{
    const rico__kernels *scalar = rico__kernels_for_isa(RICO_ISA_SCALAR);
    uint32_t finished = 0;
    uint64_t started = 0;
    fill_flights(expected, round);
    fill_flights(got, round);
    for (uint32_t n = 0; n < 6; ++n) {
        uint64_t random = rico__mix64(round * 8 + n);
        uint64_t starting = ALL_FLIGHTS & ~started & (n < 2 ? random : ALL_FLIGHTS);
        uint64_t set = starting | (started & (random >> 7 | random << 50));
        started |= starting;
        rico__flown a = scalar->fly(expected, set, starting, &s->of);
        rico__flown b = k->fly(got, set, starting, &s->of);
        CHECK_MSG(same_result(a, b) && same_columns(got, expected, started),
                  "%s round %u call %u", rico__isa_name(k->isa), round, n);
        CHECK((a.finished & ~set) == 0 && (a.empty & ~set) == 0 && (a.empty & a.finished) == 0);
        finished += a.finished != 0 && a.finished != set;
        if (n > 2) { /* all have started */
            enter_cells(expected, round * 4 + n);
            enter_cells(got, round * 4 + n);
        }
    }
    return finished;
}

TEST(kernels, agree_on_where_flights_lead)
{
    rico__flights *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    sparse *s = calloc(1, sizeof *s);
    uint32_t finished = 0;
    for (uint32_t round = 0; round < 400; ++round) {
        make_sparse(s, round, round % 8 == 0);
        if (round % 2 == 0)
            make_boxes(s, round);
        for (int isa = RICO_ISA_SCALAR + 1; isa < RICO_ISA_COUNT; ++isa)
            if (rico__kernels_for_isa((rico__isa)isa) != NULL)
                finished +=
                    compare(rico__kernels_for_isa((rico__isa)isa), s, expected, got, round);
    }
    CHECK(finished > 400);
    free(expected);
    free(got);
    free(s);
}

TEST(kernels, leave_flights_outside_the_set_where_they_are)
{
    rico__flights *f = calloc(1, sizeof *f), *before = calloc(1, sizeof *f);
    sparse *s = calloc(1, sizeof *s);
    make_sparse(s, 1, false);
    uint32_t moved = 0;
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        for (uint32_t round = 0; round <= 50; ++round) {
            uint64_t set = round == 0 ? 0 : ALL_FLIGHTS & rico__mix64(round);
            fill_flights(f, round);
            k->fly(f, ALL_FLIGHTS, ALL_FLIGHTS, &s->of);
            enter_cells(f, round);
            memcpy(before, f, sizeof *f);
            k->fly(f, set, 0, &s->of);
            CHECK(same_columns(f, before, ALL_FLIGHTS & ~set));
            moved += !same_columns(f, before, set);
        }
    }
    CHECK(moved > 40);
    free(f);
    free(before);
    free(s);
}

/* How far past the border of its cell the parabola comes at most, within the time t. */
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
    sparse *s = calloc(1, sizeof *s);
    uint32_t borders = 0, stretches = 0;
    for (uint32_t round = 0; round < 200; ++round) {
        make_sparse(s, round, true);
        s->of.shift = 20; /* two cells per axis for the whole world, neither of them empty */
        s->of.lo[0] = s->of.lo[1] = s->of.lo[2] = -1;
        s->of.size[0] = s->of.size[1] = s->of.size[2] = 2;
        fill_flights(f, round);
        k->fly(f, ALL_FLIGHTS, ALL_FLIGHTS, &s->of);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i)
            f->stretch[i] = rico__random_range(16, i, round, 0.001f, 4.0f);
        enter_cells(f, round);
        memcpy(before, f, sizeof *f);
        uint64_t finished = k->fly(f, ALL_FLIGHTS, 0, &s->of).finished;
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            double t = (double)f->time[i] - (double)before->time[i];
            if (before->time[i] >= before->end[i] || farthest_out(before, i, 0.0) > 0.0 ||
                i % 8 == 0)
                continue;
            double out = farthest_out(before, i, t);
            CHECK_MSG(out < 0.012, "round %u flight %u is %g m outside", round, i, out);
            if ((finished >> i & 1) != 0) {
                CHECK(f->time[i] == f->end[i]);
            } else if (t < (double)f->stretch[i] - 1.0e-5) {
                CHECK_MSG(out > -0.0005, "round %u flight %u is %g m inside", round, i, -out);
                borders += 1;
            } else {
                CHECK(t < (double)f->stretch[i] + 1.0e-5); /* no other case exists */
                stretches += 1;
            }
        }
    }
    CHECK(borders > 1000 && stretches > 100);
    free(f);
    free(before);
    free(s);
}

/* The place of a path at time t: the acceleration decays by e^(-drag t) and is integrated
 * twice. */
static void place_at(const rico__flights *f, uint32_t i, double t, int32_t finest[3])
{
    double drag = (double)f->drag[i], slow = drag * t;
    double twice =
        slow < 1.0e-3 ? t * t * (0.5 - slow / 6.0) : (slow + expm1(-slow)) / (drag * drag);
    for (int a = 0; a < 3; ++a) {
        double x = (double)f->p[a][i] + (double)f->v[a][i] * t + (double)f->a[a][i] * twice;
        finest[a] = (int32_t)floor(x * 16.0);
    }
}

/* Counts places that are not empty. There may be a few, because a path may cut a corner by the
 * nudge. */
static uint32_t places_not_empty(const sparse *s, const rico__flights *f, uint32_t i,
                                 double from)
{
    uint32_t full = 0;
    for (int n = 0; n < 400; ++n) {
        int32_t finest[3];
        place_at(f, i, from + ((double)f->time[i] - from) * n / 400.0, finest);
        full += !is_empty(s, finest);
    }
    return full;
}

static bool is_in_cell(const rico__flights *f, uint32_t i)
{
    for (int a = 0; a < 3; ++a)
        if (!(fabsf(f->at[a][i] - f->center[a][i]) <= f->half[i] * 1.0001f + 1.0e-5f))
            return false;
    return true;
}

/* Follows a path until it ends, or until it is in a cell that is not empty (true). */
static bool follow(const rico__kernels *k, const sparse *s, rico__flights *f, uint32_t i)
{
    uint64_t flight = (uint64_t)1 << i, starting = flight;
    for (uint32_t n = 0; n < 200; ++n) {
        rico__flown flown = k->fly(f, flight, starting, &s->of);
        const int32_t finest[3] = {f->finest[0][i], f->finest[1][i], f->finest[2][i]};
        starting = 0;
        if (flown.finished != 0)
            return false;
        CHECK_EQ(flown.empty != 0, is_empty(s, finest));
        if (flown.empty == 0)
            return true;
        CHECK(is_in_cell(f, i));
    }
    CHECK_MSG(false, "flight %u goes on for ever", i);
    return false;
}

TEST(kernels, follow_flights_over_all_that_is_empty_and_no_farther)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    rico__flights *f = calloc(1, sizeof *f);
    sparse *s = calloc(1, sizeof *s);
    uint32_t arrived = 0, ended = 0, full = 0, places = 0;
    for (uint32_t round = 0; round < 60; ++round) {
        make_sparse(s, round, false);
        fill_flights(f, round);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            float from = f->time[i];
            bool far = fabsf(f->p[0][i]) > 3.0e5f;
            bool there = follow(k, s, f, i);
            if (far)
                CHECK(!there && f->time[i] == from);
            arrived += there;
            ended += !there;
            if (f->time[i] > from) {
                full += places_not_empty(s, f, i, (double)from);
                places += 400;
            }
        }
    }
    CHECK(arrived > 300 && ended > 300);
    CHECK_MSG(full < places / 100, "%u of %u places were not empty", full, places);
    free(f);
    free(s);
}

/* ---- Boxes ---- */

/* Where the box of the cell that the path is in begins and ends. False: the box is not known. */
static bool box_at(const sparse *s, const rico__flights *f, uint32_t i, double lo[3],
                   double hi[3])
{
    const double margin = (double)s->of.margin;
    const double step = (0.5 + 2.0 * margin) / RICO__BOX_STEPS;
    int32_t cell[3];
    size_t index;
    uint32_t beyond;
    for (int a = 0; a < 3; ++a)
        cell[a] = f->finest[a][i] >> RICO__FINEST_LEVEL;
    if (!rico__coverage_find(&s->of, cell, &index, &beyond) || s->boxes[index] == 0)
        return false;
    for (int a = 0; a < 3; ++a) {
        uint32_t word = (uint32_t)s->boxes[index] >> 2 * RICO__BOX_BITS * a;
        double corner = 0.5 * cell[a] - margin;
        lo[a] = corner + (word & RICO__BOX_STEPS) * step;
        hi[a] = corner + (RICO__BOX_STEPS - (word >> RICO__BOX_BITS & RICO__BOX_STEPS)) * step;
    }
    return true;
}

/* How far the way through the cell stays from the box, on the axis where that is most.
 * Negative: they overlap. */
static double clear_by(const rico__flights *f, uint32_t i, const double lo[3],
                       const double hi[3])
{
    double least[3], most[3], by = -1.0e30;
    double last = fmin((double)f->stretch[i], (double)f->end[i] - (double)f->time[i]);
    for (int n = 0; n <= 4000; ++n) {
        double t = last * n / 4000.0, at[3];
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
            at[a] = (double)f->at[a][i] +
                    t * ((double)f->velocity[a][i] + 0.5 * t * (double)f->accel[a][i]);
            double middle = 0.5 * (f->finest[a][i] >> RICO__FINEST_LEVEL) + 0.25;
            inside = inside && fabs(at[a] - middle) <= 0.25 + 1.0e-5;
        }
        if (!inside && n > 0)
            break;
        for (int a = 0; a < 3; ++a) {
            least[a] = n == 0 ? at[a] : fmin(least[a], at[a]);
            most[a] = n == 0 ? at[a] : fmax(most[a], at[a]);
        }
    }
    for (int a = 0; a < 3; ++a)
        by = fmax(by, fmax(lo[a] - most[a], least[a] - hi[a]));
    return by;
}

TEST(kernels, pass_by_what_is_in_a_cell_when_the_way_through_it_keeps_clear)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    rico__flights *f = calloc(1, sizeof *f);
    sparse *s = calloc(1, sizeof *s);
    uint32_t by = 0, into = 0, unknown = 0;
    for (uint32_t round = 0; round < 100; ++round) {
        make_sparse(s, round, true);
        make_boxes(s, round);
        s->of.margin = rico__coverage_margin(round % 2 != 0 ? 0.5f : 0.0f);
        fill_flights(f, round);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i)
            for (int a = 0; a < 3; ++a)
                f->p[a][i] = fmodf(f->p[a][i], 5.0f); /* among the cells */
        rico__flown flown = k->fly(f, ALL_FLIGHTS, ALL_FLIGHTS, &s->of);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            double lo[3], hi[3];
            bool passes = (flown.empty >> i & 1) != 0;
            const int32_t finest[3] = {f->finest[0][i], f->finest[1][i], f->finest[2][i]};
            if ((flown.finished >> i & 1) != 0 || is_empty(s, finest) || f->time[i] > f->end[i])
                continue;
            if (!box_at(s, f, i, lo, hi)) {
                CHECK(!passes);
                unknown += 1;
                continue;
            }
            double clear = clear_by(f, i, lo, hi) - (double)f->reach[i];
            /* The way is sampled, and fast paths leave the cell between two samples. */
            CHECK_MSG(passes ? clear > -1.0e-4 : clear < 0.02, "round %u flight %u: %g m clear",
                      round, i, clear);
            if (passes)
                CHECK(is_in_cell(f, i) && f->half[i] == 0.25f);
            by += passes;
            into += !passes;
        }
    }
    CHECK_MSG(by > 300 && into > 300 && unknown > 300, "%u, %u, %u", by, into, unknown);
    free(f);
    free(s);
}

/* How far the path is from real steps, which change the velocity first and then the place with
 * it. */
static double farthest_from_steps(const rico__flights *f, uint32_t i, const float *start)
{
    double dt = (double)f->dt[i], t = (double)f->time[i], off = 0.0;
    for (int a = 0; a < 3; ++a) {
        double p = (double)f->p[a][i], v = (double)start[a];
        double before = p;
        for (double at = 0.0; at < t; at += dt) {
            before = p;
            v = (v + (double)f->push[a][i]) * (double)f->factor[i];
            p += v * dt;
        }
        double part = t / dt - floor(t / dt);
        off = fmax(off, fabs(before + (p - before) * part - (double)f->at[a][i]));
    }
    return off;
}

/* Metres by which the chord of a step is off its arc, where drag is strongest. */
#define BETWEEN_STEPS 0.005

TEST(kernels, know_the_way_of_steps_within_twice_their_drift_for_as_long_as_they_say)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    rico__flights *f = calloc(1, sizeof *f);
    sparse *s = calloc(1, sizeof *s);
    make_sparse(s, 1, false);
    s->of.lo[0] = 10000; /* nothing is near */
    uint32_t limited = 0;
    double least = 1.0e30;
    for (uint32_t round = 0; round < 100; ++round) {
        float start[3][RICO__FLIGHT_COLUMNS];
        fill_flights(f, round);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            bool drop = i % 3 == 0; /* at about the terminal speed */
            f->drag[i] = drop ? 1.14f : rico__random_range(12, i, round, 0.0f, 6.0f);
            f->factor[i] = expf(-f->drag[i] * f->dt[i]);
            f->push[2][i] = -9.81f * f->dt[i];
            f->time[i] = 0.0f;
            f->life_left[i] = 4.0f;
            if (i % 3 == 1) /* smaller balls */
                f->drift[i] = rico__random_range(13, i, round, RICO__LEAST_DRIFT, 0.01f);
            for (uint32_t a = 0; a < 3; ++a) {
                f->p[a][i] = 0.0f;
                f->v[a][i] *= drop ? 0.02f : 1.0f;
            }
            f->v[2][i] -= drop ? 8.6f : 0.0f;
        }
        memcpy(start, f->v, sizeof start);
        uint64_t flying = ALL_FLIGHTS, starting = ALL_FLIGHTS;
        for (uint32_t n = 0; n < 100 && flying != 0; ++n, starting = 0)
            flying &= ~k->fly(f, flying, starting, &s->of).finished;
        CHECK(flying == 0);
        for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
            const float v[3] = {start[0][i], start[1][i], start[2][i]};
            double off = farthest_from_steps(f, i, v);
            CHECK_MSG(off < 2.0 * (double)f->drift[i] + BETWEEN_STEPS,
                      "round %u flight %u: %g m off after %g s", round, i, off,
                      (double)f->time[i]);
            limited += f->time[i] < 3.9f;
            if (i % 3 == 0)
                least = fmin(least, (double)f->time[i]);
        }
    }
    CHECK(limited > 1000);
    CHECK_MSG(least > 1.5, "a drop's way is known for %g s only", least);
    free(f);
    free(s);
}

/* Where floats are so coarse that no step leaves the cell, a path must end after some calls. */
TEST(kernels, end_flights_that_get_nowhere)
{
    sparse *s = calloc(1, sizeof *s);
    make_sparse(s, 1, false);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        rico__flights *f = calloc(1, sizeof *f);
        if (k != NULL) {
            fill_flights(f, 1);
            uint64_t flying =
                ALL_FLIGHTS & ~k->fly(f, ALL_FLIGHTS, ALL_FLIGHTS, &s->of).finished;
            uint32_t n = 0;
            for (; n < 100 && flying != 0; ++n) {
                for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; ++i) {
                    f->half[i] = f->stretch[i] = 0.0f; /* leaves at once, by the nudge */
                    f->end[i] = 1.0e30f;
                }
                flying &= ~k->fly(f, flying, 0, &s->of).finished;
            }
            CHECK(n > 10 && n < 100);
        }
        free(f);
    }
    free(s);
}
