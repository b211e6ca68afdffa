#include "warm_start.h"

#include "say.h"

#include <errno.h>
#include <ricochet/world_cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct content {
    char *bytes;
    size_t count, capacity;
} content;

static bool reserve(content *c, size_t more)
{
    if (c->capacity - c->count >= more)
        return true;
    size_t capacity = 2 * (c->count + more);
    char *bytes = realloc(c->bytes, capacity);
    if (!bytes)
        return false;
    c->bytes = bytes;
    c->capacity = capacity;
    return true;
}

static bool take(void *user, const void *data, size_t bytes)
{
    content *c = user;
    if (!reserve(c, bytes))
        return false;
    memcpy(c->bytes + c->count, data, bytes);
    c->count += bytes;
    return true;
}

/* Uses the world's own message where there is one. */
static bool fail(const run_world *w, const char *what, rico_result result, char *error,
                 size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: %s", what, w->log[0] ? w->log : rico_result_text(result));
    return false;
}

bool warm_start_bake(run_world *w, const output_file *file, bool quiet, char *error,
                     size_t error_bytes)
{
    content c = {NULL, 0, 0};
    rico_bake_report report;
    w->log[0] = '\0';
    rico_result result = rico_world_bake(w->world, NULL, &report);
    if (result == RICO_OK)
        result = rico_world_save_cache(w->world, take, &c);
    bool written = result == RICO_OK ? output_write(file, c.bytes, c.count, error, error_bytes)
                                     : fail(w, "--bake", result, error, error_bytes);
    free(c.bytes);
    if (written && report.dropped > 0)
        say("ricochet: warning: --bake: %llu of %llu records do not fit into the cache "
            "(--cache-mib)",
            (unsigned long long)report.dropped, (unsigned long long)report.cells);
    if (written && !quiet)
        say("wrote %s: %llu cells", file->path, (unsigned long long)report.cells);
    return written;
}

#define MAGIC "RICOBAKE"
#define MAGIC_BYTES 8u

/* Reads up to `most` bytes. false: the file cannot be read, or memory ran out. */
static bool read_up_to(FILE *file, size_t most, content *c)
{
    for (size_t got = 1; got > 0 && c->count < most;) {
        size_t step = most - c->count < 65536 ? most - c->count : 65536;
        if (!reserve(c, step))
            return false;
        got = fread(c->bytes + c->count, 1, step, file);
        c->count += got;
    }
    return !ferror(file);
}

/* The length of the file, which is more than `read`; 0 for what has no length. */
static unsigned long long length_of(FILE *file, size_t read)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    return end > 0 && (unsigned long)end > read ? (unsigned long long)end : 0;
}

/* Refuses a file that cannot be a cache of this world before reading much of it: pipes and
 * devices may have no end. Shorter files go to the world, which reports what is wrong with them. */
static bool read_cache(const run_world *w, const char *path, FILE *file, content *c,
                       char *error, size_t error_bytes)
{
    /* A saved cache is never longer (world_cache.h). */
    size_t most = (size_t)w->cache_bytes + 64;
    bool read = read_up_to(file, MAGIC_BYTES, c);
    if (read && c->count == MAGIC_BYTES && memcmp(c->bytes, MAGIC, MAGIC_BYTES) != 0) {
        snprintf(error, error_bytes,
                 "--cache: %s: it is not a saved cache; expected a file that --bake wrote",
                 path);
        return false;
    }
    read = read && read_up_to(file, most + 1, c);
    if (!read) {
        snprintf(error, error_bytes, "--cache: %s: %s", path, strerror(errno));
        return false;
    }
    if (c->count <= most)
        return true;
    unsigned long long length = length_of(file, c->count);
    if (length > 0)
        snprintf(error, error_bytes, "--cache: %s: it has %llu bytes, expected at most %zu",
                 path, length, most);
    else
        snprintf(error, error_bytes,
                 "--cache: %s: it has more than %zu bytes, expected at most that many", path,
                 most);
    return false;
}

/* Uses the library's message without the name of its function. */
static bool refuse_cache(const run_world *w, const char *path, rico_result result, char *error,
                         size_t error_bytes)
{
    static const char call[] = "rico_world_load_cache: ";
    const char *text = w->log[0] ? w->log : rico_result_text(result);
    if (strncmp(text, call, strlen(call)) == 0)
        text += strlen(call);
    snprintf(error, error_bytes,
             "--cache: %s: %s; expected a file that --bake wrote for the same world", path,
             text);
    return false;
}

bool warm_start_load(run_world *w, const char *path, char *error, size_t error_bytes)
{
    content c = {NULL, 0, 0};
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(error, error_bytes, "--cache: %s: %s", path, strerror(errno));
        return false;
    }
    bool loaded = read_cache(w, path, file, &c, error, error_bytes);
    fclose(file);
    if (loaded) {
        w->log[0] = '\0';
        rico_result result = rico_world_load_cache(w->world, c.bytes, c.count);
        loaded = result == RICO_OK || refuse_cache(w, path, result, error, error_bytes);
    }
    free(c.bytes);
    return loaded;
}
