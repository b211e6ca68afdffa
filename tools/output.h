/* output.h - files that the program writes: asked about before the work, complete or absent
 * after it.
 *
 * Threads: the one that writes, and takes the process's signals (the workers of rico_jobs take none).
 * The drafts are the process's: a signal that ends it finds them nowhere else. */
#ifndef RICOCHET_OUTPUT_FILE_H
#define RICOCHET_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OUTPUT_PATH_BYTES 4096

/* Where a file will go. */
typedef struct output_file {
    char path[OUTPUT_PATH_BYTES]; /* links resolved */
    bool stream; /* it is a device or a pipe: written in place, never replaced */
} output_file;

/* Finds out whether path can be written, by making a temporary file beside it and removing it.
 * On false, error is one line that names path and the reason. A device or pipe passes only when
 * streams are allowed, a link only when it leads to something. */
bool output_probe(const char *path, bool allow_stream, output_file *out, char *error,
                  size_t error_bytes);

/* Whether two paths are of one file: where both are there by what it is, else by its directory and name.
 * Devices and pipes: by their paths alone. */
bool output_is_same(const char *a, const char *b);

/* Writes bytes to a draft, which then takes the path's place, or into the stream. */
bool output_write(const output_file *file, const void *bytes, size_t count, char *error,
                  size_t error_bytes);

/* A file on its way: PATH.*.tmp until it is complete. While there are any, signals that end the process
 * (Ctrl-C, a closed terminal or pipe, a limit of the system) remove them first, unless someone else
 * minds that signal; the process ends by it all the same.
 * Owner: output.c; output_draft_keep or output_draft_drop. */
typedef struct output_draft {
    char path[OUTPUT_PATH_BYTES];
    pid_t writer; /* a child that writes it, and is stopped first; 0 = none */
} output_draft;

#define OUTPUT_MOST_DRAFTS 4u /* at once */

/* Makes an empty file, with the mode of the one that it will replace, else what the umask says, and opens it
 * for writing; the descriptor is the caller's. file: not a stream. NULL: errno says why. */
output_draft *output_draft_open(const output_file *file, int *descriptor);

/* Gives the draft the file's name. On false, errno says why, and the draft is gone as well. */
bool output_draft_keep(output_draft *draft, const output_file *file);

/* Removes it. NULL is ignored. */
void output_draft_drop(output_draft *draft);

#endif
