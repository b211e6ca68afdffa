/* file_list.h - the files of one command. No file may be written twice, or both written and
 * read. */
#ifndef RICOCHET_FILE_LIST_H
#define RICOCHET_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_list_item {
    const char *what; /* the user's name for the file: "--world" */
    char *path;
} file_list_item;

/* Owner: the caller; zero to begin with, file_list_free. */
typedef struct file_list {
    file_list_item *items;
    size_t count, capacity;
    bool cut; /* memory for some entries was missing */
} file_list;

/* what must outlive the list; path is copied. NULL is ignored. */
void file_list_add(file_list *list, const char *what, const char *path);
void file_list_free(file_list *list);

/* Whether a file of this name was added. */
bool file_list_has(const file_list *list, const char *path);

/* Whether path, which the user knows as `what`, is not a file of the list. On false, error is
 * one line that names both, or says that the list is cut. */
bool file_list_is_apart(const file_list *list, const char *what, const char *path, char *error,
                        size_t error_bytes);

#endif
