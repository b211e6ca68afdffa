/* nearest_name.h - what somebody who wrote a name that is none may have meant. */
#ifndef RIO_NEAREST_NAME_H
#define RIO_NEAREST_NAME_H

#include <stddef.h>

/* Of the names, the one that differs least: by a third of the longer one's letters, or by one, small and capital ones being
 * the same; else one that is in it, or that it is in, of four letters and more; NULL = none is so near. */
const char *rio_nearest_name(const char *name, const char *const *names, size_t count);

#define RIO_LISTED_NAMES 10u
#define RIO_LIST_BYTES 200

/* "one of disc, ring"; of more than RIO_LISTED_NAMES, or than there is room for, "one of 12 names". Returns text. */
const char *rio_list_names(const char *const *names, size_t count, char *text, size_t bytes);

#endif
