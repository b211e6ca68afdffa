/* Every instruction set gives the scalar kernel's bits, on hostile inputs too. */
#include "runtime_extents.h"
#include "runtime_lanes.h"
#include "testing.h"

static const rico__turning turning[3] = {
    {.start = 0.5f,
     .spin = 3.0f,
     .wraps = true,
     .over_life = {.count = 3,
                   .from = {0.0f, 0.25f, 0.25f},
                   .rate = {4.0f, 0.0f, 1.5f},
                   .a = {1.0f, -20.0f, 3.0f},
                   .b = {{-21.0f, 23.0f, 4.0f}},
                   .lo = {-20.0f, -20.0f, 3.0f},
                   .hi = {1.0f, 3.0f, 7.0f}}},
    {.begun = true, /* and does not wrap */
     .over_life = {.count = 2,
                   .from = {-1.0f, 0.5f},
                   .rate = {1.0f, 1.0e38f},
                   .a = {1.0f, 2.0f},
                   .b = {{0.5f, -1.0f}, {1.0e9f, 2.0f}, {-1.0e9f, 3.0f}},
                   .lo = {1.0f, -9.0f},
                   .hi = {2.0f, 4.0f}}},
    {.start = -100.0f, .spin = 40.0f, .wraps = true},
};

static const rico__step step = {
    .dt = 1.0f / 60.0f,
    .middle = 0.5f / 60.0f,
    .gz = -9.81f / 60.0f,
    .drag_factor = 0.99f,
    .radius = 0.01f,
    .restitution = 0.5f,
    .slip = 0.8f,
    .rest_speed2 = 0.3f,
    .hold_z = 1.0f,
    .hold_cosine = 0.3f,
    .depth = 0.5f,
    .ahead = 1.5f / 60.0f,
    .fall = 9.81f,
    .cell_rate = 2.0f,
    .fast_step2 = 0.01f,
};

enum {
    RUN_MOVE,
    RUN_PLANE,
    RUN_GUARD,
    RUN_EXACT,
    RUN_FIXED,
    RUN_PLANES,
    RUN_HOLD,
    RUN_WAYS,
    RUN_CURVES,
    RUN_TURN,
    RUN_TIDY,
    RUN_COUNT
};

static void run(const rico__kernels *k, int pass, lanes *l, uint32_t count)
{
    const rico__extents extents = some_extents(pass == RUN_WAYS ? 3 : 0);
    rico__ways ways;
    rico__step thick = step;
    rico__streams s = streams_of(l);
    const rico__impacts impacts = {l->time, l->speed, l->into};
    const rico__packed_from from = {.age = s.age, .life = s.life};
    thick.radius = 0.05f; /* some have only ground near */
    switch (pass) {
    case RUN_MOVE:
        k->move(&s, count, &step, &l->masks);
        break;
    case RUN_FIXED:
        k->fixed(&s, count, &step, &l->masks, &impacts);
        break;
    case RUN_PLANES:
        k->planes(&s, count, &step, &l->masks, &impacts);
        break;
    case RUN_HOLD:
        k->planes(&s, count, &step, &l->masks, NULL);
        break;
    case RUN_PLANE:
        k->plane(&s, count, &step, &l->masks, &impacts);
        break;
    case RUN_GUARD:
        k->guard(&s, count, &step, &l->masks, &impacts);
        break;
    case RUN_EXACT:
        k->exact(&s, count, &thick, &extents, &l->masks);
        break;
    case RUN_WAYS:
        for (uint32_t a = 0; a < 3; ++a) {
            memcpy(ways.p[a], l->field[a], sizeof ways.p[a]);
            for (uint32_t i = 0; i < RICO__MAX_BLOCK; ++i)
                ways.way[a][i] = l->field[3 + a][i] * step.dt;
        }
        k->clear_ways(&ways, count, step.radius, &extents, l->masks.look);
        break;
    case RUN_TURN:
        k->turn(&from, count, &turning[0], l->field[0]);
        k->turn(&from, count, &turning[1], l->field[0]);
        k->turn(&from, count, &turning[2], l->field[1]);
        k->follow(&from, count, &turning[1].over_life, l->field[2]);
        break;
    case RUN_TIDY:
        k->tidy(&s, count);
        break;
    default:
        k->curves(s.age, s.life, count, &l->tables, l->size, l->color);
        break;
    }
}

