/* ray_scenes.h - the worlds of bench_rays, by name. */
#ifndef RICO_BENCH_RAY_SCENES_H
#define RICO_BENCH_RAY_SCENES_H

#include "file_list.h"
#include "mesh_file.h"

/* Owner: the benchmark's main. Scenes that share a file read it once. */
typedef struct ray_scenes {
    const char *dir;   /* --scenes, or NULL */
    const char *world; /* --world: a file instead of the named scenes, or NULL */
    rio_up up;         /* of the world's file */
    rio_mesh sponza;   /* loaded when first needed */
} ray_scenes;

/* Makes a scene by name. sponza, dungeon: files. forest, dense: generated (forest.h, rock.h).
 * sponza_teapot: the teapot, 20 cm wide, on Sponza's floor; sponza_dense: the rock there. Any
 * other name: the world's file. Meshes have z up, metres and no broken triangles. False: the
 * scene is not available, and *why gives the reason in one line. */
bool ray_scenes_make(ray_scenes *scenes, const char *name, rio_mesh *out, char *why,
                     size_t why_bytes);

/* Adds the files that the scenes read. */
void ray_scenes_list(const ray_scenes *scenes, file_list *out);

void ray_scenes_free(ray_scenes *scenes);

#endif
