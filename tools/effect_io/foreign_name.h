/* foreign_name.h - the names here for what other engines have by other names. */
#ifndef RIO_FOREIGN_NAME_H
#define RIO_FOREIGN_NAME_H

#include <stddef.h>

/* Returns the one of `names` (fields, or values of one) that means what `name` means elsewhere, for
 * example "restitution" for "bounciness"; NULL: none is known. Capitals and underscores do not
 * count. */
const char *rio_foreign_name(const char *name, const char *const *names, size_t count);

#endif