static bool equal_lanes(const lanes *a, const lanes *b, uint32_t count)
{
    for (uint32_t f = 0; f < FIELDS; ++f)
        if (!same(a->field[f], b->field[f], count))
            return false;
    for (uint32_t i = 0; i < count; ++i)
        if ((a->masks.bounced[i / 64] >> (i % 64) & 1) != 0 &&
            (!same(&a->time[i], &b->time[i], 1) || !same(&a->speed[i], &b->speed[i], 1) ||
             !same(&a->into[i], &b->into[i], 1)))
            return false;
    return memcmp(&a->masks, &b->masks, sizeof a->masks) == 0 &&
           memcmp(a->size, b->size, count * sizeof(float)) == 0 &&
           memcmp(a->color, b->color, count * sizeof(uint32_t)) == 0;
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
            for (int pass = 0; pass < RUN_COUNT; ++pass) {
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

/* Checks that the comparisons above are not of zeros alone. */
TEST(kernels, are_compared_where_lanes_hit_bounce_and_look)
{
    const rico__kernels *k = rico__kernels_for_isa(RICO_ISA_SCALAR);
    lanes *l = malloc(sizeof *l);
    uint64_t hit = 0, look = 0, bounced = 0, rebound = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        fill(l, round, false);
        run(k, RUN_GUARD, l, 64);
        hit |= l->masks.hit[0];
        look |= l->masks.look[0];
        bounced |= l->masks.bounced[0];
        rebound |= l->masks.bounced[0] & l->masks.rebound[0];
        CHECK_EQ(l->masks.hit[0] & l->masks.bounced[0], 0);
    }
    CHECK(hit != 0 && look != 0 && bounced != 0);
    CHECK(rebound == bounced);
    free(l);
}

TEST(kernels, are_compared_where_steps_are_free_and_where_they_are_not)
{
    const rico__kernels *k = rico__kernels_for_isa(RICO_ISA_SCALAR);
    lanes *l = malloc(sizeof *l);
    uint32_t hit = 0, look = 0, clear = 0, ground = 0;
    for (uint32_t round = 0; round < 32; ++round) {
        fill(l, round, false);
        run(k, RUN_EXACT, l, CAPACITY);
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
            hit += (uint32_t)__builtin_popcountll(l->masks.hit[w]);
            look += (uint32_t)__builtin_popcountll(l->masks.look[w]);
            ground += (uint32_t)__builtin_popcountll(l->masks.ground[w] & ~l->masks.hit[w]);
            uint64_t still = l->masks.hit[w] | l->masks.ground[w];
            CHECK_EQ(l->masks.look[w] & ~still, 0);
            CHECK_EQ(still & (l->masks.asleep[w] | l->masks.dead[w]), 0);
        }
        run(k, RUN_WAYS, l, CAPACITY);
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            clear += (uint32_t)__builtin_popcountll(l->masks.look[w]);
    }
    CHECK_MSG(hit > 400 && hit < 6000 && look > 40 && look < hit, "%u hit, %u look", hit, look);
    CHECK_MSG(ground > 5, "%u with ground below, and nothing ahead", ground);
    CHECK_MSG(clear > 200 && clear < 7600, "%u are clear", clear);
    free(l);
}

static bool nearly_equal(const lanes *a, const lanes *b, float most)
{
    for (uint32_t i = 0; i < CAPACITY * FIELD_AGE; ++i) {
        const uint32_t f = i % FIELD_AGE, k = i / FIELD_AGE;
        if (fabsf(a->field[f][k] - b->field[f][k]) > most)
            return false;
    }
    return true;
}

