/* world_step.h - a step in two halves, so that a host does work of its own meanwhile:
 *     rico_world_step_begin(world, dt);
 *     ... animation, culling, drawing from what outputs wrote before (output.h) ...
 *     rico_world_step_end(world);
 * It is rico_world_step (world.h) to the last bit. Between the halves it runs on the pool's other workers; whoever ends
 * it helps until it is over. A pool without threads of its own (one worker, or a host's jobs) has nobody for that: there all
 * of it is done by rico_world_step_end. (A host with jobs of its own calls rico_world_step in one of them.)
 *
 * Between the halves the world is busy, as in a step: what would change it is refused with RICO_BUSY, another step is
 * misuse, and so is looking at it (effects, views, events, statistics, outputs, its scene), as all that changes meanwhile.
 * Events and ended effects of the step before are no longer valid. What outputs have written stays. Other worlds may be
 * stepped, in halves or whole, also on the same pool. Hooks (world_detail.h, ray_caster.h, the log) are called
 * on a worker's thread. Replays (jobs_replay.h) follow whole steps only, as a step in halves is a task.
 */
#ifndef RICOCHET_WORLD_STEP_H
#define RICOCHET_WORLD_STEP_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns at once: it takes as long as waking a worker. dt as for rico_world_step. Allocates nothing. Threads: the one
 * that may step the world, outside of the pool's jobs, else it is misuse. */
RICO_API void rico_world_step_begin(rico_world *world, float dt);

/* Whether rico_world_step_end would return at once; true, too, where none has begun. On a pool without threads of its own
 * it is false until the end: do not wait for it there. Threads: any, while nobody begins or ends a step. */
RICO_API bool rico_world_step_is_over(const rico_world *world);

/* Once for each that has begun, else it is misuse. Returns when the step is over; until then the calling thread is
 * worker 0, and may also run what else has been submitted to the pool (tasks.h). Threads: as step_begin, the same one or
 * another; not in a hook. */
RICO_API void rico_world_step_end(rico_world *world);

#ifdef __cplusplus
}
#endif
#endif
