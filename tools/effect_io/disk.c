#define _XOPEN_SOURCE 700 /* realpath */

#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define MOST_ATTEMPTS 1000u

const char *rio_disk_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

FILE *rio_disk_open(const char *path, const char **why)
{
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = NULL;
    bool known = descriptor >= 0 && fstat(descriptor, &info) == 0;
    if (known && S_ISREG(info.st_mode))
        file = fdopen(descriptor, "rb");
    *why = strerror(errno);
    if (known && !S_ISREG(info.st_mode))
        *why = S_ISDIR(info.st_mode) ? "a directory" : "not a regular file";
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

bool rio_disk_has(const char *path)
{
    return access(path, F_OK) == 0;
}

bool rio_disk_spells(const char *path)
{
    (void)path;
    return true;
}

void rio_disk_stamp(const char *path, rio_file_stamp *out)
{
    struct stat info;
    memset(out, 0, sizeof *out);
    if (stat(path, &info) == 0)
        *out = (rio_file_stamp){.seconds = (int64_t)info.st_mtim.tv_sec,
                                .nanoseconds = (int64_t)info.st_mtim.tv_nsec,
                                .status_seconds = (int64_t)info.st_ctim.tv_sec,
                                .status_nanoseconds = (int64_t)info.st_ctim.tv_nsec,
                                .bytes = (int64_t)info.st_size,
                                .inode = (int64_t)info.st_ino};
}

bool rio_disk_is_busy(const char *path)
{
    (void)path;
    return false;
}

void rio_disk_visit(const char *directory, void (*visit)(void *user, const char *name),
                    void *user)
{
    DIR *open = opendir(directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        visit(user, entry->d_name);
    if (open != NULL)
        closedir(open);
}

/* --- Replacing ---------------------------------------------------------------------------- */

/* The file that is replaced or created. */
typedef struct target {
    char path[PATH_BYTES]; /* links resolved */
    bool is_there;
    mode_t mode; /* mode of the existing file */
} target;

static bool keep_path(const char *path, target *out, const char **why)
{
    size_t length = strlen(path);
    *why = strerror(ENAMETOOLONG);
    if (length >= sizeof out->path)
        return false;
    memcpy(out->path, path, length + 1);
    return true;
}

/* Only regular files are replaced. A device would be lost; a link that leads nowhere would
 * become a file under two names. */
static bool find_target(const char *path, target *out, const char **why)
{
    struct stat info;
    out->is_there = stat(path, &info) == 0;
    if (!out->is_there) {
        *why = "it is a link to a file that does not exist";
        return lstat(path, &info) != 0 && keep_path(path, out, why);
    }
    *why = S_ISDIR(info.st_mode) ? "it is a directory, expected a file"
                                 : "it is not a regular file";
    if (!S_ISREG(info.st_mode))
        return false;
    char *resolved = access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;
    *why = strerror(errno);
    bool found = resolved != NULL && keep_path(resolved, out, why);
    free(resolved);
    out->mode = info.st_mode & 0777;
    return found;
}

/* Creates a file beside the target. mkstemp makes files for the owner alone, and asking for the
 * umask sets it in all threads. So the system applies the umask. */
static int open_beside(const char *path, char *name, size_t name_bytes)
{
    int descriptor = -1;
    errno = EEXIST;
    for (unsigned n = 0; n < MOST_ATTEMPTS && descriptor < 0 && errno == EEXIST; ++n) {
        int length = snprintf(name, name_bytes, "%s.%ld-%u.tmp", path, (long)getpid(), n);
        if (length < 0 || (size_t)length >= name_bytes) {
            errno = ENAMETOOLONG;
            return -1;
        }
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return descriptor;
}

static bool write_all(int descriptor, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(descriptor, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        left -= (size_t)written;
    }
    return true;
}

/* On false, errno gives the reason. */
static bool put(const target *to, const char *text)
{
    char beside[PATH_BYTES + 64];
    int descriptor = open_beside(to->path, beside, sizeof beside);
    if (descriptor < 0)
        return false;
    bool written = write_all(descriptor, text) &&
                   (!to->is_there || fchmod(descriptor, to->mode) == 0) &&
                   fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && written) {
        reason = errno;
        written = false;
    }
    if (written && rename(beside, to->path) == 0)
        return true;
    reason = written ? errno : reason;
    unlink(beside);
    errno = reason;
    return false;
}

bool rio_disk_replace(const char *path, const char *text, const char **why)
{
    target to;
    if (!find_target(path, &to, why))
        return false;
    bool written = put(&to, text);
    *why = strerror(errno);
    return written;
}
