/* nearest_name.h - what somebody who wrote a name that is none may have meant. */
#ifndef RIO_NEAREST_NAME_H
#define RIO_NEAREST_NAME_H

#include <stddef.h>

/* Of the names, the one that differs least; NULL = there are none. */
const char *rio_nearest_name(const char *name, const char *const *names, size_t count);

#endif
