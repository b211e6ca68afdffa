#define RICO_LANES 4
#define KERNEL(name) name##_sse2
#define KERNEL_ISA RICO_ISA_SSE2
#include "volume_body.h"
