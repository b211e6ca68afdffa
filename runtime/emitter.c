#include "emitter.h"

#include "births.h"
#include "bits.h"
#include "random.h"
#include "vec.h"

#define NEVER 1.0e30
#define MAX_BIRTHS 16777216.0f
#define MOST_PER_SECOND 1.0e20f /* a jump across all of space asks for more */

/* Rates, times and durations are decimal numbers that were rounded to floats: 10/s for 0.7 s
 * must give 7 births. */
#define ROUNDED 0x1p-21

#define EVEN_SPANS 2u /* births by rate and by distance: each always has a span */

/* The stretch of a step in which an emitter emits. */
typedef struct window {
    float begin, length;
} window;

static uint32_t whole(double x)
{
    const double most = (double)MAX_BIRTHS;
    return x > 0.0 ? (uint32_t)(x < most ? x : most) : 0;
}

/* Counts by the burst's own times, whatever steps add up to: the firings before the run's end,
 * which itself is not part of the run. */
static uint32_t firings_in_run(const rico_burst *burst, float duration)
{
    const uint32_t cycles = burst->cycles > 0 ? burst->cycles : RICO__ENDLESS;
    const double room = (double)duration * (1.0 - ROUNDED) - (double)burst->time;
    if (!(duration > 0.0f))
        return cycles;
    if (!(room > 0.0) || cycles == 1)
        return room > 0.0;
    const double times = room / (double)burst->interval;
    /* With an interval of nanoseconds, more than an integer holds. */
    if (!(times < (double)cycles))
        return cycles;
    const uint32_t whole_times = (uint32_t)times;
    return uint_min(cycles, whole_times + ((double)whole_times < times));
}

void rico__emission_prepare(rico__emission *out, const rico_recipe *def)
{
    *out = (rico__emission){.burst_count = 0};
    if (def->burst_count > 0)
        out->bursts[out->burst_count++] =
            (rico_burst){.count = def->burst_count,
                         .cycles = def->burst_interval > 0.0f ? 0 : 1,
                         .interval = def->burst_interval,
                         .probability = 1.0f};
    for (uint32_t i = 0; i < RICO_MAX_BURSTS; ++i)
        if (def->bursts[i].count > 0)
            out->bursts[out->burst_count++] = def->bursts[i];
    for (uint32_t b = 0; b < out->burst_count; ++b)
        out->firings[b] = firings_in_run(&out->bursts[b], def->duration);
    out->plain = out->burst_count == 0 && def->rate > 0.0f && !(def->rate_per_metre > 0.0f) &&
                 !(def->delay > 0.0f) && !(def->duration > 0.0f);
}

/* Begins a run through the duration. */
static void begin_run(rico__emitter *e, const rico__emission *emission, const rico_recipe *def)
{
    e->time_left = def->duration;
    for (uint32_t b = 0; b < emission->burst_count; ++b) {
        e->burst_wait[b] = emission->bursts[b].time;
        e->burst_fired[b] = 0;
    }
}

rico__emitter rico__emitter_start(const rico__emission *emission, const rico_recipe *def,
                                  float rate_scale)
{
    rico__emitter e = {.delay_left = def->delay,
                       .loops_left = def->loops,
                       .due_rate = def->rate * rate_scale,
                       .rate_scale = rate_scale};
    begin_run(&e, emission, def);
    return e;
}

/* The last `reserve` spans are kept for others. */
static void add_span(rico__emitter *e, rico__span span, uint32_t reserve)
{
    if (span.count == 0)
        return;
    if (e->span_count < RICO__SPANS - reserve)
        e->spans[e->span_count++] = span;
    else
        e->spans[e->span_count - 1].count += span.count;
}

/* Adds births one after the other, at a rate per second of the window, if the credit before it
 * was `before`. If the rate is 0 by now, they come at once. */
static void add_even_span(rico__emitter *e, uint32_t births, float before, float rate, window w)
{
    float interval = rate > 0.0f ? 1.0f / rate : 0.0f;
    add_span(e,
             (rico__span){.count = births,
                          .group = 1,
                          .first = w.begin + (1.0f - before) * interval,
                          .interval = interval},
             0);
}

/* Adds births at a constant rate per second of the window. */
static void emit_evenly(rico__emitter *e, double *credit, float rate, window w)
{
    const double before = *credit, sum = before + (double)(rate * w.length);
    uint32_t births = whole(sum);
    *credit = sum - (double)births < 1.0 ? sum - (double)births : 1.0;
    if (births > 0)
        add_even_span(e, births, (float)before, rate, w);
}

/* --- By rate, with a duration ------------------------------------------------------------- */

