/* screenshot.h - what OpenGL has drawn, in a file. */
#ifndef RICOCHET_SCREENSHOT_H
#define RICOCHET_SCREENSHOT_H

#include "output.h"

/* Before the window shows it. All of the file or nothing; on false, error is one line. */
bool screenshot_write(int width, int height, const output_file *file, char *error,
                      size_t error_bytes);

#endif
