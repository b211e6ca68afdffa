#include "clock.h"

#if defined(_WIN32)
#include <windows.h>

uint64_t rico__clock_ns(void)
{
    LARGE_INTEGER rate, now; /* ticks per second, most often 10^7; neither call fails */
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    const uint64_t per_second = (uint64_t)rate.QuadPart, ticks = (uint64_t)now.QuadPart;
    return ticks / per_second * 1000000000u + ticks % per_second * 1000000000u / per_second;
}

#else
#include <time.h>

uint64_t rico__clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
