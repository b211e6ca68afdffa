/* mesh_source.h - a mesh's file, and those that it names, as Assimp reads them. Private to scene_io.
 *
 * By our own calls, so that we know which files they were, can put a repaired text in the place of one,
 * and pass over a byte order mark, which Assimp takes for the first letters of a word.
 */
#ifndef RIO_MESH_SOURCE_H
#define RIO_MESH_SOURCE_H

#include "mesh_file.h"
#include <assimp/cfileio.h>
#include <stddef.h>

/* Owner: rio_mesh_load. text: read in the place of the file at path; NULL = that file. */
typedef struct mesh_source {
    const char *path;
    char *text;
    size_t bytes;
    rio_mesh *out;      /* gets the names of other files */
    bool out_of_memory; /* for these */
} mesh_source;

/* Reads nothing but files: no directory, pipe or device that a mesh names. Writes nothing. The source must
 * outlive it and stay where it is. */
struct aiFileIO mesh_source_io(mesh_source *source);

/* Bytes of the mark at the beginning of a text: 3 or 0. */
size_t mesh_source_mark(const char *text, size_t bytes);

#endif
