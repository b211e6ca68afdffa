/* collision_sweep.h - the oracle of sweeps.
 *
 * It follows the ellipsoid in steps and measures its distance from every triangle, in a space where
 * it is the unit sphere, with long doubles. It knows no times of impact: a contact is late when a
 * triangle is inside at some step before, and early when none is touched at it.
 */
#ifndef COLLISION_SWEEP_H
#define COLLISION_SWEEP_H

#include "collision_volumes.h"

/* Asks the scene and checks all that the answer says. Returns it. */
rico_sweep_hit check_sweep(const rico_scene *scene, const rico_sweep *sweep);

/* An ellipsoid near a random triangle, of 1 cm to 1 m, that moves towards it, or anywhere. */
rico_sweep random_sweep(fixture_random *random, const rico_scene *scene);

/* Everything but the cost. */
bool sweep_hits_equal(const rico_sweep_hit *a, const rico_sweep_hit *b);

#endif
