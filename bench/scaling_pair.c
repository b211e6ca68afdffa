#include "scaling_pair.h"

#include "world_diff.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both worlds ran the same commands, so effects have the same ids in both. */
static void describe(const stress_world *one, const stress_world *many, uint32_t frame,
                     scaling_result *out)
{
    char where[200] = "no memory to find out where";
    rico_effect_id *ids = malloc(one->setup.effects * sizeof *ids);
    for (uint32_t i = 0; ids && i < one->setup.effects; ++i)
        ids[i] = one->effects[i].id;
    if (ids)
        world_diff(one->world, many->world, ids, one->setup.effects, where, sizeof where);
    free(ids);
    snprintf(out->difference, sizeof out->difference,
             "state differs first after frame %u: %s (1 worker and %u)", frame, where,
             many->setup.threads);
}

static bool compare(const stress_world *one, const stress_world *many, uint32_t frame,
                    scaling_result *out)
{
    out->hash = rico_world_hash(one->world);
    out->same = out->hash == rico_world_hash(many->world);
    if (!out->same)
        describe(one, many, frame, out);
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

/* False: out of memory. Ends early when the worlds differ. */
static bool run_frames(stress_world *one, stress_world *many, uint32_t frames,
                       scaling_meddler *meddle, scaling_result *out)
{
    rico_worker_stats before = {0};
    frame_entry entry_one, entry_many;
    for (uint32_t f = 0; f < STRESS_WARM_UP + frames; ++f) {
        bool measured = f >= STRESS_WARM_UP;
        if (f == STRESS_WARM_UP)
            before = total_work(many);
        stress_world_frame(one, &entry_one);
        stress_world_frame(many, &entry_many);
        if (meddle)
            meddle(many, f);
        if (!compare(one, many, f, out))
            return true;
        if (measured &&
            !(frame_log_add(&out->one, &entry_one) && frame_log_add(&out->many, &entry_many)))
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

bool scaling_pair_run_with(const stress_setup *setup, uint32_t frames, scaling_meddler *meddle,
                           scaling_result *out)
{
    stress_setup alone = *setup;
    stress_world one, many;
    memset(out, 0, sizeof *out);
    alone.threads = 1;
    if (!stress_world_open(&one, &alone))
        return false;
    if (!stress_world_open(&many, setup)) {
        stress_world_close(&one);
        return false;
    }
    bool ok = run_frames(&one, &many, frames, meddle, out);
    stress_world_close(&one);
    stress_world_close(&many);
    return ok;
}

bool scaling_pair_run(const stress_setup *setup, uint32_t frames, scaling_result *out)
{
    return scaling_pair_run_with(setup, frames, NULL, out);
}

void scaling_result_free(scaling_result *r)
{
    frame_log_free(&r->one);
    frame_log_free(&r->many);
}
