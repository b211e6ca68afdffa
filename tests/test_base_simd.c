/* test_base_simd.c - simd.h keeps scalar semantics for every width and instruction set. */
#include "cpu.h"
#include "simd_check.h"
#include "testing.h"

static void check_variant(const char *(*check)(void))
{
    const char *wrong = check();
    CHECK_MSG(wrong == NULL, "%s", wrong != NULL ? wrong : "");
}

TEST(base, simd_of_1_lane_keeps_scalar_semantics)
{
    check_variant(simd_check_lanes_1);
}

TEST(base, simd_of_4_lanes_keeps_scalar_semantics)
{
    check_variant(simd_check_lanes_4);
}

TEST(base, simd_of_8_lanes_keeps_scalar_semantics_without_an_isa)
{
    check_variant(simd_check_lanes_8);
}

TEST(base, simd_of_16_lanes_keeps_scalar_semantics_without_an_isa)
{
    check_variant(simd_check_lanes_16);
}

TEST(base, simd_on_avx2_keeps_scalar_semantics)
{
#if defined(__x86_64__)
    if (rico__cpu_has(RICO_ISA_AVX2))
        check_variant(simd_check_avx2);
#endif
}

TEST(base, simd_on_avx512_keeps_scalar_semantics)
{
#if defined(__x86_64__)
    if (rico__cpu_has(RICO_ISA_AVX512))
        check_variant(simd_check_avx512);
#endif
}
