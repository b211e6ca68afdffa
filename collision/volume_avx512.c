#define RICO_LANES 16
#define KERNEL(name) name##_avx512
#define KERNEL_ISA RICO_ISA_AVX512
#include "volume_body.h"
