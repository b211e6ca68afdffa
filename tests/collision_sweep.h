/* collision_sweep.h - the oracle of sweeps.
 *
 * It follows the ellipsoid in steps and measures its distance from every triangle, with long
 * doubles, in a space where the ellipsoid is the unit sphere. It computes no times of impact. A
 * contact is late when a triangle is inside at an earlier step. It is early when no triangle
 * touches the ellipsoid at the contact's time.
 */
#ifndef COLLISION_SWEEP_H
#define COLLISION_SWEEP_H

#include "collision_volumes.h"

/* Sweeps in the scene, checks all fields of the answer and returns it. */
rico_sweep_hit check_sweep(const rico_scene *scene, const rico_sweep *sweep);

/* An ellipsoid near a random triangle, of 1 cm to 1 m, that moves towards it, or anywhere. */
rico_sweep random_sweep(fixture_random *random, const rico_scene *scene);

/* Compares all fields but the cost. */
bool sweep_hits_equal(const rico_sweep_hit *a, const rico_sweep_hit *b);

#endif
