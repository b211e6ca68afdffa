#include "report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* When memory runs out, a function below returns NULL. Every function here passes NULL on, and
 * jansson's _new setters take it for a failure. */

/* File names need not be UTF-8, but JSON must be: then everything but ASCII becomes '?'. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    char ascii[1024];
    size_t i = 0;
    for (; !value && text[i] && i + 1 < sizeof ascii; ++i)
        ascii[i] = (unsigned char)text[i] < 128u ? text[i] : '?';
    ascii[i] = '\0';
    return value ? value : json_string(ascii);
}

static json_t *world_object(const report *r)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:f}", "name", text_value(r->world),
                     "triangles", (json_int_t)r->triangles, "cells", (json_int_t)r->cells,
                     "bytes", (json_int_t)r->scene_bytes, "levels", (json_int_t)r->levels,
                     "duplicates", (json_int_t)r->duplicates, "build_ms", r->build_ms);
}

static json_t *times_object(const samples *ms)
{
    return json_pack("{s:f, s:f, s:f}", "p50", samples_percentile(ms, 50.0), "p99",
                     samples_percentile(ms, 99.0), "max", samples_percentile(ms, 100.0));
}

static json_t *stages_object(const report *r)
{
    json_t *stages = json_object();
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        json_object_set_new(stages, rico_stage_name((rico_stage)s),
                            json_real(samples_percentile(&r->stage_ms[s], 50.0)));
    return stages;
}

static json_t *busy_array(const report *r)
{
    json_t *workers = json_array();
    for (uint32_t w = 0; w < r->threads; ++w)
        json_array_append_new(workers, json_real(report_busy_pct(r, w)));
    return workers;
}

/* Sums over all frames. */
static json_t *workers_array(const report *r)
{
    json_t *workers = json_array();
    for (uint32_t w = 0; w < r->threads; ++w) {
        const rico_worker_stats *s = &r->workers[w];
        json_array_append_new(
            workers, json_pack("{s:f, s:I, s:I, s:I, s:I, s:I, s:I}", "busy_pct",
                               report_busy_pct(r, w), "jobs", (json_int_t)s->jobs_run, "steals",
                               (json_int_t)s->steals, "failed_steals",
                               (json_int_t)s->failed_steals, "spins", (json_int_t)s->spins,
                               "parks", (json_int_t)s->parks, "wakes", (json_int_t)s->wakes));
    }
    return workers;
}

/* Figures of one frame. */
static json_t *scaling_object(const report *r)
{
    json_t *stages = json_object(), *predicted = json_object();
    for (uint32_t i = 0; i < RICO_STAGE_COUNT; ++i) {
        const stage_cost *s = &r->cost.stages[i];
        json_object_set_new(stages, rico_stage_name((rico_stage)i),
                            json_pack("{s:f, s:f, s:f}", "serial_us", s->serial * 1.0e-3,
                                      "work_us", s->work * 1.0e-3, "span_us",
                                      s->span * 1.0e-3));
    }
    for (uint32_t i = 0; i < REPORT_PREDICTED; ++i) {
        char workers[12];
        snprintf(workers, sizeof workers, "%u", 1u << i);
        json_object_set_new(predicted, workers,
                            json_real(frame_cost_speedup(&r->cost, 1u << i)));
    }
    return json_pack("{s:I, s:f, s:f, s:o, s:o}", "frames", (json_int_t)r->profile.count,
                     "work_us", frame_cost_work(&r->cost) * 1.0e-3, "span_us",
                     frame_cost_span(&r->cost) * 1.0e-3, "stages", stages, "predicted_speedup",
                     predicted);
}

static json_t *falls_object(falls_count count)
{
    return json_pack("{s:I, s:I, s:f}", "lives", (json_int_t)count.lives, "fell",
                     (json_int_t)count.fell, "fell_pct", report_fell_pct(count));
}

/* Two files may have the same name; so may names that are not UTF-8. Later ones get a number:
 * "fire", "fire 2". */
static void set_kind(json_t *kinds, const char *name, json_t *value)
{
    json_t *text = text_value(name);
    const char *known = text ? json_string_value(text) : "";
    char key[80];
    snprintf(key, sizeof key, "%s", known);
    for (unsigned n = 2; json_object_get(kinds, key); ++n)
        snprintf(key, sizeof key, "%.60s %u", known, n);
    json_object_set_new(kinds, key, value);
    json_decref(text);
}

static json_t *all_falls_object(const report *r)
{
    json_t *all = falls_object(r->falls), *kinds = json_object();
    for (uint32_t k = 0; k < r->cast->count; ++k)
        set_kind(kinds, r->cast->names[k], falls_object(r->falls_by_kind[k]));
    json_object_set_new(all, "steady", falls_object(r->falls_steady));
    json_object_set_new(all, "recipes", kinds);
    return all;
}

static json_t *cache_object(const report *r)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I}", "records", (json_int_t)r->cache_records,
                     "capacity", (json_int_t)r->cache_capacity, "bytes",
                     (json_int_t)r->cache_bytes, "hit_pct", report_hit_pct(r), "evicted",
                     (json_int_t)r->cache_evicted);
}

char *report_to_json(const report *r)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->state_hash);
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "machine", r->machine, "compiler",
        r->compiler, "isa", r->isa, "threads", (json_int_t)r->threads, "frames",
        (json_int_t)r->frames, "effects", (json_int_t)r->effects, "effects_refused",
        (json_int_t)r->effects_refused, "seed", (json_int_t)r->seed, "state_hash", hash);
    json_object_set_new(root, "world", world_object(r));
    json_object_set_new(root, "particles_mean", json_real(r->particles));
    json_object_set_new(root, "particles_per_second",
                        json_real(report_particles_per_second(r)));
    json_object_set_new(root, "frame_ms", times_object(&r->frame_ms));
    json_object_set_new(root, "stages", stages_object(r));
    json_object_set_new(root, "queries",
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "units", r->units, "rays",
                                  r->rays, "gathers", r->gathers, "wanted", r->wanted,
                                  "granted", r->granted, "effects_starved", r->starved));
    json_object_set_new(root, "cache", cache_object(r));
    json_object_set_new(root, "births", json_real(r->births));
    json_object_set_new(root, "bounces", json_real(r->bounces));
    json_object_set_new(root, "sleeping", json_real(r->sleeping));
    json_object_set_new(root, "falls", all_falls_object(r));
    json_object_set_new(root, "workers_busy_pct", busy_array(r));
    json_object_set_new(root, "workers", workers_array(r));
    json_object_set_new(root, "scaling", scaling_object(r));
    json_object_set_new(root, "births_starved", json_integer((json_int_t)r->births_starved));
    json_object_set_new(root, "bytes", json_integer((json_int_t)r->world_bytes));
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
    size_t length = text ? strlen(text) : 0;
    char *line = text ? realloc(text, length + 2) : NULL;
    if (!line)
        free(text);
    else
        memcpy(line + length, "\n", 2);
    return line;
}
