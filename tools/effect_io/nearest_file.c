#include "nearest_file.h"

#include "nearest_name.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY_BYTES 1024

static int is_effect(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && dot != entry->d_name && strcmp(dot, ".json") == 0 &&
           strlen(entry->d_name) < RIO_FILE_HINT_BYTES / 2;
}

/* An order that is the same in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Compares file names with their ".json", which all of them have. */
static void find_near(const char *directory, const char *name, char hint[RIO_FILE_HINT_BYTES])
{
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, is_effect, by_name);
    const char **names = calloc(count > 0 ? (size_t)count : 1u, sizeof *names);
    char stem[RIO_FILE_HINT_BYTES];
    const char *dot = strrchr(name, '.');
    const int length =
        dot != NULL && strcmp(dot, ".json") == 0 ? (int)(dot - name) : (int)strlen(name);
    snprintf(stem, sizeof stem, "%.*s", length, name);
    size_t named = 0;
    for (int i = 0; names != NULL && i < count; ++i) {
        *strrchr(entries[i]->d_name, '.') = '\0';
        if (strcmp(entries[i]->d_name, stem) != 0) /* links that lead nowhere are listed, too */
            names[named++] = entries[i]->d_name;
    }
    const char *near = rio_nearest_name(stem, names, named);
    if (near != NULL)
        snprintf(hint, RIO_FILE_HINT_BYTES, ": did you mean \"%s.json\"?", near);
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
    free(names);
}

const char *rio_nearest_file_hint(const char *path, char hint[RIO_FILE_HINT_BYTES])
{
    char directory[DIRECTORY_BYTES];
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    hint[0] = '\0';
    if (path == NULL || access(path, F_OK) == 0)
        return hint;
    if (slash != NULL && (size_t)(slash - path) + 2 > sizeof directory)
        return hint;
    snprintf(directory, sizeof directory, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
             slash != NULL ? path : ".");
    find_near(directory, slash != NULL ? slash + 1 : path, hint);
    return hint;
}
