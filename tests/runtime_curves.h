/* runtime_curves.h - values of curves between their keys, computed in doubles and as plainly as
 * possible. */
#ifndef RUNTIME_CURVES_H
#define RUNTIME_CURVES_H

#include "runtime_births.h"

/* The keys around a place with no jump between them. Where the curve is constant before its
 * first or after its last key, a key with the same value is added at that end of life. */
typedef struct run {
    double x[10], y[10], slope[10];
    int count;
} run;

static inline run run_around(const rico_curve *c, double x)
{
    run r = {.count = 0};
    if (c->at[0] > 0.0f) {
        r.x[0] = 0.0;
        r.y[0] = (double)c->value[0];
        r.count = 1;
    }
    for (uint32_t i = 0; i < c->key_count; ++i) {
        double at = (double)c->at[i];
        if (r.count > 0 && r.x[r.count - 1] == at) { /* a jump */
            if (x < at)
                return r;
            r.count = 0;
        }
        r.x[r.count] = at;
        r.y[r.count++] = (double)c->value[i];
    }
    if (c->at[c->key_count - 1] < 1.0f) {
        r.x[r.count] = 1.0;
        r.y[r.count] = r.y[r.count - 1];
        r.count += 1;
    }
    return r;
}

static inline double sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

/* Slopes as in Steffen's paper: h and s are of segments, p of parabolas. */
static inline void set_slopes(run *r)
{
    double h[10], s[10];
    int last = r->count - 1;
    for (int i = 0; i < last; ++i) {
        h[i] = r->x[i + 1] - r->x[i];
        s[i] = (r->y[i + 1] - r->y[i]) / h[i];
    }
    for (int i = 1; i < last; ++i) {
        double p = (s[i - 1] * h[i] + s[i] * h[i - 1]) / (h[i - 1] + h[i]);
        double m = fmin(fmin(fabs(s[i - 1]), fabs(s[i])), 0.5 * fabs(p));
        r->slope[i] = (sign(s[i - 1]) + sign(s[i])) * m;
    }
    if (last == 1)
        r->slope[0] = r->slope[1] = s[0];
    for (int end = 0; end < 2 && last > 1; ++end) {
        int own = end == 0 ? 0 : last - 1, next = end == 0 ? 1 : last - 2;
        double p = s[own] * (1.0 + h[own] / (h[own] + h[next])) -
                   s[next] * h[own] / (h[own] + h[next]);
        if (p * s[own] <= 0.0)
            p = 0.0;
        else if (fabs(p) > 2.0 * fabs(s[own]))
            p = 2.0 * s[own];
        r->slope[end == 0 ? 0 : last] = p;
    }
}

/* De Casteljau's algorithm for the four points of a cubic. */
static inline double casteljau(double a, double b, double from, double to, double h, double t)
{
    double p[4] = {a, a + from * h / 3.0, b - to * h / 3.0, b};
    for (int n = 3; n > 0; --n)
        for (int i = 0; i < n; ++i)
            p[i] += (p[i + 1] - p[i]) * t;
    return p[0];
}

static inline double slow_smooth(const rico_curve *c, double x)
{
    run r = run_around(c, x);
    int i = 0;
    if (r.count < 2)
        return r.y[0];
    set_slopes(&r);
    while (i + 2 < r.count && x >= r.x[i + 1])
        ++i;
    double h = r.x[i + 1] - r.x[i];
    return casteljau(r.y[i], r.y[i + 1], r.slope[i], r.slope[i + 1], h, (x - r.x[i]) / h);
}

static inline uint32_t segment_of(const rico_curve *c, double x)
{
    uint32_t i = 0;
    while (i + 1 < c->key_count && x >= (double)c->at[i + 1])
        ++i;
    return i;
}

static inline double slow_cubic(const rico_curve *c, double x)
{
    uint32_t i = segment_of(c, x);
    if (x < (double)c->at[0] || i + 1 == c->key_count)
        return (double)c->value[i];
    double h = (double)c->at[i + 1] - (double)c->at[i];
    return casteljau((double)c->value[i], (double)c->value[i + 1], (double)c->slope_out[i],
                     (double)c->slope_in[i + 1], h, (x - (double)c->at[i]) / h);
}

#endif
