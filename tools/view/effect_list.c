#include "effect_list.h"

#include "effect_path.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add(effect_list *list, const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path == NULL)
        return;
    snprintf(path, bytes, "%s/%s", directory, name);
    list->paths[list->count++] = path;
}

void effect_list_read(effect_list *out)
{
    char directory[4096];
    memset(out, 0, sizeof *out);
    rio_effect_path("sparks", directory, sizeof directory);
    char *slash = strrchr(directory, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return;
    for (struct dirent *e = readdir(entries); e && out->count < EFFECT_LIST_MAX;
         e = readdir(entries))
        if (rio_effect_is_file(e->d_name))
            add(out, directory, e->d_name);
    closedir(entries);
    qsort(out->paths, out->count, sizeof *out->paths, by_name);
}

void effect_list_free(effect_list *list)
{
    for (uint32_t i = 0; i < list->count; ++i)
        free(list->paths[i]);
    memset(list, 0, sizeof *list);
}
