/* intrinsics.h - instructions of the CPU that the compiler's own vectors do not offer.
 *
 * Where the target has only SSE2, only SSE2 is declared. clang takes 0.4 s to read all
 * intrinsics of x86, which is more than it takes for most files that need a few of them.
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
