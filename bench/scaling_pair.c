#include "scaling_pair.h"

#include "world_diff.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both worlds ran the same commands, so effects have the same ids in both. */
static void describe(const stress_world *few, const stress_world *many, uint32_t frame,
                     scaling_result *out)
{
    char where[200] = "no memory to find the difference";
    rico_effect_id *ids = malloc(few->setup.effects * sizeof *ids);
    for (uint32_t i = 0; ids && i < few->setup.effects; ++i)
        ids[i] = few->effects[i].id;
    if (ids)
        world_diff(few->world, many->world, ids, few->setup.effects, where, sizeof where);
    free(ids);
    snprintf(out->difference, sizeof out->difference,
             "state differs first after frame %u: %s (%u and %u workers)", frame, where,
             few->setup.threads, many->setup.threads);
}

static bool compare(const stress_world *few, const stress_world *many, uint32_t frame,
                    scaling_result *out)
{
    out->hash = rico_world_hash(few->world);
    out->same = out->hash == rico_world_hash(many->world);
    if (!out->same)
        describe(few, many, frame, out);
    return out->same;
}

static rico_worker_stats total_work(const stress_world *w)
{
    rico_worker_stats sum = {0};
    const rico_jobs *jobs = rico_world_jobs(w->world);
    for (uint32_t i = 0; i < rico_jobs_worker_count(jobs); ++i) {
        rico_worker_stats s = rico_jobs_worker_stats(jobs, i);
        sum.jobs_run += s.jobs_run;
        sum.steals += s.steals;
        sum.parks += s.parks;
        sum.busy_ns += s.busy_ns;
    }
    return sum;
}

/* False: out of memory. The run ends early when the worlds differ. */
static bool run_frames(stress_world *few, stress_world *many, uint32_t frames,
                       scaling_between *between, void *user, scaling_result *out)
{
    rico_worker_stats before = {0};
    frame_entry entry_few, entry_many;
    for (uint32_t f = 0; f < STRESS_WARM_UP + frames; ++f) {
        bool measured = f >= STRESS_WARM_UP;
        if (f == STRESS_WARM_UP)
            before = total_work(many);
        if (f % 2 == 0)
            stress_world_frame(few, &entry_few);
        stress_world_frame(many, &entry_many);
        if (f % 2 != 0)
            stress_world_frame(few, &entry_few);
        if (between)
            between(user, many, f);
        if (!compare(few, many, f, out))
            return true;
        if (measured &&
            !(frame_log_add(&out->few, &entry_few) && frame_log_add(&out->many, &entry_many)))
            return false;
        if (measured)
            out->wall_ns += (double)entry_many.step_ns;
    }
    out->work = total_work(many);
    out->work.jobs_run -= before.jobs_run;
    out->work.steals -= before.steals;
    out->work.parks -= before.parks;
    out->work.busy_ns -= before.busy_ns;
    return true;
}

bool scaling_pair_run(const stress_setup *setup, uint32_t few, uint32_t frames,
                      scaling_between *between, void *user, scaling_result *out)
{
    stress_setup beside = *setup;
    stress_world of_few, many;
    memset(out, 0, sizeof *out);
    beside.threads = few;
    beside.host = NULL;
    if (!stress_world_open(&of_few, &beside))
        return false;
    if (!stress_world_open(&many, setup)) {
        stress_world_close(&of_few);
        return false;
    }
    bool ok = run_frames(&of_few, &many, frames, between, user, out);
    stress_world_close(&of_few);
    stress_world_close(&many);
    return ok;
}

void scaling_result_free(scaling_result *r)
{
    frame_log_free(&r->few);
    frame_log_free(&r->many);
}
