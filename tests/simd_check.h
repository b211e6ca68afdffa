/* simd_check.h - one function per variant of simd_check.c. Returns NULL when base/simd.h keeps
 * its promises, else what is wrong. avx2 and avx512 need a CPU that has them. */
#ifndef RICO_SIMD_CHECK_H
#define RICO_SIMD_CHECK_H

#include <stdbool.h>

const char *simd_check_lanes_1(void);
const char *simd_check_lanes_4(void);
const char *simd_check_lanes_8(void);
const char *simd_check_lanes_16(void);
#if defined(__x86_64__)
const char *simd_check_avx2(void);
const char *simd_check_avx512(void);
#endif

#endif
