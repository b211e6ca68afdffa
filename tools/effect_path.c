#include "effect_path.h"

#include "nearest_name.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RIO_EFFECTS_SOURCE
#define RIO_EFFECTS_SOURCE "examples/effects"
#endif
#ifndef RIO_EFFECTS_INSTALLED
#define RIO_EFFECTS_INSTALLED "/usr/local/share/ricochet/effects"
#endif

/* PREFIX/bin/ricochet finds its effects in PREFIX/share, so that an installed tree can be moved.
 * On systems without /proc, the later places have to do. */
static bool beside_program(char *place, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", place, bytes - 1);
    if (length <= 0)
        return false;
    place[length] = '\0';
    for (int up = 0; up < 2; ++up) {
        char *slash = strrchr(place, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    size_t used = strlen(place);
    return (size_t)snprintf(place + used, bytes - used, "/share/ricochet/effects") <
           bytes - used;
}

/* The places where effects are searched, in this order. */
typedef struct places {
    char program[4096];
    const char *items[3];
    size_t count;
} places;

static void find_places(places *out)
{
    const char *chosen = getenv("RICO_EFFECTS");
    out->count = 0;
    if (chosen != NULL && chosen[0] != '\0') {
        out->items[out->count++] = chosen;
        return;
    }
    if (beside_program(out->program, sizeof out->program))
        out->items[out->count++] = out->program;
    out->items[out->count++] = RIO_EFFECTS_SOURCE;
    out->items[out->count++] = RIO_EFFECTS_INSTALLED;
}

/* The first place that has the file, else the first that exists, else the first. */
static const char *choose_place(const places *all, const char *name, char *path, size_t bytes)
{
    for (size_t i = 0; i < all->count; ++i) {
        snprintf(path, bytes, "%s/%s.json", all->items[i], name);
        if (access(path, F_OK) == 0)
            return all->items[i];
    }
    for (size_t i = 0; i < all->count; ++i)
        if (access(all->items[i], X_OK) == 0)
            return all->items[i];
    return all->items[0];
}

const char *rio_effect_path(const char *name, char *path, size_t path_bytes)
{
    places all;
    find_places(&all);
    const char *place = choose_place(&all, name, path, path_bytes);
    snprintf(path, path_bytes, "%s/%s.json", place, name);
    return path;
}

bool rio_effect_is_file(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot != NULL && dot != name && strcmp(dot, ".json") == 0;
}

static int is_effect(const struct dirent *entry)
{
    return rio_effect_is_file(entry->d_name);
}

/* Writes "no effect 'smoek' in PLACE; there are: ...; did you mean 'smoke'?". The question is
 * added when a name is near. */
static void list_effects(const char *name, const char *place, char *error, size_t error_bytes)
{
    struct dirent **entries = NULL;
    int count = scandir(place, &entries, is_effect, alphasort);
    const char **names = calloc(count > 0 ? (size_t)count : 1u, sizeof *names);
    size_t named = 0;
    int length = snprintf(error, error_bytes, "no effect '%.80s' in %.300s", name, place);
    size_t used = length > 0 ? (size_t)length : 0;
    for (int i = 0; i < count; ++i) {
        *strchr(entries[i]->d_name, '.') = '\0';
        if (names != NULL)
            names[named++] = entries[i]->d_name;
        if (used < error_bytes)
            used += (size_t)snprintf(error + used, error_bytes - used, "%s %s",
                                     i == 0 ? "; there are:" : ",", entries[i]->d_name);
    }
    const char *nearest = rio_nearest_name(name, names, named);
    if (used < error_bytes && nearest != NULL)
        snprintf(error + used, error_bytes - used, "; did you mean '%s'?", nearest);
    else if (used < error_bytes && named == 0)
        snprintf(error + used, error_bytes - used, "; there are none");
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
    free(names);
}

bool rio_effect_find(const char *name, char *path, size_t path_bytes, char *error,
                     size_t error_bytes)
{
    places all;
    if (strchr(name, '/') != NULL || strchr(name, '.') != NULL) {
        snprintf(path, path_bytes, "%s", name);
        return true;
    }
    find_places(&all);
    const char *place = choose_place(&all, name, path, path_bytes);
    snprintf(path, path_bytes, "%s/%s.json", place, name);
    if (access(path, F_OK) == 0)
        return true;
    list_effects(name, place, error, error_bytes);
    const size_t used = strlen(error);
    snprintf(path, path_bytes, "%s.json", name);
    if (used < error_bytes && access(path, F_OK) == 0)
        snprintf(error + used, error_bytes - used,
                 "; for the file in this directory, write '%s.json'", name);
    return false;
}
