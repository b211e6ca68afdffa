/* image.c - libpng writes to a temporary file; rename makes it the real one. */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rico_result rio_image_create(uint32_t width, uint32_t height, rio_image *out)
{
    memset(out, 0, sizeof *out);
    if (width == 0 || height == 0 || width > RIO_IMAGE_MAX_SIDE || height > RIO_IMAGE_MAX_SIDE)
        return RICO_OUT_OF_RANGE;
    out->pixels = calloc((size_t)width * height, 3);
    if (out->pixels == NULL)
        return RICO_OUT_OF_MEMORY;
    out->width = width;
    out->height = height;
    return RICO_OK;
}

void rio_image_free(rio_image *image)
{
    free(image->pixels);
    memset(image, 0, sizeof *image);
}

static void on_png_error(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(png_jmpbuf(png), 1);
}

static void on_png_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* Everything longjmp may return to lives in this frame and does not change after setjmp. */
static bool encode(const rio_image *image, FILE *file)
{
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_png_error, on_png_warning);
    if (png == NULL)
        return false;
    png_infop info = png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + (size_t)y * image->width * 3);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

static rico_result not_written(const char *path, int reason, char *error, size_t bytes)
{
    if (error != NULL && bytes > 0)
        snprintf(error, bytes, "%s: could not be written: %s", path,
                 reason != 0 ? strerror(reason) : "libpng failed");
    return RICO_NOT_WRITTEN;
}

/* mkstemp makes files for the owner only; a picture gets what any new file would. The umask can
 * only be read by setting it. */
static mode_t new_file_mode(void)
{
    mode_t mask = umask(022);
    umask(mask);
    return 0666 & ~mask;
}

/* Encoded, complete, and handed to the device; errno says why not. */
static bool write_and_close(const rio_image *image, FILE *file, bool sync)
{
    errno = 0;
    bool good =
        encode(image, file) && fflush(file) == 0 &&
        (!sync || (fsync(fileno(file)) == 0 && fchmod(fileno(file), new_file_mode()) == 0));
    int reason = errno;
    if (fclose(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    errno = reason;
    return good;
}

/* Devices and pipes: there is nothing to keep whole, and renaming would replace the device. */
static bool write_through(const rio_image *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    return file != NULL && write_and_close(image, file, false);
}

static bool write_beside(const rio_image *image, const char *path, char *temporary)
{
    errno = 0;
    int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return false;
    FILE *file = fdopen(descriptor, "wb");
    bool good =
        file != NULL && write_and_close(image, file, true) && rename(temporary, path) == 0;
    int reason = errno;
    if (file == NULL)
        close(descriptor);
    if (!good)
        unlink(temporary);
    errno = reason;
    return good;
}

rico_result rio_image_write_png(const rio_image *image, const char *path, char *error,
                                size_t error_bytes)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return not_written(path, EISDIR, error, error_bytes);
    if (exists && !S_ISREG(info.st_mode))
        return write_through(image, path) ? RICO_OK
                                          : not_written(path, errno, error, error_bytes);
    size_t length = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(length);
    if (temporary == NULL)
        return not_written(path, ENOMEM, error, error_bytes);
    snprintf(temporary, length, "%s.XXXXXX", path);
    bool good = write_beside(image, path, temporary);
    int reason = errno;
    free(temporary);
    return good ? RICO_OK : not_written(path, reason, error, error_bytes);
}
