#include "report.h"

#include "output.h"
#include "say.h"
#include "show.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define NAME_WIDTH 12

double report_hit_pct(const report *r)
{
    return r->lookups > 0.0 ? 100.0 * r->lookup_hits / r->lookups : 0.0;
}

double report_fell_pct(falls_count count)
{
    return count.lives > 0 ? 100.0 * (double)count.fell / (double)count.lives : 0.0;
}

double report_particles_per_second(const report *r)
{
    double seconds = samples_sum(&r->frame_ms) * 1.0e-3;
    return seconds > 0.0 ? (double)r->particle_steps / seconds : 0.0;
}

/* Writes "1,234,567": whole numbers in groups of three digits. */
static const char *grouped(double value, char text[32])
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", value);
    size_t length = strlen(digits), at = 0;
    for (size_t i = 0; i < length && at + 2 < 32; ++i) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static void print_row(FILE *file, const char *name, const char *format, ...) RICO_PRINTF(3, 4);
static void print_row(FILE *file, const char *name, const char *format, ...)
{
    char row[OUTPUT_PATH_BYTES + 512]; /* a world's name is a path */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row, sizeof row, format, arguments);
    va_end(arguments);
    say_flatten(row);
    fprintf(file, "%-*s%s\n", NAME_WIDTH, name, row);
}

/* Describes the frames that means are over: report.h. */
static const char *when_steady(const report *r)
{
    return r->frames > SHOW_WARM_UP ? "after the first 4 s" : "in the second half";
}

static void print_world(const report *r, FILE *file)
{
    char a[32], b[32];
    print_row(file, "world", "%s: %s triangles in %s cells, %.1f MB", r->world,
              grouped(r->triangles, a), grouped(r->cells, b), (double)r->scene_bytes * 1e-6);
    print_row(file, "", "%u level%s of nodes, %s duplicated triangles, built in %.1f ms",
              r->levels, r->levels == 1 ? "" : "s", grouped((double)r->duplicates, a),
              r->build_ms);
    print_row(file, "effects", "%s, with %s particles alive (mean %s)", grouped(r->effects, a),
              grouped(r->particles, b), when_steady(r));
    print_row(file, "run", "%s frames of 1/60 s, %u worker%s (%s), seed %" PRIu64,
              grouped(r->frames, a), r->threads, r->threads == 1 ? "" : "s", r->isa, r->seed);
    if (r->effects_refused > 0)
        print_row(file, "", "%s effects refused by the world", grouped(r->effects_refused, a));
}

static void print_times(const report *r, FILE *file)
{
    double p50 = samples_percentile(&r->frame_ms, 50.0);
    fprintf(file, "\n%-*s%10s%10s%10s%10s\n", NAME_WIDTH, "ms", "p50", "p99", "max",
            "% of p50");
    print_row(file, "step", "%10.3f%10.3f%10.3f%10.1f", p50,
              samples_percentile(&r->frame_ms, 99.0), samples_percentile(&r->frame_ms, 100.0),
              100.0);
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s) {
        char name[32];
        double stage = samples_percentile(&r->stage_ms[s], 50.0);
        snprintf(name, sizeof name, "  %s", rico_stage_name((rico_stage)s));
        print_row(file, name, "%10.3f%10.3f%10.3f%10.1f", stage,
                  samples_percentile(&r->stage_ms[s], 99.0),
                  samples_percentile(&r->stage_ms[s], 100.0),
                  p50 > 0.0 ? 100.0 * stage / p50 : 0.0);
    }
    fputc('\n', file);
    double rate = report_particles_per_second(r);
    print_row(file, "speed", "%.1f million particle steps/s, %.1f ns each with %u worker%s",
              rate * 1e-6, rate > 0.0 ? 1.0e9 / rate : 0.0, r->threads,
              r->threads == 1 ? "" : "s");
}

static void print_collisions(const report *r, FILE *file)
{
    char a[32], b[32], c[32];
    print_row(file, "queries", "%s units per frame: %s gathers, %s rays", grouped(r->units, a),
              grouped(r->gathers, b), grouped(r->rays, c));
    print_row(file, "", "%s wanted per frame, %s of them granted; %s effects starved",
              grouped(r->wanted, a), grouped(r->granted, b), grouped(r->starved, c));
    print_row(file, "cache", "%s of %s records, %.1f MB, %.2f %% hits, %s evicted",
              grouped((double)r->cache_records, a), grouped((double)r->cache_capacity, b),
              (double)r->cache_bytes * 1e-6, report_hit_pct(r),
              grouped((double)r->cache_evicted, c));
    print_row(file, "collisions", "%s bounces per frame; %s particles at rest",
              grouped(r->bounces, a), grouped(r->sleeping, b));
}

static void print_falls(const report *r, FILE *file)
{
    char a[32];
    if (r->falls.lives == 0) {
        print_row(file, "falls", "no followed particle has died yet: run more frames");
        return;
    }
    print_row(file, "falls", "%.2f %% of %s followed particles went through a surface",
              report_fell_pct(r->falls), grouped((double)r->falls.lives, a));
    for (uint32_t k = 0; k < r->cast->count; ++k)
        if (r->falls_by_kind[k].lives > 0)
            print_row(file, "", "%6.2f %% of %s %s", report_fell_pct(r->falls_by_kind[k]),
                      grouped((double)r->falls_by_kind[k].lives, a), r->cast->names[k]);
    if (r->falls_steady.lives > 0)
        print_row(file, "", "%6.2f %% of %s born after the first 4 s",
                  report_fell_pct(r->falls_steady), grouped((double)r->falls_steady.lives, a));
}

void report_print_table(const report *r, FILE *file)
{
    char a[32];
    print_world(r, file);
    print_times(r, file);
    report_print_workers(r, file);
    report_print_scaling(r, file);
    print_collisions(r, file);
    print_falls(r, file);
    print_row(file, "memory", "%.1f MB in all", (double)r->world_bytes * 1e-6);
    print_row(file, "starved", "%s births did not happen for lack of room%s",
              grouped((double)r->births_starved, a),
              r->births_starved > 0 && r->cast->given
                  ? ": a file's max_particles is too small, or that of one that it names"
                  : "");
    print_row(file, "hash", "%016" PRIx64 " (the same for any number of workers)",
              r->state_hash);
    print_row(file, "machine", "%s; %s", r->machine, r->compiler);
    fprintf(file,
            "\nTimes are of the step alone, over all frames (p50 = median); means are per frame"
            " %s.\nA query unit is one cell gather or path of up to 4 rays. MB = 10^6 bytes.\n",
            when_steady(r));
}
