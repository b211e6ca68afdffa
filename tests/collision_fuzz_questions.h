/* collision_fuzz_questions.h - queries of volumes and boxes. Each function aborts when an answer
 * does not hold against every triangle. */
#ifndef COLLISION_FUZZ_QUESTIONS_H
#define COLLISION_FUZZ_QUESTIONS_H

#include "collision_fuzz_world.h"

/* No triangle is inside before the contact, and the triangle of the contact is there. */
void ask_sweeps(const world *w, source *s);
/* The distance is the least of all triangles. */
void ask_nearest(const world *w, source *s);
/* Gather returns what brute force finds, whatever the capacity. Occupancy never misses a
 * triangle. */
void ask_box(const world *w, source *s);
/* Each gathered triangle is in one group, in order, and near the group's plane. */
void ask_surfaces(const world *w, source *s);

#endif
