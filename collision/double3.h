/* double3.h - vectors of three doubles, for code that decides answers and must not lose
 * bits. */
#ifndef RICO_DOUBLE3_H
#define RICO_DOUBLE3_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline double rico__dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void rico__cross(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* out = a + b * s */
static inline void rico__mad(const double a[3], const double b[3], double s, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] + b[k] * s;
}

/* Scales the vector to length 1. False when it has no length. */
static inline bool rico__normalize(double v[3])
{
    double length = __builtin_sqrt(rico__dot(v, v));
    if (!(length > 0.0))
        return false;
    for (int k = 0; k < 3; ++k)
        v[k] /= length;
    return true;
}

/* Rounds down to a float, for x >= 0; so that a contact is never late. */
static inline float rico__float_below(double x)
{
    float rounded = (float)x;
    uint32_t bits;
    if ((double)rounded > x && rounded > 0.0f) {
        memcpy(&bits, &rounded, sizeof bits);
        bits -= 1;
        memcpy(&rounded, &bits, sizeof rounded);
    }
    return rounded;
}

#endif
