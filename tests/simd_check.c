/* simd_check.c - compares base/simd.h, quads.h and four.h with scalar semantics, on hostile
 * values in every lane.
 *
 * It is compiled once per variant. RICO_LANES and the compiler's ISA flags choose the variant;
 * SIMD_CHECK names its one function. Only call it where the CPU has that ISA.
 */
#include "simd_check.h"

#include "four.h"
#include "quads.h"
#include "simd.h"

#include <math.h>
#include <stddef.h>

static const uint32_t hostile_bits[] = {
    0x00000000, 0x80000000,             /* zeroes */
    0x00000001, 0x80000001, 0x007fffff, /* denormals */
    0x807fffff, 0x00800000, 0x80800000, /* the smallest normal numbers */
    0x3f000000, 0xbf000000, 0x3f7fffff, /* halves, just below one */
    0x3f800000, 0xbf800000, 0x3fc00000, /* ones, one and a half */
    0xc0200000, 0x4b000001, 0xcb000001, /* -2.5, odd integers over 2^23 */
    0x4effffff, 0xceffffff,             /* just inside 32-bit integers */
    0x7f7fffff, 0xff7fffff,             /* the largest */
    0x7f800000, 0xff800000,             /* infinities */
    0x7fc00000, 0xffc00123,             /* NaN */
};
enum { HOSTILE_COUNT = sizeof hostile_bits / sizeof hostile_bits[0] };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float hostile(size_t i)
{
    float x;
    memcpy(&x, &hostile_bits[i % HOSTILE_COUNT], sizeof x);
    return x;
}

/* Lane i holds hostile value first + step * i. */
static vf hostile_vector(size_t first, size_t step)
{
    float values[RICO_LANES];
    for (size_t i = 0; i < RICO_LANES; ++i)
        values[i] = hostile(first + step * i);
    return vf_load(values);
}

static float lane(vf v, size_t i)
{
    float values[RICO_LANES];
    vf_store(values, v);
    return values[i];
}

static int32_t lane_int(vi v, size_t i)
{
    int32_t values[RICO_LANES];
    memcpy(values, &v, sizeof values);
    return values[i];
}

static const char *check_pair(vf a, vf b)
{
    vm less = vf_lt(a, b);
    vf least = vf_min(a, b), most = vf_max(a, b), chosen = vf_select(less, a, b);
    vf kept = vf_where(less, a);
    uint32_t less_bits = vm_bits(less);
    for (size_t i = 0; i < RICO_LANES; ++i) {
        uint32_t x = bits_of(lane(a, i)), y = bits_of(lane(b, i));
        bool is_less = lane(a, i)<lane(b, i), is_more = lane(a, i)> lane(b, i);
        bool at_most = lane(a, i) <= lane(b, i), at_least = lane(a, i) >= lane(b, i);
        if ((vm_bits(vf_gt(a, b)) >> i & 1u) != is_more ||
            (vm_bits(vf_le(a, b)) >> i & 1u) != at_most ||
            (vm_bits(vf_ge(a, b)) >> i & 1u) != at_least)
            return "a comparison differs";
        if ((vm_bits(vm_not(less)) >> i & 1u) == is_less ||
            (vm_bits(vm_and(less, vf_le(a, b))) >> i & 1u) != is_less ||
            (vm_bits(vm_or(less, vf_ge(a, b))) >> i & 1u) != (is_less || at_least))
            return "a mask operation differs";
        if (bits_of(lane(least, i)) != (is_less ? x : y))
            return "vf_min is not a < b ? a : b";
        if (bits_of(lane(most, i)) != (is_more ? x : y))
            return "vf_max is not a > b ? a : b";
        if (bits_of(lane(chosen, i)) != (is_less ? x : y))
            return "vf_select takes the wrong side";
        if (bits_of(lane(kept, i)) != (is_less ? x : 0))
            return "vf_where is not a where the mask is true, else 0";
        if ((less_bits >> i & 1u) != (is_less ? 1u : 0u))
            return "vm_bits differs from its mask";
    }
    if (RICO_LANES < 32 && less_bits >> RICO_LANES % 32 != 0)
        return "vm_bits has bits beyond the lanes";
    return NULL;
}

