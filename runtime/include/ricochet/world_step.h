/* world_step.h - makes a step in two halves, so that the host can do its own work meanwhile.
 *
 *     rico_world_step_begin(world, dt);
 *     ... animation, culling, drawing from what outputs wrote before (output.h) ...
 *     rico_world_step_end(world);
 *
 * The step runs on the pool's other workers. The thread that ends it helps until it is over. A
 * pool without threads of its own (one worker, or a host's jobs) has no other worker: there
 * rico_world_step_end does all of the step. A host with jobs of its own calls rico_world_step
 * in one of them instead.
 *
 * Between the halves the world is busy, as in a step:
 * - Calls that would change it are refused with RICO_BUSY. Another step is misuse.
 * - Looking at it is misuse, too, because everything changes meanwhile: effects, views, events,
 *   statistics, outputs, its scene.
 * - Events and ended effects of the step before are no longer valid. What outputs have written
 *   stays.
 * - Other worlds may be stepped, in halves or whole, also on the same pool.
 * - Hooks (world_detail.h, ray_caster.h, the log) are called on a worker's thread.
 *
 * Replays (jobs_replay.h) follow whole steps only, because a step in halves is a task.
 *
 * Determinism: the bits are those of rico_world_step (world.h).
 */
#ifndef RICOCHET_WORLD_STEP_H
#define RICOCHET_WORLD_STEP_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a step and returns at once. dt is as for rico_world_step. Allocates nothing.
 *
 * Threads: the thread that may step the world. From inside one of the pool's jobs it is misuse.
 * Cost: that of waking a worker. */
RICO_API void rico_world_step_begin(rico_world *world, float dt);

/* Returns whether rico_world_step_end would return at once. Also true if no step has begun.
 *
 * On a pool without threads of its own it is false until the end: do not wait for it there.
 *
 * Threads: any, while no thread begins or ends a step. */
RICO_API bool rico_world_step_is_over(const rico_world *world);

/* Ends a step: returns when it is over.
 *
 * Call it once for each step that has begun; otherwise it is misuse. Until it returns, the
 * calling thread is worker 0. It may also run other work that has been submitted to the pool
 * (tasks.h).
 *
 * Threads: as rico_world_step_begin, the same thread or another; not in a hook. */
RICO_API void rico_world_step_end(rico_world *world);

#ifdef __cplusplus
}
#endif
#endif
