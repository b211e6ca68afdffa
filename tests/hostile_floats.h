/* hostile_floats.h - float modes that a thread of the host may have (float_mode.h). */
#ifndef HOSTILE_FLOATS_H
#define HOSTILE_FLOATS_H

#include "float_mode.h"

#if defined(__SSE2__)
#define TO_ZERO 0x6000u
#define FLUSHED 0x8040u
#define ALL_TRAP 0x1f80u    /* to clear: nothing is masked, not even inexact results */
#define FAULTS_TRAP 0x0680u /* to clear: invalid operations, divisions by zero, overflows */
#elif defined(__aarch64__)
#define TO_ZERO 0xc00000u
#define FLUSHED 0x1000000u
#define ALL_TRAP 0u /* almost no such CPU has traps */
#define FAULTS_TRAP 0u
#else
#define TO_ZERO 0u
#define FLUSHED 0u
#define ALL_TRAP 0u
#define FAULTS_TRAP 0u
#endif

static const rico__float_mode hostile_modes[] = {
    RICO__FLOAT_DEFAULT ^ TO_ZERO, RICO__FLOAT_DEFAULT ^ FLUSHED,
    RICO__FLOAT_DEFAULT ^ ALL_TRAP, RICO__FLOAT_DEFAULT ^ (TO_ZERO | FLUSHED | ALL_TRAP)};

#define HOSTILE_MODES (sizeof hostile_modes / sizeof *hostile_modes)

#endif