static bool same_or_both_nan(float a, float b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

static const char *check_arithmetic(vf a, vf b)
{
    vf sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    for (size_t i = 0; i < RICO_LANES; ++i) {
        /* volatile: each operation is rounded by itself, whatever the compiler prefers. */
        volatile float x = lane(a, i), y = lane(b, i);
        if (!same_or_both_nan(lane(sum, i), x + y) ||
            !same_or_both_nan(lane(difference, i), x - y) ||
            !same_or_both_nan(lane(product, i), x * y) ||
            !same_or_both_nan(lane(quotient, i), x / y))
            return "lane-wise arithmetic differs from scalar arithmetic";
    }
    return NULL;
}

/* Halves of vectors as doubles. With one lane only the low half counts. */
static const char *check_doubles(vf a, vf b)
{
    const int halves = RICO_LANES > 1 ? 2 : 1;
    for (int half = 0; half < halves; ++half) {
        vd x = vd_from(a, half), y = vd_from(b, half);
        uint32_t bits = vd_ge(x, y);
        float back[RICO_HALF], chosen[RICO_HALF], roots[RICO_HALF];
        vd_store_floats(back, x);
        vd_store_floats(chosen, vd_choose(bits, x, y));
        vd_store_floats(roots, vd_sqrt(x));
        for (size_t i = 0; i < RICO_HALF; ++i) {
            size_t from = i + (size_t)(half * RICO_HALF);
            bool at_least = lane(a, from) >= lane(b, from);
            if (!same_or_both_nan(back[i], lane(a, from)))
                return "vd_from or vd_store_floats is not exact";
            if ((bits >> i & 1u) != at_least)
                return "vd_ge differs";
            if (!same_or_both_nan(chosen[i], lane(at_least ? a : b, from)))
                return "vd_choose takes the wrong side";
            if (!same_or_both_nan(roots[i], (float)sqrt((double)lane(a, from))))
                return "vd_sqrt is not correctly rounded";
        }
        if (bits >> RICO_HALF != 0)
            return "vd_ge has bits beyond the lanes";
    }
    return NULL;
}

/* The minimum over lanes without NaN. The sign of a zero does not count. */
static const char *check_least(vf a)
{
    vf numbers = vf_select(vf_le(a, a), a, vf_set(3.0f));
    float least = lane(numbers, 0);
    for (size_t i = 1; i < RICO_LANES; ++i)
        least = fminf(least, lane(numbers, i));
    return vf_least(numbers) == least ? NULL : "vf_least is not the least";
}

static const char *check_one(vf a)
{
    vf root = vf_sqrt(a), absolute = vf_abs(a);
    for (size_t i = 0; i < RICO_LANES; ++i) {
        float x = lane(a, i);
        if (!same_or_both_nan(lane(root, i), sqrtf(x)))
            return "vf_sqrt is not correctly rounded";
        if (bits_of(lane(absolute, i)) != (bits_of(x) & 0x7fffffffu))
            return "vf_abs changes more than the sign";
        if (bits_of(lane(vf_set(x), RICO_LANES - 1)) != bits_of(x) && !isnan(x))
            return "vf_set changes its value";
    }
    return NULL;
}

/* Conversions are defined for |x| < 2^31 only. Other values are replaced by 0 first, as callers
 * do. */
static const char *check_integers(vf a)
{
    vf limit = vf_set(2147483648.0f);
    vf inside = vf_select(vf_lt(vf_abs(a), limit), a, vf_set(0.0f));
    vi truncated = vf_to_int(inside), floored = vf_floor_int(inside);
    vf back = vi_to_float(truncated);
    for (size_t i = 0; i < RICO_LANES; ++i) {
        float x = lane(inside, i);
        if (lane_int(truncated, i) != (int32_t)x)
            return "vf_to_int does not truncate";
        if (lane_int(floored, i) != (int32_t)floorf(x))
            return "vf_floor_int is not floor";
        if (bits_of(lane(back, i)) != bits_of((float)(int32_t)x))
            return "vi_to_float is not exact";
    }
    return NULL;
}

static const char *check_masks(void)
{
    uint32_t all = RICO_LANES == 32 ? 0xffffffffu : (1u << RICO_LANES % 32) - 1u;
    for (uint32_t k = 0; k < 4096; ++k) {
        uint32_t bits = k * 2654435761u >> 7;
        vm mask = vm_from_bits(bits);
        vf chosen = vf_select(mask, vf_set(1.0f), vf_set(2.0f));
        for (size_t i = 0; i < RICO_LANES; ++i)
            if (lane(chosen, i) != ((bits >> i & 1u) != 0 ? 1.0f : 2.0f))
                return "vm_from_bits sets the wrong lanes";
        if (vm_bits(mask) != (bits & all))
            return "vm_bits is not the inverse of vm_from_bits";
    }
    return NULL;
}

static const char *check_lists(void)
{
    uint32_t from[16], to[32], same[32];
    for (uint32_t i = 0; i < 16; ++i)
        from[i] = i * 2654435761u;
    for (uint32_t mask = 0; mask < 0x10000; mask += 1 + mask % 3) {
        uint32_t count = 0;
        lanes16_pack(to, from, 7, mask);
        uint32_t filled = lanes16_fill(same, mask, mask);
        for (uint32_t i = 0; i < 16; ++i) {
            if (!(mask >> i & 1))
                continue;
            if (to[count] != from[i] + 7)
                return "lanes16_pack keeps the wrong words";
            if (same[count++] != mask)
                return "lanes16_fill fills in something else";
        }
        if (filled != count)
            return "lanes16_fill counts wrong";
    }
    return NULL;
}

static const char *check_words(void)
{
    uint16_t words[RICO_LANES];
    for (uint32_t k = 0; k < 0x10000; k += 97) {
        for (uint32_t i = 0; i < RICO_LANES; ++i)
            words[i] = (uint16_t)(k * (i + 1) + 31 * i);
        vf numbers = vf_load_u16(words), uppers = vf_load_upper(words);
        for (size_t i = 0; i < RICO_LANES; ++i) {
            if (lane(numbers, i) != (float)words[i])
                return "vf_load_u16 is not exact";
            if (bits_of(lane(uppers, i)) != (uint32_t)words[i] << 16)
                return "vf_load_upper does not put words above";
        }
    }
    return NULL;
}

static const char *check_bytes(void)
{
    uint8_t bytes[RICO_LANES];
    int16_t shorts[RICO_LANES];
    for (uint32_t k = 0; k < 0x10000; k += 97) {
        for (uint32_t i = 0; i < RICO_LANES; ++i) {
            bytes[i] = (uint8_t)((k >> 4) + 37 * i);
            shorts[i] = (int16_t)(uint16_t)(k * (i + 1) + 31 * i);
        }
        vi numbers = vi_load_u8(bytes);
        vf signed_numbers = vf_load_shorts(shorts);
        for (size_t i = 0; i < RICO_LANES; ++i) {
            if (lane_int(numbers, i) != bytes[i])
                return "vi_load_u8 is not exact";
            if (lane(signed_numbers, i) != (float)shorts[i])
                return "vf_load_shorts is not exact";
        }
    }
    return NULL;
}

/* Also reads whole rows. */
static const char *check_rows(const int32_t words[128], const int32_t at[RICO_LANES])
{
    float rows[32][4];
    int32_t row[RICO_LANES];
    vf found[4];
    memcpy(rows, words, sizeof rows);
    for (int i = 0; i < RICO_LANES; ++i)
        row[i] = at[i] / 4;
    vf_get_quads((const float(*)[4])rows, vi_load(row), found);
    for (int k = 0; k < 4; ++k)
        for (size_t i = 0; i < RICO_LANES; ++i)
            if (lane_int((vi)found[k], i) != words[4 * row[i] + k])
                return "vf_get_quads is of another place";
    return NULL;
}

/* Tables in registers, on CPUs that have them. */
static const char *check_table(const int32_t words[128], const int32_t at[RICO_LANES])
{
#if RICO_TABLES_IN_REGISTERS
    vi_table table = vi_table_of(words);
    vi found = vi_table_get(&table, vi_load(at));
    for (size_t i = 0; i < RICO_LANES; ++i)
        if (lane_int(found, i) != words[at[i]])
            return "vi_table_get is of another place";
#else
    (void)words, (void)at;
#endif
    return NULL;
}

/* Each lane from a place of its own, in tables of words that are all different. */
static const char *check_places(void)
{
    int32_t words[128], at[RICO_LANES], at8[RICO_LANES];
    float numbers[128];
    for (int32_t i = 0; i < 128; ++i) {
        words[i] = (int32_t)((uint32_t)(i + 1) * 2654435761u);
        numbers[i] = 1.5f * (float)i - 7.0f;
    }
    const char *wrong = NULL;
    for (uint32_t k = 0; k < 512 && wrong == NULL; ++k) {
        for (uint32_t i = 0; i < RICO_LANES; ++i) {
            at[i] = (int32_t)((k * 5 + i * (2 * k + 1)) % 128);
            at8[i] = at[i] % 8;
        }
        vi place = vi_load(at), gathered = vi_gather(words, place);
        vf picked = vf_pick8(numbers, vi_load(at8)), far = vf_gather(numbers, place);
        for (size_t i = 0; i < RICO_LANES; ++i) {
            if (lane_int(gathered, i) != words[at[i]])
                return "vi_gather is of another place";
            if (lane(far, i) != numbers[at[i]] || lane(picked, i) != numbers[at8[i]])
                return "vf_gather or vf_pick8 is of another place";
        }
        wrong = check_rows(words, at);
        wrong = wrong != NULL ? wrong : check_table(words, at);
    }
    return wrong;
}

/* Sums that are exact, with one rounding or two. */
static const char *check_loose(void)
{
    const vf a = vf_lanes() + vf_set(4097.0f), b = vf_set(3.0f) - vf_lanes() * vf_set(0.5f);
    const vf c = vf_set(0.25f) - a * b;
    const vf sum = vf_mad_loose(a, b, c), rest = vf_nmad_loose(a, b, vf_set(0.0f) - c);
    for (size_t i = 0; i < RICO_LANES; ++i)
        if (lane(sum, i) != 0.25f || lane(rest, i) != -0.25f)
            return "vf_mad_loose or vf_nmad_loose is another sum";
    return NULL;
}

/* Record i is 6 i to 6 i + 5. */
static const char *check_sixes(void)
{
    _Alignas(64) float to[6 * RICO_LANES];
    vf v[6];
    for (int k = 0; k < 6; ++k)
        v[k] = vf_lanes() * vf_set(6.0f) + vf_set((float)k);
    for (int streamed = 0; streamed < 2; ++streamed) {
        memset(to, 0xff, sizeof to);
        vf_store_sixes(to, v, streamed != 0);
        for (size_t i = 0; i < 6 * RICO_LANES; ++i)
            if (to[i] != (float)i)
                return "vf_store_sixes has another order";
    }
    return NULL;
}

/* Element k of lane i is 4 i + k, before and after. */
static const char *check_quads(void)
{
    static const int32_t orders[3][4] = {{1, 2, 0, 0}, {2, 0, 1, 1}, {0, 1, 2, 2}};
    float quads[RICO_LANES][4], back[RICO_LANES][8];
    const float *from[RICO_LANES];
    const int32_t *order[RICO_LANES];
    vf same[4], ordered[4];
    for (int i = 0; i < RICO_LANES; ++i) {
        for (int k = 0; k < 4; ++k)
            quads[i][k] = (float)(4 * i + k);
        from[i] = quads[i];
        order[i] = orders[i % 3];
    }
    vf_load_quads(from, same);
    vf_load_quads_ordered(from, order, ordered);
    vf_store_quads(back[0], 8, same[0], same[1], same[2], same[3]);
    for (size_t i = 0; i < RICO_LANES; ++i)
        for (size_t k = 0; k < 4; ++k) {
            if (lane(same[k], i) != quads[i][k])
                return "vf_load_quads turns wrongly";
            if (lane(ordered[k], i) != quads[i][order[i][k]])
                return "vf_load_quads_ordered has another order";
            if (back[i][k] != quads[i][k])
                return "vf_store_quads is not the inverse of vf_load_quads";
        }
    return NULL;
}

static v4 hostile_four(size_t first, size_t step)
{
    return (v4){hostile(first), hostile(first + step), hostile(first + 2 * step),
                hostile(first + 3 * step)};
}

static const char *check_four_pair(v4 a, v4 b)
{
    v4 least = v4_min(a, b), most = v4_max(a, b), size = v4_abs(a);
    v4 same = v4_select(a < b, a, b);
    uint32_t within = v4_within(a, b, v4_abs(b)), signs = v4_bits((v4i)a);
    float largest = size[0];
    for (int k = 0; k < 4; ++k) {
        if (bits_of(least[k]) != bits_of(a[k] < b[k] ? a[k] : b[k]) ||
            bits_of(same[k]) != bits_of(least[k]))
            return "v4_min or v4_select differs";
        if (bits_of(most[k]) != bits_of(a[k] > b[k] ? a[k] : b[k]))
            return "v4_max differs";
        if ((within >> k & 1u) != (uint32_t)(b[k] <= a[k] && a[k] < fabsf(b[k])))
            return "v4_within differs";
        if ((signs >> k & 1u) != bits_of(a[k]) >> 31)
            return "v4_bits differs";
        largest = bits_of(size[k]) > bits_of(largest) ? size[k] : largest;
    }
    for (int k = 0; k < 4; ++k)
        if (bits_of(v4_most_or_nan(size)[k]) != bits_of(largest))
            return "v4_most_or_nan differs";
    return signs >> 4 != 0 || within >> 4 != 0 ? "bits of more than four lanes" : NULL;
}

static const char *check_four_ways(void)
{
    static const int32_t order[4] = {2, 0, 3, 3};
    v4 a = {1.0f, 2.0f, 3.0f, 4.0f}, b = {-5.0f, 6.0f, 7.5f, 8.0f}, x, y, z;
    v4 c = {9.0f, 10.0f, 11.0f, 12.0f}, turned = v4_load_ordered(&b, order);
    v4_turn3(a, b, c, &x, &y, &z);
    for (int k = 0; k < 4; ++k)
        if (turned[k] != b[order[k]] || v4_least(b)[k] != -5.0f || v4_most(b)[k] != 8.0f)
            return "v4_load_ordered, v4_least or v4_most is wrong";
    if (x[0] != a[0] || x[1] != b[0] || x[2] != c[0] || y[0] != a[1] || y[1] != b[1] ||
        y[2] != c[1] || z[0] != a[2] || z[1] != b[2] || z[2] != c[2])
        return "v4_turn3 turns wrongly";
    v4d cross = v4d_cross(v4_to_double(a), v4_to_double(b));
    if (cross[0] != -3.0 || cross[1] != -22.5 || cross[2] != 16.0 || v4d_sum3(cross) != -9.5)
        return "v4d_cross is not the cross product";
    if ((v4d_ge(cross, (v4d){-3.0, 0.0, NAN, 0.0}) & 7u) != 1u)
        return "v4d_ge differs";
    return v4_from_double(cross)[1] == -22.5f && v4_to_int(b)[2] == 7 ? NULL
                                                                      : "v4 converts wrongly";
}

static const char *check_fours(void)
{
    const char *wrong = check_four_ways();
    for (size_t i = 0; wrong == NULL && i < HOSTILE_COUNT; ++i)
        for (size_t j = 0; wrong == NULL && j < HOSTILE_COUNT; ++j)
            wrong = check_four_pair(hostile_four(i, 1), hostile_four(j, 3));
    return wrong;
}

static const char *check_memory(void)
{
    const char *wrong = check_lists();
    if (wrong == NULL)
        wrong = check_words();
    if (wrong == NULL)
        wrong = check_bytes();
    if (wrong == NULL)
        wrong = check_places();
    if (wrong == NULL)
        wrong = check_loose();
    if (wrong == NULL)
        wrong = check_sixes();
    if (wrong == NULL)
        wrong = check_fours();
    return wrong != NULL ? wrong : check_quads();
}

const char *SIMD_CHECK(void)
{
    const char *wrong = check_masks();
    if (wrong == NULL)
        wrong = check_memory();
    for (size_t i = 0; wrong == NULL && i < HOSTILE_COUNT; ++i) {
        vf a = hostile_vector(i, 1);
        wrong = check_one(a);
        if (wrong == NULL)
            wrong = check_integers(a);
        if (wrong == NULL)
            wrong = check_least(a);
        for (size_t j = 0; wrong == NULL && j < HOSTILE_COUNT; ++j) {
            vf b = hostile_vector(j, 3);
            wrong = check_pair(a, b);
            if (wrong == NULL)
                wrong = check_arithmetic(a, b);
            if (wrong == NULL)
                wrong = check_doubles(a, b);
        }
    }
    return wrong;
}
