#define RICO_LANES 8
#define KERNEL(name) name##_avx2
#define KERNEL_ISA RICO_ISA_AVX2
#include "volume_body.h"
