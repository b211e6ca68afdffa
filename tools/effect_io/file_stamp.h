/* file_stamp.h - whether a file has changed since it was read, and what follows for those that others name. */
#ifndef RIO_FILE_STAMP_H
#define RIO_FILE_STAMP_H

#include "effect_source.h"

/* Notes what the file is now; false when that is what it was. Take it before the file is read: what is written
 * meanwhile is a change, too. */
bool rio_file_has_changed(const char *path, rio_file_stamp *stamp);

/* Files of the list that have changed become their recipes, in the world. path: of the file whose sub-emitters named
 * the first of them. */
rio_source_news rio_links_follow(rico_world *world, const char *path, rio_links *links,
                                 char *error, size_t error_bytes);

#endif
