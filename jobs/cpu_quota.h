/* cpu_quota.h - the CPU time that a container grants. */
#ifndef RICO_CPU_QUOTA_H
#define RICO_CPU_QUOTA_H

#include <stdint.h>

/* In CPUs, rounded up; 0: as much as there is, or the system does not say. Linux: the least quota among
 * the process's control group and those around it (cpu.max of version 2, cpu.cfs_quota_us of version 1).
 * root goes before the paths of /proc and /sys: "" but in tests. */
uint32_t rico__cpu_quota(const char *root);

#endif
