/* nearest_file.h - suggests a file beside one that is missing. */
#ifndef RIO_NEAREST_FILE_H
#define RIO_NEAREST_FILE_H

#define RIO_FILE_HINT_BYTES 128

/* Writes ": did you mean \"fire.json\"?" with an effect file of the path's directory. Writes ""
 * when no name is near or the path exists. path: NULL = none. Returns hint. */
const char *rio_nearest_file_hint(const char *path, char hint[RIO_FILE_HINT_BYTES]);

#endif