/* Credit adds up steps, and may then be off by one birth. So the end of a run, where it is
 * known what is due, has the last word. */

static double due_after(const rico__emitter *e, double seconds)
{
    return e->due_base + (double)e->due_rate * seconds;
}

static uint64_t whole_due(double due)
{
    return due > 0.0 ? (uint64_t)(due + due * ROUNDED) : 0;
}

static double time_of_run(const rico__emitter *e, const rico_recipe *def)
{
    return (double)def->duration - e->time_left;
}

/* From now on births come at another rate. */
static void follow_rate(rico__emitter *e, const rico_recipe *def, float rate)
{
    double gone = time_of_run(e, def);
    if (e->due_rate == rate)
        return;
    e->due_base += ((double)e->due_rate - (double)rate) * gone;
    e->due_rate = rate;
}

/* Returns the births that are left of a run that ends, and carries the rest over. */
static uint64_t close_run(rico__emitter *e, const rico_recipe *def)
{
    double due = due_after(e, (double)def->duration);
    uint64_t all = whole_due(due), left = all > e->run_births ? all - e->run_births : 0;
    double over = due - (double)all;
    e->due_base = over > due * ROUNDED ? over : 0.0;
    e->run_births = 0;
    return left;
}

/* Whether runs have ended in a step, and births by rate that were left of them. */
typedef struct ended {
    bool any;
    uint64_t births;
} ended;

static void emit_in_runs(rico__emitter *e, const rico_recipe *def, window w, const ended *over,
                         bool emitting)
{
    const double before = e->rate_credit;
    double credit = before + (double)(e->due_rate * w.length);
    uint64_t births = whole(credit);
    double due = emitting ? due_after(e, time_of_run(e, def)) : e->due_base;
    if (over->any) {
        uint64_t begun = emitting ? whole_due(due) : 0;
        if (births != over->births + begun) {
            births = over->births + begun;
            credit = (double)births + (due > (double)begun ? due - (double)begun : 0.0);
        }
        e->run_births = begun;
    } else {
        uint64_t most = whole_due(due_after(e, (double)def->duration));
        most = most > e->run_births ? most - e->run_births : 0;
        births = births < most ? births : most;
        e->run_births += births;
    }
    uint32_t count = whole((double)births);
    const double left = credit - (double)births;
    e->rate_credit = left > 0.0 ? (left < 1.0 ? left : 1.0) : 0.0;
    if (count > 0)
        add_even_span(e, count, (float)before, e->due_rate, w);
}

/* Returns how often the burst fires in `seconds`. Its wait then counts from their end. Waits
 * add up steps, and may then be off. So where a run ends, all firings that it has left are
 * due. */
static uint32_t firings_due(rico__emitter *e, uint32_t b, const rico__emission *emission,
                            float seconds, bool ends)
{
    const float interval = emission->bursts[b].interval;
    const uint32_t all = emission->firings[b];
    const uint32_t left = all == RICO__ENDLESS ? all : all - e->burst_fired[b];
    double *wait = &e->burst_wait[b];
    uint32_t due = 0;
    if (*wait <= (double)seconds)
        due = left > 1 ? 1 + whole((double)((seconds - (float)*wait) / interval)) : 1;
    due = ends ? left : uint_min(due, left);
    e->burst_fired[b] += due;
    *wait += (double)due * (double)interval;
    if (due > 0 && due == left)
        *wait = NEVER;
    *wait -= (double)seconds;
    return due;
}

/* Draws each firing by itself. */
static void fire_perhaps(rico__emitter *e, uint32_t b, const rico_burst *burst, uint64_t seed,
                         uint32_t due, float first)
{
    for (uint32_t n = 0; n < due; ++n) {
        float drawn = rico__random_unit(seed, e->burst_draws[b]++, USE_BURST + b);
        if (!(drawn < burst->probability))
            continue;
        add_span(e,
                 (rico__span){.count = burst->count,
                              .group = burst->count,
                              .first = first + (float)n * burst->interval},
                 EVEN_SPANS);
    }
}

static void fire_bursts(rico__emitter *e, const rico__emission *emission, uint64_t seed,
                        window w, bool ends)
{
    for (uint32_t b = 0; b < emission->burst_count; ++b) {
        const rico_burst *burst = &emission->bursts[b];
        float first = w.begin + (float)e->burst_wait[b];
        uint32_t due = firings_due(e, b, emission, w.length, ends);
        if (burst->probability < 1.0f)
            fire_perhaps(e, b, burst, seed, due, first);
        else
            add_span(e,
                     (rico__span){.count = whole((double)((float)due * (float)burst->count)),
                                  .group = burst->count,
                                  .first = first,
                                  .interval = burst->interval},
                     EVEN_SPANS);
    }
}

