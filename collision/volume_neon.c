#define RICO_LANES 4
#define KERNEL(name) name##_neon
#define KERNEL_ISA RICO_ISA_NEON
#include "volume_body.h"
