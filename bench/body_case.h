/* body_case.h - costs of moving and editing: many instances of a mesh, and a mesh that comes and
 * goes in a large scene. */
#ifndef RICO_BENCH_BODY_CASE_H
#define RICO_BENCH_BODY_CASE_H

#include "ray_scenes.h"
#include "row.h"

/* Case instances/move: 1,000 instances of a 1,000-triangle mesh fly about in a hall, and all are
 * moved in each frame (move_1000_us). Rays are cast among them after every move (ns_per_ray). In
 * the end the rays must hit what they hit in a scene made anew. */
void body_case_move(bench *b);

/* Cases edit/add and edit/remove: a 1,000-triangle mesh of its own in Sponza, whose grid is
 * merged (ms). False: Sponza is missing, and *why gives the reason in one line. */
bool body_case_edit(bench *b, ray_scenes *scenes, char *why, size_t why_bytes);

#endif
