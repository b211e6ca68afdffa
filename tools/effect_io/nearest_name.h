/* nearest_name.h - suggests a name for one that does not exist. */
#ifndef RIO_NEAREST_NAME_H
#define RIO_NEAREST_NAME_H

#include <stddef.h>

/* Returns the name that differs least, or NULL when none is near enough. Near: at most a third
 * of the longer name's letters differ, or one letter; capitals do not count. If no name is near,
 * a name of four letters and more is returned that contains the given one or is contained in it. */
const char *rio_nearest_name(const char *name, const char *const *names, size_t count);

#define RIO_LISTED_NAMES 10u
#define RIO_LIST_BYTES 200

/* Writes "one of disc, ring". Above RIO_LISTED_NAMES names, or without room for them, writes
 * "one of 12 names". Returns text. */
const char *rio_list_names(const char *const *names, size_t count, char *text, size_t bytes);

#endif
