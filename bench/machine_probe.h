/* machine_probe.h - what a machine's CPUs do together for work that shares nothing.
 *
 * Equal worlds, one per CPU, each on one worker that stays there: one alone, and all at once. A CPU that a
 * neighbour slows down, or memory that does not do for all, shows here, and no scheduler can make more of
 * them.
 */
#ifndef RICO_BENCH_MACHINE_PROBE_H
#define RICO_BENCH_MACHINE_PROBE_H

#include "stress_world.h"

typedef struct machine_probe machine_probe;

/* Of the first `count` CPUs of the list, 1 and up. each: one of the worlds; its threads and pins are set here.
 * Its mesh and c must outlive the probe. NULL: it cannot be made. The caller is pinned to the first CPU from now on.
 * Owner: the caller. Threads: the caller's. */
machine_probe *machine_probe_open(const stress_setup *each, const cpus *c, uint32_t count);
void machine_probe_close(machine_probe *probe); /* NULL is ignored */

typedef struct machine_turn {
    double alone_ns,
        together_ns; /* the first world's frame; the longest of all worlds' at once */
    double gain; /* how many times as much all do in the time that the first one takes alone */
} machine_turn;

/* A frame of the first world alone, and one of all at once. Who comes second may find it easier: take turns. */
machine_turn machine_probe_turn(machine_probe *probe, bool alone_first);

/* Marks the turns in which every CPU was as fast as it can be: both times at most 5 % over what the fastest tenth of
 * the turns keep within. A core that is shared with a neighbour shows in one of them. Returns how many; 0
 * without memory, and nothing is marked. */
uint32_t machine_turns_at_full_speed(const machine_turn *turns, uint32_t count, bool *marked);

#endif
