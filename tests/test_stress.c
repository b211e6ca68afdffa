/* test_stress.c - short forms of bench_stress: what must never happen, and what must. */
#include "testing.h"

#include "stress_ground.h"
#include "stress_world.h"

#define EFFECTS 400u
#define PARTICLES 8000u
#define EVERYTHING                                                                             \
    (STRESS_CHURN | STRESS_BURST | STRESS_MOVE | STRESS_STREAM | STRESS_TIME | STRESS_MODES)

typedef struct outcome {
    uint64_t hash, allocations, starved, dropped, evicted, particles, requests;
    int64_t growth; /* growth of memory, bytes */
    uint32_t lost, most_effects, not_finite;
    stress_faults faults;
    uint32_t failed_allocations;
} outcome;

static uint32_t frames_measured(uint32_t faults)
{
    return getenv("RICO_TEST_FULL") ? 1800u : faults != 0 ? 80u : 120u;
}

/* Frames before the measurement. Long-term memory is checked only in runs without faults. */
static uint32_t frames_before(uint32_t faults)
{
    return getenv("RICO_TEST_FULL") || faults == 0 ? STRESS_WARM_UP : 80u;
}

/* Steps of all lengths take seconds, so half the world has to do. */
static uint32_t shrunk(uint32_t count, uint32_t what)
{
    return (what & STRESS_TIME) != 0 && !getenv("RICO_TEST_FULL") ? count / 2 : count;
}

static outcome run_with(uint32_t what, uint32_t faults, uint32_t threads)
{
    static stress_world w;
    static outcome o;
    frame_entry f;
    memset(&o, 0, sizeof o);
    stress_setup setup = {.effects = shrunk(EFFECTS, what),
                          .particles = shrunk(PARTICLES, what),
                          .threads = threads,
                          .what = what,
                          .faults = faults,
                          .seed = 1,
                          .mesh = stress_ground()};
    CHECK(stress_world_open(&w, &setup));
    for (uint32_t i = 0; i < frames_before(faults); ++i)
        stress_world_frame(&w, &f);
    uint64_t bytes = stress_world_bare_bytes(&w), evicted = f.stats.cache_evicted;
    for (uint32_t i = 0; i < frames_measured(faults); ++i) {
        stress_world_frame(&w, &f);
        o.allocations += f.allocations;
        o.starved += f.stats.births_starved;
        o.dropped += f.stats.events_dropped;
        o.requests += f.stats.requests;
        o.most_effects = f.stats.effects > o.most_effects ? f.stats.effects : o.most_effects;
    }
    o.evicted = f.stats.cache_evicted - evicted;
    o.particles = f.stats.particles;
    o.hash = rico_world_hash(w.world);
    o.growth = (int64_t)stress_world_bare_bytes(&w) - (int64_t)bytes;
    o.lost = stress_world_audit(&w);
    o.not_finite = w.not_finite;
    o.faults = w.faults;
    o.failed_allocations = w.memory.failed;
    CHECK(w.memory.live_bytes > 0);
    stress_world_close(&w);
    CHECK_EQ(w.memory.live_bytes, 0);
    return o;
}

static outcome run(uint32_t what, uint32_t threads)
{
    return run_with(what, 0, threads);
}

static void check_survived(const outcome *o)
{
    CHECK_EQ(o->lost, 0);
    CHECK_EQ(o->allocations, 0);
    CHECK_EQ(o->not_finite, 0);
}

TEST(stress, effects_that_come_and_go_are_never_lost_and_take_no_memory)
{
    outcome o = run(STRESS_CHURN, 1);
    check_survived(&o);
    CHECK_EQ(o.growth, 0);
    CHECK_EQ(o.starved, 0);
    CHECK_EQ(o.dropped, 0);
    CHECK(o.most_effects > EFFECTS); /* some were stopped, but live on */
    CHECK_NEAR((double)o.particles, (double)PARTICLES, 0.15 * (double)PARTICLES);
}

