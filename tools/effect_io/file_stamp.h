/* file_stamp.h - whether a file has changed since it was read (private to effect files). */
#ifndef RIO_FILE_STAMP_H
#define RIO_FILE_STAMP_H

#include "effect_links.h"

/* Notes what the file is now; false when that is what it was. Take it before the file is read: what is written
 * meanwhile is a change, too. */
bool rio_file_has_changed(const char *path, rio_file_stamp *stamp);

#endif
