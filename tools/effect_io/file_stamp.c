#include "file_stamp.h"

#include "disk.h"

#include <string.h>

/* A file that cannot be read for now has a state of its own. It is read again when it can be,
 * even if it then has the times of the last write. */
bool rio_file_has_changed(const char *path, rio_file_stamp *stamp)
{
    const rio_file_stamp old = *stamp, busy = {.bytes = -1};
    memset(stamp, 0, sizeof *stamp);
    if (path != NULL)
        rio_disk_stamp(path, stamp);
    if (path != NULL && memcmp(&old, stamp, sizeof old) != 0 && rio_disk_is_busy(path))
        *stamp = busy;
    return memcmp(&old, stamp, sizeof old) != 0;
}
