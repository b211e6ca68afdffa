#include "grow.h"

#include <string.h>

#define FIRST_CAPACITY 4u
#define MOST 0x7fffffffu

bool rico__grow_prepare(rico__grown *grown, rico__memory *memory, uint32_t capacity,
                        uint64_t needed, size_t size)
{
    *grown = (rico__grown){NULL, capacity};
    if (needed <= capacity)
        return true;
    if (needed > MOST)
        return false;
    uint64_t larger = capacity + (uint64_t)capacity / 2;
    larger = larger > needed ? larger : needed;
    larger = larger > FIRST_CAPACITY ? larger : FIRST_CAPACITY;
    grown->capacity = (uint32_t)larger;
    grown->block = rico__memory_allocate(memory, (size_t)larger, size, RICO_CACHE_LINE);
    return grown->block != NULL;
}

void rico__grow_commit(rico__grown *grown, rico__memory *memory, void **array,
                       uint32_t *capacity, size_t size)
{
    if (grown->block == NULL)
        return;
    if (*capacity > 0)
        memcpy(grown->block, *array, *capacity * size);
    rico__memory_release(memory, *array, *capacity, size, RICO_CACHE_LINE);
    *array = grown->block;
    *capacity = grown->capacity;
    *grown = (rico__grown){NULL, 0};
}

void rico__grow_abandon(rico__grown *grown, rico__memory *memory, size_t size)
{
    rico__memory_release(memory, grown->block, grown->capacity, size, RICO_CACHE_LINE);
    *grown = (rico__grown){NULL, 0};
}