TEST(stress, a_thousand_effects_in_one_frame_all_start_and_all_end)
{
    outcome o = run(STRESS_BURST, 1);
    check_survived(&o);
    CHECK_EQ(o.growth, 0);
    CHECK_EQ(o.starved, 0);
    CHECK_EQ(o.most_effects, EFFECTS + STRESS_BURST_EFFECTS);
}

TEST(stress, when_everything_is_full_it_goes_on_and_says_what_was_left_out)
{
    outcome o = run(STRESS_CHURN | STRESS_FULL | STRESS_MODES, 1);
    check_survived(&o);
    CHECK_EQ(o.growth, 0);
    CHECK(o.starved > 0);
    CHECK(o.dropped > 0);
    CHECK(o.evicted > 0);
    CHECK(o.requests > 0);
}

TEST(stress, everything_at_once_gives_the_same_bits_on_any_number_of_threads)
{
    uint32_t rounds = getenv("RICO_TEST_FULL") ? 2u : 1u;
    for (uint32_t full = 0; full < rounds; ++full) {
        uint32_t what = full ? EVERYTHING | STRESS_FULL : EVERYTHING;
        outcome one = run(what, 1), three = run(what, 3);
        check_survived(&one);
        check_survived(&three);
        CHECK_EQ(one.growth, 0);
        CHECK_EQ(three.growth, 0);
        CHECK_MSG(one.hash == three.hash, "%016llx with 1 thread, %016llx with 3",
                  (unsigned long long)one.hash, (unsigned long long)three.hash);
    }
}

/* --- Faults ------------------------------------------------------------------------------- */

#define MEMORY_AND_FILES (STRESS_FAULT_MEMORY | STRESS_FAULT_FILES)

/* Everything takes seconds, so steps of all lengths and a thousand effects at once run with
 * --full only. */
static uint32_t everything_or_most(void)
{
    return getenv("RICO_TEST_FULL") ? EVERYTHING
                                    : EVERYTHING & ~(uint32_t)(STRESS_TIME | STRESS_BURST);
}

static void check_same(const outcome *one, const outcome *many)
{
    CHECK_MSG(one->hash == many->hash, "%016llx with 1 thread, %016llx with 3",
              (unsigned long long)one->hash, (unsigned long long)many->hash);
}

TEST(stress, threads_that_stall_and_edits_without_memory_lose_nothing_and_change_no_bit)
{
    uint32_t what = everything_or_most(), faults = MEMORY_AND_FILES | STRESS_FAULT_STALL;
    outcome one = run_with(what, faults, 1), three = run_with(what, faults, 3);
    check_survived(&one);
    check_survived(&three);
    check_same(&one, &three);
    CHECK(three.faults.stalls > 0);
    CHECK(three.failed_allocations > 10);
    CHECK(three.faults.file.refused > 5 && three.faults.file.followed > 1);
    CHECK(three.faults.messages > 0); /* each failed edit says why */
}

TEST(stress, host_jobs_that_come_late_or_never_lose_nothing_and_change_no_bit)
{
    outcome own = run_with(STRESS_CHURN | STRESS_MOVE, STRESS_FAULT_STALL, 1); /* no threads */
    outcome host = run_with(STRESS_CHURN | STRESS_MOVE, STRESS_FAULT_HOST_JOBS, 3);
    check_survived(&host);
    check_same(&own, &host);
    CHECK(host.faults.host.asked > 150); /* in every frame */
}

TEST(stress, rays_of_nonsense_lose_nothing_and_give_every_particle_a_place)
{
    uint32_t what = everything_or_most() & ~(uint32_t)STRESS_STREAM;
    uint32_t faults = STRESS_FAULT_RAYS;
    outcome one = run_with(what, faults, 1), three = run_with(what, faults, 3);
    check_survived(&one);
    check_survived(&three);
    check_same(&one, &three);
    CHECK(one.faults.rays.spoiled > 100 && three.faults.rays.spoiled > 100);
    CHECK(one.particles > PARTICLES / 4);
}
