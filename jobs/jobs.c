#include <ricochet/jobs.h>
