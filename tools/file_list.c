#include "file_list.h"

#include "output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve_one(file_list *list)
{
    if (list->count < list->capacity)
        return true;
    size_t capacity = 2 * list->capacity + 16;
    file_list_item *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

void file_list_add(file_list *list, const char *what, const char *path)
{
    if (path == NULL)
        return;
    char *copy = malloc(strlen(path) + 1);
    if (copy == NULL || !reserve_one(list)) {
        free(copy);
        list->cut = true;
        return;
    }
    strcpy(copy, path);
    list->items[list->count++] = (file_list_item){what, copy};
}

void file_list_free(file_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].path);
    free(list->items);
    memset(list, 0, sizeof *list);
}

bool file_list_has(const file_list *list, const char *path)
{
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->items[i].path, path) == 0)
            return true;
    return false;
}

bool file_list_is_apart(const file_list *list, const char *what, const char *path, char *error,
                        size_t error_bytes)
{
    for (size_t i = 0; i < list->count; ++i)
        if (output_is_same(list->items[i].path, path)) {
            snprintf(error, error_bytes, "%s and %s are the same file: %s", what,
                     list->items[i].what, path);
            return false;
        }
    snprintf(error, error_bytes, "out of memory for the names of files");
    return !list->cut;
}
