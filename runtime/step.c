/* step.c - the step: its stages, one after the other; in one call, or in two halves. */
#include "clock.h"
#include "float_mode.h"
#include "log.h"
#include "stages.h"

#include <ricochet/jobs_trace.h>
#include <ricochet/world_step.h>

typedef struct stage {
    const char *name;
    void (*run)(rico_world *world);
} stage;

static const stage stages[RICO_STAGE_COUNT] = {
    [RICO_STAGE_PLAN] = {"plan", rico__stage_plan},
    [RICO_STAGE_SIMULATE] = {"simulate", rico__stage_simulate},
    [RICO_STAGE_QUERY] = {"query", rico__stage_query},
    [RICO_STAGE_MERGE] = {"merge", rico__stage_merge},
    [RICO_STAGE_REPORT] = {"report", rico__stage_report},
};

const char *rico_stage_name(rico_stage index)
{
    return (unsigned)index < RICO_STAGE_COUNT ? stages[index].name : "unknown";
}

void rico__world_run(rico_world *world, float dt)
{
    world->dt = dt;
    uint64_t start = rico__clock_ns();
    for (int i = 0; i < RICO_STAGE_COUNT; ++i) {
        rico_jobs_name_work(world->jobs, stages[i].name);
        stages[i].run(world);
        uint64_t now = rico__clock_ns();
        world->stats.stage_ns[i] = now - start;
        start = now;
    }
    rico__edits_end(world);
    rico__fields_end(world);
    rico__movers_end(world);
    world->stats.stage_ns[RICO_STAGE_REPORT] += rico__clock_ns() - start;
}

static bool may_begin(rico_world *world, float dt)
{
    return RICO_REQUIRE(world != NULL) && RICO_REQUIRE(!world->busy) &&
           RICO_REQUIRE(!rico_jobs_is_running(world->jobs)) && RICO_REQUIRE(dt >= 0.0f);
}

/* Hosts measure frames that took minutes, under a debugger for one. */
static float at_most_a_second(rico_world *world, float dt)
{
    if (dt <= 1.0f)
        return dt;
    if (!world->warned_of_dt)
        rico__log(&world->def.log, RICO_LOG_WARNING,
                  "rico_world_step: dt is %g s; it counts as 1 s, the most (said once)",
                  (double)dt);
    world->warned_of_dt = true;
    return 1.0f;
}

void rico_world_step(rico_world *world, float dt)
{
    RICO__FLOAT_MODE();
    if (!may_begin(world, dt))
        return;
    dt = at_most_a_second(world, dt);
    const bool was = rico__begin_work(world);
    rico__world_run(world, dt);
    rico__crowding_look(world);
    rico__end_work(world, was);
}

/* --- In two halves ------------------------------------------------------------------------ */

static void run_ahead(rico_worker *worker, void *context)
{
    rico_world *world = context;
    world->ahead.worker = worker;
    rico__world_run(world, world->ahead.dt);
    world->ahead.worker = NULL;
}

void rico_world_step_begin(rico_world *world, float dt)
{
    RICO__FLOAT_MODE();
    if (!may_begin(world, dt))
        return;
    dt = at_most_a_second(world, dt);
    rico__begin_work(world);
    rico__step_ahead *ahead = &world->ahead;
    ahead->begun = true;
    ahead->dt = dt;
    rico_counter_init(&ahead->over, 1);
    ahead->task = (rico_task){.fn = run_ahead,
                              .context = world,
                              .counter = &ahead->over,
                              .place = RICO_TASK_NOT_ON_CALLER};
    rico_jobs_submit(world->jobs, &ahead->task);
}

bool rico_world_step_is_over(const rico_world *world)
{
    return RICO_REQUIRE(world != NULL) &&
           (!world->ahead.begun || rico_counter_fired(&world->ahead.over));
}

/* If all other workers were busy, none has begun the task: then it runs here. */
static void end_step(rico_worker *worker, void *context)
{
    rico_world *world = context;
    if (rico_jobs_withdraw(world->jobs, &world->ahead.task))
        run_ahead(worker, world);
    else
        rico_worker_wait(worker, &world->ahead.over);
}

void rico_world_step_end(rico_world *world)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL) || !RICO_REQUIRE(world->ahead.begun) ||
        !RICO_REQUIRE(!rico_jobs_is_running(world->jobs)))
        return;
    if (!rico_counter_fired(&world->ahead.over))
        rico_jobs_run(world->jobs, end_step, world);
    world->ahead.begun = false;
    rico__crowding_look(world);
    rico__end_work(world, false);
}
