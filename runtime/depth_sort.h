/* depth_sort.h - the order of records from back to front. */
#ifndef RICO_DEPTH_SORT_H
#define RICO_DEPTH_SORT_H

#include <stdint.h>

/* order: becomes the numbers 0..count - 1, those with greater depth first. Depths that are
 * equal to a 65536th of the range of depths stay in the order of their numbers. spare: as long
 * as order. */
void rico__depth_sort(const float *depth, uint32_t count, uint32_t *order, uint32_t *spare);

#endif
