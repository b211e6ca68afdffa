/* disk.h - what effect files need of the system's files (private to effect files).
 *
 * Paths are in UTF-8, on every system. disk.c is for POSIX, disk_windows.c for Windows. Reasons
 * are texts that stay: of the program, or of strerror.
 */
#ifndef RIO_DISK_H
#define RIO_DISK_H

#include "effect_links.h"

#include <stdbool.h>
#include <stdio.h>

/* The name of the file in a path, behind its directory. On Windows a directory ends with / or
 * with \, and a drive with a colon. */
const char *rio_disk_name(const char *path);

/* Opens a regular file for reading: a pipe may never begin, and a device may never end. Returns
 * NULL and the reason otherwise. */
FILE *rio_disk_open(const char *path, const char **why);

bool rio_disk_has(const char *path);

/* Returns false when the file is there, but its name has capital letters where the path has
 * small ones, or the other way round. Windows opens such a file; others do not. */
bool rio_disk_spells(const char *path);

/* Writes the file's present state to *out; all 0 when there is none. */
void rio_disk_stamp(const char *path, rio_file_stamp *out);

/* Whether a program on Windows has opened the file in such a way that no other can read it. */
bool rio_disk_is_busy(const char *path);

/* Writes a file, all of it or nothing: to a new file beside it, which then takes its place.
 * Links are followed. Only regular files are replaced, and they keep their mode (on Windows
 * whether they are hidden). Returns false and the reason otherwise. */
bool rio_disk_replace(const char *path, const char *text, const char **why);

/* Calls visit with the name of each file of the directory, in any order. */
void rio_disk_visit(const char *directory, void (*visit)(void *user, const char *name),
                    void *user);

#endif
