#include "block_layout.h"

#include "bits.h"
#include "vec.h"

#define GRAIN 16u /* passes read and write up to the next multiple of this */
/* For effects with several blocks. Blocks of 256 would take 6 % more memory per particle
 * (stream_distance). */
#define LARGE_BLOCK 240u

/* At 30 Hz, the births of a step take their places before the step's dead have left theirs. */
#define LONG_STEP (1.0f / 30.0f)

/* This many bursts are looked at one by one. If they come closer together, an integral replaces
 * the sum. */
#define MOST_TERMS 64.0f

/* For a burst that may fire or not, the expected number is multiplied by this. */
#define CHANCE_MARGIN 1.15f

/* Mean and variance of the number of an effect's live particles. */
typedef struct crowd {
    float mean, variance;
} crowd;

/* Lifetimes are spread evenly from lo to hi. Returns the share of those that are longer than
 * `age`. */
static float share_older(const rico_range *life, float age)
{
    if (age < life->lo)
        return 1.0f;
    return age < life->hi ? (life->hi - age) / (life->hi - life->lo) : 0.0f;
}

/* Births come at even times. At ages from lo to hi a particle is alive with a probability p
 * that falls from 1 to 0, and p (1 - p) is 1/6 on average. */
static crowd alive_of_rate(const rico_recipe *def)
{
    const rico_range *life = &def->lifetime;
    float time = 0.5f * (life->lo + life->hi);
    if (def->duration > 0.0f && def->loops == 1)
        time = float_min(time, def->duration);
    return (crowd){.mean = def->rate * (time + LONG_STEP),
                   .variance = def->rate * (life->hi - life->lo) / 6.0f};
}

/* At the time when the burst has just fired, and not all particles of earlier firings have
 * died. */
static crowd alive_of_burst(const rico_recipe *def, const rico_burst *burst)
{
    const rico_range *life = &def->lifetime;
    const float count = (float)burst->count * burst->probability;
    const float margin = burst->probability < 1.0f ? CHANCE_MARGIN : 1.0f;
    crowd all = {count * margin, 0.0f};
    if (burst->cycles == 1)
        return all;
    float terms = life->hi / burst->interval;
    if (terms > MOST_TERMS) {
        all.mean *= 1.0f + 0.5f * (life->lo + life->hi) / burst->interval;
        all.variance = count * (life->hi - life->lo) / (6.0f * burst->interval);
        return all;
    }
    for (uint32_t n = 1; (float)n < terms && (burst->cycles == 0 || n < burst->cycles); ++n) {
        float share = share_older(life, (float)n * burst->interval);
        all.mean += count * margin * share;
        all.variance += count * share * (1.0f - share);
    }
    return all;
}

uint32_t rico__block_capacity(uint32_t particles)
{
    uint32_t blocks = 1;
    if (particles > RICO__MAX_BLOCK)
        blocks = (particles + LARGE_BLOCK - 1) / LARGE_BLOCK;
    uint32_t each = (particles + blocks - 1) / blocks;
    return uint_max((each + GRAIN - 1) / GRAIN * GRAIN, RICO__LEAST_BLOCK);
}

/* The mean and three standard deviations. In one or two of a thousand steps an effect then
 * needs a second block, for the few particles that are too many. */
uint32_t rico__block_capacity_expected(const rico__recipe *recipe)
{
    const rico_recipe *def = &recipe->def;
    crowd all = alive_of_rate(def);
    for (uint32_t b = 0; b < recipe->emission.burst_count; ++b) {
        crowd more = alive_of_burst(def, &recipe->emission.bursts[b]);
        all.mean += more.mean;
        all.variance += more.variance;
    }
    float wanted = all.mean + 3.0f * __builtin_sqrtf(all.variance);
    wanted = float_clamp(wanted, 1.0f, (float)def->max_particles);
    uint32_t most = (uint32_t)wanted;
    return rico__block_capacity((float)most < wanted ? most + 1 : most);
}

/* Floats from one stream to the next. Numbers of one particle whose addresses are equal modulo
 * 4096 share an L1 set, and a load waits for earlier stores that look like stores to its
 * address. Guard pass at 256 particles, AVX-512, on an EPYC: 0.93 against 0.75 ns per particle;
 * with twelve streams on a Xeon: 2.0 against 0.59. Streams of n cache lines come round to the
 * same address after 64 / gcd(n, 64) streams. If there are more streams than that, a line is
 * left out between them. So only blocks of 128 and 256 particles have such a line, or blocks of
 * 64 and 192 with more than 16 streams. */
static uint32_t stream_distance(uint32_t capacity, uint32_t streams)
{
    const uint32_t line = RICO_CACHE_LINE / sizeof(float), lines = capacity / line;
    const uint32_t power = lines & (0u - lines); /* largest power of 2 in it; 16 at most */
    return streams > 4096 / RICO_CACHE_LINE / power ? capacity + line : capacity;
}

void rico__block_lay_out(rico__recipe *recipe, uint32_t capacity)
{
    recipe->block_capacity = capacity;
    recipe->stream_floats = stream_distance(capacity, recipe->stream_count);
    size_t bytes = sizeof(rico__block) +
                   (size_t)recipe->stream_count * recipe->stream_floats * sizeof(float);
    const rico_collision_mode mode = recipe->def.mode;
    const bool asks = mode == RICO_COLLIDE_CACHED || mode == RICO_COLLIDE_EXACT;
    recipe->request_capacity =
        asks ? uint_max(capacity / RICO__PARTICLES_PER_REQUEST, RICO__LEAST_REQUESTS) : 0;
    bytes += recipe->request_capacity * sizeof(rico__request);
    recipe->block_units = (uint32_t)((bytes + RICO__UNIT_BYTES - 1) / RICO__UNIT_BYTES);
}