TEST(kernels, fixed_bounces_off_numbered_planes_as_plane_does_off_own_ones)
{
    const rico__kernels *k = rico__kernels_for_isa(RICO_ISA_SCALAR);
    lanes *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    uint32_t bounced = 0, seen = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        fill(a, round, false);
        for (uint32_t i = 0; i < CAPACITY; ++i) {
            uint32_t number = (i * 7 + round) % RICO__PALETTE_SIZE;
            a->field[7][i] = rico__life_with_plane(a->field[7][i], number);
            CHECK_EQ(rico__plane_of_life(a->field[7][i]), number);
            rico_plane plane = {
                vec3(a->palette.x[number], a->palette.y[number], a->palette.z[number]),
                a->palette.offset[number]};
            rico__watch(&a->field[0][i], STRIDE, plane, 0);
        }
        memcpy(b, a, sizeof *b);
        run(k, RUN_PLANE, a, CAPACITY);
        run(k, RUN_FIXED, b, CAPACITY);
        /* Own planes have rounded normals. */
        CHECK_MSG(nearly_equal(a, b, 4.0e-4f), "round %u", round);
        CHECK(memcmp(a->masks.bounced, b->masks.bounced, sizeof a->masks.bounced) == 0);
        for (uint32_t i = 0; i < CAPACITY; ++i)
            if ((b->masks.bounced[i / 64] >> (i % 64) & 1) != 0) {
                bounced += 1;
                seen |= 1u << rico__plane_of_life(b->field[7][i]);
            }
    }
    CHECK(bounced > 100);
    CHECK_EQ(seen, (1u << RICO__PALETTE_SIZE) - 1);
    free(a);
    free(b);
}

/* Makes the first plane level: its normal is the axis. */
static void set_level_plane(rico__palette *palette, uint32_t axis)
{
    float *of[3] = {palette->x, palette->y, palette->z};
    for (uint32_t k = 0; k < 3; ++k)
        of[k][0] = k == axis ? 1.0f : 0.0f;
}

TEST(kernels, fixed_bounces_off_a_single_plane_as_off_the_first)
{
    lanes *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    uint64_t bounced[4] = {0};
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        for (uint32_t round = 0; k != NULL && round < 40; ++round) {
            const uint32_t axis = round / 2 % 4;
            /* Level planes do not check that the speed along them is a number. */
            fill(a, round, axis == RICO__NOT_LEVEL && round % 2 == 0);
            for (uint32_t i = 0; i < CAPACITY + 16; ++i)
                a->field[7][i] = rico__life_with_plane(a->field[7][i], 0);
            if (axis != RICO__NOT_LEVEL)
                set_level_plane(&a->palette, axis);
            memcpy(b, a, sizeof *b);
            b->palette.single = true;
            b->palette.level = (uint8_t)axis;
            run(k, RUN_FIXED, a, CAPACITY);
            run(k, RUN_FIXED, b, CAPACITY);
            /* After a bounce, the speed along a level plane's normal is rounded differently. */
            CHECK(axis != RICO__NOT_LEVEL ? nearly_equal(a, b, 2.0e-6f)
                                          : memcmp(a->field, b->field, sizeof a->field) == 0);
            CHECK(memcmp(a->masks.bounced, b->masks.bounced, sizeof a->masks.bounced) == 0);
            CHECK(memcmp(a->masks.asleep, b->masks.asleep, sizeof a->masks.asleep) == 0);
            bounced[axis] |= b->masks.bounced[0];
        }
    }
    for (uint32_t axis = 0; axis <= RICO__NOT_LEVEL; ++axis)
        CHECK(bounced[axis] != 0);
    free(a);
    free(b);
}

