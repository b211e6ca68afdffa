/* fuzz_bytes.h - turns bytes into values, for tests that make scenes and worlds from them. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <ricochet/types.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition, ...)                                                                \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                    \
            fprintf(stderr, __VA_ARGS__);                                                      \
            fputc('\n', stderr);                                                               \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

/* Bytes still to be read. After the last one, zeros are read. */
typedef struct source {
    const uint8_t *data;
    size_t left;
} source;

static inline uint32_t take(source *s, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes && s->left > 0; ++i, --s->left)
        value |= (uint32_t)*s->data++ << 8 * i;
    return value;
}

static inline uint32_t take_below(source *s, uint32_t n)
{
    return take(s, 1) % n;
}

/* Values around the limits of float arithmetic and of the library. */
static const float odd_values[] = {
    0.0f,      -0.0f,  1.0e-45f, -1.0e-45f, 1.0e-38f,    FLT_MIN, 1.0e-30f,     -1.0e-30f,
    1.0f,      -1.0f,  0.1f,     1.0e5f,    -1.0e6f,     1.0e6f,  1.0000001e6f, 1.0e9f,
    -1.0e9f,   1.1e9f, 1.0e30f,  -1.0e30f,  1.1e30f,     FLT_MAX, -FLT_MAX,     INFINITY,
    -INFINITY, NAN,    0.5f,     -0.25f,    16777216.0f, 1.0e20f, 1.0e-20f,     3.0e38f,
};

/* A float: on a grid of eighths, where borders of cells lie; a few steps beside it; odd; or of
 * any bits. */
static inline float take_float(source *s)
{
    uint32_t how = take(s, 1);
    float eighth = 0.125f * (float)((int)take_below(s, 129) - 64);
    if (how < 150)
        return eighth;
    if (how < 200)
        return eighth * (1.0f + 0x1p-23f * (float)((int)take_below(s, 9) - 4));
    if (how < 240)
        return odd_values[take_below(s, sizeof odd_values / sizeof odd_values[0])];
    uint32_t bits = take(s, 4);
    memcpy(&eighth, &bits, sizeof eighth);
    return eighth;
}

static inline rico_vec3 take_vec3(source *s)
{
    float x = take_float(s), y = take_float(s);
    return (rico_vec3){x, y, take_float(s)};
}

/* A rotation whose length is about 1. */
static inline rico_quat take_rotation(source *s)
{
    /* The last two are just inside the greatest and the least length of a legal rotation. */
    static const float sizes[] = {1.0f, 1.0f, 1.0f, 1.0009f, 0.9991f, 1.0009995f, 0.9989996f};
    uint32_t how = take_below(s, 4);
    if (how == 0)
        return (rico_quat){0.0f, 0.0f, 0.0f, 1.0f};
    if (how == 1) /* a half turn: axes change places with their signs */
        return (rico_quat){0.0f, 0.0f, 1.0f, 0.0f};
    float q[4], length = 0.0f;
    for (int i = 0; i < 4; ++i) {
        q[i] = (float)((int)take(s, 1) - 128) + 0.25f;
        length += q[i] * q[i];
    }
    float size = sizes[take_below(s, 7)] / sqrtf(length);
    return (rico_quat){q[0] * size, q[1] * size, q[2] * size, q[3] * size};
}

static inline bool rotation_is_legal(rico_quat q)
{
    float length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return length2 > 0.998f && length2 < 1.002f;
}

static inline rico_transform take_transform(source *s)
{
    static const float scales[] = {1.0f, 1.0f, 0.5f, 3.7f, 1.0e-6f, 1.0e6f, 1.0e-3f, 1.0e3f};
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    uint32_t how = take(s, 1);
    if (how < 80)
        return t;
    t.position = take_vec3(s);
    for (int k = 0; k < 3; ++k)
        if (!isfinite((&t.position.x)[k]))
            (&t.position.x)[k] = 0.0f;
    if (how < 120)
        return t;
    rico_quat rotation = take_rotation(s);
    if (rotation_is_legal(rotation))
        t.rotation = rotation;
    t.scale = scales[take_below(s, how < 200 ? 4 : 8)];
    return t;
}

#endif
