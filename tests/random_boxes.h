/* random_boxes.h - random boxes for tests of box queries. */
#ifndef RICO_RANDOM_BOXES_H
#define RICO_RANDOM_BOXES_H

#include "random.h"
#include "vec.h"

static inline float draw(uint32_t *serial, float lo, float hi)
{
    return rico__random_range(29, (*serial)++, 0, lo, hi);
}

/* A box from a corner within +-spread on each axis, up to `size` wide along each. */
static inline rico_box draw_box(uint32_t *serial, float spread, float size)
{
    rico_vec3 lo = {draw(serial, -spread, spread), draw(serial, -spread, spread),
                    draw(serial, -spread, spread)};
    return (rico_box){lo, vec3_add(lo, vec3(draw(serial, 0.0f, size), draw(serial, 0.0f, size),
                                            draw(serial, 0.0f, size)))};
}

#endif
