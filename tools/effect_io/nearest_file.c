#include "nearest_file.h"

#include "disk.h"
#include "nearest_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY_BYTES 1024

/* The names of a directory's effect files, without ".json". Owner: find_near. */
typedef struct listing {
    char **names;
    size_t count, capacity;
    const char *without; /* a name that is not listed */
} listing;

static char *stem_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    const bool is_effect = dot != NULL && dot != name && strcmp(dot, ".json") == 0 &&
                           strlen(name) < RIO_FILE_HINT_BYTES / 2;
    const size_t length = is_effect ? (size_t)(dot - name) : 0;
    char *stem = is_effect ? malloc(length + 1) : NULL;
    if (stem != NULL)
        snprintf(stem, length + 1, "%s", name);
    return stem;
}

static bool has_room(listing *l)
{
    if (l->count < l->capacity)
        return true;
    const size_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
    char **grown = realloc(l->names, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    l->names = grown;
    l->capacity = capacity;
    return true;
}

/* Leaves out the missing file's own name: links that lead nowhere are listed, too. */
static void keep(void *user, const char *name)
{
    listing *l = user;
    char *stem = stem_of(name);
    if (stem == NULL)
        return;
    if (strcmp(stem, l->without) != 0 && has_room(l))
        l->names[l->count++] = stem;
    else
        free(stem);
}

/* An order that is the same in every locale. */
static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Compares file names with their ".json", which all of them have. */
static void find_near(const char *directory, const char *name, char hint[RIO_FILE_HINT_BYTES])
{
    char stem[RIO_FILE_HINT_BYTES];
    const char *dot = strrchr(name, '.');
    const int length =
        dot != NULL && strcmp(dot, ".json") == 0 ? (int)(dot - name) : (int)strlen(name);
    snprintf(stem, sizeof stem, "%.*s", length, name);
    listing l = {.without = stem};
    rio_disk_visit(directory, keep, &l);
    if (l.count > 0)
        qsort(l.names, l.count, sizeof *l.names, by_name);
    const char *near = rio_nearest_name(stem, (const char *const *)l.names, l.count);
    if (near != NULL)
        snprintf(hint, RIO_FILE_HINT_BYTES, ": did you mean \"%s.json\"?", near);
    for (size_t i = 0; i < l.count; ++i)
        free(l.names[i]);
    free(l.names);
}

const char *rio_nearest_file_hint(const char *path, char hint[RIO_FILE_HINT_BYTES])
{
    char directory[DIRECTORY_BYTES];
    hint[0] = '\0';
    if (path == NULL || (rio_disk_has(path) && rio_disk_spells(path)))
        return hint;
    const char *name = rio_disk_name(path);
    const size_t length = (size_t)(name - path);
    if (length + 1 > sizeof directory)
        return hint;
    snprintf(directory, sizeof directory, "%.*s", length > 0 ? (int)length : 1,
             length > 0 ? path : ".");
    find_near(directory, name, hint);
    return hint;
}
