/* output.h - files that the program writes: checked before the work, complete or absent after
 * it.
 *
 * Threads: the one that writes. It also takes the process's signals (the workers of rico_jobs
 * take none). Drafts are global to the process, because a signal that ends the process finds
 * them nowhere else. */
#ifndef RICOCHET_OUTPUT_FILE_H
#define RICOCHET_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OUTPUT_PATH_BYTES 4096

/* Where a file will go. */
typedef struct output_file {
    char path[OUTPUT_PATH_BYTES]; /* links resolved */
    bool stream; /* a device or a pipe: written in place, never replaced */
} output_file;

/* Finds out whether path can be written, by making a temporary file beside it and removing it.
 * On false, error is one line that names path and the reason. A device or pipe passes only when
 * streams are allowed, and a link only when its target exists. */
bool output_probe(const char *path, bool allow_stream, output_file *out, char *error,
                  size_t error_bytes);

/* Whether two paths lead to one file. Existing files are compared by identity, others by
 * directory and name, devices and pipes by their paths alone. */
bool output_is_same(const char *a, const char *b);

/* Writes bytes to a draft, which then replaces the file at path, or into the stream. */
bool output_write(const output_file *file, const void *bytes, size_t count, char *error,
                  size_t error_bytes);

/* An unfinished file, named PATH.*.tmp until it is complete. While drafts exist, signals that
 * end the process (Ctrl-C, a closed terminal or pipe, a limit of the system) remove them first.
 * The process then ends by the signal all the same. A signal with another handler is left to
 * that.
 * Owner: output.c; output_draft_keep or output_draft_drop. */
typedef struct output_draft {
    char path[OUTPUT_PATH_BYTES];
    pid_t writer; /* a child that writes the file, stopped first; 0 = none */
} output_draft;

#define OUTPUT_MOST_DRAFTS 4u /* at once */

/* Makes an empty file and opens it for writing. It gets the mode of the file that it will
 * replace, else that of the umask. The descriptor is the caller's. file: not a stream. NULL:
 * errno gives the reason. */
output_draft *output_draft_open(const output_file *file, int *descriptor);

/* Gives the draft the file's name. On false, errno gives the reason, and the draft is gone as
 * well. */
bool output_draft_keep(output_draft *draft, const output_file *file);

/* Removes the draft. NULL is ignored. */
void output_draft_drop(output_draft *draft);

#endif
