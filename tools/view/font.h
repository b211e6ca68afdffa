/* font.h - letters of 5 x 7 dots: capitals, digits, and what else ASCII has. */
#ifndef RICOCHET_FONT_H
#define RICOCHET_FONT_H

#include <stdint.h>

#define FONT_WIDTH 5
#define FONT_HEIGHT 7

/* Rows from the top; bit 4 is the leftmost dot. Small letters are capitals; what is not there is a
 * box. */
const uint8_t *font_letter(char c);

#endif
