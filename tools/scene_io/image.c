/* image.c - libpng encodes into memory, so that all files are written in one way. */
#include "image.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct png_bytes {
    char *data;
    size_t count, capacity;
} png_bytes;

static void keep(png_structp png, png_bytep data, size_t count)
{
    png_bytes *out = png_get_io_ptr(png);
    if (out->capacity - out->count < count) {
        size_t capacity = 2 * (out->count + count);
        char *grown = realloc(out->data, capacity);
        if (grown == NULL)
            png_error(png, "out of memory");
        out->data = grown;
        out->capacity = capacity;
    }
    memcpy(out->data + out->count, data, count);
    out->count += count;
}

static void flush(png_structp png)
{
    (void)png;
}

/* All variables needed after longjmp are in this frame and do not change after setjmp. */
static bool encode(const rio_image *image, png_bytes *out)
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
    png_set_write_fn(png, out, keep, flush);
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

void *rio_image_png(const rio_image *image, size_t *bytes)
{
    png_bytes out = {NULL, 0, 0};
    if (!encode(image, &out)) {
        free(out.data);
        return NULL;
    }
    *bytes = out.count;
    return out.data;
}
