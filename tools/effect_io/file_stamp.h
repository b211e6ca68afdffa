/* file_stamp.h - whether a file has changed since it was read (private to effect files). */
#ifndef RIO_FILE_STAMP_H
#define RIO_FILE_STAMP_H

#include "effect_links.h"

/* Records the file's present state. Returns false when it is the recorded one. Record it before
 * reading the file, so that a write during the reading counts as a change. */
bool rio_file_has_changed(const char *path, rio_file_stamp *stamp);

#endif
