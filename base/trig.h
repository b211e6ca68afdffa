/* trig.h - own elementary functions: the same bits from every compiler and libc.
 *
 * They use only + - * and comparisons, in a fixed order, and are built with -ffp-contract=off.
 * tests/test_base_math.c checks the error bounds over dense samples.
 */
#ifndef RICO_TRIG_H
#define RICO_TRIG_H

/* x is in radians. For |x| <= 8192 the absolute error is under 3e-7. For larger finite x the
 * result is still in [-1, 1] and the same everywhere, but loses its meaning. NaN and infinite x
 * give 0. */
float rico__sin(float x);
float rico__cos(float x);
/* A point that goes once around the unit circle as u goes from 0 to 1, 1 excluded. It begins at
 * -45 degrees. The error is under 3e-7 if u is a multiple of 2^-24. */
void rico__circle(float u, float *x, float *y);

/* e^x, with a relative error under 4e-7 for x in [-87, 88]. An x outside is clamped to that
 * range. NaN gives 1. */
float rico__exp(float x);

#endif
