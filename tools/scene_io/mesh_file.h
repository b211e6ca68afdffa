/* mesh_file.h - meshes with colours, read from any format Assimp knows.
 *
 * Threads: no state; any number of loads may run at once.
 */
#ifndef RIO_MESH_FILE_H
#define RIO_MESH_FILE_H

#include <ricochet/result.h>
#include <ricochet/scene_query.h>
#include <ricochet/types.h>

/* Long enough for any message of this library; shorter buffers cut it. */
#define RIO_ERROR_BYTES 512

/* An indexed triangle mesh. Owner: the caller of the function that made it; rio_mesh_free.
 * Corners with the same position bits share a vertex. Vertices that no triangle uses are left
 * out. */
typedef struct rio_mesh {
    float *positions; /* 3 per vertex: x y z, metres, z up */
    uint32_t vertex_count;
    uint32_t *indices; /* 3 per triangle, counter-clockwise from the front */
    uint32_t
        triangle_count; /* with those that have NaN or infinite corners, which the scene
                         * drops */
    float *colors;      /* 3 per triangle: diffuse r g b, linear, 0..1 */
    uint32_t dropped_index; /* faces that named a vertex which the file does not have */
    uint32_t
        dropped_faces; /* triangles lost in cutting up polygons that are not planar rings */
    char **
        others; /* files that the mesh's file names, of materials and the like, where they
                 * were read */
    uint32_t other_count;
} rio_mesh;

typedef enum rio_up { RIO_UP_Z, RIO_UP_Y } rio_up;

typedef struct rio_mesh_options {
    rio_up up;   /* RIO_UP_Y turns (x, y, z) into (x, -z, y) */
    float scale; /* multiplies positions after that; 0 is taken as 1 */
} rio_mesh_options;

/* Reads the file's triangles. Node transforms are applied and polygons are cut into triangles.
 * Lines, points and the byte order mark of an OBJ file are ignored. NULL options = z up, scale
 * 1. Errors: RICO_NOT_FOUND (missing, a directory, unreadable), RICO_BAD_FILE (empty, or no
 * format Assimp knows), RICO_EMPTY_MESH (read, but without triangles), RICO_OUT_OF_MEMORY. error
 * then holds one line, without newline, that names the file and what was expected; *out is
 * zeroed.
 */
rico_result rio_mesh_load(const char *path, const rio_mesh_options *options, rio_mesh *out,
                          char *error, size_t error_bytes);

/* Releases the arrays and zeroes the struct. A zeroed mesh is ignored. */
void rio_mesh_free(rio_mesh *mesh);

/* Box of the triangles' finite corners; lo > hi when there are none. */
rico_box rio_mesh_bounds(const rio_mesh *mesh);

/* The same arrays, in the form that rico_world_add_mesh and rico_scene_add_mesh take. */
rico_mesh rio_mesh_view(const rio_mesh *mesh);

/* The place of scenes is dir (from --scenes) if not NULL, else $RICO_SCENES, else
 * ../shared/scenes. Writes "<place>/<name>", or name itself when it is absolute or names a file
 * that exists. Returns path, cut if it did not fit. Does not check whether the result exists. */
const char *rio_scene_path(const char *dir, const char *name, char *path, size_t path_bytes);

#endif
