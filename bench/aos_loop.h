/* aos_loop.h - a peer: the particle loop that a user writes. It has one array of structs, one
 * thread, and the physics of the benchmark's recipes. These are gravity, drag, age, an own plane
 * per particle to bounce off, and respawn; the curves case adds a size and a colour over life.
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

/* Since creation, to prove that the steady state is one. */
uint64_t aos_loop_bounces(const aos_loop *a);
uint64_t aos_loop_respawns(const aos_loop *a);

#endif
