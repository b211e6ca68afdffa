/* output.h - files that the program writes: asked about before the work, complete or absent
 * after it. */
#ifndef RICOCHET_OUTPUT_FILE_H
#define RICOCHET_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define OUTPUT_PATH_BYTES 4096

/* Where a file will go. */
typedef struct output_file {
    char path[OUTPUT_PATH_BYTES]; /* links resolved */
    bool stream; /* it is a device or a pipe: written in place, never replaced */
} output_file;

/* Finds out whether path can be written, by making a temporary file beside it and removing it.
 * On false, error is one line that names path and the reason. A device or pipe passes only when
 * streams are allowed. */
bool output_probe(const char *path, bool allow_stream, output_file *out, char *error,
                  size_t error_bytes);

/* Whether two paths are of one file: where both are there by what it is, else by its directory and name.
 * Devices and pipes: by their paths alone. */
bool output_is_same(const char *a, const char *b);

/* Writes text to a temporary file beside the path and renames it, or into the stream. */
bool output_write(const output_file *file, const char *text, size_t bytes, char *error,
                  size_t error_bytes);

#endif