/* The time in steps at which lane i, as filled, meets plane k; 2: it does not. */
static float meets(const lanes *l, uint32_t i, uint32_t k)
{
    const rico__palette *q = &l->palette;
    float v[3] = {l->field[3][i] * step.drag_factor, l->field[4][i] * step.drag_factor,
                  (l->field[5][i] + step.gz) * step.drag_factor};
    float distance = q->x[k] * l->field[0][i] + q->y[k] * l->field[1][i] +
                     q->z[k] * l->field[2][i] - q->offset[k];
    float speed = q->x[k] * v[0] + q->y[k] * v[1] + q->z[k] * v[2];
    if (!(distance + speed * step.dt < step.radius && speed < 0.0f && distance > -step.depth))
        return 2.0f;
    return fmaxf((step.radius - distance) / (speed * step.dt), 0.0f);
}

TEST(kernels, planes_bounces_off_the_first_of_several_and_hold_lets_nobody_come_so_far)
{
    lanes *before = malloc(sizeof *before), *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    const rico__kernels *k = rico__kernels_for_isa(RICO_ISA_SCALAR);
    uint32_t bounced = 0, second = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        fill(before, round, false);
        memcpy(a, before, sizeof *a);
        memcpy(b, before, sizeof *b);
        run(k, RUN_PLANES, a, CAPACITY);
        run(k, RUN_HOLD, b, CAPACITY);
        for (uint32_t i = 0; i < CAPACITY; ++i) {
            if ((a->masks.bounced[i / 64] >> (i % 64) & 1) == 0)
                continue;
            uint32_t number = rico__plane_of_life(a->field[7][i]);
            for (uint32_t n = 0; n < a->palette.count; ++n) {
                second += n != number && meets(before, i, n) < 2.0f;
                CHECK_MSG(meets(before, i, number) <= meets(before, i, n) + 1.0e-4f,
                          "round %u lane %u: %u before %u", round, i, number, n);
            }
            CHECK(((b->masks.hit[i / 64] | a->masks.dead[i / 64]) >> (i % 64) & 1) != 0);
            CHECK(memcmp(&b->field[0][i], &before->field[0][i], sizeof(float)) == 0);
            bounced += 1;
        }
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            CHECK_EQ(b->masks.bounced[w], 0);
    }
    CHECK(bounced > 100 && second > 20);
    free(before);
    free(a);
    free(b);
}

TEST(kernels, do_the_same_when_nobody_asks_for_impacts)
{
    const rico__impacts none = {NULL, NULL, NULL};
    lanes *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        fill(a, 3, false);
        memcpy(b, a, sizeof *b);
        rico__streams s = streams_of(b);
        run(k, RUN_GUARD, a, CAPACITY);
        k->guard(&s, CAPACITY, &step, &b->masks, &none);
        memcpy(b->time, a->time, sizeof b->time);
        memcpy(b->speed, a->speed, sizeof b->speed);
        memcpy(b->into, a->into, sizeof b->into);
        CHECK(equal_lanes(a, b, CAPACITY));
    }
    free(a);
    free(b);
}

TEST(kernels, report_no_bit_at_or_past_the_count_and_how_many_bounced)
{
    lanes *l = malloc(sizeof *l);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        if (k == NULL)
            continue;
        for (uint32_t count = 0; count <= CAPACITY; ++count) {
            fill(l, count, count % 2 == 0);
            run(k, RUN_GUARD, l, count);
            const rico__masks *m = &l->masks;
            for (uint32_t w = count / 64; w < RICO__MASK_WORDS; ++w) {
                uint64_t past = w == count / 64 ? UINT64_MAX << (count % 64) : UINT64_MAX;
                uint64_t any = m->asleep[w] | m->dead[w] | m->bounced[w] | m->hit[w] |
                               m->look[w] | m->rebound[w] | m->ground[w];
                CHECK_MSG((any & past) == 0, "%s count %u", rico__isa_name((rico__isa)isa),
                          count);
            }
            CHECK_EQ(m->bounces, rico__bit_count(m->bounced, RICO__MAX_BLOCK));
        }
    }
    free(l);
}

/* One lane above a sloping plane or below an overhanging one, which comes to it or not, and has
 * clearance when it does. Every fourth moves up and down more than sideways. */
