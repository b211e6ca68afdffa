#include "warm_start.h"

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

/* The world's own words where it has any. */
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
        fprintf(stderr, "ricochet: warning: --bake: %llu of %llu records do not fit\n",
                (unsigned long long)report.dropped, (unsigned long long)report.cells);
    if (written && !quiet)
        fprintf(stderr, "wrote %s: %llu cells\n", file->path, (unsigned long long)report.cells);
    return written;
}

static bool read_all(const char *path, content *c)
{
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL;
    for (size_t got = 1; ok && got > 0;) {
        ok = reserve(c, 65536);
        got = ok ? fread(c->bytes + c->count, 1, c->capacity - c->count, file) : 0;
        c->count += got;
    }
    ok = ok && !ferror(file);
    if (file)
        fclose(file);
    return ok;
}

bool warm_start_load(run_world *w, const char *path, char *error, size_t error_bytes)
{
    content c = {NULL, 0, 0};
    bool loaded = false;
    errno = 0;
    if (!read_all(path, &c)) {
        snprintf(error, error_bytes, "--cache: %s: %s", path, strerror(errno));
    } else {
        w->log[0] = '\0';
        rico_result result = rico_world_load_cache(w->world, c.bytes, c.count);
        loaded = result == RICO_OK || fail(w, path, result, error, error_bytes);
    }
    free(c.bytes);
    return loaded;
}
