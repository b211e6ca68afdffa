/* world_fields.h - force fields: forces that act in a part of the world.
 *
 * A field acts on the particles of every recipe that shares a layer with it
 * (rico_recipe.field_layers), in every collision mode.
 *
 * After an edit, mode cached finds anew all known paths that may lead through the field's box,
 * as it was or as it is now. A particle that rests in the box of a field that was edited wakes
 * if it would now be moved.
 *
 * Threads: edits are calls between steps, on the thread that steps. A call allocates only if more
 *   than 64 edits, of fields and colliders together, come between two steps. (To move or change a
 *   field counts as two.)
 */
#ifndef RICOCHET_WORLD_FIELDS_H
#define RICOCHET_WORLD_FIELDS_H

#include <ricochet/force.h>
#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rico_field_shape {
    RICO_FIELD_BOX,   /* a box with half extents `size` */
    RICO_FIELD_SPHERE /* a sphere with radius size.x */
} rico_field_shape;

typedef struct rico_field_def {
    uint32_t cookie; /* set by rico_field_def_default; do not touch */

    /* The force. Its position and axis are in the field's space. Its reach and world_space are
     * for recipes and have no effect here. [none] */
    rico_force force;
    rico_field_shape shape; /* [box] */
    rico_vec3 size;         /* metres, 0.01..1e6; a sphere reads x alone [1, 1, 1] */
    float falloff;          /* outer share of the field over which the force fades to nothing,
                               0..1; 0 = none [0.2] */

    rico_transform transform; /* place in the world; its scale multiplies size and
                                 force.position [identity] */
    uint32_t layers;          /* bits; see rico_recipe.field_layers [1] */
} rico_field_def;

/* Returns a definition with the defaults in brackets above. */
RICO_API rico_field_def rico_field_def_default(void);

/* Names a field. An id is a value, and zero is null. A stale id is detected; an id of another
 * world is not. */
typedef struct rico_field_id {
    uint32_t index1;     /* its slot, from 1 */
    uint32_t generation; /* counts the uses of the slot */
} rico_field_id;

/* Adds a field to the world.
 *
 * Errors: the id is null then, and rico_world_last_result says why.
 *   RICO_UNINITIALIZED_DEF: the definition was not made by rico_field_def_default.
 *   RICO_OUT_OF_RANGE, RICO_NOT_FINITE: the log names the field of the definition.
 *   RICO_FULL: rico_world_def.max_fields fields exist.
 *   RICO_BUSY */
RICO_API rico_field_id rico_world_add_field(rico_world *world, const rico_field_def *def);

/* Moves a field. It is at its new place from the next step on.
 * Errors: RICO_STALE_ID, RICO_NOT_FINITE, RICO_OUT_OF_RANGE, RICO_BUSY. */
RICO_API rico_result rico_world_move_field(rico_world *world, rico_field_id id,
                                           rico_transform transform);

/* Replaces everything about a field by another definition.
 * Errors: RICO_STALE_ID, and those of rico_world_add_field except RICO_FULL. */
RICO_API rico_result rico_world_change_field(rico_world *world, rico_field_id id,
                                             const rico_field_def *def);

/* Removes a field.
 * Errors: RICO_STALE_ID, RICO_BUSY. */
RICO_API rico_result rico_world_remove_field(rico_world *world, rico_field_id id);

#ifdef __cplusplus
}
#endif
#endif
