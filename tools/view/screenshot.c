#include "screenshot.h"

#include "picture.h"
#include <SDL_opengl.h>
#include <stdio.h>

/* OpenGL's rows begin at the bottom. */
static void read_rows(const rio_image *image)
{
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (uint32_t y = 0; y < image->height; ++y)
        glReadPixels(0, (GLint)(image->height - 1u - y), (GLsizei)image->width, 1, GL_RGB,
                     GL_UNSIGNED_BYTE, image->pixels + (size_t)3 * y * image->width);
}

bool screenshot_write(int width, int height, const output_file *file, char *error,
                      size_t error_bytes)
{
    rio_image image;
    rico_result result = rio_image_create((uint32_t)width, (uint32_t)height, &image);
    if (result != RICO_OK) {
        snprintf(error, error_bytes, "%s: %s", file->path, rico_result_text(result));
        return false;
    }
    read_rows(&image);
    bool written = picture_save(&image, file, error, error_bytes);
    rio_image_free(&image);
    return written;
}
