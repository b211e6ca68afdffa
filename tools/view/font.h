/* font.h - letters of 5 x 7 dots: capitals, digits, and ASCII's other characters. */
#ifndef RICOCHET_FONT_H
#define RICOCHET_FONT_H

#include <stdint.h>

#define FONT_WIDTH 5
#define FONT_HEIGHT 7

/* Rows from the top; bit 4 is the leftmost dot. Small letters are shown as capitals, missing
 * ones as a box. */
const uint8_t *font_letter(char c);

#endif
