/* hash.h - mixing and state hashing. It hashes values, never bytes, so that the byte order of
 * the machine does not matter. */
#ifndef RICO_HASH_H
#define RICO_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The 64-bit finaliser of MurmurHash3 (Appleby, public domain constants): a bijection in
 * which every input bit flips every output bit with probability about 1/2. */
static inline uint64_t rico__mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

/* Hash of a sequence of 32-bit words, in order. It has four independent lanes, so that long
 * sequences run at a few bytes per cycle. It is not for hostile input. */
typedef struct rico__hash {
    uint64_t lane[4];
    uint64_t word_count;
} rico__hash;

void rico__hash_init(rico__hash *hash, uint64_t seed);
void rico__hash_words(rico__hash *hash, const uint32_t *words, size_t count);
uint64_t rico__hash_value(const rico__hash *hash);

static inline void rico__hash_u32(rico__hash *hash, uint32_t word)
{
    rico__hash_words(hash, &word, 1);
}

static inline void rico__hash_u64(rico__hash *hash, uint64_t value)
{
    uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    rico__hash_words(hash, words, 2);
}

/* Hashes the bits of the floats, so -0.0 and 0.0 differ: the library promises identical
 * bits. */
static inline void rico__hash_floats(rico__hash *hash, const float *values, size_t count)
{
    uint32_t words[64];
    while (count > 0) {
        size_t part = count < 64 ? count : 64;
        memcpy(words, values, part * sizeof(float));
        rico__hash_words(hash, words, part);
        values += part;
        count -= part;
    }
}

#endif
