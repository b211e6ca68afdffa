/* run_world.h - the world of a run: its mesh, its workers, its show. */
#ifndef RICOCHET_RUN_WORLD_H
#define RICOCHET_RUN_WORLD_H

#include "camera.h"
#include "mesh_file.h"
#include "query_trail.h"
#include "run_options.h"
#include "show.h"

typedef struct run_world {
    const char *name; /* what reports call it */
    rio_mesh mesh;
    show_cast cast;
    show_def def;
    rico_jobs *jobs; /* of the world, and of the painter after it */
    rico_world *world;
    uint32_t max_particles, max_effects; /* that it was made for */
    uint64_t cache_bytes;                /* likewise */
    rico_collider_id collider;
    rio_caster caster; /* the world's own rays */
    rio_camera camera; /* of --camera, if it has one */
    bool has_camera;
    show show;
    query_trail trail;         /* of the steps after which query_trail_add was called */
    char log[RIO_ERROR_BYTES]; /* the library's last error */
    bool quiet;                /* no warnings of the library's */
} run_world;

/* The file of --world, as it is looked for; NULL = none. */
const char *run_world_path(const run_options *options, char *path, size_t path_bytes);

/* Reads or builds the mesh, creates the world around it and places the show. Prints a warning
 * about dropped triangles; but with --quiet also those of the library, and about effects of files that show
 * nothing. On false, error is one line; call run_world_free either way.
 * *out must stay where it is: the world's log writes into it. */
bool run_world_open(const run_options *options, run_world *out, char *error,
                    size_t error_bytes);
void run_world_free(run_world *w);

#endif
