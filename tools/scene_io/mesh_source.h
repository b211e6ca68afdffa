/* mesh_source.h - gives Assimp a mesh's file and the files that it names. Private to scene_io.
 *
 * Reading with our own calls tells us which files were read. It also lets us replace a text by a
 * repaired one, and skip a byte order mark, which Assimp takes for the first letters of a word.
 */
#ifndef RIO_MESH_SOURCE_H
#define RIO_MESH_SOURCE_H

#include "mesh_file.h"
#include <assimp/cfileio.h>
#include <stddef.h>

/* Owner: rio_mesh_load. text: read in place of the file at path; NULL = that file is read. */
typedef struct mesh_source {
    const char *path;
    char *text;
    size_t bytes;
    rio_mesh *out;      /* receives the names of the other files */
    bool out_of_memory; /* while storing these names */
} mesh_source;

/* Opens regular files only: no directory, pipe or device that a mesh names. Writes nothing. The
 * source must outlive the result and stay where it is. */
struct aiFileIO mesh_source_io(mesh_source *source);

/* Length of the byte order mark at the beginning of a text: 3 or 0. */
size_t mesh_source_mark(const char *text, size_t bytes);

#endif
