/* image.h - an RGB picture of 8 bits per channel, and PNG files. */
#ifndef RIO_IMAGE_H
#define RIO_IMAGE_H

#include <ricochet/result.h>
#include <stddef.h>
#include <stdint.h>

#define RIO_IMAGE_MAX_SIDE 16384u

/* Rows from the top, 3 bytes (r g b, sRGB) per pixel, no padding. */
typedef struct rio_image {
    uint32_t width, height;
    uint8_t *pixels;
} rio_image;

/* Black. Errors: RICO_OUT_OF_RANGE (a side is 0 or over RIO_IMAGE_MAX_SIDE),
 * RICO_OUT_OF_MEMORY; *out is then zeroed. */
rico_result rio_image_create(uint32_t width, uint32_t height, rio_image *out);
void rio_image_free(rio_image *image); /* zeroes the struct */

/* The picture as the bytes of a PNG file, from malloc. NULL: there is no memory. */
void *rio_image_png(const rio_image *image, size_t *bytes);

#endif
