#define _XOPEN_SOURCE 700 /* realpath */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT_BYTES 40u /* a draft's name is this much longer than the file's */

static bool fail(char *error, size_t error_bytes, const char *path, const char *reason)
{
    snprintf(error, error_bytes, "%s: cannot be written: %s", path, reason);
    return false;
}

static bool probe_file(const output_file *file, char *error, size_t error_bytes)
{
    int descriptor;
    output_draft *draft = output_draft_open(file, &descriptor);
    if (draft == NULL)
        return fail(error, error_bytes, file->path, strerror(errno));
    close(descriptor);
    output_draft_drop(draft);
    return true;
}

/* Checks a path that does not exist. A link that leads nowhere is refused: it would become a
 * file under two names. */
static bool probe_new(const output_file *file, char *error, size_t error_bytes)
{
    struct stat info;
    const char *path = file->path;
    if (path[strlen(path) - 1] == '/')
        return fail(error, error_bytes, path, "there is no such directory");
    if (lstat(path, &info) == 0)
        return fail(error, error_bytes, path, "it is a link to a file that does not exist");
    return probe_file(file, error, error_bytes);
}

bool output_probe(const char *path, bool allow_stream, output_file *out, char *error,
                  size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    if (path[0] == '\0')
        return fail(error, error_bytes, "''", "expected the name of a file");
    if (strlen(path) + DRAFT_BYTES > sizeof out->path)
        return fail(error, error_bytes, path, strerror(ENAMETOOLONG));
    strcpy(out->path, path);
    struct stat info;
    if (stat(path, &info) != 0)
        return probe_new(out, error, error_bytes);
    if (S_ISDIR(info.st_mode))
        return fail(error, error_bytes, path, "it is a directory, expected a file");
    if (!S_ISREG(info.st_mode)) {
        out->stream = true;
        if (!allow_stream)
            return fail(error, error_bytes, path, "it is not a regular file");
        return access(path, W_OK) == 0 || fail(error, error_bytes, path, strerror(errno));
    }
    if (access(path, W_OK) != 0)
        return fail(error, error_bytes, path, strerror(errno));
    char *resolved = realpath(path, NULL);
    if (resolved && strlen(resolved) + DRAFT_BYTES <= sizeof out->path)
        strcpy(out->path, resolved);
    free(resolved);
    return probe_file(out, error, error_bytes);
}

/* Writes "DIRECTORY/NAME" with the links in the directory resolved. */
static bool resolve(const char *path, char resolved[OUTPUT_PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    char directory[OUTPUT_PATH_BYTES] = ".";
    if (slash != NULL)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path) + 1, path);
    char *real = realpath(directory, NULL);
    int length = snprintf(resolved, OUTPUT_PATH_BYTES, "%s/%s", real != NULL ? real : "",
                          slash != NULL ? slash + 1 : path);
    bool found = real != NULL && length < OUTPUT_PATH_BYTES;
    free(real);
    return found;
}

bool output_is_same(const char *a, const char *b)
{
    char real_a[OUTPUT_PATH_BYTES], real_b[OUTPUT_PATH_BYTES];
    struct stat info_a, info_b;
    if (strcmp(a, b) == 0)
        return true;
    if (stat(a, &info_a) == 0 && stat(b, &info_b) == 0 && S_ISREG(info_a.st_mode))
        return info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
    return resolve(a, real_a) && resolve(b, real_b) && strcmp(real_a, real_b) == 0;
}

/* On false, errno gives the reason. */
static bool write_all(int descriptor, const void *bytes, size_t count)
{
    for (const char *at = bytes; count > 0;) {
        ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

/* Closes the descriptor in any case. On false, errno gives the reason. */
static bool fill(int descriptor, const void *bytes, size_t count, bool sync)
{
    bool written = write_all(descriptor, bytes, count) && (!sync || fsync(descriptor) == 0);
    int reason = errno;
    if (close(descriptor) != 0 && written)
        return false;
    errno = reason;
    return written;
}

static bool replace(const output_file *file, const void *bytes, size_t count)
{
    int descriptor;
    output_draft *draft = output_draft_open(file, &descriptor);
    if (draft == NULL)
        return false;
    if (fill(descriptor, bytes, count, true))
        return output_draft_keep(draft, file);
    int reason = errno;
    output_draft_drop(draft);
    errno = reason;
    return false;
}

static bool write_stream(const output_file *file, const void *bytes, size_t count)
{
    int descriptor = open(file->path, O_WRONLY);
    return descriptor >= 0 && fill(descriptor, bytes, count, false);
}

bool output_write(const output_file *file, const void *bytes, size_t count, char *error,
                  size_t error_bytes)
{
    bool written =
        file->stream ? write_stream(file, bytes, count) : replace(file, bytes, count);
    return written || fail(error, error_bytes, file->path, strerror(errno));
}
