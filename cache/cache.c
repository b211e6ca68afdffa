#include <ricochet/cache.h>
