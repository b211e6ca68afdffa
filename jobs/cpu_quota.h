/* cpu_quota.h - the CPU time that a container grants. */
#ifndef RICO_CPU_QUOTA_H
#define RICO_CPU_QUOTA_H

#include <stdint.h>

/* Returns the quota in CPUs, rounded up. 0: no limit, or the system does not say. On Linux it
 * is the least quota among the control group of the process and those around it: cpu.max of
 * version 2, cpu.cfs_quota_us of version 1. `root` is put before the paths of /proc and /sys:
 * "" except in tests. */
uint32_t rico__cpu_quota(const char *root);

#endif
