/* test_stress_scaling.c - worlds that should be equal are compared. When they differ, the report
 * names the frame, the particle and the field. */
#include "testing.h"

#include "machine_probe.h"
#include "scaling_pair.h"
#include "stress_ground.h"
#include "thread_host.h"
#include "world_diff.h"

static stress_setup setup_of(uint32_t threads)
{
    return (stress_setup){.effects = 60,
                          .particles = 3000,
                          .threads = threads,
                          .what = STRESS_CHURN | STRESS_MODES,
                          .seed = 1,
                          .mesh = stress_ground()};
}

TEST(stress, equal_worlds_are_found_equal_and_timed)
{
    stress_setup setup = setup_of(2);
    scaling_result r;
    CHECK(scaling_pair_run(&setup, 1, 30, NULL, NULL, &r));
    CHECK_MSG(r.same, "%s", r.difference);
    CHECK_EQ(r.few.count, 30);
    CHECK_EQ(r.many.count, 30);
    CHECK(r.work.jobs_run > 0);
    CHECK(r.wall_ns > 0.0);
    scaling_result_free(&r);
}

#define MEDDLED_FRAME 250u
#define MEDDLED_RANK 3u

/* Simulates a bug: changes one number of one particle. */
static void push_a_particle(void *user, stress_world *many, uint32_t frame)
{
    (void)user;
    if (frame != MEDDLED_FRAME)
        return;
    rico_view view = rico_effect_view(many->world, many->effects[MEDDLED_RANK].id);
    CHECK(rico_view_next(&view) && view.count > 5);
    union {
        const float *read;
        float *write;
    } vy = {.read = view.vy};
    vy.write[5] += 1.0f;
}

TEST(stress, the_first_difference_is_named_by_frame_effect_particle_and_field)
{
    stress_setup setup = setup_of(2);
    scaling_result r;
    CHECK(scaling_pair_run(&setup, 1, 30, push_a_particle, NULL, &r));
    CHECK(!r.same);
    CHECK_MSG(strstr(r.difference, "frame 250:"), "%s", r.difference);
    CHECK_MSG(strstr(r.difference, ", particle 5, vy:"), "%s", r.difference);
    CHECK_EQ(r.many.count, MEDDLED_FRAME - STRESS_WARM_UP); /* stopped at that frame */
    scaling_result_free(&r);
}

static void stop_an_effect(void *user, stress_world *many, uint32_t frame)
{
    (void)user;
    if (frame == MEDDLED_FRAME)
        rico_effect_destroy(many->world, many->effects[MEDDLED_RANK].id);
}

TEST(stress, an_effect_that_one_world_has_not_is_named)
{
    stress_setup setup = setup_of(1);
    scaling_result r;
    CHECK(scaling_pair_run(&setup, 1, 30, stop_an_effect, NULL, &r));
    CHECK(!r.same);
    CHECK_MSG(strstr(r.difference, "frame 250: effect") && strstr(r.difference, " 0 particles"),
              "%s", r.difference);
    scaling_result_free(&r);
}

TEST(stress, worlds_that_share_nothing_run_at_once)
{
    cpus c;
    cpus_list(&c);
    CHECK(c.count > 0);
    stress_setup setup = setup_of(1);
    machine_probe *probe = machine_probe_open(&setup, &c, 2);
    CHECK(probe != NULL);
    for (int turn = 0; turn < 4; ++turn) {
        machine_turn t = machine_probe_turn(probe, turn % 2 == 0);
        CHECK_MSG(t.gain > 0.0 && t.gain < 1000.0, "%g", t.gain);
        CHECK(t.alone_ns > 0.0 && t.together_ns > 0.0);
        /* The time together is that of the slower world. */
        CHECK_MSG(t.gain >= 1.99 * t.alone_ns / t.together_ns, "%g", t.gain);
    }
    machine_probe_close(probe);
    cpus_release(&c);
}

TEST(stress, turns_in_which_a_cpu_was_slow_are_not_at_full_speed)
{
    machine_turn turns[40];
    bool marked[40];
    for (uint32_t i = 0; i < 40; ++i) {
        turns[i] = (machine_turn){.alone_ns = 1000.0 + i % 7, .together_ns = 2000.0 + i % 11};
        turns[i].alone_ns *= i % 4 == 1 ? 1.2 : 1.0;
        turns[i].together_ns *= i % 4 == 2 ? 1.2 : 1.0;
    }
    turns[4].alone_ns = 500.0; /* one implausibly good turn does not make the others slow */
    CHECK_EQ(machine_turns_at_full_speed(turns, 40, marked), 20);
    for (uint32_t i = 0; i < 40; ++i)
        CHECK_MSG(marked[i] == (i % 4 == 0 || i % 4 == 3), "%u", i);
    CHECK_EQ(machine_turns_at_full_speed(turns, 1, marked), 1);
    CHECK_EQ(machine_turns_at_full_speed(turns, 0, marked), 0);
}

TEST(stress, pinned_worlds_have_a_worker_per_cpu)
{
    cpus c, after;
    cpus_list(&c);
    stress_setup setup = setup_of(2);
    stress_world w;
    setup.pins = &c;
    CHECK(stress_world_open(&w, &setup));
    CHECK_EQ(rico_jobs_worker_count(w.jobs), 2);
    cpus_list(&after); /* the caller's, which is on the first */
#ifdef __linux__
    CHECK_EQ(after.count, 1);
    CHECK_EQ(after.number[0], c.number[0]);
#endif
    stress_world_close(&w);
    cpus_release(&c);
    cpus_list(&after);
    CHECK_EQ(after.count, c.count);
}

TEST(stress, a_host_with_threads_gives_the_same_bits_as_an_own_pool)
{
    static thread_host host;
    CHECK(thread_host_open(&host, 2, 0));
    rico_host_jobs jobs = thread_host_jobs(&host);
    stress_setup setup = setup_of(3);
    scaling_result r;
    setup.host = &jobs;
    CHECK(scaling_pair_run(&setup, 3, 30, NULL, NULL, &r));
    CHECK_MSG(r.same, "%s", r.difference);
    CHECK(host.asked > 0);
    scaling_result_free(&r);
    thread_host_close(&host);
}
