/* Saves effects: the text goes to a new file beside the old one, which then takes its place. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "effect_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define MOST_ATTEMPTS 1000u

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
static bool replace(const target *to, const char *text)
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

static void keep(void *user, rico_log_level level, const char *message)
{
    (void)level;
    snprintf(user, RIO_EFFECT_ERROR_BYTES, "%s", message);
}

/* Keeps the parts of an existing effect file that are for editors and hosts. From malloc. */
static char *renew_text(const char *path, const rico_recipe *recipe, const char *comment,
                        const rico_log *log)
{
    rio_effect old;
    rio_effect_load(path, &old, NULL, 0); /* loads nothing when it is no effect */
    char *content = rio_content_text(&(rio_content){.recipe = recipe,
                                                    .with = old.with,
                                                    .with_count = old.with_count,
                                                    .comment = comment,
                                                    .schema = old.schema,
                                                    .host = old.host},
                                     log);
    rio_effect_free(&old);
    return content;
}

static rico_result write_content(const char *path, const char *content, char *error,
                                 size_t error_bytes)
{
    const char *why;
    target to;
    bool found = find_target(path, &to, &why);
    bool written = found && replace(&to, content);
    if (!written)
        snprintf(error, error_bytes, "%s: cannot be written: %s", path,
                 found ? strerror(errno) : why);
    return written ? RICO_OK : RICO_NOT_WRITTEN;
}

rico_result rio_effect_save(const char *path, const rico_recipe *recipe, const char *comment,
                            char *error, size_t error_bytes)
{
    char message[RIO_EFFECT_ERROR_BYTES] = "out of memory";
    const rico_log log = {keep, message};
    error_bytes = error != NULL ? error_bytes : 0;
    if (path == NULL) {
        snprintf(error, error_bytes, "no path, expected the path of an effect file");
        return RICO_NOT_WRITTEN;
    }
    char *content = renew_text(path, recipe, comment, &log);
    if (content == NULL) {
        snprintf(error, error_bytes, "%s: %s", path, message);
        return RICO_BAD_FILE;
    }
    rico_result result = write_content(path, content, error, error_bytes);
    free(content);
    return result;
}