static void fill_faller(lanes *l, uint32_t round, float clearance)
{
    float slope = rico__random_range(21, round, 1, -0.6f, 0.6f);
    memset(l, 0, sizeof *l);
    for (uint32_t f = 0; f < 2; ++f)
        l->field[f][0] = rico__random_range(21, round, 2 + f, -5.0f, 5.0f);
    const float upright = sqrtf(1.0f - slope * slope) * (round % 7 == 6 ? -1.0f : 1.0f);
    const rico_plane plane = {{slope, 0.0f, upright}, 0.0f};
    float height = rico__random_range(21, round, 4, 0.02f, 0.3f);
    l->field[2][0] = (height - slope * l->field[0][0]) / upright;
    rico__watch(&l->field[0][0], STRIDE, plane, rico__known_clearance(clearance));
    for (uint32_t f = 3; f < 6; ++f)
        l->field[f][0] = rico__random_range(21, round, 2 + f, -3.0f, 3.0f) *
                         (round % 4 == 3 && f < 5 ? 0.05f : 1.0f);
    l->field[7][0] = 100.0f;
    l->field[FIELD_UNTIL][0] = RICO__NEVER;
}

static double distance_from(const lanes *l, const double *q)
{
    double x = (double)l->field[0][0] - q[0], y = (double)l->field[1][0] - q[1];
    double z = (double)l->field[2][0] - q[2];
    return sqrt(x * x + y * y + z * z);
}

TEST(kernels, look_ahead_again_before_they_can_leave_their_clearance)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l);
    uint32_t bounces = 0, looks = 0, second_bounces = 0;
    rico__step lively = step;
    lively.rest_speed2 = 0.0f;
    for (uint32_t round = 0; round < 3000; ++round) {
        float clearance = rico__random_range(21, round, 9, 0.01f, 1.5f);
        lively.drag_factor = round % 2 ? 1.0f : 0.99f;
        lively.slip = round % 3 ? 0.8f : 1.0f;
        lively.restitution = round % 5 ? 0.5f : 1.0f;
        fill_faller(l, round, clearance);
        rico__streams s = streams_of(l);
        const rico__impacts impacts = {l->time, l->speed, l->into};
        double impact[3] = {0.0, 0.0, 0.0};
        bool flown = false;
        for (uint32_t n = 0; n < 300; ++n) {
            const float v[3] = {s.vx[0] + lively.gx, s.vy[0] + lively.gy, s.vz[0] + lively.gz};
            const float p[3] = {s.px[0], s.py[0], s.pz[0]};
            k->guard(&s, 1, &lively, &l->masks, &impacts);
            if ((l->masks.bounced[0] & 1) != 0) {
                second_bounces += flown;
                bounces += 1;
                for (int a = 0; a < 3 && !flown; ++a)
                    impact[a] = (double)p[a] + (double)(v[a] * lively.drag_factor) *
                                                   (double)l->time[0] * (double)lively.dt;
                flown = true;
            }
            if (flown)
                CHECK_MSG(distance_from(l, impact) <= (double)clearance + 1.0e-4,
                          "round %u step %u: %g m away of %g", round, n,
                          distance_from(l, impact), (double)clearance);
            looks += l->masks.look[0] & 1;
            if (((l->masks.look[0] | l->masks.hit[0]) & 1) != 0)
                break;
        }
    }
    CHECK(bounces > 1000 && looks > 500 && second_bounces > 300);
    free(l);
}

/* A particle hops on the spot, up to 25 cm high. Its way up and down is longer than its
 * clearance, but it never leaves the clearance. */
