/* run_world.h - the world of a run: its mesh, its workers, its show. */
#ifndef RICOCHET_RUN_WORLD_H
#define RICOCHET_RUN_WORLD_H

#include "camera.h"
#include "mesh_file.h"
#include "query_trail.h"
#include "run_options.h"
#include "show.h"

typedef struct run_world {
    const char *name; /* its name in reports */
    rio_mesh mesh;
    show_cast cast;
    show_def def;
    rico_jobs *jobs; /* the world's, and later the painter's */
    rico_world *world;
    uint32_t max_particles, max_effects; /* the limits it was made with */
    uint64_t cache_bytes;                /* the same */
    rico_collider_id collider;
    rio_caster caster; /* casts the world's own rays */
    rio_camera camera; /* --camera, if given */
    bool has_camera;
    show show;
    query_trail trail;         /* the steps after which query_trail_add was called */
    char log[RIO_ERROR_BYTES]; /* the library's last error */
    bool quiet;                /* suppresses the library's warnings */
} run_world;

/* The path of --world, as it is searched; NULL = none. */
const char *run_world_path(const run_options *options, char *path, size_t path_bytes);

/* Reads or builds the mesh, creates the world around it and places the show. Prints a warning
 * about dropped triangles. Unless --quiet is given, it also prints the library's warnings and
 * those about effect files that show nothing. On false, error is one line; call run_world_free
 * either way. *out must stay where it is, because the world's log writes into it. */
bool run_world_open(const run_options *options, run_world *out, char *error,
                    size_t error_bytes);
void run_world_free(run_world *w);

#endif
