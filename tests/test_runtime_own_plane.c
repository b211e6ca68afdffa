/* The plane that a particle watches and what is known around it, packed into 12 bytes. */
#include "own_plane.h"
#include "random.h"
#include "testing.h"

#include <math.h>

#define ROUNDS 20000u

static rico_vec3 random_vec(uint32_t round, uint32_t use, float most)
{
    return vec3(rico__random_range(31, round, use, -most, most),
                rico__random_range(31, round, use + 1, -most, most),
                rico__random_range(31, round, use + 2, -most, most));
}

static double height_over(rico_plane plane, rico_vec3 p)
{
    return (double)plane.normal.x * (double)p.x + (double)plane.normal.y * (double)p.y +
           (double)plane.normal.z * (double)p.z - (double)plane.offset;
}

/* A random plane near a particle. */
static rico_plane random_plane(uint32_t round, rico_vec3 at)
{
    rico_plane plane = {vec3_normalize(random_vec(round, 3, 1.0f)), 0.0f};
    plane.offset = vec3_dot(plane.normal, at) + rico__random_range(31, round, 6, -5.0f, 5.0f);
    return plane;
}

TEST(own_plane, is_turned_by_rounding_but_stays_where_the_particle_is)
{
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        float first[FIELD_UNTIL + 1];
        rico_vec3 at = random_vec(round, 0, 2000.0f), aside = random_vec(round, 7, 5.0f);
        first[FIELD_PX] = at.x;
        first[FIELD_PY] = at.y;
        first[FIELD_PZ] = at.z;
        rico_plane plane = random_plane(round, at);
        rico__watch(first, 1, plane, 0);
        rico_plane own = rico__watched_plane(first, 1);
        CHECK(fabsf(vec3_length(own.normal) - 1.0f) < 3.0e-7f);
        CHECK(vec3_length(vec3_sub(own.normal, plane.normal)) < 4.0e-5f);
        /* Offsets are floats, whose steps are 0.2 mm at a distance of 2 km. */
        CHECK_MSG(fabs(height_over(own, at) - height_over(plane, at)) < 6.0e-4,
                  "round %u: %g m off", round, height_over(own, at) - height_over(plane, at));
        rico_vec3 beside = vec3_add(at, aside);
        CHECK(fabs(height_over(own, beside) - height_over(plane, beside)) < 1.0e-3);
    }
}

TEST(own_plane, of_a_record_stays_as_it_is)
{
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        rico_vec3 at = random_vec(round, 10, 100.0f), n = random_vec(round, 13, 32767.0f);
        n = vec3_scale(vec3(rintf(n.x), rintf(n.y), rintf(n.z)), 1.0f / RICO__NORMAL_UNIT);
        rico_plane plane = {n, rico__random_range(31, round, 16, -200.0f, 200.0f)};
        rico__own_plane own = rico__own_plane_of(plane, at);
        rico_vec3 m = rico__own_normal(own.xy, own.z);
        CHECK(m.x == n.x && m.y == n.y && m.z == n.z && own.offset == plane.offset);
    }
}

TEST(own_plane, may_be_none_and_takes_what_is_not_a_number)
{
    float first[FIELD_UNTIL + 1] = {0};
    const rico_plane none = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    const rico_plane bad = {{NAN, INFINITY, -INFINITY}, 1.0f};
    first[FIELD_PX] = 1.0e5f;
    rico__watch(first, 1, none, RICO__SURE);
    rico_plane own = rico__watched_plane(first, 1);
    CHECK(own.offset == RICO_NO_PLANE_OFFSET && own.normal.z == 1.0f);
    CHECK_EQ(rico__known(first, 1), RICO__SURE);
    rico__watch(first, 1, bad, 0);
    own = rico__watched_plane(first, 1);
    CHECK(isfinite(own.normal.x) && isfinite(own.normal.y) && isfinite(own.normal.z));
}

TEST(own_plane, keeps_clearance_rounded_down)
{
    CHECK_EQ(rico__known_clearance(0.0f), 0);
    CHECK_EQ(rico__known_clearance(-1.0f), 0);
    CHECK_EQ(rico__known_clearance(NAN), 0);
    CHECK(rico__clearance(0) == 0.0f && rico__clearance(RICO__SURE) == 0.0f);
    CHECK(rico__clearance(rico__known_wait(1.0f)) == 0.0f);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        float clearance = expf(rico__random_range(31, round, 20, -60.0f, 60.0f));
        uint32_t known = rico__known_clearance(clearance);
        CHECK(known > 0 && !rico__waits(known) && known != RICO__SURE);
        CHECK_MSG(rico__clearance(known) <= clearance &&
                      rico__clearance(known) > clearance * 0.992f,
                  "%g became %g", (double)clearance, (double)rico__clearance(known));
    }
}

TEST(own_plane, knows_for_how_long_it_waits)
{
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        float born = expf(rico__random_range(31, round, 30, -3.0f, 9.0f));
        float since = rico__random_range(31, round, 31, 0.0f, 100.0f);
        uint32_t known = rico__known_wait(born);
        CHECK(rico__waits(known));
        float off = rico__waited(known, born + since) - since;
        CHECK_MSG(fabsf(off) < 0.0045f + (born + since) * 2.4e-7f, "%g s: %g off",
                  (double)since, (double)off);
    }
    CHECK(!rico__waits(0) && !rico__waits(RICO__SURE) && !rico__waits(0x7f7f));
}
