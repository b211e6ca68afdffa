/* collision_fuzz_questions.h - questions about volumes and boxes; each aborts when the answer does
 * not hold against every triangle. */
#ifndef COLLISION_FUZZ_QUESTIONS_H
#define COLLISION_FUZZ_QUESTIONS_H

#include "collision_fuzz_world.h"

/* Nothing is inside before the contact, and what was met is there. */
void ask_sweeps(const world *w, source *s);
/* The distance is the least. */
void ask_nearest(const world *w, source *s);
/* Gather as by brute force, whatever fits; occupancy never denies what is there. */
void ask_box(const world *w, source *s);
/* Gathered triangles in groups: each is in one, in order, and near its plane. */
void ask_surfaces(const world *w, source *s);

#endif
