/* Jobs compute in the mode of float_mode.h, whatever mode their threads have from the host. The
 * host's threads get their own mode back. */
#include "hostile_floats.h"
#include "jobs_hosts.h"

#include <ricochet/tasks.h>

typedef struct survey {
    rico__atomic32 ran, others; /* items run; items run in another mode */
} survey;

static void look(survey *s)
{
    rico__atomic_fetch_add32(&s->ran, 1);
    if (rico__float_mode_get() != RICO__FLOAT_DEFAULT)
        rico__atomic_fetch_add32(&s->others, 1);
}

static void look_at_range(rico_worker *worker, void *user, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        nap(20); /* so that all workers come */
        look(user);
    }
}

static void look_once(rico_worker *worker, void *user)
{
    (void)worker;
    look(user);
}

#define ITEMS 100u

/* Checks the mode in a range, a run, and a task that is waited for. */
static void look_everywhere(rico_jobs *jobs, rico__float_mode mode)
{
    survey s = {0};
    rico_counter counter;
    rico_task task = {.fn = look_once, .context = &s, .counter = &counter};
    rico_counter_init(&counter, 1);
    rico__float_mode_set(mode);
    rico_jobs_for(jobs, 0, ITEMS, 1, look_at_range, &s);
    rico_jobs_run(jobs, look_once, &s);
    rico_jobs_submit(jobs, &task);
    rico_jobs_wait(jobs, &counter);
    const rico__float_mode after = rico__float_mode_get();
    rico__float_mode_set(RICO__FLOAT_DEFAULT);
    CHECK(after == mode);
    CHECK_EQ(rico__atomic_load32(&s.ran), ITEMS + 2);
    CHECK_EQ(rico__atomic_load32(&s.others), 0);
}

TEST(jobs, compute_in_one_mode_whatever_the_host_s_is)
{
    static const uint32_t workers[] = {1, 2, 4};
    for (size_t m = 0; m < HOSTILE_MODES; m++)
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
            rico__float_mode_set(hostile_modes[m]); /* threads begin in their creator's mode */
            rico_jobs *jobs = create(workers[w], 64, 20);
            look_everywhere(jobs, hostile_modes[m]);
            rico_jobs_destroy(jobs);
        }
}

TEST(jobs, compute_in_one_mode_on_every_legal_host)
{
    static host h;
    for (size_t m = 0; m < HOSTILE_MODES; m++)
        for (uint32_t kind = 0; kind < HOST_KINDS; kind++) {
            rico__float_mode_set(hostile_modes[m]);
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, 3);
            look_everywhere(jobs, hostile_modes[m]);
            destroy_hosted(&h, jobs);
        }
}