/* Ends a run whose time is up. False: it was the last one. */
static bool next_run(rico__emitter *e, const rico__emission *emission, const rico_recipe *def)
{
    if (e->loops_left == 1)
        return false;
    e->loops_left -= e->loops_left > 0;
    begin_run(e, emission, def);
    return true;
}

/* Takes up to `seconds` of what is left. */
static float take_time(double *left, float seconds)
{
    const float taken = *left > (double)seconds ? seconds : (float)*left;
    *left = *left > (double)seconds ? *left - (double)seconds : 0.0;
    return taken;
}

/* Runs through the duration, with its bursts, up to the end of the step. Returns when in the
 * step the emitter emits. The number of turns is limited: a duration that is run through again
 * is at least 0.01, and a step's own time is at most 10. */
static window run_through(rico__emitter *e, const rico__emission *emission,
                          const rico_recipe *def, uint64_t seed, float dt, bool *emitting,
                          ended *over)
{
    window all = {take_time(&e->delay_left, dt), 0.0f};
    e->phase_begin = all.begin;
    float left = dt - all.begin;
    while (left > 0.0f && *emitting) {
        window w = {all.begin + all.length, left};
        if (def->duration > 0.0f)
            w.length = take_time(&e->time_left, left);
        const bool ends = def->duration > 0.0f && !(e->time_left > 0.0);
        fire_bursts(e, emission, seed, w, ends);
        all.length += w.length;
        left -= w.length;
        if (ends) {
            over->births += close_run(e, def);
            over->any = true;
            *emitting = next_run(e, emission, def);
        }
    }
    return all;
}

/* For births by rate alone: thousands of effects do nothing else. The result is that of
 * any_step. */
static uint32_t plain_step(rico__emitter *e, float rate, float dt)
{
    const double credit = e->rate_credit + (double)(rate * dt);
    if (credit < 1.0) {
        e->rate_credit = credit;
        return 0;
    }
    emit_evenly(e, &e->rate_credit, rate, (window){0.0f, dt});
    return e->spans[0].count;
}

/* For any kind of emission. Not inlined: otherwise plan's walk would keep in memory what it
 * needs for each effect. */
static __attribute__((noinline)) uint32_t any_step(rico__emitter *e,
                                                   const rico__emission *emission,
                                                   const rico_recipe *def, uint64_t seed,
                                                   float dt, float distance, bool *emitting)
{
    e->phase_time = (float)e->time_left;
    e->phase_begin = 0.0f;
    add_span(e, (rico__span){.count = e->manual, .group = e->manual, .at_hand = true}, 0);
    e->manual = 0;
    if (*emitting) {
        const float rate = def->rate * e->rate_scale;
        const float per_metre = def->rate_per_metre * e->rate_scale;
        ended over = {false, 0};
        if (def->duration > 0.0f)
            follow_rate(e, def, rate);
        window w = run_through(e, emission, def, seed, dt, emitting, &over);
        float per_second = float_min(distance * per_metre / dt, MOST_PER_SECOND);
        if (def->rate > 0.0f && def->duration > 0.0f)
            emit_in_runs(e, def, w, &over, *emitting);
        else if (rate > 0.0f)
            emit_evenly(e, &e->rate_credit, rate, w);
        if (per_second > 0.0f)
            emit_evenly(e, &e->distance_credit, per_second, w);
    }
    uint32_t births = 0;
    for (uint32_t s = 0; s < e->span_count; ++s)
        births += e->spans[s].count;
    return births;
}

uint32_t rico__emitter_step(rico__emitter *e, const rico__emission *emission,
                            const rico_recipe *def, uint64_t seed, float dt, float distance,
                            bool *emitting)
{
    e->span_count = 0;
    if (emission->plain && *emitting && e->manual == 0)
        return plain_step(e, def->rate * e->rate_scale, dt);
    return any_step(e, emission, def, seed, dt, distance, emitting);
}

bool rico__emitter_is_spent(const rico__emitter *e, const rico__emission *emission)
{
    for (uint32_t b = 0; b < emission->burst_count; ++b)
        if (emission->firings[b] == RICO__ENDLESS || e->burst_fired[b] < emission->firings[b])
            return false;
    return true;
}

float rico__emitter_phase(const rico__emitter *e, const rico_recipe *def, float time)
{
    if (!(def->duration > 0.0f))
        return 0.0f;
    float elapsed = def->duration - e->phase_time + float_max(time - e->phase_begin, 0.0f);
    float x = elapsed / def->duration;
    if (x > 1.0f && def->loops != 1)
        x -= (float)(int32_t)x; /* a step has few runs */
    return float_clamp(x, 0.0f, 1.0f);
}
