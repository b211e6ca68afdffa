/* ray_arena.h - a scene with everything that its cases share: mesh, grid, peers, rays. */
#ifndef RICO_BENCH_RAY_ARENA_H
#define RICO_BENCH_RAY_ARENA_H

#include "ray_contest.h"
#include "ray_scenes.h"
#include "ray_sets.h"

/* Owner: the code that opened it. */
typedef struct ray_arena {
    const char *name;
    rio_mesh mesh;
    rico_mesh view;
    rico_scene *scene;
    double build_ms;              /* of scene */
    embree_peer *embree, *robust; /* NULL without Embree */
    ray_maker *maker;
    rico_ray *rays;        /* RAY_COUNT rays of the current set */
    ray_answer *reference; /* RAY_COUNT: the robust peer's answers to them */
} ray_arena;

typedef enum ray_arena_result {
    RAY_ARENA_OK,
    RAY_ARENA_NO_SCENE, /* as for ray_scenes_make */
    RAY_ARENA_FAILED    /* out of memory, or a scene could not be built */
} ray_arena_result;

/* name must outlive the arena. If the result is not OK, nothing stays behind and *why is one
 * line. */
ray_arena_result ray_arena_open(ray_arena *arena, ray_scenes *scenes, const char *name,
                                char *why, size_t why_bytes);
void ray_arena_close(ray_arena *arena);

/* Builds our scene of the mesh. *ms (may be NULL): the time from no scene to one that answers.
 * NULL: failed. */
rico_scene *ray_arena_build(const ray_arena *arena, double *ms);

#endif
