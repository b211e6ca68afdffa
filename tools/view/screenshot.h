/* screenshot.h - writes what OpenGL has drawn to a file. */
#ifndef RICOCHET_SCREENSHOT_H
#define RICOCHET_SCREENSHOT_H

#include "output.h"

/* Call before the window shows the picture. The file is complete or absent; on false, error is
 * one line. */
bool screenshot_write(int width, int height, const output_file *file, char *error,
                      size_t error_bytes);

#endif
