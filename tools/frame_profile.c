#include "frame_profile.h"

#include <stdlib.h>

void frame_profile_begin(rico_jobs *jobs)
{
    rico_jobs_measure(jobs, true);
}

void frame_profile_end(frame_profile *profile, rico_jobs *jobs, const rico_world_stats *stats)
{
    frame_cost *frame = &profile->frames[profile->count % FRAME_PROFILE_MOST];
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s) {
        rico_jobs_profile runs = rico_jobs_get_profile_of(jobs, rico_stage_name((rico_stage)s));
        double serial = (double)stats->stage_ns[s] - (double)runs.wall_ns;
        frame->stages[s] = (stage_cost){.serial = serial > 0.0 ? serial : 0.0,
                                        .work = (double)runs.work_ns,
                                        .span = (double)runs.span_ns};
    }
    profile->count += 1;
    rico_jobs_measure(jobs, false);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A frame's figures as a plain list. */
#define FIGURES (sizeof(frame_cost) / sizeof(double))

static double figure(const frame_cost *cost, size_t index)
{
    const stage_cost *s = &cost->stages[index / 3];
    return index % 3 == 0 ? s->serial : index % 3 == 1 ? s->work : s->span;
}

static void set_figure(frame_cost *cost, size_t index, double value)
{
    stage_cost *s = &cost->stages[index / 3];
    *(index % 3 == 0 ? &s->serial : index % 3 == 1 ? &s->work : &s->span) = value;
}

frame_cost frame_profile_median(const frame_profile *profile)
{
    frame_cost result = {0};
    double values[FRAME_PROFILE_MOST];
    uint32_t count = profile->count < FRAME_PROFILE_MOST ? profile->count : FRAME_PROFILE_MOST;
    for (size_t f = 0; f < FIGURES && count > 0; ++f) {
        for (uint32_t i = 0; i < count; ++i)
            values[i] = figure(&profile->frames[i], f);
        qsort(values, count, sizeof *values, compare);
        set_figure(&result, f, values[count / 2]);
    }
    return result;
}

double frame_cost_work(const frame_cost *cost)
{
    double sum = 0.0;
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        sum += cost->stages[s].serial + cost->stages[s].work;
    return sum;
}

double frame_cost_span(const frame_cost *cost)
{
    double sum = 0.0;
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        sum += cost->stages[s].serial + cost->stages[s].span;
    return sum;
}

double frame_cost_speedup(const frame_cost *cost, uint32_t workers)
{
    rico_jobs_profile p = {.work_ns = (uint64_t)frame_cost_work(cost),
                           .span_ns = (uint64_t)frame_cost_span(cost)};
    return p.work_ns > 0 ? (double)rico_jobs_predict_speedup(&p, workers) * 1.0e-3 : 0.0;
}
