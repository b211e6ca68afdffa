/* nearest_file.h - the file beside one that is missing which may be meant. */
#ifndef RIO_NEAREST_FILE_H
#define RIO_NEAREST_FILE_H

#define RIO_FILE_HINT_BYTES 128

/* ": did you mean \"fire.json\"?", of the effect files in the path's directory, or "": none is near, or the path is
 * there. path: NULL = none. Returns hint. */
const char *rio_nearest_file_hint(const char *path, char hint[RIO_FILE_HINT_BYTES]);

#endif
