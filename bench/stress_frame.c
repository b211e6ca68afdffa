/* A frame of a host under stress: its edits, then the step. */
#include "stress_frame.h"

#include "machine.h"
#include "stress_movers.h"
#include "stress_patch.h"
#include "stress_random.h"
#include <string.h>

#define CHURN_PER_SECOND 0.05
#define BURST_INTERVAL 120u /* frames */
#define AUDIT_INTERVAL 64u
#define STARTING_FRAMES 60u
#define SLOWEST 0.25 /* of the time scales that STRESS_TIME sets */
#define SHORTEST_DT (1.0 / 240.0)

/* --- Effects come and go ------------------------------------------------------------------ */

/* Starts are spread over the first second, so that equal effects do not stay in step. */
static void start_some(stress_world *w)
{
    for (uint32_t i = w->frame; i < w->setup.effects; i += STARTING_FRAMES)
        stress_effect_start(w, i);
}

/* Stops the effect and notes when it must be gone. Its own time may be slower than the world's,
 * so it may live longer than a life. */
static void let_end(stress_world *w, rico_effect_id id)
{
    if (rico_effect_stop(w->world, id) != RICO_OK || w->leaver_count == w->leaver_capacity) {
        ++w->lost;
        return;
    }
    double slow = w->setup.what & STRESS_TIME ? SLOWEST : 1.0;
    double due = w->time + (double)STRESS_LONGEST_LIFE / slow + 0.5;
    w->leavers[w->leaver_count++] = (stress_leaver){id, due};
}

static void replace_one(stress_world *w)
{
    uint32_t rank = stress_random_below(&w->random, w->setup.effects);
    rico_effect_id id = w->effects[rank].id;
    if (stress_random(&w->random) & 1) {
        if (rico_effect_destroy(w->world, id) != RICO_OK)
            ++w->lost;
    } else {
        let_end(w, id);
    }
    stress_effect_start(w, rank);
}

static void churn(stress_world *w, float dt)
{
    w->churn_due += CHURN_PER_SECOND * (double)w->setup.effects * (double)dt;
    for (; w->churn_due >= 1.0; w->churn_due -= 1.0)
        replace_one(w);
}

/* Starts a thousand effects in one frame. Those of the last burst are gone by then. */
static void burst(stress_world *w)
{
    uint32_t slots = w->setup.effects;
    for (uint32_t i = 0; i < STRESS_BURST_EFFECTS; ++i) {
        uint32_t rank = stress_random_below(&w->random, slots);
        w->burst[i] = rico_effect_spawn(w->world, w->burst_recipe, w->effects[rank].home);
        if (w->burst[i].index1 == 0)
            ++w->lost;
    }
    w->burst_due = w->time + 1.9;
}

/* --- Commands to effects ------------------------------------------------------------------ */

static void move_some(stress_world *w)
{
    for (uint32_t i = w->frame % 5u; i < w->setup.effects; i += 5u) {
        rico_transform t = w->effects[i].home;
        t.position.x += 0.5f * stress_sway(w->frame + i, 100u);
        t.position.y += 0.5f * stress_sway(w->frame + 7u * i, 170u);
        if (rico_effect_move(w->world, w->effects[i].id, t) != RICO_OK)
            ++w->lost;
    }
}

static void change_time_scales(stress_world *w)
{
    static const float scales[] = {(float)SLOWEST, 0.5f, 1.0f, 1.0f, 2.0f, 10.0f};
    for (uint32_t i = 0; i < w->setup.effects / 200u + 1u; ++i) {
        uint32_t rank = stress_random_below(&w->random, w->setup.effects);
        float scale = scales[stress_random_below(&w->random, 6u)];
        if (rico_effect_set_time_scale(w->world, w->effects[rank].id, scale) != RICO_OK)
            ++w->lost;
    }
}

static float frame_dt(stress_world *w)
{
    static const float lengths[] = {(float)SHORTEST_DT, 1.0f / 120.0f, 1.0f / 60.0f,
                                    1.0f / 30.0f, 1.0f / 10.0f};
    if (!(w->setup.what & STRESS_TIME) || w->frame < STRESS_WARM_UP)
        return 1.0f / 60.0f;
    return lengths[stress_random_below(&w->random, 5u)];
}

/* --- The world that streams --------------------------------------------------------------- */

/* A patch is added below some effect, and the oldest patch is removed. Patches lie on the
 * ground, so that they do not stack up. */
static void stream(stress_world *w, uint32_t number)
{
    stress_patch patch;
    rico_collider_id *slot = &w->patches[number % STRESS_PATCHES];
    if (slot->index1 != 0 && rico_world_remove_collider(w->world, *slot) != RICO_OK)
        ++w->lost;
    /* 16 kinds of patches are used over and over, so that long-term growth of memory shows. */
    rico_mesh mesh = stress_patch_make(number % 16u, &patch);
    uint32_t rank = stress_random_below(&w->random, w->setup.effects);
    rank -= w->effects[rank].rains;
    rico_transform place = RICO_TRANSFORM_IDENTITY;
    place.position = w->effects[rank].home.position;
    place.position.z -= 1.0f;
    *slot = rico_world_add_mesh(w->world, &mesh, place);
    if (slot->index1 == 0 && !stress_faults_explain(w))
        ++w->lost;
}

/* --- A frame ------------------------------------------------------------------------------ */

static void edit(stress_world *w, float dt)
{
    uint32_t what = w->setup.what;
    if (w->frame < STARTING_FRAMES) {
        /* All patches at once, so that the arrays of colliders get as long as they ever will. */
        for (uint32_t i = 0; w->frame == 0 && what & STRESS_STREAM && i < STRESS_PATCHES; ++i)
            stream(w, i);
        start_some(w);
        return;
    }
    if (what & STRESS_CHURN)
        churn(w, dt);
    if (what & STRESS_BURST && w->frame % BURST_INTERVAL == 0)
        burst(w);
    if (what & STRESS_MOVE) {
        move_some(w);
        stress_movers_move(w);
    }
    if (what & STRESS_TIME)
        change_time_scales(w);
    if (what & STRESS_STREAM)
        stream(w, w->frame);
}

static void announce(const stress_world *w)
{
    uint64_t until = machine_clock_ns() + 1000 * (uint64_t)w->setup.announced_us;
    if (w->setup.announced_us == 0)
        return;
    rico_jobs_frame_begin(w->jobs);
    while (machine_clock_ns() < until) {
    }
}

void stress_world_frame(stress_world *w, frame_entry *out)
{
    memset(out, 0, sizeof *out);
    out->dt = frame_dt(w);
    uint64_t start = machine_clock_ns();
    stress_faults_begin_edits(w);
    edit(w, out->dt);
    stress_faults_end_edits(w);
    out->edit_ns = machine_clock_ns() - start;
    announce(w);
    uint64_t allocations = w->memory.allocations;
    disturbance_happened(&w->disturbance);
    start = machine_clock_ns();
    rico_world_step(w->world, out->dt);
    out->step_ns = machine_clock_ns() - start;
    out->disturbed = disturbance_happened(&w->disturbance);
    out->allocations = w->memory.allocations - allocations;
    out->bytes = w->memory.live_bytes;
    out->stats = rico_world_get_stats(w->world);
    w->time += (double)out->dt;
    w->frame += 1;
    if (w->frame % AUDIT_INTERVAL == 0)
        stress_world_audit(w);
}
