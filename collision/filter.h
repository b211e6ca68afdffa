/* filter.h - what a sweep, a nearest point or a gather does not see. */
#ifndef RICO_FILTER_H
#define RICO_FILTER_H

#include "cast.h"

/* Whether a query sees the collider in the slot. The query ignores the slot `ignore` (0 =
 * none). filter NULL = everything is seen. */
static inline bool rico__filter_passes_slot(const rico__cast_filter *filter, uint32_t slot,
                                            uint32_t ignore)
{
    if (filter == NULL)
        return true;
    if (filter->ignores && slot == ignore)
        return false;
    return rico__cast_layers_pass(filter, slot);
}

/* Whether a triangle can be met: it has an area, was not removed, and its collider passes. The
 * query itself tests for back faces: it knows from where it looks. */
static inline bool rico__filter_passes(const rico__cast_filter *filter,
                                       const rico__triangles *triangles, uint32_t id,
                                       uint32_t ignore)
{
    const rico__face *face = &triangles->faces[id];
    if ((face->corner[0] & RICO_FACE_FLAT) != 0 || face->triangle == RICO_NO_TRIANGLE)
        return false;
    if (filter == NULL)
        return true;
    return rico__filter_passes_slot(filter, rico__face_vertex(triangles, face, 0)->collider,
                                    ignore);
}

#endif
