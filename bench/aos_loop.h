/* aos_loop.h - a peer: the particle loop that a user writes. It has one array of structs and one
 * thread. It does what the benchmark's recipes ask for: gravity, drag, age, an own plane per
 * particle to bounce off, and respawn; the curves case adds a size and a colour over life.
 *
 * It differs from ours:
 *   - Contact is at the end of a step: a particle that is below its plane then is put back on it
 *     and bounces, once. Ours bounce at the time of impact, with the rest of the step after it,
 *     and may do so several times in a step. So at rest this one jitters by a step's fall.
 *   - A particle is born at the beginning of a step, in the place of the one that died. Ours are
 *     born within the step.
 *   - Random numbers are those of a plain generator.
 */
#ifndef RICO_BENCH_AOS_LOOP_H
#define RICO_BENCH_AOS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct aos_loop aos_loop;

/* normal: of the planes, which go through the origin; NULL: no planes. Returns NULL: no memory. */
aos_loop *aos_loop_create(uint32_t particles, const float normal[3], bool curves);
void aos_loop_destroy(aos_loop *a);

void aos_loop_step(aos_loop *a, float dt);

/* What it has done since creation, to prove that it does our work. */
typedef struct aos_loop_work {
    uint64_t particle_steps, respawns, bounces;
} aos_loop_work;
aos_loop_work aos_loop_done(const aos_loop *a);

#endif
