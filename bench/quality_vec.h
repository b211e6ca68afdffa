/* quality_vec.h - vectors of doubles, for the files of bench_quality. */
#ifndef RICO_BENCH_QUALITY_VEC_H
#define RICO_BENCH_QUALITY_VEC_H

#include <math.h>
#include <string.h>

static inline double qv_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void qv_sub(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* a + s * b */
static inline void qv_mad(const double a[3], double s, const double b[3], double out[3])
{
    out[0] = a[0] + s * b[0];
    out[1] = a[1] + s * b[1];
    out[2] = a[2] + s * b[2];
}

static inline void qv_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double qv_length(const double a[3])
{
    return sqrt(qv_dot(a, a));
}

static inline double qv_distance(const double a[3], const double b[3])
{
    double d[3];
    qv_sub(a, b, d);
    return qv_length(d);
}

static inline void qv_copy(double to[3], const double from[3])
{
    memcpy(to, from, 3 * sizeof *to);
}

/* fmin and fmax are calls into libm because of their promises about NaN; these are inlined. */
static inline double qv_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double qv_max(double a, double b)
{
    return a > b ? a : b;
}

#endif
