/* grow.h - arrays that an edit may need to be larger. The larger array is made beside the one
 * in use, and put in its place when nothing can fail any more.
 *
 * Owner: the edit, until it commits or abandons. Zero-initialised = the array stays as it is.
 */
#ifndef RICO_GROW_H
#define RICO_GROW_H

#include "memory.h"

typedef struct rico__grown {
    void *block; /* NULL = the array in use suffices */
    uint32_t capacity;
} rico__grown;

/* Makes room for `needed` elements. True with a NULL block when capacity is enough. False: no
 * memory. */
bool rico__grow_prepare(rico__grown *grown, rico__memory *memory, uint32_t capacity,
                        uint64_t needed, size_t size);

/* Puts the larger array in place of *array, with its content; the rest is zero. */
void rico__grow_commit(rico__grown *grown, rico__memory *memory, void **array,
                       uint32_t *capacity, size_t size);

void rico__grow_abandon(rico__grown *grown, rico__memory *memory, size_t size);

#endif
