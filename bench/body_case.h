/* body_case.h - what moving and editing cost: many instances of a mesh, and a mesh that comes and
 * goes in a large scene. */
#ifndef RICO_BENCH_BODY_CASE_H
#define RICO_BENCH_BODY_CASE_H

#include "ray_scenes.h"
#include "row.h"

/* instances/move: 1,000 instances of a 1,000-triangle mesh fly about in a hall, all moved each
 * frame (move_1000_us); rays are cast among them after every move (ns_per_ray), and in the end must
 * hit what they hit in a scene made anew. */
void body_case_move(bench *b);

/* edit/add, edit/remove: a 1,000-triangle mesh of its own in Sponza, whose grid is merged (ms).
 * False: there is no Sponza, *why says so in one line. */
bool body_case_edit(bench *b, ray_scenes *scenes, char *why, size_t why_bytes);

#endif
