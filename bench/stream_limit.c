#include "stream_limit.h"
#include "machine.h"
#include <stdlib.h>
#include <string.h>

#define FIELDS 11u /* read: 44 bytes per particle */
#define WRITTEN 7u /* the first seven fields, in place: 28 bytes */
#define BLOCK 256u /* particles whose fields are stored together */
#define STRIDE                                                                                 \
    (BLOCK + 16u) /* floats between fields: a line more than 1 KiB, so that the streams of a
                   * block start in different L1 sets */

typedef float lanes __attribute__((vector_size(64), may_alias));

struct stream_limit {
    float *data;
    uint32_t block_count;
};

stream_limit *stream_limit_create(uint32_t particles)
{
    stream_limit *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->block_count = (particles + BLOCK - 1) / BLOCK;
    size_t bytes = (size_t)s->block_count * FIELDS * STRIDE * sizeof(float);
    s->data = machine_memory(bytes);
    if (!s->data) {
        free(s);
        return NULL;
    }
    memset(s->data, 0, bytes);
    return s;
}

void stream_limit_destroy(stream_limit *s)
{
    if (s)
        free(s->data);
    free(s);
}

/* Each written field takes one addition. Four of them also take a field that is only read. So
 * all eleven are needed, and the arithmetic hides behind the loads. */
static inline __attribute__((always_inline)) void walk(stream_limit *s)
{
    for (uint32_t b = 0; b < s->block_count; ++b) {
        float *block = s->data + (size_t)b * FIELDS * STRIDE;
        for (uint32_t i = 0; i < BLOCK; i += 16) {
            for (uint32_t f = 0; f < WRITTEN; ++f) {
                lanes *p = (lanes *)(void *)(block + f * STRIDE + i);
                const lanes *q =
                    (const lanes *)(const void *)(block + (7u + f % 4u) * STRIDE + i);
                *p = *p + *q;
            }
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void walk_avx512(stream_limit *s)
{
    walk(s);
}

__attribute__((target("avx2"))) static void walk_avx2(stream_limit *s)
{
    walk(s);
}

void stream_limit_pass(stream_limit *s)
{
    if (__builtin_cpu_supports("avx512f"))
        walk_avx512(s);
    else if (__builtin_cpu_supports("avx2"))
        walk_avx2(s);
    else
        walk(s);
}
#else
void stream_limit_pass(stream_limit *s)
{
    walk(s);
}
#endif
