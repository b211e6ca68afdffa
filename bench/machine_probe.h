/* machine_probe.h - what a machine's CPUs achieve together for work that shares nothing.
 *
 * Equal worlds, one per CPU, each on one worker that stays there. They run one alone, and all at
 * once. A CPU that a neighbour slows down, or memory that is too slow for all, shows here. No
 * scheduler can get more out of the machine.
 */
#ifndef RICO_BENCH_MACHINE_PROBE_H
#define RICO_BENCH_MACHINE_PROBE_H

#include "stress_world.h"

typedef struct machine_probe machine_probe;

/* Opens worlds on the first `count` CPUs of the list, 1 and up. each: one of the worlds; its
 * threads and pins are set here. Its mesh and c must outlive the probe. NULL: it cannot be made.
 * The caller is pinned to the first CPU from now on. Owner: the caller. Threads: the caller's. */
machine_probe *machine_probe_open(const stress_setup *each, const cpus *c, uint32_t count);
void machine_probe_close(machine_probe *probe); /* NULL is ignored */

typedef struct machine_turn {
    double alone_ns,
        together_ns; /* the first world's frame alone; the longest of all worlds' at once */
    double gain; /* how many times the work of the first one alone all do in its time */
} machine_turn;

/* Times a frame of the first world alone, and one of all at once. The second of the two may be
 * faster, so alternate `alone_first`. */
machine_turn machine_probe_turn(machine_probe *probe, bool alone_first);

/* Marks the turns in which every CPU ran at full speed: both times are at most 5 % above the
 * limit within which the fastest tenth of the turns stays. A core shared with a neighbour makes
 * one of the times longer. Returns the number of marked turns. Without memory returns 0 and
 * marks none. */
uint32_t machine_turns_at_full_speed(const machine_turn *turns, uint32_t count, bool *marked);

#endif
