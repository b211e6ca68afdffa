/* trig.h - own elementary functions: the same bits from every compiler and libc.
 *
 * Only + - * and comparisons in a fixed order; built with -ffp-contract=off.
 * Error bounds are proved by tests/test_base.c over dense samples.
 */
#ifndef RICO_TRIG_H
#define RICO_TRIG_H

/* Radians. |x| <= 8192: absolute error under 3e-7. Larger finite x: the result is still in
 * [-1, 1] and the same everywhere, but loses meaning; NaN or infinite x gives 0. */
float rico__sin(float x);
float rico__cos(float x);
/* Once around the unit circle as u goes from 0 to 1, 1 excluded; begins at -45 degrees. Error under
 * 3e-7 if u is a multiple of 2^-24. */
void rico__circle(float u, float *x, float *y);

/* e^x, relative error under 4e-7 for x in [-87, 88]; clamped to that range outside, NaN
 * gives 1. */
float rico__exp(float x);

#endif
