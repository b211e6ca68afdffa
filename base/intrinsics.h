/* intrinsics.h - what the CPU has beside the compiler's own vectors.
 *
 * Where only SSE2 is compiled for, only SSE2 is declared: clang takes .4 s to read all of x86's, more than for
 * most files that need a few.
 */
#ifndef RICO_INTRINSICS_H
#define RICO_INTRINSICS_H

#if defined(__SSE3__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#endif
