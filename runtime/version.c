#include <ricochet/version.h>

uint32_t rico_version(void)
{
    return RICO_VERSION;
}
