/* spots.h - sensible places for effects: in the courtyard, or found with rays in any world. */
#ifndef RIO_SPOTS_H
#define RIO_SPOTS_H

#include "camera.h"

typedef enum rio_spot_kind {
    RIO_SPOT_FOUNTAIN, /* a nozzle: water up and outwards */
    RIO_SPOT_SPARKS,   /* on a wall, a grinder or brazier, 0.3..3 m up: hot sparks outwards */
    RIO_SPOT_GRAVEL,   /* 2..5 m above something with edges: gravel falls, mostly down */
    RIO_SPOT_SMOKE,    /* a chimney, torch or heap: smoke up */
    RIO_SPOT_CASINGS,  /* chest height, sideways: bullet casings */
    RIO_SPOT_RAIN,     /* the middle of a box of sky, extent half its size: drops start in it */
    RIO_SPOT_KIND_COUNT
} rio_spot_kind;

typedef struct rio_spot {
    rico_vec3 position;
    rico_vec3 direction; /* unit: the axis of emission */
    rico_vec3 extent;    /* half size of the box to start in; 0 for a point */
} rio_spot;

/* The index-th place of a kind in the courtyard of that seed. Any index is allowed. The first
 * places are showy and placed by hand; later ones are spread with jitter. None lies inside a
 * closed body.
 */
rio_spot rio_courtyard_spot(uint64_t seed, rio_spot_kind kind, uint32_t index);

/* The same for any world: above floors (and on walls) that rays find within bounds. Falls back
 * to the middle of the bounds when no ray hits. Casts up to 64 rays. */
rio_spot rio_world_spot(const rico_box *bounds, const rio_caster *caster, uint64_t seed,
                        rio_spot_kind kind, uint32_t index);

const char *rio_spot_kind_name(rio_spot_kind kind); /* "fountain", ... */

#endif
