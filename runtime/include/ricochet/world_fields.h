/* world_fields.h - force fields: forces that act in a part of the world.
 *
 * Fields are edited between steps, on the thread that steps; no call allocates. A recipe feels those
 * that share a layer with it (rico_recipe.field_layers), in every mode. In mode cached, known paths
 * that may lead through a field's box before or after an edit are looked at again; whoever rests
 * there and would be moved wakes up.
 */
#ifndef RICOCHET_WORLD_FIELDS_H
#define RICOCHET_WORLD_FIELDS_H

#include <ricochet/force.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rico_field_shape {
    RICO_FIELD_BOX,   /* half extents `size` */
    RICO_FIELD_SPHERE /* radius size.x */
} rico_field_shape;

typedef struct rico_field_def {
    uint32_t cookie;          /* set by rico_field_def_default; do not touch */
    rico_force force;         /* its position and axis are in the field's space [none] */
    rico_field_shape shape;   /* [box] */
    rico_vec3 size;           /* metres, 0.01..1e6; of a sphere, x alone matters [1, 1, 1] */
    float falloff;            /* the outer part, 0..1, over which it fades to nothing; 0 = none
                                 [0.2] */
    rico_transform transform; /* where it is; scale: of size, position and reach [identity] */
    uint32_t layers;          /* [1] */
} rico_field_def;

RICO_API rico_field_def rico_field_def_default(void);

/* Value ids: zero is null, a stale one is detected, one of another world is not. */
typedef struct rico_field_id {
    uint32_t index1;     /* its slot, from 1 */
    uint32_t generation; /* counts the uses of the slot */
} rico_field_id;

/* Null id: RICO_UNINITIALIZED_DEF; RICO_OUT_OF_RANGE or RICO_NOT_FINITE (the log names the field of
 * the def); RICO_FULL (world_def.max_fields exist); RICO_BUSY. */
RICO_API rico_field_id rico_world_add_field(rico_world *world, const rico_field_def *def);

/* It is there from the next step on. Errors: RICO_STALE_ID, RICO_NOT_FINITE, RICO_OUT_OF_RANGE,
 * RICO_BUSY. */
RICO_API rico_result rico_world_move_field(rico_world *world, rico_field_id id,
                                           rico_transform transform);

/* Everything about it. Errors: RICO_STALE_ID, and those of rico_world_add_field. */
RICO_API rico_result rico_world_change_field(rico_world *world, rico_field_id id,
                                             const rico_field_def *def);

/* Errors: RICO_STALE_ID, RICO_BUSY. */
RICO_API rico_result rico_world_remove_field(rico_world *world, rico_field_id id);

#ifdef __cplusplus
}
#endif
#endif
