#include "ray_arena.h"

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 1u

rico_scene *ray_arena_build(const ray_arena *a, double *ms)
{
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    uint64_t begin = machine_clock_ns();
    if (rico_scene_create(&def, &scene) != RICO_OK)
        return NULL;
    rico_result result =
        rico_scene_add_mesh(scene, &a->view, RICO_TRANSFORM_IDENTITY, NULL, NULL);
    if (ms)
        *ms = (double)(machine_clock_ns() - begin) * 1.0e-6;
    if (result == RICO_OK)
        return scene;
    rico_scene_destroy(scene);
    return NULL;
}

ray_arena_result ray_arena_open(ray_arena *a, ray_scenes *scenes, const char *name, char *why,
                                size_t why_bytes)
{
    memset(a, 0, sizeof *a);
    a->name = name;
    if (!ray_scenes_make(scenes, name, &a->mesh, why, why_bytes))
        return RAY_ARENA_NO_SCENE;
    a->view = rio_mesh_view(&a->mesh);
    a->scene = ray_arena_build(a, &a->build_ms);
    a->embree = embree_peer_create(&a->view, EMBREE_DEFAULT);
    a->robust = embree_peer_create(&a->view, EMBREE_ROBUST);
    a->maker = ray_maker_create(&a->view, RAY_COUNT, SEED);
    a->rays = malloc(RAY_COUNT * sizeof *a->rays);
    a->reference = calloc(RAY_COUNT, sizeof *a->reference);
    bool peers = !embree_peer_exists() || (a->embree && a->robust);
    if (a->scene && a->maker && a->rays && a->reference && peers)
        return RAY_ARENA_OK;
    snprintf(why, why_bytes, "%s", a->scene ? "out of memory" : "the scene could not be built");
    ray_arena_close(a);
    return RAY_ARENA_FAILED;
}

void ray_arena_close(ray_arena *a)
{
    rico_scene_destroy(a->scene);
    embree_peer_destroy(a->embree);
    embree_peer_destroy(a->robust);
    ray_maker_destroy(a->maker);
    free(a->rays);
    free(a->reference);
    rio_mesh_free(&a->mesh);
}
