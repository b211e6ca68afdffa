/* filter.h - what a sweep, a nearest point or a gather does not see. */
#ifndef RICO_FILTER_H
#define RICO_FILTER_H

#include "cast.h"

/* What a query over a scene does not see. layers: of its colliders, by slot - 1; NULL = all are in
 * RICO_LAYER_DEFAULT. filter may be NULL. False: nothing can pass. */
static inline bool rico__filter_make(const rico_filter *filter, const uint32_t *layers,
                                     uint32_t ignore, rico__cast_filter *made)
{
    *made = (rico__cast_filter){.layers = layers, .wanted = UINT32_MAX, .ignores = ignore != 0};
    if (filter == NULL)
        return true;
    made->wanted = filter->layers;
    made->skip_back_faces = filter->skip_back_faces;
    return layers != NULL || (filter->layers & RICO_LAYER_DEFAULT) != 0;
}

/* Whether the collider in the slot is there for a query that ignores the slot `ignore` (0 = none).
 * filter NULL = everything is there. */
static inline bool rico__filter_passes_slot(const rico__cast_filter *filter, uint32_t slot,
                                            uint32_t ignore)
{
    if (filter == NULL)
        return true;
    if (filter->ignores && slot == ignore)
        return false;
    return filter->layers == NULL || (filter->layers[slot - 1] & filter->wanted) != 0;
}

/* Whether a triangle can be met: it has an area, was not removed, and its collider passes. Backs
 * are the query's own matter: it knows from where it looks. */
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
