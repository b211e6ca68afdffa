#include "file_stamp.h"

#include <string.h>
#include <sys/stat.h>

bool rio_file_has_changed(const char *path, rio_file_stamp *stamp)
{
    const rio_file_stamp old = *stamp;
    struct stat info;
    memset(stamp, 0, sizeof *stamp);
    if (path != NULL && stat(path, &info) == 0)
        *stamp = (rio_file_stamp){.seconds = (int64_t)info.st_mtim.tv_sec,
                                  .nanoseconds = (int64_t)info.st_mtim.tv_nsec,
                                  .status_seconds = (int64_t)info.st_ctim.tv_sec,
                                  .status_nanoseconds = (int64_t)info.st_ctim.tv_nsec,
                                  .bytes = (int64_t)info.st_size,
                                  .inode = (int64_t)info.st_ino};
    return memcmp(&old, stamp, sizeof old) != 0;
}
