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

static bool fail(char *error, size_t error_bytes, const char *path, const char *reason)
{
    snprintf(error, error_bytes, "%s: cannot be written: %s", path, reason);
    return false;
}

/* A new file beside path, for rename; its name goes to temporary. */
static int open_beside(const char *path, char *temporary, size_t temporary_bytes)
{
    int length = snprintf(temporary, temporary_bytes, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= temporary_bytes) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkstemp(temporary);
}

static bool probe_file(const char *path, char *error, size_t error_bytes)
{
    char temporary[OUTPUT_PATH_BYTES];
    int descriptor = open_beside(path, temporary, sizeof temporary);
    if (descriptor < 0)
        return fail(error, error_bytes, path, strerror(errno));
    close(descriptor);
    unlink(temporary);
    return true;
}

bool output_probe(const char *path, bool allow_stream, output_file *out, char *error,
                  size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    if (path[0] == '\0')
        return fail(error, error_bytes, "''", "expected the name of a file");
    if (strlen(path) + 16 > sizeof out->path)
        return fail(error, error_bytes, path, strerror(ENAMETOOLONG));
    strcpy(out->path, path);
    struct stat info;
    if (stat(path, &info) != 0) {
        if (path[strlen(path) - 1] == '/')
            return fail(error, error_bytes, path, "there is no such directory");
        return probe_file(path, error, error_bytes);
    }
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
    if (resolved && strlen(resolved) + 16 <= sizeof out->path)
        strcpy(out->path, resolved);
    free(resolved);
    return probe_file(out->path, error, error_bytes);
}

/* "DIRECTORY/NAME", the directory without links. */
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

static bool write_all(int descriptor, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(descriptor, text, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool write_stream(const output_file *file, const char *text, size_t bytes, char *error,
                         size_t error_bytes)
{
    int descriptor = open(file->path, O_WRONLY);
    if (descriptor < 0)
        return fail(error, error_bytes, file->path, strerror(errno));
    bool written = write_all(descriptor, text, bytes);
    int reason = errno;
    if (close(descriptor) != 0 && written) {
        reason = errno;
        written = false;
    }
    return written || fail(error, error_bytes, file->path, strerror(reason));
}

bool output_write(const output_file *file, const char *text, size_t bytes, char *error,
                  size_t error_bytes)
{
    if (file->stream)
        return write_stream(file, text, bytes, error, error_bytes);
    char temporary[OUTPUT_PATH_BYTES];
    int descriptor = open_beside(file->path, temporary, sizeof temporary);
    if (descriptor < 0)
        return fail(error, error_bytes, file->path, strerror(errno));
    /* mkstemp gives 0600; a report is as readable as any file the user makes. */
    mode_t mask = umask(0);
    umask(mask);
    bool written = write_all(descriptor, text, bytes) &&
                   fchmod(descriptor, 0666 & ~mask) == 0 && fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && written) {
        reason = errno;
        written = false;
    }
    if (written && rename(temporary, file->path) == 0)
        return true;
    if (written)
        reason = errno;
    unlink(temporary);
    return fail(error, error_bytes, file->path, strerror(reason));
}
