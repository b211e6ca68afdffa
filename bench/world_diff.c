#include "world_diff.h"

#include <stdio.h>
#include <string.h>

typedef struct diff {
    char *text;
    size_t bytes;
    uint32_t effect; /* slot */
    uint32_t first;  /* index of the first particle of the views */
} diff;

typedef struct field {
    const char *name;
    const void *a, *b; /* 4 bytes each; NULL in both when the recipe has none */
    bool whole;        /* an integer field */
} field;

static void say_field(const diff *d, const field *f, uint32_t i)
{
    uint32_t bits_a, bits_b;
    float a, b;
    memcpy(&bits_a, (const char *)f->a + 4 * (size_t)i, 4);
    memcpy(&bits_b, (const char *)f->b + 4 * (size_t)i, 4);
    memcpy(&a, &bits_a, 4);
    memcpy(&b, &bits_b, 4);
    int length = snprintf(d->text, d->bytes, "effect %u, particle %u, %s: %08x and %08x",
                          d->effect, d->first + i, f->name, bits_a, bits_b);
    if (!f->whole && length > 0 && (size_t)length < d->bytes)
        snprintf(d->text + length, d->bytes - (size_t)length, " (%.9g and %.9g)", (double)a,
                 (double)b);
}

static bool differs(const diff *d, const field *f, uint32_t i)
{
    size_t at = 4 * (size_t)i;
    if (!f->a || !f->b || memcmp((const char *)f->a + at, (const char *)f->b + at, 4) == 0)
        return false;
    say_field(d, f, i);
    return true;
}

/* Finds the first particle that differs, and its first field that does. */
static bool diff_views(diff *d, const rico_view *a, const rico_view *b)
{
    const field fields[] = {
        {"px", a->px, b->px, false},       {"py", a->py, b->py, false},
        {"pz", a->pz, b->pz, false},       {"vx", a->vx, b->vx, false},
        {"vy", a->vy, b->vy, false},       {"vz", a->vz, b->vz, false},
        {"age", a->age, b->age, false},    {"lifetime", a->lifetime, b->lifetime, false},
        {"size", a->size, b->size, false}, {"color", a->color, b->color, true},
        {"id", a->id, b->id, true},
    };
    uint32_t count = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < count; ++i)
        for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
            if (differs(d, &fields[f], i))
                return true;
    if (a->count != b->count)
        snprintf(d->text, d->bytes,
                 "effect %u, after particle %u: blocks of %u and %u particles", d->effect,
                 d->first + count, a->count, b->count);
    d->first += count;
    return a->count != b->count;
}

static bool diff_effect(const rico_world *a, const rico_world *b, rico_effect_id id, diff *d)
{
    uint32_t count_a = rico_effect_particle_count(a, id);
    uint32_t count_b = rico_effect_particle_count(b, id);
    d->effect = id.index1;
    d->first = 0;
    rico_view view_a = rico_effect_view(a, id), view_b = rico_effect_view(b, id);
    while (rico_view_next(&view_a) && rico_view_next(&view_b))
        if (diff_views(d, &view_a, &view_b))
            return true;
    if (count_a != count_b)
        snprintf(d->text, d->bytes, "effect %u: %u and %u particles", d->effect, count_a,
                 count_b);
    return count_a != count_b;
}

/* --- Events and counts -------------------------------------------------------------------- */

static bool diff_events(const rico_world *a, const rico_world *b, diff *d)
{
    uint32_t count_a, count_b;
    const rico_event *events_a = rico_world_events(a, &count_a);
    const rico_event *events_b = rico_world_events(b, &count_b);
    uint32_t count = count_a < count_b ? count_a : count_b;
    for (uint32_t i = 0; i < count; ++i)
        if (memcmp(&events_a[i], &events_b[i], sizeof *events_a) != 0) {
            snprintf(d->text, d->bytes,
                     "event %u: effect %u, particle %u and effect %u, particle %u", i,
                     events_a[i].effect.index1, events_a[i].particle, events_b[i].effect.index1,
                     events_b[i].particle);
            return true;
        }
    if (count_a != count_b)
        snprintf(d->text, d->bytes, "%u and %u events", count_a, count_b);
    return count_a != count_b;
}

static bool diff_counts(const rico_world *a, const rico_world *b, diff *d)
{
    rico_world_stats s = rico_world_get_stats(a), t = rico_world_get_stats(b);
    const struct {
        const char *name;
        uint64_t a, b;
    } counts[] = {
        {"effects", s.effects, t.effects},
        {"births", s.births, t.births},
        {"deaths", s.deaths, t.deaths},
        {"bounces", s.bounces, t.bounces},
        {"sleeping", s.sleeping, t.sleeping},
        {"lookup_hits", s.lookup_hits, t.lookup_hits},
        {"requests", s.requests, t.requests},
        {"query_units", s.query_units, t.query_units},
        {"cache_records", s.cache_records, t.cache_records},
        {"plane_records", s.plane_records, t.plane_records},
        {"cache_evicted", s.cache_evicted, t.cache_evicted},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (counts[i].a != counts[i].b) {
            snprintf(d->text, d->bytes, "count of %s: %llu and %llu", counts[i].name,
                     (unsigned long long)counts[i].a, (unsigned long long)counts[i].b);
            return true;
        }
    return false;
}

bool world_diff(const rico_world *a, const rico_world *b, const rico_effect_id *ids,
                uint32_t count, char *text, size_t bytes)
{
    diff d = {.text = text, .bytes = bytes};
    for (uint32_t i = 0; i < count; ++i)
        if (diff_effect(a, b, ids[i], &d))
            return true;
    if (diff_events(a, b, &d) || diff_counts(a, b, &d))
        return true;
    snprintf(text, bytes,
             "in state that cannot be read from outside: query credits of effects, or caches");
    return false;
}
