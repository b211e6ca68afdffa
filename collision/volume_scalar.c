#define RICO_LANES 1
#define KERNEL(name) name##_scalar
#define KERNEL_ISA RICO_ISA_SCALAR
#include "volume_body.h"
