/* ray_promise.h - the library's promise about rays: an answer has the same bits as a test of every
 * triangle. */
#ifndef RICO_BENCH_RAY_PROMISE_H
#define RICO_BENCH_RAY_PROMISE_H

#include "embree_peer.h"

/* Whether `answer`, of a scene with that mesh alone, is the closest of the answers of scenes with
 * one triangle each, bit for bit. Those are the triangles of ray_brute_near: no other can be hit.
 * Also false: out of memory. Takes milliseconds. */
bool ray_promise_is_kept(const rico_mesh *mesh, const rico_ray *ray, ray_answer answer);

#endif
