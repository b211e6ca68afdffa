#include "hash.h"

/* Odd 64-bit constants: the golden ratio and three further multipliers with balanced bits. */
static const uint64_t multiplier[4] = {0x9e3779b97f4a7c15ULL, 0xd6e8feb86659fd93ULL,
                                       0xa0761d6478bd642fULL, 0xe7037ed1a0b428dbULL};

void rico__hash_init(rico__hash *hash, uint64_t seed)
{
    for (int i = 0; i < 4; ++i)
        hash->lane[i] = rico__mix64(seed + multiplier[i]);
    hash->word_count = 0;
}

static uint64_t absorb(uint64_t lane, uint32_t word, uint64_t factor)
{
    lane = (lane ^ word) * factor;
    return lane ^ (lane >> 29);
}

void rico__hash_words(rico__hash *hash, const uint32_t *words, size_t count)
{
    /* The lane follows from the word's index in the whole sequence, so that splitting a
     * sequence over calls does not change its hash. */
    size_t i = 0;
    for (; i < count && (hash->word_count & 3) != 0; ++i, ++hash->word_count) {
        unsigned k = (unsigned)(hash->word_count & 3);
        hash->lane[k] = absorb(hash->lane[k], words[i], multiplier[k]);
    }
    for (; i + 4 <= count; i += 4, hash->word_count += 4)
        for (unsigned k = 0; k < 4; ++k)
            hash->lane[k] = absorb(hash->lane[k], words[i + k], multiplier[k]);
    for (; i < count; ++i, ++hash->word_count) {
        unsigned k = (unsigned)(hash->word_count & 3);
        hash->lane[k] = absorb(hash->lane[k], words[i], multiplier[k]);
    }
}

uint64_t rico__hash_value(const rico__hash *hash)
{
    uint64_t value = rico__mix64(hash->word_count + multiplier[0]);
    for (int i = 0; i < 4; ++i)
        value = rico__mix64(value ^ hash->lane[i]) * multiplier[i];
    return rico__mix64(value);
}
