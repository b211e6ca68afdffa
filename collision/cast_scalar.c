#define RICO_LANES 1
#define KERNEL(name) name##_scalar
#define KERNEL_ISA RICO_ISA_SCALAR
#include "cast_body.h"
