#include "report.h"

/* With more workers than that, the table shows their mean. */
#define MOST_ROWS 16u

double report_busy_pct(const report *r, uint32_t worker)
{
    double step_ns = samples_sum(&r->frame_ms) * 1.0e6;
    return step_ns > 0.0 ? 100.0 * (double)r->workers[worker].busy_ns / step_ns : 0.0;
}

static void print_worker(FILE *file, const char *name, double busy_pct,
                         const rico_worker_stats *sum, double frames)
{
    fprintf(file, "%-12s%10.0f%10.1f%10.1f%10.1f%10.1f%10.1f%10.1f\n", name, busy_pct,
            (double)sum->jobs_run / frames, (double)sum->steals / frames,
            (double)sum->failed_steals / frames, (double)sum->spins / frames,
            (double)sum->parks / frames, (double)sum->wakes / frames);
}

static void add(rico_worker_stats *sum, const rico_worker_stats *s)
{
    sum->jobs_run += s->jobs_run;
    sum->steals += s->steals;
    sum->failed_steals += s->failed_steals;
    sum->spins += s->spins;
    sum->parks += s->parks;
    sum->wakes += s->wakes;
}

void report_print_workers(const report *r, FILE *file)
{
    double frames = (double)r->frames, busy = 0.0;
    rico_worker_stats sum = {0};
    fprintf(file, "\n%-12s%10s%10s%10s%10s%10s%10s%10s\n", "per frame", "busy %", "jobs",
            "steals", "failed", "spins", "parks", "wakes");
    for (uint32_t w = 0; w < r->threads; ++w) {
        char name[24];
        snprintf(name, sizeof name, "  worker %u", w);
        add(&sum, &r->workers[w]);
        busy += report_busy_pct(r, w);
        if (r->threads <= MOST_ROWS)
            print_worker(file, name, report_busy_pct(r, w), &r->workers[w], frames);
    }
    if (r->threads > MOST_ROWS)
        print_worker(file, "  mean", busy / (double)r->threads, &sum,
                     frames * (double)r->threads);
}

static void print_predictions(const frame_cost *cost, FILE *file)
{
    fprintf(file, "%-12s", "  workers");
    for (uint32_t i = 0; i < REPORT_PREDICTED; ++i)
        fprintf(file, "%8u", 1u << i);
    fprintf(file, "\n%-12s", "  speed-up");
    for (uint32_t i = 0; i < REPORT_PREDICTED; ++i)
        fprintf(file, "%8.2f", frame_cost_speedup(cost, 1u << i));
    fputs("  predicted\n\n", file);
}

void report_print_scaling(const report *r, FILE *file)
{
    const frame_cost *cost = &r->cost;
    if (r->profile.count == 0)
        return;
    fprintf(file, "\n%-12s%10s%10s%10s\n", "us", "work", "serial", "span");
    for (uint32_t i = 0; i < RICO_STAGE_COUNT; ++i) {
        const stage_cost *s = &cost->stages[i];
        fprintf(file, "  %-10s%10.1f%10.1f%10.1f\n", rico_stage_name((rico_stage)i),
                (s->serial + s->work) * 1.0e-3, s->serial * 1.0e-3, s->span * 1.0e-3);
    }
    fprintf(file, "  %-10s%10.1f%20.1f  the lower limit, with any number of workers\n", "frame",
            frame_cost_work(cost) * 1.0e-3, frame_cost_span(cost) * 1.0e-3);
    print_predictions(cost, file);
}