TEST(kernels, need_not_look_ahead_while_they_hop_within_their_clearance)
{
    lanes *l = malloc(sizeof *l);
    const rico_plane floor = {{0.0f, 0.0f, 1.0f}, 0.0f};
    rico__step lively = step;
    lively.rest_speed2 = 0.0f;
    lively.restitution = 1.0f;
    lively.drag_factor = 1.0f;
    uint32_t bounces = 0;
    memset(l, 0, sizeof *l);
    l->field[2][0] = 0.25f;
    l->field[7][0] = 100.0f;
    l->field[FIELD_UNTIL][0] = RICO__NEVER;
    rico__watch(&l->field[0][0], STRIDE, floor, rico__known_clearance(0.3f));
    rico__streams s = streams_of(l);
    const rico__impacts impacts = {l->time, l->speed, l->into};
    for (uint32_t n = 0; n < 600; ++n) {
        rico__kernels_for_cpu()->guard(&s, 1, &lively, &l->masks, &impacts);
        bounces += l->masks.bounced[0] & 1;
        CHECK_EQ((l->masks.look[0] | l->masks.hit[0]) & 1, 0);
    }
    CHECK_MSG(bounces > 15, "%u bounces", bounces);
    free(l);
}

TEST(kernels, keep_what_hits_without_clearance_where_it_is)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l), *before = malloc(sizeof *l);
    uint32_t hits = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        fill(l, round, false);
        memcpy(before, l, sizeof *l);
        run(k, RUN_GUARD, l, CAPACITY);
        for (uint32_t i = 0; i < CAPACITY; ++i) {
            if ((l->masks.hit[i / 64] >> (i % 64) & 1) == 0)
                continue;
            hits += 1;
            for (int f = 0; f < 6; ++f)
                CHECK(l->field[f][i] == before->field[f][i]);
            CHECK(l->field[FIELD_UNTIL][i] == before->field[FIELD_UNTIL][i]);
            CHECK(rico__known(&l->field[0][i], STRIDE) ==
                  rico__known(&before->field[0][i], STRIDE));
            CHECK((l->masks.look[i / 64] >> (i % 64) & 1) == 0);
        }
    }
    CHECK(hits > 100);
    free(before);
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
    k->tidy(&s, 5);
    k->move(&s, 5, &step, &l->masks);
    CHECK_EQ(l->masks.dead[0], 0xe);
    free(l);
}

TEST(kernels, stop_who_has_almost_stopped)
{
    const rico__kernels *k = rico__kernels_for_cpu();
    lanes *l = malloc(sizeof *l), *before = malloc(sizeof *before);
    fill(l, 1, false);
    l->field[3][0] = l->field[4][1] = 1.0e-12f;
    l->field[5][2] = -1.0e-13f;
    l->field[5][3] = NAN;
    l->field[3][4] = 1.1e-12f;
    *before = *l;
    before->field[3][0] = before->field[4][1] = before->field[5][2] = before->field[5][3] =
        0.0f;
    rico__streams s = streams_of(l);
    k->tidy(&s, CAPACITY);
    CHECK(memcmp(l, before, sizeof *l) == 0);
    free(l);
    free(before);
}

/* The kernels guess whether many lanes bounce. Only the time may depend on the guess. */
TEST(kernels, do_the_same_whatever_is_guessed)
{
    lanes *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    uint64_t bounced = 0;
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__kernels *k = rico__kernels_for_isa((rico__isa)isa);
        for (uint32_t round = 0; k != NULL && round < 80; ++round) {
            fill(a, round / 2, round % 6 == 0);
            a->palette.single = round % 4 < 2;
            if (round % 8 == 0)
                set_level_plane(&a->palette, a->palette.level = (uint8_t)(round / 8 % 3));
            memset(a->masks.asleep, 0, sizeof a->masks.asleep);
            memcpy(b, a, sizeof *b);
            b->masks.bounces = CAPACITY;
            run(k, round % 2 == 0 ? RUN_FIXED : RUN_PLANE, a, CAPACITY);
            run(k, round % 2 == 0 ? RUN_FIXED : RUN_PLANE, b, CAPACITY);
            CHECK_MSG(equal_lanes(a, b, CAPACITY), "%s round %u",
                      rico__isa_name((rico__isa)isa), round);
            bounced |= a->masks.bounced[0];
        }
    }
    CHECK(bounced != 0);
    free(a);
    free(b);
}
